"""Feet in a leap: those that push to the end leave the ground together, and one that touches in the fall stands."""

from __future__ import annotations

import numpy as np
import pytest

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot

STEP = 0.03
PUSH, FLIGHT, LAND = 8, 10, 8
"""Rows of a leap."""
NAMES = ("FL", "FR", "HL", "HR")


@pytest.fixture(scope="module", name="body")
def _body() -> QuadrupedBody:
    return QuadrupedBody.of(Robot.load("spirit40"))


class Leap:
    """A planner that follows a leap on the spot; state and feet are told."""

    def __init__(self, body: QuadrupedBody) -> None:
        settings = LocalSettings()
        self.body, self.planner = body, LocalPlanner(body, OnlineNmpc(settings.nmpc, body.rigid), settings)
        rows = PUSH + FLIGHT + LAND + 20
        states, kinds = np.zeros((rows, 12)), np.full(rows, int(Primitive.CONNECT))
        states[:, 2] = body.height
        kinds[:PUSH], kinds[PUSH : PUSH + FLIGHT] = Primitive.LEAP_STANCE, Primitive.FLIGHT
        kinds[PUSH + FLIGHT : PUSH + FLIGHT + LAND] = Primitive.LAND_STANCE
        self.course = BodyPlan(STEP, states, np.zeros((rows, 3)), kinds)
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius

    def plan(
        self, time: float, height: float, speed: float = 0.0, feet: dict[int, float] | None = None, touching: str = ""
    ) -> LocalPlan:
        state, places = np.zeros(12), self.feet.copy()
        state[2], state[8] = height, speed
        for leg, back in (feet or {}).items():
            places[leg, 0] -= back
        contact = np.array([name in touching.split() for name in NAMES])
        return self.planner.plan(LocalRequest(time, state, places, contact, plan=self.course))


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


def test_a_foot_that_bounces_stays_landed_until_the_flight_is_over(body):
    leap, high, time = Leap(body), body.height + 0.15, (PUSH + 3.5) * STEP
    assert leap.plan(time, high, -0.3, touching="FR").contact[0].tolist() == [False, True, False, False]
    assert leap.plan(time + 0.01, high, -0.35).contact[0].tolist() == [False, True, False, False]
    # Another robot's flight knows nothing of it.
    leap.planner.reset()
    assert not leap.plan(time + 0.02, high, -0.4).contact[0].any()
