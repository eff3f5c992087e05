"""Names of the pictures that a run of a dynamic quadruped leaves in its folder."""

from __future__ import annotations

FORCES, STEPS, SPEEDS, HORIZON, SOLVER = "forces.png", "steps.png", "speeds.png", "horizon.png", "solver.png"
FILES = (FORCES, STEPS, SPEEDS, HORIZON, SOLVER)
"""All of them."""
