"""The compiled search for footsteps against the same search in plain Python, and its parts one by one."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from courses import stand
from footstep_oracle import World, searched

from andante.kernels import entry
from andante.planning.footsteps import records
from andante.planning.footsteps import search as module
from andante.planning.footsteps.candidates import along_path, candidates, left_behind, point_at, rest, stretch_penalty
from andante.planning.footsteps.kernels import EXHAUSTED, FOUND, SPENT, pop, push, search
from andante.planning.footsteps.records import SearchMemory
from andante.planning.footsteps.search import SearchedCourse
from andante.planning.footsteps.settings import FootstepSettings
from andante.terrain.boards.make import make_board

# Inner kernels, compiled for calls from Python.
along_path = entry(along_path.py_func)
point_at = entry(point_at.py_func)
rest = entry(rest.py_func)
candidates = entry(candidates.py_func)
stretch_penalty = entry(stretch_penalty.py_func)
left_behind = entry(left_behind.py_func)
push = entry(push.py_func)
pop = entry(pop.py_func)

NAMES = {FOUND: "found", EXHAUSTED: "exhausted", SPENT: "spent"}
BOARDS = {
    "blocks": ("blocks", 1, {"height": 0.04}),
    "wide gap": ("gaps", 4, {"width": 0.15, "holes": 0.0}),
    "barrier": ("barrier", 0, {"height": 0.07, "thickness": 0.04}),
    "stones": ("stepping-stones", 3, {}),
}


class Caught(Exception):  # noqa: N818
    """The search was called."""


@pytest.fixture(scope="module")
def worlds():
    """What searches work on, for some boards; foothold costs are a little random, so that no two ways cost the same."""
    made, rng = {}, np.random.default_rng(5)
    patch = pytest.MonkeyPatch()
    for name, (board, seed, values) in BOARDS.items():
        course, settings, seen = stand(make_board(board, 0.5, seed, values=values)), FootstepSettings(), []

        def caught(*arguments, seen=seen):
            seen.extend(arguments)
            raise Caught

        patch.setattr(module, "search", caught)
        with pytest.raises(Caught):
            module.run(SearchedCourse.of(course, settings), settings)
        patch.undo()
        scene, rules, field, moves, start, *_ = seen
        noise = rng.uniform(0.0, 0.01, field.front.shape)
        # A path that bends, so that lengths and sides are not those of the map.
        made[name] = (
            World(scene, rules, field._replace(front=field.front + noise, hind=field.hind + noise), moves),
            start,
        )
    return made


def bent(world):
    """The same with the path's direction turned a little, as on a way round something."""
    along = (world.field.cosines + 1j * world.field.sines) * np.exp(0.2j)
    return replace(world, field=world.field._replace(cosines=along.real.copy(), sines=along.imag.copy()))


def places(world, count, seed):
    """Places on the map and a little beside it."""
    rng = np.random.default_rng(seed)
    shape = np.array(world.field.front.shape)
    low = np.array([world.scene.x, world.scene.y])
    spots = low + rng.uniform(-0.05, 1.05, (count, 2)) * (shape - 1) * world.scene.spacing
    return np.column_stack([spots, rng.uniform(0.0, 0.05, count)])


def stances(world, start, count, seed):
    """Feet about as a walk has them, along the whole path."""
    rng = np.random.default_rng(seed)
    points = world.field.points
    for _ in range(count):
        move = points[rng.integers(len(points))] - start[:, :2].mean(axis=0)
        feet = start + np.array([*move, 0.0]) + rng.normal(0.0, [0.06, 0.02, 0.03], (4, 3))
        yield feet


def test_a_heap_gives_the_least_first():
    rng = np.random.default_rng(1)
    for count in (1, 2, 3, 7, 8, 31, 100):
        order = rng.integers(0, 60, count).astype(float)
        heap, size = np.zeros(count, dtype=np.int64), 0
        for node in range(count):
            size = push(heap, order, size, node)
            assert size == node + 1
            assert order[heap[0]] == order[: node + 1].min()
        came = []
        while size:
            before, size = size, pop(heap, order, size)
            assert size == before - 1
            came.append(int(heap[size]))
        assert sorted(came) == list(range(count))
        assert all(order[one] <= order[two] for one, two in itertools.pairwise(came))


@pytest.mark.parametrize("name", ["blocks", "stones"])
def test_lengths_along_the_path(worlds, name):
    for world in (worlds[name][0], bent(worlds[name][0])):
        for place in places(world, 80, 2):
            length = along_path(world.scene, world.field, place[0], place[1])
            assert length == pytest.approx(world.along(place), abs=1e-12)
            assert point_at(world.field, length) == world.point(length)


