"""Convex bodies of which boards are built: the same ones make the map and, exactly, the physics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import TerrainError

_NOTHING = -np.inf
_RIM = 1e-9
"""A node on a rim belongs to the body, whatever the rounding [m]."""


@dataclass(frozen=True)
class Box:
    """A block that stands upright and may be turned about z."""

    centre: tuple[float, float, float]
    """Middle of the block [m]."""
    half: tuple[float, float, float]
    """Half its length, width and height [m]."""
    yaw: float = 0.0
    """Turn about z [rad]."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
        wide, deep = c * self.half[0] + s * self.half[1], s * self.half[0] + c * self.half[1]
        return self.centre[0] - wide, self.centre[0] + wide, self.centre[1] - deep, self.centre[1] + deep

    def tops(self, x: Array, y: Array) -> Array:
        """Height of the surface at places (...), -inf beside the body [m]."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = x - self.centre[0], y - self.centre[1]
        inside = (np.abs(c * dx + s * dy) <= self.half[0] + _RIM) & (np.abs(c * dy - s * dx) <= self.half[1] + _RIM)
        return np.where(inside, self.centre[2] + self.half[2], _NOTHING)

    def scaled(self, factor: float) -> Box:
        """The same, ``factor`` times as large, about the origin."""
        return Box(_times(self.centre, factor), _times(self.half, factor), self.yaw)


@dataclass(frozen=True)
class Stone:
    """A round post with a flat top."""

    centre: tuple[float, float, float]
    """Middle of the post [m]."""
    radius: float
    """Its radius [m]."""
    half: float
    """Half its height [m]."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        (x, y, _), r = self.centre, self.radius
        return x - r, x + r, y - r, y + r

    def tops(self, x: Array, y: Array) -> Array:
        """Height of the surface at places (...), -inf beside the body [m]."""
        inside = (x - self.centre[0]) ** 2 + (y - self.centre[1]) ** 2 <= self.radius**2
        return np.where(inside, self.centre[2] + self.half, _NOTHING)

    def scaled(self, factor: float) -> Stone:
        """The same, ``factor`` times as large, about the origin."""
        return Stone(_times(self.centre, factor), self.radius * factor, self.half * factor)


@dataclass(frozen=True)
class LyingLog:
    """A round log that lies; where half of it is below the ground it is a half cylinder."""

    centre: tuple[float, float, float]
    """Middle of the log [m]."""
    axis: tuple[float, float, float]
    """Unit vector along it; not upright."""
    radius: float
    """Its radius [m]."""
    half: float
    """Half its length [m]."""

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        wide, deep = (abs(each) * self.half + self.radius for each in self.axis[:2])
        return self.centre[0] - wide, self.centre[0] + wide, self.centre[1] - deep, self.centre[1] + deep

    def tops(self, x: Array, y: Array) -> Array:
        """Height of the surface at places (...), -inf beside the body [m]; its flat ends count as upright."""
        ax, ay, az = self.axis
        dx, dy = x - self.centre[0], y - self.centre[1]
        along = ax * dx + ay * dy
        # Distance from the axis: |d|^2 - (d a)^2 = r^2, a quadratic in the height above the middle.
        a = 1.0 - az * az
        b = az * along
        root = b * b - a * (dx * dx + dy * dy - along * along - self.radius**2)
        height = (b + np.sqrt(np.maximum(root, 0.0))) / a
        inside = (root >= 0.0) & (np.abs(along + az * height) <= self.half)
        return np.where(inside, self.centre[2] + height, _NOTHING)

    def scaled(self, factor: float) -> LyingLog:
        """The same, ``factor`` times as large, about the origin."""
        return LyingLog(_times(self.centre, factor), self.axis, self.radius * factor, self.half * factor)


@dataclass(frozen=True, eq=False)
class Rock:
    """A convex body with flat faces, given by its corners.

    Raises:
        TerrainError: The corners span no volume.
    """

    corners: Array
    """Corners, (n, 3) [m]."""

    def __post_init__(self) -> None:
        corners = np.array(self.corners, dtype=np.float64)
        corners.flags.writeable = False
        object.__setattr__(self, "corners", corners)
        if self.faces.size == 0:
            raise TerrainError("a rock needs four corners that span a volume", value=corners.shape)

    @cached_property
    def faces(self) -> Array:
        """Half spaces n x <= d that make the body, (nf, 4): normal and d."""
        from scipy.spatial import ConvexHull, QhullError

        if len(self.corners) < 4 or not np.isfinite(self.corners).all():
            return np.zeros((0, 4))
        try:
            planes = ConvexHull(self.corners).equations
        except QhullError:
            return np.zeros((0, 4))
        return np.concatenate([planes[:, :3], -planes[:, 3:]], axis=1)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least and largest x, least and largest y [m]."""
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])

    def tops(self, x: Array, y: Array) -> Array:
        """Height of the surface at places (...), -inf beside the body [m]."""
        top, bottom = np.full(x.shape, np.inf), np.full(x.shape, -np.inf)
        beside = np.zeros(x.shape, dtype=np.bool_)
        for nx, ny, nz, d in self.faces:
            rest = d - nx * x - ny * y
            if abs(nz) < 1e-9:
                beside |= rest < 0.0
            elif nz > 0.0:
                top = np.minimum(top, rest / nz)
            else:
                bottom = np.maximum(bottom, rest / nz)
        return np.where(beside | (top < bottom), _NOTHING, top)

    def scaled(self, factor: float) -> Rock:
        """The same, ``factor`` times as large, about the origin."""
        return Rock(self.corners * factor)


Solid = Box | Stone | LyingLog | Rock
"""Any of the bodies."""


def _times(values: tuple[float, float, float], factor: float) -> tuple[float, float, float]:
    return values[0] * factor, values[1] * factor, values[2] * factor
