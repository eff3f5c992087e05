"""The places that a foothold rule is offered, on a grid of ten centimetres: worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.planning.quadruped.foothold_rule import FootholdStep, NearestFoothold
from andante.planning.quadruped.ground import Ground


def step(share: np.ndarray | None = None, **changes) -> FootholdStep:
    """A touch-down at (1, 2), its hip 5 cm behind; the grid begins at the origin."""
    flat = np.zeros((41, 41))
    height = 0.1 * np.add.outer(np.arange(41), 2.0 * np.arange(41))
    ground = Ground(0.0, 0.0, 0.1, height, flat, flat, flat, np.ones((41, 41)) if share is None else share)
    values = {"leg": 0, "number": 0, "time": 0.1, "wanted": (1.0, 2.0), "hip": (0.95, 2.0, 0.3), "before": None,
              "reach": 9.0, "threshold": 0.6, "ground": ground}  # fmt: skip
    return FootholdStep(**(values | changes))


def test_places_are_nodes_around_the_wanted_one_nearest_first():
    own = step()
    near = own.places(0.15)
    assert near[0] == (1.0, 2.0)
    distances = [math.dist(place, (1.0, 2.0)) for place in near]
    assert distances == pytest.approx([0.0] + [0.1] * 4 + [0.1 * math.sqrt(2.0)] * 4)
    assert {(round(10 * x), round(10 * y)) for x, y in near} == {(i, j) for i in (9, 10, 11) for j in (19, 20, 21)}
    assert own.places(0.09) == [(1.0, 2.0)]
    assert len(own.places(0.2001)) == 13
    assert len(own.places(1e3)) == 101**2
    assert own.height(1.05, 2.0) == pytest.approx(1.05 + 4.0)
    assert own.traversability(1.04, 2.04) == 1.0


def test_places_are_within_reach_of_the_hip_and_better_than_the_threshold():
    # From the hip at 0.95: nodes at 0.9 and 1.0 are 5 cm away, that at 1.1 m 15 cm.
    assert np.array(sorted(step(reach=0.1).places(0.1))) == pytest.approx(np.array([[0.9, 2.0], [1.0, 2.0]]))
    share = np.full((41, 41), 0.6)
    assert step(share).places(0.3) == []
    assert NearestFoothold().choose(step(share)) is None
    share[11, 21] = 0.61
    assert np.array(step(share).places(0.3)) == pytest.approx(np.array([[1.1, 2.1]]))
    # The shipped rule looks as far as the leg reaches.
    assert NearestFoothold().choose(step(share, reach=0.2)) == pytest.approx((1.1, 2.1))
    assert NearestFoothold().choose(step(share, reach=0.13)) is None
