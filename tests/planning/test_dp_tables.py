"""Value iteration and finite horizons on tables: hand-worked problems and independent oracles."""

from __future__ import annotations

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.dynamic_programming.stages import DynamicProgrammingError
from andante.planning.dynamic_programming.tables import NO_ACTION, DecisionTable, finite_horizon, value_iteration


def dijkstra(following, cost, goal):
    """Least cost to the goal of a deterministic problem."""
    states, actions = cost.shape
    distance = np.full(states, np.inf)
    queue = [(0.0, goal)]
    while queue:
        far, state = heapq.heappop(queue)
        if far >= distance[state]:
            continue
        distance[state] = far
        for origin, action in itertools.product(range(states), range(actions)):
            if following[origin, action] == state and np.isfinite(cost[origin, action]):
                heapq.heappush(queue, (far + cost[origin, action], origin))
    return distance


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 3))
def test_deterministic_problems_agree_with_dijkstra(seed, states, actions):
    rng = np.random.default_rng(seed)
    following = rng.integers(0, states, (states, actions))
    cost = np.where(rng.random((states, actions)) < 0.2, np.inf, rng.uniform(0.1, 2.0, (states, actions)))
    final = np.full(states, np.nan)
    final[0] = 0.0
    solution = value_iteration(DecisionTable(following, cost, final=final))
    np.testing.assert_allclose(solution.values, dijkstra(following, cost, 0), atol=1e-7)
    for state in range(1, states):
        if solution.policy[state] == NO_ACTION:
            assert np.isinf(solution.values[state])
        else:
            chosen = solution.policy[state]
            onward = cost[state, chosen] + solution.values[following[state, chosen]]
            assert onward == pytest.approx(solution.values[state])


def test_a_gamble_that_may_fail_forever_costs_its_expected_number_of_tries():
    # From state 0 each try costs 1 and succeeds with one chance in four; the sure way costs 5.
    table = DecisionTable([[[0, 1], [1, 1]], [[1, 1], [1, 1]]], [[1.0, 5.0], [0.0, 0.0]],
                          [[[0.75, 0.25], [1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]], [np.nan, 0.0])  # fmt: skip
    solution = value_iteration(table)
    assert solution.values[0] == pytest.approx(4.0)
    assert solution.policy.tolist() == [0, NO_ACTION]


def test_a_state_that_may_be_trapped_has_no_finite_cost():
    # Action 0 may fall into the trap 2; only state 1's own action is sure.
    table = DecisionTable([[[3, 2]], [[3, 3]], [[2, 2]], [[3, 3]]], [[1.0], [2.0], [1.0], [0.0]],
                          final=[np.nan, np.nan, np.nan, 7.0])  # fmt: skip
    assert value_iteration(table).values.tolist() == [np.inf, 9.0, np.inf, 7.0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 0.95))
def test_discounted_chances_agree_with_linear_algebra_over_all_policies(seed, discount):
    rng = np.random.default_rng(seed)
    states, actions, outcomes = 4, 2, 3
    following = rng.integers(0, states, (states, actions, outcomes))
    chance = rng.dirichlet(np.ones(outcomes), (states, actions))
    cost = rng.uniform(-1.0, 1.0, (states, actions))
    best = np.full(states, np.inf)
    for policy in itertools.product(range(actions), repeat=states):
        step = np.zeros((states, states))
        for state, action in enumerate(policy):
            np.add.at(step[state], following[state, action], chance[state, action])
        values = np.linalg.solve(np.eye(states) - discount * step, cost[np.arange(states), policy])
        best = np.minimum(best, values)
    solution = value_iteration(DecisionTable(following, cost, chance), discount)
    np.testing.assert_allclose(solution.values, best, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_finite_horizons_agree_with_trying_all_sequences(seed, horizon):
    rng = np.random.default_rng(seed)
    states, actions = 4, 3
    following, cost = rng.integers(0, states, (states, actions)), rng.uniform(-1.0, 1.0, (states, actions))
    last = rng.uniform(-1.0, 1.0, states)
    values, policy = finite_horizon(DecisionTable(following, cost), horizon, last)
    for start in range(states):
        totals = []
        for sequence in itertools.product(range(actions), repeat=horizon):
            state, total = start, 0.0
            for action in sequence:
                total += cost[state, action]
                state = following[state, action]
            totals.append(total + last[state])
        assert values[0, start] == pytest.approx(min(totals))
        state, total = start, 0.0
        for t in range(horizon):
            total += cost[state, policy[t, state]]
            state = following[state, policy[t, state]]
        assert total + last[state] == pytest.approx(values[0, start])


def test_states_that_end_keep_their_value_over_a_horizon():
    values, policy = finite_horizon(DecisionTable([[1], [0]], [[1.0], [1.0]], final=[np.nan, 3.0]), 5)
    assert values[:, 1].tolist() == [3.0] * 6
    assert values[0, 0] == 4.0
    assert policy[:, 1].tolist() == [NO_ACTION] * 5


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            lambda: DecisionTable([[2], [0]], [[1.0], [1.0]]),
            "state 0, action 0: there is no such next state; got 2; limit: 0 to 1",
        ),
        (
            lambda: DecisionTable([[1], [0]], [[1.0], [np.nan]]),
            "state 1, action 0: a cost must be a number, or infinite where forbidden; got nan",
        ),
        (
            lambda: DecisionTable([[[0, 1]]] * 2, [[1.0], [1.0]], [[[0.5, 0.5]], [[0.5, 0.4]]]),
            "state 1, action 0: the chances of an action's outcomes must sum to one; got 0.9; limit: 1",
        ),
        (
            lambda: DecisionTable([[[0, 1]]] * 2, [[1.0], [1.0]], [[[1.5, -0.5]], [[0.5, 0.5]]]),
            "state 0, action 0: a chance must not be below zero; got -0.5; limit: 0 to 1",
        ),
        (
            lambda: DecisionTable([0, 1], [[1.0], [1.0]]),
            "next states are (states, actions, outcomes) and costs (states, actions); got ((2,), (2, 1))",
        ),
        (
            lambda: value_iteration(DecisionTable([[0]], [[1.0]])),
            "without a discount some state must end; give final values",
        ),
        (
            lambda: value_iteration(DecisionTable([[0]], [[1.0]]), 1.5),
            "the discount is out of range; got 1.5; limit: above 0 to 1",
        ),
        (
            # A loop that earns: the cost falls without end.
            lambda: value_iteration(
                DecisionTable(
                    [[1, 2], [0, 0], [2, 2]], [[-1.0, 0.0], [-1.0, -1.0], [0.0, 0.0]], final=[np.nan, np.nan, 0.0]
                ),
                most_sweeps=50,
            ),
            "the values do not settle; got 2.0; limit: 1e-09 in 50 sweeps",
        ),
        (
            lambda: finite_horizon(DecisionTable([[0]], [[1.0]]), 0),
            "a horizon has at least one step; got 0",
        ),
        (
            lambda: finite_horizon(DecisionTable([[0]], [[1.0]]), 2, [1.0, 2.0]),
            "there is one last value per state; got (2,); limit: (1,)",
        ),
    ],
)
def test_what_is_no_problem_is_named(problem, message):
    with pytest.raises(DynamicProgrammingError) as caught:
        problem()
    assert str(caught.value) == message
