"""What makes a foothold good or bad: features of every node of a map, and which nodes no foot may use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import NonNegativeLength, PositiveAngle, PositiveLength
from andante.documents.settings import Settings
from andante.planning.course import Course
from andante.planning.feasibility.ground import ball_ground

Array = NDArray[np.float64]
NAMES = ("slope", "roughness", "bump", "hollow", "edge", "spread", "drop", "wall")
"""The features: slope of the ground, unevenness under the foot, curvature down and up, nearness of an edge, height
difference around, depth of what lies beneath nearby, and height of a wall on the side to which the knee points."""


class FootholdLimits(Settings):
    """Where no foot may stand, for a foot of LittleDog's size; lengths grow with the robot."""

    place: ClassVar[str] = "foothold limits"

    slope: PositiveAngle = math.radians(32.0)
    """Largest slope [rad]."""
    roughness: PositiveLength = 0.006
    """Largest standard deviation from a plane under the foot [m]."""
    edge: NonNegativeLength = 0.012
    """Least distance from an edge [m]."""
    propped: NonNegativeLength = 0.004
    """Largest height of the ball over where it would stand on the node's plane; more, and it leans on a wall [m]."""


@dataclass(frozen=True, eq=False)
class Features:
    """Features of every node of a map, each near 0 where it does not matter and near 1 where it is bad."""

    front: Array
    """For a foot whose knee points backward, (nx, ny, n)."""
    hind: Array
    """For a foot whose knee points forward, (nx, ny, n)."""
    allowed: NDArray[np.bool_]
    """Where a foot may stand at all, (nx, ny)."""

    @staticmethod
    def of(course: Course, limits: FootholdLimits | None = None, heading: float = 0.0) -> Features:
        """Features of a course's map.

        Args:
            course: The course.
            limits: Where no foot may stand; None: the defaults.
            heading: Direction in which the robot walks, which is where walls matter to its knees [rad].
        """
        from scipy import ndimage

        scale, layers, ground = course.scale, course.layers, course.ground
        limits = (limits or FootholdLimits()).scaled(scale)
        z, spacing = ground.heights, ground.spacing
        near = 2 * max(1, round(0.025 * scale / spacing)) + 1
        high = ndimage.maximum_filter(z, near, mode="nearest")
        low = ndimage.minimum_filter(z, near, mode="nearest")
        radius = float(course.body.table.radius.max())
        propped = ball_ground(ground, radius) - z - radius / np.cos(layers.slope)
        allowed = (
            (layers.slope <= limits.slope)
            & (layers.roughness <= limits.roughness)
            & (layers.edge_distance >= limits.edge)
            & (propped <= limits.propped)
        )
        if course.pits is not None:
            allowed &= ~course.pits
        unit = 0.05 * scale
        common = [
            (layers.slope / limits.slope) ** 2,
            layers.roughness / limits.roughness,
            np.maximum(-layers.curvature, 0.0) * 0.02 * scale,
            np.maximum(layers.curvature, 0.0) * 0.02 * scale,
            np.maximum(1.0 - layers.edge_distance / (0.025 * scale), 0.0) ** 2,
            (high - low) / unit,
            (z - low) / unit,
        ]
        ahead = _wall(z, spacing, scale, heading) / unit
        behind = _wall(z, spacing, scale, heading + math.pi) / unit
        stack = [np.minimum(each, 2.0) for each in common]
        return Features(
            front=np.stack([*stack, np.minimum(behind, 2.0)], axis=-1),
            hind=np.stack([*stack, np.minimum(ahead, 2.0)], axis=-1),
            allowed=allowed,
        )


def _wall(z: Array, spacing: float, scale: float, direction: float) -> Array:
    """How much higher than 2 cm over each node the ground is within 5 cm in a direction [m]."""
    highest = z.copy()
    for far in np.arange(spacing, 0.05 * scale + 1e-9, spacing):
        i, j = round(far * math.cos(direction) / spacing), round(far * math.sin(direction) / spacing)
        rows = np.clip(np.arange(z.shape[0]) + i, 0, z.shape[0] - 1)
        columns = np.clip(np.arange(z.shape[1]) + j, 0, z.shape[1] - 1)
        np.maximum(highest, z[np.ix_(rows, columns)], out=highest)
    return np.maximum(highest - z - 0.02 * scale, 0.0)
