"""Feet that strike something or come down elsewhere than planned: each alone, before a plan, without a way."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.planning.quadruped.local_plan import LocalRequest
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.stumbles import Stumbles

SETTINGS = LocalSettings(clearance=0.25, surprise=0.0625, uneven=2.0, stumble=0.125, stumble_time=0.25)
SWING = np.array([0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 1.0, 0.5, 0.0, 1.0])
"""For two seconds, a metre ahead, half a metre up; half way after one."""


class Feet:
    """What four feet teach, of which each is told what it does."""

    def __init__(self) -> None:
        self.own = Stumbles(SETTINGS)
        self.last: Any = SimpleNamespace(
            contact=np.zeros((3, 4), dtype=np.bool_), swings=np.tile(SWING, (4, 6, 1)), swing_counts=np.full(4, 1)
        )
        self.last.swings[:, 1:, 7] = 9.0

    def note(self, time: float, touching: str, stands: str = "....", places: Any = (0.0, 0.0, 0.0), last=True) -> None:
        feet = np.broadcast_to(np.array(places, dtype=np.float64), (4, 3)).copy()
        contact, standing = (np.array([each != "." for each in word]) for word in (touching, stands))
        request = LocalRequest(time, np.zeros(12), feet, contact)
        self.own.note(request, standing, self.last if last else None)

    def begun(self) -> list[float]:
        """When each foot's swing began anew; -1: it did not."""
        return self.own.starts(np.zeros((4, 3)), np.full(4, -1.0))[1].tolist()


def test_at_first_no_foot_has_struck_and_the_ground_is_even():
    feet = Feet()
    assert feet.own.clearance == 0.25
    assert feet.begun() == [-1.0] * 4
    swings = np.tile(SWING, (4, 6, 1))
    feet.own.wait(swings)
    assert (swings == SWING).all()
    feet.note(0.0, "####", "####", last=False)
    assert feet.own.clearance == 0.25


@pytest.mark.parametrize("leg", range(4))
def test_each_foot_strikes_for_itself(leg):
    feet = Feet()
    feet.note(0.5, "....")
    touching = "".join("#" if each == leg else "." for each in range(4))
    places = np.zeros((4, 3))
    places[leg] = 0.25, 0.5, 0.125
    feet.note(1.0, touching, places=places)
    assert feet.begun() == [1.0 if each == leg else -1.0 for each in range(4)]
    found, _ = feet.own.starts(np.full((4, 3), 7.0), np.zeros(4))
    assert found[leg].tolist() == [0.25, 0.5, 0.125]
    assert (np.delete(found, leg, axis=0) == 7.0).all()
    swings = np.tile(SWING, (4, 6, 1))
    # Later swings have times of their own.
    swings[:, 1:, 10] = 0.875
    feet.own.wait(swings)
    assert swings[:, 0, 10].tolist() == [0.3 if each == leg else 0.0 for each in range(4)]
    assert (swings[:, 1:, 10] == 0.875).all()
    swings[:, :, 10] = SWING[10]
    assert (swings == SWING).all()
    # Where it stands it is over.
    feet.note(1.1, "....", "####")
    assert feet.begun() == [-1.0] * 4


@pytest.mark.parametrize(
    ("time", "x", "strikes"),
    [
        (1.0, 0.375, False),  # just the limit behind the half of its way
        (1.0, 0.3749, True),
        (1.0, 0.625, False),
        (1.0, 0.9, False),
        (1.7, 0.0, True),
        (1.75, 0.0, False),  # just the limit before its end
        (1.74, 0.0, True),
    ],
)
def test_a_foot_strikes_that_is_behind_its_way_while_time_is_left(time, x, strikes):
    feet = Feet()
    feet.note(0.5, "....")
    feet.note(time, "#...", places=(x, 0.0, 0.3))
    assert (feet.begun()[0] == time) == strikes


def test_a_foot_that_has_not_left_or_has_no_plan_or_stood_in_it_strikes_nothing():
    place = (0.0, 0.0, 0.1)
    never, blind, stood, left = Feet(), Feet(), Feet(), Feet()
    never.note(1.0, "####", places=place)
    for feet in (blind, stood, left):
        feet.note(0.5, "....")
    blind.note(1.0, "####", places=place, last=False)
    stood.last.contact[0] = True
    stood.note(1.0, "####", places=place)
    # What the plan has in later intervals is nothing of now.
    left.last.contact[1:] = True
    left.note(1.0, "####", places=place)
    assert [feet.begun() for feet in (never, blind, stood, left)] == [[-1.0] * 4] * 3 + [[1.0] * 4]
    # One that struck has to leave again before it strikes anew.
    left.note(1.1, "####", places=place)
    assert left.begun() == [1.0] * 4
    left.note(1.2, "....", places=place)
    left.note(1.3, "##..", places=place)
    assert left.begun() == [1.3, 1.3, 1.0, 1.0]


def test_a_swing_on_the_spot_is_behind_nothing():
    feet = Feet()
    feet.last.swings[:, 0, 5] = 0.0
    feet.note(0.5, "....")
    feet.note(1.0, "####", places=(-0.5, 0.2, 0.1))
    assert feet.begun() == [-1.0] * 4


def test_short_ways_count_as_long_ones():
    # A way of a millimetre: a foot 13 cm behind it is behind it.
    feet = Feet()
    feet.last.swings[:, 0, 5] = 1e-3
    feet.note(0.5, "....")
    feet.note(1.0, "####", places=(-0.13, 0.0, 0.1))
    assert feet.begun() == [1.0] * 4


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_largest_surprise_counts_until_it_is_forgotten(sign):
    feet = Feet()
    feet.note(0.0, "....")
    # Planned at half a metre; a foot that stands and does not touch yet tells nothing.
    feet.note(1.0, ".###", "####", places=(1.0, 0.0, 0.5 + 0.125 * sign))
    assert feet.own.clearance == 0.25 + 0.125 - 0.0625
    feet.note(1.0, "####", "####", places=(1.0, 0.0, 0.5 + 0.25 * sign))
    # The last one touches now, and farther off; the others have landed already.
    assert feet.own.clearance == 0.25 + 0.25 - 0.0625
    feet.note(3.0, "####", "####", places=(1.0, 0.0, 9.0))
    assert feet.own.clearance == pytest.approx(0.25 + 0.25 * math.exp(-1.0) - 0.0625)
    feet.note(9.0, "####", "####", places=(1.0, 0.0, 9.0))
    assert feet.own.clearance == 0.25


def test_swings_are_at_most_twice_as_high_and_nothing_is_compared_without_a_plan():
    feet, blind, none = Feet(), Feet(), Feet()
    for each in (feet, blind, none):
        each.note(0.0, "....")
    none.last.swing_counts[:] = 0
    feet.note(1.0, "####", "####", places=(1.0, 0.0, 9.0))
    blind.note(1.0, "####", "####", places=(1.0, 0.0, 9.0), last=False)
    none.note(1.0, "####", "####", places=(1.0, 0.0, 9.0))
    assert [each.own.clearance for each in (feet, blind, none)] == [0.5, 0.25, 0.25]
    # They have landed for all that.
    for each in (blind, none):
        each.last.swing_counts[:] = 1
        each.note(1.0, "####", "####", places=(1.0, 0.0, 9.0))
        assert each.own.clearance == 0.25
