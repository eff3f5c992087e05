"""CMA-ES on functions whose minimum is known, and its state on paper."""

from __future__ import annotations

import json

import numpy as np
import pytest

from andante.search.errors import SearchError
from andante.search.evolution import Evolution

MIDDLE = np.array([0.3, 0.7, 0.5, 0.2])


def bowl(points):
    return ((points - MIDDLE) ** 2 * (1.0, 100.0, 1.0, 10.0)).sum(axis=1)


def valley(points):
    """Rosenbrock's, its minimum at 0.5 in all coordinates."""
    x = 4.0 * points - 1.0
    return (100.0 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1.0 - x[:, :-1]) ** 2).sum(axis=1)


def minimised(function, n, generations, seed=(1,), population=10):
    state = Evolution.start(seed, np.full(n, 0.9), 0.3, population)
    for _ in range(generations):
        points = state.ask()
        state = state.tell(points, function(points))
    return state


def test_a_stretched_bowl_is_solved():
    state = minimised(bowl, 4, 150)
    np.testing.assert_allclose(state.best, MIDDLE, atol=1e-5)
    assert state.value < 1e-9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_curved_valley_is_solved(seed):
    # In two dimensions: in four it has a second minimum.
    np.testing.assert_allclose(minimised(valley, 2, 200, (seed,)).best, 0.5, atol=1e-3)


def test_the_unit_box_is_never_left_and_its_edge_is_reached():
    state = Evolution.start((0,), np.full(3, 0.5), 0.5, 8)
    for _ in range(60):
        points = state.ask()
        assert points.min() >= 0.0
        assert points.max() <= 1.0
        state = state.tell(points, points.sum(axis=1))
    np.testing.assert_allclose(state.best, 0.0, atol=1e-9)


def test_a_state_on_paper_goes_on_to_the_same_bit():
    half = minimised(valley, 4, 20)
    again = Evolution.of_data(json.loads(json.dumps(half.data())))
    for _ in range(20):
        half, again = (s.tell(p, valley(p)) for s, p in ((half, half.ask()), (again, again.ask())))
    assert again.data() == half.data()


def test_standing_still_is_counted():
    state = Evolution.start((0,), np.full(2, 0.5), 0.1, 6)
    for _ in range(5):
        state = state.tell(state.ask(), np.ones(6))
    assert state.stale == 4
    assert state.value == 1.0


@pytest.mark.parametrize(
    ("mean", "population", "message"),
    [
        ([0.5], 3, "a generation is too small; got 3; limit: >= 4"),
        ([1.5], 8, "a search starts inside the unit box; got [1.5]; limit: 0 to 1, sigma > 0"),
    ],
)
def test_impossible_starts_are_refused(mean, population, message):
    with pytest.raises(SearchError) as caught:
        Evolution.start((0,), np.array(mean), 0.2, population)
    assert str(caught.value) == message
