"""How a robot on ball feet rests on level ground at a posture: on which feet, and how safely."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from andante.kinematics.forward import Kinematics
from andante.kinematics.support import lowest_other
from andante.spatial.polygons import convex_hull, signed_distance

_FLAT = 1e-6


@dataclass(frozen=True)
class Rest:
    """Feet in one plane that carry the robot."""

    feet: tuple[str, ...]
    """Names of the feet."""
    margin: float
    """Distance of the centre of mass's projection to the edge of the support polygon [m]; below zero outside."""
    clearance: float
    """Height over the ground of the lowest part that belongs to none of the legs' last links [m]."""


def resting(kinematics: Kinematics, within: float = 0.003) -> Rest | None:
    """The rest with the largest margin at the posture of the last update; None where no three feet span a plane.

    Args:
        kinematics: The robot at a posture; all its feet are balls.
        within: Height over the ground up to which a foot carries [m].
    """
    feet = kinematics.robot.feet
    centers = np.array([kinematics.pose(foot.site)[0] for foot in feet])
    radius = max((foot.radius for foot in feet), default=0.0)
    com = kinematics.com()
    best: Rest | None = None
    for triple in combinations(range(len(feet)), 3):
        a, b, c = centers[list(triple)]
        normal = np.cross(b - a, c - a)
        length = float(np.linalg.norm(normal))
        if length < _FLAT:
            continue
        normal /= length
        if float(normal @ (com - a)) < 0.0:
            normal = -normal
        heights = (centers - a) @ normal
        if float(heights.min()) < -within:
            continue
        standing = np.flatnonzero(heights <= within)
        side = np.cross(normal, [1.0, 0.0, 0.0])
        side /= np.linalg.norm(side)
        plane = np.stack([np.cross(side, normal), side], axis=-1)
        margin = float(signed_distance(convex_hull(centers[standing] @ plane), com @ plane))
        if best is None or margin > best.margin:
            names = tuple(feet[int(index)].name for index in standing)
            ground = float(a @ normal) - radius
            best = Rest(
                names, margin, lowest_other(kinematics, [foot.body for foot in feet], normal, collides=True) - ground
            )
    return best
