"""Pace: how fast a robot can crawl within its limits, found by swinging each leg once over level ground in thought."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.reactive_crawl.swing import Swing
from andante.control.steering import Heading
from andante.kinematics.leg_table import LeggedBody

Array = NDArray[np.float64]
_MOST_TICKS = 500
_TIGHT = 0.9
"""Share of the fastest cycle's speed that is promised."""
_WAIT = 0.02
"""Time from a touch-down to the next lift-off where the centre of mass need not move [s]."""


@dataclass(frozen=True)
class Pace:
    """Cycle and speeds that a robot reaches."""

    cycle: float
    """Time of four steps of the longest length [s]."""
    largest: Heading
    """Largest speeds, each on its own."""

    @staticmethod
    def of(body: LeggedBody, settings: ReactiveCrawlSettings, home: Array, period: float) -> Pace:
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
        return Pace(cycle, Heading(speed, 0.5 * speed, 0.5 * speed / reach))


def _swing_time(body: LeggedBody, settings: ReactiveCrawlSettings, home: Array, leg: int, period: float) -> float:
    """Time of one longest step of a leg over level ground [s]."""
    motion = FootMotion(body, period)
    start = home.copy()
    start[leg, 0] -= 0.5 * settings.longest_step
    angles = np.array([each.solve_on_branch(place) for each, place in zip(body.legs, start, strict=True)])
    motion.angles, motion.places = angles, start
    swing = Swing(settings, np.array([settings.longest_step, 0.0]), 1.0)
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
