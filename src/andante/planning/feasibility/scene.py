"""Scene: a robot over the ground as plain arrays, which is what the kernels of planning work on."""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.planning.course import PlanningError
from andante.planning.feasibility.body_shape import BodyShape
from andante.spatial.arrays import Array, Array1, Array2, Array3
from andante.terrain.height_map import HeightMap

_FINE = 2
"""The ground between nodes is looked at in steps of this part of the spacing."""
_RESTS: WeakKeyDictionary[HeightMap, dict[float, Array]] = WeakKeyDictionary()
"""Where balls rest, by ground and radius: one plan asks for the same several times."""
BESIDE = 0.006
"""Distance that shanks, thighs and belly keep from walls beside them, for LittleDog [m]."""


def ball_ground(ground: HeightMap, radius: float) -> Array:
    """Height of the centre of a ball that touches the ground, over each node, (nx, ny) [m].

    It is the dilation of the map by the ball: beside a wall or an edge the ball rests against it. Off the map the
    ground goes on as its outermost nodes.

    Args:
        ground: The ground.
        radius: Radius of the ball [m]; 0 gives the ground.

    Raises:
        PlanningError: The radius is below zero or not finite.
    """
    if not (math.isfinite(radius) and radius >= 0.0):
        raise PlanningError("the radius of a ball must not be below zero", value=radius)
    known = _RESTS.setdefault(ground, {})
    if radius not in known:
        known[radius] = _rest(ground, radius)
    return known[radius]


def _rest(ground: HeightMap, radius: float) -> Array:
    from scipy import ndimage

    from andante.planning.feasibility.ball_kernels import rest_balls

    step = ground.spacing / _FINE
    reach = math.ceil(radius / step)
    padded = np.pad(_refined(ground.heights), reach, mode="edge")
    highest = ndimage.maximum_filter(padded, 2 * reach + 1, mode="nearest")[reach::_FINE, reach::_FINE]
    away: Array = np.arange(-reach, reach + 1, dtype=np.float64)
    left = radius * radius - (away[:, None] ** 2 + away[None, :] ** 2) * step * step
    places = np.argwhere(left >= 0.0)
    lifts = np.sqrt(left[left >= 0.0])
    order = np.argsort(-lifts, kind="stable")
    nx, ny = ground.heights.shape
    rests = np.empty((nx, ny))
    covered = np.ascontiguousarray(highest[:nx, :ny])
    rest_balls(padded, covered, places[order], lifts[order], _FINE, rests)
    return rests


def _refined(heights: Array) -> Array:
    """The bilinear ground at steps of half a spacing."""
    nx, ny = heights.shape
    fine = np.empty((2 * nx - 1, 2 * ny - 1))
    fine[::2, ::2] = heights
    fine[1::2, ::2] = 0.5 * (heights[1:] + heights[:-1])
    fine[:, 1::2] = 0.5 * (fine[:, 2::2] + fine[:, :-1:2])
    return fine


class Scene(NamedTuple):
    """A robot over the ground. Grids are (nx, ny) like the map; between nodes they are bilinear."""

    table: LegTable
    """The robot's legs and masses."""
    foot: Array2
    """Height of the centre of a ball foot that touches the ground [m]."""
    clear: Array2
    """Height that the middle of a lower link must be above [m]."""
    x: float
    """x of the first node [m]."""
    y: float
    """y of the first node [m]."""
    spacing: float
    """Distance of neighbouring nodes [m]."""
    belly: Array2
    """Points of the trunk's underside in the base's frame, (n, 3) [m]."""
    upper: Array1
    """How much thicker each upper link is than the link of `clear`, (nl,) [m]; below zero: thinner."""
    lower: Array1
    """The same for each lower link, (nl,) [m]."""
    skin: float
    """The same for the points of the belly [m]."""
    trunk: Array3
    """Boxes of the trunk that lower links keep off, low and high corners in the base's frame, (m, 2, 3) [m]."""
    shank: Array1
    """Radius of each lower link, (nl,) [m]."""

    @staticmethod
    def of(body: LeggedBody, ground: HeightMap, scale: float = 1.0, shape: BodyShape | None = None) -> Scene:
        """A robot over a map.

        Args:
            body: The robot; all its feet count as balls of the largest radius among them.
            ground: The ground.
            scale: The robot's size against LittleDog's.
            shape: Its shape; None: read from its model.
        """
        shape = shape or BodyShape.of(body)
        link, beside = float(shape.lower.max()), BESIDE * scale
        # Wider than the link, so that it also keeps off what is beside it; over level ground it is as high as the link.
        clear = ball_ground(ground, link + beside) - beside
        return Scene(
            table=body.table,
            foot=ball_ground(ground, float(body.table.radius.max())),
            clear=clear,
            x=float(ground.origin[0]),
            y=float(ground.origin[1]),
            spacing=float(ground.spacing),
            belly=np.ascontiguousarray(shape.belly),
            upper=shape.upper - link,
            lower=shape.lower - link,
            skin=-link,
            trunk=shape.trunk,
            shank=shape.lower,
        )
