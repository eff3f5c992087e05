"""The nonlinear program of the converged solvers: its cost, rows, limits and parameters against plain numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from bodies import BODY, HEIGHT, problem_of, random_problem, resting

from andante.planning.nmpc import converged
from andante.planning.nmpc.checks import UnsolvedError
from andante.planning.nmpc.converged import ConvergedMethod, ConvergedNmpc, NonlinearProgram
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.problem import NmpcStatus
from andante.planning.nmpc.qp import QpBuilder, way_of
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.gravity import GRAVITY

WEIGHT = BODY.mass * GRAVITY
UPPER = (math.inf, 0.03, 0.4, *[math.inf] * 9)
LOWER = (-math.inf, -0.02, -math.inf, -0.1, *[-math.inf] * 8)
# y below and above, z by the ground and a roof, roll below: of five bounds three variables.
CHOSEN = NmpcSettings(states=4, lower=LOWER, upper=UPPER, slack_weight=20.0, growth=9.0)
PLAIN = NmpcSettings(states=3)


@pytest.fixture(scope="module")
def program():
    return NonlinearProgram(QpBuilder(CHOSEN, BODY))


def example(seed=3):
    """A problem, a trajectory of it, and slacks of all states but the first."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, CHOSEN, wild=2.0)
    problem.ground[:] = rng.uniform(0.0, 0.1, 4)
    way = way_of(problem, problem.reference + rng.normal(0.0, 0.1, (4, 12)), rng.normal(0.0, 30.0, (3, 4, 3)))
    return problem, way, rng.uniform(0.0, 0.2, (4, 3))


def variables_of(way, slacks):
    """State, forces and slacks of each stage, the first without slacks, the last without forces."""
    rows = []
    for k in range(len(way.states)):
        rows += [way.states[k], way.forces[k].ravel() if k < len(way.forces) else [], slacks[k] if k else []]
    return np.concatenate([np.ravel(each) for each in rows])


def evaluated(program, problem, variables):
    import casadi

    nlp = program._nlp
    told = casadi.Function("told", [nlp["x"], nlp["p"]], [nlp["f"], nlp["g"]])
    cost, rows = told(variables, program.parameters(problem))
    return float(cost), np.array(rows).ravel()


def test_the_cost_is_that_of_the_settings_with_the_slacks(program):
    problem, way, slacks = example()
    wanted, growth = 0.0, (1.0, 3.0, 9.0)
    for k in range(3):
        scale = problem.durations[k] / CHOSEN.step
        standing = int(problem.contact[k].sum())
        for foot in range(4):
            rest = way.forces[k, foot] - [0.0, 0.0, WEIGHT / standing if problem.contact[k, foot] else 0.0]
            wanted += 0.5 * CHOSEN.share_weight / WEIGHT**2 * scale * float(rest @ rest)
        error = way.states[k + 1] - problem.reference[k + 1]
        wanted += 0.5 * scale * growth[k] * float(np.array(CHOSEN.weights) @ error**2)
        wanted += CHOSEN.slack_weight * scale * float(slacks[k + 1].sum())
    cost, _ = evaluated(program, problem, variables_of(way, slacks))
    assert cost == pytest.approx(wanted, rel=1e-9)
    # Of an interval without any foot no share is wanted of anybody.
    flying = replace(problem, contact=np.array([[True] * 4, [False] * 4, [True] * 4]))
    way = way_of(flying, way.states, way.forces)
    more = evaluated(program, flying, variables_of(way, slacks))[0]
    heavier = way.forces.copy()
    heavier[1, 2, 2] = 10.0
    raised = evaluated(program, flying, variables_of(way._replace(forces=heavier), slacks))[0]
    assert raised - more == pytest.approx(0.5 * CHOSEN.share_weight / WEIGHT**2 * 100.0, rel=1e-6)


