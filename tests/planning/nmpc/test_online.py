"""The online solver: forces worked out by hand, limits, failures with their reasons, and what a step promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bodies import (
    BODY,
    HEIGHT,
    HIPS,
    SETTINGS,
    SQUARE,
    problem_of,
    random_problem,
    resting,
    standing_contact,
    trot_contact,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.documents.settings import SettingsError
from andante.planning.nmpc import online
from andante.planning.nmpc.active_set import new_workspace
from andante.planning.nmpc.answer import fallback
from andante.planning.nmpc.checks import NmpcError
from andante.planning.nmpc.dense import condense, solve_condensed
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.online import OnlineNmpc, QpMethod
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, NmpcStatus, RigidBody
from andante.planning.nmpc.rollout import shifted
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

seeds = st.integers(0, 2**32 - 1)
METHODS = list(QpMethod)


def _online(
    body: RigidBody = SQUARE, chosen: NmpcSettings = SETTINGS, method: QpMethod = QpMethod.STAGES
) -> OnlineNmpc:
    return OnlineNmpc(chosen, body, method)


def _iterated(solver: OnlineNmpc, problem: NmpcProblem, times: int = 30) -> NmpcSolution:
    solution = solver.solve(problem)
    for _ in range(times):
        assert solution.solved, solution.reason
        solution = solver.solve(problem, solution)
    return solution


def _largest_violation(forces: Array, contact: np.ndarray, chosen: NmpcSettings, body: RigidBody) -> float:
    """By how much any force leaves its pyramid [N]; forces of feet that swing count whole."""
    weight = body.mass * GRAVITY
    room = chosen.friction * forces[..., 2]
    left = np.maximum.reduce(
        [
            np.abs(forces[..., 0]) - room,
            np.abs(forces[..., 1]) - room,
            chosen.least_force * weight - forces[..., 2],
            forces[..., 2] - chosen.largest_force * weight,
        ]
    )
    return float(np.where(contact, left, np.abs(forces).max(axis=-1)).max())


@pytest.mark.parametrize("method", METHODS)
def test_each_of_four_feet_of_a_standing_body_carries_a_quarter_of_the_weight(method: QpMethod) -> None:
    solution = _online(method=method).solve(problem_of(standing_contact()))
    assert solution.solved
    assert np.allclose(solution.forces[..., 2], 12.0 * GRAVITY / 4.0, atol=1e-5)
    assert np.allclose(solution.forces[..., :2], 0.0, atol=1e-5)
    assert np.allclose(solution.states, resting(), atol=1e-8)
    assert solution.cost == pytest.approx(0.0, abs=1e-9)


def test_two_feet_of_a_trot_in_place_carry_half_each_and_swinging_feet_nothing() -> None:
    contact = trot_contact()
    solution = _online().solve(problem_of(contact))
    # A diagonal pair below the body: no moment is needed for half the weight on each.
    assert np.allclose(solution.forces[contact][:, 2], 6.0 * GRAVITY, atol=1e-6)
    assert np.all(solution.forces[~contact] == 0.0)


@pytest.mark.parametrize("method", METHODS)
def test_without_contact_the_body_falls_freely(method: QpMethod) -> None:
    chosen = NmpcSettings(states=9)
    contact = np.zeros((8, 4), dtype=bool)
    start = resting()
    start[6:9] = 1.0, -0.5, 0.8
    start[10] = 2.0
    solution = _online(chosen=chosen, method=method).solve(problem_of(contact, start, settings=chosen))
    assert solution.solved
    assert np.all(solution.forces == 0.0)
    time = 0.03 * np.arange(9)
    assert np.allclose(solution.states[:, 2], HEIGHT + 0.8 * time - 0.5 * GRAVITY * time**2)
    assert np.allclose(solution.states[:, 0], time)
    assert np.allclose(solution.states[:, 4], 2.0 * time)


def test_a_flight_in_the_middle_is_prepared_and_landed() -> None:
    contact = standing_contact()
    contact[8:18] = False
    solution = _iterated(_online(), problem_of(contact))
    height = solution.states[:, 2]
    assert np.all(solution.forces[8:18] == 0.0)
    # In the air for 0.3 s: upward at take-off, downward at landing, 0.3 g between.
    assert solution.states[8, 8] > 0.5
    assert solution.states[18, 8] - solution.states[8, 8] == pytest.approx(-0.3 * GRAVITY)
    assert height.min() > 0.1


def test_a_push_to_the_side_is_met_up_to_the_friction_limit() -> None:
    chosen = NmpcSettings(friction=0.3)
    start = resting()
    start[7] = 0.6
    problem = problem_of(standing_contact(), start, settings=chosen)
    solution = _online(chosen=chosen).solve(problem)
    # Moving to the left: every foot that carries most pushes to the right as hard as friction lets it.
    first = solution.forces[0]
    assert np.any(first[:, 1] == -0.3 * first[:, 2])
    assert first[:, 1].sum() < -0.2 * 12.0 * GRAVITY
    assert _largest_violation(solution.forces, problem.contact, chosen, SQUARE) <= 1e-9


@pytest.mark.parametrize("turns", [0, 1, -2])
@pytest.mark.parametrize("yaw", [0.4, 3.1, 3.3, -3.5])
def test_a_turned_world_gets_turned_forces(yaw: float, turns: int) -> None:
    # Pyramids are along the world's axes: with much friction none is met, so that turning turns everything.
    chosen = NmpcSettings(friction=10.0)
    start = resting()
    start[3], start[6], start[7], start[11] = 0.05, 0.3, 0.05, 0.5
    solver = _online(chosen=chosen)
    plain = solver.solve(problem_of(trot_contact(), start, 0.4))
    turned = solver.solve(problem_of(trot_contact(), start, 0.4, yaw=yaw + 2.0 * np.pi * turns))
    c, s = np.cos(yaw), np.sin(yaw)
    matrix = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    forces = plain.forces @ matrix.T
    assert np.allclose(turned.forces[0], forces[0], atol=0.02)
    assert np.allclose(turned.states[:, 5] - plain.states[:, 5], yaw + 2.0 * np.pi * turns, atol=1e-3)


def test_a_roof_is_a_soft_bound() -> None:
    upper = [np.inf] * 12
    upper[2] = HEIGHT - 0.04
    # 4 cm in the horizon, at a price that is worth it.
    chosen = NmpcSettings(upper=tuple(upper), slack_weight=1e5)
    solution = _online(chosen=chosen).solve(problem_of(standing_contact(), resting(), settings=chosen))
    assert solution.solved
    assert solution.states[-1, 2] == pytest.approx(HEIGHT - 0.04, abs=1e-3)
    # The first states cannot be below the roof yet: that is paid for.
    assert solution.states[1, 2] > HEIGHT - 0.04
    assert solution.cost > 1e5 * 0.01


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_forces_stay_in_their_pyramids_and_states_follow_the_forces(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    solver = _online(BODY)
    solution = solver.solve(problem)
    if not solution.solved:
        assert solution.reason
        return
    assert _largest_violation(solution.forces, problem.contact, SETTINGS, BODY) <= 1e-9
    assert np.array_equal(solution.states[0], problem.start)
    for k in range(SETTINGS.states - 1):
        after = next_state(BODY, solution.states[k], solution.forces[k], problem.feet[k], problem.durations[k])
        assert np.allclose(after, solution.states[k + 1], atol=1e-12)


def test_the_same_problem_has_the_same_bytes_whatever_was_solved_before() -> None:
    problem = random_problem(np.random.default_rng(5))
    fresh = _online(BODY)
    guess = fresh.solve(problem)
    answer = fresh.solve(problem, guess)
    used = _online(BODY)
    for seed in range(3):
        used.solve(random_problem(np.random.default_rng(seed), wild=2.0))
    other_guess = used.solve(problem)
    other = used.solve(problem, other_guess)
    assert guess.states.tobytes() == other_guess.states.tobytes()
    assert answer.forces.tobytes() == other.forces.tobytes()
    assert answer.cost == other.cost
    assert answer.iterations == other.iterations


def test_solving_again_from_the_solution_lowers_the_cost_until_it_stays() -> None:
    start = resting()
    start[3], start[7], start[9] = 0.05, 0.1, 0.3
    solver = _online(BODY)
    problem = problem_of(trot_contact(), start, 0.5)
    first = solver.solve(problem)
    last = _iterated(solver, problem)
    again = solver.solve(problem, last)
    assert last.cost <= first.cost
    assert again.cost == pytest.approx(last.cost, rel=1e-9)
    assert np.allclose(again.forces, last.forces, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_shifted_solution_is_a_guess_for_the_next_grid_point(method: QpMethod) -> None:
    solver = _online(BODY, method=method)
    solution = solver.solve(problem_of(trot_contact(), speed=0.5))
    moved = shifted(solution, 2)
    assert np.array_equal(moved.states[0], solution.states[2])
    assert np.array_equal(moved.states[-3:], solution.states[[-1, -1, -1]])
    assert np.array_equal(moved.forces[:2], solution.forces[2:4])
    assert shifted(solution, 0) is solution
    assert np.array_equal(shifted(solution, 99).forces[0], solution.forces[-1])
    # Contacts have moved on too; feet that newly stand get a share.
    answer = solver.solve(problem_of(trot_contact(begin=2), solution.states[2], 0.5), moved)
    assert answer.solved
    assert _largest_violation(answer.forces, trot_contact(begin=2), SETTINGS, BODY) <= 1e-9


def _with(problem: NmpcProblem, name: str, place: tuple[int, ...], value: float) -> NmpcProblem:
    array = getattr(problem, name).copy()
    array[place] = value
    return replace(problem, **{name: array})


@pytest.mark.parametrize(
    ("name", "place", "value", "status", "reason"),
    [
        ("start", (8,), np.nan, NmpcStatus.NOT_FINITE, "start: vz is nan"),
        ("start", (4,), np.inf, NmpcStatus.NOT_FINITE, "start: pitch is inf"),
        ("reference", (3, 5), np.nan, NmpcStatus.NOT_FINITE, "reference, state 3: yaw is nan"),
        ("durations", (7,), np.nan, NmpcStatus.NOT_FINITE, "interval 7: the duration is nan"),
        ("feet", (2, 3, 1), np.nan, NmpcStatus.NOT_FINITE, "interval 2, foot HR: stands at (0.19, nan, 0) m"),
        ("ground", (4,), np.nan, NmpcStatus.NOT_FINITE, "state 4: the height of the ground is nan"),
        ("ground", (4,), np.inf, NmpcStatus.NOT_FINITE, "state 4: the height of the ground is inf"),
        (
            "durations", (0,), 0.0, NmpcStatus.INFEASIBLE,
            "interval 0: the duration is 0 s, it must be above zero",
        ),
        (
            "start", (4,), 1.5, NmpcStatus.INFEASIBLE,
            "start: pitch is 1.500 rad, beyond 1.4, where rates of roll and yaw blow up",
        ),
        ("reference", (9, 4), -1.45, NmpcStatus.INFEASIBLE, "reference, state 9: pitch is -1.450 rad, beyond 1.4"),
        ("ground", (0,), 0.5, NmpcStatus.INFEASIBLE, "start: height 0.290 m is below the ground, 0.500 m"),
    ],
)  # fmt: skip
def test_a_problem_that_cannot_be_is_refused_by_name(
    name: str, place: tuple[int, ...], value: float, status: NmpcStatus, reason: str
) -> None:
    problem = problem_of(standing_contact())
    problem.feet[:] = HIPS + 0.0
    problem.feet[2, 3] = 0.19, 0.14, 0.0
    solution = _online().solve(_with(problem, name, place, value))
    assert solution.status is status
    assert solution.reason == reason
    assert not solution.solved
    # Nothing that could be followed by mistake.
    assert np.isnan(solution.states).all()
    assert np.isnan(solution.forces).all()


def test_too_many_changes_end_a_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    # A roof that is left needs the dual method, which may change nothing here.
    monkeypatch.setattr(online, "_CHANGES", 0)
    upper = [np.inf] * 12
    upper[2] = HEIGHT - 0.04
    chosen = NmpcSettings(upper=tuple(upper))
    solution = _online(chosen=chosen).solve(problem_of(standing_contact(), settings=chosen))
    assert solution.status is NmpcStatus.LIMIT
    assert solution.reason == "no answer of the quadratic program within 0 changes of its active rows"
    assert np.isnan(solution.states).all()


def test_feet_that_swing_may_be_anywhere() -> None:
    contact = trot_contact()
    problem = problem_of(contact)
    problem.feet[~contact] = np.nan
    assert _online().solve(problem).solved


def test_a_fall_that_no_foot_can_stop_is_told_before_solving() -> None:
    contact = standing_contact()
    contact[:12] = False
    solution = _online().solve(problem_of(contact))
    # 0.29 - 9.81 t^2 / 2 is below -0.01 from t = 0.2473 s on: state 9 at 0.27 s, 0.29 - 0.3576 = -0.0676 m.
    assert solution.status is NmpcStatus.INFEASIBLE
    assert solution.reason == (
        "no foot stands in intervals 0 to 11: in free fall the body is 0.068 m below the ground at state 9"
    )


def test_a_flight_that_is_too_long_is_told_with_its_intervals() -> None:
    contact = standing_contact()
    contact[1:25] = False
    problem = problem_of(contact)
    falling = problem.start.copy()
    falling[8] = -3.0
    solution = _online().solve(replace(problem, start=falling))
    assert solution.status is NmpcStatus.INFEASIBLE
    assert "below the ground; no foot stands in intervals 1 to 24" in solution.reason


def test_how_a_plan_ends_that_is_carried_out_before_a_newer_one_comes_does_not_matter() -> None:
    contact = standing_contact()
    contact[2:25] = False
    solution = _online().solve(problem_of(contact))
    assert solution.status is NmpcStatus.SOLVED
    assert solution.states[-1, 2] < 0.0


def test_shapes_are_errors_of_the_caller() -> None:
    problem = problem_of(standing_contact())
    with pytest.raises(NmpcError, match=r"contact: the array has another shape; got \(24, 4\); limit: shape \(25, 4\)"):
        _online().solve(replace(problem, contact=problem.contact[1:]))


def test_contacts_are_flags_and_guesses_of_the_same_horizon() -> None:
    problem = problem_of(standing_contact())
    with pytest.raises(NmpcError, match="contact: contacts are flags; got 'int64'; limit: bool"):
        _online().solve(replace(problem, contact=problem.contact.astype(int)))
    other = NmpcSettings(states=9)
    guess = _online(chosen=other).solve(problem_of(standing_contact(other), settings=other))
    with pytest.raises(NmpcError, match=r"guess: the guess has another horizon; got \(9, 12\)"):
        _online().solve(problem, guess)


numbers = st.one_of(st.floats(), st.floats(-10.0, 10.0))


@pytest.mark.slow
@given(seeds, st.sampled_from(["start", "reference", "durations", "feet", "ground"]), numbers, st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_no_number_breaks_a_solve(seed: int, name: str, value: float, where: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    array = getattr(problem, name)
    array.flat[where % array.size] = value
    solver = _online(BODY)
    guess = solver.solve(random_problem(np.random.default_rng(seed)))
    for begin in (None, guess):
        with np.errstate(all="ignore"):
            solution = solver.solve(problem, begin)
        if solution.solved:
            assert np.isfinite(solution.states).all()
            assert _largest_violation(solution.forces, problem.contact, SETTINGS, BODY) <= 1e-9
        else:
            assert solution.reason
            assert np.isnan(solution.forces).all()


@pytest.mark.parametrize(
    "chosen",
    [
        NmpcSettings(states=3),
        pytest.param(NmpcSettings(states=100), marks=pytest.mark.slow),
        NmpcSettings(friction=1e-9),
        NmpcSettings(least_force=0.0),
        NmpcSettings(least_force=0.25, largest_force=0.25),
        NmpcSettings(weights=(0.0,) * 12),
        NmpcSettings(step=1e-4),
        NmpcSettings(growth=1e-3, share_weight=2e5),
    ],
    ids=["short", "long", "ice", "tips", "fixed", "no weights", "quick", "shrinking"],
)
def test_settings_at_their_ends(chosen: NmpcSettings) -> None:
    solver = _online(BODY, chosen)
    start = resting()
    start[7], start[9] = 0.2, 0.3
    for contact in (standing_contact(chosen), trot_contact(chosen)):
        problem = problem_of(contact, start, 0.2, chosen)
        problem.durations[0] *= 1e-3
        solution = solver.solve(problem)
        if solution.solved:
            assert _largest_violation(solution.forces, contact, chosen, BODY) <= 1e-9
        else:
            # Without friction, or over three seconds, a body that moves sideways tips over.
            assert "planned" in solution.reason
        # Where faces are held with a multiplier of zero, the two methods may name others, but not at another cost.
        stages = solver.program(problem)
        dense = condense(stages)
        states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
        hold = np.zeros(contact.shape, dtype=np.int64)
        assert solve_stages(stages, new_workspace(len(contact)), hold, 2000, states, forces) >= 0
        own = forces[stages.used]
        other, iterations = solve_condensed(dense, 5000)
        assert iterations >= 0
        assert dense.cost(own) <= dense.cost(other) + 1e-6 * abs(dense.cost(other)) + 1e-9


@pytest.mark.parametrize(
    ("mass", "inertia", "message"),
    [
        (0.0, np.eye(3), "mass: the mass must be above zero; got 0.0"),
        (np.nan, np.eye(3), "mass: the mass must be above zero; got nan"),
        (1.0, np.eye(2), r"inertia: the inertia is a matrix; got \(2, 2\)"),
        (1.0, np.diag([1.0, 1.0, 0.0]), "inertia: moments of inertia must be above zero"),
        (1.0, np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1.0]]), "inertia: the inertia must be finite and symmetric"),
    ],
)
def test_a_body_that_cannot_be_is_refused(mass: float, inertia: Array, message: str) -> None:
    with pytest.raises(NmpcError, match=message):
        OnlineNmpc(SETTINGS, RigidBody(mass, inertia))


def test_bounds_that_contradict_each_other_are_refused_as_settings() -> None:
    with pytest.raises(SettingsError, match=r"least_force 2 is above largest_force 1\.5"):
        NmpcSettings(least_force=2.0)
    lower = [-np.inf] * 12
    lower[4] = 1.0
    upper = [np.inf] * 12
    upper[4] = 0.5
    with pytest.raises(SettingsError, match=r"bounds of state variable 4 contradict each other: 1 to 0\.5"):
        NmpcSettings(lower=tuple(lower), upper=tuple(upper))


def test_an_unsolved_guess_is_not_used() -> None:
    problem = problem_of(trot_contact(), speed=0.5)
    solver = _online()
    failed = solver.solve(_with(problem, "start", (0,), np.nan))
    assert solver.solve(problem, failed).forces.tobytes() == solver.solve(problem).forces.tobytes()


def test_the_fallback_shares_the_weight_and_holds_the_pose() -> None:
    contact = trot_contact()
    contact[20:] = False
    problem = _with(problem_of(contact, speed=0.5), "start", (2,), np.nan)
    answer = fallback(problem, SQUARE, "why")
    assert answer.status is NmpcStatus.FALLBACK
    assert not answer.solved
    assert answer.reason == "why"
    assert np.allclose(answer.forces[contact], (0.0, 0.0, 6.0 * GRAVITY))
    assert np.all(answer.forces[~contact] == 0.0)
    assert np.allclose(answer.states, resting())
    assert _largest_violation(answer.forces, contact, SETTINGS, SQUARE) <= 0.0


@pytest.mark.parametrize(
    ("name", "place", "value", "reason"),
    [
        ("start", (0,), 1e6, "start: x is 1e+06, beyond 100000"),
        ("start", (8,), 1e300, "start: vz is 1e+300, beyond 100"),
        ("start", (5,), 100.0, "reference, state 0: yaw is "),
        ("reference", (5, 5), -100.0, "reference, state 5: yaw is -100.000 rad, "),
        ("reference", (3, 11), 1e4, "reference, state 3: wz is 10000, beyond 100"),
        ("feet", (0, 0, 1), 50.0, "interval 0, foot FL: stands "),
        ("durations", (4,), 1e3, "interval 4: the duration is 1000 s, beyond 10 s"),
        ("ground", (2,), 1e300, "state 2: the height of the ground is 1e+300 m, beyond 100000 m"),
    ],
)
def test_finite_numbers_of_no_robot_are_named_with_place_and_limit(
    name: str, place: tuple[int, ...], value: float, reason: str
) -> None:
    problem = random_problem(np.random.default_rng(4))
    problem.contact[0, 0] = True
    solution = OnlineNmpc(SETTINGS, BODY).solve(_with(problem, name, place, value))
    assert solution.status is NmpcStatus.INFEASIBLE
    assert solution.reason.startswith(reason)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 11), st.sampled_from([-1.0, 1.0]), st.floats(0.0, 12.0), st.integers(0, 1000))
def test_no_finite_problem_is_called_one_without_numbers(axis: int, sign: float, power: float, seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed))
    start = problem.start.copy()
    start[axis] += sign * 10.0 ** (power - 2.0)
    solution = OnlineNmpc(SETTINGS, BODY).solve(replace(problem, start=start))
    assert "nan" not in solution.reason
    assert "contradict" not in solution.reason
