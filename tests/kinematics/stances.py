"""Random stances of LittleDog that share their reachable ones between tests."""

from __future__ import annotations

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.rotations import from_rpy

BODY = LeggedBody.of(Robot.load("littledog"))
HOME = np.array([[0.0667 * x, 0.0735 * y, 0.0] for x in (1, -1) for y in (1, -1)])


def random_stance(rng: np.random.Generator):
    """Feet (4, 3), centre of mass (3,) and orientation (4,) wxyz, most of them reachable."""
    feet = HOME + rng.uniform(-1.0, 1.0, (4, 3)) * [0.05, 0.025, 0.025]
    com = np.array([0.0, 0.0, 0.12]) + rng.uniform(-1.0, 1.0, 3) * [0.03, 0.03, 0.02]
    return feet, com, from_rpy(rng.uniform(-0.15, 0.15, 3))
