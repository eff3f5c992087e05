"""What the local planner asks of its parts, keeps from plan to plan, and forgets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planned_robot import ALL, NONE, ROWS, STEP, Growing, Robotic, course

from andante.planning.quadruped import local_planner
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.ground import level_ground
from andante.planning.quadruped.local_plan import Mode
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY


@pytest.fixture(scope="module", name="body")
def _body():
    return QuadrupedBody.of(Robot.load("spirit40"))


def choices(planner):
    """What its stepping is asked from now on: wrong, level, whether motion is asked for, interval."""
    asked, choose = [], planner._stepping.choose

    def noted(request, *rest):
        asked.append(rest)
        choose(request, *rest)

    planner._stepping.choose = noted
    return asked


@pytest.fixture
def horizons(monkeypatch):
    """What feet are planned over."""
    found, plan_feet = [], local_planner.plan_feet

    def noted(ground, rules, asked, legs, chosen, planned):
        before = legs._replace(before=legs.before.copy(), standing=legs.standing.copy(), lifted=legs.lifted.copy())
        found.append((rules, asked, before))
        plan_feet(ground, rules, asked, legs, chosen, planned)

    monkeypatch.setattr(local_planner, "plan_feet", noted)
    return found


def test_solvers_are_those_that_are_given_or_weigh_as_the_settings_say(body):
    one, other = Growing(body), Growing(body)
    for given, usual, catching in (((one, None), one, one), ((one, other), one, other)):
        planner = LocalPlanner(body, given[0], catching=given[1])
        assert (planner._solver, planner._catching) == (usual, catching)
    settings = LocalSettings().fitted(body)
    planner = LocalPlanner(body)
    assert planner._solver.settings.weights == settings.nmpc.weights
    assert planner._catching.settings.weights == settings.hurry_weights
    assert LocalPlanner(body, catching=other)._catching is other


def same(plan, other):
    for name in ("time", "index", "mode", "fallback", "why"):
        assert getattr(plan, name) == getattr(other, name), name
    for name in ("times", "contact", "swings", "swing_counts", "unsafe", "primitives", "states", "forces"):
        np.testing.assert_array_equal(getattr(plan, name), getattr(other, name), err_msg=name)
    for name in ("start", "reference", "durations", "contact", "feet", "ground"):
        np.testing.assert_array_equal(getattr(plan.problem, name), getattr(other.problem, name), err_msg=name)


def test_after_a_reset_nothing_of_before_counts(body):
    used, new = Robotic(body, latency=0.02), Robotic(body, latency=0.02)
    used.plan(0.0)
    for tick in range(1, 12):
        used.state[6:8] = 0.3, (0.1 if tick < 8 else 1.5)
        used.plan(0.01 * tick, (0.4, 0.1, 0.3), np.arange(4) != tick % 4)
    falls = course(body, [Primitive.FLIGHT] * 30, z=body.height + 0.1)
    used.state[8] = -0.2
    used.plan(0.12, contact=ALL, course=falls)
    assert used.planner._down.all()
    used.planner.reset()
    used.state[:] = new.state
    asked = len(used.catching.asked)
    for tick in range(6):
        twist = (0.3, 0.0, 0.0) if tick > 1 else (0.0, 0.0, 0.0)
        contact = np.arange(4) != 1
        same(used.plan(5.0 + 0.01 * tick, twist, contact), new.plan(5.0 + 0.01 * tick, twist, contact))
    assert len(used.catching.asked) == asked
    flies = course(body, [Primitive.FLIGHT] * 30, z=body.height + 0.1)
    for robot in (used, new):
        robot.state[2] += 0.1
    same(used.plan(5.06, contact=NONE, course=flies), new.plan(5.06, contact=NONE, course=flies))


def test_what_is_wrong_with_the_velocity_is_told_without_what_is_asked_in_addition(body, horizons):
    robot = Robotic(body, trim_time=0.03).moved(1.0, 2.0, 0.7)
    asked = choices(robot.planner)
    twist, ahead, left = np.array([0.4, 0.1, 0.0]), np.array([math.cos(0.7), math.sin(0.7)]), None
    left = np.array([-ahead[1], ahead[0]])
    robot.state[6:8] = 0.3 * ahead + 0.3 * left
    for tick in range(12):
        plan = robot.plan(0.01 * tick, twist)
    wrong, _, ordered, _ = asked[-1]
    assert ordered
    # What is asked is more by the trim, which makes up for 0.1 m/s that is lacking and 0.2 m/s too many.
    extra = plan.problem.reference[0, 6:8] - (0.4 * ahead + 0.1 * left)
    assert extra @ ahead > 0.03
    assert extra @ left < -0.03
    assert wrong == pytest.approx(-0.1 * ahead + 0.2 * left)
    # Feet are placed by what is asked for in all.
    assert horizons[-1][1].error == pytest.approx(-0.1 * ahead + 0.2 * left - extra)


def test_a_robot_that_stands_learns_no_trim(body):
    robot = Robotic(body, trim_time=0.03, stand_speed=9.0)
    robot.state[6] = 0.2
    for tick in range(12):
        plan = robot.plan(0.01 * tick)
    assert plan.mode is Mode.STAND
    assert robot.planner._trim._trim.tolist() == [0.0, 0.0]


def test_a_slope_is_what_the_body_s_tilt_is_told_against(body):
    robot = Robotic(body)
    robot.feet[:, 2] += 0.1 * robot.feet[:, 0] - 0.2 * robot.feet[:, 1]
    asked = choices(robot.planner)
    # As it heads now, not as it will once it has turned.
    robot.plan(0.0, (0.3, 0.0, 2.0))
    _, level, _, index = asked[-1]
    # Up ahead by a tenth the nose is up; up to the right by a fifth the right side is.
    assert level == pytest.approx([math.asin(-0.2 / math.sqrt(1.05)), -math.atan(0.1)], abs=1e-6)
    assert index == 0


def test_feet_are_planned_from_where_the_body_is(body, horizons):
    robot = Robotic(body).moved(1.0, 2.0, 0.0)
    robot.plan(0.0, (0.5, 0.2, 0.0))
    robot.state[:2] += [0.02, -0.01]
    robot.state[6:8] = 0.6, 0.1
    plan = robot.plan(0.01, (0.5, 0.2, 0.0))
    _, asked, legs = horizons[-1]
    # The reference went on by 5 and 2 mm.
    assert asked.shift == pytest.approx([0.015, -0.012])
    assert asked.error == pytest.approx([0.1, -0.1])
    # What is asked now counts, not what will be asked once it has turned.
    turned = robot.plan(0.01, (0.5, 0.2, 3.0)).problem.reference
    assert horizons[-1][1].error == pytest.approx(robot.state[6:8] - turned[0, 6:8])
    assert np.abs(turned[1, 6:8] - turned[0, 6:8]).max() > 0.01
    _, asked, legs = horizons[-2]
    assert asked.times == pytest.approx(plan.times)
    assert asked.contact.tolist() == plan.contact.astype(float).tolist()
    assert asked.flown.tolist() == [-math.inf] * (ROWS - 1)
    assert legs.standing == pytest.approx(robot.feet)
    assert legs.hips.tolist() == (body.hips - body.com).tolist()
    assert np.abs(body.com).max() > 1e-3
    assert legs.radius.tolist() == body.radius.tolist()
    assert legs.stance_times == pytest.approx([0.18] * 4)


def test_the_next_plan_is_told_where_the_next_touch_downs_were(body, horizons):
    robot = Robotic(body)
    first = robot.plan(0.0)
    assert np.isnan(horizons[-1][2].before).all()
    assert first.swing_counts.tolist() == [0] * 4
    second = robot.plan(0.01, (0.3, 0.0, 0.0))
    # A robot that stands has none.
    assert np.isnan(horizons[-1][2].before).all()
    assert (second.swing_counts == 1).any()
    robot.plan(0.02, (0.3, 0.0, 0.0))
    np.testing.assert_array_equal(horizons[-1][2].before, second.swings[:, 0, 5:8])


def test_a_body_plan_goes_at_its_own_speed_before_a_body_that_leads(body):
    rows = 60
    kinds = [Primitive.LEAP_STANCE] * 3 + [0] * (rows - 3)
    way = course(body, kinds, x=0.5 * STEP * np.arange(rows), vx=0.5)
    robot = Robotic(body)
    robot.state[0] = 0.5 * 0.3 + 0.2
    plan = robot.plan(0.3, course=way)
    # The clock is as quick as it may be, the horizon goes on as the plan does.
    assert robot.planner._clock.pace == 1.25
    assert np.diff(plan.problem.reference[:, 0]) == pytest.approx(np.full(ROWS - 1, 0.5 * STEP))
    # One that lags is waited for.
    robot = Robotic(body)
    robot.state[0] = -0.2
    plan = robot.plan(0.3, course=way)
    assert np.diff(plan.problem.reference[:, 0]) == pytest.approx(np.full(ROWS - 1, 0.4 * 0.5 * STEP))


@pytest.mark.parametrize("turns", [-3, 0, 2])
def test_a_body_plan_is_told_in_the_turns_that_the_robot_has_made(body, turns):
    robot = Robotic(body)
    robot.state[5] = 2.0 * math.pi * turns + 0.1
    plan = robot.plan(0.0, course=course(body, [0] * 40, yaw=0.2))
    assert plan.problem.reference[:, 5] == pytest.approx(np.full(ROWS, 2.0 * math.pi * turns + 0.2))


def test_a_flight_is_as_high_for_the_feet_as_the_rest_of_the_plan_has_it(body, horizons):
    kinds = [0] * 4 + [Primitive.FLIGHT] * 6 + [0] * 30
    heights = np.full(40, body.height)
    heights[4:10] = body.height + 0.01 * np.arange(6)
    robot = Robotic(body)
    for time, first in ((0.0, 4), (0.03, 3), (0.09, 1)):
        robot.plan(time, contact=ALL, course=course(body, kinds, z=heights, vx=0.1))
        flown = horizons[-1][1].flown
        assert len(flown) == ROWS - 1
        assert flown[first : first + 6] == pytest.approx(np.full(6, body.height + 0.05)), time
        assert np.isinf(np.delete(flown, np.arange(first, first + 6))).all(), time


def test_a_plan_that_is_used_late_begins_with_the_forces_of_its_own_rows_until_then(body):
    robot = Robotic(body, grows=1.0, latency=0.04)
    # It begins at 1.04 s; its rows at 1.04, 1.07, 1.10 s carry one, two and three times the weight.
    robot.plan(1.0)
    plan = robot.plan(1.08)
    # From 1.08 to 1.12 s: twice the weight for 20 ms, three times for 20 ms.
    assert plan.time == pytest.approx(1.12)
    assert plan.problem.start[8] == pytest.approx(0.06 * GRAVITY)
    # Long after its end the last row counts, of the plan of 1.08 s: fourteen times the weight.
    plan = robot.plan(3.0)
    assert plan.problem.start[8] == pytest.approx(0.04 * 13.0 * GRAVITY)
    # From its begin to the end of its first interval the first row does.
    robot = Robotic(body, grows=1.0, latency=0.02)
    robot.plan(1.0)
    assert robot.plan(1.02).problem.start[8] == pytest.approx(0.0, abs=1e-9)


def test_a_plan_that_is_not_yet_used_counts_for_nothing(body):
    robot = Robotic(body, latency=0.02)
    robot.plan(1.0)
    robot.solver.weight *= 2.0
    robot.plan(1.01)
    # That of 1.01 s is used from 1.03 s on.
    assert robot.plan(1.0).problem.start[8] == pytest.approx(0.0, abs=1e-9)
    assert robot.planner._under_way.maxlen == 2 * 2 + 2


def test_a_twist_that_is_no_order_moves_no_place(body):
    robot = Robotic(body)
    slow = 0.9 * robot.fitted.stand_command
    for tick in range(5):
        plan = robot.plan(0.01 * tick, (slow, slow, slow))
        assert plan.mode is Mode.STAND
        assert plan.problem.reference[0, [0, 1, 5]] == pytest.approx([*robot.state[:2], 0.0])


def test_time_in_which_no_plan_was_found_moves_no_place(body):
    robot = Robotic(body)
    robot.plan(0.0, (0.4, 0.0, 0.0))
    robot.solver.fails = 2
    assert robot.plan(0.01, (0.4, 0.0, 0.0)).fallback
    plan = robot.plan(0.03, (0.4, 0.0, 0.0))
    assert plan.problem.reference[0, 0] - robot.state[0] == pytest.approx(0.4 * 0.01)
    plan = robot.plan(0.05, (0.4, 0.0, 0.0))
    assert plan.problem.reference[0, 0] - robot.state[0] == pytest.approx(0.4 * 0.03)


@pytest.mark.parametrize("axis", [6, 7, 8])
@pytest.mark.parametrize("row", [0, 5, -1])
def test_a_body_plan_asks_for_motion_along_any_axis_in_any_row_of_the_horizon(body, axis, row):
    robot = Robotic(body)
    request = robot.request(course=course(body, [0] * 5, x=robot.state[0], y=robot.state[1]))
    limit = robot.fitted.stand_command
    for speed, asked in ((limit, False), (-limit, False), (1.001 * limit, True), (-1.001 * limit, True)):
        reference = np.zeros((ROWS, 12))
        reference[row, axis] = speed
        assert robot.planner._asked(request, reference, np.zeros(ROWS, dtype=np.int64)) == asked
    leaps = np.zeros(ROWS, dtype=np.int64)
    leaps[row] = Primitive.LEAP_STANCE
    assert robot.planner._asked(request, np.zeros((ROWS, 12)), leaps)


def test_a_body_plan_whose_end_is_away_asks_for_motion(body):
    robot = Robotic(body, stand_offset=0.0625)
    robot.planner._settings = robot.fitted.changed(stand_offset=0.0625)
    still, kinds = np.zeros((ROWS, 12)), np.zeros(ROWS, dtype=np.int64)
    robot.state[:2] = 1.0, -2.0
    for away, asked in ((0.0625, False), (0.0626, True)):
        for way in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
            plan = course(body, [0] * 5, x=5.0, y=5.0)
            plan.states[-1, :2] = robot.state[:2] + away * np.array(way)
            assert robot.planner._asked(robot.request(course=plan), still, kinds) == asked, (away, way)
    # Both together count, and only the last row's.
    plan = course(body, [0] * 5, x=1.05, y=-2.05)
    assert robot.planner._asked(robot.request(course=plan), still, kinds)


@pytest.mark.parametrize("twist", [(0.012, 0.0, 0.0), (0.0, -0.012, 0.0), (0.0, 0.0, 0.012), (0.003, -0.012, 0.006)])
def test_why_a_twist_makes_no_steps_is_told_with_its_largest_part(body, twist):
    robot = Robotic(body, stand_command=0.05)
    robot.planner._stepping.why = lambda ordered: f"steps {ordered}"
    limit = f"{robot.fitted.stand_command:.2g}"
    told = f"0.012 m/s or rad/s is no order to walk (local.stand_command: {limit} for this robot)"
    assert robot.planner._why(robot.request(twist=twist), False) == told
    assert robot.planner._why(robot.request(twist=twist), True) == "steps True"
    assert robot.planner._why(robot.request(), False) == "steps False"
    assert robot.planner._why(robot.request(twist=twist, course=course(body, [0] * 5)), False) == "steps False"


class Told:
    """Takes the place of what feet teach."""

    def __init__(self):
        self.clearance, self.noted, self.waited = 0.123, [], 0

    def note(self, request, contact, last):
        self.noted.append((request.time, contact.tolist(), last))

    def starts(self, standing, lifted):
        return standing + 1.0, lifted + 2.0

    def wait(self, swings):
        self.waited += 1


def test_without_a_map_swings_begin_and_rise_as_the_feet_teach(body, horizons):
    robot = Robotic(body)
    first = robot.plan(0.0, (0.3, 0.0, 0.0))
    told = robot.planner._stumbles = Told()
    # After the sixth interval the other pair of the trot stands.
    plan = robot.plan(0.16, (0.3, 0.0, 0.0))
    assert plan.contact[0].tolist() not in plan.contact[[1, -1]].tolist()
    assert told.noted == [(0.16, plan.contact[0].tolist(), first)]
    assert told.waited == 1
    rules, _, legs = horizons[-1]
    assert rules.clearance == 0.123
    assert legs.standing == pytest.approx(robot.planner._standing + 1.0)
    assert legs.lifted == pytest.approx(robot.planner._lifted + 2.0)


def test_with_a_map_they_begin_and_rise_as_planned(body, horizons):
    robot = Robotic(body, ground=level_ground())
    robot.plan(0.0, (0.3, 0.0, 0.0))
    told = robot.planner._stumbles = Told()
    robot.plan(0.16, (0.3, 0.0, 0.0))
    assert told.noted == []
    rules, _, legs = horizons[-1]
    assert rules.clearance == pytest.approx(robot.fitted.clearance)
    assert legs.standing == pytest.approx(robot.planner._standing)
    assert legs.lifted == pytest.approx(robot.planner._lifted)
