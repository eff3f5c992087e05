"""Rigid transforms: group axioms, agreement with homogeneous matrices, batches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.spatial.rotations import exp, normalise
from andante.spatial.transforms import Transform, TransformError

numbers = st.floats(-5.0, 5.0)
transforms = st.builds(
    lambda turn, move: Transform.from_quaternion(exp(turn), move),
    arrays(np.float64, 3, elements=numbers),
    arrays(np.float64, 3, elements=numbers),
)


def close(a, b):
    np.testing.assert_allclose(a.matrix(), b.matrix(), atol=1e-12)


@given(transforms, transforms, transforms)
def test_group_axioms(a, b, c):
    close(a @ (b @ c), (a @ b) @ c)
    close(a @ Transform.identity(), a)
    close(a @ a.inverse(), Transform.identity())
    close(a.inverse() @ a, Transform.identity())


@given(transforms, transforms, arrays(np.float64, (4, 3), elements=numbers))
def test_composition_is_the_matrix_product_and_acts_on_points(a, b, points):
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), atol=1e-12)
    np.testing.assert_allclose((a @ b).apply(points), a.apply(b.apply(points)), atol=1e-12)
    np.testing.assert_allclose(a.turn(points), a.apply(points) - a.translation, atol=1e-12)


def test_by_hand():
    quarter = Transform.from_quaternion(normalise([1, 0, 0, 1]), (1.0, 2.0, 3.0))
    np.testing.assert_allclose(quarter.apply([1, 0, 0]), [1, 3, 3], atol=1e-15)
    np.testing.assert_allclose(quarter.inverse().apply([1, 3, 3]), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(quarter.quaternion, np.sqrt([0.5, 0, 0, 0.5]), atol=1e-15)


def test_batches_broadcast():
    rng = np.random.default_rng(1)
    many = Transform.from_quaternion(normalise(rng.normal(size=(4, 5, 4))), rng.normal(size=(5, 3)))
    one = Transform.from_quaternion(exp([0.1, 0.2, 0.3]), [1, 2, 3])
    both = many @ one
    assert both.matrix().shape == (4, 5, 4, 4)
    np.testing.assert_allclose(both.matrix(), many.matrix() @ one.matrix(), atol=1e-14)
    np.testing.assert_allclose((both.inverse() @ both).matrix(), np.broadcast_to(np.eye(4), (4, 5, 4, 4)), atol=1e-14)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(TransformError, match="needs a rotation matrix and a translation"):
        Transform(np.eye(4), np.zeros(3))
    with pytest.raises(TransformError, match="do not broadcast"):
        Transform(np.zeros((2, 3, 3)), np.zeros((3, 3)))
