"""Where parts of the local planner have their edges: each was a defect that no other test noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from andante.planning.quadruped import body as bodies
from andante.planning.quadruped.body import QuadrupedBody, QuadrupedError
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.foothold_rule import FOOTHOLDS, FootholdRule
from andante.planning.quadruped.footholds import enclosing_circle
from andante.planning.quadruped.gait import GAITS
from andante.planning.quadruped.ground import ground_of_map
from andante.planning.quadruped.leap_timing import LeapTiming
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.reference import plan_reference
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot
from andante.terrain.elevation_map import ElevationMap

SEEN: list[tuple[int, int, tuple[float, float] | None, tuple[float, float]]] = []


class Noted(FootholdRule):
    """Where the gait wants it, noting what it was told of the plan before."""

    def choose(self, step):
        SEEN.append((step.leg, step.number, step.before, step.wanted))
        return step.wanted


@pytest.fixture
def _noted():
    FOOTHOLDS.register("noted", Noted)
    yield
    FOOTHOLDS.unregister("noted")


@pytest.mark.parametrize(("mass", "inertia"), [(1.0, (0.0, 1.0, 2.0)), (1.0, (-1.0, 1.0, 2.0)), (0.0, (1.0, 1.0, 1.0))])
def test_a_body_without_mass_or_that_turns_by_nothing_is_refused(monkeypatch, mass, inertia):
    monkeypatch.setattr(bodies, "_inertia", lambda robot, joints: (mass, np.zeros(3), np.diag(inertia)))
    with pytest.raises(QuadrupedError, match="has no mass or no inertia"):
        QuadrupedBody.of(Robot.load("spirit40"))


def test_modes_have_the_numbers_that_logs_have():
    assert [(mode.name, int(mode)) for mode in Mode] == [("STAND", 0), ("STEP", 1)]


def test_the_circle_around_one_foot_is_that_foot():
    feet = np.array([[0.3, -0.2], [5.0, 5.0]])
    assert enclosing_circle(feet, 1) == (0.3, -0.2, 0.0)


def test_no_foot_stands_on_a_wall_however_far_its_edges_are():
    # Level, then up by 75 degrees for 2 m, then level again; nodes every 2 cm.
    x = 0.02 * np.arange(301)
    height = np.clip(x - 2.0, 0.0, 2.0) * np.tan(np.radians(75.0))
    ground = ground_of_map(ElevationMap(np.repeat(height[:, None], 101, axis=1), (0.0, -1.0), 0.02), 0.448)
    along = ground.traversability[:, 50]
    places = ground[0] + ground.spacing * np.arange(len(along))
    assert (along[(places > 0.5) & (places < 1.5)] > 0.6).all()
    assert (along[(places > 2.5) & (places < 3.5)] == 0.0).all()


def trotting() -> tuple[QuadrupedBody, LocalRequest]:
    """A Spirit 40 that is about to trot ahead over level ground."""
    body = QuadrupedBody.of(Robot.load("spirit40"))
    feet = body.hips - body.com
    feet[:, 2] = body.radius
    state = np.zeros(12)
    state[:2] = feet[:, :2].mean(axis=0) + (body.com - body.hips.mean(axis=0))[:2]
    state[2] = body.height
    return body, LocalRequest(0.0, state, feet, np.ones(4, dtype=np.bool_), np.array([0.5, 0.0, 0.0]))


@pytest.mark.slow
def test_feet_come_down_on_the_ground_that_is_given():
    body, request = trotting()
    x = -3.0 + 0.02 * np.arange(301)
    ramp = ElevationMap(np.repeat(0.1 * x[:, None], 301, axis=1), (-3.0, -3.0), 0.02)
    level, given = (LocalPlanner(body, ground=ground).plan(request).swings for ground in (None, ramp))
    used = (level[:, :, 1] > 0.0) & (given[:, :, 1] > 0.0)
    rise = given[used][:, 7] - body.radius[0] - 0.1 * given[used][:, 5]
    assert used.sum() > 4
    assert np.abs(rise).max() < 0.01
    assert np.abs(level[used][:, 7] - body.radius[0]).max() < 0.01


def test_a_plan_that_begins_with_a_push_off_has_it_from_its_first_row_on():
    plan = np.repeat([Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE], [5, 4, 5]).astype(np.int64)
    timing = LeapTiming(GAITS["trot"].pattern(0.03), plan)
    assert timing.contact(0, 0, 3).all()


@pytest.mark.parametrize("turns", [-2, 0, 1])
def test_headings_of_a_plan_are_told_in_the_turn_of_the_present_one(turns):
    states = np.zeros((3, 12))
    states[:, 5], states[:, 10], states[:, 11] = 0.3, 9.0, 0.1
    plan = BodyPlan(0.03, states, np.zeros((3, 3)), np.zeros(3, dtype=np.int64))
    found, _ = plan_reference(plan, 0.0, np.array([0.0, 0.03]), 1.0, 0.1 + 2.0 * np.pi * turns)
    assert found[:, 5] == pytest.approx(0.3 + 2.0 * np.pi * turns)
    assert found[:, 10] == pytest.approx(9.0)
    assert found[:, 11] == pytest.approx(0.1)


@pytest.mark.usefixtures("_noted")
def test_a_rule_is_told_where_the_plan_before_had_the_next_touch_down_and_of_no_later_one():
    body, request = trotting()
    planner = LocalPlanner(body, settings=LocalSettings(foothold=Noted()))
    SEEN.clear()
    planner.plan(request)
    first = list(SEEN)
    SEEN.clear()
    planner.plan(replace(request, time=0.01))
    assert all(before is None for _, _, before, _ in first)
    chosen = {leg: wanted for leg, number, _, wanted in first if number == 0}
    told = {leg: before for leg, number, before, _ in SEEN if number == 0 and before is not None}
    assert told
    for leg, before in told.items():
        assert before == pytest.approx(chosen[leg], abs=0.02)
    assert all(before is None for _, number, before, _ in SEEN if number)


def test_legs_that_left_in_a_push_off_may_leave_anew_once_it_is_over():
    body, request = trotting()
    planner = LocalPlanner(body)
    times, contact = request.time + 0.03 * np.arange(5), np.ones((5, 4), dtype=np.bool_)
    planner._leaves[:] = [-1.0, np.inf, 2.0, 0.0]
    planner._push_off(request, times, np.zeros((6, 12)), np.zeros(5, dtype=np.bool_), contact)
    assert np.isposinf(planner._leaves).all()
    assert contact.all()


def test_a_foot_that_swings_as_planned_is_not_late_though_it_stands_at_the_end_of_the_plan():
    body, request = trotting()
    planner = LocalPlanner(body)
    planner.plan(request)
    assert planner._stepping.mode is Mode.STEP
    contact = np.ones((4, 4), dtype=np.bool_)
    contact[0, 1] = False
    for time, name in ((0.0, "swings"), (9.0, "still swings")):
        found = planner._carrying(replace(request, time=time, contact=np.array([True, False, True, True])), contact)
        assert found.tolist() == contact.tolist(), name
    # It is late from the moment on at which it should have come down.
    contact[0, 1] = True
    for time, carries in ((9.01, True), (9.02, True), (9.5, False)):
        found = planner._carrying(replace(request, time=time, contact=np.array([True, False, True, True])), contact)
        assert found[0].tolist() == [True, carries, True, True], time
