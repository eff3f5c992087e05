"""LittleDog at the start of boards."""

from __future__ import annotations

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.feasibility.scene import ball_ground
from andante.robots.robot import Robot
from andante.terrain.terrain import Terrain

BODY = LeggedBody.of(Robot.load("littledog"))
RADIUS = 0.0103


def stand(terrain: Terrain, goal: tuple[float, float] | None = None) -> KnownCourse:
    """LittleDog on a terrain's start, feet on the ground."""
    x, y = terrain.start
    feet = np.array([[x + 0.0667 * i, y + 0.0735 * j, 0.0] for i in (1, -1) for j in (1, -1)])
    grid, ground = ball_ground(terrain.heights, RADIUS), terrain.heights
    for foot in feet:
        i, j = np.round((foot[:2] - ground.origin) / ground.spacing).astype(int)
        foot[2] = grid[i, j]
    return KnownCourse(BODY, terrain.map, feet, np.array([x, y, 0.146]), np.eye(3), goal or terrain.goal)
