"""Falls after a push: rows by hand, and that the ways of meeting a fall see the same push."""

from __future__ import annotations

import json

import pytest

from andante.search.errors import SearchError
from andante.search.executor import InProcess
from andante.search.experiment.cases import groups_of
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, rows_of, suite_of
from andante.search.experiment.trial import TrialResult

FALL = EXPERIMENTS["fall"]
SUITE = suite_of(FALL)


def fallen(trunk, head, fell=True, seen=0.1, again=None):
    peak = {"trunk": trunk, "head": head, "either": max(trunk, head), "both": trunk + head}
    stood = None if seen is None else again is not None
    return {
        "fell": fell,
        "seen": seen,
        "hit": 0.4,
        "peak": peak,
        "momentum": peak,
        "stood": stood,
        "stands_again": again,
    }


def pushed(seed, engine, limp):
    metrics = {"fall": engine, "limp": limp, "stiff": fallen(0.0, 1200.0, seen=None)}
    return TrialResult(seed, True, (), metrics)


def test_rows_by_hand():
    trials = [
        pushed(0, fallen(100.0, 300.0, again=6.0), fallen(200.0, 1000.0)),
        pushed(1, fallen(500.0, 100.0), fallen(200.0, 600.0)),
        pushed(2, fallen(0.0, 0.0, fell=False), fallen(200.0, 900.0)),
    ]
    asked = asked_of(FALL, SUITE.options(direction="forward", at_most=0.7, again=0.9))
    found = rows_of(asked, groups_of(asked), {"forward": trials})
    rows = {row.name.removeprefix("forward: "): row for row in found}
    assert rows["falls, with the engine"].value == pytest.approx(2 / 3)
    assert rows["peak on head over limp where both fell"].value == pytest.approx(400.0 / 1600.0)
    assert rows["peak on trunk over limp where both fell"].value == pytest.approx(600.0 / 400.0)
    # A fall that was prevented counts as no impact, but not where only falls are compared.
    assert rows["peak on trunk or head over limp"].value == pytest.approx(800.0 / 2500.0)
    larger = rows["peak on trunk or head over limp where both fell"]
    assert larger.value == pytest.approx(800.0 / 1600.0)
    assert larger.ok is True
    assert larger.n == 2
    assert larger.interval is not None
    assert rows["peak on trunk and head over limp where both fell"].value == pytest.approx(1000.0 / 2000.0)
    assert rows["stands again by itself"].value == pytest.approx(1 / 3)
    assert rows["stands again by itself"].ok is False
    assert rows["push to standing, median"].value == 6.0


def test_a_part_that_no_limp_robot_falls_on_has_no_ratio():
    asked = asked_of(FALL, SUITE.options(direction="forward"))
    trial = pushed(0, fallen(100.0, 300.0), fallen(0.0, 1000.0))
    names = {row.name for row in rows_of(asked, groups_of(asked), {"forward": [trial]})}
    assert "forward: peak on head over limp" in names
    assert "forward: peak on trunk over limp" not in names


def test_unknown_directions_are_refused():
    cases = SUITE.cases(SUITE.options(direction="backward, forward", seeds=1))
    assert [case.group for case in cases] == ["backward", "forward"]
    for text, message in (("", "no such direction"), ("forwards", "no such direction"), ("forward,forward", "twice")):
        with pytest.raises(SearchError, match=message):
            SUITE.cases(SUITE.options(direction=text))


def test_each_direction_has_pushes_of_its_own():
    cases = SUITE.cases(SUITE.options(seeds=2))
    pushes = {(case.group, case.seed): case.setup.scenario(case.seed)[0].world.pushes[0] for case in cases}
    assert len({push.time for push in pushes.values()}) == 4
    for (direction, _), push in pushes.items():
        assert 1.2 <= push.time <= 1.6
        assert 4.5 <= push.impulse[0] <= 9.0
        assert abs(push.yaw - (3.141592653589793 if direction == "backward" else 0.0)) < 0.35


@pytest.mark.slow
def test_the_ways_meet_the_same_push_and_only_the_engine_gets_up():
    options = SUITE.options(direction="forward", seeds=1)
    report, again = (SUITE.run(options, InProcess()) for _ in range(2))
    assert json.dumps(report.data()) == json.dumps(again.data())
    (trial,) = report.data()["cells"][0]["trials"]
    metrics = trial["metrics"]
    engine, limp, stiff = metrics["fall"], metrics["limp"], metrics["stiff"]
    assert all(each["fell"] for each in (engine, limp, stiff))
    # Engine and limp fall see the fall in the same tick.
    assert engine["seen"] == limp["seen"]
    assert stiff["seen"] is None
    assert 0.0 < limp["seen"] < limp["hit"]
    assert stiff["peak"]["head"] > 100.0
    assert engine["stands_again"] > 2.0
    assert limp["stands_again"] is None
