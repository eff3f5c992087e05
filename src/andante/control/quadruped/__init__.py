"""Leg control of a dynamic quadruped: forces, swings, safety."""
