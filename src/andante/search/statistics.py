"""Intervals for counted outcomes, so that no figure claims more than its sample shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

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


def sign_test(worse: int, better: int) -> float:
    """Probability of at least ``worse`` of ``worse + better`` differing pairs if neither side were better.

    The exact one-sided sign test, on pairs of successes also known as McNemar's; 1 where no pair differs.

    Raises:
        StatisticsError: A negative count.
    """
    if worse < 0 or better < 0:
        raise StatisticsError("no test for these counts", value=(worse, better), limit=">= 0")
    n = worse + better
    return min(1.0, sum(math.comb(n, k) for k in range(worse, n + 1)) * 0.5**n)


def paired_difference(first: Sequence[bool], second: Sequence[bool]) -> tuple[float, tuple[float, float]]:
    """Success rate of ``first`` minus that of ``second`` on the same seeds, and its 95 % interval.

    Raises:
        StatisticsError: No pairs, or not as many of one as of the other.

    Source: R. G. Newcombe, Improved confidence intervals for the difference between binomial proportions based on
    paired data, Statistics in Medicine 17 (1998), method 10.
    """
    n = len(first)
    if n == 0 or n != len(second):
        raise StatisticsError("no pairs", value=(n, len(second)), limit="as many of one as of the other, at least 1")
    only_first, only_second = won_and_lost(first, second)
    good = sum(first), sum(second)
    both = good[0] - only_first
    neither = n - both - only_first - only_second
    rates = good[0] / n, good[1] / n
    (low1, high1), (low2, high2) = wilson(good[0], n), wilson(good[1], n)
    spread = math.sqrt(float(good[0] * (n - good[0]) * good[1] * (n - good[1])))
    excess = both * neither - only_first * only_second
    # The continuity correction belongs to positive dependence only.
    together = 0.0 if spread == 0.0 else (max(excess - 0.5 * n, 0.0) if excess > 0 else excess) / spread
    down1, up1, down2, up2 = rates[0] - low1, high1 - rates[0], rates[1] - low2, high2 - rates[1]
    below = math.sqrt(max(down1**2 - 2.0 * together * down1 * up2 + up2**2, 0.0))
    above = math.sqrt(max(up1**2 - 2.0 * together * up1 * down2 + down2**2, 0.0))
    difference = (only_first - only_second) / n
    return difference, (max(-1.0, difference - below), min(1.0, difference + above))


def won_and_lost(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Number of pairs in which only ``first`` succeeds, and only ``second``."""
    pairs = list(zip(first, second, strict=True))
    return pairs.count((True, False)), pairs.count((False, True))


def ratio_of_means(
    above: Sequence[float], below: Sequence[float], resamples: int = 2000, seed: int = 0
) -> tuple[float, tuple[float, float]]:
    """Mean of the values ``above`` over that of ``below``, pair by pair of the same seeds, and its 95 % interval.

    The interval is the percentile bootstrap over pairs; the same values give the same interval.

    Args:
        above: Values (n,).
        below: Values of the same pairs in the same order, (n,), at least 0.
        resamples: Number of resamples.
        seed: Seed of the resampling.

    Raises:
        StatisticsError: No pairs, not as many above as below, or a mean of 0 below.

    Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    upper, lower = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    if upper.shape != lower.shape or upper.ndim != 1 or not len(upper) or not lower.mean() > 0.0:
        raise StatisticsError("no ratio", value=(len(upper), len(lower)), limit="as many values, mean below > 0")
    picks = np.random.default_rng(seed).integers(0, len(upper), (resamples, len(upper)))
    means = lower[picks].mean(axis=1)
    good = means > 0.0
    low, high = np.quantile(upper[picks].mean(axis=1)[good] / means[good], (0.025, 0.975))
    return float(upper.mean() / lower.mean()), (float(low), float(high))
