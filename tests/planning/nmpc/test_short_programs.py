"""Programs of three intervals: both stage-wise methods against a dense solver, and the conditions of an optimum.

They are short so that each costs little, and wild so that friction, least and largest forces and soft bounds hold.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies import BODY, HEIGHT, problem_of, random_problem, resting, standing_contact

from andante.documents.settings import SettingsError
from andante.kernels import entry
from andante.planning.nmpc.active_set import dual_solve, new_workspace
from andante.planning.nmpc.answer import fallback
from andante.planning.nmpc.dense import condense, solve_condensed
from andante.planning.nmpc.dynamics import BodyNumbers, next_state
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.qp import FACES, Face, QpBuilder, way_of
from andante.planning.nmpc.rollout import best_follow, held_at, shifted
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.gravity import GRAVITY

SHORT = NmpcSettings(states=4)
BOUNDED = NmpcSettings(
    states=4, lower=(-0.02,) * 12, upper=(math.inf, 0.03) * 6, slack_weight=20.0, weights=(50.0,) * 12
)
METHODS = (solve_stages, entry(dual_solve.py_func))


def program(problem, chosen):
    builder = QpBuilder(chosen, BODY)
    return builder.stages(problem, builder.origin(problem))


def solved(stages, method, hold=None):
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    work = new_workspace(len(stages.inputs))
    hold = np.zeros((len(stages.inputs), 4), dtype=np.int64) if hold is None else hold
    changes = method(stages, work, hold, 500, states, forces)
    return states, forces, changes, hold, work


@pytest.mark.parametrize("chosen", [SHORT, BOUNDED, SHORT.changed(friction=0.05, largest_force=0.4)])
@pytest.mark.parametrize("method", METHODS)
def test_short_programs_are_solved_as_a_dense_method_does(chosen, method):
    held = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        stages = program(random_problem(rng, chosen, wild=4.0), chosen)
        wanted, _ = solve_condensed(condense(stages), 500)
        guesses = (0, int(rng.integers(64)))
        for guess in guesses:
            first = np.full((3, 4), guess, dtype=np.int64)
            states, forces, changes, hold, _work = solved(stages, method, first)
            assert changes >= 0
            np.testing.assert_allclose(forces[stages.used], wanted, atol=3e-4)
            # States are those of the program's dynamics.
            x = stages.start
            for k, used in enumerate(stages.inputs):
                x = stages.transition[k] @ x + stages.effect[k][:, :used] @ forces[k, :used] + stages.drift[k]
                np.testing.assert_allclose(states[k + 1], x, atol=1e-8)
            # What holds is at its face, and feet that swing hold nothing.
            for k in range(3):
                for foot in range(4):
                    slot = stages.slot[k, foot]
                    if slot < 0:
                        assert hold[k, foot] == 0
                        continue
                    fx, fy, fz = forces[k, 3 * slot : 3 * slot + 3]
                    room = stages.friction * fz
                    left = [fx - room, -fx - room, fy - room, -fy - room, stages.least - fz, fz - stages.largest]
                    for face in range(FACES):
                        if hold[k, foot] >> face & 1:
                            held += 1
                            assert left[face] == pytest.approx(0.0, abs=1e-6)
            # From its own faces the answer is found at once.
            again = solved(stages, method, hold.copy())
            np.testing.assert_allclose(again[1][stages.used], wanted, atol=3e-4)
            if chosen is not BOUNDED:
                assert again[2] <= 1
    assert held > 10


def test_the_feedback_of_a_short_program_is_how_its_forces_answer_to_another_start():
    for seed in range(3):
        stages = program(random_problem(np.random.default_rng(seed), SHORT, wild=2.0), SHORT)
        _, forces, _, hold, work = solved(stages, solve_stages)
        gain, used, before = work.feedback[0].copy(), stages.inputs[0], forces[0].copy()
        for column in range(12):
            moved = stages.start.copy()
            moved[column] += 1e-6
            _, forces, _, other, _ = solved(stages._replace(start=moved), solve_stages, hold.copy())
            if (other == hold).all():
                np.testing.assert_allclose((forces[0] - before)[:used] / 1e-6, -gain[:used, column], rtol=1e-3,
                                           atol=2e-2)  # fmt: skip


def followed(stages, chosen, feedback, x0, u0, x1, u1, share):
    """What is between a guess and an answer, followed by the body: cost, states, forces."""
    body = RigidBody(stages.mass, stages.inertia)
    x, states, forces, cost = stages.start.copy(), [stages.start.copy()], [], 0.0
    for k in range(len(stages.inputs)):
        answer = np.zeros((4, 3))
        gain = np.zeros((4, 3, 12))
        for foot in range(4):
            slot = stages.slot[k, foot]
            if slot >= 0:
                answer[foot], gain[foot] = u1[k, 3 * slot : 3 * slot + 3], feedback[k, 3 * slot : 3 * slot + 3]
        force = (1.0 - share) * u0[k] + share * answer
        if k:
            force = force - gain @ (x - (1.0 - share) * x0[k] - share * x1[k])
        force[:, 2] = np.clip(force[:, 2], stages.least, stages.largest)
        room = stages.friction * force[:, 2]
        force[:, 0], force[:, 1] = np.clip(force[:, 0], -room, room), np.clip(force[:, 1], -room, room)
        stands = stages.slot[k] >= 0
        force[~stands] = 0.0
        rest = force[stands] - [0.0, 0.0, stages.share[k]]
        cost += 0.5 * stages.force_weight[k] * float((rest**2).sum())
        x = next_state(body, x, force, stages.feet[k], stages.durations[k])
        cost += 0.5 * float(stages.weight[k + 1] @ (x - stages.reference[k + 1]) ** 2)
        beyond = np.maximum(np.maximum(stages.lower[k + 1] - x, x - stages.upper[k + 1]), 0.0)
        cost += stages.slack[k] * float(beyond.sum())
        states.append(x)
        forces.append(force)
    return cost, np.array(states), np.array(forces)


def test_the_body_follows_the_answer_as_far_as_that_lowers_the_cost():
    shares = set()
    for seed in range(9):
        rng = np.random.default_rng(seed)
        chosen = (SHORT, BOUNDED)[seed % 2]
        problem = random_problem(rng, chosen, wild=4.0)
        builder = QpBuilder(chosen, BODY)
        origin = builder.origin(problem)
        origin = way_of(problem, origin.states + rng.normal(0.0, 0.05, (4, 12)), origin.forces)
        stages = builder.stages(problem, origin)
        states, forces, _, _, work = solved(stages, solve_stages)
        # An answer that is worse than the guess by and by.
        forces = forces + rng.normal(0.0, (0.0, 100.0, 400.0)[seed % 3], forces.shape)
        given = work.feedback, *origin, states, forces
        x, u = np.empty((4, 12)), np.empty((3, 4, 3))
        cost = best_follow(stages, *given, x, u)
        best, share = followed(stages, chosen, *given, 1.0), 1.0
        guess, tried = followed(stages, chosen, *given, 0.0)[0], 1.0
        while best[0] > guess and tried > 0.1:
            tried *= 0.5
            here = followed(stages, chosen, *given, tried)
            if here[0] < best[0]:
                best, share = here, tried
        shares.add(share)
        assert cost == pytest.approx(best[0], rel=1e-9)
        np.testing.assert_allclose(x, best[1], atol=1e-9)
        np.testing.assert_allclose(u, best[2], atol=1e-7)
    assert 1.0 in shares
    assert len(shares) > 1


def test_a_solution_moves_on_by_rows_and_repeats_its_last():
    states, forces = np.arange(4.0)[:, None] * np.ones(12), np.arange(3.0)[:, None, None] * np.ones((4, 3))
    held = np.arange(3)[:, None] * np.ones(4, dtype=np.int64)
    solution = NmpcSolution(NmpcStatus.SOLVED, states, forces, 1.0, 2, 0.0, held=held)
    assert shifted(solution, 0) is solution
    assert shifted(solution, -1) is solution
    for rows, state, force in ((1, [1, 2, 3, 3], [1, 2, 2]), (2, [2, 3, 3, 3], [2, 2, 2]), (9, [3] * 4, [2] * 3)):
        found = shifted(solution, rows)
        assert found.states[:, 5].tolist() == state
        assert found.forces[:, 1, 2].tolist() == force
        assert found.held is not None
        assert found.held[:, 3].tolist() == force
    assert shifted(NmpcSolution(NmpcStatus.SOLVED, states, forces, 1.0, 2, 0.0), 1).held is None


def test_forces_at_a_face_are_held_there():
    forces = np.array([[[6.0, 0, 10], [-6.0, 6.0, 10], [0, -6.0, 10], [0, 0, 5]],
                       [[5.9, -5.9, 10], [0, 0, 20], [3.0, 0, 5.00000005], [0, 0, 19.99999995]]])  # fmt: skip
    ahead, back, left, right, least, largest = (1 << int(face) for face in Face)
    assert held_at(forces, 0.6, 5.0, 20.0).tolist() == [
        [ahead, back | left, right, least],
        [0, largest, ahead | least, largest],
    ]
    # A pyramid of no height is held at its floor.
    assert held_at(np.full((1, 4, 3), 5.0) * [0, 0, 1], 0.6, 5.0, 5.0).tolist() == [[least] * 4]


def test_feet_that_stand_share_the_weight():
    contact = np.array([[True] * 4, [True, False, False, True], [False] * 4])
    shares = problem_of(contact, settings=SHORT).shares(12.0)
    assert shares[:, :, 2].tolist() == [[3.0] * 4, [6.0, 0.0, 0.0, 6.0], [0.0] * 4]
    assert (shares[:, :, :2] == 0.0).all()


def test_default_weights_and_limits_give_the_forces_worked_out_by_hand():
    # 5 cm too low and at rest, a single interval that counts: z after it is z0 + dt^2 / 2 a, its speed dt a.
    chosen = NmpcSettings(states=3, growth=1.0, weights=(0, 0, 100.0, *[0.0] * 9), share_weight=1.1127)
    weight = BODY.mass * GRAVITY
    found = OnlineNmpc(chosen, BODY).solve(
        problem_of(standing_contact(chosen), resting(HEIGHT - 0.05), settings=chosen)
    )
    lift = np.array([0.03**2 / 2, 3 * 0.03**2 / 2]) / BODY.mass
    second = np.array([0.0, lift[0]])
    moves = np.stack([lift, second], axis=1)
    hessian = 100.0 * moves.T @ moves + np.eye(2) * 1.1127 / weight**2 / 4.0
    extra = np.linalg.solve(hessian, 100.0 * moves.T @ np.full(2, 0.05))
    assert found.forces[:, :, 2].sum(axis=1) - weight == pytest.approx(np.minimum(extra, 5.0 * weight), rel=1e-4)


def test_bounds_in_the_wrong_order_are_named():
    with pytest.raises(SettingsError, match=r"least_force 2 is above largest_force 1.5"):
        NmpcSettings(least_force=2.0)
    with pytest.raises(SettingsError, match=r"bounds of state variable 2 contradict each other: 0.5 to 0.4"):
        NmpcSettings(lower=(-1.0, -1.0, 0.5, *[-1.0] * 9), upper=(0.5, 0.5, 0.4, *[0.5] * 9))
    assert NmpcSettings(least_force=1.5, lower=(0.1,) * 12, upper=(0.1,) * 12).least_force == 1.5


def test_a_robot_four_times_as_large_has_costs_of_its_units():
    chosen = NmpcSettings(lower=(-1.0,) * 12, upper=(2.0,) * 12, weights=(64.0,) * 12).scaled(4.0)
    units = np.array([4.0] * 3 + [1.0] * 3 + [2.0] * 3 + [0.5] * 3)
    assert chosen.weights == pytest.approx(64.0 / units**2)
    assert chosen.lower == pytest.approx(-units)
    assert chosen.upper == pytest.approx(2.0 * units)
    assert chosen.slack_weight == pytest.approx(50.0)
    assert BodyNumbers.of(BODY).inverse @ BODY.inertia == pytest.approx(np.eye(3), abs=1e-9)


@pytest.mark.parametrize("lowest", [-math.inf, -0.02, 0.05])
def test_bounds_of_the_height_are_counted_from_the_ground(lowest):
    lower, upper = [-math.inf] * 12, [math.inf] * 12
    lower[2], lower[4], upper[2] = lowest, -0.3, 0.4
    problem = problem_of(np.ones((3, 4), dtype=bool), settings=SHORT)
    problem.ground[:] = 0.1, 0.2, -0.1, 0.3
    stages = program(problem, SHORT.changed(lower=tuple(lower), upper=tuple(upper)))
    # Without a lower bound of its own the body still stays above the ground.
    np.testing.assert_allclose(stages.lower[:, 2], problem.ground + (0.0 if lowest == -math.inf else lowest))
    np.testing.assert_allclose(stages.upper[:, 2], problem.ground + 0.4)
    assert (stages.lower[:, 4] == -0.3).all()
    assert np.isinf(stages.lower[:, [0, 1, 3, 5]]).all()


def test_a_plan_that_failed_holds_the_pose_at_rest_with_the_weight_shared():
    problem = problem_of(np.array([[True, True, False, True]] * 3), resting() + 0.1, settings=SHORT)
    problem.start[3] = math.nan
    plan = fallback(problem, BODY, "no answer")
    assert (plan.status, plan.reason) == (NmpcStatus.FALLBACK, "no answer")
    np.testing.assert_allclose(plan.states, [[0.1, 0.1, HEIGHT + 0.1, 0.0, 0.1, 0.1, *[0.0] * 6]] * 4)
    share = BODY.mass * GRAVITY / 3.0
    np.testing.assert_allclose(plan.forces, [[[0, 0, share], [0, 0, share], [0, 0, 0], [0, 0, share]]] * 3)
