"""What the local planner does about a push: it steps quicker, and plans no force on feet that found no ground."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.gait import GAITS, Gait, quicker
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest, Mode
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot

STEP = 0.03
ALL = np.ones(4, dtype=np.bool_)


@pytest.fixture(scope="module", name="body")
def _body() -> QuadrupedBody:
    return QuadrupedBody.of(Robot.load("spirit40"))


class Walk:
    """A planner that is asked every 10 ms for a body that stands still over its feet, at a speed that is told."""

    def __init__(self, body: QuadrupedBody, **changes: object) -> None:
        settings = LocalSettings().changed(**changes)
        self.planner = LocalPlanner(body, OnlineNmpc(settings.nmpc, body.rigid), settings)
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius
        self.state = np.zeros(12)
        self.state[2] = body.height
        self.ticks = 0

    def plan(self, sideways: float = 0.0, touching: np.ndarray = ALL, forward: float = 0.5) -> LocalPlan:
        self.state[7] = sideways
        twist = np.array([forward, 0.0, 0.0])
        request = LocalRequest(0.01 * self.ticks, self.state.copy(), self.feet.copy(), touching, twist)
        self.ticks += 1
        return self.planner.plan(request)

    def steps(self, until: float) -> list[LocalPlan]:
        return [self.plan() for _ in range(round(until / 0.01) - self.ticks)]


class Counted(OnlineNmpc):
    """A solver that counts what it is asked."""

    count = 0

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        self.count += 1
        return super().solve(problem, guess)


def length(plan: LocalPlan, foot: int) -> float:
    """Time of a whole swing of a foot later in the plan [s]."""
    swing = plan.swings[foot, plan.swing_counts[foot] - 2]
    return float(swing[1] - swing[0])


def period(plan: LocalPlan, foot: int) -> float:
    """Time from one lift-off of a foot to the next, later in the plan [s]."""
    last = plan.swing_counts[foot] - 1
    return float(plan.swings[foot, last, 0] - plan.swings[foot, last - 1, 0])


def test_a_trot_with_swings_of_two_thirds_of_its_own_has_two_thirds_of_its_period():
    # It swings for 0.18 s of 0.36 s.
    quick = quicker(GAITS["trot"], 0.12, STEP)
    assert quick.period == pytest.approx(0.24)
    assert quick.duty == GAITS["trot"].duty
    assert quick.offsets == GAITS["trot"].offsets
    # Of different shares the shortest swing counts: 0.25 x 0.72 s of the walk.
    assert quicker(GAITS["walk"], 0.12, STEP).period == pytest.approx(0.48)


@given(swing=st.floats(0.06, 0.5), name=st.sampled_from(sorted(GAITS)))
def test_a_quicker_gait_keeps_its_shares_or_is_the_gait_itself(swing, name):
    gait = GAITS[name]
    quick = quicker(gait, swing, STEP)
    if quick is gait:
        return
    assert quick.duty == gait.duty
    assert quick.period < gait.period
    assert min(quick.period * (1.0 - each) for each in quick.duty) == pytest.approx(swing)
    assert quick.pattern(STEP).any(axis=0).all()


def test_a_gait_that_cannot_be_quicker_stays():
    short = Gait(period=0.06)
    assert quicker(short, 0.02, STEP) is short
    # Swings of 0.18 s are not made longer.
    assert quicker(GAITS["trot"], 0.18, STEP) is GAITS["trot"]
    assert quicker(GAITS["trot"], 0.3, STEP) is GAITS["trot"]


def test_steps_are_quicker_from_a_push_until_a_period_after_it(body):
    walk = Walk(body)
    before = walk.steps(0.6)[-1]
    assert period(before, 0) == pytest.approx(0.36)
    # 1.2 m/s to the side, where nothing is asked.
    pushed = walk.plan(sideways=1.2)
    assert period(pushed, 0) == pytest.approx(0.24)
    assert length(pushed, 0) == pytest.approx(0.12, abs=1e-6)
    # Feet that swing come down no later than they would have.
    for foot in np.flatnonzero(~before.contact[0]):
        assert pushed.swings[foot, 0, 1] <= before.swings[foot, 0, 1] + 1e-9
    calm = walk.steps(0.6 + 0.01 + 0.21)[-1]
    assert period(calm, 0) == pytest.approx(0.24)
    assert period(walk.steps(0.6 + 0.36)[-1], 0) == pytest.approx(0.36)


def test_steps_that_a_push_makes_a_standing_robot_take_are_quick_too(body):
    walk = Walk(body)
    for _ in range(10):
        assert walk.plan(forward=0.0).mode is Mode.STAND
    # It steps from 0.1 m/s on, and quickly from 0.8.
    assert period(walk.plan(sideways=0.3, forward=0.0), 0) == pytest.approx(0.36)
    assert period(walk.plan(sideways=1.2, forward=0.0), 0) == pytest.approx(0.24)


def test_a_small_error_of_the_velocity_changes_no_step(body):
    walk = Walk(body)
    walk.steps(0.6)
    assert period(walk.plan(sideways=0.3), 0) == pytest.approx(0.36)


def test_a_foot_that_misses_the_ground_carries_nothing_until_it_touches(body):
    walk = Walk(body)
    plan = walk.steps(0.45)[-1]
    missing = int(np.flatnonzero(plan.contact[0])[0])
    other = int(np.flatnonzero(plan.contact[0])[1])
    touching = np.arange(4) != missing
    first = walk.plan(touching=touching)
    # It may be just about to come down.
    assert first.forces[0, missing, 2] > 1.0
    walk.plan(touching=touching)
    later = walk.plan(touching=touching)
    assert later.contact[0, missing]
    assert np.abs(later.forces[0, missing]).max() == 0.0
    assert later.forces[0, other, 2] > first.forces[0, other, 2]
    # It counts on it again in the next interval, and at once when it touches.
    assert later.forces[1, missing, 2] > 1.0
    assert walk.plan().forces[0, missing, 2] > 1.0


def test_while_a_push_is_caught_another_solver_weighs_the_errors(body):
    settings = LocalSettings()
    usual = Counted(settings.nmpc, body.rigid)
    catching = Counted(settings.nmpc.changed(weights=settings.hurry_weights), body.rigid)
    walk = Walk(body)
    walk.planner = LocalPlanner(body, usual, settings, None, catching)
    walk.steps(0.3)
    assert (usual.count, catching.count) == (30, 0)
    plans = [walk.plan(1.5) for _ in range(5)]
    assert (usual.count, catching.count) == (30, 5)
    # It loses the speed more slowly than the usual weights would have it, and leans less.
    plain = OnlineNmpc(settings.nmpc, body.rigid).solve(plans[-1].problem)
    assert plans[-1].states[4, 7] > plain.states[4, 7] + 0.05
    assert abs(plans[-1].states[4:, 3]).max() < abs(plain.states[4:, 3]).max()
    walk.steps(2.0)
    assert catching.count < 60
    assert usual.count + catching.count == 200
