"""The one door by which things of a kind come in: shipped, registered by a program, or by an installed package."""
