"""A foot that comes down on an edge beside its place goes on over it; one that comes down on the ground has landed."""

from __future__ import annotations

import numpy as np
import pytest
from crawl_plan import level_walk, littledog, still

from andante.control.crawl.feet import Footing
from andante.control.crawl.foot_state import FootTick
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Timeline

TICK = 0.01
LEAD = 0.03
NAMES = ("FL", "FR", "HL", "HR")


class Descent:
    """The first swing of a level walk, followed exactly, over something that the foot meets at a height."""

    def __init__(self, edge, misses=(0.0, 0.002, -0.002, 0.001)):
        self.timeline = Timeline(level_walk(littledog(), steps=2))
        self.swing = self.timeline.plan.swings[0]
        self.leg, self.end = self.swing.leg, self.timeline.ends[0]
        self.place = self.timeline.at(self.end).feet[self.leg]
        self.edge, self.until = edge, np.inf
        self.footing = Footing(NAMES, CrawlSettings(), lambda *_, **__: None)
        self.feet = self.timeline.at(0.0).feet.copy()
        self.footing.stand(still([0.0, 0.0, 0.12], self.feet))
        self.footing.begin()
        for leg, miss in enumerate(misses):
            self.land(leg, miss)
        self.time = 0.0

    def land(self, leg, miss):
        """A foot that swings has landed this far above its place, on its switch."""
        foot, planned = self.footing.feet[leg], self.timeline.at(self.timeline.ends[1]).feet[leg]
        foot.swing, foot.flight.left = 1, True
        feet = self.timeline.at(self.timeline.ends[1]).feet.copy()
        feet[leg] = planned + np.array([0.0, 0.0, miss])
        foot.fly(FootTick.of(self.timeline, self.timeline.ends[1], LEAD), still([0.0, 0.0, 0.12], feet), TICK)
        assert foot.swing < 0
        foot.place = self.feet[leg].copy()

    def tick(self):
        """One tick: the foot is where it was wanted, but for what holds it up."""
        self.time += TICK
        ground = self.place[2] + (self.edge if self.time < self.until else -0.5)
        foot = self.feet[self.leg]
        down = self.footing.feet[self.leg].swing >= 0 and self.time > self.timeline.tops[0]
        touches = down and foot[2] <= ground + 1e-9
        foot[2] = max(foot[2], ground) if touches else foot[2]
        contact = np.arange(4) != self.leg
        contact[self.leg] = touches
        state = still([0.0, 0.0, 0.12], self.feet, contact)
        self.footing.advance(self.timeline, self.time, LEAD, state, TICK)
        self.feet = self.footing.targets(self.timeline, self.time, 0.0)
        return touches

    def until_touch(self):
        while not self.tick():
            assert self.time < self.end + 0.2

    @property
    def foot(self):
        return self.footing.feet[self.leg]


def test_a_touch_a_little_above_its_place_is_a_landing():
    descent = Descent(edge=0.003)
    descent.until_touch()
    assert descent.time < descent.end
    assert descent.foot.swing < 0
    assert descent.foot.place[2] == pytest.approx(descent.place[2] + 0.003, abs=1e-6)


def test_a_touch_high_above_its_place_is_an_edge_over_which_the_foot_goes_on():
    descent = Descent(edge=0.010)
    descent.until_touch()
    assert descent.foot.swing >= 0
    target = descent.footing.targets(descent.timeline, descent.time, LEAD)[descent.leg]
    planned = descent.timeline.at(descent.time + LEAD).feet[descent.leg]
    np.testing.assert_allclose(target[:2], planned[:2], atol=1e-9)
    # It does not press the robot up on what it has met.
    assert target[2] == pytest.approx(descent.place[2] + 0.010, abs=0.001)
    assert planned[2] < descent.place[2] + 0.009


def test_behind_the_edge_it_goes_down_to_its_place():
    settings = CrawlSettings()
    descent = Descent(edge=0.012)
    descent.until_touch()
    descent.until = descent.time
    heights = []
    while descent.foot.swing >= 0:
        descent.tick()
        heights.append(descent.footing.targets(descent.timeline, descent.time, 0.0)[descent.leg][2])
    falls = -np.diff([descent.place[2] + 0.012, *heights])
    assert falls.max() <= max(settings.edge_speed, 0.5) * TICK + 1e-9
    assert min(heights) <= descent.place[2] + 0.5 * 0.012
    while descent.time < descent.end + 0.4:
        descent.tick()
    lowest = descent.place[2] - settings.search_depth
    assert descent.feet[descent.leg][2] <= lowest + 1e-6


def test_ground_that_is_higher_than_the_map_has_it_is_landed_on_at_the_end_of_the_swing():
    descent = Descent(edge=0.010)
    descent.until_touch()
    while descent.foot.swing >= 0:
        descent.tick()
        assert descent.time < descent.end + 2.0 * TICK
    assert descent.time >= descent.end - 1e-9
    assert descent.foot.place[2] == pytest.approx(descent.place[2] + 0.010, abs=0.001)
    assert not descent.foot.stand.arriving


@pytest.mark.parametrize("misses", [(), (0.0, 0.001, 0.0), (0.0, 0.008, 0.0, 0.001), (-0.006, 0.0, 0.0, 0.0)])
def test_where_the_ground_is_not_known_to_be_where_the_map_has_it_a_high_touch_is_a_landing(misses):
    descent = Descent(0.010, misses)
    descent.until_touch()
    assert descent.foot.swing < 0
    assert descent.time < descent.end - TICK
