"""The parts of the dual active-set method, each against arrays: rows, multipliers, the factor of the rows that hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bodies import BODY, random_problem

from andante.kernels import entry
from andante.planning.nmpc import active_set, inputs, riccati
from andante.planning.nmpc.active_set import ACTIVE, SATURATED, dual_solve, new_workspace
from andante.planning.nmpc.dense import condense, solve_condensed
from andante.planning.nmpc.primal_dual import solve_stages
from andante.planning.nmpc.qp import STATE_NAMES, QpBuilder, row_of
from andante.planning.nmpc.settings import NmpcSettings

BOUNDED = NmpcSettings(states=4, lower=(-0.02,) * 12, upper=(math.inf, 0.03) * 6, slack_weight=20.0)
solve_dual = entry(dual_solve.py_func)


@pytest.fixture
def plain(monkeypatch):
    """Kernels as Python, so that none is compiled for its test alone."""
    for module in (active_set, inputs, riccati):
        for name, thing in list(vars(module).items()):
            if hasattr(thing, "py_func"):
                monkeypatch.setattr(module, name, thing.py_func)


def asked(stages, number, states, forces):
    """A row times states and forces, its bound, its largest multiplier."""
    return (
        active_set._product(stages, number, states, forces),
        active_set._bound(stages, number),
        active_set._largest_multiplier(stages, number),
    )


def program(seed, chosen=BOUNDED, wild=3.0):
    builder = QpBuilder(chosen, BODY)
    problem = random_problem(np.random.default_rng(seed), chosen, wild)
    return builder.stages(problem, builder.origin(problem))


def trajectory(stages, rng):
    """States and forces that have nothing to do with each other."""
    forces = np.where(stages.used, rng.normal(0.0, 40.0, stages.drift.shape), 0.0)
    return rng.normal(0.0, 0.1, stages.reference.shape), forces


def left_by(stages, number, states, forces):
    """By how much a row is left, by its name."""
    row = row_of(number, len(stages.inputs))
    if row.soft:
        each = STATE_NAMES.index(row.subject)
        value = states[row.interval + 1, each]
        lower, upper = (bounds[row.interval + 1, each] for bounds in (stages.lower, stages.upper))
        return lower - value if row.kind == "lower" else value - upper
    slot = stages.slot[row.interval, ("FL", "FR", "HL", "HR").index(row.subject)]
    fx, fy, fz = forces[row.interval, 3 * slot : 3 * slot + 3]
    sides = {"forward": fx, "backward": -fx, "left": fy, "right": -fy}
    if row.kind in sides:
        return sides[row.kind] - stages.friction * fz
    return stages.least - fz if row.kind == "least" else fz - stages.largest


def started(stages):
    work, rows = new_workspace(len(stages.inputs)), stages.row_numbers()
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    active_set.restrict(stages, work.nothing, work.inputs)
    active_set.factorise(stages, work.inputs, work.factors)
    active_set._primal(stages, work, 0, states, forces)
    return work, rows, states, forces


def gram(stages, numbers):
    """A H^-1 A^T of some rows, from the dense form."""
    dense = condense(stages)
    matrix = dense.matrix[np.searchsorted(dense.number, numbers)]
    return matrix @ np.linalg.solve(dense.hessian, matrix.T)


@pytest.mark.usefixtures("plain")
def test_a_row_says_by_how_much_its_bound_is_left_and_what_that_may_cost():
    rng = np.random.default_rng(1)
    for seed in range(3):
        stages = program(seed)
        states, forces = trajectory(stages, rng)
        work = new_workspace(len(stages.inputs))
        for number in stages.row_numbers().tolist():
            product, bound, most = asked(stages, number, states, forces)
            row = row_of(number, len(stages.inputs))
            assert product - bound == pytest.approx(left_by(stages, number, states, forces), abs=1e-9), row
            assert most == (stages.slack[row.interval] if row.soft else math.inf)
            # Loads are the row itself, times a factor.
            work.loads.states[:], work.loads.choices[:] = 0.0, 0.0
            active_set._load(stages, work.loads, number, 2.5)
            whole = float((work.loads.states * states).sum() + (work.loads.choices * forces).sum())
            assert whole == pytest.approx(2.5 * product, rel=1e-12, abs=1e-12), row


@pytest.mark.usefixtures("plain")
def test_the_row_that_is_left_most_in_units_of_what_may_be_left_is_found():
    found = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        stages = program(seed)
        states, forces = trajectory(stages, rng)
        if seed % 3 == 0:
            # Forces deep in their pyramids, so that a state is left most.
            forces[:, 2::3] = 60.0
            forces[:, 0::3] = forces[:, 1::3] = 0.0
        if seed % 3 == 1:
            states[:] = np.clip(states, -0.02, 0.03)
            states[:, 2] = np.maximum(states[:, 2], 0.0)
        code = np.zeros(48 * len(stages.inputs), dtype=np.int64)
        numbers = stages.row_numbers()
        code[numbers] = rng.choice([0, ACTIVE, SATURATED], len(numbers), p=[0.4, 0.4, 0.2])
        # Rows of forces are never left at a price.
        code[: 24 * len(stages.inputs)][code[: 24 * len(stages.inputs)] == SATURATED] = ACTIVE
        left = {}
        for number in numbers.tolist():
            soft = number >= 24 * len(stages.inputs)
            by = left_by(stages, number, states, forces) / (1e-10 if soft else 1e-8)
            if code[number] != ACTIVE:
                left[number] = -by if code[number] == SATURATED else by
        worst = max(left, key=left.__getitem__)
        assert active_set._most_left(stages, code, states, forces) == (worst if left[worst] > 1.0 else -1)
        found.add((worst >= 24 * len(stages.inputs), int(code[worst])))
    assert found == {(False, 0), (True, 0), (True, SATURATED)}


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("by", "found"), [(0.7, False), (1.4, True)])
def test_what_may_be_left_is_ten_nanonewtons_and_a_tenth_of_a_nanometre(by, found):
    stages = program(4)
    stages = stages._replace(lower=np.full_like(stages.lower, -1.0), upper=np.full_like(stages.upper, 1.0))
    states, forces = np.zeros_like(stages.reference), np.zeros_like(stages.drift)
    forces[:, 2::3] = np.where(stages.used[:, 2::3], 60.0, 0.0)
    code = np.zeros(48 * len(stages.inputs), dtype=np.int64)
    assert active_set._most_left(stages, code, states, forces) == -1
    foot = int(np.flatnonzero(stages.slot[1] >= 0)[0])
    forces[1, 3 * stages.slot[1, foot] + 1] = -(stages.friction * 60.0 + by * 1e-8)
    assert active_set._most_left(stages, code, states, forces) == (24 + 6 * foot + 3 if found else -1)
    forces[1, 3 * stages.slot[1, foot] + 1] = 0.0
    states[3, 5] = -1.0 - by * 1e-10
    assert active_set._most_left(stages, code, states, forces) == (24 * (3 + 2) + 10 if found else -1)


@pytest.mark.usefixtures("plain")
def test_products_of_first_parts_and_both_triangles_are_numpys():
    rng = np.random.default_rng(2)
    for size in range(10):
        one, other = rng.normal(size=12), rng.normal(size=12)
        assert active_set._dot(one, other, size) == pytest.approx(float(one[:size] @ other[:size]), abs=1e-12)
        work = new_workspace(1)
        lower = np.tril(rng.normal(size=(size, size))) + 3.0 * np.eye(size)
        work.triangle[:size, :size] = lower
        right = np.zeros(12)
        right[:size] = rng.normal(size=size)
        x = right.copy()
        square = active_set._forth(work, size, x)
        np.testing.assert_allclose(x[:size], np.linalg.solve(lower, right[:size]), atol=1e-12)
        assert square == pytest.approx(float(x[:size] @ x[:size]), abs=1e-12)
        x = right.copy()
        active_set._back(work, size, x)
        np.testing.assert_allclose(x[:size], np.linalg.solve(lower.T, right[:size]), atol=1e-12)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("seed", range(3))
def test_the_factor_of_the_rows_that_hold_is_that_of_their_matrix_whoever_comes_and_goes(seed):
    rng = np.random.default_rng(seed)
    stages = program(seed)
    work, rows, _, _ = started(stages)
    cross, held, cost = np.empty(len(work.row)), 0, {}
    for number in rng.permutation(rows)[:14].tolist():
        cost[number] = active_set._respond(stages, work, number)
        assert cost[number] == pytest.approx(gram(stages, [number])[0, 0], rel=1e-8)
        before = held
        held = active_set._let_in(stages, work, held, number, cross)
        if held == before:
            # What is refused depends on those that hold.
            both = gram(stages, [*work.row[:held].tolist(), number])
            size = np.sqrt(np.diag(both))
            assert np.linalg.eigvalsh(both / np.outer(size, size))[0] < 1e-6
            assert work.code[number] == 0
            continue
        assert (work.row[before], work.code[number], work.multiplier[before]) == (number, ACTIVE, 0.0)
    assert held > 5
    for index, code in ((2, 0), (0, SATURATED), (-1, 0)):
        work.multiplier[:held] = np.arange(held) + 0.5
        names, index = work.row[:held].tolist(), index % held
        active_set._remove(work, held, index, code)
        held -= 1
        kept = [each for place, each in enumerate(names) if place != index]
        assert work.row[:held].tolist() == kept
        assert work.multiplier[:held].tolist() == [k + 0.5 for k in range(held + 1) if k != index]
        assert work.code[names[index]] == code
        assert all(work.code[each] == ACTIVE for each in kept)
        lower = np.tril(work.triangle[:held, :held])
        np.testing.assert_allclose(lower @ lower.T, gram(stages, kept), rtol=1e-7, atol=1e-12)


@pytest.mark.usefixtures("plain")
def test_a_row_that_is_made_active_is_kept_with_its_part_of_the_factor():
    work = new_workspace(2)
    active_set._append(work, 2, 17, 0.25, np.array([3.0, 4.0, 5.0]), 49.0)
    assert (work.row[2], work.code[17], work.multiplier[2]) == (17, ACTIVE, 0.25)
    assert work.triangle[2, :3].tolist() == [3.0, 4.0, 7.0]


@pytest.mark.usefixtures("plain")
def test_three_faces_that_determine_a_force_are_all_that_is_let_in_of_four():
    # Forward + backward is -2 friction fz, and so is a multiple of least: the last one says nothing new.
    stages = program(1)
    work, _, _, _ = started(stages)
    foot, cross = int(np.flatnonzero(stages.slot[0] >= 0)[0]), np.empty(37)
    held = 0
    for face, wanted in ((0, 1), (1, 2), (2, 3), (4, 3), (5, 3)):
        held = active_set._let_in(stages, work, held, 6 * foot + face, cross)
        assert held == wanted


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("share", "held"), [(0.5e-7, 1), (2e-7, 2)])
def test_a_row_of_the_guess_comes_in_where_a_ten_millionth_of_it_is_its_own(share, held):
    stages = program(1)
    work, rows, _, _ = started(stages)
    cross = np.empty(37)
    one, other = rows[0], rows[6]
    assert active_set._let_in(stages, work, 0, one, cross) == 1
    # As if the first row were nearly the second.
    whole = active_set._respond(stages, work, other)
    product = asked(stages, one, work.states, work.forces)[0]
    work.triangle[0, 0] = abs(product) / math.sqrt(whole * (1.0 - share))
    assert active_set._let_in(stages, work, 1, other, cross) == held


@pytest.mark.usefixtures("plain")
def test_no_more_rows_come_in_than_there_is_room_for():
    stages = program(1)
    work, rows, _, _ = started(stages)
    small = work._replace(row=work.row[:2].copy())
    cross = np.empty(37)
    assert active_set._let_in(stages, small, 0, rows[0], cross) == 1
    assert active_set._let_in(stages, small, 1, rows[6], cross) == 1
    assert small.code[rows[6]] == 0


@pytest.mark.usefixtures("plain")
def test_states_and_forces_of_multipliers_are_those_of_the_dense_form():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        stages = program(seed)
        dense = condense(stages)
        work, rows, states, forces = started(stages)
        np.testing.assert_allclose(forces[stages.used], -np.linalg.solve(dense.hessian, dense.gradient), rtol=1e-6)
        soft = [number for number in rows.tolist() if number >= 24 * len(stages.inputs)]
        full = rng.choice(soft, 4, replace=False)
        chosen = rng.choice(sorted(set(rows.tolist()) - set(full.tolist())), 6, replace=False)
        work.row[:6], work.multiplier[:6] = chosen, rng.uniform(0.0, 3.0, 6)
        work.code[chosen], work.code[full] = ACTIVE, SATURATED
        active_set._primal(stages, work, 6, states, forces)
        rise = dense.gradient + dense.matrix[np.searchsorted(dense.number, chosen)].T @ work.multiplier[:6]
        at = np.searchsorted(dense.number, full)
        rise += dense.matrix[at].T @ dense.slack[at]
        np.testing.assert_allclose(forces[stages.used], -np.linalg.solve(dense.hessian, rise), rtol=1e-6, atol=1e-6)


@pytest.mark.usefixtures("plain")
def test_rows_of_a_guess_settle_where_all_hold_and_none_pulls():
    letting, keeping = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        stages = program(seed)
        work, rows, states, forces = started(stages)
        cross, held = np.empty(len(work.row)), 0
        hard = [number for number in rows.tolist() if number < 24 * len(stages.inputs)]
        for number in rng.choice(hard, 8, replace=False).tolist():
            held = active_set._let_in(stages, work, held, number, cross)
        before = set(work.row[:held].tolist())
        held_after = active_set._settle(stages, work, held, states, forces, cross)
        after = work.row[:held_after].tolist()
        letting, keeping = letting + held - held_after, keeping + held_after
        assert set(after) <= before
        assert (work.multiplier[:held_after] >= 0.0).all()
        assert {number for number in hard if work.code[number] == ACTIVE} == set(after)
        for number in after:
            assert left_by(stages, number, states, forces) == pytest.approx(0.0, abs=1e-6)
        # States and forces are those of the multipliers.
        own = np.empty_like(states), np.empty_like(forces)
        active_set._primal(stages, work, held_after, *own)
        np.testing.assert_allclose(forces, own[1], atol=1e-9)
    assert letting > 3
    assert keeping > 3


def solve(method, stages, limit=500, hold=None):
    states, forces = np.empty_like(stages.reference), np.empty_like(stages.drift)
    hold = np.zeros((len(stages.inputs), 4), dtype=np.int64) if hold is None else hold
    changes = method(stages, new_workspace(len(stages.inputs)), hold, limit, states, forces)
    return changes, forces[stages.used], hold


def test_the_limit_is_the_number_of_changes_that_a_solve_may_take():
    for seed in (0, 3):
        stages = program(seed)
        changes, forces, _ = solve(solve_dual, stages)
        assert changes > 2
        again, same, _ = solve(solve_dual, stages, limit=changes)
        assert again == changes
        np.testing.assert_array_equal(forces, same)
        assert solve(solve_dual, stages, limit=changes - 1)[0] == -1


@pytest.mark.parametrize("method", [solve_dual, solve_stages])
def test_rows_that_contradict_each_other_have_no_answer(method):
    stages = program(2)
    assert solve(method, stages._replace(least=40.0, largest=30.0))[0] == -2


@pytest.mark.parametrize("price", [2.0, 20.0, 200.0])
def test_soft_rows_at_every_price_are_left_as_a_dense_solver_leaves_them(price):
    at_price = 0
    for seed in range(8):
        stages = program(seed, BOUNDED.changed(slack_weight=price), wild=1.5)
        dense = condense(stages)
        wanted, _ = solve_condensed(dense, 1000)
        cost = dense.cost(wanted)
        for method in (solve_dual, solve_stages):
            changes, forces, hold = solve(method, stages)
            assert changes >= 0
            assert dense.cost(forces) == pytest.approx(cost, rel=1e-8, abs=1e-8)
            np.testing.assert_allclose(forces, wanted, atol=2e-3)
            # From its own faces it ends at the same forces.
            np.testing.assert_allclose(solve(method, stages, hold=hold)[1], forces, atol=1e-5)
        at_price += int(((dense.matrix @ wanted - dense.bound)[np.isfinite(dense.slack)] > 1e-6).sum())
    assert at_price > 5
