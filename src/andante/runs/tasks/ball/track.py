"""What became of the ball: how fast, whither and how far, from ground truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.backends.ball import BALL, rolling_distance
from andante.robots.records import Vector
from andante.runs.logs.log import ChannelRows

_MOVING = 0.02
"""Speed below which the ball counts as resting [m/s]."""
_WENT = 0.01
"""A ball whose way is shorter has the direction of its velocity [m]."""


@dataclass(frozen=True)
class BallTrack:
    """The ball's way in one run."""

    speed: float
    """Largest speed along the floor [m/s]."""
    direction: float
    """Direction of its way from x towards y [rad]; that of its velocity where it has hardly moved."""
    distance: float
    """Distance between its start and its place at the end [m]."""
    speed_at_end: float
    """Speed at the end of the run [m/s]."""
    reach: float
    """Distance to where it comes to rest, the end of the run and what it rolls after that [m]."""

    @property
    def rested(self) -> bool:
        """Whether it never moved, so that it has no direction."""
        return self.speed < _MOVING and self.reach <= _WENT


def ball_of(truth: ChannelRows, deceleration: float) -> BallTrack | None:
    """The ball's track in recorded truth; None where there is no ball.

    Args:
        truth: Recorded ground truth with at least one row.
        deceleration: Deceleration of the rolling ball [m/s^2].
    """
    place, velocity = _columns(truth, "qpos", ("x", "y")), _columns(truth, "qvel", ("vx", "vy"))
    return None if place is None or velocity is None else track_of(place, velocity, deceleration)


def track_of(place: Vector, velocity: Vector, deceleration: float) -> BallTrack:
    """The track of a ball whose places and velocities along the floor are known at every tick.

    Args:
        place: x and y, (n, 2) with n >= 1 [m].
        velocity: Velocity, (n, 2) [m/s].
        deceleration: Deceleration of the rolling ball [m/s^2].
    """
    speeds = np.hypot(velocity[:, 0], velocity[:, 1])
    fastest = int(np.argmax(speeds))
    way = place[-1] - place[0]
    last = float(speeds[-1])
    rest = way
    if last > _MOVING and deceleration > 0.0:
        rest = way + velocity[-1] / last * rolling_distance(last, deceleration)
    pointer = rest if float(np.hypot(*rest)) > _WENT else velocity[fastest]
    return BallTrack(
        speed=float(speeds[fastest]),
        direction=math.atan2(float(pointer[1]), float(pointer[0])),
        distance=float(np.hypot(*way)),
        speed_at_end=last,
        reach=float(np.hypot(*rest)),
    )


def _columns(truth: ChannelRows, field: str, axes: tuple[str, ...]) -> Vector | None:
    labels = next((entry.labels for entry in truth.layout.fields if entry.name == field), ())
    wanted = [f"{BALL}.{axis}" for axis in axes]
    if any(label not in labels for label in wanted):
        return None
    return truth[field][:, [labels.index(label) for label in wanted]]