def test_rows_are_gaps_start_pyramids_and_soft_bounds_stage_by_stage(program):
    problem, way, slacks = example()
    wanted = []
    for k in range(4):
        if k < 3:
            after = next_state(
                BODY, way.states[k], np.where(problem.contact[k][:, None], way.forces[k], 0.0),
                np.where(problem.contact[k][:, None], problem.feet[k], 0.0), problem.durations[k],
            )  # fmt: skip
            wanted += [way.states[k + 1] - after]
        if k == 0:
            wanted += [way.states[0] - problem.start]
        if k < 3:
            for fx, fy, fz in way.forces[k]:
                room = 0.6 * fz
                wanted += [[room - fx, room + fx, room - fy, room + fy]]
        if k > 0:
            (y, z, roll), (s_y, s_z, s_roll) = way.states[k, 1:4], slacks[k]
            above = z - problem.ground[k]
            wanted += [[y + s_y, above + s_z, roll + s_roll, y - s_y, above - s_z]]
    _, rows = evaluated(program, problem, variables_of(way, slacks))
    np.testing.assert_allclose(rows, np.concatenate([np.ravel(each) for each in wanted]), atol=1e-9)
    # A foot that swings pushes nobody, wherever it is.
    swinging = np.argwhere(~problem.contact)[0]
    forces = way.forces.copy()
    forces[tuple(swinging)] = 0.0, 0.0, 55.0
    _, moved = evaluated(program, problem, variables_of(way._replace(forces=forces), slacks))
    gaps = slice(0, 12) if swinging[0] == 0 else slice(0, 24)
    np.testing.assert_allclose(moved[gaps], rows[gaps], atol=1e-12)


def test_limits_are_those_of_the_settings_and_of_the_feet_that_stand(program):
    problem, _, _ = example()
    for endless in (True, False):
        limits = program.limits(problem, endless)
        wide = math.inf if endless else 10.0 * WEIGHT
        low, high, row_low, row_high = [], [], [], []
        for k in range(4):
            low += [-math.inf] * 12
            high += [math.inf] * 12
            if k < 3:
                for stands in problem.contact[k]:
                    low += [-math.inf, -math.inf, 0.05 * WEIGHT if stands else -wide]
                    high += [math.inf, math.inf, 1.5 * WEIGHT if stands else wide]
                row_low += [0.0] * 12
                row_high += [0.0] * 12
            if k == 0:
                row_low += [0.0] * 12
                row_high += [0.0] * 12
            if k < 3:
                row_low += [0.0 if stands else -wide for stands in problem.contact[k] for _ in range(4)]
                row_high += [math.inf] * 16
            if k > 0:
                low += [0.0] * 3
                high += [math.inf] * 3
                row_low += [-0.02, 0.0, -0.1, -math.inf, -math.inf]
                row_high += [math.inf] * 3 + [0.03, 0.4]
        for name, wanted in (("lbx", low), ("ubx", high), ("lbg", row_low), ("ubg", row_high)):
            np.testing.assert_allclose(limits[name], wanted, rtol=1e-12, err_msg=name)


def test_parameters_are_the_problems_numbers_and_nothing_of_feet_that_swing(program):
    problem, _, _ = example()
    problem.ground[2] = -math.inf
    problem.feet[~problem.contact] = math.nan
    told = program.parameters(problem)
    parts = np.split(told, np.cumsum([12, 48, 3, 12, 36]))
    np.testing.assert_array_equal(parts[0], problem.start)
    np.testing.assert_array_equal(parts[1], problem.reference.ravel())
    np.testing.assert_array_equal(parts[2], problem.durations)
    np.testing.assert_array_equal(parts[3], problem.contact.ravel().astype(float))
    np.testing.assert_array_equal(parts[4].reshape(3, 4, 3)[problem.contact], problem.feet[problem.contact])
    assert (parts[4].reshape(3, 4, 3)[~problem.contact] == 0.0).all()
    assert parts[5].tolist() == [*problem.ground[:2], -1e3, problem.ground[3]]


