"""What parts of a quadruped's controller answer is looked at; what they write into is their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from installed_packages import install

import andante
from andante.control.estimation.floating_base import EstimateHealth, FloatingBase
from andante.extend import Criterion, EstimatorKind, Gait, GaitMoment, NmpcProblem
from andante.kinematics.leg_table import LeggedBody
from andante.planning.nmpc.cost_term import COST_CHOICE, COSTS, with_terms
from andante.planning.nmpc.solver import CheckedSolver
from andante.planning.quadruped.foothold_rule import FootholdStep
from andante.planning.quadruped.gait_policy import GAIT_POLICIES, choose_gait
from andante.planning.quadruped.ground import level_ground
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.runs.controls.estimators import ESTIMATORS, CheckedEstimator, make_estimator
from andante.runs.tasks.asking import criteria_told

PARTS = """
import numpy as np
from andante.extend import CostTerm, GaitPolicy


class Greedy(CostTerm):
    def errors(self, problem, states):
        problem.start[:] = 9.0
        problem.reference[:] = 9.0
        return np.zeros(12), np.zeros(12)


class Complex(CostTerm):
    def errors(self, problem, states):
        return np.zeros(12) + 1j, np.zeros(12)


class Pushy(GaitPolicy):
    def choose(self, moment):
        moment.asked[:] = 9.0
        moment.state[:] = 9.0
        return "trot"
"""
POINTS = {
    "andante.costs": {"greedy": "Greedy", "complex": "Complex"},
    "andante.gaits": {"pushy": "Pushy"},
}


@pytest.fixture(autouse=True)
def package(packages):
    install(packages, "answering_pack", PARTS, POINTS)


def problem() -> NmpcProblem:
    return NmpcProblem(
        np.zeros(12),
        np.zeros((3, 12)),
        np.full(2, 0.03),
        np.ones((2, 4), dtype=bool),
        np.zeros((2, 4, 3)),
        np.zeros(3),
    )


def added(name: str, asked: NmpcProblem) -> None:
    with_terms([COSTS[name]()], asked, np.zeros((3, 12)), np.ones((3, 12)), asked.reference)


def test_who_answers_is_named_with_the_package() -> None:
    assert COST_CHOICE.told(COSTS["greedy"]()) == "cost term 'greedy' of answering_pack 1.2"
    told = r"^cost term 'complex' of answering_pack 1.2: gave no weights; got 'complex numbers'"
    with pytest.raises(PluginError, match=told):
        added("complex", problem())


def test_a_thing_that_ships_has_no_package() -> None:
    shipped: Register[int] = Register("numbers", "number", int, {"one": 1})
    assert shipped.told("one") == "number 'one'"


def test_what_parts_write_into_is_their_own() -> None:
    asked, moment = problem(), GaitMoment(0.0, np.zeros(3), np.zeros(12))
    added("greedy", asked)
    assert isinstance(choose_gait(GAIT_POLICIES["pushy"](), moment, 1.0, 0.03), Gait)

    class Solver:
        def solve(self, given, guess=None):
            given.feet[:] = 9.0

    with pytest.raises(PluginError, match="gave no NmpcSolution"):
        CheckedSolver("solver 'x'", None, Solver()).solve(asked)
    for array in (asked.start, asked.reference, asked.feet, moment.asked, moment.state):
        assert not array.any()


def test_a_foothold_rule_cannot_change_the_ground() -> None:
    step = FootholdStep(0, 0, 0.0, (0.0, 0.0), (0.0, 0.0, 0.3), None, 0.1, 0.5, level_ground(0.2))
    with pytest.raises(ValueError, match="read-only"):
        step.ground.height[:] = 1.0
    assert (step.height(0.0, 0.0), step.traversability(0.0, 0.0)) == (0.2, 1.0)


def state() -> FloatingBase:
    zero = np.zeros(3)
    return FloatingBase(
        0.0,
        zero,
        np.eye(3),
        zero,
        zero,
        zero,
        np.zeros((4, 3)),
        np.zeros(4, dtype=bool),
        np.ones(4),
        np.full(9, np.inf),
        np.zeros(2),
    )


class Telling:
    """An estimator that tells one thing, and writes into what it is shown."""

    def __init__(self, told):
        self.told = told

    def reset(self, position=None, yaw=None):
        raise SystemExit(3)

    def update(self, sensors, standing=None):
        sensors.position[:] = 9.0
        if isinstance(self.told, BaseException):
            raise self.told
        return self.told


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (None, "gave no FloatingBase; got 'NoneType'"),
        (SystemExit(4), "raised SystemExit: 4"),
        (
            replace(state(), velocity=np.array([0.0, np.nan, 0.0])),
            r"\(1,\): gave velocity that are not finite",
        ),
        (replace(state(), feet=None), r"gave no feet; got 'NoneType'; limit: an array of shape \(4, 3\)"),
        (replace(state(), position=np.zeros(2)), r"gave no position; got 'float64 \(2,\)'; limit: an array of shape"),
    ],
)
def test_what_an_estimator_tells_is_looked_at(told, says) -> None:
    sensors = andante.Robot.load("spirit40").sensors()
    with pytest.raises(PluginError, match=f"^estimator 'x'.*{says}"):
        CheckedEstimator("estimator 'x'", 4, Telling(told)).update(sensors)
    assert not sensors.position.any()


def test_an_estimate_that_is_not_trusted_may_be_no_number() -> None:
    sensors = andante.Robot.load("spirit40").sensors()
    lost = replace(state(), velocity=np.full(3, np.nan), health=EstimateHealth(trusted=False))
    for told in (lost, state()):
        assert CheckedEstimator("estimator 'x'", 4, Telling(told)).update(sensors) is told
    with pytest.raises(PluginError, match="estimator 'x': raised SystemExit: 3"):
        CheckedEstimator("estimator 'x'", 4, Telling(lost)).reset()


def test_a_criterion_without_words_is_told() -> None:
    """A verdict had None among its reasons."""
    (kept,) = criteria_told([Criterion("far", np.bool_(True), "far enough", np.float64(1.0))])
    assert (kept.passed, kept.asked) == (True, 1.0)
    with pytest.raises(TypeError, match="the text of its criterion 'far' is no text, but None"):
        criteria_told([Criterion("far", True, None)])


def test_what_is_no_estimator_is_told_before_a_run() -> None:
    legs = LeggedBody.of(andante.Robot.load("spirit40"))
    andante.register("estimators", "nothing-here", EstimatorKind(lambda body, ground: None))
    try:
        with pytest.raises(PluginError, match=r"estimator 'nothing-here': has no reset\(\); got 'NoneType'"):
            make_estimator("nothing-here", legs, None)
    finally:
        ESTIMATORS.unregister("nothing-here")
