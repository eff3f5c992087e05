"""Choices of feet that are held at faces, the Riccati pass over them, and how faces change: each against arrays."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from bodies import BODY, HEIGHT, random_problem

from andante.kernels import entry
from andante.planning.nmpc import active_set, inputs, primal_dual, riccati
from andante.planning.nmpc.active_set import dual_solve, new_workspace
from andante.planning.nmpc.dense import condense
from andante.planning.nmpc.inputs import new_inputs
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.qp import QpBuilder
from andante.planning.nmpc.riccati import Loads, new_factors
from andante.planning.nmpc.settings import NmpcSettings

SHORT = NmpcSettings(states=4)
AXES = (0, 1, 2), (0, 4, 8), (0, 16, 32)
"""Faces of an axis: none, one side or the other, fx, fy and fz."""
HELD = [sum(each) for each in product(*AXES)]
solve_dual = entry(dual_solve.py_func)


@pytest.fixture
def plain(monkeypatch):
    """Kernels as Python, so that none is compiled for its test alone."""
    for module in (active_set, inputs, primal_dual, riccati):
        for name, thing in list(vars(module).items()):
            if hasattr(thing, "py_func"):
                monkeypatch.setattr(module, name, thing.py_func)


def program(seed, chosen=SHORT, wild=3.0):
    builder = QpBuilder(chosen, BODY)
    problem = random_problem(np.random.default_rng(seed), chosen, wild)
    return builder.stages(problem, builder.origin(problem))


def faces_of(rng, stages):
    """Any faces that can be held at once, of feet that swing too."""
    return rng.choice(HELD, stages.slot.shape)


def forces_at(stages, hold, rng):
    """Forces (n, 12) that are at these faces and otherwise anything, and the choices that are left, (n, 12)."""
    forces, choices = np.zeros_like(stages.drift), np.zeros_like(stages.drift)
    for k in range(len(hold)):
        free = []
        for foot in range(4):
            slot = stages.slot[k, foot]
            if slot < 0:
                continue
            fx, fy, fz = rng.normal(0.0, 30.0, 3)
            faces = int(hold[k, foot])
            fz = stages.least if faces & 16 else stages.largest if faces & 32 else fz
            sides = [{0: None, 1: 1.0, 2: -1.0}[faces >> shift & 3] for shift in (0, 2)]
            fx, fy = (
                force if side is None else side * stages.friction * fz
                for force, side in zip((fx, fy), sides, strict=True)
            )
            forces[k, 3 * slot : 3 * slot + 3] = fx, fy, fz
            free += [force for force, side in zip((fx, fy), sides, strict=True) if side is None]
            free += [] if faces & 48 else [fz]
        choices[k, : len(free)] = free
    return forces, choices


def cost_of_forces(stages, k, forces):
    rest = forces[k, : stages.inputs[k]].copy()
    rest[2::3] -= stages.share[k]
    return 0.5 * stages.force_weight[k] * float(rest @ rest)


def cost_of_choices(made, k, choices):
    y = choices[k, : made.choices[k]]
    return 0.5 * float(made.weight[k, : len(y)] @ y**2) - float(made.pull[k, : len(y)] @ y)


@pytest.mark.usefixtures("plain")
def test_choices_are_what_faces_leave_of_the_forces_with_the_same_motion_and_the_same_cost():
    sizes = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        stages = program(seed)
        hold = faces_of(rng, stages)
        made = new_inputs(len(hold))
        made.effect[:] = np.nan
        inputs.restrict(stages, hold, made)
        forces, choices = forces_at(stages, hold, rng)
        others, other_choices = forces_at(stages, hold, rng)
        for k, count in enumerate(made.choices.tolist()):
            sizes.add(count)
            used = stages.inputs[k]
            after = stages.effect[k, :, :used] @ forces[k, :used] + stages.drift[k]
            np.testing.assert_allclose(made.effect[k, :, :count] @ choices[k, :count] + made.drift[k], after, atol=1e-9)
            assert (made.effect[k, :, count:] == 0.0).all()
            # Both costs differ by a constant.
            rise = cost_of_forces(stages, k, forces) - cost_of_forces(stages, k, others)
            own = cost_of_choices(made, k, choices) - cost_of_choices(made, k, other_choices)
            assert rise == pytest.approx(own, abs=1e-9)
        # And back: a table of two columns, the second of twice the choices.
        table = np.full((*forces.shape, 2), np.nan)
        inputs.expand(stages, hold, np.stack([choices, 2.0 * choices], axis=2), table, 1.0)
        np.testing.assert_allclose(table[:, :, 0], np.where(stages.used, forces, 0.0), atol=1e-12)
        change = np.full((*forces.shape, 1), np.nan)
        inputs.expand(stages, hold, choices[:, :, None], change, 0.0)
        # What is fixed does not change with the choices.
        np.testing.assert_allclose(change[:, :, 0], table[:, :, 1] - table[:, :, 0], atol=1e-9)
    assert len(sizes) > 4


def recursion(stages, made, k_count):
    """The textbook's recursion: P, K, r I + B^T P B, for the choices in use."""
    value, gains, matrices, values = np.diag(stages.weight[k_count]), [], [], []
    values.append(value)
    for k in reversed(range(k_count)):
        used = made.choices[k]
        a, b = stages.transition[k], made.effect[k][:, :used]
        matrix = np.diag(made.weight[k, :used]) + b.T @ value @ b
        gain = np.linalg.solve(matrix, b.T @ value @ a)
        value = np.diag(stages.weight[k]) + a.T @ value @ (a - b @ gain)
        gains.insert(0, gain)
        matrices.insert(0, matrix)
        values.insert(0, value)
    return values, gains, matrices


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", range(3))
def test_factors_are_those_of_the_textbooks_recursion(seed):
    rng = np.random.default_rng(seed)
    stages = program(seed)
    stages.weight[0] = rng.uniform(0.0, 2.0, 12)
    made, factors, count = new_inputs(3), new_factors(3), 3
    for room in factors:
        room[:] = np.nan
    inputs.restrict(stages, faces_of(rng, stages), made)
    riccati.factorise(stages, made, factors)
    values, gains, matrices = recursion(stages, made, count)
    for k in range(count + 1):
        np.testing.assert_allclose(factors.value[k], values[k], rtol=1e-8, atol=1e-8)
    for k in range(count):
        used = made.choices[k]
        a, b = stages.transition[k], made.effect[k][:, :used]
        lower = np.tril(factors.triangle[k, :used, :used])
        # The diagonal holds the inverses.
        lower[np.diag_indices(used)] = 1.0 / np.diag(lower)
        np.testing.assert_allclose(lower @ lower.T, matrices[k], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(factors.gain[k, :used], gains[k], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(factors.answer[k, :used], np.linalg.solve(matrices[k], b.T), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(factors.closed[k], a - b @ gains[k], rtol=1e-7, atol=1e-8)
        np.testing.assert_array_equal(factors.closed_back[k], factors.closed[k].T)
        np.testing.assert_array_equal(factors.effect_back[k, :used], b.T)
        right = rng.normal(size=12)
        x = right.copy()
        riccati.solve_triangle(factors.triangle[k], used, x)
        np.testing.assert_allclose(x[:used], np.linalg.solve(matrices[k], right[:used]), rtol=1e-8)
        np.testing.assert_array_equal(x[used:], right[used:])


def rolled(stages, made, start, choices, drift):
    states = [start]
    for k in range(len(choices)):
        ahead = stages.transition[k] @ states[k] + made.effect[k] @ choices[k]
        states.append(ahead + made.drift[k] if drift else ahead)
    return np.array(states)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", range(3))
def test_the_best_choices_and_their_answer_to_a_load_are_those_of_all_choices_at_once(seed):
    rng = np.random.default_rng(seed)
    stages = program(seed)
    made, factors, count = new_inputs(3), new_factors(3), 3
    inputs.restrict(stages, faces_of(rng, stages), made)
    riccati.factorise(stages, made, factors)
    used = np.arange(12) < made.choices[:, None]
    # The whole program by columns: states and cost of each choice alone.
    free = rolled(stages, made, stages.start, np.zeros((count, 12)), True)
    moves = []
    for place in np.argwhere(used):
        one = np.zeros((count, 12))
        one[tuple(place)] = 1.0
        moves.append(rolled(stages, made, np.zeros(12), one, False))
    moves = np.stack(moves, axis=-1)
    hessian = np.einsum("kic,ki,kid->cd", moves[1:], stages.weight[1:], moves[1:]) + np.diag(made.weight[used])
    slope = np.einsum("kic,ki->c", moves[1:], stages.weight[1:] * (free - stages.reference)[1:]) - made.pull[used]
    load = Loads(rng.normal(0.0, 3.0, (count + 1, 12)), np.where(used, rng.normal(0.0, 0.1, (count, 12)), 0.0))
    states, choices = np.full((count + 1, 12), np.nan), np.full((count, 12), np.nan)
    riccati.best(stages, made, factors, load, states, choices)
    wanted = -np.linalg.solve(hessian, slope + np.einsum("kic,ki->c", moves[1:], load.states[1:]) + load.choices[used])
    np.testing.assert_allclose(choices[used], wanted, rtol=1e-6, atol=1e-6)
    assert (choices[~used] == 0.0).all()
    np.testing.assert_allclose(states, free + moves @ wanted, atol=1e-8)
    for of_state, interval in product((True, False), range(count)):
        term = rng.normal(0.0, 1.0, 12)
        if not of_state:
            term[made.choices[interval] :] = 0.0
            # One that is nothing, as most of a row are.
            term[0] = 0.0
        states, choices = np.full((count + 1, 12), np.nan), np.full((count, 12), np.nan)
        riccati.response(made, factors, interval, term, of_state, states, choices)
        one = np.zeros((count, 12))
        one[interval] = 0.0 if of_state else term
        rise = one[used] + (np.einsum("ic,i->c", moves[interval + 1], term) if of_state else 0.0)
        wanted = -np.linalg.solve(hessian, rise)
        np.testing.assert_allclose(choices[used], wanted, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(states, moves @ wanted, atol=1e-8)


@pytest.mark.usefixtures("plain")
def test_of_both_faces_of_an_axis_none_is_held():
    hold = np.arange(64).reshape(16, 4)
    before = hold.copy()
    primal_dual._tidy(hold)
    for old, new in zip(before.ravel().tolist(), hold.ravel().tolist(), strict=True):
        kept = [old >> shift & 3 for shift in (0, 2, 4)]
        assert new == sum((0 if both == 3 else both) << shift for both, shift in zip(kept, (0, 2, 4), strict=True))


def changed(stages, hold, states, forces):
    """The rule of Hintermueller, Ito and Kunisch on slopes of the dense form."""
    dense = condense(stages)
    slope = np.zeros_like(forces)
    slope[stages.used] = dense.hessian @ forces[stages.used] + dense.gradient
    after, near = np.zeros_like(hold), 1e-8
    for k, foot in zip(*np.nonzero(stages.slot >= 0), strict=True):
        faces, first = int(hold[k, foot]), 3 * stages.slot[k, foot]
        (fx, fy, fz), pull = forces[k, first : first + 3], slope[k, first : first + 3]
        room = stages.friction * np.clip(fz, stages.least, stages.largest) + near
        pressed = 0.0
        for axis, force in enumerate((fx, fy)):
            sides = faces >> 2 * axis & 3
            if sides:
                multiplier = -pull[axis] if sides == 1 else pull[axis]
                pressed += multiplier
                stays = multiplier >= -1e-10
                after[k, foot] |= (sides if stays else 0) << 2 * axis
            else:
                after[k, foot] |= (1 if force > room else 2 if -force > room else 0) << 2 * axis
        upward = pull[2] - stages.friction * pressed
        if faces & 48:
            stays = upward >= -1e-10 if faces & 16 else -upward >= -1e-10
            after[k, foot] |= (faces & 48) * bool(stays)
        else:
            after[k, foot] |= 16 if fz < stages.least - near else 32 if fz > stages.largest + near else 0
    return after


@pytest.mark.usefixtures("plain")
def test_faces_that_pull_are_let_go_and_those_that_are_left_hold():
    seen = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        stages = program(seed)
        hold = faces_of(rng, stages)
        forces, _ = forces_at(stages, hold, rng)
        forces *= rng.choice([0.05, 1.0])
        forces = np.where(stages.used, forces, 0.0)
        # States are those of the forces, so that prices are slopes.
        x, states = stages.start, [stages.start]
        for k, used in enumerate(stages.inputs):
            x = stages.transition[k] @ x + stages.effect[k, :, :used] @ forces[k, :used] + stages.drift[k]
            states.append(x)
        states, wanted = np.array(states), changed(stages, hold, np.array(states), forces)
        before = hold.copy()
        count = primal_dual._change(stages, hold, states, forces)
        np.testing.assert_array_equal(hold, wanted)
        standing = stages.slot >= 0
        assert count == int((before != wanted)[standing].sum())
        seen |= {(int(a) & 48, int(b) & 48) for a, b in zip(before[standing], wanted[standing], strict=True)}
    assert len(seen) >= 6


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("by", "free"), [(0.7, True), (1.4, False)])
def test_a_force_holds_where_it_leaves_a_face_by_ten_nanonewtons(by, free):
    stages = program(4)
    k, foot = (int(each[0]) for each in np.nonzero(stages.slot >= 0))
    first, beyond = 3 * stages.slot[k, foot], by * 1e-8
    middle = 0.5 * (stages.least + stages.largest)
    room = stages.friction * middle
    for axis, force, face in (
        *((0, room + beyond, 1), (0, -room - beyond, 2), (1, room + beyond, 4), (1, -room - beyond, 8)),
        *((2, stages.least - beyond, 16), (2, stages.largest + beyond, 32)),
    ):
        forces = np.zeros_like(stages.drift)
        forces[:, 2::3] = np.where(stages.used[:, 2::3], middle, 0.0)
        forces[k, first + axis] = force
        hold = np.zeros_like(stages.slot)
        primal_dual._change(stages, hold, np.zeros_like(stages.reference), forces)
        assert hold[k, foot] == (0 if free else face)


@pytest.mark.usefixtures("plain")
def test_a_soft_bound_is_left_by_more_than_a_tenth_of_a_nanometre():
    chosen = SHORT.changed(lower=(-1.0,) * 12, upper=(1.0,) * 11 + (math.inf,))
    stages = program(3, chosen)
    stages = stages._replace(lower=np.full_like(stages.lower, -1.0), upper=np.full_like(stages.upper, 1.0))
    states = np.zeros_like(stages.reference)
    assert not primal_dual._soft_left(stages, states)
    for k, each, side in product((1, 3), (0, 11), (-1.0, 1.0)):
        for by, left in ((0.7, False), (1.4, True)):
            states[:] = 0.0
            states[k, each] = side * (1.0 + by * 1e-10)
            assert primal_dual._soft_left(stages, states) == left
    # What is not planned, the start, is left by nobody, and what is not bounded anywhere neither.
    states[:] = 0.0
    states[0] = 5.0
    assert not primal_dual._soft_left(stages, states)
    states[2, 4] = 5.0
    free = stages._replace(bounded=np.arange(12) != 4)
    assert primal_dual._soft_left(stages, states)
    assert not primal_dual._soft_left(free, states)


def solve(method, stages, hold=None, limit=500):
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    hold = np.zeros_like(stages.slot) if hold is None else hold.copy()
    work = new_workspace(len(stages.inputs))
    return method(stages, work, hold, limit, states, forces), forces, hold, work


def test_the_dual_method_goes_on_from_the_faces_of_the_last_round_and_both_are_counted():
    roof = SHORT.changed(upper=tuple(HEIGHT - 0.05 if k == 2 else math.inf for k in range(12)))
    more = 0
    for seed in range(4):
        stages = program(seed, roof)
        # Without soft rows: the rounds, and the faces that they end with.
        rounds, _, hold, _ = solve(solve_stages, stages._replace(bounded=np.zeros(12, dtype=bool)))
        changes = solve(solve_dual, stages, hold)[0]
        both, forces, held, work = solve(solve_stages, stages)
        assert both == rounds + changes
        more += changes
        if changes > 1:
            assert solve(solve_stages, stages, limit=changes)[0] == both
            assert solve(solve_stages, stages, limit=changes - 1)[0] == -1
        # What it says is held is, and the feedback keeps it so: its columns lie in the faces.
        for k, foot in zip(*np.nonzero(stages.slot >= 0), strict=True):
            first = 3 * stages.slot[k, foot]
            gain, force = work.feedback[k, first : first + 3], forces[k, first : first + 3]
            for axis in (0, 1):
                side = {0: 0.0, 1: 1.0, 2: -1.0}[int(held[k, foot]) >> 2 * axis & 3]
                if side:
                    assert force[axis] == pytest.approx(side * stages.friction * force[2], abs=1e-7)
                    np.testing.assert_allclose(gain[axis], side * stages.friction * gain[2], atol=1e-9)
            if held[k, foot] & 48:
                assert (gain[2] == 0.0).all()
    assert more > 3