def test_a_trajectory_is_packed_with_slacks_as_large_as_they_must_be_and_found_again(program):
    problem, way, _ = example()
    states = way.states.copy()
    # y: within, below, above; z: within, below the ground, above the roof; roll: within, below, above (no bound).
    states[1:, 1] = 0.0, -0.05, 0.07
    states[1:, 2] = problem.ground[1:] + np.array([0.2, -0.03, 0.45])
    states[1:, 3] = 0.0, -0.4, 0.6
    way = way._replace(states=states)
    packed = program.packed(problem, way)
    slacks = np.array([[0.0] * 3, [0.0] * 3, [0.03, 0.03, 0.3], [0.04, 0.05, 0.0]])
    np.testing.assert_allclose(packed, variables_of(way, slacks), atol=1e-12)
    again = program.unpacked(problem, packed)
    np.testing.assert_array_equal(again.states, way.states)
    np.testing.assert_array_equal(again.forces, way.forces)
    # What a foot that swings was given is left out, and the states begin at the start.
    full = variables_of(way._replace(forces=np.full((3, 4, 3), 5.0), states=way.states + 1.0), slacks)
    again = program.unpacked(problem, full)
    np.testing.assert_array_equal(again.states[0], problem.start)
    assert (again.forces[problem.contact] == 5.0).all()
    assert (again.forces[~problem.contact] == 0.0).all()


def test_without_bounds_of_its_own_a_program_has_the_ground(program):
    plain = NonlinearProgram(QpBuilder(PLAIN, BODY))
    assert plain.low.tolist() == plain.slacks.tolist() == [2]
    assert plain.bounds_low.tolist() == [0.0]
    assert plain.high.tolist() == []
    lifted = NonlinearProgram(QpBuilder(PLAIN.changed(lower=(-math.inf, -math.inf, 0.1, *[-math.inf] * 9)), BODY))
    assert lifted.bounds_low.tolist() == [0.1]
    assert program.slacks.tolist() == [1, 2, 3]
    assert (program.low.tolist(), program.high.tolist()) == ([1, 2, 3], [1, 2])


def told_solver(status, success, count=3):
    """A solver of CasADi's form that answers what it began with."""

    class Solver:
        def __init__(self):
            self.calls = []

        def __call__(self, **given):
            self.calls.append(given)
            return {"x": given["x0"]}

        def stats(self):
            return {"iter_count": count, "return_status": status, "success": success}

    return Solver()


@pytest.mark.parametrize(
    ("told", "status", "reason"),
    [
        ("Infeasible_Problem_Detected", NmpcStatus.INFEASIBLE, "ipopt: Infeasible_Problem_Detected"),
        ("Invalid_Number_Detected", NmpcStatus.NOT_FINITE, "ipopt: Invalid_Number_Detected"),
        (
            "Maximum_Iterations_Exceeded", NmpcStatus.LIMIT,
            "ipopt: Maximum_Iterations_Exceeded after 3 iterations",
        ),
    ],
)  # fmt: skip
def test_how_a_solver_ended_is_told_in_its_words(told, status, reason):
    solver = ConvergedNmpc(PLAIN, BODY)
    solver._solver = told_solver(told, False)
    problem = problem_of(np.ones((2, 4), dtype=bool), settings=PLAIN)
    with pytest.raises(UnsolvedError) as error:
        solver._find(problem, None, solver.builder.origin(problem))
    assert (error.value.status, error.value.reason, error.value.iterations) == (status, reason, 3)


