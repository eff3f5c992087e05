"""Intervals for counted outcomes, so that no figure claims more than its sample shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from andante.errors import AndanteError

_Z95 = 1.959963984540054


class StatisticsError(AndanteError):
    """A count or sample that no statistic can be computed from."""


def wilson(successes: int, trials: int, z: float = _Z95) -> tuple[float, float]:
    """Wilson score interval of a success rate.

    Args:
        successes: Number of successes, 0..trials.
        trials: Number of trials, at least 1.
        z: Normal quantile; the default gives 95 %.

    Returns:
        Lower and upper end, 0..1.

    Raises:
        StatisticsError: Counts that do not fit together.

    Source: E. B. Wilson, Probable inference, J. Am. Stat. Assoc. 22 (1927).
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise StatisticsError(
            "no interval for these counts", value=(successes, trials), limit="0 <= successes <= trials, trials >= 1"
        )
    rate = successes / trials
    squared = z * z
    scale = 1.0 / (1.0 + squared / trials)
    centre = (rate + squared / (2.0 * trials)) * scale
    half = z * scale * math.sqrt(rate * (1.0 - rate) / trials + squared / (4.0 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)


def quantile(values: Sequence[float], share: float) -> float:
    """The ``share`` quantile (0..1) by linear interpolation.

    Raises:
        StatisticsError: No values, or a share outside 0..1.
    """
    if not values or not 0.0 <= share <= 1.0:
        raise StatisticsError("no quantile", value=(len(values), share), limit="at least one value, share in 0..1")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
