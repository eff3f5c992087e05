"""Stages of a comparison that may end early: after a quarter, a half and all of its seeds it is looked at."""

from __future__ import annotations

import math

_LOOKS = ((0.25, 0.1), (0.5, 0.2), (1.0, 0.7))
"""Share of the seeds at each look, and share of the level that is spent on it."""
LEAST = 20
"""A look before so many seeds would decide nothing that is worth knowing."""


def stages(seeds: int, level: float, *, early: bool) -> list[tuple[int, float]]:
    """Number of seeds made at each look, and the level at which a difference counts there.

    The levels of all looks add up to ``level``, so that the probability of a wrong verdict at any of them is at most
    that, however the looks depend on each other (Bonferroni). Most is kept for the last one, which loses little power.

    Args:
        seeds: Number of seeds, at least 1.
        level: Probability of a wrong verdict in all.
        early: Whether there is more than the last look.
    """
    looks = [(math.ceil(share * seeds), spent) for share, spent in _LOOKS]
    # What a look that is left out would spend is spent by the last.
    kept = [(count, level * spent) for count, spent in looks[:-1] if early and LEAST <= count < seeds]
    return [*kept, (seeds, level - sum(spent for _, spent in kept))]
