"""Legs whose knees stay bent."""

from __future__ import annotations

import numpy as np
import pytest

from andante.kinematics.leg_kernels import KNEE, obstacle
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.robots.robot import Robot


def test_reserved_knees_shorten_the_leg_by_the_law_of_cosines() -> None:
    body = LeggedBody.of(Robot.load("littledog"))
    short = body.reserved(0.45)
    upper, lower = body.table.lengths[0]
    longest = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(0.45))
    hip = body.table.hip[0] + body.table.offset[0]
    just_in, just_out = (hip - [0.0, 0.0, longest + each] for each in (-1e-4, 1e-4))
    assert obstacle(short.table, 0, *just_in) == -1
    assert obstacle(short.table, 0, *just_out) == KNEE
    assert obstacle(body.table, 0, *just_out) == -1
    assert short.legs == body.legs


@pytest.mark.parametrize("bend", [-0.1, 3.0, float("nan")])
def test_a_reserve_that_no_knee_has_is_named(bend: float) -> None:
    with pytest.raises(StanceError, match="knees cannot stay bent so much"):
        LeggedBody.of(Robot.load("littledog")).reserved(bend)
