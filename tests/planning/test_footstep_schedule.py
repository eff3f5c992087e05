"""What a search for footsteps is given and what becomes of its answer; the schedule of searches of a plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from courses import BODY, stand

from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.footsteps import search as module
from andante.planning.footsteps.body_path import pace
from andante.planning.footsteps.footholds import Features, FootholdCosts
from andante.planning.footsteps.kernels import EXHAUSTED, FOUND, SPENT
from andante.planning.footsteps.search import Attempt, SearchedCourse, plan_footsteps, run
from andante.planning.footsteps.settings import FootstepSettings, search_schedule
from andante.planning.plans import Footstep, FootstepPlan
from andante.terrain.boards.make import make_board

SETTINGS = FootstepSettings()


@pytest.fixture(scope="module")
def flat():
    course = stand(make_board("flat", 0.5, 0), goal=(1.0, 0.0))
    return course, SearchedCourse.of(course, SETTINGS)


@pytest.fixture(scope="module")
def blocks():
    course = stand(make_board("blocks", 0.5, 1))
    return course, SearchedCourse.of(course, SETTINGS)


class Told:
    """Stands in for the search; keeps what it was given and answers with a chain of states."""

    def __init__(self, monkeypatch, why=FOUND, steps=(), tests=7, looks=30, best=None):
        self.why, self.steps, self.tests, self.looks, self.best = why, steps, tests, looks, best
        monkeypatch.setattr(module, "search", self)

    def __call__(self, scene, rules, field, moves, start, budget, max_poses, memory, tested):
        self.tested = tested
        self.scene, self.rules, self.field, self.moves = scene, rules, field, moves
        self.start, self.budget, self.max_poses, self.memory = start, budget, max_poses, memory
        memory.parents[0], memory.feet[0], memory.spent[0] = -1, start, 0.0
        node = 0
        for number, (leg, place, apex, hold, cost) in enumerate(self.steps, 1):
            memory.feet[number] = memory.feet[node]
            memory.feet[number, leg] = place
            memory.legs[number], memory.parents[number] = leg, node
            memory.apexes[number], memory.holds[number] = apex, hold
            memory.spent[number] = memory.spent[node] + cost
            node = number
        return self.why, node, node + 1, self.tests, self.looks, self.looks + 14 * self.tests


STEPS = (
    (3, (0.2, -0.07, 0.01), 0.04, 0.001, 0.3),
    (1, (0.35, -0.07, 0.02), 0.05, 0.002, 0.4),
    (2, (0.2, 0.07, 0.01), 0.06, 0.003, 0.5),
)


def test_the_way_to_the_last_state_is_the_plan(flat, monkeypatch):
    course, ground = flat
    Told(monkeypatch, steps=STEPS)
    attempt = run(ground, SETTINGS)
    assert attempt.complete
    assert (attempt.tests, attempt.looks, attempt.spent) == (7, 30, 128)
    assert [(step.leg, *step.place, step.apex, step.cost) for step in attempt.plan.steps] == [
        (leg, *place, apex, hold) for leg, place, apex, hold, _ in STEPS
    ]
    np.testing.assert_array_equal(attempt.plan.feet, course.feet)
    assert attempt.plan.cost == pytest.approx(1.2)


@pytest.mark.parametrize(("why", "complete"), [(FOUND, True), (EXHAUSTED, False), (SPENT, False)])
def test_only_a_search_that_found_the_goal_is_complete(flat, monkeypatch, why, complete):
    _, ground = flat
    Told(monkeypatch, why, STEPS[:1])
    attempt = run(ground, SETTINGS)
    assert attempt.complete is complete
    assert attempt.everything is (why == EXHAUSTED)
    assert len(attempt.plan.steps) == 1


def test_the_bound_compares_with_the_least_time_of_the_way(flat, monkeypatch):
    course, ground = flat
    way = course.goal[0] - course.feet[:, 0].mean() - SETTINGS.tolerance
    # One longest step moves the middle of four feet by a quarter of its length.
    least = way * 4.0 * (SETTINGS.pause + SETTINGS.longest / SETTINGS.speed) / SETTINGS.longest
    assert pace(SETTINGS, 1.0) * way == pytest.approx(least)
    for cost, bound in ((3.0 * least, 3.0), (0.5 * least, 1.0)):
        Told(monkeypatch, steps=[(*STEPS[0][:4], cost)])
        assert run(ground, SETTINGS).plan.bound == pytest.approx(bound, rel=0.02)


def test_a_robot_at_its_goal_has_the_bound_one(monkeypatch):
    course = stand(make_board("flat", 0.5, 0), goal=(0.16, 0.0))
    Told(monkeypatch)
    plan = run(SearchedCourse.of(course, SETTINGS), SETTINGS).plan
    assert (plan.steps, plan.cost, plan.bound) == ((), 0.0, 1.0)


def test_the_search_is_given_ground_path_and_budget(blocks, monkeypatch):
    course, ground = blocks
    told = Told(monkeypatch)
    run(ground, SETTINGS.changed(max_tests=321, max_poses=4321))
    assert (told.budget, told.max_poses) == (321, 4321)
    np.testing.assert_array_equal(told.start, course.feet)
    field = told.field
    assert field.front is ground.costs.front
    assert field.hind is ground.costs.hind
    np.testing.assert_array_equal(field.points, ground.path.points)
    assert field.spacing == ground.path.spacing
    assert field.goal == pytest.approx(ground.path.goal - SETTINGS.tolerance * course.scale)
    for rows in (field.climbs, field.rises, field.passed, field.brink):
        assert rows.shape == (4, len(field.points))
    # There is room for forty states per test, and some at the start.
    assert len(told.memory.parents) >= 40 * 321
    assert (told.memory.closed == 0).all()
    assert len(told.memory.closed) > 2 * 321


def test_lengths_of_the_moves_are_those_of_the_settings(flat, monkeypatch):
    course, ground = flat
    told = Told(monkeypatch)
    run(ground, SETTINGS)
    moves, rules = told.moves, told.rules
    names = [leg.name for leg in course.body.legs]
    assert [names[row] for row in moves.order] == ["HR", "FR", "HL", "FL"]
    hang = BODY.table.hip[:, 1] + BODY.table.lateral
    np.testing.assert_allclose(moves.sides, hang + np.sign(hang) * 0.0225 * course.scale)
    assert course.scale == pytest.approx(1.0, abs=0.02)
    s = course.scale
    expected = {
        "shortest": -0.06 * s,
        "back": -0.102 * s,
        "longest": 0.17 * s,
        "pitch": 0.03 * s,
        "aside": 0.025 * s,
        "cell": 0.02 * s,
        "nearest": 0.05 * s,
        "beside": -0.01 * s,
        "farthest": 0.40 * s,
        "apart": 0.03 * s,
        "pause": 0.14,
        "speed": 1.3 * s,
        "lifting": 1.0 * s,
        "skip": 0.03,
        "tight": 0.08,
        "comfort": 0.009 * s,
        "heuristic_weight": 1.6,
        "stretch": 0.14 * s,
        "stretch_penalty": 4.0 / s,
        "leap": 0.22 * s,
        "near": 0.25 * s,
        "left_behind": 10.0 / s,
    }
    for name, value in expected.items():
        assert getattr(moves, name) == pytest.approx(value), name
    assert (rules.margin, rules.least, rules.enough, rules.lift) == pytest.approx(
        (0.012 * s, 0.004 * s, 0.009 * s, 0.015 * s)
    )


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0])
def test_lengths_and_speeds_grow_with_the_robot(factor, flat):
    course, _ = flat

    class Sized:
        body = course.body
        scale = factor

    small, moves = module._moves(course, SETTINGS), module._moves(Sized(), SETTINGS)
    share = factor / course.scale
    for name in (
        *("shortest", "back", "longest", "pitch", "aside", "cell", "nearest", "beside", "farthest", "apart"),
        *("speed", "lifting", "comfort", "climb", "tall", "stretch", "leap", "near"),
    ):
        assert getattr(moves, name) == pytest.approx(share * getattr(small, name)), name
    for name in ("pause", "skip", "tight", "heuristic_weight"):
        assert getattr(moves, name) == getattr(small, name), name
    for name in ("stretch_penalty", "left_behind"):
        assert getattr(moves, name) == pytest.approx(getattr(small, name) / share), name
    # Feet stand farther out by a length that grows.
    hang = BODY.table.hip[:, 1] + BODY.table.lateral
    np.testing.assert_allclose(moves.sides - hang, np.sign(hang) * 0.0225 * factor)


def test_a_robot_that_has_not_four_legs_is_refused(flat):
    course, _ = flat
    three = replace(course.body, legs=course.body.legs[:3]) if hasattr(course.body, "legs") else course.body
    object.__setattr__(changed := replace(course), "body", three)
    assert isinstance(three, LeggedBody)
    with pytest.raises(PlanningError, match="footsteps are planned for four legs; got 3"):
        SearchedCourse.of(changed, SETTINGS)


@pytest.mark.parametrize("ends", [(0.4, 0.1), (0.3, -0.2), (0.2, 0.15)])
def test_the_ground_is_judged_in_the_direction_of_the_goal(ends):
    terrain = make_board("steps", 0.5, 3, values={"yaw": 0.3})
    begin = stand(terrain)
    goal = (float(begin.position[0] + ends[0]), float(begin.position[1] + ends[1]))
    course = stand(terrain, goal)
    heading = np.arctan2(ends[1], ends[0])
    wanted = FootholdCosts.of(Features.of(course, SETTINGS.limits, float(heading)), SETTINGS.weights)
    costs = SearchedCourse.of(course, SETTINGS).costs
    np.testing.assert_array_equal(costs.front, wanted.front)
    np.testing.assert_array_equal(costs.hind, wanted.hind)
    straight = FootholdCosts.of(Features.of(course, SETTINGS.limits, 0.0), SETTINGS.weights)
    assert not np.array_equal(straight.front, wanted.front) or not np.array_equal(straight.hind, wanted.hind)


def test_the_schedule_hears_of_heights_at_littledogs_size(monkeypatch):
    """A step of 8 cm is a climb for a LittleDog and a small step for a robot twice as tall."""

    class Grown(KnownCourse):
        scale = 2.0

    asked = []
    course = stand(make_board("steps", 0.5, 5, values={"riser": 0.08, "count": 1.0}))
    ground = SearchedCourse.of(course, SETTINGS)
    Runs(monkeypatch, course, [(True, 1, 1, 0.0)])
    monkeypatch.setattr(
        module, "search_schedule", lambda *given, **told: asked.append(told) or [*search_schedule(*given)]
    )
    plan_footsteps(course, SETTINGS, ground=ground)
    fields = {name: getattr(course, name) for name in ("body", "map", "feet", "position", "rotation", "goal")}
    monkeypatch.setattr(module, "_check_footholds", lambda *_: None)
    plan_footsteps(Grown(**fields), SETTINGS, ground=ground)
    small, large = (told for told in asked if "highest" in told)
    assert small["highest"] == pytest.approx(0.08, abs=0.005)
    assert large["highest"] == pytest.approx(0.5 * small["highest"], rel=0.01)


# The schedule ---------------------------------------------------------------------------------------------------------


class Runs:
    """Stands in for single searches: answers as it is told, and keeps the settings of each."""

    def __init__(self, monkeypatch, course, answers):
        self.course, self.answers, self.asked = course, list(answers), []
        self.tested = []
        monkeypatch.setattr(module, "run", self)

    def __call__(self, ground, settings, tested=None):
        self.asked.append((ground, settings))
        self.tested.append(tested)
        complete, tests, looks, ahead, *rest = self.answers[min(len(self.asked), len(self.answers)) - 1]
        steps = tuple(
            Footstep(leg, foot + np.array([ahead, 0.0, 0.0]), 0.05, 0.0) for leg, foot in enumerate(self.course.feet)
        )
        return Attempt(
            FootstepPlan(self.course.feet, steps, 1.0, 1.0), complete, tests, looks, looks + 14 * tests, *rest
        )


def test_the_first_search_that_reaches_the_goal_gives_the_plan(blocks, monkeypatch):
    course, ground = blocks
    runs = Runs(monkeypatch, course, [(False, 10, 100, 0.1), (False, 20, 200, 0.2), (True, 30, 300, 0.3)])
    plan = plan_footsteps(course, SETTINGS, ground=ground)
    assert (plan.stage, plan.tests) == (2, 60)
    assert len(runs.asked) == 3
    stages = list(search_schedule(SETTINGS))[:3]
    # A step that is tested counts as fourteen poses; an eighth is kept for the last search.
    left = [787_500, 787_500 - 100 - 14 * 10, 787_500 - 300 - 14 * 30]
    assert [asked for _, asked in runs.asked] == [
        stage.changed(max_poses=poses) for stage, poses in zip(stages, left, strict=True)
    ]
    # What steps came to is handed from one search to the next, with room for all of them.
    assert len({id(each) for each in runs.tested}) == 1
    assert len(runs.tested[0].keys) > sum(stage.max_tests for stage in search_schedule(SETTINGS))


def test_a_plan_may_begin_with_a_later_search_and_makes_the_others_last(blocks, monkeypatch):
    course, ground = blocks
    stages = list(search_schedule(SETTINGS))
    runs = Runs(monkeypatch, course, [(False, 1, 1, 0.0)] * (len(stages) - 2) + [(True, 1, 1, 0.0)])
    plan = plan_footsteps(course, SETTINGS, ground=ground, begin=2)
    assert plan.stage == 1
    asked = [asked.changed(max_poses=1) for _, asked in runs.asked]
    assert asked == [stage.changed(max_poses=1) for stage in [*stages[2:-1], *stages[:2]]]


def test_the_last_search_stays_the_last_unless_a_plan_begins_with_it(blocks, monkeypatch):
    course, ground = blocks
    stages = [stage.changed(max_poses=1) for stage in search_schedule(SETTINGS)]
    count = len(stages)
    for begin, order in ((3, [*stages[3:-1], *stages[:3], stages[-1]]), (count - 1, [stages[-1], *stages[:-1]])):
        runs = Runs(monkeypatch, course, [(False, 1, 1, 0.0)] * (count - 1) + [(True, 1, 1, 0.0)])
        plan = plan_footsteps(course, SETTINGS, ground=ground, begin=begin)
        assert [asked.changed(max_poses=1) for _, asked in runs.asked] == order
        assert plan.stage == stages.index(order[-1])


# 240 poses keep 30 for the last search; each search takes its looks and 14 for a test.
@pytest.mark.parametrize(
    ("looks", "left"),
    [
        (56, [210, 140, 70, 30]),
        (55, [210, 141, 72, 3, 240 - 4 * 69]),
        (196, [210, 30]),
        (225, [210, 1]),
        (226, [210]),
    ],
)
def test_work_is_shared_by_all_searches_with_a_part_for_the_last(blocks, monkeypatch, looks, left):
    course, ground = blocks
    runs = Runs(monkeypatch, course, [(False, 1, looks, 0.1)])
    with pytest.raises(NoPlanError):
        plan_footsteps(course, SETTINGS.changed(max_poses=240), ground=ground)
    assert [asked.max_poses for _, asked in runs.asked] == [each for each in left if each > 0]
    last = list(search_schedule(SETTINGS))[-1]
    assert (runs.asked[-1][1].changed(max_poses=1) == last.changed(max_poses=1)) == (len(left) > 1 and left[-1] > 0)


def test_a_refusal_names_the_place_of_the_search_that_came_farthest(blocks, monkeypatch):
    course, ground = blocks
    seen = []

    def refusal(course, lines, searched, settings):
        seen.append(searched)
        return NoPlanError("no")

    monkeypatch.setattr(module, "refusal", refusal)
    answers = [(False, 1, 2, 0.3), (False, 1, 2, 0.5), (False, 1, 2, 0.5), (False, 1, 2, 0.1)]
    count = len(list(search_schedule(SETTINGS)))
    Runs(monkeypatch, course, answers)
    with pytest.raises(NoPlanError, match="no"):
        plan_footsteps(course, SETTINGS, ground=ground)
    np.testing.assert_allclose(seen[0].feet, course.feet + np.array([0.5, 0.0, 0.0]))
    assert (seen[0].tests, seen[0].looks) == (count, 2 * count)


@pytest.mark.parametrize(
    ("answers", "max_poses", "everything"),
    [
        ([(False, 1, 2, 0.1, True)], 900_000, True),
        ([(False, 1, 2, 0.1, True), (False, 1, 2, 0.1, False), (False, 1, 2, 0.1, True)], 900_000, False),
        # Patience ends before the last search.
        ([(False, 1, 2, 0.1, True)], 20, False),
    ],
)
def test_a_refusal_knows_whether_everything_was_tried(blocks, monkeypatch, answers, max_poses, everything):
    course, ground = blocks
    seen = []

    def refusal(course, lines, searched, settings):
        seen.append(searched)
        return NoPlanError("no")

    monkeypatch.setattr(module, "refusal", refusal)
    Runs(monkeypatch, course, answers)
    with pytest.raises(NoPlanError):
        plan_footsteps(course, SETTINGS.changed(max_poses=max_poses), ground=ground)
    assert seen[0].everything is everything


def test_steps_to_avoid_close_the_footholds_around_them_for_their_pair_of_feet(blocks, monkeypatch):
    course, ground = blocks
    runs = Runs(monkeypatch, course, [(True, 1, 1, 0.0)])
    free = np.argwhere(np.isfinite(ground.costs.front) & np.isfinite(ground.costs.hind))
    nodes = {leg: free[len(free) // (2 + leg)] for leg in (0, 3)}
    places = {leg: np.array([course.ground.x[i], course.ground.y[j], 0.0]) for leg, (i, j) in nodes.items()}
    avoid = [Footstep(leg, place, 0.05, 0.0) for leg, place in places.items()]
    plan_footsteps(course, SETTINGS, avoid=avoid, ground=ground)
    costs = runs.asked[0][0].costs
    x, y = np.meshgrid(course.ground.x, course.ground.y, indexing="ij")
    for grid, before, leg in ((costs.front, ground.costs.front, 0), (costs.hind, ground.costs.hind, 3)):
        off = np.hypot(x - places[leg][0], y - places[leg][1])
        assert np.isinf(grid[off < 0.0124 * course.scale]).all()
        far = off > 0.0126 * course.scale
        np.testing.assert_array_equal(grid[far], before[far])
    # What was made ready before stays as it was.
    assert np.isfinite([ground.costs.front[tuple(nodes[0])], ground.costs.hind[tuple(nodes[3])]]).all()
    plan_footsteps(course, SETTINGS, ground=ground)
    assert runs.asked[1][0].costs is ground.costs


@pytest.mark.parametrize(("width", "wide"), [(0.08, False), (0.13, True)])
def test_wide_gaps_are_searched_in_their_own_order(monkeypatch, width, wide):
    course = stand(make_board("gaps", 0.5, 4, values={"width": width, "holes": 0.0}))
    runs = Runs(monkeypatch, course, [(True, 1, 1, 0.0)])
    plan_footsteps(course, SETTINGS)
    first = next(iter(search_schedule(SETTINGS, wide=wide)))
    assert runs.asked[0][1].pitch == first.pitch
    assert (first.pitch > SETTINGS.pitch) is wide


@pytest.mark.parametrize(
    ("board", "values"), [("barrier", {"height": 0.07, "thickness": 0.04}), ("mesa", {"height": 0.1})]
)
def test_the_height_of_steps_and_walls_chooses_the_schedule(monkeypatch, board, values):
    course = stand(make_board(board, 0.5, 0, values=values))
    runs = Runs(monkeypatch, course, [(True, 1, 1, 0.0)])
    plan_footsteps(course, SETTINGS)
    height = values["height"]
    expected = next(iter(search_schedule(SETTINGS, highest=height, wall=height if board == "barrier" else 0.0)))
    assert runs.asked[0][1].changed(max_poses=1) == expected.changed(max_poses=1)
