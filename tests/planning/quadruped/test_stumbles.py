"""What feet that strike something or come down too early or late teach a planner without a map."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.ground import Ground, level_ground
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.swing import swing_state
from andante.robots.robot import Robot

TWIST = np.array([0.5, 0.0, 0.0])


@pytest.fixture(scope="module", name="body")
def _body() -> QuadrupedBody:
    return QuadrupedBody.of(Robot.load("spirit40"))


class Walk:
    """A planner that is asked every 10 ms, with swinging feet on their way and none of them touching."""

    def __init__(self, body: QuadrupedBody, ground: Ground | None = None) -> None:
        settings = LocalSettings()
        self.settings = settings.fitted(body)
        self.planner = LocalPlanner(body, OnlineNmpc(settings.nmpc, body.rigid), settings, ground)
        self.body, self.ticks = body, 0
        self.feet = body.hips - body.com
        self.feet[:, 2] = body.radius
        self.touching = np.ones(4, dtype=np.bool_)
        self.last: LocalPlan | None = None

    @property
    def time(self) -> float:
        return 0.01 * self.ticks

    def tick(self, **moved: tuple[int, np.ndarray]) -> LocalPlan:
        """The next plan; ``struck``: a foot that touches at a place."""
        state = np.zeros(12)
        state[0], state[2], state[6] = 0.5 * self.time, self.body.height, 0.5
        if self.last is not None:
            for leg in range(4):
                swing = self.last.swings[leg, 0]
                self.touching[leg] = bool(self.last.contact[0, leg])
                if not self.touching[leg] and swing[0] <= self.time <= swing[1]:
                    self.feet[leg] = at(swing, self.time)
        for leg, place in moved.values():
            self.feet[leg], self.touching[leg] = place, True
        request = LocalRequest(self.time, state, self.feet.copy(), self.touching.copy(), TWIST)
        self.last = self.planner.plan(request)
        self.ticks += 1
        return self.last

    def until_swing(self, share: float) -> int:
        """Walk until a foot has come so far in a swing; the foot."""
        while self.ticks < 200:
            plan = self.tick()
            for leg in np.flatnonzero(~plan.contact[0]):
                swing = plan.swings[leg, 0]
                if self.time > 0.5 and 0.0 <= (self.time - swing[0]) / (swing[1] - swing[0]) - share < 0.06:
                    return int(leg)
        raise AssertionError("no foot swings")


def at(swing: np.ndarray, time: float) -> np.ndarray:
    place, velocity, acceleration = np.empty(3), np.empty(3), np.empty(3)
    swing_state(swing, time, place, velocity, acceleration)
    return place


def test_a_foot_that_strikes_something_begins_its_swing_anew(body):
    walk = Walk(body)
    leg = walk.until_swing(0.4)
    assert walk.last is not None
    before = walk.last.swings[leg, 0].copy()
    place = at(before, walk.time) - (0.04, 0.0, 0.0)
    now = walk.time
    swing = walk.tick(struck=(leg, place)).swings[leg, 0]
    assert swing[2:5] == pytest.approx(place)
    assert swing[0] == pytest.approx(now)
    assert swing[1] == pytest.approx(before[1])
    # It is behind something of unknown height: from where it is, it rises by the clearance, first straight up.
    assert swing[8] >= place[2] + walk.settings.clearance - 1e-9
    assert swing[10] >= 0.3
    # That stays so while it goes on.
    after = walk.tick().swings[leg, 0]
    assert after[2:5] == pytest.approx(place)


@pytest.mark.parametrize(("behind", "share"), [(0.0, 0.4), (0.04, 0.75)])
def test_a_foot_on_its_way_or_about_to_land_only_touches(body, behind, share):
    walk = Walk(body)
    leg = walk.until_swing(share)
    assert walk.last is not None
    before = walk.last.swings[leg, 0].copy()
    swing = walk.tick(struck=(leg, at(before, walk.time) - (behind, 0.0, 0.0))).swings[leg, 0]
    assert swing[:5] == pytest.approx(before[:5])


def test_a_robot_that_knows_the_ground_keeps_its_swings(body):
    walk = Walk(body, level_ground())
    leg = walk.until_swing(0.4)
    assert walk.last is not None
    before = walk.last.swings[leg, 0].copy()
    swing = walk.tick(struck=(leg, at(before, walk.time) - (0.04, 0.0, 0.0))).swings[leg, 0]
    assert swing[:5] == pytest.approx(before[:5])


def apex_over_ends(plan: LocalPlan) -> float:
    leg = int(np.flatnonzero(~plan.contact[0])[0])
    swing = plan.swings[leg, 0]
    return float(swing[8] - max(swing[4], swing[7]))


def test_a_foot_that_lands_high_makes_swings_higher_for_a_while(body):
    walk = Walk(body)
    leg = walk.until_swing(0.8)
    assert walk.last is not None
    usual = walk.settings.clearance
    assert apex_over_ends(walk.last) == pytest.approx(usual)
    end = walk.last.swings[leg, 0, 5:8].copy()
    end[2] += walk.settings.surprise + 0.6 * usual
    while not walk.last.contact[0, leg]:
        walk.tick(struck=(leg, end))
    landed = walk.time
    assert walk.planner._stumbles.clearance == pytest.approx(1.6 * usual, rel=0.05)
    while walk.time < landed + 1.0:
        walk.tick()
    left = (walk.settings.surprise + 0.6 * usual) / math.e - walk.settings.surprise
    assert walk.planner._stumbles.clearance == pytest.approx(usual + max(left, 0.0), rel=0.05)
