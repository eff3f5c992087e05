"""What feet that strike something or come down too early or late teach a planner without a map."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.ground import Ground, level_ground
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import LocalPlanner
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.stumbles import Stumbles
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


class Foot:
    """One foot that swings from (1, 3) to (1.3, 3.1) in half a second, and what it teaches."""

    def __init__(self) -> None:
        self.settings = LocalSettings()
        self.stumbles = Stumbles(self.settings)
        swing = np.array([2.0, 2.5, 1.0, 3.0, 0.02, 1.3, 3.1, 0.05, 0.1, 0.5, 0.0, 1.0])
        self.swings = np.tile(swing, (4, 6, 1))
        self.last = SimpleNamespace(
            contact=np.zeros((1, 4), dtype=np.bool_), swings=self.swings, swing_counts=np.full(4, 2)
        )

    def tick(self, time: float, *, touching: bool, stands: bool = False, place: Any = (1.0, 3.0, 0.03)) -> None:
        feet, contact = np.tile(np.array(place), (4, 1)), np.zeros(4, dtype=np.bool_)
        contact[1] = touching
        request = LocalRequest(time, np.zeros(12), feet, contact, np.zeros(3))
        self.stumbles.note(request, np.array([False, stands, False, False]), self.last)

    def struck(self) -> bool:
        """Whether foot 1 begins its swing anew, and nothing else does."""
        places, times = self.stumbles.starts(np.full((4, 3), 9.0), np.full(4, 7.0))
        assert (np.delete(places, 1, axis=0) == 9.0).all()
        assert (np.delete(times, 1) == 7.0).all()
        return bool(times[1] != 7.0)


@pytest.mark.parametrize(
    ("time", "behind", "begun"),
    # Half way it is at (1.15, 3.05); 19 and 21 mm behind that along its way; 59 and 61 ms before the touch-down.
    [(2.25, 0.021, True), (2.25, 0.019, False), (2.439, 0.05, True), (2.441, 0.05, False), (2.25, -0.05, False)],
)
def test_a_foot_that_touches_behind_its_way_begins_its_swing_anew(time, behind, begun):
    foot = Foot()
    foot.tick(2.1, touching=False)
    on_way = at(foot.swings[1, 0], time)
    way = np.array([0.3, 0.1]) / math.hypot(0.3, 0.1)
    # Beside its way is not behind it.
    place = on_way[:2] - behind * way + 0.05 * np.array([-way[1], way[0]])
    foot.tick(time, touching=True, place=(*place, 0.06))
    assert foot.struck() == begun
    if begun:
        places, times = foot.stumbles.starts(np.zeros((4, 3)), np.zeros(4))
        assert places[1] == pytest.approx([*place, 0.06])
        assert times[1] == time
        swings = foot.swings.copy()
        swings[1, 0, 10] = 0.1
        foot.stumbles.wait(swings)
        assert swings[:, 0, 10] == pytest.approx([0.0, 0.3, 0.0, 0.0])
        assert swings[1, 1, 10] == 0.0
        swings[1, 0, 10] = 0.5
        foot.stumbles.wait(swings)
        assert swings[1, 0, 10] == 0.5
        # Once: it has to leave what it struck before it strikes again; standing ends it.
        foot.tick(time + 0.01, touching=True, place=(*place, 0.09))
        assert foot.stumbles.starts(np.zeros((4, 3)), np.zeros(4))[1][1] == time
        foot.tick(time + 0.02, touching=True, stands=True)
        assert not foot.struck()


def test_a_foot_that_never_left_the_ground_struck_nothing():
    foot = Foot()
    foot.tick(2.25, touching=True, place=(1.0, 3.0, 0.05))
    assert not foot.struck()


def test_what_a_foot_came_down_off_its_plane_raises_the_next_swings_and_is_forgotten():
    foot, usual = Foot(), LocalSettings().clearance
    assert foot.stumbles.clearance == usual
    foot.tick(2.4, touching=False)
    # 40 mm above its planned end of 50 mm; one centimetre is no surprise.
    foot.tick(2.5, touching=True, stands=True, place=(1.3, 3.1, 0.09))
    assert foot.stumbles.clearance == pytest.approx(usual + 0.04 - 0.01)
    # After a time constant of a second e times less is left.
    foot.tick(3.5, touching=True, stands=True)
    assert foot.stumbles.clearance == pytest.approx(usual + 0.04 * math.exp(-1.0) - 0.01)
    # A smaller surprise does not lower it, one below the plane counts as well, and twice the usual is the most.
    foot.tick(3.5, touching=False)
    foot.tick(3.5, touching=True, stands=True, place=(1.3, 3.1, 0.048))
    assert foot.stumbles.clearance == pytest.approx(usual + 0.04 * math.exp(-1.0) - 0.01)
    foot.tick(3.5, touching=False)
    foot.tick(3.5, touching=True, stands=True, place=(1.3, 3.1, -0.15))
    assert foot.stumbles.clearance == pytest.approx(2.0 * usual)
    # Without a plan there is nothing to compare with.
    other = Foot()
    other.tick(2.4, touching=False)
    other.last.swing_counts[:] = 0
    other.tick(2.5, touching=True, stands=True, place=(1.3, 3.1, 0.3))
    assert other.stumbles.clearance == usual
