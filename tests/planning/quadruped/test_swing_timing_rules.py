"""When swings move ahead and are at their apex, over ground of no plan, against the rules written anew with arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.ndimage import map_coordinates
from scipy.optimize import brentq

from andante.planning.quadruped import ground as grounds
from andante.planning.quadruped import swing_timing
from andante.planning.quadruped.ground import Ground
from andante.terrain import lookup

NODE = 0.03


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Kernels as Python, so that none is compiled for its test alone."""
    for module in (swing_timing, grounds, lookup):
        for name, thing in list(vars(module).items()):
            if hasattr(thing, "py_func"):
                monkeypatch.setattr(module, name, thing.py_func)


def share_at(way: float) -> float:
    """When a cubic from rest to rest has come a share of its way."""
    if not 0.0 < way < 1.0:
        return float(way >= 1.0)
    return float(brentq(lambda s: s * s * (3.0 - 2.0 * s) - way, 0.0, 1.0, xtol=1e-15))


def timed(ground: Ground, radius: float, margin: float, swing: np.ndarray) -> list[float]:
    """Apex, begin and end of the way ahead, as shares of the swing."""
    start, end, apex = swing[2:5], swing[5:8], swing[8]
    up, down = max(apex - start[2], 1e-3), max(apex - end[2], 1e-3)
    peak = 1.0 / (1.0 + math.sqrt(down / up))
    way = (end - start)[:2]
    length = float(np.linalg.norm(way))
    ball = radius / length if length > radius else 1.0
    begins, ends = [0.0], [1.0]
    for share in np.arange(1, 16) / 16:
        under = np.clip(share + ball * np.array([-1.0, 0.0, 1.0]), 0.0, 1.0)
        places = start[:2] + under[:, None] * way
        nodes = (places - [ground.x, ground.y]) / NODE
        high = map_coordinates(ground.height, nodes.T, order=1, mode="nearest").max() + radius
        # By when the foot has come this share of its way, and how much of its time is left then.
        passed = share_at(share)
        over, below = high - start[2], high - end[2]
        if over > 1e-3:
            lifted = peak * share_at((over + min(over, margin)) / up)
            begins.append((lifted - passed) / (1.0 - passed))
        if below > 1e-3:
            lowered = (1.0 - peak) * share_at((below + min(below, margin)) / down)
            ends.append(1.0 - (lowered - (1.0 - passed)) / passed)
    first, last = min(max(begins), 0.5), max(min(ends), 0.5)
    lacks = 0.4 - (last - first)
    if lacks > 0.0:
        first, last = first - 0.5 * lacks, last + 0.5 * lacks
    return [peak, first, last]


@pytest.mark.parametrize("block", range(3))
def test_swings_over_ground_of_no_plan_wait_as_the_rules_have_it(block):
    rng, found = np.random.default_rng(block), []
    for _ in range(80):
        height = rng.uniform(0.0, rng.choice([0.0, 0.02, 0.1]), (40, 40))
        if rng.random() < 0.5:
            height[rng.integers(15, 25) :] += rng.choice([-0.1, 0.1])
        ground = Ground(-0.6, -0.55, NODE, height, height, height, height, height)
        radius, margin = rng.choice([0.0, 0.02, 0.05]), rng.choice([0.0, 0.01, 0.04])
        start, end = (np.append(rng.uniform(-0.2, 0.2, 2), 0.0) for _ in range(2))
        if rng.random() < 0.2:
            # A foot that comes down nearly where it stood.
            end[:2] = start[:2] + rng.choice([0.5, 0.9, 1.1]) * radius * np.array([0.6, -0.8])
        for place in (start, end):
            nodes = ((place[:2] - [ground.x, ground.y]) / NODE)[:, None]
            place[2] = map_coordinates(height, nodes, order=1)[0] + radius
        apex = max(start[2], end[2]) + rng.choice([0.0, 0.0005, 0.05, 0.12])
        swing = np.array([1.0, 1.2, *start, *end, apex, 9.0, 9.0, 9.0])
        before = swing.copy()
        swing_timing.time_swing(ground, radius, margin, swing)
        assert swing[:9].tolist() == before[:9].tolist()
        assert swing[9:] == pytest.approx(timed(ground, radius, margin, before), abs=1e-7)
        found.append(swing[9:])
    shares = np.array(found)
    # All that can come of it has come.
    assert np.ptp(shares[:, 0]) > 0.3
    assert (shares[:, 1] == 0.0).any()
    assert (shares[:, 2] == 1.0).any()
    assert ((shares[:, 1] > 0.0) & (shares[:, 2] < 1.0)).any()
    assert (np.abs(shares[:, 2] - shares[:, 1] - 0.4) < 1e-9).any()


@pytest.mark.parametrize(("way", "share"), [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (5 / 32, 0.25), (27 / 32, 0.75)])
def test_a_cubic_comes_its_way_in_such_a_share_of_its_time(way, share):
    assert swing_timing._share_at(way) == pytest.approx(share, abs=1e-12)


def test_a_way_beyond_its_ends_is_at_them():
    assert swing_timing._share_at(-0.5) == swing_timing._share_at(0.0)
    assert swing_timing._share_at(1.7) == swing_timing._share_at(1.0)


@pytest.mark.parametrize(("high", "waits"), [(0.9e-3, False), (1.0e-3, False), (1.1e-3, True), (1.9e-3, True)])
def test_ground_that_is_a_millimetre_higher_is_no_edge(high, waits):
    height = np.zeros((40, 40))
    height[20:] = high
    ground = Ground(-0.6, -0.6, NODE, height, height, height, height, height)
    for swing in ([0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0, high, 2.5e-3], [0.0, 0.0, 0.2, 0.0, high, 0.0, 0.0, 0.0, 2.5e-3]):
        way = np.array([*swing, 9.0, 9.0, 9.0])
        swing_timing.time_swing(ground, 0.0, 0.5, way)
        assert (way[10] > 0.0 or way[11] < 1.0) == waits
