"""The leg for which lengths that grow with the robot are given."""

REFERENCE_LEG = 0.187
"""Leg length of LittleDog, for which lengths of settings and boards are given [m]."""
