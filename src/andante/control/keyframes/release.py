"""What the engines of different releases do differently; a library's dialect tells whose rules its motions know.

The releases are B-Human's of 2022 to 2025 (docs/sources/keyframe-engine.md, 2). A file of 2023 has the attributes of
2024, and the engines of both years follow the same rules here, so that it does not matter which of the two it is
taken for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ReleaseName = Literal["andante", "bhuman-2022", "bhuman-2023", "bhuman-2024", "bhuman-2025"]
"""Whose rules an engine follows."""


@dataclass(frozen=True, slots=True)
class ReleaseRules:
    """The rules of one release."""

    first_corner_missing: bool = False
    """The support centre leaves out the first corner fore and aft; the goals of these releases are made for it."""
    recompute: bool = True
    """The correction of the keyframe before is computed anew at every tick; else a reduce factor takes it out."""
    damped: bool = True
    """The balancer's differential gain does not grow while the error shrinks."""
    adaptive: bool = False
    """The balancer's output goes through the adaptive low-pass; else through one with a limited change."""
    given_up: Literal["worse", "better"] = "worse"
    """What counts against a wait: its conditions come farther from holding (2021), or nearer (as the engines from 2022
    on are written: a wait that makes progress for seven ticks is cut short)."""
    slow_front: bool = False
    """After a break-up the first keyframe of a get-up from the front takes a second."""
    watches_at_rest: bool = False
    """The last keyframe's break-up window stays in force after the motion: a robot that then falls gets up again."""
    gets_up_after: frozenset[str] = frozenset()
    """Motions on whose request a get-up follows by itself; elsewhere follow-ups say so."""


_DIVES = frozenset({"keeperJumpLeft", "genuflectStand", "genuflectStandDefender"})
_TO_2024 = ReleaseRules(
    first_corner_missing=True,
    recompute=False,
    damped=False,
    given_up="better",
    watches_at_rest=True,
    gets_up_after=_DIVES,
)
RULES: Mapping[ReleaseName, ReleaseRules] = {
    "andante": ReleaseRules(),
    "bhuman-2022": _TO_2024,
    "bhuman-2023": _TO_2024,
    "bhuman-2024": _TO_2024,
    "bhuman-2025": ReleaseRules(
        adaptive=True, given_up="better", slow_front=True, watches_at_rest=True, gets_up_after=_DIVES
    ),
}
"""The rules by dialect."""
