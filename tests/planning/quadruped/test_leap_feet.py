"""Feet in a leap: those that push to the end leave the ground together, and one that touches in the fall stands."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY

STEP = 0.03
PUSH, FLIGHT, LAND = 8, 10, 8
"""Rows of a leap."""
NAMES = ("FL", "FR", "HL", "HR")


@pytest.fixture(scope="module", name="body")
def _body() -> QuadrupedBody:
    return QuadrupedBody.of(Robot.load("spirit40"))


class Counted(OnlineNmpc):
    """A solver that counts what it is asked."""

    count = 0

    def solve(self, problem: NmpcProblem, guess: NmpcSolution | None = None) -> NmpcSolution:
        self.count += 1
        return super().solve(problem, guess)


class Leap:
    """A planner that follows a leap on the spot; state and feet are told."""

    def __init__(self, body: QuadrupedBody) -> None:
        self.settings = settings = LocalSettings()
        usual = OnlineNmpc(settings.nmpc, body.rigid)
        self.catching = Counted(settings.nmpc.changed(weights=settings.hurry_weights), body.rigid)
        self.body, self.planner = body, LocalPlanner(body, usual, settings, None, self.catching)
        rows = PUSH + FLIGHT + LAND + 20
        states, kinds = np.zeros((rows, 12)), np.full(rows, int(Primitive.CONNECT))
        states[:, 2] = body.height
        kinds[:PUSH], kinds[PUSH : PUSH + FLIGHT] = Primitive.LEAP_STANCE, Primitive.FLIGHT
        kinds[PUSH + FLIGHT : PUSH + FLIGHT + LAND] = Primitive.LAND_STANCE
        self.course = BodyPlan(STEP, states, np.zeros((rows, 3)), kinds)
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius

    def plan(
        self,
        time: float,
        height: float,
        speed: float = 0.0,
        feet: dict[int, float] | None = None,
        touching: str = "",
        pitch: float = 0.0,
    ) -> LocalPlan:
        state, places = np.zeros(12), self.feet.copy()
        state[2], state[4], state[8] = height, pitch, speed
        for leg, back in (feet or {}).items():
            places[leg, 0] -= back
        contact = np.array([name in touching.split() for name in NAMES])
        return self.planner.plan(LocalRequest(time, state, places, contact, plan=self.course))

    def catches(self, time: float, height: float, pitch: float = 0.0) -> bool:
        """Whether a landing is being caught."""
        before = self.catching.count
        self.plan(time, height, touching="FL FR HL HR", pitch=pitch)
        return self.catching.count > before


def test_a_stretched_leg_takes_along_what_would_leave_with_it(body):
    leap, reach = Leap(body), float(body.legs.table.lengths.sum(axis=1).mean())
    stands = leap.plan(0.10, body.height, touching="FL FR HL HR").contact
    ends = [int(np.argmin(stands[:, leg])) for leg in range(4)]
    # Only one leg is near its end: its foot is far behind its hip.
    leap = Leap(body)
    leaves = leap.plan(0.10, body.height, feet={0: 0.98 * reach}, touching="FL FR HL HR").contact
    together = [leg for leg in range(4) if ends[leg] == ends[0]]
    assert 0 in together
    for leg in range(4):
        assert bool(leaves[0, leg]) == (leg not in together)


def test_a_leg_that_has_left_does_not_push_again(body):
    leap, reach = Leap(body), float(body.legs.table.lengths.sum(axis=1).mean())
    before = leap.plan(0.10, body.height, feet={0: 0.98 * reach}, touching="FL FR HL HR").contact
    after = leap.plan(0.11, body.height, touching="FL FR HL HR").contact
    gone = ~before[0]
    assert gone.any()
    # Until the flight begins, which is at 0.24 s.
    assert not after[:4, gone].any()


def test_a_foot_that_touches_while_the_body_falls_stands(body):
    high, time = body.height + 0.15, (PUSH + 3.5) * STEP
    # On its way up a foot that still seems to touch has left.
    assert not Leap(body).plan(time, high, 1.0, touching="HR").contact[0].any()
    assert not Leap(body).plan(time, high, -0.3).contact[0].any()
    assert Leap(body).plan(time, high, -0.3, touching="FR").contact[0].tolist() == [False, True, False, False]
    # A body that is as low as it stands has come down, whatever its feet say.
    assert Leap(body).plan(time, body.height - 0.02, -1.0).contact[0].all()


@pytest.mark.parametrize(("over", "speed"), [(0.05, -0.4), (0.03, 0.0), (0.02, 0.2)])
def test_legs_are_down_from_when_free_fall_brings_the_body_to_standing_height(body, over, speed):
    made = Leap(body).plan((PUSH + 1.5) * STEP, body.height + over, speed)
    fall = made.times[:-1] - made.times[0]
    down = fall > (speed + math.sqrt(speed**2 + 2.0 * GRAVITY * over)) / GRAVITY
    first = int(np.argmax(down))
    assert 2 <= first < len(down) - 1
    assert not made.contact[:first].any()
    assert made.contact[first].all()


def test_a_foot_that_bounces_stays_landed_until_the_flight_is_over(body):
    leap, high, time = Leap(body), body.height + 0.15, (PUSH + 3.5) * STEP
    assert leap.plan(time, high, -0.3, touching="FR").contact[0].tolist() == [False, True, False, False]
    assert leap.plan(time + 0.01, high, -0.35).contact[0].tolist() == [False, True, False, False]
    # Another robot's flight knows nothing of it.
    leap.planner.reset()
    assert not leap.plan(time + 0.02, high, -0.4).contact[0].any()


LANDED = (PUSH + FLIGHT + LAND) * STEP
"""When the plan's landing is over [s]."""


def test_a_landing_is_caught_from_the_first_touch_in_the_fall(body):
    leap, time = Leap(body), (PUSH + 3.5) * STEP
    leap.plan(time, body.height + 0.15, -0.3)
    assert leap.catching.count == 0
    leap.plan(time + 0.01, body.height + 0.15, -0.3, touching="FR")
    assert leap.catching.count > 0


@pytest.mark.parametrize(("low", "pitch"), [(0.06, 0.0), (0.0, 0.1), (0.0, -0.1)])
def test_a_landing_is_caught_until_the_body_is_up_and_level_again(body, low, pitch):
    leap = Leap(body)
    assert not leap.catches(0.5 * PUSH * STEP, body.height - low, pitch)
    assert leap.catches(LANDED - 0.02, body.height)
    # For a little while in any case.
    assert leap.catches(LANDED + 0.05, body.height)
    assert leap.catches(LANDED + 0.3, body.height - low, pitch)
    assert not leap.catches(LANDED + 0.32, body.height)
    # One that does not get up is not waited for without end.
    assert not leap.catches(LANDED + 1.05, body.height - low, pitch)


def test_where_a_body_plan_has_no_leap_no_landing_is_caught(body):
    leap = Leap(body)
    leap.course = BodyPlan(STEP, leap.course.states, leap.course.forces, np.zeros_like(leap.course.primitives))
    assert not any(leap.catches(0.1 * tick, body.height - 0.06, 0.1) for tick in range(20))
