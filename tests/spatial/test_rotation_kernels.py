"""The compiled rotations agree with the ones that take batches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.spatial import rotations
from andante.spatial.rotation_kernels import conjugate, exp, from_matrix, from_rpy, log, multiply, to_matrix

_vectors = st.tuples(*[st.floats(-1.7, 1.7)] * 3).map(np.array)


@settings(deadline=None)  # the first example compiles
@given(_vectors, _vectors)
def test_agree_with_the_batch_functions(a, b):
    p, q = rotations.exp(a), rotations.exp(b)
    np.testing.assert_allclose(exp(a), p, atol=1e-14)
    np.testing.assert_allclose(multiply(p, q), rotations.multiply(p, q), atol=1e-14)
    np.testing.assert_allclose(to_matrix(p), rotations.to_matrix(p), atol=1e-14)
    np.testing.assert_allclose(from_rpy(a), rotations.from_rpy(a), atol=1e-14)
    np.testing.assert_allclose(log(p), rotations.log(p), atol=1e-7)
    np.testing.assert_allclose(multiply(p, conjugate(p)), rotations.IDENTITY, atol=1e-14)


@settings(deadline=None)
@given(st.tuples(*[st.floats(-np.pi, np.pi)] * 3).map(np.array))
def test_a_quaternion_comes_back_from_its_matrix(vector):
    matrix = rotations.to_matrix(rotations.exp(vector))
    found = from_matrix(np.ascontiguousarray(matrix))
    np.testing.assert_allclose(rotations.to_matrix(found), matrix, atol=1e-14)
    assert found[0] >= 0.0


@pytest.mark.parametrize("size", [0.0, 1e-15, 1e-9, 1e-3])
def test_small_turns_come_back(size):
    vector = size * np.array([0.6, 0.0, -0.8])
    np.testing.assert_allclose(log(exp(vector)), vector, rtol=1e-9, atol=1e-20)


def test_a_turn_is_the_shortest():
    vector = np.array([0.0, 0.0, 3.5])
    np.testing.assert_allclose(log(exp(vector)), [0.0, 0.0, 3.5 - 2.0 * np.pi], atol=1e-12)
