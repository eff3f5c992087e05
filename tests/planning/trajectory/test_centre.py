"""The centre of mass of a wanted zero moment point: closed forms of the cart on a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.planning.trajectory.centre import GRAVITY, along_knots, centre_path, smooth_path, zmp_heights

PERIOD = 0.01


def _solve(zmp: np.ndarray, height: float, velocity: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    com = np.empty_like(zmp)
    first, last = zmp[0].copy(), zmp[-1].copy()
    centre_path(zmp, np.full(len(zmp), height), PERIOD, first, np.array(velocity), last, 30, com)
    return com


def test_a_resting_zero_moment_point_rests_the_body() -> None:
    zmp = np.full((200, 2), 0.3)
    assert np.allclose(_solve(zmp, 0.1), 0.3, atol=1e-12)


def test_a_far_step_of_the_zero_moment_point_is_met_by_two_exponentials() -> None:
    # p = -d before, +d after time 0: c = -d + d exp(t / T) before and d - d exp(-t / T) after, T = sqrt(h / g).
    height, d = 0.12, 0.02
    time = (np.arange(401) - 200) * PERIOD
    zmp = np.zeros((401, 2))
    zmp[:, 0] = np.sign(time) * d
    com = _solve(zmp, height)
    constant = np.sqrt(height / GRAVITY)
    wanted = np.sign(time) * d * (1.0 - np.exp(-np.abs(time) / constant))
    assert np.allclose(com[:, 0], wanted, atol=5e-5)
    assert np.allclose(com[:, 1], 0.0)


@given(
    st.lists(st.floats(-0.05, 0.05), min_size=3, max_size=6),
    st.floats(-0.15, 0.15),
    st.floats(0.06, 0.3),
)
def test_the_equation_holds_and_the_start_has_its_velocity(knots: list[float], speed: float, height: float) -> None:
    samples = np.arange(len(knots) + 1) * 30
    zmp = along_knots(samples, np.array([[0.0, 0.0], *([value, -value] for value in knots)]))
    com = _solve(zmp, height, (speed, 0.0))
    bent = (com[2:] - 2.0 * com[1:-1] + com[:-2]) / PERIOD**2
    assert np.allclose(com[1:-1] - height / GRAVITY * bent, zmp[1:-1], atol=1e-9)
    assert (com[1] - com[0]) / PERIOD == pytest.approx([speed, 0.0], abs=1e-9)


def test_after_the_correction_the_zero_moment_point_is_the_wanted_one() -> None:
    zmp = along_knots(np.array([0, 50, 100]), np.array([[0.0, 0.0], [0.02, 0.01], [0.0, 0.0]]))
    wanted = zmp.copy()
    _solve(zmp, 0.12, (0.1, 0.0))
    assert np.allclose(zmp[30:-1], wanted[30:-1], atol=1e-9)
    assert np.abs(zmp[:30] - wanted[:30]).max() > 1e-3


def test_smoothing_keeps_ends_and_does_not_overshoot() -> None:
    values = along_knots(np.array([0, 40, 44, 120]), np.array([[0.0], [0.0], [0.05], [0.05]]))
    smooth_path(values, np.zeros(1), PERIOD, 0.05)
    assert values[0, 0] == 0.0
    assert values[-1, 0] == 0.05
    assert values.min() >= -1e-12
    assert values.max() <= 0.05 + 1e-12
    assert np.diff(values[:, 0]).min() >= -1e-9


def test_smoothing_starts_with_the_given_rate() -> None:
    values = np.zeros((150, 1))
    smooth_path(values, np.array([0.2]), PERIOD, 0.05)
    assert (values[1, 0] - values[0, 0]) / PERIOD == pytest.approx(0.2)
    assert abs(values[-2, 0]) < 1e-6


def test_a_body_that_speeds_upwards_is_as_if_lower() -> None:
    time = np.arange(50) * PERIOD
    height = np.empty(50)
    zmp_heights(0.1 + 0.5 * 2.0 * time**2, np.zeros(50), PERIOD, height)
    assert np.allclose(height, (0.1 + time**2) * GRAVITY / (GRAVITY + 2.0), rtol=1e-9)
