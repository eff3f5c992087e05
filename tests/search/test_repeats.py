"""Repeats of trials from starts a tenth of a millimetre apart, and what turns those in which engines differ."""

from __future__ import annotations

import importlib.util
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.perturbation import Perturbation
from andante.backends.world import Start, WorldConfig
from andante.cli.app import app
from andante.robots.robot import Robot
from andante.runs.task import scenario_of
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of
from andante.search.experiment.trial import TrialResult
from andante.search.judging.causes import interventions, traced
from andante.search.judging.judges import JUDGES, judges_named
from andante.search.judging.judging import HERE, JUDGE, opinions, scenario_experiment, with_judges
from andante.search.judging.repeats import RepeatedPair, perturbed, repeat_lines, repeated, verdicts_here
from andante.search.statistics import StatisticsError, fisher_exact

needs_drake = pytest.mark.skipif(
    importlib.util.find_spec("pydrake") is None,
    reason="needs the package drake (make robots, or pip install --no-deps drake)",
)


@pytest.mark.parametrize(
    ("first", "second", "chance"),
    [
        ((3, 4), (1, 4), 0.4857142857),
        ((8, 8), (3, 8), 0.0256410256),
        ((4, 4), (0, 4), 0.0285714286),
        ((2, 4), (2, 4), 1.0),
    ],
)
def test_fishers_exact_test_by_hand(first, second, chance):
    """The first is Fisher's own: a lady who tells 3 of 4 cups of tea each way. Four of four and none: 2 in C(8, 4)."""
    assert fisher_exact(first, second) == pytest.approx(chance)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_fishers_test_is_symmetric_and_a_probability(one, other, data):
    first = data.draw(st.integers(0, one)), one
    second = data.draw(st.integers(0, other)), other
    chance = fisher_exact(first, second)
    assert 0.0 < chance <= 1.0 + 1e-12
    assert fisher_exact(second, first) == pytest.approx(chance)
    mirrored = (one - first[0], one), (other - second[0], other)
    assert fisher_exact(*mirrored) == pytest.approx(chance)


@pytest.mark.parametrize("counts", [((5, 4), (1, 4)), ((0, 0), (1, 4)), ((-1, 4), (1, 4))])
def test_counts_that_do_not_fit_are_refused(counts):
    with pytest.raises(StatisticsError, match="no test for these counts"):
        fisher_exact(*counts)


def at_rest(perturbation, seed=3, **world):
    start = Start(lying="prone", perturbation=perturbation)
    made = MujocoWorld(Robot.load("nao"), WorldConfig(timestep=0.003, start=start, **world))
    made.reset(seed)
    return made


def test_a_perturbation_changes_the_start_by_less_than_a_tenth_of_a_millimetre_and_nothing_else():
    world = {"friction": (0.3, 0.9), "servo_strength": (0.5, 1.0), "command_delay": (1, 4)}
    plain, first, again, second = (
        at_rest(None if number is None else Perturbation(number=number), **world) for number in (None, 1, 1, 2)
    )
    np.testing.assert_array_equal(first.data.qpos, again.data.qpos)
    assert not np.array_equal(first.data.qpos, second.data.qpos)
    for each in (first, second):
        away = each.data.qpos - plain.data.qpos
        assert 0.0 < away[2] <= 1e-4
        assert 1e-5 < np.abs(away[7:]).max() <= 1e-4
        assert not away[:2].any()
        assert not away[3:7].any()
        np.testing.assert_array_equal(each.model.geom_friction, plain.model.geom_friction)
        np.testing.assert_array_equal(each.servos.strength, plain.servos.strength)


def test_joints_that_one_motor_moves_stay_together():
    robot = Robot.load("nao")
    turns, lift = Perturbation(number=5, angle=0.01, lift=0.0).drawn(robot, 9)
    assert lift == 0.0
    np.testing.assert_array_equal(turns, turns[robot.leaders])
    assert len(set(turns.tolist())) == len(set(robot.leaders.tolist()))


@pytest.fixture(scope="module")
def judged():
    return with_judges(scenario_experiment(scenario_of("nao/wave", report=False), 6), judges_named("drake"))


