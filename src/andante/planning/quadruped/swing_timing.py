"""When a swinging foot is at its apex and when it moves ahead, so that it passes over the edge of a step.

On a smooth way up and ahead alike, a foot that stands before a step of 20 cm is halfway up when it meets the riser. So
it begins to move ahead as late as the ground asks, and stops as early where it comes down behind an edge.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import kernel
from andante.planning.quadruped.ground import Ground, at
from andante.spatial.arrays import Array

_POINTS = 16
"""Parts of the way at which the ground is looked at."""
_LATEST = 0.5
"""Latest begin of the way ahead, and from the swing's end the earliest end, as a share of the swing."""
_LEAST = 0.4
"""Least share of the swing in which the foot moves ahead."""
_LEVEL = 1e-3
"""Lower rises are none [m]."""


@kernel
def _share_at(height: float) -> float:
    """Share of the time after which a cubic from rest to rest has come a share of its way."""
    return 0.5 - math.sin(math.asin(1.0 - 2.0 * min(max(height, 0.0), 1.0)) / 3.0)


@kernel
def time_swing(ground: Ground, radius: float, margin: float, swing: Array) -> None:
    """Set when a swing is at its apex and when it moves ahead.

    Args:
        ground: The ground.
        radius: Radius of the ball foot [m].
        margin: How far above an edge it passes at least [m]; less over lower ones, no more than they are high.
        swing: The numbers of the swing, (`SWING`,); the last three are set.
    """
    x, y, way_x, way_y = swing[2], swing[3], swing[5] - swing[2], swing[6] - swing[3]
    up, down = max(swing[8] - swing[4], _LEVEL), max(swing[8] - swing[7], _LEVEL)
    # The accelerations up and down are alike where times are as the square roots of the heights.
    peak = math.sqrt(up) / (math.sqrt(up) + math.sqrt(down))
    length = math.hypot(way_x, way_y)
    ball = radius / length if length > radius else 1.0
    first, last = 0.0, 1.0
    for k in range(1, _POINTS):
        share = k / _POINTS
        passed = _share_at(share)
        high = -np.inf
        for step in range(-1, 2):
            s = min(max(share + step * ball, 0.0), 1.0)
            high = max(high, at(ground, ground.height, x + s * way_x, y + s * way_y))
        rise = high + radius - swing[4]
        if rise > _LEVEL:
            over = peak * _share_at((rise + min(rise, margin)) / up)
            first = max(first, (over - passed) / (1.0 - passed))
        fall = high + radius - swing[7]
        if fall > _LEVEL:
            under = (1.0 - peak) * _share_at((fall + min(fall, margin)) / down)
            # The way ahead mirrored: how much of the swing's end is left without it.
            last = min(last, 1.0 - (under - (1.0 - passed)) / max(passed, 1e-6))
    first, last = min(first, _LATEST), max(last, 1.0 - _LATEST)
    if last - first < _LEAST:
        middle = 0.5 * (first + last)
        first, last = middle - 0.5 * _LEAST, middle + 0.5 * _LEAST
    swing[9], swing[10], swing[11] = peak, first, last
