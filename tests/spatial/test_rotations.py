"""Rotations: group axioms over batch shapes, agreement of representations, hand-worked attitudes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from andante.spatial import rotations as rot

HALF = math.sqrt(0.5)
angles = st.floats(-10.0, 10.0)


def quaternions(shape=None):
    """Unit quaternions of any batch shape."""
    shapes = array_shapes(min_dims=0, max_dims=2, max_side=3) if shape is None else st.just(shape)
    return shapes.flatmap(
        lambda batch: (
            arrays(np.float64, (*batch, 4), elements=st.floats(-1.0, 1.0))
            .filter(lambda q: np.linalg.norm(q, axis=-1).min() > 1e-3)
            .map(rot.normalise)
        )
    )


def vectors(limit=10.0):
    return arrays(np.float64, (3,), elements=st.floats(-limit, limit))


def same(a, b):
    """Whether two quaternions turn alike (q and -q do)."""
    return np.abs(np.abs(np.sum(np.asarray(a) * b, axis=-1)) - 1.0).max() < 1e-12


@pytest.mark.slow
@given(quaternions(), quaternions(()), quaternions(()))
def test_product_is_associative_with_identity_and_inverse(a, b, c):
    np.testing.assert_allclose(
        rot.multiply(a, rot.multiply(b, c)), rot.multiply(rot.multiply(a, b), c), rtol=0, atol=1e-14
    )
    np.testing.assert_array_equal(rot.multiply(a, rot.IDENTITY), a)
    np.testing.assert_allclose(rot.multiply(a, rot.conjugate(a)), np.broadcast_to(rot.IDENTITY, a.shape), atol=1e-14)


@given(quaternions(), quaternions(()), vectors())
def test_the_matrix_turns_as_the_quaternion_does_and_follows_the_product(a, b, v):
    turned = rot.multiply(rot.multiply(a, np.concatenate([np.zeros_like(v[..., :1]), v], axis=-1)), rot.conjugate(a))
    np.testing.assert_allclose(turned[..., 1:], rot.to_matrix(a) @ v, atol=1e-13)
    np.testing.assert_allclose(rot.to_matrix(rot.multiply(a, b)), rot.to_matrix(a) @ rot.to_matrix(b), atol=1e-14)


@given(quaternions())
def test_matrix_round_trip(q):
    matrix = rot.to_matrix(q)
    np.testing.assert_allclose(
        np.swapaxes(matrix, -1, -2) @ matrix, np.broadcast_to(np.eye(3), matrix.shape), atol=1e-14
    )
    np.testing.assert_allclose(np.linalg.det(matrix), 1.0, atol=1e-14)
    back = rot.from_matrix(matrix)
    assert back.shape == q.shape
    assert (back[..., 0] >= 0.0).all()
    assert same(back, q)


@pytest.mark.parametrize("axis", [*np.eye(3).tolist(), [0.6, 0.8, 0.0], [0.0, -0.6, 0.8]])
def test_matrix_round_trip_at_half_turns(axis):
    # w = 0: the trace form alone would divide by zero.
    assert same(rot.from_matrix(rot.to_matrix([0.0, *axis])), [0.0, *axis])


@given(vectors(3.0))
def test_exp_and_log_undo_each_other(v):
    v = v if np.linalg.norm(v) <= math.pi else v * (3.14 / np.linalg.norm(v))
    np.testing.assert_allclose(np.linalg.norm(rot.exp(v)), 1.0, atol=1e-15)
    np.testing.assert_allclose(rot.log(rot.exp(v)), v, atol=1e-13)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-17, 1e-9, 0.99e-8, 1.01e-8, 1e-5])
def test_exp_and_log_of_tiny_turns(size):
    v = size * np.array([0.6, 0.0, -0.8])
    np.testing.assert_allclose(rot.log(rot.exp(v)), v, rtol=1e-12, atol=0)


@given(quaternions())
def test_log_takes_the_short_way(q):
    assert np.linalg.norm(rot.log(q), axis=-1).max() <= math.pi + 1e-12
    assert same(rot.exp(rot.log(q)), q)


@given(angles, angles, angles)
def test_rpy_is_yaw_after_pitch_after_roll(roll, pitch, yaw):
    q = rot.from_rpy([roll, pitch, yaw])
    matrix = rot.rotation_z(yaw) @ rot.rotation_y(pitch) @ rot.rotation_x(roll)
    np.testing.assert_allclose(rot.to_matrix(q), matrix, atol=1e-14)
    back = rot.to_rpy(q)
    assert abs(back[1]) <= math.pi / 2
    assert same(rot.from_rpy(back), q) or abs(abs(back[1]) - math.pi / 2) < 1e-6


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
@pytest.mark.parametrize("yaw", [0.0, 0.4, -2.0])
def test_rpy_at_gimbal_lock_keeps_the_rotation(pitch, yaw):
    q = rot.from_rpy([0.3, pitch, yaw])
    back = rot.to_rpy(q)
    assert back[0] == 0.0
    np.testing.assert_allclose(rot.to_matrix(rot.from_rpy(back)), rot.to_matrix(q), atol=1e-7)


def test_elementary_turns_by_hand():
    np.testing.assert_allclose(rot.rotation_x(math.pi / 2) @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(rot.rotation_y(math.pi / 2) @ [0, 0, 1], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(rot.rotation_z(math.pi / 2) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(rot.to_matrix([HALF, 0, 0, HALF]) @ [1, 0, 0], [0, 1, 0], atol=1e-15)
    assert rot.rotation_x(np.zeros((2, 5))).shape == (2, 5, 3, 3)


@pytest.mark.parametrize(
    ("turn", "pitch", "roll"),
    [
        ([0, 0, 0], 0, 0),
        ([0, 30, 0], 30, 0),
        ([0, 89, 0], 89, 0),
        ([0, 90, 0], 90, 0),
        ([0, -110, 0], -110, 0),
        ([0, 170, 0], 170, 0),
        ([0, 180, 0], 180, 0),
        ([20, 0, 0], 0, 20),
        ([-20, 0, 0], 0, -20),
        ([90, 0, 0], 0, 90),
    ],
)
def test_tilt_by_hand(turn, pitch, roll):
    q = rot.exp(np.deg2rad(turn))
    np.testing.assert_allclose(np.rad2deg(rot.tilt(rot.to_matrix(q)[2])), [pitch, roll], atol=1e-12)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_upside_down_is_a_half_turn_forward_whatever_the_sign_of_zero(zero):
    np.testing.assert_array_equal(rot.tilt([zero, 0.0, -1.0]), [math.pi, 0.0])


@given(angles, st.floats(-3.1, 3.1), st.floats(-1.5, 1.5))
def test_tilt_reads_pitch_and_roll_back_whatever_the_yaw(yaw, pitch, roll):
    matrix = rot.rotation_z(yaw) @ rot.rotation_x(roll) @ rot.rotation_y(pitch)
    np.testing.assert_allclose(rot.tilt(9.81 * matrix[2]), [pitch, roll], atol=1e-12)


@given(st.floats(-1.4, 1.4))
def test_roll_stays_defined_lying_on_belly_and_back(roll):
    for pitch in (math.pi / 2, -math.pi / 2):
        up = (rot.rotation_x(roll) @ rot.rotation_y(pitch))[2]
        np.testing.assert_allclose(rot.tilt(up), [pitch, roll], atol=1e-9)


@given(quaternions(()), st.floats(0.0, 1.0), st.integers(0, 2))
def test_the_angle_between_orientations_is_that_of_the_turn(a, angle, axis):
    b = rot.multiply(a, rot.exp(angle * np.eye(3)[axis]))
    np.testing.assert_allclose(rot.angle_between(a, b), angle, atol=1e-7)
    np.testing.assert_allclose(rot.angle_between(a, -b), angle, atol=1e-7)


def test_bad_shapes_and_zero_quaternions_are_named():
    with pytest.raises(
        rot.RotationError, match=r"^a quaternion has 4 numbers on its last axis; got \(3,\); limit: \(\.\.\., 4\)$"
    ):
        rot.to_matrix([1, 0, 0])
    with pytest.raises(rot.RotationError, match="finite and not zero"):
        rot.normalise([0, 0, 0, 0])
    with pytest.raises(rot.RotationError, match="finite and not zero"):
        rot.normalise([math.nan, 0, 0, 1])
    with pytest.raises(rot.RotationError, match="3 rows"):
        rot.from_matrix(np.eye(4))
    with pytest.raises(ValueError, match="read-only"):
        rot.IDENTITY[0] = 2.0
