"""How far a crawl is from its plan, and when that is too far."""

from __future__ import annotations

import math

import numpy as np
import pytest
from crawl_plan import still

from andante.control.crawl.deviation import Deviation
from andante.control.crawl.feet import CrawlFoot
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.timeline import Setpoint
from andante.spatial.rotations import from_rpy

PLANNED = np.array([[0.1, 0.08, 0.01], [0.1, -0.08, 0.01], [-0.1, 0.08, 0.01], [-0.1, -0.08, 0.01]])
NAMES = ("FL", "FR", "HL", "HR")


def _state(position, rpy):
    return still(position, PLANNED, orientation=from_rpy(rpy))


def _moment():
    return Setpoint(np.array([0.0, 0.0, 0.12]), np.zeros(3), np.zeros(3), np.zeros(2), PLANNED, np.zeros((4, 3)))


def _feet(shift=0.0, leg=1):
    known = enumerate(zip(NAMES, PLANNED, strict=True))
    feet = [CrawlFoot(row, name, place, CrawlSettings(), lambda *_, **__: None) for row, (name, place) in known]
    feet[leg].place[0] += shift
    return feet


@pytest.fixture
def deviation():
    return Deviation(4, CrawlSettings(), 0.01)


@pytest.mark.parametrize(
    ("position", "rpy", "all_down", "lost"),
    [
        ([0.03, 0.0, 0.12], [0.0, 0.0, 0.0], False, False),
        ([0.03, 0.0, 0.12], [0.0, 0.0, 0.0], True, True),
        ([0.0, 0.06, 0.12], [0.0, 0.0, 0.0], False, True),
        ([0.0, 0.0, 0.12], [0.0, math.radians(10.0), 0.0], False, False),
        ([0.0, 0.0, 0.12], [0.0, math.radians(10.0), 0.0], True, True),
        ([0.02, 0.0, 0.12], [0.0, math.radians(5.0), 0.0], True, False),
    ],
)
def test_a_body_far_off_is_lost_and_on_all_feet_at_half_the_distance(deviation, position, rpy, all_down, lost):
    for _ in range(60):
        deviation.compare(_moment(), _state(position, rpy))
    why = deviation.lost(all_down)
    assert bool(why) == lost
    if lost:
        off = [1e3 * (position[0] + position[1]), math.degrees(rpy[1])]
        assert why == f"the body is {off[0]:.0f} mm and {off[1]:.0f} deg from its plan"
    deviation.begin()
    assert deviation.lost(all_down) == ""


def test_one_tick_of_noise_is_not_believed(deviation):
    deviation.compare(_moment(), _state([0.1, 0.0, 0.12], [0.0, 0.0, 0.0]))
    assert deviation.offset[0] == pytest.approx(0.02)
    assert deviation.lost(True) == ""


def test_a_foot_hangs_when_it_is_far_off_for_some_ticks_in_a_row(deviation):
    seen = PLANNED.copy()
    seen[2, 2] += 0.05
    ticks = CrawlSettings().lost_ticks
    assert [deviation.hangs(seen, PLANNED, NAMES) for _ in range(ticks - 1)] == [""] * (ticks - 1)
    assert deviation.hangs(PLANNED, PLANNED, NAMES) == ""
    told = [deviation.hangs(seen, PLANNED, NAMES) for _ in range(ticks)]
    assert told[-1] == "HL is 50 mm from where it should be"


def test_a_foot_that_slides_is_told_again_only_when_it_is_as_much_farther(deviation):
    tolerated = CrawlSettings().tolerated_miss
    assert not deviation.misses(_feet(0.9 * tolerated), PLANNED, 0.0)
    assert deviation.misses(_feet(1.1 * tolerated), PLANNED, 0.0)
    # An answer is under way.
    assert not deviation.misses(_feet(3.0 * tolerated), PLANNED, 0.02)
    assert not deviation.misses(_feet(2.0 * tolerated), PLANNED, 1.0)
    assert deviation.misses(_feet(2.2 * tolerated), PLANNED, 1.0)
    # A swing and a new plan both begin anew.
    swinging = _feet(3.0 * tolerated)
    swinging[1].swing = 4
    assert not deviation.misses(swinging, PLANNED, 2.0)
    assert deviation.misses(_feet(1.1 * tolerated), PLANNED, 2.0)


def test_heights_count_twice(deviation):
    feet = _feet()
    feet[3].place[2] += 0.55 * CrawlSettings().tolerated_miss
    assert deviation.misses(feet, PLANNED, 0.0)


def test_without_a_new_plan_it_stops_only_where_a_foot_is_far_off(deviation):
    settings = CrawlSettings()
    assert deviation.misses(_feet(0.5 * (settings.tolerated_miss + settings.lost_place)), PLANNED, 0.0)
    deviation.refused("no way")
    assert deviation.stops == ""
    assert deviation.misses(_feet(2.0 * settings.lost_place), PLANNED, 1.0)
    deviation.refused("no way")
    assert deviation.stops == "no way"
    deviation.renewed()
    assert deviation.stops == ""
