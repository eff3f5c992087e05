"""Feet that find the ground where the map has none say so, once for each height; on right maps nothing is said."""

from __future__ import annotations

import numpy as np
import pytest
from crawl_plan import still

from andante.control.crawl.feet import Footing
from andante.control.crawl.map_watch import MapWatch
from andante.control.crawl.settings import CrawlSettings
from andante.control.events import EventKind
from andante.terrain.elevation_map import ElevationMap

RADIUS = 0.01
NAMES = ("FL", "FR", "HL", "HR")
PLACES = np.array([[0.1, 0.08], [0.1, -0.08], [-0.1, 0.08], [-0.1, -0.08]])
SPACING = 0.005


def level(step: float = 0.0, at: float = 9.0) -> ElevationMap:
    """Level ground with a step from an x on."""
    x = -0.5 + SPACING * np.arange(201)
    return ElevationMap(np.where(x[:, None] >= at, step, 0.0) * np.ones((1, 201)), (-0.5, -0.5), SPACING)


class Feet:
    """Four feet that stand or swing, and what is told of them."""

    def __init__(self, known: ElevationMap | None):
        self.told: list[tuple[EventKind, str, dict]] = []
        self.footing = Footing(NAMES, CrawlSettings(), lambda *_, **__: None)
        self.places = np.column_stack([PLACES, np.full(4, RADIUS)])
        self.footing.stand(still([0.0, 0.0, 0.12], self.places))
        self.watch = MapWatch(NAMES, np.full(4, RADIUS), CrawlSettings(), self.tell)
        self.watch.use(known)

    def tell(self, kind, text, **data):
        self.told.append((kind, text, data))

    def ticks(self, count=4, contact=(True,) * 4, offset=(0.0, 0.0, 0.0), lean=(0.0, 0.0, 0.0)):
        state = still([0.0, 0.0, 0.12], self.places, contact)
        for _ in range(count):
            self.watch.compare(self.footing.feet, state, np.array(offset), np.array(lean))
        return self.told

    def step(self, leg, height, number=0):
        """A foot swings and stands at another height [m]."""
        foot = self.footing.feet[leg]
        foot.swing, foot.flight.left = number, False
        self.ticks(3, contact=np.arange(4) != leg)
        foot.swing = -1
        self.places[leg, 2] = RADIUS + height
        return self.ticks()


def test_a_map_that_fits_says_nothing_and_neither_does_none():
    for known in (level(), None):
        feet = Feet(known)
        assert not feet.ticks()
        assert not feet.step(0, 0.0075)
        assert not feet.step(1, -0.0075)
    assert Feet(None).step(0, 0.3) == []


@pytest.mark.parametrize("height", [0.034, -0.034])
def test_ground_that_is_elsewhere_is_told_with_foot_heights_limit_and_place(height):
    feet = Feet(level())
    ((kind, text, data),) = feet.step(1, height)
    assert kind is EventKind.MAP
    assert text == (
        f"the ground is not where the map has it: FR touches at {1e3 * height:.0f} mm, the map has 0 mm there "
        "(x 0.100, y -0.080 m; 34 mm off what it has around, limit 8 mm)"
    )
    assert data["foot"] == "FR"
    assert (data["found"], data["map"], data["off"]) == pytest.approx((height, 0.0, 0.034))


def test_it_is_told_again_only_where_it_is_worse():
    feet = Feet(level())
    assert len(feet.step(0, 0.020)) == 1
    assert len(feet.step(1, 0.025)) == 1
    assert len(feet.step(2, 0.040)) == 2
    assert feet.told[-1][2]["count"] == 3
    feet.watch.reset()
    feet.watch.use(level())
    assert len(feet.step(3, 0.010)) > 2


def test_before_it_sets_out_all_feet_are_looked_at_once():
    feet = Feet(level())
    feet.places[2, 2] += 0.02
    assert [data["foot"] for _, _, data in feet.ticks(50)] == ["HL"]


