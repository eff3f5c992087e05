"""Swing of one foot: up, across, and down until the foot switch closes; how fast swings are, and how they end."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.steering import Heading
from andante.kinematics.leg_table import LeggedBody
from andante.spatial.arrays import Array

_CORNER = 0.6
"""Share of the lift at which the foot begins to go across."""
_NEAR = 0.003
"""Way left at which across is over, for LittleDog's size [m]."""
_MOST_RAISES = 2
_HIGH = 0.5
"""Share of a step's height by which a foot that meets what it was not lifted for comes down too high."""
_FEET = 4
_MOST_TICKS = 500
_TIGHT = 0.9
"""Share of the fastest cycle's speed that is promised."""
_WAIT = 0.02
"""Time from a touch-down to the next lift-off where the centre of mass need not move [s]."""


class Stage(IntEnum):
    """Where in its swing a foot is."""

    UP = 0
    ACROSS = 1
    DOWN = 2


class CrawlSwing:
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


class Headway:
    """Whether a crawl that sees nothing still gets on: counts swings that were hindered, and feet that could not lift.

    Its odometry counts what the legs do, and legs that push a body which hangs on an edge do as much as legs that carry
    it on. But their feet then meet something on the way, or come down higher than the ground that the other feet stand
    on would be there, time after time.

    Args:
        settings: How the crawl steps, of this robot's size.
    """

    def __init__(self, settings: ReactiveCrawlSettings) -> None:
        self._settings = settings
        self._hindered = deque[bool](maxlen=settings.stuck_window)
        self._late = 0

    def landed(self, swing: CrawlSwing, feet: Array) -> None:
        """A swing is over.

        Args:
            swing: The swing.
            feet: All feet in the level frame, (4, 3) [m].
        """
        # The plane of least squares through the feet is the ground as far as it is known.
        around = feet - feet.mean(axis=0)
        rise = np.linalg.lstsq(around[:, :2], around[:, 2], rcond=None)[0]
        higher = float(swing.done[2] - rise @ swing.done[:2])
        self._hindered.append(swing.raises > 0 or higher > _HIGH * self._settings.step_height)
        self._late = 0

    def stayed(self) -> None:
        """A foot did not lift, as the body did not come over the others."""
        self._late += 1

    @property
    def lost(self) -> str:
        """Why the crawl gets no farther; empty: it does."""
        if self._late >= _FEET:
            return "no foot can lift: the body does not come over the others"
        count = sum(self._hindered)
        if len(self._hindered) == self._settings.stuck_window and count >= self._settings.stuck_swings:
            return (
                f"{count} of its last {len(self._hindered)} swings met something before they were where they should be"
            )
        return ""


@dataclass(frozen=True)
class CrawlPace:
    """Cycle and speeds that a robot reaches within its limits, found by swinging each leg once over level ground in
    thought."""

    cycle: float
    """Time of four steps of the longest length [s]."""
    largest: Heading
    """Largest speeds, each on its own."""

    @staticmethod
    def of(body: LeggedBody, settings: ReactiveCrawlSettings, home: Array, period: float) -> CrawlPace:
        """Measure the pace.

        Raises:
            ControlError: The legs do not reach a stance of these settings, or a foot does not come down again.
        """
        swings = [_swing_time(body, settings, home, leg, period) for leg in range(len(home))]
        # From one side to the other the centre of mass crosses the middle by this much, twice per cycle; half of the
        # time for that is within swings.
        sway = 2.0 * settings.margin
        shift = math.sqrt(2.0 * sway / settings.shift_acceleration)
        cycle = sum(swings) + 2.0 * shift + 2.0 * _WAIT
        speed = _TIGHT * settings.longest_step / cycle
        reach = float(np.hypot(home[:, 0], home[:, 1]).max())
        return CrawlPace(cycle, Heading(speed, 0.5 * speed, 0.5 * speed / reach))


def _swing_time(body: LeggedBody, settings: ReactiveCrawlSettings, home: Array, leg: int, period: float) -> float:
    """Time of one longest step of a leg over level ground [s]."""
    motion = FootMotion(body, period)
    start = home.copy()
    start[leg, 0] -= 0.5 * settings.longest_step
    angles = np.array([each.solve_on_branch(place) for each, place in zip(body.legs, start, strict=True)])
    motion.angles, motion.places = angles, start
    swing = CrawlSwing(settings, np.array([settings.longest_step, 0.0]), 1.0)
    alone = np.zeros(len(home), dtype=np.bool_)
    for tick in range(_MOST_TICKS):
        before = motion.places[leg].copy()
        move, down = swing.step(period, swing.switch_opened and swing.done[2] <= 1e-4)
        if down:
            return (tick + 1) * period
        goals = motion.places.copy()
        goals[leg] += move
        motion.move(goals, alone)
        swing.take(motion.places[leg] - before)
    raise ControlError(
        "a foot does not come to the end of a step in time",
        place=f"crawl: {body.legs[leg].name}",
        value=f"{_MOST_TICKS * period:g} s",
        remedy="ask for a shorter step or other heights",
    )
