"""Intervals and quantiles against published values and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.search.statistics import StatisticsError, quantile, wilson


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