def test_the_nearest_point_and_the_way_ahead_of_it(worlds):
    world, _ = worlds["blocks"]
    spacing, points = world.field.spacing, world.field.points
    for k in (40, 90, 150):
        along = world.forward(k)
        for ahead, aside in ((0.0, 0.0), (0.3 * spacing, 0.05), (-0.3 * spacing, -0.05)):
            place = points[k] + ahead * along + aside * np.array([-along[1], along[0]])
            length = along_path(world.scene, world.field, place[0], place[1])
            assert length == pytest.approx(k * spacing + ahead, abs=0.3 * spacing)


def test_times_left_are_interpolated_and_end_at_the_ends():
    times = np.array([9.0, 7.0, 4.0, 4.0, 1.0])
    assert [rest(0.5, times, length) for length in (-1.0, 0.0, 0.25, 0.5, 0.8, 1.25, 1.75, 2.0, 9.0)] == pytest.approx(
        [9.0, 9.0, 8.0, 7.0, 5.2, 4.0, 2.5, 1.0, 1.0]
    )


@pytest.mark.parametrize("name", BOARDS)
def test_a_foot_may_step_to_the_best_of_each_stretch_and_to_edges(worlds, name):
    found = np.empty((64, 2), dtype=np.int64)
    for world in (worlds[name][0], bent(worlds[name][0])):
        # What was found near a place is kept from one call to the next.
        best = SearchMemory.of(1, 1, len(world.field.points)).best
        for n, place in enumerate(places(world, 16, 3)):
            leg, shortest = n % 4, world.moves.shortest if n % 3 else world.moves.back
            number = candidates(world.scene, world.field, world.moves, best, leg, place, shortest, found)
            got = [tuple(map(int, node)) for node in found[:number]]
            assert len(set(got)) == number
            assert set(got) == world.candidates(leg, place, shortest)


def test_candidates_beyond_the_room_for_them_are_left_out(worlds):
    world, start = worlds["stones"]
    many, few = np.empty((64, 2), dtype=np.int64), np.empty((3, 2), dtype=np.int64)
    best = SearchMemory.of(1, 1, len(world.field.points)).best
    arguments = (world.scene, world.field, world.moves, best, 0, start[0], world.moves.shortest)
    assert candidates(*arguments, many) > 3
    assert candidates(*arguments, few) == 3
    np.testing.assert_array_equal(few, many[:3])


@pytest.mark.parametrize("name", BOARDS)
def test_what_makes_a_state_unpromising(worlds, name):
    world, start = worlds[name]
    counted = 0
    for feet in stances(world, start, 50, 4):
        stretch = stretch_penalty(world.scene, world.field, world.moves, feet)
        behind = left_behind(world.scene, world.field, world.moves, feet)
        assert stretch == pytest.approx(world.stretched(feet), abs=1e-12)
        assert behind == pytest.approx(world.left_behind(feet), abs=1e-12)
        counted += (stretch > 0.0) + (behind > 0.0)
    assert counted or name in ("blocks", "stones")


def compared(world, start, budget, max_poses=10**9, room=40, tested=None):
    """The compiled search, after its states were found to be those of the plain one."""
    fresh = tested is None
    tested = tested or records.Tested.of(budget)
    memory = SearchMemory.of(room * budget + 100, max(budget, 1), len(world.field.points))
    # Hashes wrap around, of which numpy warns where kernels run as Python.
    with np.errstate(over="ignore"):
        why, last, count, tests, looks, spent = search(
            world.scene, world.rules, world.field, world.moves, start, budget, max_poses, memory, tested
        )
    plain = searched(world, start, budget, max_poses)
    assert (NAMES[why], tests, count) == (plain.why, plain.tests, len(plain.states))
    if fresh:
        assert (looks, spent) == (plain.looks, plain.spent)
    np.testing.assert_allclose(memory.feet[last], plain.last.feet, atol=1e-12)
    rows = []
    for node in range(1, count):
        parent = memory.parents[node]
        assert 0 <= parent < node
        rows.append(
            [
                *(column[node] for column in (memory.order, memory.spent, memory.apexes, memory.holds)),
                *(memory.legs[node], memory.turns[node]),
                *memory.feet[[node, parent]].ravel(),
            ]
        )
    expected = [
        [
            *(each.order, each.spent, each.apex, each.hold, each.leg, each.turn),
            *each.feet.ravel(),
            *each.parent.feet.ravel(),
        ]
        for each in plain.states[1:]
    ]
    np.testing.assert_allclose(sorted(rows), sorted(expected), atol=1e-9)
    return why, last, memory


