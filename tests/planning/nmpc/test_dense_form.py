"""The dense form and DAQP on it, the names in a program, where it begins, and what is made of an answer."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from bodies import BODY, HEIGHT, HIPS, problem_of, random_problem, resting, trot_contact

from andante.planning.nmpc import online
from andante.planning.nmpc.active_set import new_workspace
from andante.planning.nmpc.answer import MethodAnswer, Nmpc
from andante.planning.nmpc.checks import UnsolvedError
from andante.planning.nmpc.dense import CondensedQp, condense, solve_condensed, solve_dense
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.online import OnlineNmpc, QpMethod, daqp_nmpc
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import NmpcSolution, NmpcStatus
from andante.planning.nmpc.qp import FACES, QpBuilder, growth_of, row_of, way_of
from andante.planning.nmpc.rollout import held_at
from andante.planning.nmpc.settings import NmpcSettings, state_units, weights_of_size
from andante.spatial.gravity import GRAVITY

SHORT = NmpcSettings(states=4)
BOUNDED = SHORT.changed(lower=(-0.02,) * 12, upper=(math.inf, 0.03) * 6, slack_weight=20.0)
WEIGHT = BODY.mass * GRAVITY


def program(seed, chosen=SHORT, wild=3.0):
    builder = QpBuilder(chosen, BODY)
    problem = random_problem(np.random.default_rng(seed), chosen, wild)
    return builder.stages(problem, builder.origin(problem))


def rolled(stages, forces):
    states = [stages.start]
    for k, used in enumerate(stages.inputs):
        ahead = stages.transition[k] @ states[k] + stages.effect[k, :, :used] @ forces[k, :used]
        states.append(ahead + stages.drift[k])
    return np.array(states)


def cost_of(stages, forces):
    """The program's cost as the module's head writes it, of forces (n, 12)."""
    states, cost = rolled(stages, forces), 0.0
    for k, used in enumerate(stages.inputs):
        rest = forces[k, :used].copy()
        rest[2::3] -= stages.share[k]
        cost += 0.5 * stages.force_weight[k] * float(rest @ rest)
        error = states[k + 1] - stages.reference[k + 1]
        cost += 0.5 * float(stages.weight[k + 1] @ error**2)
        beyond = np.maximum(stages.lower[k + 1] - states[k + 1], states[k + 1] - stages.upper[k + 1])
        cost += stages.slack[k] * float(np.maximum(beyond, 0.0).sum())
    return cost


def test_the_cost_that_a_dense_program_tells_is_the_programs_up_to_a_constant():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        stages = program(seed, BOUNDED)
        dense = condense(stages)
        some = [np.where(stages.used, rng.normal(0.0, 40.0, stages.drift.shape), 0.0) for _ in range(3)]
        rises = [dense.cost(each[stages.used]) - cost_of(stages, each) for each in some]
        assert rises[1:] == pytest.approx([rises[0]] * 2, rel=1e-9)
        assert str(dense) == (
            f"dense QP: {stages.inputs.sum()} forces, {2 * stages.inputs.sum()} hard rows, {3 * 18} soft"
        )


def test_a_dense_program_of_two_forces_by_hand():
    # 1/2 (u - (3, 1))^2 with u0 <= 2 hard and u1 <= 0.5 at a price of 0.25: u1 = 1 - 0.25.
    program = CondensedQp(
        np.eye(2), np.array([-3.0, -1.0]), np.eye(2), np.array([2.0, 0.5]), np.array([math.inf, 0.25]),
        np.array([0, 100]),
    )  # fmt: skip
    forces, iterations = solve_condensed(program, 50)
    assert forces == pytest.approx([2.0, 0.75], abs=1e-6)
    assert iterations >= 0
    assert program.cost(np.array([2.0, 0.75])) == pytest.approx(2.0 + 0.28125 - 6.0 - 0.75 + 0.25 * 0.25)
    # Of a hard row that is left no price is told.
    assert program.cost(np.array([4.0, 0.0])) == pytest.approx(8.0 - 12.0)
    # Dear, the soft row holds; where it is not left it is not looked at.
    assert solve_condensed(replace(program, slack=np.array([math.inf, 9.0])), 50)[0] == pytest.approx([2.0, 0.5])
    free = replace(program, bound=np.array([2.0, 1.5]))
    assert solve_condensed(free, 50)[0] == pytest.approx([2.0, 1.0])


def test_a_dense_program_that_has_no_answer_or_no_time_says_which():
    opposite = CondensedQp(
        np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([-2.0, 1.0]), np.full(2, math.inf),
        np.array([0, 1]),
    )  # fmt: skip
    forces, iterations = solve_condensed(opposite, 50)
    assert iterations == -2
    assert forces.tolist() == [0.0]
    dense = condense(program(2, SHORT.changed(friction=0.1)))
    many = solve_condensed(dense, 500)[1]
    assert many > 3
    forces, iterations = solve_condensed(dense, 2)
    assert iterations == -1
    assert (forces == 0.0).all()
    # Vertical bounds that contradict each other are seen before anything is solved.
    stages = program(2)
    assert solve_condensed(condense(stages._replace(least=40.0, largest=30.0)), 500)[1] == -2


def answer_of(method, stages, hold=None, limit=500):
    states, forces = np.full_like(stages.reference, np.nan), np.full_like(stages.drift, np.nan)
    work, hold = new_workspace(len(stages.inputs)), np.full_like(stages.slot, 63) if hold is None else hold
    return method(stages, work, hold, limit, states, forces), states, forces, hold, work.feedback


@pytest.mark.parametrize("chosen", [SHORT, BOUNDED])
def test_daqp_answers_as_the_stage_wise_method_does(chosen):
    for seed in range(4):
        stages = program(seed, chosen)
        changes, states, forces, hold, feedback = answer_of(solve_dense, stages)
        _, own_states, own_forces, own_hold, own_feedback = answer_of(solve_stages, stages, np.zeros_like(stages.slot))
        assert changes == solve_condensed(condense(stages), 500)[1]
        np.testing.assert_allclose(forces[stages.used], own_forces[stages.used], atol=1e-3)
        assert (forces[~stages.used] == 0.0).all()
        np.testing.assert_allclose(states, own_states, atol=1e-5)
        np.testing.assert_allclose(states, rolled(stages, forces), atol=1e-12)
        assert (hold[stages.slot < 0] == 0).all()
        if chosen is SHORT:
            np.testing.assert_array_equal(hold, own_hold)
            np.testing.assert_allclose(feedback, own_feedback, atol=1e-6)


def test_without_any_foot_there_is_nothing_to_solve():
    contact = np.zeros((3, 4), dtype=bool)
    problem = problem_of(contact, resting(), settings=SHORT)
    builder = QpBuilder(SHORT, BODY)
    stages = builder.stages(problem, builder.origin(problem))
    for method in (solve_dense, solve_stages):
        changes, states, forces, hold, _ = answer_of(method, stages, np.zeros((3, 4), dtype=np.int64))
        assert changes == (0 if method is solve_dense else 1)
        assert (forces == 0.0).all()
        assert not hold.any()
        time = 0.03 * np.arange(4)
        np.testing.assert_allclose(states[:, 2], HEIGHT - 0.5 * GRAVITY * time**2, atol=1e-12)
    assert (stages.share == WEIGHT).all()


# Names and where a program begins -----------------------------------------------------------------------------------


def test_rows_and_variables_have_the_names_of_their_place():
    names = ("FL", "FR", "HL", "HR")
    faces = ("forward", "backward", "left", "right", "least", "largest")
    numbers = iter(range(10_000))
    for interval in range(3):
        for foot in names:
            for face in faces:
                row = row_of(next(numbers), 3)
                assert row == (interval, foot, face, False)
                assert str(row) == f"interval {interval}, {foot}, {face}"
    for interval in range(3):
        for variable in ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz", "wx", "wy", "wz"):
            for side in ("lower", "upper"):
                assert row_of(next(numbers), 3) == (interval, variable, side, True)
    assert FACES == 6
    contact = trot_contact(SHORT, begin=4)
    problem = problem_of(contact, settings=SHORT)
    builder = QpBuilder(SHORT.changed(upper=(math.inf,) * 4 + (0.2,) + (math.inf,) * 7), BODY)
    stages = builder.stages(problem, builder.origin(problem))
    # Two intervals of the first pair, one of the other.
    assert [tuple(place) for place in stages.places] == [(0, 0), (0, 3), (1, 0), (1, 3), (2, 1), (2, 2)]
    assert stages.variables[:3] == ["fx[0, FL]", "fy[0, FL]", "fz[0, FL]"]
    assert stages.variables[-1] == "fz[2, HL]"
    assert stages.slot.tolist() == [[0, -1, -1, 1]] * 2 + [[-1, 0, 1, -1]]
    assert stages.inputs.tolist() == [6, 6, 6]
    assert stages.used.tolist() == [[True] * 6 + [False] * 6] * 3
    assert stages.standing[2].tolist() == [False] * 3 + [True] * 6 + [False] * 3
    rows = stages.rows
    assert len(rows) == 6 * 6 + 6
    assert [str(row) for row in rows[-3:]] == [
        "interval 1, pitch, upper", "interval 2, z, lower", "interval 2, pitch, upper",
    ]  # fmt: skip
    assert stages.row_numbers().tolist() == sorted(stages.row_numbers().tolist())
    assert str(stages) == "QP over 3 intervals: 18 forces of 6 stances, 36 rows of pyramids, 6 soft bounds of states"
    assert stages.bounded.tolist() == [False, False, True, False, True] + [False] * 7


def test_costs_of_a_program_are_per_length_of_an_interval_and_grow_to_the_last():
    chosen = SHORT.changed(growth=9.0, weights=(2.0,) * 12, share_weight=3.0, slack_weight=70.0)
    assert growth_of(chosen) == pytest.approx([1.0, 3.0, 9.0])
    assert growth_of(chosen.changed(states=3)) == pytest.approx([1.0, 9.0])
    problem = problem_of(np.ones((3, 4), dtype=bool), settings=chosen, first=0.015)
    builder = QpBuilder(chosen, BODY)
    stages = builder.stages(problem, builder.origin(problem))
    np.testing.assert_allclose(stages.weight, np.array([0.0, 1.0, 6.0, 18.0])[:, None] * np.ones(12))
    np.testing.assert_allclose(stages.force_weight, np.array([0.5, 1.0, 1.0]) * 3.0 / WEIGHT**2)
    np.testing.assert_allclose(stages.slack, [35.0, 70.0, 70.0])
    np.testing.assert_allclose(stages.share, WEIGHT / 4.0)
    assert (builder.weight, builder.least, builder.largest) == pytest.approx((WEIGHT, 0.05 * WEIGHT, 1.5 * WEIGHT))
    assert (stages.least, stages.largest, stages.friction) == (builder.least, builder.largest, 0.6)
    assert stages.mass == BODY.mass
    # The builder gives each program weights of its own.
    stages.weight[:] = -1.0
    assert builder.stages(problem, builder.origin(problem)).weight.min() == 0.0


def test_a_program_is_the_bodys_motion_near_its_origin():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, SHORT)
        builder = QpBuilder(SHORT, BODY)
        origin = way_of(problem, problem.reference + rng.normal(0.0, 0.1, (4, 12)), rng.normal(0.0, 30.0, (3, 4, 3)))
        stages = builder.stages(problem, origin)
        for k in range(3):
            slots = stages.slot[k]

            def ahead(state, forces, k=k, slots=slots):
                force = np.zeros((4, 3))
                for foot in range(4):
                    if slots[foot] >= 0:
                        force[foot] = forces[3 * slots[foot] : 3 * slots[foot] + 3]
                return next_state(BODY, state, force, stages.feet[k], problem.durations[k])  # noqa: B023

            compact = np.zeros(12)
            compact[: stages.inputs[k]] = origin.forces[k][slots >= 0].ravel()
            here = stages.transition[k] @ origin.states[k] + stages.effect[k] @ compact + stages.drift[k]
            np.testing.assert_allclose(here, ahead(origin.states[k], compact), atol=1e-9)
            near = 1e-6
            for column in range(12):
                one = np.eye(12)[column] * near
                slope = (ahead(origin.states[k] + one, compact) - ahead(origin.states[k] - one, compact)) / (2 * near)
                np.testing.assert_allclose(stages.transition[k][:, column], slope, atol=1e-5)
                if column < stages.inputs[k]:
                    slope = (ahead(origin.states[k], compact + one) - ahead(origin.states[k], compact - one)) / (
                        2 * near
                    )
                    np.testing.assert_allclose(stages.effect[k][:, column], slope, atol=1e-6)
                else:
                    assert (stages.effect[k][:, column] == 0.0).all()


def test_where_a_program_begins():
    contact = np.array([[True, True, True, True], [True, False, False, True], [True, True, False, True]])
    problem = problem_of(contact, resting() + 0.01, settings=SHORT)
    builder = QpBuilder(SHORT, BODY)
    cold = builder.origin(problem)
    np.testing.assert_array_equal(cold.states[0], problem.start)
    np.testing.assert_array_equal(cold.states[1:], problem.reference[1:])
    np.testing.assert_allclose(cold.forces[:, :, 2], np.where(contact, WEIGHT / contact.sum(axis=1)[:, None], 0.0))
    assert (cold.forces[:, :, :2] == 0.0).all()
    forces = np.full((3, 4, 3), 7.0)
    forces[0, 1] = forces[2, 2] = 0.0
    guess = NmpcSolution(NmpcStatus.SOLVED, np.full((4, 12), 0.25), forces, 1.0, 3, 0.0)
    warm = builder.origin(problem, guess)
    np.testing.assert_array_equal(warm.states[0], problem.start)
    assert (warm.states[1:] == 0.25).all()
    # A foot that the guess has in the air gets its share; one that swings nothing.
    assert warm.forces[0, 1].tolist() == pytest.approx([0.0, 0.0, WEIGHT / 4.0])
    assert warm.forces[0, 0].tolist() == [7.0] * 3
    assert (warm.forces[~contact] == 0.0).all()
    assert forces[0, 1].tolist() == [0.0] * 3
    for status in (NmpcStatus.LIMIT, NmpcStatus.FALLBACK):
        other = builder.origin(problem, replace(guess, status=status))
        np.testing.assert_array_equal(other.states, cold.states)
        np.testing.assert_array_equal(other.forces, cold.forces)


def test_a_force_counts_as_held_within_a_tenth_of_a_micronewton():
    for by, held in ((0.7e-7, True), (1.4e-7, False)):
        forces = np.array([[[6.0 - by, 0, 10], [0, -6.0 + by, 10], [0, 0, 5 + by], [0, 0, 20 - by]]])
        assert held_at(forces, 0.6, 5.0, 20.0).tolist() == [[1, 8, 16, 32] if held else [0] * 4]
    # What is at both its least and its largest force is held at the least.
    assert held_at(np.full((1, 12), 5.0), 9.0, 5.0, 5.0).tolist() == [[16] * 4]


# Answers ------------------------------------------------------------------------------------------------------------


class Told(Nmpc):
    """A method whose answer is told beforehand."""

    def __init__(self, forces, fails=None, held=None):
        super().__init__(SHORT, BODY)
        self.forces, self.fails, self.held = forces, fails, held

    def _find(self, problem, guess, origin):
        if self.fails is not None:
            raise self.fails
        stages = self.builder.stages(problem, origin)
        states = rolled(stages, self.forces)
        feedback = np.zeros((3, 12, 12))
        return MethodAnswer(stages, feedback, origin, way_of(problem, states, np.zeros((3, 4, 3)))._replace(
            forces=self.forces), 17, self.held)  # fmt: skip


def test_an_answer_is_followed_by_the_body_and_told_with_its_cost_and_work():
    problem = problem_of(np.ones((3, 4), dtype=bool), settings=SHORT)
    forces = np.tile([3.0, 1.0, 0.25 * WEIGHT + 2.0], (3, 4))
    held = np.arange(12).reshape(3, 4)
    solver = Told(forces, held=held)
    assert solver.settings is SHORT
    assert solver.body is BODY
    solution = solver.solve(problem)
    assert (solution.status, solution.iterations, solution.reason) == (NmpcStatus.SOLVED, 17, "")
    assert solution.held is held
    assert 0.0 <= solution.time < 60.0
    np.testing.assert_array_equal(solution.states[0], problem.start)
    for k in range(3):
        after = next_state(BODY, solution.states[k], solution.forces[k], problem.feet[k], problem.durations[k])
        np.testing.assert_allclose(after, solution.states[k + 1], atol=1e-12)
    # The reference costs nothing, so that the answer is only followed a little of the way.
    lifted = solution.forces[0, 0, 2] - 0.25 * WEIGHT
    assert lifted == pytest.approx(2.0 * 0.0625, rel=1e-6)
    assert 0.0 < solution.cost < 1.0


def test_a_failure_has_no_numbers_but_its_work_and_its_reason():
    problem = problem_of(np.ones((3, 4), dtype=bool), settings=SHORT)
    failure = UnsolvedError(NmpcStatus.LIMIT, "no time", 9)
    solution = Told(None, failure).solve(problem)
    assert (solution.status, solution.reason, solution.iterations) == (NmpcStatus.LIMIT, "no time", 9)
    assert solution.cost == math.inf
    assert solution.held is None
    assert solution.states.shape == (4, 12)
    assert solution.forces.shape == (3, 4, 3)
    assert np.isnan(solution.states).all()
    assert np.isnan(solution.forces).all()
    # A plan that tips over is refused after the work, which counts.
    wild = problem_of(np.ones((3, 4), dtype=bool), settings=SHORT)
    wild.start[10] = 60.0
    late = Told(np.tile([0.0, 0.0, 0.25 * WEIGHT], (3, 4)), held=np.zeros((3, 4), dtype=np.int64)).solve(wild)
    assert (late.status, late.iterations, late.held) == (NmpcStatus.INFEASIBLE, 17, None)
    assert "planned pitch" in late.reason
    # One that is refused before counts none.
    wild.start[10] = np.nan
    assert Told(None).solve(wild).iterations == 0


def test_the_online_solver_begins_from_what_the_guess_held(monkeypatch):
    problem = problem_of(trot_contact(SHORT), settings=SHORT)
    solver, seen = OnlineNmpc(SHORT, BODY), []
    assert solver.method is QpMethod.STAGES
    solver._solve = lambda stages, work, hold, limit, states, forces: seen.append((hold.copy(), limit)) or -1
    forces = np.zeros((3, 4, 3))
    forces[:, :, 2] = WEIGHT
    forces[:, 0, 0] = 0.6 * WEIGHT
    guess = NmpcSolution(NmpcStatus.SOLVED, problem.reference, forces, 1.0, 3, 0.0)
    told = np.full((3, 4), 5)
    for each, wanted in (
        *((None, np.zeros((3, 4))), (replace(guess, status=NmpcStatus.LIMIT, held=told), np.zeros((3, 4)))),
        *((replace(guess, held=told), told), (guess, [[1, 0, 0, 0]] * 3)),
    ):
        solution = solver.solve(problem, each)
        np.testing.assert_array_equal(seen[-1][0], wanted)
        assert solution.status is NmpcStatus.LIMIT
        assert solution.iterations == seen[-1][1] == 500
    # The guess's own faces stay what they are.
    solver._solve = lambda stages, work, hold, limit, states, forces: hold.fill(9) or -2
    solution = solver.solve(problem, replace(guess, held=told))
    assert (told == 5).all()
    assert (solution.status, solution.iterations) == (NmpcStatus.INFEASIBLE, 500)
    assert solution.reason == "the rows of the quadratic program contradict each other"
    solver._solve = lambda stages, work, hold, limit, states, forces: states.fill(np.nan) or 4
    solution = solver.solve(problem)
    assert (solution.status, solution.iterations) == (NmpcStatus.NOT_FINITE, 4)
    assert solution.reason == "state 0: the quadratic program's answer is not finite"


def test_both_methods_of_the_online_solver_are_made_by_name_and_tell_their_program():
    problem = random_problem(np.random.default_rng(3), SHORT)
    stages, daqp = OnlineNmpc(SHORT, BODY), daqp_nmpc(SHORT, BODY)
    assert daqp.method is QpMethod.DAQP
    own, other = stages.solve(problem), daqp.solve(problem)
    np.testing.assert_allclose(own.forces, other.forces, atol=1e-4)
    assert other.iterations == solve_condensed(condense(stages.program(problem)), 500)[1]
    np.testing.assert_array_equal(own.held, other.held)
    guess = replace(own, states=own.states + 0.01)
    np.testing.assert_array_equal(
        stages.program(problem, guess).drift, QpBuilder(SHORT, BODY).stages(problem, way_of(
            problem, guess.states, guess.forces)).drift)  # fmt: skip
    assert online._CHANGES == 500


# Settings -----------------------------------------------------------------------------------------------------------


def test_what_the_control_believes_where_nobody_says_otherwise():
    chosen = NmpcSettings()
    assert (chosen.states, chosen.step, chosen.growth) == (26, 0.03, 2.0)
    assert chosen.weights == (5.0, 5.0, 100.0, 20.0, 20.0, 10.0, 5.0, 5.0, 1.0, 0.2, 0.2, 0.2)
    assert (chosen.share_weight, chosen.slack_weight) == (1.1127, 200.0)
    assert (chosen.friction, chosen.least_force, chosen.largest_force) == (0.6, 0.05, 1.5)
    assert set(chosen.lower) == {-math.inf}
    assert set(chosen.upper) == {math.inf}
    assert (chosen.costs, chosen.solver) == ((), "stages")


def test_units_of_a_state_grow_with_lengths_and_times():
    assert state_units(4.0) == (4.0, 4.0, 4.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.5)
    assert weights_of_size(tuple(range(1, 13)), 4.0) == pytest.approx(
        [1 / 16, 2 / 16, 3 / 16, 4, 5, 6, 7 / 4, 8 / 4, 9 / 4, 40, 44, 48]
    )
    # A robot of four times the size moves alike: the errors that cost as much are as many of its own lengths.
    chosen = NmpcSettings()
    large = chosen.scaled(4.0)
    errors = np.array(state_units(4.0))
    assert np.array(large.weights) * errors**2 == pytest.approx(np.array(chosen.weights))
    assert large.slack_weight * 4.0 == pytest.approx(chosen.slack_weight)
    assert large.step == chosen.step
    assert HIPS.shape == (4, 3)


@pytest.mark.parametrize("values", [{"states": 2}, {"states": 101}, {"growth": 0.0}, {"least_force": -0.1},
                                    {"friction": 0.0}, {"weights": (1.0,) * 11}, {"lower": (0.0,) * 13}])  # fmt: skip
def test_numbers_beyond_their_limits_are_refused(values):
    with pytest.raises(Exception, match=next(iter(values))):
        NmpcSettings(**values)
    assert NmpcSettings(states=3).states == 3
    assert NmpcSettings(states=100).states == 100
