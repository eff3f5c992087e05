"""Gravity, as every plan and controller counts with it."""

GRAVITY = 9.81
"""Acceleration of gravity [m/s^2]."""
