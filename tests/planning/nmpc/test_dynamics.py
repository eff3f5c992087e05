"""How the rigid body moves in an interval, against closed forms, finite differences, Pinocchio and small steps."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import BODY
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.nmpc.dynamics import BodyNumbers, next_state, step_derivatives
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

seeds = st.integers(0, 2**32 - 1)


def _anywhere(seed: int) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    state = rng.normal(0.0, 0.5, 12)
    state[4] = rng.uniform(-1.3, 1.3)
    state[5] = rng.uniform(-7.0, 7.0)
    return state, rng.normal(0.0, 50.0, (4, 3)), rng.normal(0.0, 0.3, (4, 3))


def test_free_fall_is_exact_in_one_step() -> None:
    # 0.3 s upward at 2 m/s: 2 * 0.3 - 9.81 * 0.09 / 2 = 0.15855 m, and 2 - 2.943 m/s.
    state = np.zeros(12)
    state[8] = 2.0
    after = next_state(BODY, state, np.zeros((4, 3)), np.zeros((4, 3)), 0.3)
    assert after[2] == pytest.approx(0.6 - 0.5 * GRAVITY * 0.09)
    assert after[8] == pytest.approx(2.0 - 0.3 * GRAVITY)
    assert np.all(after[[0, 1, 3, 4, 5, 6, 7, 9, 10, 11]] == 0.0)


def test_a_force_off_the_centre_turns_the_body() -> None:
    # 10 N upward 0.2 m ahead: a moment of -2 N m about y (pitch positive is nose down), 2 / 0.4 = 5 rad/s^2.
    body = type(BODY)(10.0, np.diag([0.1, 0.4, 0.5]))
    forces = np.zeros((4, 3))
    forces[0, 2] = 10.0
    feet = np.zeros((4, 3))
    feet[0] = 0.2, 0.0, -0.3
    after = next_state(body, np.zeros(12), forces, feet, 0.1)
    assert after[10] == pytest.approx(-0.5)
    assert after[4] == pytest.approx(-0.5 * 5.0 * 0.01)
    assert after[8] == pytest.approx(0.1 * (1.0 - GRAVITY))


@given(seeds)
@settings(deadline=None)
def test_derivatives_are_those_of_finite_differences(seed: int) -> None:
    state, forces, feet = _anywhere(seed)
    after, by_state, by_force = np.empty(12), np.empty((12, 12)), np.empty((12, 12))
    step_derivatives(BodyNumbers.of(BODY), state, forces, feet, 0.03, after, by_state, by_force)
    assert np.array_equal(after, next_state(BODY, state, forces, feet, 0.03))
    near = 1e-6
    for column, push in enumerate(near * np.eye(12)):
        ahead, back = (next_state(BODY, state + sign * push, forces, feet, 0.03) for sign in (1.0, -1.0))
        assert np.allclose(by_state[:, column], (ahead - back) / (2.0 * near), atol=2e-6, rtol=1e-6)
        push = 100.0 * push.reshape(4, 3)
        ahead, back = (next_state(BODY, state, forces + sign * push, feet, 0.03) for sign in (1.0, -1.0))
        assert np.allclose(by_force[:, column], (ahead - back) / (200.0 * near), atol=2e-7, rtol=1e-6)


@pytest.mark.slow
@given(seeds)
@settings(deadline=None, max_examples=25)
def test_half_the_step_halves_the_error(seed: int) -> None:
    state, forces, feet = _anywhere(seed)
    state[4] = np.clip(state[4], -0.5, 0.5)
    forces = 0.2 * forces

    def moved(steps: int) -> Array:
        x = state
        for _ in range(steps):
            x = next_state(BODY, x, forces, feet, 0.1 / steps)
        return x

    exact = 2.0 * moved(6400) - moved(3200)
    coarse, fine = (np.abs(moved(steps) - exact).max() for steps in (100, 200))
    assert fine <= 0.6 * coarse + 1e-9
    # Of a fast turn the error is larger in rad/s, and as small a part of what changes.
    assert fine < 0.01 * np.abs(exact - state).max()


@given(seeds)
@settings(deadline=None)
def test_accelerations_are_pinocchios(seed: int) -> None:
    pin = pytest.importorskip(
        "pinocchio", reason="needs Pinocchio (pip install pin, apt install libgomp1)", exc_type=ImportError
    )
    state, forces, feet = _anywhere(seed)
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    model.appendBodyToJoint(joint, pin.Inertia(BODY.mass, np.zeros(3), BODY.inertia), pin.SE3.Identity())
    rotation = pin.rpy.rpyToMatrix(*state[3:6])
    place = pin.SE3(rotation, state[:3])
    wrench = pin.Force(forces.sum(axis=0), np.cross(feet - state[:3], forces).sum(axis=0))
    # Both are about the body's origin: the wrench is turned into its axes.
    wrench = pin.Force(rotation.T @ wrench.linear, rotation.T @ wrench.angular)
    velocity = np.concatenate([rotation.T @ state[6:9], state[9:]])
    data = model.createData()
    outer = pin.StdVec_Force()
    outer.extend([pin.Force.Zero(), wrench])
    acceleration = pin.aba(model, data, pin.SE3ToXYZQUAT(place), velocity, np.zeros(6), outer)
    # The linear part is of body axes: its world value adds omega x v.
    world = rotation @ (acceleration[:3] + np.cross(state[9:], velocity[:3]))
    after = next_state(BODY, state, forces, feet, 1e-3)
    assert np.allclose((after[6:9] - state[6:9]) / 1e-3, world, rtol=1e-8, atol=1e-7)
    assert np.allclose((after[9:] - state[9:]) / 1e-3, acceleration[3:], rtol=1e-8, atol=1e-7)
    # The attitude after a short time is the one that Pinocchio integrates.
    short = 1e-5
    after = next_state(BODY, state, forces, feet, short)
    turned = pin.integrate(model, pin.SE3ToXYZQUAT(place), np.concatenate([velocity[:3], state[9:]]) * short)
    assert np.allclose(pin.rpy.rpyToMatrix(*after[3:6]), pin.XYZQUATToSE3(turned).rotation, atol=1e-6)
