"""Robots without a pack: what a bare MJCF or URDF says, what is guessed from its geometry, and what is assumed."""
