"""Intervals and quantiles against published values and properties."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import binom

from andante.search.statistics import (
    StatisticsError,
    mean,
    paired_difference,
    quantile,
    ratio_of_means,
    sign_test,
    wilson,
)
from andante.search.student import t_quantile


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(successes, trials, low, high):
    found = wilson(successes, trials)
    assert found == pytest.approx((low, high), abs=6e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate_and_is_symmetric(counts):
    successes, trials = counts
    low, high = wilson(successes, trials)
    assert 0.0 <= low <= high <= 1.0
    assert low - 1e-12 <= successes / trials <= high + 1e-12
    other = wilson(trials - successes, trials)
    assert other == pytest.approx((1.0 - high, 1.0 - low))


@pytest.mark.parametrize("counts", [(0, 0), (3, 2), (-1, 4)])
def test_wilson_refuses_counts_that_do_not_fit(counts):
    with pytest.raises(StatisticsError, match="no interval"):
        wilson(*counts)


def test_quantiles_by_hand():
    values = [4.0, 1.0, 3.0, 2.0]
    assert quantile(values, 0.0) == 1.0
    assert quantile(values, 0.5) == 2.5
    assert quantile(values, 1.0) == 4.0
    with pytest.raises(StatisticsError, match="no quantile"):
        quantile([], 0.5)


@pytest.mark.parametrize(("worse", "better", "chance"), [(5, 0, 1 / 32), (4, 1, 6 / 32), (0, 3, 1.0), (0, 0, 1.0)])
def test_sign_test_by_hand(worse, better, chance):
    assert sign_test(worse, better) == pytest.approx(chance)
    with pytest.raises(StatisticsError, match="no test"):
        sign_test(-1, 2)


def pairs(both, first, second, neither):
    return (
        [True] * (both + first) + [False] * (second + neither),
        [True] * both + [False] * first + [True] * second + [False] * neither,
    )


def test_sign_test_takes_more_pairs_than_a_float_has_ways():
    assert sign_test(600, 600) == pytest.approx(0.5115, abs=1e-4)
    for worse, better in ((700, 500), (1100, 1000), (4000, 4100)):
        assert sign_test(worse, better) == pytest.approx(binom.sf(worse - 1, worse + better, 0.5), rel=1e-9)


def test_paired_difference_without_any_differing_pair_is_not_certain():
    # Without variance there is no correlation, so the two Wilson half widths add up by Pythagoras: only the lower
    # ends count, each 12 of 12 gives 1 - 0.7575.
    difference, (low, high) = paired_difference(*pairs(12, 0, 0, 0))
    assert difference == 0.0
    assert (low, high) == pytest.approx((-(1.0 - wilson(12, 12)[0]), 1.0 - wilson(12, 12)[0]))


@given(st.tuples(*[st.integers(0, 12)] * 4).filter(any))
def test_paired_difference_turns_round_with_its_arguments(counts):
    first, second = pairs(*counts)
    difference, (low, high) = paired_difference(first, second)
    other, (other_low, other_high) = paired_difference(second, first)
    assert -1.0 <= low <= difference + 1e-12 <= high + 2e-12 <= 1.0 + 2e-12
    assert other == pytest.approx(-difference)
    assert (other_low, other_high) == pytest.approx((-high, -low))


@pytest.mark.parametrize("chances", [(0.6, 0.2, 0.1, 0.1), (0.3, 0.5, 0.05, 0.15), (0.85, 0.05, 0.05, 0.05)])
def test_paired_difference_covers_the_truth_in_at_least_about_95_of_100_samples(chances):
    n, covered = 16, 0.0
    for both, first, second in itertools.product(range(n + 1), repeat=3):
        neither = n - both - first - second
        if neither < 0:
            continue
        ways = math.factorial(n)
        chance = 1.0
        for count, each in zip((both, first, second, neither), chances, strict=True):
            ways //= math.factorial(count)
            chance *= each**count
        low, high = paired_difference(*pairs(both, first, second, neither))[1]
        covered += ways * chance * (low <= chances[1] - chances[2] <= high)
    # Discrete counts make it a little generous where few pairs differ.
    assert 0.94 < covered < 0.998


def test_paired_difference_refuses_what_is_not_paired():
    with pytest.raises(StatisticsError, match="no pairs"):
        paired_difference([True], [])


@pytest.mark.slow
def test_a_ratio_of_many_pairs_needs_little_memory_and_draws_the_same():
    rng = np.random.default_rng(2)
    above, below = rng.random(6000), rng.random(6000) + 0.1
    tracemalloc.start()
    try:
        _, interval = ratio_of_means(above.tolist(), below.tolist())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40e6
    picks = np.random.default_rng(0).integers(0, 6000, (2000, 6000))
    ratios = above[picks].mean(axis=1) / below[picks].mean(axis=1)
    assert interval == tuple(np.quantile(ratios, (0.025, 0.975)).tolist())


def test_ratio_of_means_and_its_interval():
    below = [float(k) for k in range(1, 41)]
    # Each pair has the same ratio, so resampling cannot change it.
    ratio, (low, high) = ratio_of_means([0.5 * value for value in below], below)
    assert (ratio, low, high) == pytest.approx((0.5, 0.5, 0.5))
    ratio, (low, high) = ratio_of_means([1.0, 3.0] * 20, [2.0] * 40)
    assert ratio == 1.0
    # The mean of 40 values of deviation 1 lies within 1.96 / sqrt(40) = 0.31 of 2.
    assert (low, high) == pytest.approx((0.845, 1.155), abs=0.02)
    with pytest.raises(StatisticsError, match="no ratio"):
        ratio_of_means([1.0], [0.0])


def test_mean_and_its_interval_by_hand():
    # t(0.975, 3) = 3.182446, s = sqrt(5/3).
    value, interval = mean([1.0, 2.0, 3.0, 4.0])
    half = 3.182446 * math.sqrt(5.0 / 3.0) / 2.0
    assert (value, interval) == (2.5, pytest.approx((2.5 - half, 2.5 + half), abs=1e-6))
    assert mean([7.0]) == (7.0, None)
    assert mean([3.0, 3.0, 3.0]) == (3.0, (3.0, 3.0))
    assert mean([1e308, -1e308]) == (0.0, None)
    for values, seeds in (([], []), ([1.0, 2.0], [1])):
        with pytest.raises(StatisticsError, match="no mean"):
            mean(values, seeds)


def test_the_interval_of_a_mean_is_that_of_seeds():
    """What was tried twice with each seed, to the same numbers, is no more sure than what was tried once."""
    once = mean([1.0, 2.0, 4.0])
    value, interval = mean([1.0, 2.0, 4.0, 1.0, 2.0, 4.0], [5, 6, 7, 5, 6, 7])
    assert value == pytest.approx(once[0])
    assert interval == pytest.approx(once[1])
    assert mean([1.0, 2.0], [3, 3]) == (1.5, None)


def test_intervals_of_means_hold_the_mean_in_95_of_100():
    rng, held = np.random.default_rng(1), 0
    for _ in range(2000):
        low, high = mean(rng.normal(3.0, 2.0, 5).tolist())[1]
        held += low <= 3.0 <= high
    assert 1860 <= held <= 1940


def test_quantiles_of_students_distribution_are_those_of_scipy() -> None:
    for degrees in (*range(1, 200), 999, 1000, 9_999, 10_000, 10_001, 10**7):
        assert t_quantile(degrees) == pytest.approx(float(stdtrit(degrees, 0.975)), rel=1e-13), degrees
    # By hand: the distribution of one degree of freedom is Cauchy's, that of two has a closed form.
    assert t_quantile(1) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-15)
    assert t_quantile(2) == pytest.approx(0.95 * math.sqrt(2.0 / (1.0 - 0.95**2)), rel=1e-14)
