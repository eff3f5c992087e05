"""Paired samples of numbers: the signed-rank test, the shift between two versions with its interval, Holm's correction.

Shares of successes are compared by `andante.search.statistics.paired_difference` and `sign_test`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from andante.search.statistics import StatisticsError

_EXACT = 300
"""Up to so many pairs the null distribution is computed exactly; beyond, the normal approximation is as good."""


def signed_rank(differences: Sequence[float]) -> float:
    """Probability of a sum of positive ranks at least as large, if each difference were as likely with the other sign.

    The one-sided signed-rank test of Wilcoxon. Differences of 0 are left out; equal ones share their mean rank, and the
    probability is that of all signs given these ranks, exact up to 300 pairs. 1 where no difference is left.

    Args:
        differences: Second minus first of each pair, (n,).

    Raises:
        StatisticsError: A difference that is not finite.

    Source: F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945); the exact distribution
    with ties by the shift algorithm of B. Streitberg and J. Roehmel, Statistical Software Newsletter 12 (1986).
    """
    values = _finite(differences)
    values = values[values != 0.0]
    if not len(values):
        return 1.0
    # Mean ranks of equal values end in a half, so that twice the rank is whole.
    _, inverse, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    above = np.cumsum(counts)
    doubled = (2 * above - counts + 1)[inverse]
    found = int(doubled[values > 0.0].sum())
    if len(values) > _EXACT:
        # Mean and variance of a sum of ranks with fair signs, and half a step of continuity.
        mean, deviation = float(doubled.sum()) / 2.0, 0.5 * math.sqrt(float((doubled.astype(float) ** 2).sum()))
        return 0.5 * math.erfc((found - 1.0 - mean) / (deviation * math.sqrt(2.0)))
    return min(1.0, float(_null(doubled)[found:].sum()))


def shift(differences: Sequence[float], level: float = 0.05) -> tuple[float, tuple[float, float]]:
    """Typical difference of pairs and its interval of confidence ``1 - level``, which agree with `signed_rank`.

    The estimate of Hodges and Lehmann, the median of the means of any two differences: outliers move it little. The
    interval are the shifts that the two-sided test does not refuse.

    Args:
        differences: Second minus first of each pair, (n,).
        level: Share of intervals that may miss, 0..1.

    Raises:
        StatisticsError: No difference, one that is not finite, or another level.

    Source: M. Hollander, D. Wolfe, E. Chicken, Nonparametric Statistical Methods (2014), sections 3.2 and 3.3.
    """
    values = _finite(differences)
    n = len(values)
    if not n or not 0.0 < level < 1.0:
        raise StatisticsError("no shift", value=(n, level), limit="at least one pair, level in 0..1")
    rows, columns = np.triu_indices(n)
    means = np.sort(0.5 * (values[rows] + values[columns]))
    most = len(means)
    if n > _EXACT:
        # The 1 - level / 2 quantile of the standard normal distribution, by bisection of its tail.
        low, high = 0.0, 40.0
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if 0.5 * math.erfc(middle / math.sqrt(2.0)) > level / 2.0 else (low, middle)
        left_out = math.floor(most / 2.0 - low * math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0))
    else:
        tail = np.cumsum(_null(2 * np.arange(1, n + 1))[::2])
        left_out = int(np.searchsorted(tail, level / 2.0, side="right"))
    # Too few pairs for any shift to be refused: the interval is all that was seen.
    left_out = max(left_out - 1, 0)
    return float(np.median(means)), (float(means[left_out]), float(means[most - 1 - left_out]))


def holm(probabilities: Sequence[float]) -> list[float]:
    """Probabilities corrected for their number: those at most a level are wrong together with at most that probability.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979).
    """
    corrected, largest = [1.0] * len(probabilities), 0.0
    for rank, place in enumerate(sorted(range(len(probabilities)), key=lambda number: probabilities[number])):
        largest = max(largest, min(1.0, (len(probabilities) - rank) * probabilities[place]))
        corrected[place] = largest
    return corrected


def _null(steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probability of each sum of ``steps``, each of which counts with probability 1/2; (sum + 1,)."""
    chances = np.zeros(int(steps.sum()) + 1)
    chances[0] = 1.0
    reached = 0
    for step in steps.tolist():
        chances[step : reached + step + 1] += chances[: reached + 1].copy()
        chances[: reached + step + 1] *= 0.5
        reached += step
    return chances


def _finite(values: Sequence[float]) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise StatisticsError("a difference is not finite", value=float(found[~np.isfinite(found)][0]))
    return found