@pytest.mark.parametrize("method", list(ConvergedMethod))
def test_what_the_solver_gives_becomes_an_answer_along_itself(method):
    solver = ConvergedNmpc(PLAIN, BODY, method)
    solver._solver = told_solver("fine", True, 7)
    contact = np.array([[True, False, True, True], [True, True, False, True]])
    problem = problem_of(contact, resting(HEIGHT + 0.02), settings=PLAIN)
    origin = solver.builder.origin(problem)
    origin.forces[contact] += [1.0, 2.0, 3.0]
    answer = solver._find(problem, None, origin)
    (call,) = solver._solver.calls
    solver._solver.calls.clear()
    np.testing.assert_array_equal(call["x0"], solver.program.packed(problem, origin))
    np.testing.assert_array_equal(call["p"], solver.program.parameters(problem))
    for name, limit in solver.program.limits(problem, method is ConvergedMethod.IPOPT).items():
        np.testing.assert_array_equal(call[name], limit)
    assert answer.iterations == 7
    assert answer.held is None
    assert answer.feedback.shape == (2, 12, 12)
    assert not answer.feedback.any()
    np.testing.assert_array_equal(answer.origin.states, origin.states)
    np.testing.assert_array_equal(answer.answer.states, origin.states)
    np.testing.assert_array_equal(answer.origin.forces, origin.forces)
    compact = [[*origin.forces[k][contact[k]].ravel(), 0.0, 0.0, 0.0] for k in (0, 1)]
    np.testing.assert_array_equal(answer.answer.forces, compact)
    np.testing.assert_array_equal(answer.stages.drift, solver.builder.stages(problem, origin).drift)


def test_what_a_solver_is_asked(program, monkeypatch):
    asked = []

    class Casadi:
        @staticmethod
        def nlpsol(*given):
            asked.append(given)

    monkeypatch.setattr(converged, "solver_package", lambda _: Casadi)
    program.solver("ipopt", 1e-4, 33)
    program.solver("fatrop", 1e-4, 33)
    (title, name, nlp, options), (_, other, _, wanted) = asked
    assert (title, name, other) == ("nmpc", "ipopt", "fatrop")
    assert nlp is program._nlp
    quiet = {"print_time": False, "error_on_fail": False}
    assert options == quiet | {
        "ipopt": {
            "print_level": 0,
            "sb": "yes",
            "tol": 1e-4,
            "max_iter": 33,
            "mu_init": 1e-3,
            "linear_solver": "mumps",
        }
    }
    # Stage by stage: 12 forces, then 12 and three slacks, then the slacks; rows beyond the gaps.
    assert wanted == quiet | {
        "structure_detection": "manual",
        "N": 3,
        "nx": [12] * 4,
        "nu": [12, 15, 15, 3],
        "ng": [28, 21, 21, 5],
        "equality": [True] * 24 + [False] * 16 + ([True] * 12 + [False] * 21) * 2 + [False] * 5,
        "fatrop": {"print_level": 0, "tol": 1e-4, "max_iter": 33, "mu_init": 1e-3},
    }


def test_a_solver_is_made_with_what_it_was_given_or_usual_numbers(monkeypatch):
    asked = []
    monkeypatch.setattr(NonlinearProgram, "solver", lambda self, *given: asked.append(given))
    ConvergedNmpc(PLAIN, BODY)
    made = ConvergedNmpc(PLAIN, BODY, ConvergedMethod.FATROP, 1e-3, 7)
    assert asked == [("ipopt", 1e-5, 200), ("fatrop", 1e-3, 7)]
    assert made.method is ConvergedMethod.FATROP
    assert made.settings is PLAIN


@pytest.mark.parametrize("method", list(ConvergedMethod))
def test_a_short_horizon_is_solved_with_its_soft_bounds(method):
    problem = problem_of(np.ones((3, 4), dtype=bool), resting(HEIGHT + 0.13), settings=CHOSEN)
    solution = ConvergedNmpc(CHOSEN, BODY, method).solve(problem)
    assert solution.solved, solution.reason
    # 2 cm above the roof at rest: all feet push as little as they may.
    np.testing.assert_allclose(solution.forces[0, :, 2], 0.05 * WEIGHT, rtol=0.05)
    assert solution.cost > 20.0 * 0.01
