"""Rows of figures out of trials' numbers, worked out by hand: statistics, bars, and what is no figure."""

from __future__ import annotations

import pytest

from andante.search.errors import SearchError
from andante.search.experiment.document import Figure
from andante.search.experiment.figures import WHY, row_of


def test_a_figure_that_no_trial_tells_or_that_is_no_number_is_named():
    trials = [{"done_at": None, "tilt": 0.0}, {"done_at": None, "tilt": 1e308}]
    with pytest.raises(SearchError, match="time: no trial tells this figure; got 'done_at'; or mark it as optional"):
        row_of("time", Figure(metric="done_at", statistic="median"), trials)
    assert row_of("time", Figure(metric="done_at", statistic="median", optional=True), trials) is None
    with pytest.raises(SearchError, match="tilt: is no finite number; got inf"):
        row_of("tilt", Figure(metric="tilt", statistic="largest", convert="mm"), trials)
    with pytest.raises(SearchError, match="no trial counts for this figure"):
        row_of("share", Figure(metric="tilt", where={"tilt": {"below": -1.0}}), trials)


def test_a_metric_that_its_part_lacks_is_told_with_what_the_part_has_and_why_a_trial_failed():
    """All that was told was that no trial tells it."""
    trials = [{"wobble": None, WHY: "cannot be measured"}, {"wobble": {"peak": 1.0, "rms": [1.0, 2.0], "late": None}}]

    def told(metric):
        with pytest.raises(SearchError, match="w: no trial tells this figure") as refused:
            row_of("w", Figure(metric=metric, statistic="mean"), trials)
        return str(refused.value)

    assert "did you mean 'wobble.peak'?; legal: wobble.peak, wobble.rms, wobble.late; or mark" in told("wobble.peek")
    assert "legal: wobble.rms[0], wobble.rms[1]; or mark" in told("wobble.rms[7]")
    assert told("wobble.late").endswith("'wobble.late'; or mark it as optional; a trial failed: cannot be measured")


def test_statistics_by_hand():
    trials = [{"x": value, "y": 2.0, "ok": value > 2} for value in (1.0, 2.0, 3.0, -6.0)] + [{"x": None, "ok": False}]

    def value(**asked):
        return row_of("x", Figure(metric="x", **asked), trials).value

    assert value(statistic="mean") == 0.0
    assert value(statistic="mean", missing=5.0) == 1.0
    assert value(statistic="median", absolute=True) == 2.5
    assert value(statistic="farthest") == -6.0
    assert value(statistic="largest", per="y") == 1.5
    assert value(statistic="sum", where={"x": {"above": 1}}) == 5.0
    assert value(**{"is": {"at_least": 2}}) == pytest.approx(0.4)
    assert row_of("ok", Figure(metric="ok", statistic="count"), trials).value == 1.0
    assert value(statistic="ratio", per="y", where={"x": {"above": 0}}) == 1.0
    three = [{"v": each} for each in (0.1, 0.5, 0.3, 9.0)]
    assert row_of("s", Figure(metric="v", statistic="best-two-of-three"), three).value == pytest.approx(0.4)
    both = [{"ok": each} for each in (True, True, False)]
    lost = row_of("lost", Figure(metric="ok", statistic="lost"), both, [{"ok": True}] * 3)
    assert (lost.value, lost.n) == (pytest.approx(1 / 3), 3)


def test_a_pair_counts_as_lost_where_it_counts_on_both_sides():
    own = [{"ok": ok, "x": x} for ok, x in ((True, 1.0), (False, 1.0), (False, 0.0), (False, 1.0))]
    other = [{"ok": True, "x": x} for x in (1.0, 1.0, 1.0, 0.0)]
    lost = row_of("lost", Figure(metric="ok", statistic="lost", where={"x": {"above": 0.5}}), own, other)
    assert (lost.value, lost.n) == (0.5, 2)


def test_both_bars_hold_a_figure_and_rounding_brings_none_over_them():
    trials = [{"x": value, "ok": value > 1} for value in (1.0, 2.0, 3.0, 4.4)]
    both = row_of("x", Figure(metric="x", statistic="mean", at_least=1, at_most=2), trials)
    assert (both.asked, both.ok) == (">= 1 and <= 2", False)
    share = row_of("ok", Figure(metric="ok", at_least=0.5, at_most=0.7), trials)
    assert (share.value, share.ok, share.asked) == (0.75, False, ">= 0.5 and <= 0.7")
    assert share.interval == pytest.approx((0.3006, 0.9544), abs=1e-4)
    over = row_of("x", Figure(metric="x", statistic="largest", digits=0, at_most=4), trials)
    assert (over.value, over.ok) == (4.4, False)
    within = row_of("x", Figure(metric="x", statistic="largest", digits=0, at_most=4.4), trials)
    assert (within.value, within.ok) == (4.0, True)
    sums = [{"x": 0.1}, {"x": 0.2}]
    assert row_of("x", Figure(metric="x", statistic="sum", digits=2, at_most=0.3), sums).ok


def test_a_ratio_over_nothing_is_none_and_words_divide_nothing():
    trials = [{"x": 2.0, "zero": 0.0, "down": -4.0, "word": "tilt"}]
    with pytest.raises(SearchError, match="x: is no finite number"):
        row_of("x", Figure(metric="x", statistic="ratio", per="zero"), trials)
    assert row_of("x", Figure(metric="x", statistic="ratio", per="down"), trials).value == -0.5
    with pytest.raises(SearchError, match=r"x\.metric: word is a word, and the statistic mean takes numbers"):
        row_of("x", Figure(metric="x", statistic="mean", per="word"), trials)


def test_a_share_has_no_bar_in_percent():
    """It was told as "1 share, asked >= 90: MISSED"."""
    with pytest.raises(ValueError, match=r"a share is 0 to 1, and its bar is >= 90: 0.9 is 90 %"):
        Figure(metric="fell", is_=False, convert="%", at_least=90)


def test_a_figure_of_trials_of_which_none_counts_says_so():
    figure = Figure(metric="x", statistic="mean", where={"passed": True})
    with pytest.raises(SearchError, match="x: no trial counts for this figure; look at its where"):
        row_of("x", figure, [{"x": 1.0, "passed": False}])


def test_a_metric_that_is_no_number_is_named_with_what_it_is_and_the_numbers_in_it():
    trials = [{"steps": [1.0, 2.0, "x"], "end": "fell", "feet": {"left": 1.0, "name": "a"}}]

    def refusal(**asked):
        with pytest.raises(SearchError) as caught:
            row_of("row", Figure(**asked), trials)
        return str(caught.value)

    told = refusal(metric="steps", statistic="mean")
    assert "row.metric: steps is a list of 3, and the statistic mean takes numbers" in told
    assert told.endswith("legal: steps[0], steps[1]; name one of them by its number")
    told = refusal(metric="end", statistic="largest")
    assert "end is a word, and the statistic largest takes numbers; got 'fell'" in told
    told = refusal(metric="feet", **{"is": {"above": 0.5}})
    assert "feet is a part with metrics of its own, and a bound compares numbers" in told
    assert "legal: feet.left" in told
    assert row_of("row", Figure(metric="steps[1]", statistic="mean"), trials).value == 2.0
