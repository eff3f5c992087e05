"""Falls after a push: rows by hand, and that the ways of meeting a fall see the same push."""

from __future__ import annotations

import json

import pytest

from andante.search.errors import SearchError
from andante.search.executor import InProcess
from andante.search.suites.fall import SUITE, FallOptions, fall_rows
from andante.search.suites.fall_trial import Direction, FallResult, Way, run_push


def fallen(seed, way, trunk, head, fell=True, again=None):
    peak = {"trunk": trunk, "head": head}
    return FallResult(Direction.FORWARD, seed, way, 5.0, fell, 0.1, 0.4, peak, peak, again)


def test_rows_by_hand():
    trials = [
        fallen(0, Way.ENGINE, 100.0, 300.0, again=6.0),
        fallen(0, Way.LIMP, 200.0, 1000.0),
        fallen(0, Way.STIFF, 0.0, 1200.0),
        fallen(1, Way.ENGINE, 500.0, 100.0),
        fallen(1, Way.LIMP, 200.0, 600.0),
        fallen(1, Way.STIFF, 0.0, 1200.0),
        fallen(2, Way.ENGINE, 0.0, 0.0, fell=False),
        fallen(2, Way.LIMP, 200.0, 900.0),
        fallen(2, Way.STIFF, 0.0, 1200.0),
    ]
    rows = {row.name.removeprefix("forward: "): row for row in fall_rows(trials, at_most=0.7, again=0.9)}
    assert rows["falls, with the engine"].value == pytest.approx(2 / 3)
    assert rows["peak on head over limp where both fell"].value == pytest.approx(400.0 / 1600.0)
    assert rows["peak on trunk over limp where both fell"].value == pytest.approx(600.0 / 400.0)
    # A fall that was prevented counts as no impact, but not where only falls are compared.
    assert rows["peak on trunk or head over limp"].value == pytest.approx(800.0 / 2500.0)
    larger = rows["peak on trunk or head over limp where both fell"]
    assert larger.value == pytest.approx(800.0 / 1600.0)
    assert larger.ok is True
    assert larger.n == 2
    assert rows["peak on trunk and head over limp where both fell"].value == pytest.approx(1000.0 / 2000.0)
    assert rows["stands again by itself"].value == pytest.approx(1 / 3)
    assert rows["stands again by itself"].ok is False


def test_unknown_directions_are_refused():
    cases = SUITE.cases(FallOptions(direction="backward, forward", seeds=1))
    assert [case.setup.direction for case in cases] == [Direction.BACKWARD] * 3 + [Direction.FORWARD] * 3
    for text, message in (("", "no such direction"), ("forwards", "no such direction"), ("forward,forward", "twice")):
        with pytest.raises(SearchError, match=message):
            SUITE.cases(FallOptions(direction=text))


@pytest.mark.slow
def test_the_ways_meet_the_same_push_and_only_the_engine_gets_up():
    options = FallOptions(direction="forward", seeds=1)
    trials = [run_push(case.setup, case.seed) for case in SUITE.cases(options)]
    by_way = {each.way: each for each in trials}
    assert len({each.impulse for each in trials}) == 1
    assert all(each.fell for each in trials)
    # Engine and limp fall see the fall in the same tick.
    assert by_way[Way.ENGINE].seen == by_way[Way.LIMP].seen
    assert by_way[Way.STIFF].seen is None
    assert 0.0 < by_way[Way.LIMP].seen < by_way[Way.LIMP].hit
    assert by_way[Way.STIFF].peak["head"] > 100.0
    assert by_way[Way.ENGINE].stands_again > 2.0
    assert by_way[Way.LIMP].stands_again is None
    report, again = (SUITE.run(options, InProcess()) for _ in range(2))
    assert report.rows == fall_rows(trials)
    assert json.dumps(report.data()) == json.dumps(again.data())
