"""Paired statistics: against values by hand, all signs tried one after the other, scipy, and simulated null cases."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.search import statistics
from andante.search.statistics import StatisticsError, holm, shift, signed_rank


def test_the_test_by_hand():
    """Ranks 1, 2, 3; only the smallest is negative: sums of 5 or 6 of the 8 sign patterns, {2, 3} and {1, 2, 3}."""
    assert signed_rank([-0.1, 0.2, 0.3]) == pytest.approx(2 / 8)
    assert signed_rank([0.1, 0.2, 0.3]) == pytest.approx(1 / 8)
    assert signed_rank([-0.1, -0.2]) == 1.0
    assert signed_rank([]) == signed_rank([0.0, 0.0]) == 1.0


@given(st.lists(st.integers(-4, 4), max_size=9))
@settings(max_examples=100, deadline=None)
def test_with_ties_it_is_the_share_of_all_signs(values):
    from scipy import stats

    kept = [each for each in values if each]
    ranks = stats.rankdata(np.abs(kept)) if kept else np.zeros(0)
    found = sum(rank for rank, each in zip(ranks, kept, strict=True) if each > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(kept))
    ]
    wanted = sum(each >= found - 1e-9 for each in sums) / len(sums)
    assert signed_rank([float(each) for each in values]) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("n", "method"), [(7, "exact"), (40, "exact"), (299, "exact"), (500, "approx")])
def test_it_agrees_with_scipy(n, method):
    from scipy import stats

    differences = np.random.default_rng(n).normal(0.1, 1.0, n)
    wanted = stats.wilcoxon(differences, alternative="greater", method=method, correction=True).pvalue
    assert signed_rank(differences) == pytest.approx(wanted, rel=1e-9)


def test_shift_and_interval_by_hand():
    """Means of pairs of 1, 2, 4: 1, 1.5, 2, 2.5, 3, 4, their median 2.25; up to five pairs refuse no shift."""
    assert shift([1.0, 2.0, 4.0]) == (2.25, None)
    # P(sum = 0) = 1/32 > 2.5 %; at a level of 10 % the five outermost means are an interval.
    assert shift([1.0, 2.0, 3.0, 4.0, 5.0]) == (3.0, None)
    assert shift([1.0, 2.0, 3.0, 4.0, 5.0], 0.1) == (3.0, (1.0, 5.0))
    # Six pairs: P(sum = 0) = 1/64 <= 2.5 % < P(sum <= 1) = 2/64, so the interval ends at the outermost means.
    assert shift([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])[1] == (1.0, 6.0)
    # Eight: P(sum <= 3) = 5/256 <= 2.5 % < P(sum <= 4) = 7/256: the fourth mean from either end (1, 1.5, 2, 2).
    assert shift([float(n) for n in range(1, 9)])[1] == (2.0, 7.0)


@pytest.mark.parametrize("n", [25, 340])
def test_the_interval_holds_the_shifts_that_the_test_does_not_refuse(n):
    differences = np.random.default_rng(5).normal(0.3, 1.0, n)
    _, (low, high) = shift(differences)
    for edge, sign in ((low, 1.0), (high, -1.0)):
        inside, outside = (signed_rank(sign * (differences - edge - step)) for step in (1e-9 * sign, -1e-9 * sign))
        assert inside >= 0.0249
        assert outside <= 0.0251


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(-100.0, 100.0))
@settings(max_examples=80, deadline=None)
def test_a_shift_moves_with_its_sample(values, by):
    size, interval = shift(values)
    moved, ends = shift([each + by for each in values])
    assert moved == pytest.approx(size + by, abs=1e-6)
    assert (interval is None) == (ends is None) == (len(values) < 6)
    if interval is not None:
        low, high = interval
        assert low <= size <= high
        assert ends == pytest.approx((low + by, high + by), abs=1e-6)


def test_where_nothing_differs_the_test_refuses_as_often_as_it_says():
    rng = np.random.default_rng(11)
    refused = sum(signed_rank(rng.laplace(0.0, 1.0, 60).round(1)) <= 0.05 for _ in range(800))
    # 40 expected, standard deviation 6.
    assert 15 <= refused <= 65


def test_holm_by_hand():
    """Smallest times 4, next times 3, then 2 and 1, never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize("call", [lambda: shift([]), lambda: shift([1.0], 1.5), lambda: signed_rank([float("nan")])])
def test_what_has_no_answer_is_refused(call):
    with pytest.raises(StatisticsError):
        call()


@given(st.lists(st.floats(-1e6, 1e6) | st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60))
@settings(max_examples=50, deadline=None)
def test_a_shift_is_the_median_of_all_pairs_to_the_bit(values):
    rows, columns = np.triu_indices(len(values))
    means = np.sort(0.5 * (np.array(values)[rows] + np.array(values)[columns]))
    size, interval = shift(values)
    assert size == np.median(means)
    assert interval is None or {*interval} <= {*means.tolist()}
    # Where they are many they are searched for instead.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statistics, "_WRITTEN", 0)
        assert shift(values) == (size, interval)


@pytest.mark.slow
def test_many_pairs_need_little_memory():
    """All means of two of 20,000 values would take several GB."""
    values = np.random.default_rng(3).normal(0.02, 1.0, 20_000).tolist()
    tracemalloc.start()
    try:
        size, interval = shift(values)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50e6
    # Of normal values it is near their mean, with an interval of +- 1.96 times its deviation, 1.0233 / sqrt(n).
    assert size == pytest.approx(np.mean(values), abs=0.003)
    assert interval[1] - interval[0] == pytest.approx(2 * 1.96 * 1.0233 / math.sqrt(20_000), rel=0.05)
