"""The quadratic program: what is in it, its dense form, and both solvers against a third."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import BODY, HEIGHT, SETTINGS, problem_of, random_problem, resting, standing_contact, trot_contact
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.nmpc.active_set import dual_solve, new_workspace
from andante.planning.nmpc.dense import CondensedQp, condense, solve_condensed
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import NmpcProblem
from andante.planning.nmpc.qp import STATE_NAMES, QpBuilder, Stages, growth_of
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

SHORT = NmpcSettings(states=7)
# The inner method, compiled for calls from Python.
dual_solve = entry(dual_solve.py_func)
METHODS = (solve_stages, dual_solve)
seeds = st.integers(0, 2**32 - 1)


def _program(problem: NmpcProblem, chosen: NmpcSettings = SETTINGS) -> Stages:
    builder = QpBuilder(chosen, BODY)
    return builder.stages(problem, builder.origin(problem))


def _solved(stages: Stages, method=solve_stages) -> tuple[Array, Array, int]:
    """States (N, 12), forces (m,) and the work of a stage-wise method."""
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    work = new_workspace(len(stages.inputs))
    changes = method(stages, work, np.zeros((len(stages.inputs), 4), dtype=np.int64), 500, states, forces)
    return states, forces[stages.used], changes


def _rolled_out(stages: Stages, forces: Array) -> Array:
    """States (N, 12) that the program's dynamics give to its forces (m,)."""
    rest = list(forces)
    states = [stages.start]
    for k, used in enumerate(stages.inputs):
        here, rest = rest[:used], rest[used:]
        states.append(stages.transition[k] @ states[k] + stages.effect[k][:, :used] @ here + stages.drift[k])
    return np.array(states)


def _written_out(stages: Stages) -> tuple[Array, Array]:
    """H and g from what each force does alone, rolled out one at a time: another way than the dense form's."""
    count, size = len(stages.inputs), int(stages.inputs.sum())
    offsets = np.concatenate([[0], np.cumsum(stages.inputs)])
    free = _rolled_out(stages, np.zeros(size))
    moves = np.stack([_rolled_out(stages, force) - free for force in np.eye(size)], axis=2)
    hessian, gradient = np.zeros((size, size)), np.zeros(size)
    for k in range(1, count + 1):
        hessian += moves[k].T @ np.diag(stages.weight[k]) @ moves[k]
        gradient += moves[k].T @ (stages.weight[k] * (free[k] - stages.reference[k]))
    for k in range(count):
        for column in range(offsets[k], offsets[k + 1]):
            hessian[column, column] += stages.force_weight[k]
            if (column - offsets[k]) % 3 == 2:
                gradient[column] -= stages.force_weight[k] * stages.share[k]
    return hessian, gradient


def _conditions(dense: CondensedQp, forces: Array) -> None:
    """The conditions of Karush, Kuhn and Tucker, with multipliers by least squares over the rows that hold."""
    from scipy.optimize import nnls

    left = dense.matrix @ forces - dense.bound
    hard = ~np.isfinite(dense.slack)
    assert left[hard].max(initial=-1.0) <= 1e-6
    slope = dense.hessian @ forces + dense.gradient
    slope = slope + dense.matrix[~hard & (left > 1e-9)].T @ dense.slack[~hard & (left > 1e-9)]
    holding = np.abs(left) < 1e-6
    if not holding.any():
        assert np.allclose(slope, 0.0, atol=1e-6)
        return
    _, rest = nnls(dense.matrix[holding].T, -slope, maxiter=20 * len(forces))
    assert rest <= 1e-5 * max(1.0, float(np.linalg.norm(dense.gradient)) * 1e-4)