@pytest.mark.parametrize("name", BOARDS)
def test_a_search_finds_the_states_of_a_plain_search(worlds, name):
    world, start = worlds[name]
    why, _, _ = compared(world, start, 6)
    assert why == SPENT
    # Before the middle of the board, where its obstacles are.
    obstacle = np.array([*(world.field.points[len(world.field.points) // 2] - start[:, :2].mean(axis=0)), 0.0])
    ahead = start + 0.8 * obstacle
    for leg in range(4):
        i, j = world.node(*ahead[leg, :2])
        ahead[leg, 2] = world.scene.foot[i, j]
    compared(world, ahead, 6)


def test_a_search_reaches_a_goal_that_is_near(worlds):
    world, start = worlds["blocks"]
    middle = np.mean([world.along(foot) for foot in start])
    near = replace(world, field=world.field._replace(goal=middle + 0.03))
    why, last, memory = compared(near, start, 40)
    assert why == FOUND
    assert np.mean([near.along(foot) for foot in memory.feet[last]]) >= near.field.goal


def test_a_robot_at_its_goal_takes_no_step(worlds):
    world, start = worlds["blocks"]
    middle = np.mean([world.along(foot) for foot in start])
    why, last, _ = compared(replace(world, field=world.field._replace(goal=middle - 1e-9)), start, 1)
    assert (why, last) == (FOUND, 0)
    why, last, _ = compared(replace(world, field=world.field._replace(goal=middle + 1e-3)), start, 1)
    assert last > 0


def test_a_search_without_footholds_is_exhausted(worlds):
    world, start = worlds["blocks"]
    nowhere = np.full_like(world.field.front, math.inf)
    barren = replace(world, field=world.field._replace(front=nowhere, hind=nowhere))
    why, last, _ = compared(barren, start, 50)
    assert (why, last) == (EXHAUSTED, 0)


def test_a_search_ends_with_its_budget(worlds):
    world, start = worlds["blocks"]
    for budget, max_poses in ((1, 10**9), (5, 10**9), (6, 25), (6, 0)):
        why, _, _ = compared(world, start, budget, max_poses)
        assert why == SPENT


def test_steps_that_were_tested_are_not_tested_again(worlds):
    world, start = worlds["wide gap"]
    tested, memory = records.Tested.of(60), SearchMemory.of(2500, 30, len(world.field.points))
    arguments = (world.scene, world.rules, world.field, world.moves, start, 30, 10**9, memory, tested)
    with np.errstate(over="ignore"):
        why, last, count, tests, looks, spent = search(*arguments)
        fresh = int(np.count_nonzero(tested.keys))
        assert looks > 0
        assert spent == 14 * fresh + 6 * (tests - fresh) + looks
        feet, again = memory.feet[:count].copy(), SearchMemory.of(2500, 30, len(world.field.points))
        assert search(*arguments[:-2], again, tested) == (why, last, count, tests, 0, 6 * tests)
    np.testing.assert_array_equal(again.feet[:count], feet)
    assert np.count_nonzero(tested.keys) == fresh


@pytest.mark.parametrize("change", [{"margin": 0.024}, {"least": 0.008}, {"enough": 0.02}, {"lift": 0.03}])
def test_steps_that_were_tested_by_other_rules_are_tested_again(worlds, change):
    world, start = worlds["barrier"]
    tested = records.Tested.of(40)
    compared(world, start, 4, tested=tested)
    before = np.count_nonzero(tested.keys)
    compared(replace(world, rules=world.rules._replace(**change)), start, 4, tested=tested)
    assert np.count_nonzero(tested.keys) > before


def test_a_search_ends_where_its_memory_does(worlds):
    world, start = worlds["blocks"]
    for states in (1, 2, 20, 100):
        memory = SearchMemory.of(states, 50, len(world.field.points))
        with np.errstate(over="ignore"):
            why, last, count, *_ = search(
                world.scene, world.rules, world.field, world.moves, start, 50, 10**9, memory, records.Tested.of(50)
            )
        assert (why, count) == (SPENT, states)
        assert 0 <= last < states


@pytest.mark.parametrize(
    "change",
    [
        {"tall": 0.0},
        {"climb": 0.0, "stretch": 0.05},
        {"order": np.array([3, 1, 2, 0])},
        {"order": np.array([0, 2])},
        {"cell": 0.06},
        {"nearest": 0.12},
        {"farthest": 0.15},
        {"apart": 0.14},
        {"pitch": 0.05, "aside": 0.0},
        {"skip": 0.2, "pause": 0.5, "speed": 0.3, "lifting": 0.2, "heuristic_weight": 1.0},
        {"comfort": 0.1, "tight": 1.0},
    ],
)
def test_every_rule_of_the_moves_counts(worlds, change):
    world, start = worlds["blocks"]
    compared(replace(world, moves=world.moves._replace(**change)), start, 4)