class Engines:
    """Makes trials whose verdicts are a function of who judges, seed and repeat (0: as asked)."""

    def __init__(self, passes):
        self.passes, self.made = passes, []

    def __call__(self, cases):
        found = {}
        for case in cases:
            repeat, _, name = case.group.rpartition("repeat ")[2].partition(", ")
            judge, number = (name, int(repeat)) if name else (repeat, 0)
            self.made.append((judge, case.seed, number))
            asked = case.setup.base.world.start.perturbation
            assert (0 if asked is None else asked.number) == number
            good = self.passes(judge, case.seed, number)
            found.setdefault(case.group, []).append(TrialResult(case.seed, good, (), {"passed": good}))
        return found


def first_results(experiment, engines):
    return {
        group.name: [
            TrialResult(seed, good, (), {"passed": good})
            for seed in range(6)
            for good in [engines.passes(group.labels[JUDGE], seed, 0)]
        ]
        for group in groups_of(experiment)
    }


def asks(experiment, engines, repeats, *, everywhere):
    chosen, results = judges_named("drake"), first_results(experiment, engines)
    said = opinions(experiment, chosen, results)
    return repeated(experiment, chosen, said, results, repeats, engines, everywhere=everywhere)[0]


def two_that_differ(judge, seed, number):
    """Seed 1 passes here alone, however often; seed 2 passes here as asked and there at times; the others agree."""
    if seed == 1:
        return judge != "drake"
    if seed == 2:
        return number % 2 == 0 if judge == HERE else number > 2
    return seed % 2 == 0


def test_a_pair_that_either_engine_turns_by_itself_is_told_apart_from_one_in_which_they_differ(judged):
    engines = Engines(two_that_differ)
    found = asks(judged, engines, 8, everywhere=False)
    assert [(pair.seed, pair.here, pair.there, pair.apart) for pair in found.differing] == [
        (1, 8, 0, True),
        (2, 4, 6, False),
    ]
    assert [pair.seed for pair in found.truly] == [1]
    assert (found.itself.agreed, found.itself.pairs, found.itself.only_here) == (44, 48, 4)
    assert found.judge_itself is None
    assert found.most is None
    repeats = [(judge, seed) for judge, seed, number in engines.made if number]
    assert set(repeats) == {*((HERE, seed) for seed in range(6)), ("drake", 1), ("drake", 2)}
    text = "\n".join(repeat_lines([found]))
    assert "asked agrees with its own repeats: 44 of 48 (0.917), kappa 0.82" in text
    assert "of 2 pairs that differ 1 may be chance; in 1 the engines differ (1 pass more often here, 0 there)" in text
    assert "seed 1: passes 8 of 8 here, 0 of 8 there: the engines differ (p = 0.00016)" in text
    assert "seed 2: passes 4 of 8 here, 6 of 8 there: not told apart (p = 0.61)" in text
    assert json.loads(json.dumps(found.data()))["engines differ"] == 1


def test_where_the_judge_repeats_all_most_of_its_repeats_are_set_against_most_of_ours(judged):
    found = asks(judged, Engines(two_that_differ), 8, everywhere=True)
    assert len(found.pairs) == 6
    assert (found.judge_itself.agreed, found.judge_itself.pairs) == (42, 48)
    # Four of eight here: what was asked first counts.
    assert (found.most.agreed, found.most.only_here) == (5, 1)
    own, other = found.alike
    assert own == pytest.approx((5 + (4 * 3 + 4 * 3) / 56) / 6)
    assert other == pytest.approx((4 + 0 + (4 * 6 + 4 * 2) / 64) / 6)


def test_three_repeats_are_too_few_to_tell_engines_apart(judged):
    with pytest.raises(SearchError, match=r"--repeats.*too few repeats; got 3.*at least 4"):
        asks(judged, Engines(two_that_differ), 3, everywhere=False)
    assert RepeatedPair("", 0, True, False, 3, 0, 3).probability > 0.05


def convex(judge, seed, number):
    """Seed 1 passes here alone, unless contacts are convex there or there is little friction here."""
    if judge == "here: friction x 0.8":
        return False
    if seed == 1:
        return judge != "drake" and not (judge.startswith("drake") and "convex" not in judge)
    return seed % 2 == 0


