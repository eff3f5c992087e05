"""What the local planner keeps from plan to plan and asks of its solver, which here only shares the weight."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.planning.nmpc.problem import NmpcSolution, NmpcStatus
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY

STEP = 0.03
ALL = np.ones(4, dtype=np.bool_)
SETTINGS = NmpcSettings(states=15)


@pytest.fixture(scope="module", name="body")
def _body():
    return QuadrupedBody.of(Robot.load("spirit40"))


class Shares:
    """Gives every standing foot an equal share, the states as they are asked for, and keeps what it was asked."""

    def __init__(self, weight):
        self.settings, self.weight, self.fails, self.asked = SETTINGS, weight, 0, []

    def solve(self, problem, guess=None):
        self.asked.append((problem, guess))
        if self.fails > 0:
            self.fails -= 1
            return NmpcSolution(NmpcStatus.INFEASIBLE, problem.reference * np.nan, problem.feet, math.inf, 0, 0.0, "no")
        return NmpcSolution(NmpcStatus.SOLVED, problem.reference, problem.shares(self.weight), 0.0, 1, 0.0)


class Robotic:
    """A planner and a body whose state the test sets."""

    def __init__(self, body, **changes):
        weight = body.rigid.mass * GRAVITY
        self.body, self.solver, self.catching = body, Shares(weight), Shares(weight)
        self.settings = LocalSettings().changed(**changes)
        self.planner = LocalPlanner(body, self.solver, self.settings, None, self.catching)
        self.fitted = self.settings.fitted(body)
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius
        self.state = np.zeros(12)
        self.state[:2] = self.feet[:, :2].mean(axis=0) + (body.com - body.hips.mean(axis=0))[:2]
        self.state[2] = body.height

    def plan(self, time, twist=(0.0, 0.0, 0.0), contact=ALL, course=None, start=0.0):
        request = LocalRequest(time, self.state.copy(), self.feet.copy(), contact, np.array(twist), plan=course,
                               plan_start=start)  # fmt: skip
        return self.planner.plan(request)


def test_a_robot_that_stands_holds_its_pose_over_its_feet(body):
    robot = Robotic(body)
    robot.feet[:, 2] += [0.01, 0.01, 0.03, 0.03]
    plan = robot.plan(0.0)
    assert plan.mode is Mode.STAND
    assert plan.contact.all()
    assert not plan.fallback
    reference = plan.problem.reference
    assert reference[:, 2] == pytest.approx(np.full(15, 0.02 + body.height))
    assert (reference[:, 6:] == 0.0).all()
    assert plan.times == pytest.approx(STEP * np.arange(15))
    assert robot.planner.latency == 0.01


def test_plans_lie_on_the_grid_of_the_first_and_the_guess_moves_on_with_it(body):
    robot = Robotic(body)
    for time, index, first in ((1.0, 0, 0.03), (1.01, 0, 0.02), (1.0295, 1, 0.0305), (1.03, 1, 0.03), (1.07, 2, 0.02)):
        plan = robot.plan(time)
        assert plan.index == index
        assert np.diff(plan.times) == pytest.approx([first, *[STEP] * 13])
        assert plan.problem.durations == pytest.approx(np.diff(plan.times))
    guesses = [guess for _, guess in robot.solver.asked]
    assert guesses[0] is None
    # Within an interval the last solution is the guess itself.
    assert guesses[1].states is robot.solver.asked[0][0].reference
    assert guesses[2].states[0].tolist() == robot.solver.asked[1][0].reference[1].tolist()
    robot.planner.reset()
    assert robot.plan(5.0).index == 0
    assert robot.solver.asked[-1][1] is None


def test_a_solve_that_fails_is_tried_without_the_guess_and_then_shares_the_weight(body):
    robot = Robotic(body)
    robot.solver.fails = 1
    failed = robot.plan(0.0)
    assert failed.fallback
    assert failed.solution.status is NmpcStatus.FALLBACK
    assert len(robot.solver.asked) == 1
    robot.plan(0.01)
    assert robot.solver.asked[-1][1] is None
    robot.solver.fails = 1
    assert not robot.plan(0.02).fallback
    assert [guess is None for _, guess in robot.solver.asked[-2:]] == [False, True]
    robot.solver.fails = 2
    found = robot.plan(0.03)
    assert found.fallback
    assert found.forces[0, :, 2] == pytest.approx([robot.solver.weight / 4.0] * 4)


def test_the_wanted_place_goes_ahead_with_the_twist_on_a_leash(body):
    robot = Robotic(body)
    x, y = robot.state[:2].copy()
    first = robot.plan(0.0, (0.4, 0.2, 0.5)).problem.reference
    assert first[0, [0, 1, 5]] == pytest.approx([x, y, 0.0])
    second = robot.plan(0.05, (0.4, 0.2, 0.5)).problem.reference
    assert second[0, [0, 1, 5]] == pytest.approx([x + 0.02, y + 0.01, 0.025])
    assert second[0, 6:8] == pytest.approx([0.4 * math.cos(0.025) - 0.2 * math.sin(0.025),
                                            0.4 * math.sin(0.025) + 0.2 * math.cos(0.025)])  # fmt: skip
    # The body does not follow: place and heading are held at their leashes.
    for tick in range(2, 40):
        last = robot.plan(0.05 * tick, (0.4, 0.2, 0.5)).problem.reference
    assert math.hypot(last[0, 0] - x, last[0, 1] - y) == pytest.approx(robot.fitted.leash)
    assert last[0, 5] == pytest.approx(robot.fitted.yaw_leash)
    robot.state[5] = 1.0
    assert robot.plan(2.0, (0.4, 0.2, 0.0)).problem.reference[0, 5] == pytest.approx(1.0 - robot.fitted.yaw_leash)


def test_a_twist_below_the_least_command_is_no_order(body):
    for twist, mode in (((0.019, 0.0, 0.0), Mode.STAND), ((0.0, -0.03, 0.0), Mode.STEP), ((0, 0, 0.03), Mode.STEP)):
        robot = Robotic(body, stand_command=0.02)
        scale = robot.fitted.stand_command / 0.02
        assert robot.plan(0.0, np.array(twist) * scale).mode is mode


def test_a_foot_that_is_late_carries_nothing_in_the_first_interval_after_20_ms(body):
    robot = Robotic(body)
    contact = robot.plan(0.0, (0.3, 0.0, 0.0)).contact[0]
    late = int(np.flatnonzero(contact)[0])
    touching = np.arange(4) != late
    missing = robot.fitted.missing
    for time, carries in ((0.001, True), (0.001 + 0.5 * missing, True), (0.001 + missing, False)):
        plan = robot.plan(time, (0.3, 0.0, 0.0), touching)
        assert plan.contact[0, late]
        assert plan.problem.contact[0, late] == carries
        assert plan.problem.contact[1, late] == plan.contact[1, late]
    # Once it touches, the time begins anew.
    assert robot.plan(0.025, (0.3, 0.0, 0.0)).problem.contact[0, late]
    assert robot.plan(0.026, (0.3, 0.0, 0.0), touching).problem.contact[0, late]
    # A robot that stands counts on all its feet.
    still = Robotic(body)
    for tick in range(10):
        assert still.plan(0.01 * tick, contact=touching).problem.contact.all()


def test_swings_begin_where_the_foot_stood_and_when_it_left(body):
    robot = Robotic(body)
    plans = {tick: robot.plan(0.01 * tick, (0.3, 0.0, 0.0)) for tick in range(40)}
    for tick in range(1, 40):
        for leg in np.flatnonzero(~plans[tick].contact[0]):
            swing = plans[tick].swings[leg, 0]
            left = max(k for k in range(-1, tick) if k < 0 or plans[k].contact[0, leg])
            if left >= 0:
                # The first plan of the interval after the last in which it stood.
                assert swing[0] == pytest.approx(0.01 * (left + 1), abs=1e-9)
                assert swing[2:5] == pytest.approx(robot.feet[leg])


def test_a_foot_that_is_about_to_touch_stands_on_the_ground_that_is_known(body):
    robot = Robotic(body)
    contact = robot.plan(0.0, (0.3, 0.0, 0.0)).contact[0]
    leg = int(np.flatnonzero(contact)[1])
    robot.feet[leg, 2] += 0.03
    plan = robot.plan(0.01, (0.3, 0.0, 0.0), np.arange(4) != leg)
    assert plan.problem.feet[0, leg, 2] == pytest.approx(0.0, abs=1e-6)
    assert plan.problem.feet[0, leg, :2] == pytest.approx(robot.feet[leg, :2])


def test_a_plan_that_is_used_late_begins_from_the_state_then(body):
    robot = Robotic(body, latency=0.02)
    robot.state[6] = 0.05
    plan = robot.plan(1.0)
    # A quarter of the weight on each foot: it goes on at its speed, and gravity is carried.
    assert plan.time == pytest.approx(1.02)
    assert plan.problem.start[0] == pytest.approx(robot.state[0] + 0.02 * 0.05, abs=2e-5)
    assert plan.problem.start[2] == pytest.approx(robot.state[2], abs=1e-9)
    assert plan.problem.start[8] == pytest.approx(0.0, abs=1e-9)
    # From then on the forces of the plans under way count: one that pushes with twice the weight.
    robot.solver.weight *= 2.0
    robot.plan(1.01)
    plan = robot.plan(1.03)
    assert plan.problem.start[8] == pytest.approx(0.02 * GRAVITY)
    # As late as the next plan needs no prediction.
    assert Robotic(body, latency=0.01).plan(1.0).time == 1.0


def course(kinds, heights, body, speed=0.0):
    states = np.zeros((len(kinds), 12))
    states[:, 0], states[:, 6] = speed * STEP * np.arange(len(kinds)), speed
    states[:, 2] = heights
    return BodyPlan(STEP, states, np.zeros((len(kinds), 3)), np.array(kinds))


def test_legs_come_down_when_free_fall_brings_the_hip_there_and_the_landing_is_caught(body):
    kinds = [Primitive.FLIGHT] * 12 + [Primitive.LAND_STANCE] * 2 + [0] * 10
    robot = Robotic(body)
    robot.state[2] = body.height + 0.05
    robot.state[8] = 0.0
    plan = robot.plan(0.0, course=course(kinds, body.height + 0.05, body), contact=np.zeros(4, dtype=np.bool_))
    assert plan.mode is Mode.STEP
    # 0.05 m of free fall take 0.10 s: the rows from 0.12 s on.
    assert not plan.contact[:4].any()
    assert plan.contact[4:12].all()
    assert not robot.catching.asked
    # A foot that touches while the body sinks has landed, and stays so when it bounces.
    robot.state[8] = -0.3
    touching = np.array([True, False, False, False])
    assert robot.plan(0.01, course=course(kinds, body.height, body), contact=touching).contact[0].tolist() == [
        True, False, False, False,
    ]  # fmt: skip
    assert len(robot.catching.asked) == 1
    again = robot.plan(0.02, course=course(kinds, body.height, body), contact=np.zeros(4, dtype=np.bool_))
    assert again.contact[0, 0]
    assert not again.contact[0, 1]
    # While the body rises nothing has landed.
    rising = Robotic(body)
    rising.state[2], rising.state[8] = body.height - 0.01, 0.5
    plan = rising.plan(0.0, course=course(kinds, body.height, body), contact=ALL)
    assert not plan.contact[0].any()


def test_a_landing_is_caught_for_a_tenth_of_a_second_and_longer_while_low_or_tilted(body):
    kinds = [Primitive.LAND_STANCE] + [0] * 60
    for low, tilt, until in ((0.0, 0.0, "landing"), (0.1, 0.0, "landing_time"), (0.0, 0.1, "landing_time")):
        robot = Robotic(body)
        robot.state[2] -= low
        robot.state[4] = tilt
        way, last = course(kinds, body.height, body), 0.0
        for tick in range(130):
            before = len(robot.catching.asked)
            robot.plan(0.01 * tick, course=way)
            if len(robot.catching.asked) > before:
                last = 0.01 * tick
        # The plan's first interval is that of the landing.
        assert last == pytest.approx(STEP - 0.01 + getattr(robot.fitted, until), abs=0.02)


def test_legs_that_push_off_leave_when_they_are_stretched_and_do_not_come_back(body):
    kinds = [Primitive.LEAP_STANCE] * 10 + [Primitive.FLIGHT] * 5 + [Primitive.LAND_STANCE] * 3 + [0] * 20
    longest = float(body.legs.table.lengths.sum(axis=1).mean())
    hip = body.hips[:, 2].mean() - body.com[2]
    rise = np.full(len(kinds), body.height)
    # From row 6 on the hips would be higher than the legs are long.
    rise[6:10] = 1.2 * longest - hip
    robot = Robotic(body)
    plan = robot.plan(0.0, course=course(kinds, rise, body))
    assert plan.contact[:5].all()
    assert not plan.contact[5:10].any()
    # The same a moment later: what has left does not stand again, though it would reach.
    flat = course(kinds, body.height, body)
    assert not robot.plan(0.16, course=flat).contact[0].any()
    # Without a push nothing leaves.
    usual = Robotic(body)
    assert usual.plan(0.0, course=flat).contact[:8].all()


def test_a_body_plan_asks_for_steps_while_it_moves_or_its_end_is_away(body):
    for axis, speed, away, mode in ((6, 0.2, 0.0, Mode.STEP), (8, 0.2, 0.0, Mode.STEP), (6, 0.0, 0.9, Mode.STAND),
                                    (6, 0.0, 1.1, Mode.STEP)):  # fmt: skip
        robot = Robotic(body)
        way = course([0] * 40, body.height, body)
        way.states[:, :2], way.states[:, axis] = robot.state[:2], speed
        way.states[-1, 1] += away * robot.fitted.stand_offset
        assert robot.plan(0.0, course=way).mode is mode


def test_a_robot_that_stops_holds_the_middle_of_its_feet(body):
    robot = Robotic(body)
    for tick in range(30):
        walking = robot.plan(0.01 * tick, (0.4, 0.0, 0.0))
    assert walking.mode is Mode.STEP
    # The wanted place went ahead of the body, which did not follow.
    assert walking.problem.reference[0, 0] > robot.state[0] + 0.03
    plans = [robot.plan(0.3 + 0.01 * tick) for tick in range(200)]
    stands = next(plan for plan in plans if plan.mode is Mode.STAND)
    assert stands.problem.reference[0, :2] == pytest.approx(robot.state[:2], abs=1e-6)


def test_the_state_then_is_reached_by_the_forces_of_each_plan_under_way_in_its_own_time(body):
    robot = Robotic(body, latency=0.03)
    weight = robot.solver.weight
    for part in range(3):
        robot.solver.weight = (1 + part) * weight
        robot.plan(1.0 + 0.01 * part)
    # From 1.03 to 1.06 s the three plans push in turn with one, two and three times the weight.
    plan = robot.plan(1.03)
    assert plan.problem.start[8] == pytest.approx(0.01 * (0.0 + 1.0 + 2.0) * GRAVITY)
    # Constant within each part: 0.5 g t^2 in the second, the speed of that and g t^2 in the third.
    rise = GRAVITY * 0.01**2 * (0.5 + 1.0 + 1.0)
    assert plan.problem.start[2] - robot.state[2] == pytest.approx(rise, abs=1e-4)


def test_legs_come_down_sooner_where_the_ground_rises_below_the_flight(body):
    kinds = [Primitive.FLIGHT] * 12 + [Primitive.LAND_STANCE] * 2 + [0] * 10
    for speed, first in ((0.0, 4), (1.0, 3), (-1.0, 5)):
        robot = Robotic(body)
        middle = robot.feet[:, 0].mean()
        robot.feet[:, 2] += 0.2 * (robot.feet[:, 0] - middle)
        robot.state[2] += 0.05 + 0.2 * (robot.state[0] - middle)
        robot.state[6] = speed
        way = course(kinds, body.height + 0.05, body)
        contact = robot.plan(0.0, course=way, contact=np.zeros(4, dtype=np.bool_)).contact
        # 0.05 m of fall over ground that rises by 0.2 m/s, or sinks: after 0.101, 0.083 and 0.123 s.
        assert int(np.argmax(contact.all(axis=1))) == first, speed


def test_legs_push_off_where_the_body_is_and_not_where_the_plan_has_it(body):
    kinds = [Primitive.LEAP_STANCE] * 10 + [Primitive.FLIGHT] * 5 + [Primitive.LAND_STANCE] * 3 + [0] * 20
    way = course(kinds, body.height, body)
    # The robot is a leg's length behind its plan: its own legs reach all the same.
    way.states[:, 0] += float(body.legs.table.lengths.sum(axis=1).mean())
    assert Robotic(body).plan(0.0, course=way).contact[:8].all()


def test_a_robot_as_quick_as_it_shall_be_catches_no_push(body):
    robot = Robotic(body)
    robot.state[6] = 1.0
    for tick in range(20):
        robot.plan(0.01 * tick, (1.0, 0.0, 0.0))
        robot.state[0] += 0.01
        robot.feet[:, 0] += 0.01
    assert robot.solver.asked
    assert not robot.catching.asked
    robot.state[7] = 0.8
    for tick in range(20, 24):
        robot.plan(0.01 * tick, (1.0, 0.0, 0.0))
    assert robot.catching.asked


def test_a_robot_that_nobody_leads_into_a_flight_swings_its_feet_as_high_as_usual(body):
    robot = Robotic(body)
    plan = robot.plan(0.0, (0.3, 0.0, 0.0))
    for leg in range(4):
        for swing in plan.swings[leg, : plan.swing_counts[leg]]:
            assert swing[8] == pytest.approx(max(swing[4], swing[7]) + robot.fitted.clearance)
