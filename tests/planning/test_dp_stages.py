"""Cheapest ways through stages and over windows of grids, against trying everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.dynamic_programming.stages import (
    DynamicProgrammingError,
    StageGrids,
    cheapest_chain,
    cheapest_walk,
    cheapest_way,
)


def price(states, moves, way):
    return sum(states[t][s] for t, s in enumerate(way)) + sum(
        moves[t][a][b] for t, (a, b) in enumerate(itertools.pairwise(way))
    )


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_the_cheapest_way_is_that_of_trying_all(seed, sizes):
    rng = np.random.default_rng(seed)
    states = [np.where(rng.random(n) < 0.2, np.inf, rng.uniform(-1.0, 1.0, n)) for n in sizes]
    moves = [np.where(rng.random((a, b)) < 0.2, np.inf, rng.random((a, b))) for a, b in itertools.pairwise(sizes)]
    best = min(price(states, moves, way) for way in itertools.product(*map(range, sizes)))
    if np.isinf(best):
        with pytest.raises(DynamicProgrammingError, match="there is no way through"):
            cheapest_way(states, moves)
        return
    way, cost = cheapest_way(states, moves)
    assert cost == pytest.approx(best)
    assert price(states, moves, way) == pytest.approx(best)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_chains_of_points_agree_with_tables_of_moves(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 6, 6)
    places, costs = rng.uniform(-1.0, 1.0, (6, 5, 2)), rng.random((6, 5))
    weights, chosen = rng.random((5, 2)), np.empty(6, dtype=np.int64)
    states = [costs[t, :n] for t, n in enumerate(counts)]
    moves = [
        ((places[t, : counts[t], None] - places[t + 1, None, : counts[t + 1]]) ** 2 @ weights[t]) for t in range(5)
    ]
    way, cost = cheapest_way(states, moves)
    assert cheapest_chain(places, costs, counts, weights, chosen) == pytest.approx(cost)
    assert chosen.tolist() == way.tolist()


def cells_of(grids, stage):
    costs = grids.stage(stage)
    for i, j in np.ndindex(*costs.shape):
        yield grids.first[stage] + (i, j), costs[i, j]


def tried_all(grids, moves, begin=None):
    """Least cost over all walks, by trying each."""
    middle = np.array(moves.shape) // 2
    best = {tuple(cell): cost for cell, cost in cells_of(grids, 0) if begin is None or tuple(cell) == tuple(begin)}
    for stage in range(1, len(grids.first)):
        following = {}
        for cell, cost in cells_of(grids, stage):
            prices = [np.inf]
            for origin, spent in best.items():
                step = cell - origin + middle
                if (step >= 0).all() and (step < moves.shape).all():
                    prices.append(spent + moves[tuple(step)])
            following[tuple(cell)] = min(prices) + cost
        best = following
    return min(best.values())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_the_cheapest_walk_is_that_of_trying_all(seed):
    rng = np.random.default_rng(seed)
    stages = int(rng.integers(1, 5))
    first, shape = rng.integers(-2, 3, (stages, 2)), rng.integers(1, 5, (stages, 2))
    count = int(shape.prod(axis=1).sum())
    grids = StageGrids(first, shape, np.where(rng.random(count) < 0.3, np.inf, rng.random(count)))
    moves = rng.random((3, 5))
    moves[rng.random(moves.shape) < 0.1] = np.inf
    best = tried_all(grids, moves)
    if np.isinf(best):
        with pytest.raises(DynamicProgrammingError, match=r"stage \d"):
            cheapest_walk(grids, moves)
        return
    cells, cost = cheapest_walk(grids, moves)
    assert cost == pytest.approx(best)
    again, steps = 0.0, np.diff(cells, axis=0) + np.array([1, 2])
    for stage, cell in enumerate(cells):
        again += grids.stage(stage)[tuple(cell - grids.first[stage])]
    assert again + sum(moves[tuple(step)] for step in steps) == pytest.approx(best)


def test_a_walk_from_a_given_cell_begins_there():
    grids = StageGrids([[0, 0]] * 2, [[3, 1]] * 2, [0.0, 5.0, 1.0, 0.0, 0.0, 0.0])
    moves = np.array([[1.0], [0.0], [1.0]])
    assert cheapest_walk(grids, moves)[1] == 0.0
    cells, cost = cheapest_walk(grids, moves, [1, 0])
    assert cells.tolist() == [[1, 0], [1, 0]]
    assert cost == 5.0


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (lambda: cheapest_way([[1.0], [1.0]], []), "there is one array of moves between two stages; got 0; limit: 1"),
        (
            lambda: cheapest_way([[1.0], [1.0, 2.0]], [[[1.0]]]),
            "stage 0: moves have a row per state and a column per next state; got (1, 1); limit: (1, 2)",
        ),
        (
            lambda: cheapest_way([[np.nan]], []),
            "states of stage 0: a cost must be a number, or infinite where forbidden",
        ),
        (lambda: cheapest_way([[np.inf]], []), "stage 0: there is no way through"),
        (lambda: cheapest_way([[1.0], []], [[[]]]), "stage 1: a stage has a cost per state; got (0,)"),
        (lambda: StageGrids([[0, 0]], [[0, 1]], []), "stage 0: a stage has no cells; got [0, 1]"),
        (lambda: StageGrids([[0, 0]], [[2, 1]], [1.0]), "there is one cost per cell; got (1,); limit: (2,)"),
        (
            lambda: cheapest_walk(StageGrids([[0, 0]], [[1, 1]], [1.0]), [[1.0, 1.0]]),
            "moves are a table of odd shape; got (1, 2)",
        ),
        (
            lambda: cheapest_walk(StageGrids([[0, 0], [9, 9]], [[1, 1]] * 2, [1.0, 1.0]), [[1.0]]),
            "stage 0: no allowed cell of this stage leads on",
        ),
        (
            lambda: cheapest_walk(StageGrids([[0, 0]], [[1, 1]], [1.0]), [[1.0]], [3, 0]),
            "the first cell is outside its stage; got [3, 0]",
        ),
    ],
)
def test_what_is_no_problem_is_named(problem, message):
    with pytest.raises(DynamicProgrammingError) as caught:
        problem()
    assert str(caught.value) == message
