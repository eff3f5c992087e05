"""PlanChoice: which of several motions for the same situation is tried, by how they failed in this get-up.

A robot that fails twice at the same keyframe will most likely fail there again: a weak servo, a limp arm or a rough
floor is still there at the next try.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from andante.control.keyframes.compiled import CompiledKeyframe


class PlanChoice:
    """Counts where motions failed since the get-up began, and chooses among alternatives by it."""

    def __init__(self) -> None:
        self._failures: Counter[tuple[str, str, int]] = Counter()

    def reset(self) -> None:
        """Forget all failures; a new get-up begins."""
        self._failures.clear()

    def failed(self, motion: str, keyframe: CompiledKeyframe | None) -> None:
        """A motion failed in a keyframe; None: behind its last one."""
        place = ("", -1) if keyframe is None else (keyframe.block, keyframe.index)
        self._failures[(motion, *place)] += 1

    def failures(self, motion: str) -> int:
        """How often a motion failed at the keyframe where it failed most often."""
        return max((count for (name, _, _), count in self._failures.items() if name == motion), default=0)

    def choose(self, motions: Sequence[str]) -> str:
        """The motion that failed least at one keyframe; of equal ones the first."""
        return min(motions, key=self.failures)
