"""Robots without a pack: what a bare MJCF, URDF or SDF says, what is guessed from its geometry, and what is assumed."""
