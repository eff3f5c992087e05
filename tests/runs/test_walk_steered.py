"""Mean speeds of a base that goes along a line, sideways and round a circle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.robots.records import Field, Layout
from andante.runs.logs.log import ChannelRows
from andante.runs.tasks.steered.spans import reached

LAYOUT = Layout("truth", (Field("qpos", tuple("xyzabcd"), "m"),))


def truth(path, yaw, end: float = 4.0) -> ChannelRows:
    """A base whose place and yaw are functions of the time [s], 100 rows a second."""
    times = np.arange(0.0, end + 1e-9, 0.01)
    rows = np.zeros((len(times), 7))
    for row, time in zip(rows, times, strict=True):
        row[:2] = path(time)
        row[3], row[6] = math.cos(0.5 * yaw(time)), math.sin(0.5 * yaw(time))
    return ChannelRows(LAYOUT, np.round(times * 1e9).astype(np.int64), rows)


def test_speeds_are_those_in_the_axes_of_the_base():
    # It looks along y and goes along x: that is to its right.
    found = reached(truth(lambda t: (0.3 * t, 0.1 * t), lambda t: 0.5 * math.pi), 1.0, 3.0)
    assert (found.forward, found.lateral, found.turn) == pytest.approx((0.1, -0.3, 0.0), abs=1e-12)


def test_a_circle_is_forward_and_turn_also_past_half_a_turn():
    # Radius 0.5 m at 2 rad/s: 1 m/s, and 8 rad in 4 s.
    found = reached(truth(lambda t: (0.5 * math.sin(2 * t), 0.5 - 0.5 * math.cos(2 * t)), lambda t: 2.0 * t), 0.0, 4.0)
    assert (found.forward, found.lateral, found.turn) == pytest.approx((1.0, 0.0, 2.0), abs=1e-4)


def test_only_what_lies_between_the_moments_counts():
    found = reached(truth(lambda t: (max(t - 2.0, 0.0), 0.0), lambda t: 0.0), 2.0, 4.0)
    assert found.forward == pytest.approx(1.0)
    assert reached(truth(lambda t: (t, 0.0), lambda t: 0.0, end=1.0), 2.0, 4.0) is None
