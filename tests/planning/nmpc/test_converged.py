"""The converged solvers: the same dynamics, the same optimum as the online solver's when that is repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bodies import BODY, HEIGHT, SETTINGS, SQUARE, problem_of, random_problem, resting, standing_contact, trot_contact

from andante.planning.nmpc.checks import NmpcError
from andante.planning.nmpc.converged import ConvergedMethod, ConvergedNmpc
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, NmpcStatus
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

METHODS = list(ConvergedMethod)
# Fatrop does not always get below 1e-6 with linear costs of slacks.
TOLERANCE = {ConvergedMethod.IPOPT: 1e-7, ConvergedMethod.FATROP: 1e-5}
_solvers: dict[ConvergedMethod, ConvergedNmpc] = {}


def _converged(method: ConvergedMethod) -> ConvergedNmpc:
    """One solver for all tests: making it takes half a second."""
    if method not in _solvers:
        _solvers[method] = ConvergedNmpc(SETTINGS, BODY, method, TOLERANCE[method])
    return _solvers[method]


def _repeated(problem: NmpcProblem, times: int = 60) -> NmpcSolution:
    online = OnlineNmpc(SETTINGS, BODY)
    solution = online.solve(problem)
    for _ in range(times):
        assert solution.solved, solution.reason
        before, solution = solution, online.solve(problem, solution)
        if np.abs(solution.forces - before.forces).max() < 1e-7:
            break
    return solution


def _moving(roll: float = 0.05, sideways: float = 0.1) -> Array:
    state = resting()
    state[3], state[7], state[9] = roll, sideways, 0.3
    return state


@pytest.mark.parametrize("method", METHODS)
def test_a_standing_body_is_carried_in_equal_shares(method: ConvergedMethod) -> None:
    solution = _converged(method).solve(problem_of(standing_contact()))
    assert solution.solved, solution.reason
    assert np.allclose(solution.forces[..., 2], BODY.mass * GRAVITY / 4.0, atol=1e-2)
    assert np.allclose(solution.states, resting(), atol=1e-4)


def test_the_symbols_move_the_body_as_the_kernel_does() -> None:
    rng = np.random.default_rng(1)
    move = _converged(ConvergedMethod.IPOPT).program.move
    for _ in range(50):
        state, forces, feet = rng.normal(0.0, 0.6, 12), rng.normal(0.0, 50.0, (4, 3)), rng.normal(0.0, 0.3, (4, 3))
        after = np.array(move(state, forces.ravel(), feet.ravel(), 0.03)).ravel()
        assert np.allclose(after, next_state(BODY, state, forces, feet, 0.03), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "problem",
    [
        problem_of(standing_contact(), _moving(), 0.0),
        problem_of(trot_contact(), _moving(), 0.5),
        problem_of(trot_contact(begin=3), _moving(-0.1, 0.2), 0.3, yaw=3.3, first=0.01),
    ],
    ids=["stand", "trot", "turned"],
)
def test_repeated_steps_of_the_online_solver_reach_the_converged_optimum(
    problem: NmpcProblem, method: ConvergedMethod
) -> None:
    converged = _converged(method).solve(problem)
    assert converged.solved, converged.reason
    repeated = _repeated(problem)
    assert repeated.cost == pytest.approx(converged.cost, rel=1e-5)
    assert np.abs(repeated.forces - converged.forces).max() < 0.2
    assert np.abs(repeated.states - converged.states).max() < 2e-3
    # Nothing is better than the optimum.
    assert repeated.cost >= converged.cost * (1.0 - 1e-5)


@pytest.mark.slow
def test_both_find_the_same_optimum_of_random_problems() -> None:
    for seed in range(4):
        problem = random_problem(np.random.default_rng(seed), wild=0.5)
        ipopt, fatrop = (_converged(method).solve(problem) for method in METHODS)
        assert ipopt.solved
        assert fatrop.solved
        assert ipopt.cost == pytest.approx(fatrop.cost, rel=1e-4)
        weight = BODY.mass * GRAVITY
        for solution in (ipopt, fatrop):
            room = 0.6 * solution.forces[..., 2]
            assert np.all(np.abs(solution.forces[..., :2]).max(axis=-1) <= room)
            assert np.all(solution.forces[~problem.contact] == 0.0)
            assert np.all(solution.forces[problem.contact][:, 2] >= 0.05 * weight)


@pytest.mark.parametrize("method", METHODS)
def test_a_change_of_the_contacts_loses_no_option(method: ConvergedMethod) -> None:
    # CasADi's fatrop forgets its options where the number of finite limits changes.
    solver = ConvergedNmpc(NmpcSettings(states=9), BODY, method, iterations=3)
    chosen = solver.settings
    for contact in (trot_contact(chosen), standing_contact(chosen), trot_contact(chosen)):
        solution = solver.solve(problem_of(contact, _moving(0.3, 1.0), settings=chosen))
        assert solution.status is NmpcStatus.LIMIT
        assert solution.iterations <= 4
        assert solution.reason.startswith(f"{method}: ")
        assert np.isnan(solution.forces).all()


@pytest.mark.parametrize("method", METHODS)
def test_soft_bounds_have_their_price(method: ConvergedMethod) -> None:
    upper, lower = [np.inf] * 12, [-np.inf] * 12
    upper[2] = HEIGHT - 0.04
    lower[7], upper[7] = -0.05, 0.05
    chosen = NmpcSettings(states=12, upper=tuple(upper), lower=tuple(lower), slack_weight=300.0)
    start = resting()
    start[7] = 0.3
    problem = problem_of(standing_contact(chosen), start, settings=chosen)
    converged = ConvergedNmpc(chosen, SQUARE, method, TOLERANCE[method]).solve(problem)
    assert converged.solved, converged.reason
    online = OnlineNmpc(chosen, SQUARE)
    solution = online.solve(problem)
    for _ in range(20):
        solution = online.solve(problem, solution)
    assert solution.cost == pytest.approx(converged.cost, rel=1e-4)
    assert np.abs(solution.states - converged.states).max() < 5e-3


@pytest.mark.parametrize("method", METHODS)
def test_failures_are_those_of_the_online_solver(method: ConvergedMethod) -> None:
    problem = problem_of(standing_contact())
    start = problem.start.copy()
    start[8] = np.nan
    solution = _converged(method).solve(replace(problem, start=start))
    assert solution.status is NmpcStatus.NOT_FINITE
    assert solution.reason == "start: vz is nan"
    with pytest.raises(NmpcError, match="ground: the array has another shape"):
        _converged(method).solve(replace(problem, ground=np.zeros(3)))


def test_a_guess_spares_iterations() -> None:
    problem = problem_of(trot_contact(), _moving(), 0.5)
    solver = _converged(ConvergedMethod.IPOPT)
    cold = solver.solve(problem)
    warm = solver.solve(problem, cold)
    assert warm.iterations < cold.iterations
    assert warm.cost == pytest.approx(cold.cost, rel=1e-6)
