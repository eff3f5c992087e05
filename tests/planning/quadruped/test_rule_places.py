"""The places that a foothold rule is offered on a grid of an eighth of a metre: order, ties, limits met exactly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from andante.planning.quadruped.foothold_rule import FootholdStep, NearestFoothold
from andante.planning.quadruped.ground import Ground

NODE = 0.125


def step(share: np.ndarray | None = None, **changes) -> FootholdStep:
    """A touch-down at (1, 2) below its hip; nodes from the origin on, every eighth of a metre."""
    flat = np.zeros((33, 33))
    ground = Ground(0.0, 0.0, NODE, flat, flat, flat, flat, flat + 1.0 if share is None else share)
    values = {"leg": 0, "number": 0, "time": 0.1, "wanted": (1.0, 2.0), "hip": (1.0, 2.0, 5.0), "before": None,
              "reach": 9.0, "threshold": 0.5, "ground": ground}  # fmt: skip
    return FootholdStep(**(values | changes))


def nodes(places):
    """Places in nodes from (1, 2), without rounding."""
    return [((x - 1.0) / NODE, (y - 2.0) / NODE) for x, y in places]


def test_places_come_nearest_first_and_of_equally_near_ones_from_behind_and_right_to_ahead_and_left():
    assert nodes(step().places(0.25)) == [
        (0, 0),
        (-1, 0), (0, -1), (0, 1), (1, 0),
        (-1, -1), (-1, 1), (1, -1), (1, 1),
        (-2, 0), (0, -2), (0, 2), (2, 0),
    ]  # fmt: skip


@pytest.mark.parametrize("radius", [0.0, 0.1249, 0.125, 0.18, 0.25, 0.2795, 0.3, 0.375, 0.53])
def test_places_are_all_nodes_within_the_radius(radius):
    around = itertools.product(range(-9, 10), repeat=2)
    inside = {(i, j) for i, j in around if math.sqrt(i * i + j * j) * NODE <= radius}
    found = nodes(step().places(radius))
    assert len(found) == len(set(found))
    assert set(found) == inside
    distances = [math.hypot(*each) for each in found]
    assert distances == sorted(distances)


@pytest.mark.parametrize("hip", [(0.5, 2.0), (1.5, 2.0), (1.0, 1.5), (1.0, 2.5)])
def test_places_are_reached_up_to_the_leg_s_whole_reach(hip):
    own = step(hip=(*hip, 7.0), reach=0.375)
    found = own.places(0.25)
    # Of the nodes on the line to the hip the nearest that is reached is one away.
    ahead = 1.0 + 0.25 * (hip[0] - 1.0), 2.0 + 0.25 * (hip[1] - 2.0)
    assert found[0] == ahead
    assert all(math.dist(each, hip) <= 0.375 for each in found)
    assert NearestFoothold().choose(own) == ahead


def test_a_place_of_just_the_least_traversability_is_none():
    share = np.full((33, 33), 0.5)
    share[8, 17], share[9, 16] = 0.5625, 0.75
    own = step(share)
    assert nodes(own.places(0.25)) == [(0, 1), (1, 0)]
    assert own.traversability(1.0, 2.125) == 0.5625
    assert nodes(step(share, threshold=0.5625).places(0.25)) == [(1, 0)]
    assert step(share, threshold=0.75).places(0.25) == []


def test_no_more_than_fifty_nodes_to_each_side_are_looked_at():
    own = step()
    # Beyond the grid its rim goes on.
    assert {abs(i) for i, _ in nodes(own.places(49.5 * NODE))} == set(range(50))
    assert {abs(j) for _, j in nodes(own.places(80.0 * NODE))} == set(range(51))
