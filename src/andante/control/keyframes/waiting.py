"""Waiting at a keyframe's end until its conditions hold, or until waiting is of no use (reference section 2.8)."""

from __future__ import annotations

from andante.control.keyframes.compiled import CompiledKeyframe
from andante.control.keyframes.conditions import Situation
from andante.motions.conditions import Variable

_LIMIT_OF_SEVERAL = 1_000_000
"""Longest wait for several conditions [us]."""
_WORSE, _CALM, _HOPELESS = 1.2, 0.7, 8.0


class Wait:
    """One wait after another.

    Args:
        situation: The condition variables.
    """

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
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
        """Whether to go on: conditions hold, time is up, or things keep getting worse."""
        if self.satisfied(keyframe):
            return True
        limit = keyframe.waits[0].max_wait if len(keyframe.waits) == 1 else _LIMIT_OF_SEVERAL
        if now - self._begun >= limit:
            self.given_up = "time is up"
            return True
        if keyframe.forbid_wait_break:
            return False
        worse = False
        for number, check in enumerate(keyframe.waits):
            distance = check.distance(self._situation.value(check.variable))
            worse = worse or distance > self._distances[number]
            self._distances[number] = distance
            if check.variable is Variable.TORSO_PITCH_FLUCTUATION:
                self._failed = max(self._failed - _CALM, 0.0)
        self._failed += _WORSE if worse else 0.0
        if self._failed > _HOPELESS:
            self.given_up = "it gets worse"
            return True
        return False