def test_a_cause_turns_the_trial_that_differs_and_no_other(judged):
    engines = Engines(convex)
    chosen, results = judges_named("drake"), first_results(judged, engines)
    found = asks(judged, engines, 8, everywhere=False)
    asked = verdicts_here(judged, results)
    causes = traced(judged, "drake", chosen["drake"], found, asked, engines)
    assert [each.turned for each in causes.traced] == [
        ("here: friction x 0.8", "drake: convex contacts (sap)", "drake: convex contacts (similar)")
    ]
    assert causes.controls == 1
    # Little friction turns all that pass: it explains nothing.
    assert causes.counts["here: friction x 0.8"] == (1, 1)
    assert causes.counts["drake: convex contacts (sap)"] == (1, 0)
    text = "\n".join(causes.lines)
    assert re.search(r"drake: convex contacts \(sap\) +1 of 1 +0 of 1", text)
    assert "seed 1: here: friction x 0.8 (0 of 4); drake: convex contacts (sap) (4 of 4)" in text
    assert json.loads(json.dumps(causes.data()))["pairs"][0]["seed"] == 1


def test_what_nothing_turns_is_called_not_explained(judged):
    engines = Engines(lambda judge, seed, number: seed % 2 == 0 and not (judge.startswith("drake") and seed == 2))
    chosen, results = judges_named("drake"), first_results(judged, engines)
    found = asks(judged, engines, 8, everywhere=False)
    causes = traced(judged, "drake", chosen["drake"], found, verdicts_here(judged, results), engines)
    assert "  seed 2: not explained" in list(causes.lines)


def test_a_judge_that_agrees_has_no_causes(judged):
    engines = Engines(lambda judge, seed, number: seed % 2 == 0)
    chosen, results = judges_named("drake"), first_results(judged, engines)
    found = asks(judged, engines, 8, everywhere=False)
    causes = traced(judged, "drake", chosen["drake"], found, verdicts_here(judged, results), engines)
    assert list(causes.lines) == ["drake: no pair in which the engines clearly differ"]


@pytest.mark.parametrize("name", JUDGES)
def test_every_single_change_is_legal_in_a_scenario(name):
    """rcsssmj's floor and steps are its own: nothing is changed there."""
    changes = interventions(name, JUDGES[name])
    scenario = scenario_of("nao/wave", report=False, settings=["world.friction=[0.3,0.5]"])
    groups = groups_of(with_judges(scenario_experiment(scenario, 1), {each.name: each.judge for each in changes}))
    frictions = {group.labels[JUDGE]: group.setup.base.world.friction for group in groups}
    assert frictions["here: friction x 0.8"] == pytest.approx((0.24, 0.4))
    assert f"here: {name}" not in frictions
    assert any(not each.here for each in changes) is (name != "rcsssmj")


def test_numbers_of_repeats_differ_in_the_perturbation_alone(judged):
    plain, other = (groups_of(each)[0].setup.base for each in (judged, perturbed(judged, 3)))
    assert plain.world.start.perturbation is None
    start = other.world.start.but(perturbation=None)
    assert other.model_copy(update={"world": other.world.but(start=start)}) == plain


@pytest.mark.parametrize("asked", [["--repeats", "3"], ["--repeat-all"], ["--causes"]])
def test_the_command_refuses_too_few_repeats_before_anything_runs(asked):
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "soft", *asked])
    assert done.exit_code == 2
    assert re.search(r"--repeats: too few repeats; got \d; .*at least 4", done.output)


@pytest.mark.slow
def test_the_command_repeats_trials(tmp_path):
    out = tmp_path / "said.json"
    asked = ["judge", "nao/wave", "--in", "soft", "--seeds", "1", "--repeats", "4", "--causes"]
    done = CliRunner().invoke(app, [*asked, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "asked agrees with its own repeats: 4 of 4" in done.output
    assert json.loads(out.read_text())["repeats"][0]["itself"]["both pass"] == 4


@needs_drake
def test_a_perturbed_start_is_the_same_in_drake():
    from andante.backends.drake.settings import DrakeSettings
    from andante.backends.drake.world import DrakeWorld

    start = Start(lying="prone", perturbation=Perturbation(number=2))
    robot, config = Robot.load("nao"), WorldConfig(timestep=0.003, start=start)
    here, there = MujocoWorld(robot, config), DrakeWorld(robot, config, DrakeSettings(contact="sap"))
    here.reset(4)
    there.reset(4)
    np.testing.assert_array_equal(here.data.qpos, there.data.qpos)
