"""Deviation: how far a walk is from its plan, and when that is too far to go on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.control.crawl.feet import CrawlFoot
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Setpoint
from andante.control.estimation.estimator import BodyState
from andante.spatial.arrays import Array
from andante.spatial.rotation_kernels import conjugate, from_rpy, log, multiply

_GAIN = 0.2
"""Share per tick by which what is known of the body's deviation follows what is seen."""
_LOST_TILT = math.radians(15.0)
"""Angle between the body's orientation and that of the plan above which the walk is broken off [rad]."""


class Deviation:
    """The body, feet that hang, and feet that stand elsewhere.

    Args:
        count: Number of feet.
        settings: The settings, for this robot's size.
        period: Time between two ticks [s].
    """

    def __init__(self, count: int, settings: CrawlSettings, period: float) -> None:
        self.settings, self._period = settings, period
        self.offset: Array = np.zeros(3)
        """How far the body is from where the plan has it, filtered, (3,) [m]."""
        self.lean: Array = np.zeros(3)
        """How it is turned from there, filtered, (3,) [rad]."""
        self._missed: Array = np.zeros(count)
        self.begin()

    def begin(self) -> None:
        """A new plan is taken up."""
        self.offset[:] = self.lean[:] = 0.0
        self._hanging = 0
        self._quiet_until = 0.0
        self.renewed()

    def renewed(self) -> None:
        """The rest of the plan is made for where the feet stand."""
        self._missed[:] = 0.0
        self.stops = ""
        """Why the walk shall stop as soon as all feet are down; empty: it shall not."""

    def compare(self, here: Setpoint, state: BodyState) -> None:
        """One tick: see where the body is, and where the plan has it."""
        self.offset += _GAIN * (state.position - here.position - self.offset)
        lean = log(multiply(state.orientation, conjugate(from_rpy(here.rpy))))
        self.lean += _GAIN * (lean - self.lean)

    def lost(self, all_down: bool) -> str:
        """Why the body is too far from the plan; empty: it is not.

        On all feet it stops in time; what is on the way to fall does so with the next foot in the air.
        """
        settings, share = self.settings, self.settings.doubt if all_down else 1.0
        away, lean = float(np.linalg.norm(self.offset)), float(np.linalg.norm(self.lean))
        if away <= share * settings.lost_way and lean <= share * _LOST_TILT:
            return ""
        return f"the body is {away * 1e3:.0f} mm and {math.degrees(lean):.0f} deg from its plan"

    def hangs(self, seen: Array, wanted: Array, names: Sequence[str]) -> str:
        """Why a foot is too far from where it should be; empty: none is. Stepping on would tip the robot over."""
        away = np.linalg.norm(seen - wanted, axis=1)
        worst = int(np.argmax(away))
        self._hanging = self._hanging + 1 if away[worst] > self.settings.lost_foot else 0
        if self._hanging < self.settings.lost_ticks:
            return ""
        self._hanging = 0
        return f"{names[worst]} is {away[worst] * 1e3:.0f} mm from where it should be"

    def misses(self, feet: Sequence[CrawlFoot], planned: Array, time: float) -> bool:
        """Whether a foot has landed, or slid, so far from its place (nl, 3) [m] that the rest shall be planned anew.

        It is told once for a foot, and again when it is as much farther; while an answer is under way, not at all.
        """
        asks = False
        for leg, foot in enumerate(feet):
            if foot.swing >= 0:
                self._missed[leg] = 0.0
                continue
            away = foot.place - planned[leg]
            miss = max(float(np.hypot(away[0], away[1])), 2.0 * abs(float(away[2])))
            if miss - self._missed[leg] > self.settings.tolerated_miss and time >= self._quiet_until:
                self._missed[leg] = miss
                asks = True
        if asks:
            self._quiet_until = time + self.settings.latency + 2.0 * self._period
        return asks

    def refused(self, why: str) -> None:
        """There is no new plan: with a foot far from its place the walk stops as soon as it can."""
        if float(self._missed.max()) > self.settings.lost_place:
            self.stops = why
