"""Headway of a crawl that sees nothing: swings worked out by hand, and two steps at which it used to grind."""

from __future__ import annotations

import numpy as np
import pytest
from gait_runs import DOG, walk

from andante.backends.terrain import TerrainChoice
from andante.backends.world import Start, WorldConfig
from andante.control.events import EventKind
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.control.reactive_crawl.swing import CrawlSwing, Headway
from andante.control.steering import SteeringScript
from andante.documents.settings import SettingsError

SETTINGS = ReactiveCrawlSettings()
LEVEL = np.array([[0.1, 0.1, 0.0], [0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]])


def swing(rise: float = 0.0, raises: int = 0, ahead: float = 0.06) -> CrawlSwing:
    made = CrawlSwing(SETTINGS, np.array([ahead, 0.0]), 1.0)
    made.done[:] = ahead, 0.0, rise
    made.raises = raises
    return made


def landed(headway: Headway, count: int, each: CrawlSwing, feet: np.ndarray = LEVEL) -> None:
    for _ in range(count):
        headway.landed(each, feet)


def test_free_swings_are_headway_and_hindered_ones_are_not():
    headway = Headway(SETTINGS)
    landed(headway, 100, swing())
    assert headway.lost == ""
    landed(headway, SETTINGS.stuck_swings - 1, swing(raises=1))
    assert headway.lost == ""
    landed(headway, 1, swing(rise=0.02))
    assert headway.lost == "18 of its last 32 swings met something before they were where they should be"


def test_what_is_seldom_or_over_does_not_count():
    headway = Headway(SETTINGS)
    for _ in range(30):
        landed(headway, 1, swing(raises=2))
        landed(headway, 1, swing())
    assert headway.lost == ""
    landed(headway, 17, swing(raises=1))
    landed(headway, 32, swing())
    assert headway.lost == ""


def test_feet_that_come_down_higher_on_a_slope_stand_where_its_plane_is():
    # 15 deg: feet 6 cm ahead come down 16 mm higher, and the other feet say so.
    slope = np.tan(np.radians(15.0))
    tilted = LEVEL + np.outer(LEVEL[:, 0] * slope, [0.0, 0.0, 1.0])
    headway = Headway(SETTINGS)
    landed(headway, 40, swing(rise=0.06 * slope), tilted)
    assert headway.lost == ""
    landed(headway, 40, swing(rise=0.06 * slope), LEVEL)
    assert headway.lost


def test_feet_that_cannot_lift_one_after_the_other_are_the_end():
    headway = Headway(SETTINGS)
    for _ in range(3):
        headway.stayed()
    landed(headway, 1, swing())
    for _ in range(3):
        headway.stayed()
    assert headway.lost == ""
    headway.stayed()
    assert headway.lost == "no foot can lift: the body does not come over the others"


def test_more_swings_than_are_looked_at_are_refused():
    with pytest.raises(SettingsError, match=r"it would never give up.*limit: at most stuck_window = 10"):
        ReactiveCrawlSettings(stuck_window=10, stuck_swings=11)


@pytest.mark.slow
def test_at_two_steps_that_it_cannot_climb_it_gives_up_within_seconds_and_stands():
    steps = TerrainChoice(board="steps", seed=0, parameters={"riser": 0.04, "count": 2.0})
    world = WorldConfig(terrain=steps, start=Start(posture="stand", x=0.16))
    crawl, given_up = ReactiveCrawl(DOG, SteeringScript.straight(0.05, 2.0)), []
    result = walk(crawl, 24.0, world, each=lambda time, one: given_up.append(time) if one.failed else None)
    assert crawl.failed
    assert crawl.standing
    assert "met something" in crawl.reason
    # It comes to the second step after some eleven seconds.
    assert 11.0 < given_up[0] < 23.0
    assert [event.text for event in result.events if event.kind is EventKind.HELP] == [f"gives up: {crawl.reason}"]
    assert any(event.kind is EventKind.STUMBLE for event in result.events)
