"""Intervals and tests, so that no figure claims more than its sample shows.

Shares of successes are compared by `paired_difference` and `sign_test`; paired numbers by the signed-rank test and the
shift between two versions with its interval; several questions at once with Holm's correction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from statistics import NormalDist
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from andante.errors import AndanteError
from andante.search.student import t_quantile

_Z95 = 1.959963984540054
_PICKS = 1_000_000
"""Picks of a bootstrap that are held at a time."""
_FLOAT, _WHOLE = Struct("d"), Struct("q")
_WRITTEN = 1000
"""Up to so many values all means of two are written down: 4 MB."""
_EXACT = 300
"""Up to so many pairs the null distribution is computed exactly; beyond, the normal approximation is as good."""


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
        limit = "0 <= successes <= trials, trials >= 1"
        raise StatisticsError("no interval for these counts", value=(successes, trials), limit=limit)
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
    ways, each = 0, 1
    for k in range(better + 1):
        ways += each
        each = each * (n - k) // (k + 1)
    # Whole numbers until the quotient: from 1024 pairs on neither side of it is a float.
    return ways / (1 << n)


def fisher_exact(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Two-sided p-value of Fisher's exact test: whether two shares of successes are alike.

    Args:
        first: Successes and trials.
        second: Successes and trials of the other.

    Raises:
        StatisticsError: Counts that do not fit together.

    Source: R. A. Fisher, Statistical Methods for Research Workers (1934), section 21.02; two-sided as the sum of all
    tables that are no more likely than the one seen.
    """
    (won, trials), (won_too, trials_too) = first, second
    if not (0 <= won <= trials and 0 <= won_too <= trials_too) or not trials or not trials_too:
        raise StatisticsError("no test for these counts", value=(first, second), limit="0 <= successes <= trials")
    total = won + won_too
    ways = [math.comb(trials, k) * math.comb(trials_too, total - k) for k in range(min(total, trials) + 1)]
    return sum(each for each in ways if each <= ways[won]) / math.comb(trials + trials_too, total)


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


def mean(values: Sequence[float], seeds: Sequence[int] = ()) -> tuple[float, tuple[float, float] | None]:
    """Mean of values, and its 95 % interval by Student's t.

    Trials of one seed meet the same world, so that they are no independent ones: the interval is that of the seeds.

    Args:
        values: Values (n,).
        seeds: Seed of each, (n,); empty: each has its own.

    Returns:
        The mean; the interval, None below two seeds, or where it is too wide for a number.

    Raises:
        StatisticsError: No values, or not as many seeds.

    Source: Student, The probable error of a mean, Biometrika 6 (1908); W. G. Cochran, Sampling Techniques (1977),
    section 9A, for seeds of several values.
    """
    n = len(values)
    if not n or (seeds and len(seeds) != n):
        raise StatisticsError("no mean", value=(n, len(seeds)), limit="at least one value, as many seeds")
    middle = sum(values) / n
    _, of = np.unique(seeds or range(n), return_inverse=True)
    count = int(of.max()) + 1
    if count == 1:
        return middle, None
    off = np.bincount(of, np.asarray(values, dtype=np.float64) - middle)
    deviation = math.sqrt(count / (count - 1)) * math.hypot(*off.tolist()) / n
    half = t_quantile(count - 1) * deviation
    return middle, (middle - half, middle + half) if math.isfinite(half) else None


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
    rng, n = np.random.default_rng(seed), len(upper)
    above_means, means = np.zeros(resamples), np.zeros(resamples)
    # A few at a time: all picks of many pairs would take gigabytes.
    rows = max(_PICKS // n, 1)
    for begin in range(0, resamples, rows):
        now = slice(begin, min(begin + rows, resamples))
        picks = rng.integers(0, n, (now.stop - begin, n))
        above_means[now], means[now] = upper[picks].mean(axis=1), lower[picks].mean(axis=1)
    good = means > 0.0
    low, high = np.quantile(above_means[good] / means[good], (0.025, 0.975))
    return float(upper.mean() / lower.mean()), (float(low), float(high))


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


def shift(differences: Sequence[float], level: float = 0.05) -> tuple[float, tuple[float, float] | None]:
    """Typical difference of pairs and its interval of confidence ``1 - level``, which agree with `signed_rank`.

    The estimate of Hodges and Lehmann, the median of the means of any two differences: outliers move it little. The
    interval are the shifts that the two-sided test does not refuse; None where so few pairs refuse none (below six at a
    level of 5 %).

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
    ordered, most = np.sort(values), n * (n + 1) // 2
    if n > _EXACT:
        deviation = math.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        left_out = math.floor(most / 2.0 - NormalDist().inv_cdf(1.0 - level / 2.0) * deviation)
    else:
        tail = np.cumsum(_null(2 * np.arange(1, n + 1))[::2])
        left_out = int(np.searchsorted(tail, level / 2.0, side="right"))
    mean = _pair_means(ordered)
    typical = 0.5 * (mean((most - 1) // 2) + mean(most // 2))
    if left_out < 1:
        return typical, None
    return typical, (mean(left_out - 1), mean(most - left_out))


def holm(probabilities: Sequence[float]) -> list[float]:
    """Probabilities corrected for their number: those at most a level are wrong together with at most that probability.

    Source: S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6 (1979).
    """
    corrected, largest = [1.0] * len(probabilities), 0.0
    for rank, place in enumerate(sorted(range(len(probabilities)), key=lambda number: probabilities[number])):
        largest = max(largest, min(1.0, (len(probabilities) - rank) * probabilities[place]))
        corrected[place] = largest
    return corrected


def _pair_means(ordered: NDArray[np.float64]) -> Callable[[int], float]:
    """What gives, by its rank from 0, the mean of two of the values, each also with itself, the smallest first."""
    if len(ordered) > _WRITTEN:
        return partial(_pair_mean, ordered)
    first, second = np.triu_indices(len(ordered))
    # Zero is zero, of whatever sign.
    return np.sort(0.5 * (ordered[first] + ordered[second]) + 0.0).item


def _pair_mean(ordered: NDArray[np.float64], rank: int) -> float:
    """The mean of two values, each also with itself, of which ``rank`` are smaller; their pairs are never written down.

    Floating-point numbers are halved in their order, so that the mean is found to the bit.

    Args:
        ordered: Values, the smallest first, (n,).
        rank: From 0 to n (n + 1) / 2 - 1.
    """
    low, high = _order(float(ordered[0])), _order(float(ordered[-1]))
    while low < high:
        middle = (low + high) // 2
        if _pairs_up_to(ordered, _in_order(middle)) > rank:
            high = middle
        else:
            low = middle + 1
    return _in_order(low)


def _pairs_up_to(ordered: NDArray[np.float64], most: float) -> int:
    """How many pairs have a mean of at most so much."""
    rows = np.arange(len(ordered))
    first, beyond = rows.copy(), np.full(len(ordered), len(ordered))
    while (open_ := first < beyond).any():
        middle = (first + beyond) // 2
        within = 0.5 * (ordered + ordered[np.minimum(middle, len(ordered) - 1)]) <= most
        first, beyond = np.where(open_ & within, middle + 1, first), np.where(open_ & ~within, middle, beyond)
    return int((first - rows).sum())


def _order(number: float) -> int:
    """Which of all floating-point numbers in order this is; 0 is 0."""
    (bits,) = _WHOLE.unpack(_FLOAT.pack(abs(number)))
    return -int(bits) if number < 0.0 else int(bits)


def _in_order(place: int) -> float:
    (number,) = _FLOAT.unpack(_WHOLE.pack(abs(place)))
    return -float(number) if place < 0 else float(number)


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
