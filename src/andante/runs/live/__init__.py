"""Steering by hand: keyboards and gamepads, and what turns what they say into a run's steering."""
