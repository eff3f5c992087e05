"""Swing of one foot: up, across, and down until the foot switch closes."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from andante.control.reactive_crawl.settings import ReactiveCrawlSettings

Array = NDArray[np.float64]
_CORNER = 0.6
"""Share of the lift at which the foot begins to go across."""
_NEAR = 0.003
"""Way left at which across is over, for LittleDog's size [m]."""
_MOST_RAISES = 2


class Stage(IntEnum):
    """Where in its swing a foot is."""

    UP = 0
    ACROSS = 1
    DOWN = 2


class Swing:
    """One swing, in the level frame and relative to the ground on which the other feet stand.

    Args:
        settings: Of this robot's size.
        way: Where the foot shall come down, from where it lifted, (2,) [m].
        scale: The robot's size.
    """

    def __init__(self, settings: ReactiveCrawlSettings, way: Array, scale: float) -> None:
        self._settings, self._scale = settings, scale
        self.stage = Stage.UP
        self.done: Array = np.zeros(3)
        """How far the foot has come, (3,) [m]."""
        self.way: Array = np.array(way)
        self.lift = settings.step_height
        self.switch_opened = False
        """Whether the foot switch has been open since the foot lifted; one that never opens tells no touch-down."""
        self.raises = 0
        """How often the foot was lifted higher because it met something on its way."""
        self.blocked = 0
        self.missed = False
        """Whether the foot came down as far as it may without meeting the ground."""

    def aim(self, way: Array) -> None:
        """Change where the foot shall come down, (2,) [m], until it goes down."""
        if self.stage is not Stage.DOWN:
            self.way = np.array(way)

    def step(self, period: float, contact: bool) -> tuple[Array, bool]:
        """How the foot should move in this tick, (3,) [m], and whether it has touched down."""
        self.switch_opened |= not contact
        settings = self._settings
        left = self.way - self.done[:2]
        far = math.hypot(left[0], left[1])
        rise = self.lift - self.done[2]
        fast, move = settings.swing_speed * period, np.zeros(3)
        if self.stage is Stage.UP:
            if self.done[2] >= _CORNER * self.lift:
                self.stage = Stage.ACROSS
        elif self.stage is Stage.ACROSS:
            if contact and self.switch_opened and self.raises < _MOST_RAISES and far > 3.0 * _NEAR * self._scale:
                self.raises += 1
                self.lift += 0.5 * settings.step_height
                self.stage = Stage.UP
            elif far <= _NEAR * self._scale or self.blocked > 25:
                self.stage, self.blocked = Stage.DOWN, 0
        if self.stage is Stage.DOWN:
            return self._down(period, contact)
        if self.stage is Stage.ACROSS and far > 0.0:
            move[:2] = left * min(1.0, fast / far)
        move[2] = min(max(rise, -fast), fast)
        return move, False

    def take(self, moved: Array) -> None:
        """What of the last move (3,) [m] the leg could do; a leg that does next to nothing is at its end."""
        self.done += moved
        slow = 0.02 * self._settings.swing_speed * 0.01
        self.blocked = self.blocked + 1 if float(np.abs(moved).max()) < slow else 0

    def _down(self, period: float, contact: bool) -> tuple[Array, bool]:
        settings = self._settings
        if contact and self.switch_opened:
            return np.zeros(3), True
        height = self.done[2]
        lowest = -settings.probe if self.switch_opened else 0.0
        if height <= lowest or self.blocked > 8:
            self.missed = True
            return np.zeros(3), True
        speed = settings.down_speed
        near = 0.35 * settings.step_height
        if height > near:
            # Down to a little above the place of lift-off there is time to be fast.
            speed = min(0.6 * settings.swing_speed, speed + (height - near) / 0.05)
        return np.array([0.0, 0.0, -min(speed * period, height - lowest)]), False
