"""Legs that land, push off or swing in the local planner, and landings that are caught: by hand and against loops."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from planned_robot import ALL, NONE, ROWS, STEP, Robotic, course
from scipy.spatial.transform import Rotation

from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.ground import Ground
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY


@pytest.fixture(scope="module", name="body")
def _body():
    return QuadrupedBody.of(Robot.load("spirit40"))


FLIES = np.full(ROWS, int(Primitive.FLIGHT), dtype=np.int64)
FALL = STEP * np.arange(ROWS - 1)


def landed(robot, contact=NONE, kinds=FLIES):
    return robot.planner._landed(robot.request(contact=contact), kinds, 7.0 + FALL)


@pytest.mark.parametrize("speed", [0.0, -0.8, 0.7])
def test_legs_are_down_where_free_fall_has_the_body_at_its_height_over_the_ground(body, speed):
    height, slope = np.array([[-20.0, -60.0], [60.0, 20.0]]) + 1.0, np.zeros((2, 2))
    robot = Robotic(body, ground=Ground(-100.0, -100.0, 200.0, height, height, slope, slope, slope + 1.0))
    # The ground is 1 + 0.4 x - 0.2 y.
    robot.state[:3], robot.state[6:9] = (2.0, 3.0, 1.0 + 0.8 - 0.6 + body.height + 0.1), (0.5, -1.0, speed)
    gap = 0.1 + speed * FALL - 0.5 * GRAVITY * FALL**2 - (0.4 * 0.5 + 0.2) * FALL
    found = landed(robot)
    assert found.shape == (ROWS - 1, 4)
    assert (found == found[:, :1]).all()
    first = int(np.argmax(gap < 0.0))
    assert 1 < first < ROWS - 2
    assert found[:, 0].tolist() == [False] * first + [True] * (ROWS - 1 - first)


def test_a_body_that_rises_has_no_leg_down_until_it_falls(body):
    robot = Robotic(body)
    robot.plan(0.0)
    robot.state[2] = body.height - 0.1
    # Lower than it stands: as soon as it moves down, which is at once, after a moment or after 61 ms.
    for speed, first in ((-0.01, 0), (0.0, 1), (0.6, 3)):
        robot.state[8] = speed
        assert int(np.argmax(landed(robot)[:, 2])) == first
    # Feet that touch have landed where it falls, not where it rises or hangs.
    robot.state[2] = body.height + 1.0
    for speed, down in ((0.5, False), (0.0, False), (-0.01, True)):
        robot.state[8] = speed
        found = landed(robot, np.array([False, True, False, True]))
        assert found[0].tolist() == [False, down, False, down]
        assert (found == found[0]).all()


def test_what_has_landed_counts_until_the_flight_is_over(body):
    robot = Robotic(body)
    robot.plan(0.0)
    robot.state[2], robot.state[8] = body.height + 1.0, -0.5
    landed(robot, np.array([True, False, False, False]))
    assert landed(robot, np.array([False, False, True, False]))[0].tolist() == [True, False, True, False]
    robot.state[8] = 0.5
    assert not landed(robot).any()
    robot.state[8] = -0.5
    assert landed(robot)[0].tolist() == [True, False, True, False]
    # Only the row of now tells what it does: one that walks has landed nowhere, however it touches and falls.
    robot.state[2] = body.height - 0.1
    assert not landed(robot, ALL, np.array([0, *FLIES[1:]])).any()
    robot.state[2] = body.height + 1.0
    assert not landed(robot).any()


def catches(robot, time, wanted=(0.0, 0.0), kind=0):
    reference = np.zeros(12)
    reference[3:5] = wanted
    return robot.planner._catches_landing(robot.request(time), reference, int(kind))


def test_a_landing_is_caught_from_a_touch_or_the_planned_landing_on(body):
    robot = Robotic(body)
    robot.plan(0.0)
    limits = robot.fitted
    assert not catches(robot, 0.0)
    assert not catches(robot, 0.0, kind=Primitive.FLIGHT)
    assert catches(robot, 1.0, kind=Primitive.LAND_STANCE)
    assert catches(robot, 1.0 + limits.landing - 1e-6)
    assert not catches(robot, 1.0 + limits.landing + 1e-6)
    robot.planner._down[2] = True
    assert catches(robot, 5.0)
    robot.planner._down[2] = False
    robot.planner._landed_at = 0.0
    assert not catches(robot, limits.landing)
    # For no longer than it may be.
    robot.state[2] -= 1.0
    assert catches(robot, limits.landing_time - 1e-6)
    assert not catches(robot, limits.landing_time)


@pytest.mark.parametrize("axis", [3, 4])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_landing_is_caught_while_the_body_rolls_or_pitches_against_what_is_asked_for(body, axis, sign):
    robot = Robotic(body)
    robot.plan(0.0)
    robot.planner._landed_at = 0.0
    limits = robot.fitted
    for over, caught in ((-1e-6, False), (1e-6, True)):
        robot.state[3:5] = 0.2, -0.3
        robot.state[axis] += sign * (limits.landing_tilt + over)
        assert catches(robot, 0.5 * limits.landing_time, (0.2, -0.3)) == caught


def test_a_landing_is_caught_while_the_body_is_low_over_the_ground_below_it(body):
    height, slope = np.array([[-20.0, -60.0], [60.0, 20.0]]) + 1.0, np.zeros((2, 2))
    robot = Robotic(body, ground=Ground(-100.0, -100.0, 200.0, height, slope, slope, slope, slope + 1.0))
    robot.planner._landed_at = 0.0
    limits = robot.fitted
    for low, caught in ((limits.landing_low - 1e-6, False), (limits.landing_low + 1e-6, True), (-0.5, False)):
        robot.state[:3] = 2.0, 3.0, 1.0 + 0.8 - 0.6 + body.height - low
        assert catches(robot, 0.5 * limits.landing_time) == caught


def test_the_first_row_of_the_plan_tells_whether_a_landing_is_caught(body):
    kinds = [Primitive.FLIGHT] + [Primitive.LAND_STANCE] * 5 + [0] * 20
    robot = Robotic(body)
    robot.state[2] += 0.3
    robot.plan(0.0, contact=NONE, course=course(body, kinds, z=body.height + 0.3))
    assert not robot.catching.asked
    # How it shall lean now counts, not how it shall lean later.
    lean = np.zeros(40)
    lean[10:] = 0.3
    way = course(body, [0] * 40, pitch=lean)
    robot = Robotic(body)
    for time, caught in ((0.27, False), (0.3, True)):
        robot.planner._landed_at = time - 0.5 * robot.fitted.landing_time
        before = len(robot.catching.asked)
        robot.plan(time, course=way)
        assert (len(robot.catching.asked) > before) == caught, time


def pushed_off(planner, request, times, reference, pushing, contact, limit):
    """Contacts and times at which legs leave, leg by leg."""
    contact, leaves = contact.copy(), planner._leaves.copy()
    gone_before = [leaves[leg] <= times[0] + 1e-9 for leg in range(4)]
    for leg in range(4):
        if not (gone_before[leg] and pushing[0]):
            leaves[leg] = math.inf
        elif gone_before[leg]:
            contact[pushing, leg] = False
    ends = []
    for leg in range(4):
        rows = np.flatnonzero(~contact[:, leg])
        ends.append(int(rows[0]) if len(rows) else len(contact))
    for row in range(len(contact)):
        if not pushing[row]:
            continue
        state = reference[row + 1]
        turned = Rotation.from_euler("ZYX", state[[5, 4, 3]])
        off = np.array([*(request.state[:2] - reference[0, :2]), 0.0])
        stretched = []
        for leg in range(4):
            hip = state[:3] + turned.apply(planner._hips[leg]) + off
            if row < ends[leg] and np.linalg.norm(request.feet[leg] - hip) >= limit:
                stretched.append(ends[leg])
        for leg in range(4):
            if row < ends[leg] and ends[leg] in stretched:
                for later in range(row, len(contact)):
                    contact[later, leg] &= not pushing[later]
                leaves[leg] = min(leaves[leg], times[row])
    return contact, leaves


@pytest.mark.parametrize("block", range(4))
def test_legs_that_push_off_leave_where_they_are_stretched_with_those_that_would_leave_then(body, block):
    planner, rng = LocalPlanner(body), np.random.default_rng(block)
    limit = planner._settings.stretch * float(body.legs.table.lengths.sum(axis=1).mean())
    left, stayed = 0, 0
    for _ in range(40):
        count = int(rng.integers(4, 12))
        times = 2.0 + STEP * np.arange(count)
        pushing = np.zeros(count, dtype=np.bool_)
        begin = int(rng.integers(0, 3))
        pushing[begin : begin + int(rng.integers(0, count))] = True
        contact = np.ones((count, 4), dtype=np.bool_)
        for leg in range(4):
            if rng.random() < 0.6:
                contact[int(rng.choice([0, count // 2, count - 1])) :, leg] = False
        reference = rng.normal(0.0, 0.05, (count + 1, 12))
        reference[:, 2] = limit * np.linspace(0.7, rng.uniform(0.8, 1.1), count + 1) - planner._hips[:, 2].mean()
        reference[:, 5] += rng.uniform(-3.0, 3.0)
        state = np.zeros(12)
        state[:2] = rng.normal(0.0, 1.0, 2)
        hips = Rotation.from_euler("z", reference[0, 5]).apply(planner._hips)
        feet = hips + np.array([*state[:2], 0.0])
        feet[:, :2] += rng.normal(0.0, 0.05, (4, 2))
        feet[:, 2] = 0.0
        request = LocalRequest(2.0, state, feet, ALL)
        planner._leaves[:] = rng.choice([math.inf, 1.9, 2.0, 2.0 + STEP, 2.5], 4)
        wanted, leaves = pushed_off(planner, request, times, reference, pushing, contact, limit)
        planner._push_off(request, times, reference, pushing, contact)
        np.testing.assert_array_equal(contact, wanted)
        np.testing.assert_array_equal(planner._leaves, leaves)
        left, stayed = left + int(np.isfinite(leaves).sum()), stayed + int(np.isinf(leaves).sum())
    assert min(left, stayed) > 20


@pytest.mark.parametrize("begin", [0.0, 1.0])
def test_a_foot_was_lifted_when_the_last_plan_had_it_standing_an_interval_before(body, begin):
    robot = Robotic(body)
    robot.plan(begin)
    robot.planner._lifted[:] = 0.5
    place = robot.planner._standing.copy()
    robot.feet += [0.1, 0.2, 0.3]
    contact = np.array([False, True, False, False])
    for index, stood, lifted in ((0, True, True), (1, True, False), (2, True, False), (0, False, False)):
        robot.planner._lifted[:] = 0.5
        last: Any = SimpleNamespace(contact=np.array([[stood] * 4, [not stood] * 4]), index=index)
        robot.planner._last = last
        # 40 ms after the first plan the second interval is under way.
        robot.planner._track_feet(robot.request(begin + 0.04), contact)
        now = begin + 0.04 if lifted else 0.5
        assert robot.planner._lifted.tolist() == [now, begin + 0.04, now, now], (index, stood)
        assert robot.planner._standing[[0, 2, 3]].tolist() == place[[0, 2, 3]].tolist()
        assert robot.planner._standing[1].tolist() == robot.feet[1].tolist()
    robot.planner._last = None
    robot.planner._track_feet(robot.request(begin + 0.05), contact)
    assert robot.planner._lifted.tolist() == [begin + 0.05] * 4


def test_a_foot_that_shall_stand_and_does_not_touch_is_thought_to_be_on_the_ground(body):
    height, slope = np.array([[-20.0, -60.0], [60.0, 20.0]]) + 1.0, np.zeros((2, 2))
    robot = Robotic(body, ground=Ground(-100.0, -100.0, 200.0, height, height, slope, slope, slope + 1.0))
    robot.planner._body = replace(body, radius=np.array([0.01, 0.02, 0.03, 0.04]))
    robot.plan(0.0)
    robot.feet += [2.0, 3.0, 5.0]
    robot.planner._track_feet(robot.request(0.0, contact=np.array([True, False, True, False])), ALL)
    wanted = robot.feet.copy()
    for leg in (1, 3):
        wanted[leg, 2] = 1.0 + 0.4 * wanted[leg, 0] - 0.2 * wanted[leg, 1] + 0.01 * (leg + 1)
    assert robot.planner._standing == pytest.approx(wanted)


def test_a_foot_that_was_late_before_the_robot_stood_is_late_anew(body):
    robot = Robotic(body)
    robot.plan(0.0, (0.3, 0.0, 0.0))
    contact, touching = np.ones((ROWS - 1, 4), dtype=np.bool_), np.array([True, False, True, True])

    def carries(time):
        found = robot.planner._carrying(robot.request(time, contact=touching), contact)
        assert found[1:].all()
        return bool(found[0, 1])

    assert [carries(time) for time in (1.0, 1.01, 1.05)] == [True, True, False]
    robot.planner._stepping.mode = Mode.STAND
    assert carries(1.06)
    robot.planner._stepping.mode = Mode.STEP
    assert [carries(time) for time in (1.07, 1.08, 1.12)] == [True, True, False]
