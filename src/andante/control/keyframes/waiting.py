"""Waiting at a keyframe's end until its conditions hold, or is of no use (docs/sources/keyframe-engine.md, 2.8).

What speaks against a wait is added up, once per tick. The engine of 2021 counted ticks in which a condition came
farther from holding. Since 2022 the original's comparison is the other way round: ticks in which one comes nearer
count, so that a wait with steady progress lasts seven ticks. Its motions were tuned with that, and libraries of these
releases get it; Andante's own keep the meaning of 2021 (`andante.control.keyframes.release`).
"""

from __future__ import annotations

from typing import Literal

from andante.control.keyframes.compiled import CompiledKeyframe
from andante.control.keyframes.conditions import Situation
from andante.motions.conditions import Variable

_LIMIT_OF_SEVERAL = 1_000_000
"""Longest wait for several conditions [us]."""
_AGAINST, _CALM, _HOPELESS = 1.2, 0.7, 8.0


class Wait:
    """One wait after another.

    Args:
        situation: The condition variables.
        given_up: Which change of a condition's distance counts against the wait.
    """

    def __init__(self, situation: Situation, given_up: Literal["worse", "better"] = "worse") -> None:
        self._situation = situation
        self._sign = 1.0 if given_up == "worse" else -1.0
        self._why = "it gets worse" if given_up == "worse" else "it gets better, which ends waits of this release"
        self._begun = 0
        self._failed = 0.0
        self._distances: list[float] = []
        self.given_up = ""
        """Why the last wait ended without its conditions; empty where they held."""

    def satisfied(self, keyframe: CompiledKeyframe) -> bool:
        """Whether all conditions of a keyframe hold."""
        return all(check.holds(self._situation.value(check.variable)) for check in keyframe.waits)

    def start(self, now: int, keyframe: CompiledKeyframe) -> None:
        """Begin to wait."""
        self._begun, self._failed, self.given_up = now, 0.0, ""
        self._distances = [check.distance(self._situation.value(check.variable)) for check in keyframe.waits]

    def over(self, now: int, keyframe: CompiledKeyframe) -> bool:
        """Whether to go on: conditions hold, time is up, or too much speaks against waiting."""
        if self.satisfied(keyframe):
            return True
        limit = keyframe.waits[0].max_wait if len(keyframe.waits) == 1 else _LIMIT_OF_SEVERAL
        if now - self._begun >= limit:
            self.given_up = "time is up"
            return True
        if keyframe.written.forbid_wait_break:
            return False
        against = False
        for number, check in enumerate(keyframe.waits):
            distance = check.distance(self._situation.value(check.variable))
            against = against or self._sign * (distance - self._distances[number]) > 0.0
            self._distances[number] = distance
            if check.variable is Variable.TORSO_PITCH_FLUCTUATION:
                self._failed = max(self._failed - _CALM, 0.0)
        self._failed += _AGAINST if against else 0.0
        if self._failed > _HOPELESS:
            self.given_up = self._why
            return True
        return False
