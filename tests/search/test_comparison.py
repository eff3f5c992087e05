"""Comparison: what makes a verdict, that small differences make none, and how often chance does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from andante.search.comparison import LEVEL, chosen, compared, paired
from andante.search.errors import SearchError
from andante.search.measure import Measure
from andante.search.suites.registry import load_suite, suite_names
from andante.search.versions import stages


@dataclass(frozen=True)
class Throw:
    good: bool = True
    time: float | None = 2.0
    height: float = 1.0


MEASURES = (
    Measure("success", "", lambda each: each.good, "more", succeeds=True),
    Measure("time", "s", lambda each: each.time, "less", 0.05),
    Measure("height", "m", lambda each: each.height, "more"),
)


def pairs(first, second, group="a"):
    return {group: [(seed, one, two) for seed, (one, two) in enumerate(zip(first, second, strict=True))]}


def verdict(first, second):
    return compared(MEASURES, pairs(first, second))


def test_equal_trials_differ_in_nothing():
    found = verdict([Throw()] * 50, [Throw()] * 50)
    assert found.outcome == "no difference"
    assert [each.size for each in found.differences] == [0.0] * 3
    assert found.pairs == 50


@pytest.mark.parametrize("pairs_made", [8, 9])
def test_so_few_pairs_that_none_can_tell_a_difference_say_so(pairs_made):
    """Three questions: 3 * 2^(1 - n) is at most 0.02 from nine pairs on, all of which point one way."""
    found = verdict([Throw()] * pairs_made, [Throw(time=9.0)] * pairs_made)
    if pairs_made == 9:
        assert found.outcome == "worse"
    else:
        assert found.outcome == "undecided"
        assert found.why == "so few pairs (8) tell no difference, however large; 3 questions at a level of 0.02 need 9"


def test_few_pairs_that_are_the_same_to_the_last_digit_are_no_difference():
    """What a team's check sees where nobody touched the motion."""
    found = verdict([Throw(time=1.0 + n) for n in range(3)], [Throw(time=1.0 + n) for n in range(3)])
    assert (found.outcome, found.why) == ("no difference", "every figure of every pair is the same")


def test_fewer_successes_are_worse_and_decide():
    """12 of 40 lost, none won: two-sided McNemar 2 / 2^12, times 3 by Holm."""
    second = [Throw(good=n >= 12, time=1.0) for n in range(40)]
    found = verdict([Throw()] * 40, second)
    success, time, _ = found.differences
    assert found.outcome == "worse"
    assert success.size == pytest.approx(-0.3)
    assert success.chance == pytest.approx(2 * 2.0 / 2**12)
    assert time.outcome == "better"
    assert found.why.startswith("worse in a: success -30.0 points [")
    assert "But better in a: time -1 s [-1, -1]" in found.why
    assert verdict(second, [Throw()] * 40).outcome == "better"


def test_a_number_that_is_worse_is_worse_where_successes_do_not_differ():
    slower = [Throw(time=2.2, height=1.0 + 0.001 * n) for n in range(30)]
    found = verdict([Throw()] * 30, slower)
    assert found.outcome == "worse"
    assert [each.outcome for each in found.differences] == ["no difference", "worse", "better"]
    assert verdict(slower, [Throw()] * 30).differences[1].outcome == "better"


def test_what_matters_to_nobody_is_no_difference_however_sure():
    assert verdict([Throw()] * 200, [Throw(time=2.04)] * 200).outcome == "no difference"
    assert verdict([Throw()] * 200, [Throw(time=2.06)] * 200).outcome == "worse"


def test_pairs_that_do_not_tell_a_number_are_left_out():
    second = [Throw(time=None if n % 2 else 2.0) for n in range(20)]
    assert verdict([Throw()] * 20, second).differences[1].n == 10
    silent = verdict([Throw(time=None)] * 20, second).differences[1]
    assert (silent.n, silent.size, silent.outcome) == (0, None, "no difference")


def test_trials_are_paired_by_group_and_seed():
    first = {"a": {1: "a1", 2: "a2"}, "b": {1: "b1"}}
    assert paired(first, {"a": {2: "A2", 3: "A3"}, "c": {1: "C1"}}) == {"a": [(2, "a2", "A2")]}
    with pytest.raises(SearchError, match="no trial of the one has the same conditions and seed"):
        paired(first, {"a": {5: "A5"}})


@pytest.mark.slow
def test_chance_alone_says_worse_in_one_of_a_hundred():
    """400 comparisons of two samples of one distribution, 7 correlated measures: half the level is 1 %, so 4."""
    measures = [Measure(f"m{n}", "s", lambda each, n=n: float(each[n]), "less") for n in range(6)]
    measures.append(Measure("success", "", lambda each: bool(each[6] > -1.0), "more", succeeds=True))
    rng = np.random.default_rng(21)
    outcomes = []
    for _ in range(400):
        sides = rng.normal(size=(2, 80, 7)) + rng.normal(size=(2, 80, 1))
        outcomes.append(compared(measures, pairs(*sides)).outcome)
    assert outcomes.count("worse") <= 12
    assert outcomes.count("no difference") >= 380


def test_stages_spend_the_level_and_no_more():
    assert stages(200, LEVEL, early=False) == [(200, LEVEL)]
    looks = stages(200, LEVEL, early=True)
    assert [count for count, _ in looks] == [50, 100, 200]
    assert sum(level for _, level in looks) == pytest.approx(LEVEL)
    # A quarter of 60 seeds is too few to look.
    assert [count for count, _ in stages(60, LEVEL, early=True)] == [30, 60]
    assert stages(1, LEVEL, early=True) == [(1, LEVEL)]


def test_measures_by_name():
    assert [each.name for each in chosen(MEASURES, ["height", "time"])] == ["time", "height"]
    with pytest.raises(SearchError, match="there is no such measure; got 'hight'; did you mean 'height'"):
        chosen(MEASURES, ["hight"])
    with pytest.raises(SearchError, match="names no measure"):
        compared((), pairs([Throw()], [Throw()]))


@pytest.mark.parametrize("name", suite_names())
def test_what_suites_say_of_comparing_fits_their_options(name):
    suite = load_suite(name)
    fields = suite.options.model_fields
    assert set(suite.options.conditions) <= set(fields)
    assert not suite.options.subject or suite.options.subject in fields
    assert len({each.name for each in suite.measures}) == len(suite.measures)
