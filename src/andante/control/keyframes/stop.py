"""Coming to a standstill from whatever speed the request has."""

from __future__ import annotations

import numpy as np

from andante.control.keyframes.posture import PosturePlayer
from andante.robots.records import Vector
from andante.robots.robot import Robot


class StandstillStop:
    """Lets the commanded speed fall linearly to 0.

    Args:
        robot: The robot and its speed limits.
        tick: Period [us].
    """

    def __init__(self, robot: Robot, tick: int) -> None:
        nj = len(robot.joints)
        self._tick, self._duration = tick, tick
        self._limit = robot.max_velocity
        self._last, self._before = np.zeros(nj), np.zeros(nj)
        self._from, self._speed = np.zeros(nj), np.zeros(nj)
        self._begun = 0

    def reset(self) -> None:
        """Forget all outputs."""
        self._last[:] = 0.0
        self._before[:] = 0.0

    def within(self, duration: int) -> None:
        """Take this time to the standstill [us]."""
        self._duration = max(duration, self._tick)

    def see(self, output: Vector) -> None:
        """Remember this tick's output, (nj,) [rad]."""
        self._before, self._last = self._last, self._before
        self._last[:] = output

    def start(self, now: int) -> None:
        """Begin to slow down; the last output was one tick ago."""
        self._begun = now - self._tick
        self._from[:] = self._last
        speed = (self._last - self._before) / (self._tick * 1e-6)
        np.clip(speed, -self._limit, self._limit, out=self._speed)

    def update(self, now: int, player: PosturePlayer) -> bool:
        """Ask for this tick's posture; True on the tick after the standstill."""
        elapsed = min(now - self._begun, self._duration) * 1e-6
        whole = self._duration * 1e-6
        player.hold(self._from + self._speed * (elapsed - elapsed * elapsed / (2.0 * whole)))
        return now - self._begun > self._duration
