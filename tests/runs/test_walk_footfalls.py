"""Footfalls, slip and margins, on tracks worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.runs.evaluation.balance import FootTrack, slips
from andante.runs.tasks.walk.footfalls import footfalls
from andante.runs.tasks.walk.metrics import margins_of

TIMES = np.arange(100) * 0.01


def track(position: np.ndarray, load: np.ndarray, rotation: np.ndarray | None = None) -> FootTrack:
    turned = np.broadcast_to(np.eye(3), (len(load), 3, 3)) if rotation is None else rotation
    return FootTrack(position, turned, load)


def one_step(ahead: float = 0.10) -> FootTrack:
    """Stands until 0.3 s, is in the air until 0.6 s, then stands ``ahead`` further on."""
    place = np.zeros((100, 3))
    place[30:60, 2] = 0.03
    place[30:60, 0] = np.linspace(0.0, ahead, 30)
    place[60:, 0] = ahead
    load = np.full(100, 7.0)
    load[30:60] = 0.0
    return track(place, load)


def test_a_step_is_one_footfall_with_the_error_of_its_place() -> None:
    told = [ControlEvent(0.29, EventKind.FOOTHOLD, "", {"foot": "FL", "x": 0.13, "y": 0.0})]
    (fall,) = footfalls(TIMES, [one_step()], 1.0, told, ["FL"])
    assert (fall.leg, fall.time, fall.lift_off) == (0, pytest.approx(0.60), pytest.approx(0.29))
    assert fall.place == pytest.approx((0.10, 0.0, 0.0))
    assert fall.error == pytest.approx(0.03)


def test_the_last_word_before_the_landing_counts_and_other_feet_do_not() -> None:
    told = [
        ControlEvent(0.29, EventKind.FOOTHOLD, "", {"foot": "FL", "x": 0.13, "y": 0.0}),
        ControlEvent(0.45, EventKind.FOOTHOLD, "", {"foot": "FL", "x": 0.10, "y": 0.01}),
        ControlEvent(0.50, EventKind.FOOTHOLD, "", {"foot": "FR", "x": 9.0, "y": 9.0}),
        ControlEvent(0.70, EventKind.FOOTHOLD, "", {"foot": "FL", "x": 0.30, "y": 0.0}),
    ]
    (fall,) = footfalls(TIMES, [one_step()], 1.0, told, ["FL"])
    assert fall.error == pytest.approx(0.01)


def test_a_foot_that_chatters_on_its_place_makes_no_footfall() -> None:
    load = np.full(100, 7.0)
    load[30:60] = 0.0
    assert footfalls(TIMES, [track(np.zeros((100, 3)), load)], 1.0, [], ["FL"]) == ()


def test_a_bump_on_the_way_is_no_footfall() -> None:
    step = one_step()
    step.load[45:47] = 5.0
    (fall,) = footfalls(TIMES, [step], 1.0, [], ["FL"])
    assert fall.time == pytest.approx(0.60)
    assert fall.error is None


def test_a_ball_that_rolls_does_not_slip_and_one_that_slides_does() -> None:
    radius, turned = 0.0103, np.linspace(0.0, 0.5, 100)
    c, s = np.cos(turned), np.sin(turned)
    rotation = np.zeros((100, 3, 3))
    rotation[:, 0, 0], rotation[:, 0, 2], rotation[:, 1, 1], rotation[:, 2, 0], rotation[:, 2, 2] = c, s, 1.0, -s, c
    place = np.zeros((100, 3))
    place[:, 0] = radius * turned
    load = np.full(100, 7.0)
    rolls, slides = track(place, load, rotation), track(place, load)
    ways = slips([rolls, slides], [radius, radius], 1.0)
    assert ways[0] == pytest.approx(0.0, abs=1e-6)
    assert ways[1] == pytest.approx(0.5 * radius)
    in_the_air = track(place, np.zeros(100))
    assert slips([in_the_air], [radius], 1.0)[0] == 0.0


def test_the_margin_is_the_distance_to_the_nearest_edge_of_three_feet_or_more() -> None:
    corners = np.array([[0.1, 0.1], [0.1, -0.1], [-0.1, 0.1], [-0.1, -0.1]])
    load = np.full((4, 3), 5.0)
    load[3, 1:] = 0.0
    load[2, 2] = 0.0
    tracks = [track(np.tile([x, y, 0.0], (3, 1)), load[foot]) for foot, (x, y) in enumerate(corners)]
    com = np.tile([0.02, 0.0, 0.1], (3, 1))
    margins, low = margins_of(com, tracks, 1.0)
    # Four feet: 0.08 m to the front edge. Without HR: 0.02 / sqrt 2 inside the diagonal. Two feet: no margin.
    assert margins[:2] == pytest.approx([0.08, 0.02 / np.sqrt(2.0)])
    assert np.isnan(margins[2])
    assert low == pytest.approx(1.0 / 3.0)
