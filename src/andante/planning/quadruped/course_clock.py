"""CourseClock: how far along its body plan a robot is, which after a leap is not where its time would have it.

A landing takes more speed than planned. A body that made up for that at once would have to run faster than the plan,
low and with feet that stand where they came down. So behind its last leap the plan waits for the body, or follows one
that leads; while it waits it asks for as much less speed.
"""

from __future__ import annotations

import math

from andante.planning.quadruped.body_plan import BodyPlan
from andante.planning.quadruped.settings import LocalSettings
from andante.spatial.arrays import Array

_SLOWEST, _FASTEST = 0.4, 1.25
"""Bounds of the plan's pace."""
_RESTING = 0.2
"""At a lower speed there is no lead to tell [m/s]."""


class CourseClock:
    """The time on a body plan.

    Args:
        settings: How fast a lead or lag is made up for.
    """

    def __init__(self, settings: LocalSettings) -> None:
        self._settings = settings
        self._plan: BodyPlan | None = None
        self._start = self._before = self._time = 0.0
        self.pace = 1.0
        """Seconds on the plan in a second."""

    def read(self, plan: BodyPlan, start: float, now: float, place: Array) -> float:
        """Time on the plan [s].

        Args:
            plan: The plan.
            start: When it began [s].
            now: The time [s]; it does not go back from call to call.
            place: Where the centre of mass is, (2,) [m].
        """
        if plan is not self._plan or start != self._start:
            self._plan, self._start, self._time = plan, start, now - start
        else:
            self._time += self.pace * (now - self._before)
        self._before = now
        self.pace = 1.0
        row = min(max(int(self._time / plan.step), 0), len(plan.states) - 2)
        if not plan.primitives[:row].any() or plan.primitives[row:].any():
            return self._time
        share = min(self._time / plan.step - row, 1.0)
        state = plan.states[row] + share * (plan.states[row + 1] - plan.states[row])
        speed = math.hypot(state[6], state[7])
        if speed > _RESTING:
            lead = float((place - state[:2]) @ state[6:8]) / speed
            pace = 1.0 + lead / (speed * self._settings.course_time)
            self.pace = min(max(pace, _SLOWEST), _FASTEST)
        return self._time
