"""The quadratic program of an inverse kinematics step against daqp and its own conditions of optimality."""

from __future__ import annotations

import daqp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.kinematics.bounded_step import CLIPPED, INDEFINITE, SETTLED, LeastStep, bounded_step, least_step

least_step = entry(least_step.py_func)


def program(seed: int, n: int, m: int, tight: float):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(max(n // 2, 1), n))
    hessian = rows.T @ rows + np.diag(rng.uniform(0.01, 1.0, n))
    gradient, equal = rng.normal(size=n), rng.normal(size=(m, n))
    # The equalities can be met within the bounds.
    inside = rng.uniform(-0.5, 0.5, n) * tight
    low, high = -rng.uniform(0.5, 1.0, n) * tight, rng.uniform(0.5, 1.0, n) * tight
    return hessian, gradient, equal, equal @ inside, low, high


def solved(hessian, gradient, equal, wanted, low, high):
    n = len(gradient)
    step, side, dual = np.empty(n), np.zeros(n, dtype=np.int64), np.empty(len(wanted))
    how = bounded_step(hessian, gradient, equal, wanted, low, high, step, side, dual)
    return how, step, side, dual


@given(st.integers(0, 10**6), st.integers(2, 24), st.integers(0, 6), st.sampled_from([0.05, 0.5, 5.0, 500.0]))
@settings(max_examples=200, deadline=None)
def test_steps_are_the_least(seed, n, m, tight):
    m = min(m, n // 3)
    hessian, gradient, equal, wanted, low, high = program(seed, n, m, tight)
    how, step, side, dual = solved(hessian, gradient, equal, wanted, low, high)
    assert (step >= low).all()
    assert (step <= high).all()
    assert how in (SETTLED, CLIPPED)
    if how == CLIPPED:
        return
    np.testing.assert_allclose(equal @ step, wanted, atol=1e-7)
    slope = hessian @ step + gradient + equal.T @ dual
    scale = 1e-6 * (1.0 + np.abs(gradient).max())
    assert (np.abs(slope[side == 0]) < scale).all()
    theirs, _, flag, _ = daqp.solve(
        hessian,
        gradient,
        equal,
        np.concatenate([high, wanted]),
        np.concatenate([low, wanted]),
        np.concatenate([np.zeros(n), np.full(m, 5)]).astype(np.int32),
    )
    if flag == 1 and (slope * side <= scale).all():
        np.testing.assert_allclose(step, theirs, atol=1e-5 * (1.0 + np.abs(theirs).max()))


def test_most_tight_programs_are_settled():
    hows = [solved(*program(seed, 20, 5, 0.5))[0] for seed in range(300)]
    assert np.mean(np.array(hows) == SETTLED) > 0.85


def test_a_program_worked_out_by_hand():
    # (x - 3)^2 / 2 + (y - 1)^2 / 2 on x + y = 2, x <= 1: x rests on its bound, y is what is left.
    how, step, side, dual = solved(
        np.eye(2),
        np.array([-3.0, -1.0]),
        np.array([[1.0, 1.0]]),
        np.array([2.0]),
        np.full(2, -9.0),
        np.array([1.0, 9.0]),
    )
    assert how == SETTLED
    assert step == pytest.approx([1.0, 1.0])
    assert side.tolist() == [1, 0]
    assert dual == pytest.approx([0.0])


def test_a_row_twice_is_as_good_as_once_and_an_indefinite_matrix_is_told():
    hessian, gradient, equal, wanted, low, high = program(3, 8, 2, 5.0)
    once = solved(hessian, gradient, equal, wanted, low, high)[1]
    twice = solved(hessian, gradient, np.vstack([equal, equal]), np.tile(wanted, 2), low, high)[1]
    np.testing.assert_allclose(once, twice, atol=1e-9)
    assert solved(-hessian, gradient, equal, wanted, low, high)[0] == INDEFINITE


def test_the_shortest_step_is_that_of_the_pseudo_inverse_and_stays_within_bounds():
    rng = np.random.default_rng(4)
    rows, wanted = rng.normal(size=(4, 12)), rng.normal(size=4) * 0.1
    room = np.empty((4, 4)), np.empty(4), np.empty((12, 4)), np.empty(12, dtype=np.bool_), np.empty(4)
    step = np.empty(12)
    least_step(LeastStep(rows, wanted, np.full(12, -9.0), np.full(12, 9.0), step, *room))
    np.testing.assert_allclose(step, np.linalg.pinv(rows) @ wanted, atol=1e-12)
    edge = 0.9 * np.abs(step).max()
    least_step(LeastStep(rows, wanted, np.full(12, -edge), np.full(12, edge), step, *room))
    assert np.abs(step).max() <= edge
    np.testing.assert_allclose(rows @ step, wanted, atol=1e-12)