def test_an_edge_beside_the_foot_is_no_error_of_the_map():
    # From 8 mm behind the foot's middle on, less than its radius and how well its place is known.
    feet = Feet(level(0.05, at=0.108))
    assert not feet.step(0, 0.05)
    feet = Feet(level(0.05, at=0.140))
    assert len(feet.step(0, 0.05)) == 1


def test_a_swinging_foot_tells_what_it_hits_and_does_not_call_it_the_ground():
    for height, told in ((0.03, 1), (-0.03, 0)):
        feet = Feet(level())
        feet.ticks()
        foot = feet.footing.feet[0]
        foot.swing, foot.flight.left = 5, True
        feet.places[0, 2] = RADIUS + height
        assert len(feet.ticks(9)) == told
    feet = Feet(level())
    feet.ticks()
    foot = feet.footing.feet[0]
    foot.swing, foot.flight.left = 5, True
    feet.places[0, 2] = RADIUS + 0.03
    ((kind, text, _),) = feet.ticks()
    assert kind is EventKind.STUMBLE
    assert text == "FL hits something at 30 mm, the map has nothing above 0 mm there (x 0.100, y 0.080 m)"
    # The first landing after it is no repetition.
    foot.swing = -1
    assert [kind for kind, *_ in feet.ticks()] == [EventKind.STUMBLE, EventKind.MAP]


def test_a_foot_that_finds_no_ground_tells_how_far_it_came():
    feet = Feet(level())
    feet.ticks()
    foot = feet.footing.feet[3]
    foot.swing = 1
    feet.ticks(2, contact=(True, True, True, False))
    foot.swing, foot.stand.reported = -1, True
    feet.places[3, 2] = RADIUS - 0.012
    ((_, text, _),) = feet.ticks(1, contact=(True, True, True, False))
    assert "HR finds no ground down to -12 mm, the map has 0 mm there" in text


def test_a_falling_body_a_broken_switch_and_unknown_ground_say_nothing():
    feet = Feet(level())
    feet.places[:, 2] += 0.05
    assert not feet.ticks(lean=(0.2, 0.0, 0.0))
    feet = Feet(level())
    feet.places[:, 2] += 0.05
    assert not feet.ticks(offset=(0.04, 0.0, 0.0))
    feet = Feet(level())
    feet.places[:, 2] += 0.05
    for foot in feet.footing.feet:
        foot.switch.always = 9
    assert not feet.ticks()
    feet = Feet(ElevationMap(np.full((201, 201), np.nan), (-0.5, -0.5), SPACING))
    feet.places[:, 2] += 0.05
    assert not feet.ticks()
    feet = Feet(level())
    feet.places += (3.0, 0.0, 0.05)
    assert not feet.ticks()


def test_a_map_that_fits_nowhere_ends_the_walk_and_one_that_is_wrong_in_a_place_does_not():
    feet = Feet(level())
    feet.ticks()
    for number, (leg, height) in enumerate([(0, 0.02), (1, 0.0), (2, 0.02), (3, 0.0), (0, 0.02), (1, 0.0)]):
        feet.step(leg, height, number)
        assert not feet.watch.misfit
    feet.step(2, -0.012, 6)
    assert feet.watch.misfit == (
        "the map does not fit: 4 of the last 8 footfalls found the ground elsewhere (limit 4), HL 12 mm off at"
        " x -0.100, y 0.080 m (limit 8 mm); execution.misfit: go-on walks on"
    )


def test_footfalls_count_by_the_plan_that_they_are_of_and_who_wants_to_walk_on_does():
    feet = Feet(level())
    for number in range(3):
        feet.step(0, 0.02, number)
    # Those that stand there are looked at anew.
    feet.watch.use(level())
    feet.places[:, 2] = RADIUS
    feet.ticks()
    feet.step(0, 0.02, 4)
    assert not feet.watch.misfit
    onward = Feet(level())
    onward.watch.settings = CrawlSettings(misfit="go-on")
    for number in range(8):
        onward.step(number % 4, 0.02, number)
    assert not onward.watch.misfit
