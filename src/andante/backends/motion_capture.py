"""Motion capture around a simulated robot: rate, latency, noise and drop-outs of the pose that it gives."""

from __future__ import annotations

import math
from collections import deque
from typing import Annotated

import numpy as np
from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, NonNegative, Number, Seconds
from andante.robots.records import Vector
from andante.spatial.rotations import exp, multiply

_ROUNDING = 1e-9


class Blackout(Part):
    """A time in which motion capture does not see the robot."""

    time: Annotated[Seconds, Field(ge=0.0)]
    """Begin [s]."""
    duration: Duration
    """Length [s]."""


class PoseNoise(Part):
    """How motion capture measures a robot that has it (declared for LittleDog: 3 mm and 0.5 deg)."""

    position: Annotated[Length, Field(ge=0.0)] = 0.0
    """Deviation of the white noise on each coordinate [m]."""
    orientation: Annotated[Angle, Field(ge=0.0)] = 0.0
    """Deviation of the white noise about each axis [rad]."""
    period: Annotated[Seconds, Field(ge=0.0)] = 0.0
    """Time between two captures, rounded up to a tick; 0: every tick [s]."""
    latency: Annotated[Seconds, Field(ge=0.0, le=1.0)] = 0.0
    """Age of a pose when it arrives, rounded up to a tick [s]."""
    loss: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the captures that fail, each on its own."""
    blackout_rate: NonNegative = 0.0
    """How often the robot gets out of sight at random [1/s]."""
    blackout_duration: Duration = 0.2
    """For how long, then [s]."""
    blackouts: tuple[Blackout, ...] = ()
    """Scripted times out of sight."""


class MotionCapture:
    """Poses of one robot's base as they arrive."""

    def __init__(self, noise: PoseNoise, position: Vector, orientation: Vector) -> None:
        self._noise = noise
        self._position, self._orientation = position, orientation
        self.reset(np.random.default_rng(0))

    def reset(self, rng: np.random.Generator) -> None:
        """Forget all poses; ``rng`` gives noise and drop-outs."""
        self._rng = rng
        self._waiting: deque[tuple[float, Vector]] = deque()
        self._next = 0.0
        self._hidden_until = -math.inf
        self._before = 0.0
        self._latest: Vector = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0])

    def measure(self, time: float, values: Vector) -> None:
        """Write position, orientation, time and validity of the newest pose that has arrived, (9,)."""
        noise = self._noise
        hidden = self._hidden(time)
        if time + _ROUNDING >= self._next:
            self._next = max(self._next + noise.period, time)
            draw = self._rng.standard_normal(6)
            lost = noise.loss > 0.0 and self._rng.random() < noise.loss
            if not hidden and not lost:
                self._waiting.append((time, self._capture(time, draw)))
        while self._waiting and self._waiting[0][0] <= time - noise.latency + _ROUNDING:
            self._latest = self._waiting.popleft()[1]
        values[:] = self._latest
        values[8] = float(not hidden and self._latest[7] >= 0.0)

    def _hidden(self, time: float) -> bool:
        noise = self._noise
        if noise.blackout_rate > 0.0:
            passed = time - self._before
            if self._rng.random() < -math.expm1(-noise.blackout_rate * passed):
                self._hidden_until = time + noise.blackout_duration
            self._before = time
        now = time + _ROUNDING
        return now < self._hidden_until or any(b.time <= now < b.time + b.duration for b in noise.blackouts)

    def _capture(self, time: float, draw: Vector) -> Vector:
        noise = self._noise
        place = self._position + noise.position * draw[:3]
        turn = multiply(self._orientation, exp(noise.orientation * draw[3:]))
        return np.concatenate([place, turn, [time, 1.0]])
