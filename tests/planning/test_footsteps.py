"""Footsteps on boards: properties of every plan, refusals, learning of weights."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from courses import BODY, stand
from scipy import ndimage

from andante.documents.settings import SettingsError
from andante.kernels import entry
from andante.planning.course import NoPlanError, PlanningError
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import look_at_step
from andante.planning.footsteps import body_path, search
from andante.planning.footsteps.footholds import NAMES, Features, FootholdCosts, FootholdWeights, learn_weights
from andante.planning.footsteps.kernels import TEST
from andante.planning.footsteps.obstacles import highest_step, highest_wall
from andante.planning.footsteps.search import SearchedCourse, plan_footsteps, run
from andante.planning.footsteps.settings import FootstepSettings, search_schedule
from andante.terrain.boards.make import make_board

# Inner kernels, compiled for calls from Python.
look_at_step = entry(look_at_step.py_func)


@pytest.mark.parametrize(
    ("board", "seed", "values"),
    [
        ("flat", 0, {}),
        ("blocks", 1, {"height": 0.04}),
        ("rolling", 2, {}),
        ("stepping-stones", 3, {}),
        ("gaps", 4, {"width": 0.10, "holes": 0.0}),
        ("steps", 5, {"riser": 0.05, "count": 1.0}),
    ],
)
def test_a_plan_reaches_the_goal_by_possible_steps_on_allowed_footholds(board, seed, values):
    course = stand(make_board(board, 0.5, seed, values=values))
    plan = plan_footsteps(course)
    stances = plan.stances()
    assert np.hypot(*(stances[-1].mean(axis=0)[:2] - course.goal)) <= 0.08
    scene, poses = Scene.of(BODY, course.ground), np.zeros((2, 6))
    searches = [
        PoseRules.of(BODY.leg_length, margin=each.margin / 0.187, least=each.slack / 0.187, lift=each.lift / 0.187)
        for each in search_schedule(FootstepSettings())
    ]
    costs = FootholdCosts.of(Features.of(course))
    for before, step in zip(stances, plan.steps, strict=False):
        i, j = np.round((step.place[:2] - course.ground.origin) / course.ground.spacing).astype(int)
        assert np.isfinite(costs.front[i, j])
        assert step.place[2] == pytest.approx(scene.foot[i, j])
        assert step.apex > max(step.place[2], before[step.leg, 2])
        rooms = [look_at_step(scene, each, before, step.leg, step.place, step.apex, poses)[0] for each in searches]
        assert any(room >= each.least for room, each in zip(rooms, searches, strict=True))
    assert plan.bound >= 1.0


@pytest.mark.parametrize(
    ("board", "seed", "values", "tests"),
    [
        ("barrier", 0, {"height": 0.07, "thickness": 0.04}, 5000),
        ("barrier", 1, {"height": 0.04, "thickness": 0.04}, 2500),
        ("mesa", 2, {"height": 0.075}, 3000),
        ("mesa", 211, {"height": 0.108}, 10000),
    ],
)
def test_walls_take_few_tests_of_poses(board, seed, values, tests):
    course, settings, spent = stand(make_board(board, 0.5, seed, values=values)), FootstepSettings(), 0
    ground = SearchedCourse.of(course, settings)
    highest = highest_step(course, ground.costs, ground.path, settings)
    for stage in search_schedule(settings, highest=highest, wall=highest_wall(course, ground.path)):
        attempt = run(ground, stage)
        spent += attempt.tests
        if attempt.complete:
            break
    assert attempt.complete
    assert spent <= tests


@pytest.mark.parametrize("obstacle", [{}, {"wide": True}, {"highest": 0.07}, {"wall": 0.07}, {"highest": 0.1}])
def test_firm_stances_are_tried_first_and_the_margin_asked_for_after(obstacle):
    settings = FootstepSettings()
    margins = [each.margin / settings.margin for each in search_schedule(settings, **obstacle)]
    assert margins[0] == pytest.approx(1.5 if obstacle == {"highest": 0.1} else 2.0)
    assert margins.count(1.0) >= 5
    usual = margins[:-1] if obstacle != {"highest": 0.1} else margins[:4]
    assert all(later <= former + 1e-9 for former, later in itertools.pairwise(usual[:-1]))
    assert margins[-1] == 0.5


@pytest.mark.parametrize("max_poses", [5_000, 50_000])
def test_a_search_without_success_ends_with_its_work(max_poses, monkeypatch):
    looks, run = [], search.run

    def counted(*arguments):
        attempt = run(*arguments)
        looks.append(attempt.looks + TEST * attempt.tests)
        # As on a course that has no way.
        return replace(attempt, complete=False)

    monkeypatch.setattr(search, "run", counted)
    course = stand(make_board("rocks", 0.5, 3))
    with pytest.raises(NoPlanError, match="the robot comes to"):
        plan_footsteps(course, FootstepSettings(max_poses=max_poses, max_tests=1000))
    # The last step that is tested may take 300 poses at either end.
    assert max_poses <= sum(looks) < max_poses + 600 + TEST


def test_searches_over_wide_gaps_look_at_fewer_places():
    settings = FootstepSettings()
    wide = list(search_schedule(settings, wide=True))
    assert all(each.pitch > settings.pitch for each in wide[:6])
    assert wide[6:] == list(search_schedule(settings))[2:]


@pytest.mark.parametrize(
    ("board", "values", "highest"),
    [
        ("steps", {"riser": 0.06, "count": 2.0}, 0.06),
        ("mesa", {"height": 0.108}, 0.108),
        ("gaps", {"width": 0.10, "holes": 0.0}, 0.0),
    ],
)
def test_the_highest_step_is_one_riser_and_no_pit(board, values, highest):
    course, settings = stand(make_board(board, 0.5, 3, values=values)), FootstepSettings()
    ground = SearchedCourse.of(course, settings)
    assert highest_step(course, ground.costs, ground.path, settings) == pytest.approx(highest, abs=1e-6)


def test_a_wall_counts_up_and_down_for_feet_before_it_and_a_pit_does_not_count():
    course = stand(make_board("flat"))
    settings = FootstepSettings()
    ground = SearchedCourse.of(course, settings)
    heights = course.ground.heights.copy()
    heights[200:208] = 0.07
    heights[100:110] = -0.10
    wall = replace(course.ground, heights=heights)
    profile = ground.path.profile(wall, np.array([0.08]), 1.0)
    left = ground.path.climbs(profile, settings, 1.0)[0]
    # The band of 1 cm to either side is lost once up and twice down.
    assert left[0] == pytest.approx((0.07 - 0.01 + 0.07 - 0.02) / settings.lifting)
    assert left[-1] == 0.0
    assert (np.diff(left) <= 1e-12).all()
    rises = ground.path.rises(profile, 1.0)[0]
    assert rises.max() == pytest.approx(0.07)
    assert rises[0] == 0.0


def test_feet_keep_off_places_that_proved_impossible():
    course = stand(make_board("blocks", 0.5, 1))
    first = plan_footsteps(course)
    step = first.steps[10]
    again = plan_footsteps(course, avoid=[step])
    fore = BODY.table.hip[:, 0] > 0.0
    for each in again.steps:
        if fore[each.leg] == fore[step.leg]:
            assert np.hypot(*(each.place - step.place)[:2]) >= 0.0125


def test_from_where_a_robot_stopped_a_thin_margin_leads_on():
    # A walk before a gap was broken off; its feet stand so that every triangle is thin.
    board = make_board("gaps", 0.5, 106)
    feet = np.array([[1.544, 0.073, 0.0107], [1.601, -0.112, 0.0107], [1.357, 0.044, 0.0105], [1.546, -0.022, 0.0109]])
    course = replace(stand(board), feet=feet, position=np.array([1.516, -0.003, 0.125]))
    settings = FootstepSettings()
    ground = SearchedCourse.of(course, settings)
    *usual, last, _ = search_schedule(settings)
    assert not any(run(ground, stage).complete for stage in usual)
    assert last.margin < 0.6 * settings.margin
    plan = plan_footsteps(course)
    assert plan.stances()[-1][:, 0].mean() > course.goal[0] - 0.08
    assert plan.tests > run(ground, last).tests


def test_the_same_course_gives_the_same_plan():
    course = stand(make_board("blocks", 0.5, 7))
    one, two = plan_footsteps(course), plan_footsteps(course)
    assert [step.leg for step in one.steps] == [step.leg for step in two.steps]
    np.testing.assert_array_equal(one.stances(), two.stances())


def test_a_plan_keeps_the_order_of_its_gait():
    course = stand(make_board("flat"))
    order = ("HL", "FL", "HR", "FR")
    plan = plan_footsteps(course, FootstepSettings(order=order, skip=10.0))
    names = [BODY.legs[step.leg].name for step in plan.steps]
    assert names == [order[number % 4] for number in range(len(names))]


def test_a_goal_behind_and_ground_without_footholds_are_named():
    terrain = make_board("flat")
    with pytest.raises(NoPlanError, match="the goal is behind the robot, which does not turn on the spot"):
        plan_footsteps(stand(terrain, goal=(0.02, 0.0)))
    course = stand(terrain)
    unseen = np.where(course.map.x[:, None] > 0.25, np.nan, course.map.heights)
    with pytest.raises(NoPlanError, match="there are no footholds"):
        plan_footsteps(replace(course, map=replace(course.map, heights=unseen)))


def test_bad_settings_are_named():
    with pytest.raises(SettingsError, match=r"footsteps.heuristic_weight: is not legal; got 0.5; limit: at least 1"):
        FootstepSettings(heuristic_weight=0.5)
    with pytest.raises(SettingsError, match=r"footsteps.longest: is not legal; got -1.0; limit: above 0"):
        FootstepSettings(longest=-1.0)
    with pytest.raises(SettingsError, match=r"no step back is longer than the longest.*limit: at least -0.17 m"):
        FootstepSettings(shortest=-0.2)
    with pytest.raises(SettingsError, match=r"a gait names each foot at most once"):
        FootstepSettings(order=("HR", "HR"))
    with pytest.raises(PlanningError, match="the gait names a foot that the robot has not"):
        plan_footsteps(stand(make_board("flat")), FootstepSettings(order=("XX",)))
    with pytest.raises(SettingsError, match=r"foothold weights.slope: is not legal; got -1.0; limit: at least 0"):
        FootholdWeights(slope=-1.0)


def test_learning_recovers_the_ranking_of_hidden_weights():
    rng = np.random.default_rng(1)
    hidden = np.array([0.08, 0.02, 0.0, 0.01, 0.05, 0.0, 0.03, 0.04, 0.02])
    first, second = rng.uniform(0.0, 1.0, (2, 400, len(NAMES)))
    swap = (first @ hidden > second @ hidden)[:, None]
    learnt = learn_weights(np.where(swap, second, first), np.where(swap, first, second)).vector
    assert learnt @ hidden / np.linalg.norm(learnt) / np.linalg.norm(hidden) > 0.99
    first, second = rng.uniform(0.0, 1.0, (2, 1000, len(NAMES)))
    agree = (first @ hidden > second @ hidden) == (first @ learnt > second @ learnt)
    assert agree.mean() > 0.95


def test_examples_of_wrong_shape_are_named():
    with pytest.raises(PlanningError, match="examples are pairs of rows of features"):
        learn_weights(np.zeros((3, 2)), np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("board", "values", "height"),
    [
        ("barrier", {"height": 0.07, "thickness": 0.04}, 0.07),
        ("steps", {"riser": 0.06, "count": 2.0}, 0.0),
        ("mesa", {"height": 0.108}, 0.0),
        ("gaps", {"width": 0.14, "holes": 0.0}, 0.0),
        ("stepping-stones", {}, 0.0),
    ],
)
def test_a_wall_goes_up_and_down_and_is_no_step_and_no_stone(board, values, height):
    course = stand(make_board(board, 0.5, 3, values=values))
    path = SearchedCourse.of(course, FootstepSettings()).path
    assert highest_wall(course, path) == pytest.approx(height, abs=1e-6)


def test_greedy_searches_come_first_at_walls():
    settings = FootstepSettings()
    even, climb, wall, tall = (
        next(iter(search_schedule(settings, highest=highest, wall=wall)))
        for highest, wall in ((0.0, 0.0), (0.07, 0.0), (0.07, 0.07), (0.1, 0.0))
    )
    assert (
        even.heuristic_weight
        == settings.heuristic_weight
        < climb.heuristic_weight
        == wall.heuristic_weight
        < tall.heuristic_weight
    )


@pytest.mark.parametrize("size", [3, 4, 9, 16])
def test_walls_count_at_coarse_cells_as_a_percentile_of_all_nodes_around(size):
    heights = np.random.default_rng(size).standard_normal((50, 31))
    rows, columns = np.array([0, 2, 25, 49]), np.array([0, 11, 30])
    everywhere = ndimage.percentile_filter(heights, 80, size=size, mode="nearest")
    assert np.array_equal(body_path._tall(heights, size, rows, columns), everywhere[np.ix_(rows, columns)])
