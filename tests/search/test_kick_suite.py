"""The experiment `kick`: its figures, its mirror image, and the shipped kicks on a few seeds of the tuning range."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, rows_of
from andante.search.experiment.trial import TrialResult, run_trial
from andante.search.suite import read_options
from andante.search.suites.registry import load_suite

SUITE = load_suite("kick")


def options(**given):
    return read_options(SUITE.options, given)


def groups(**given):
    return {group.name: group for group in groups_of(asked_of(EXPERIMENTS["kick"], options(**given)))}


def trial(seed, *, reach=2.5, direction=0.0, time=2.0, fell=False, turn=0.01):
    """A trial by what the experiment looks at."""
    metrics = {"fell": fell, "ball_reach": reach, "ball_direction": math.radians(direction), "done_at": time}
    return TrialResult(
        seed, not fell, ("fell",) if fell else ("kicked",), {**metrics, "turn": turn, "passed": not fell}
    )


def rows(trials, **given):
    asked = asked_of(EXPERIMENTS["kick"], options(foot="left", **given))
    return {row.name: row for row in rows_of(asked, groups_of(asked), {"left": trials})}


def test_rows_are_medians_shares_and_what_was_asked():
    trials = (
        trial(1, reach=1.0, direction=-10.0),
        trial(2, reach=2.2, direction=4.0, time=2.6),
        trial(3, reach=3.0, direction=-6.0, fell=True, time=None),
    )
    found = rows(trials)
    value = {name: row.value for name, row in found.items()}
    assert value["left: without a fall"] == pytest.approx(2 / 3)
    assert value["left: distance, median"] == 2.2
    assert value["left: distance, least"] == 1.0
    assert value["left: direction error, median"] == pytest.approx(6.0)
    assert value["left: direction error, most"] == pytest.approx(10.0)
    assert value["left: direction, mean"] == pytest.approx(-4.0)
    assert value["left: time, median"] == pytest.approx(2.3)
    # A trial that never ends is in no median of times, but counts against the share.
    assert value["left: time <= 2.5 s"] == pytest.approx(1 / 3)
    assert value["left: turn of the robot, most"] == pytest.approx(math.degrees(0.01))
    judged = {name: row.ok for name, row in found.items() if row.ok is not None}
    assert judged == {
        "left: without a fall": False,
        "left: distance, median": True,
        "left: direction error, median": True,
        "left: time, median": True,
    }
    # Bounds are in the row's unit: 4 and 6 degrees count, 10 degrees do not.
    assert value["left: direction error <= 8 deg"] == pytest.approx(2 / 3)
    strict = rows(trials, on_feet=0.5, distance=2.3, direction=5.0, time=2.0)
    assert [row.ok for row in strict.values() if row.ok is not None] == [True, False, False, False]
    assert "left: distance >= 2.3 m" in strict
    report = SUITE.report(options(foot="left"), {"left": trials})
    assert report.about["failures"] == [{"seed": 3, "reasons": ["left: fell"]}]


def test_the_left_foot_is_the_mirror_image():
    right, left = (groups(foot="right,left")[foot].setup.base for foot in ("right", "left"))
    assert (right.controller.mirror, left.controller.mirror) == (False, True)
    (x, y), (also_x, other_y) = right.world.ball.position, left.world.ball.position
    assert (x, y) == (also_x, -other_y)
    assert y < 0.0
    assert groups(foot="left", ball=(0.2, -0.06))["left"].setup.base.world.ball.position == (0.2, 0.06)


def test_an_unknown_foot_is_named():
    assert [case.group for case in SUITE.cases(options(foot="left, right", seeds=1))] == ["left", "right"]
    with pytest.raises(AndanteError) as error:
        SUITE.cases(options(foot="right,lft"))
    assert str(error.value) == "--foot: there is no such foot; got 'lft'; did you mean 'left'?; legal: right, left"


@pytest.mark.slow
@pytest.mark.parametrize(("library", "motion", "foot"), [("nao", "kick_right", "left"), ("nao-kick", "kick", "right")])
def test_the_shipped_kicks_kick(library, motion, foot):
    for case in SUITE.cases(options(library=library, motion=motion, foot=foot, first_seed=150, seeds=2)):
        each = run_trial(case.setup, case.seed)
        assert each.passed, each.reasons
        assert each.metrics["done_at"] < 2.5
        # A foot that scrapes the ground on its way back turns the robot by 36 deg, and the robot does not fall.
        assert abs(each.metrics["turn"]) < math.radians(3.0)
        assert max(map(abs, each.metrics["travel"])) < 0.02


@pytest.mark.slow
def test_without_a_ball_in_reach_nothing_is_hit():
    asked = options(first_seed=150, seeds=1, ball=(0.6, 0.3))
    (case,) = SUITE.cases(asked)
    found = run_trial(case.setup, case.seed)
    assert found.metrics["ball_reach"] < 0.01
    report = SUITE.report(asked, {"right": [found]})
    assert [row.ok for row in report.rows if "distance, median" in row.name] == [False]


@pytest.mark.slow
def test_the_command_tells_every_trial_and_leaves_with_1_where_it_misses(tmp_path):
    out = tmp_path / "kick.json"
    command = ["bench", "kick", "--seeds", "1", "--first-seed", "150", "--distance", "9", "--out", str(out)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1, done.output
    assert "asked >= 9: MISSED" in done.output
    data = json.loads(out.read_text())
    assert data["suite"] == "kick"
    (cell,) = data["cells"]
    assert [each["seed"] for each in cell["trials"]] == [150]
    assert cell["trials"][0]["metrics"]["ball_reach"] > 2.0
