"""Dynamic programming on grids: interpolation, a problem with a known answer, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.dynamic_programming.grids import StateAxis, StateGrid, best_action, tabulate
from andante.planning.dynamic_programming.stages import DynamicProgrammingError
from andante.planning.dynamic_programming.tables import NO_ACTION, value_iteration

LINE = StateGrid((StateAxis(0.0, 10.0, 41),))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_interpolation_is_exact_for_multilinear_functions(seed):
    rng = np.random.default_rng(seed)
    grid = StateGrid((StateAxis(-1.0, 2.0, 4), StateAxis(0.0, 1.0, 3), StateAxis(5.0, 6.0, 2)))
    a = rng.uniform(-1.0, 1.0, 8)

    def value(p):
        x, y, z = p.T
        return a[0] + a[1] * x + a[2] * y + a[3] * z + a[4] * x * y + a[5] * y * z + a[6] * x * z + a[7]

    nodes = grid.nodes()
    points = rng.uniform([-1.0, 0.0, 5.0], [2.0, 1.0, 6.0], (20, 3))
    np.testing.assert_allclose(grid.interpolate(value(nodes), points), value(points), atol=1e-12)
    np.testing.assert_allclose(grid.interpolate(value(nodes), nodes), value(nodes), atol=1e-12)


def test_an_axis_that_wraps_joins_its_ends():
    grid = StateGrid((StateAxis(-math.pi, math.pi, 4, wraps=True),))
    values = np.array([10.0, 20.0, 30.0, 40.0])
    quarter = 0.5 * math.pi
    at = [[0.75 * math.pi], [-1.25 * math.pi], [math.pi + quarter], [5 * math.pi]]
    np.testing.assert_allclose(grid.interpolate(values, at), [25.0, 25.0, 20.0, 10.0])


def test_walking_along_a_line_costs_the_distance():
    actions = (-0.1, 0.1)
    nodes = LINE.nodes()[:, 0]
    table = tabulate(
        LINE, actions, lambda s, u: s + u, lambda s, u: np.full(len(s), abs(u[0])),
        final=np.where(nodes < 0.01, 0.0, np.nan),
    )  # fmt: skip
    solution = value_iteration(table)
    # Interpolation between linear values is exact, though a step of 0.1 is less than the spacing of 0.25.
    np.testing.assert_allclose(solution.values, nodes, atol=1e-6)
    assert (solution.policy[1:] == 0).all()


def test_the_double_integrator_takes_its_known_least_time():
    # From rest at distance d with thrust at most 1 the least time to rest at the origin is 2 sqrt(d).
    grid, step = StateGrid((StateAxis(-1.5, 1.5, 121), StateAxis(-1.5, 1.5, 121))), 0.05
    nodes = grid.nodes()

    def dynamics(s, u):
        return np.column_stack([s[:, 0] + step * s[:, 1] + 0.5 * step * step * u, s[:, 1] + step * u])

    def cost(s, u):
        return np.full(len(s), step)

    final = np.where((abs(nodes) < 0.03).all(axis=1), 0.0, np.nan)
    solution = value_iteration(tabulate(grid, (-1.0, 0.0, 1.0), dynamics, cost, final=final), tolerance=1e-5)
    for distance in (0.25, 0.5, 1.0):
        time = grid.interpolate(solution.values, [[distance, 0.0]])[0]
        assert time == pytest.approx(2.0 * math.sqrt(distance), rel=0.12)
    # Mirrored states take equally long.
    values = solution.values.reshape(121, 121)
    finite = np.isfinite(values)
    assert (finite == finite[::-1, ::-1]).all()
    np.testing.assert_allclose(values[finite], values[::-1, ::-1][finite], atol=1e-3)
    # Full thrust toward the origin first, full thrust against the motion close to it.
    assert best_action(grid, (-1.0, 0.0, 1.0), solution, dynamics, cost, [1.0, 0.0]) == 0
    assert best_action(grid, (-1.0, 0.0, 1.0), solution, dynamics, cost, [0.2, -0.9]) == 2


def test_leaving_the_grid_is_forbidden_or_has_its_price():
    def move(s, u):
        return s + u

    def free(s, u):
        return np.zeros(len(s))

    final = np.full(LINE.size, np.nan)
    final[0] = 0.0
    closed = value_iteration(tabulate(LINE, (1.0,), move, free, final=final))
    assert np.isinf(closed.values[1:]).all()
    assert best_action(LINE, (1.0,), closed, move, free, [9.5]) == NO_ACTION
    table = tabulate(LINE, (1.0,), move, free, outside=4.0)
    assert table.cost[-1, 0] == 4.0
    assert table.cost[0, 0] == 0.0


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (lambda: StateAxis(1.0, 1.0, 3), "an axis runs from its least to its largest value; got (1.0, 1.0)"),
        (lambda: StateAxis(0.0, 1.0, 1), "an axis has at least two nodes; got 1"),
        (lambda: LINE.corners([[math.nan]]), "points are finite, with one number per axis; got (1, 1); limit: (n, 1)"),
        (
            lambda: tabulate(LINE, (), lambda s, u: s, lambda s, u: s[:, 0]),
            "there are no actions to choose from",
        ),
        (
            lambda: tabulate(LINE, (1.0,), lambda s, u: s[:, 0], lambda s, u: s[:, 0]),
            "action 0: the dynamics must give one row per state; got (41,); limit: (41, 1)",
        ),
        (
            lambda: tabulate(LINE, (1.0,), lambda s, u: s, lambda s, u: 1.0),
            "action 0: the cost must give one row per state; got (); limit: (41,)",
        ),
    ],
)
def test_what_is_no_problem_is_named(problem, message):
    with pytest.raises(DynamicProgrammingError) as caught:
        problem()
    assert str(caught.value) == message