def _polished(dense: CondensedQp, forces: Array) -> Array:
    """The optimum with the rows that a solver found to hold or to be left: DAQP's soft rows have a price that rises by
    a millionth as they are left, so that its forces are some 1e-5 N off."""
    left = dense.matrix @ forces - dense.bound
    holding, beyond = np.abs(left) < 1e-6, left > 1e-6
    slope = dense.gradient + dense.matrix[beyond].T @ dense.slack[beyond]
    rows = dense.matrix[holding]
    system = np.block([[dense.hessian, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    solved = np.linalg.lstsq(system, np.concatenate([-slope, dense.bound[holding]]), rcond=None)[0]
    return solved[: len(forces)]


def test_a_program_names_its_forces_and_rows() -> None:
    stages = _program(problem_of(trot_contact(SHORT), settings=SHORT), SHORT)
    # Six intervals of the first pair: FL and HR.
    assert stages.variables[:7] == [
        "fx[0, FL]", "fy[0, FL]", "fz[0, FL]", "fx[0, HR]", "fy[0, HR]", "fz[0, HR]", "fx[1, FL]",
    ]  # fmt: skip
    assert len(stages.variables) == 6 * 2 * 3
    assert [str(row) for row in stages.rows[:7]] == [
        "interval 0, FL, forward", "interval 0, FL, backward", "interval 0, FL, left", "interval 0, FL, right",
        "interval 0, FL, least", "interval 0, FL, largest", "interval 0, HR, forward",
    ]  # fmt: skip
    assert [str(row) for row in stages.rows[-2:]] == ["interval 4, z, lower", "interval 5, z, lower"]
    assert stages.rows[-1].soft
    assert not stages.rows[0].soft
    assert str(stages) == ("QP over 6 intervals: 36 forces of 12 stances, 72 rows of pyramids, 6 soft bounds of states")
    dense = condense(stages)
    assert str(dense) == "dense QP: 36 forces, 72 hard rows, 6 soft"
    # |fx| <= 0.6 fz and 0.05 m g <= fz <= 1.5 m g of the first foot.
    assert np.array_equal(
        dense.matrix[:6, :3], [[1, 0, -0.6], [-1, 0, -0.6], [0, 1, -0.6], [0, -1, -0.6], [0, 0, -1], [0, 0, 1]]
    )
    weight = 15.2 * 9.81
    assert dense.bound[:6] == pytest.approx([0, 0, 0, 0, -0.05 * weight, 1.5 * weight])


def test_weights_grow_evenly_and_follow_the_length_of_their_interval() -> None:
    growth = growth_of(NmpcSettings(states=6, growth=16.0))
    assert growth == pytest.approx([1.0, 2.0, 4.0, 8.0, 16.0])
    stages = _program(problem_of(standing_contact(), first=0.01))
    weight = stages.weight
    assert np.all(weight[0] == 0.0)
    assert weight[1] == pytest.approx(np.array(SETTINGS.weights) / 3.0)
    assert weight[-1] == pytest.approx(SETTINGS.growth * np.array(SETTINGS.weights))
    weight = SETTINGS.share_weight / (BODY.mass * GRAVITY) ** 2
    assert stages.force_weight[:2] == pytest.approx([weight / 3.0, weight])
    assert stages.slack[:2] == pytest.approx([200.0 / 3.0, 200.0])


def test_states_of_the_program_are_those_of_the_dynamics_at_the_guess() -> None:
    problem = random_problem(np.random.default_rng(4))
    online = OnlineNmpc(SETTINGS, BODY)
    guess = online.solve(problem)
    stages = online.program(problem, guess)
    x = problem.start
    for k in range(SETTINGS.states - 1):
        columns = [3 * foot + axis for foot in range(4) if problem.contact[k, foot] for axis in range(3)]
        force = guess.forces[k].ravel()[columns]
        x = stages.transition[k] @ x + stages.effect[k][:, : len(columns)] @ force + stages.drift[k]
        assert np.allclose(x, guess.states[k + 1], atol=1e-9)


@given(seeds)
@settings(max_examples=20)
def test_the_dense_form_is_the_dynamics_multiplied_out(seed: int) -> None:
    stages = _program(random_problem(np.random.default_rng(seed), SHORT), SHORT)
    dense = condense(stages)
    hessian, gradient = _written_out(stages)
    assert np.allclose(dense.hessian, hessian, rtol=1e-10, atol=1e-12)
    assert np.allclose(dense.gradient, gradient, rtol=1e-9, atol=1e-9)


@given(seeds)
@settings(max_examples=20)
def test_rows_of_the_dense_form_say_by_how_much_forces_and_states_leave_their_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = NmpcSettings(states=7, lower=(-0.5,) * 12, upper=(np.inf, 0.4) * 6)
    stages = _program(random_problem(rng, chosen), chosen)
    dense = condense(stages)
    forces = rng.normal(0.0, 50.0, len(dense.gradient))
    states, by_name = _rolled_out(stages, forces), dict(zip(stages.variables, forces, strict=True))
    left = []
    for interval, subject, kind, soft in stages.rows:
        if soft:
            each = STATE_NAMES.index(subject)
            state, lower, upper = (array[interval + 1, each] for array in (states, stages.lower, stages.upper))
            left.append(lower - state if kind == "lower" else state - upper)
        else:
            fx, fy, fz = (by_name[f"f{axis}[{interval}, {subject}]"] for axis in "xyz")
            room = 0.6 * fz
            sides = {"forward": fx - room, "backward": -fx - room, "left": fy - room, "right": -fy - room}
            left.append((sides | {"least": stages.least - fz, "largest": fz - stages.largest})[kind])
    assert np.allclose(dense.matrix @ forces - dense.bound, left, rtol=1e-9, atol=1e-9)
    prices = [stages.slack[row.interval] if row.soft else np.inf for row in stages.rows]
    assert np.array_equal(dense.slack, prices)


@pytest.mark.slow
@given(seeds)
@settings(max_examples=20, deadline=None)
@example(8344)
def test_all_solvers_meet_the_conditions_of_an_optimum(seed: int) -> None:
    stages = _program(random_problem(np.random.default_rng(seed)))
    dense = condense(stages)
    other, iterations = solve_condensed(dense, 500)
    assert iterations >= 0
    other = _polished(dense, other)
    for method in METHODS:
        _, own, changes = _solved(stages, method)
        assert changes >= 0
        assert np.abs(own - other).max() < 1e-6
        assert dense.cost(own) == pytest.approx(dense.cost(other), rel=1e-10)
        _conditions(dense, own)


@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_the_same_forces(seed: int) -> None:
    import casadi

    stages = _program(random_problem(np.random.default_rng(seed), SHORT, wild=2.0), SHORT)
    hessian, gradient = _written_out(stages)
    dense = condense(stages)
    hard = ~np.isfinite(dense.slack)
    matrix = dense.matrix[hard]
    solver = casadi.conic(
        "qp",
        "qpoases",
        {"h": casadi.DM(hessian).sparsity(), "a": casadi.DM(matrix).sparsity()},
        {"printLevel": "none", "sparse": False},
    )
    found = solver(h=hessian, g=gradient, a=casadi.DM(matrix), lba=-np.inf, uba=dense.bound[hard])
    for method in METHODS:
        _, own, _ = _solved(stages, method)
        assert np.abs(np.array(found["x"]).ravel() - own).max() < 1e-6


def test_states_and_forces_of_the_answer_belong_to_each_other() -> None:
    stages = _program(random_problem(np.random.default_rng(7)))
    states, forces, _ = _solved(stages)
    offsets = np.concatenate([[0], np.cumsum(stages.inputs)])
    for k, used in enumerate(stages.inputs):
        ahead = stages.transition[k] @ states[k] + stages.drift[k]
        ahead = ahead + stages.effect[k][:, :used] @ forces[offsets[k] : offsets[k + 1]]
        assert np.allclose(states[k + 1], ahead, atol=1e-9)


def test_a_soft_bound_gives_way_at_its_price() -> None:
    # The roof is 5 cm below the wanted height. Dear, the body keeps below it; cheap, it rises but less than without.
    upper = [np.inf] * 12
    upper[2] = HEIGHT - 0.05
    heights = {}
    for price in (1e-6, 20.0, 1e6):
        chosen = NmpcSettings(upper=tuple(upper), slack_weight=price, growth=10.0)
        stages = _program(problem_of(standing_contact(), resting(HEIGHT - 0.1), settings=chosen), chosen)
        states, forces, _ = _solved(stages)
        dense = condense(stages)
        _conditions(dense, forces)
        assert np.abs(forces - solve_condensed(dense, 500)[0]).max() < 1e-2
        heights[price] = states[-1, 2]
    assert heights[1e6] == pytest.approx(HEIGHT - 0.05, abs=1e-8)
    assert heights[1e6] + 1e-3 < heights[20.0] < heights[1e-6] - 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_a_first_guess_of_the_faces_changes_nothing_but_the_work(method) -> None:
    stages = _program(random_problem(np.random.default_rng(11), wild=3.0))
    work = new_workspace(len(stages.inputs))
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    hold = np.zeros((len(stages.inputs), 4), dtype=np.int64)
    cold = method(stages, work, hold, 500, states, forces)
    first = forces.copy()
    assert hold.any()
    assert np.all(hold[stages.slot < 0] == 0)
    assert method(stages, work, hold, 500, states, forces) < cold / 2
    assert np.allclose(forces, first, atol=1e-6)
    # Any faces will do, also contrary ones and those of feet that swing.
    for faces in (63, 1 + 4 + 16, 2 + 8 + 32):
        hold[:] = faces
        assert method(stages, work, hold, 2000, states, forces) >= 0
        assert np.allclose(forces, first, atol=1e-6)


def test_a_limit_of_changes_is_kept() -> None:
    stages = _program(random_problem(np.random.default_rng(11), wild=3.0))
    work = new_workspace(len(stages.inputs))
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    assert dual_solve(stages, work, np.zeros((25, 4), dtype=np.int64), 3, states, forces) == -1


def test_without_a_least_force_a_foot_may_be_at_its_pyramids_tip() -> None:
    # At fz = 0 four faces meet, of which three determine the force.
    chosen = NmpcSettings(least_force=0.0)
    for seed in range(8):
        stages = _program(random_problem(np.random.default_rng(seed), chosen, wild=2.0), chosen)
        dense = condense(stages)
        other, _ = solve_condensed(dense, 1000)
        for method in METHODS:
            _, own, changes = _solved(stages, method)
            assert changes >= 0
            assert np.abs(own - other).max() < 1e-5
        assert (np.abs(other[2::3]) < 1e-9).any()


def test_the_feedback_is_how_the_forces_answer_to_another_start() -> None:
    # The same faces hold for a start that is little different: forces move by -K dx in the first interval.
    start = resting()
    start[7] = 1.0
    stages = _program(problem_of(trot_contact(), start))
    work = new_workspace(len(stages.inputs))
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    hold = np.zeros((len(stages.inputs), 4), dtype=np.int64)
    solve_stages(stages, work, hold, 500, states, forces)
    assert hold[0].any()
    gain, before, near = work.feedback[0].copy(), forces[0].copy(), 1e-6
    for column in range(12):
        moved = stages.start.copy()
        moved[column] += near
        solve_stages(stages._replace(start=moved), work, hold, 500, states, forces)
        used = stages.inputs[0]
        assert np.allclose((forces[0] - before)[:used] / near, -gain[:used, column], rtol=1e-4, atol=1e-3)
