"""One planner for whoever asks: what it answers, and which attempt of its policy gave the answer."""

from __future__ import annotations

import numpy as np
import pytest
from courses import BODY, stand

from andante.documents.settings import SettingsError
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.walk import trials
from andante.planning.walk.planner import WalkPlanner
from andante.planning.walk.request import WalkRequest, WalkUnderWay
from andante.planning.walk.settings import WALK_ATTEMPTS, RetryPolicy
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.map_source import WholeMap


def _course(wall: float = 0.0) -> KnownCourse:
    course = stand(make_board("flat"))
    heights = course.ground.heights.copy()
    heights[70:80] += wall
    ground = ElevationMap(heights, course.ground.origin, course.ground.spacing)
    x, y = course.position[:2]
    return KnownCourse(BODY, ground, course.feet, course.position, course.rotation, (float(x) + 0.4, float(y)))


def _asked(course: KnownCourse, under_way: WalkUnderWay | None = None) -> WalkRequest:
    return WalkRequest(1, 0.0, course.position, course.rotation, course.position, course.feet, under_way)


def _planner(course: KnownCourse) -> WalkPlanner:
    return WalkPlanner(BODY, WholeMap(course.map), course.goal)


def test_the_first_footsteps_lead_to_the_goal_and_the_answer_says_so() -> None:
    course = _course()
    request = _asked(course)
    answer = _planner(course).plan(request)
    assert answer.request is request
    assert answer.plan is not None
    assert (answer.whole, answer.attempt, answer.reason) == (True, "first footsteps", "")
    assert answer.times.whole > 0.0


def test_the_rest_is_planned_by_the_same_planner_once_a_walk_is_known() -> None:
    course = _course()
    planner = _planner(course)
    plan = planner.plan(_asked(course)).plan
    assert plan is not None
    at = plan.swings[2].touchdown
    rest = _asked(course, WalkUnderWay(plan, at, plan.feet[at]))
    answer = planner.plan(rest)
    assert answer.plan is not None
    assert (answer.whole, answer.attempt) == (True, "as planned")
    assert len(answer.plan.com) == len(plan.com) - at
    planner.reset()
    assert planner.plan(rest).reason == "no walk is under way"


@pytest.mark.parametrize(
    ("off", "part", "told"),
    [
        (0.03, slice(None), "the map is 30 mm too high: all feet stand below what it has under them"),
        (-0.025, slice(None), "the map is 25 mm too low: all feet stand above what it has under them"),
        (0.015, slice(None), ""),
        (0.03, slice(60), ""),  # under the feet of one side alone
    ],
)
def test_a_map_that_is_too_high_or_too_low_as_a_whole_is_named_before_anything_moves(off, part, told) -> None:
    """Such a walk fell over its first step, or was refused for a step in the map that the ground does not have."""
    course = _course()
    heights = course.map.heights.copy()
    heights[:, part] += off
    false = ElevationMap(heights, course.map.origin, course.map.spacing)
    answer = WalkPlanner(BODY, WholeMap(false), course.goal).plan(_asked(course))
    assert told in answer.reason
    assert ("survey it anew" in answer.reason) == bool(told)
    assert (answer.plan is None) or not told


def test_that_there_is_no_plan_is_an_answer() -> None:
    answer = _planner(course := _course(wall=0.3)).plan(_asked(course))
    assert answer.plan is None
    assert not answer.whole
    assert "no leg gets over a step of 30.0 cm; limit: 15.0 cm" in answer.reason
    high = _asked(course)
    high.position[2] += 0.2
    assert "out of the leg's reach" in _planner(course).plan(high).reason
    gone = WalkPlanner(BODY, WholeMap(course.map), (9.0, 0.0)).plan(_asked(_course()))
    assert gone.reason.startswith("the goal is off the map; got [9.0, 0.0]")


@pytest.mark.slow
def test_where_no_footsteps_can_be_followed_the_first_part_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    course, lengths = _course(), list[int]()
    honest = trials.choose_stances

    def short(course, footsteps, *args, **options):
        lengths.append(len(footsteps.steps))
        if len(footsteps.steps) > 0.5 * lengths[0]:
            raise NoPlanError("too many steps")
        return honest(course, footsteps, *args, **options)

    monkeypatch.setattr(trials, "choose_stances", short)
    answer = _planner(course).plan(_asked(course))
    # Three searches, then the first footsteps with care: all of them, 70 %, 40 %.
    assert len(lengths) == 6
    assert lengths[3:] == [lengths[0], round(0.7 * lengths[0]), round(0.4 * lengths[0])]
    assert answer.plan is not None
    assert (answer.whole, answer.attempt, answer.reason) == (False, "first 40 %", "too many steps")
    assert len(answer.plan.swings) == lengths[-1]


def test_a_policy_is_tried_in_its_order_and_names_are_its_own() -> None:
    names = [each.name for each in WALK_ATTEMPTS]
    assert len(set(names)) == len(names)
    searches = [each.search for each in WALK_ATTEMPTS]
    assert searches == sorted(searches, reverse=True)
    shares = [each.share for each in WALK_ATTEMPTS if not each.search]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"walk": ()}, "retries.walk: has too few entries; got \\(\\); limit: at least 1"),
        ({"walk": WALK_ATTEMPTS[3:]}, "a policy begins with a search"),
        ({"rest": ()}, "retries.rest: has too few entries; got \\(\\); limit: at least 1"),
        ({"walk": (*WALK_ATTEMPTS, {"name": "none", "purpose": "", "share": 0.0})}, "share.*got 0.0; limit: above 0"),
        ({"budget": -1}, "retries.budget: is not legal; got -1; limit: at least 0"),
        ({"fewest": float("nan")}, "retries.fewest: must be a finite number"),
    ],
)
def test_policies_that_make_no_sense_are_named(changes: dict, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        RetryPolicy(**changes)


@pytest.mark.parametrize("latency", [-1.0, np.nan, np.inf])
def test_a_latency_below_zero_is_named(latency: float) -> None:
    with pytest.raises(PlanningError, match="a planner's latency is not below zero"):
        WalkPlanner(BODY, WholeMap(_course().map), (1.0, 0.0), latency=latency)


@pytest.mark.parametrize(("side", "refused"), [(0.9, True), (0.1, False)])
def test_a_goal_on_ground_that_nobody_knows_is_told_before_any_search(
    monkeypatch: pytest.MonkeyPatch, side: float, refused: bool
) -> None:
    course = _course()
    x, y = np.meshgrid(course.map.x, course.map.y, indexing="ij")
    goal = (course.goal[0] + 0.3, course.goal[1])
    hole = np.maximum(abs(x - goal[0]), abs(y - goal[1])) < 0.5 * side
    ground = ElevationMap(np.where(hole, np.nan, course.map.heights), course.map.origin, course.map.spacing)
    searched = []
    monkeypatch.setattr("andante.planning.walk.planner.plan_course", lambda *given: searched.append(given) or 1 / 0)
    planner = WalkPlanner(BODY, WholeMap(ground), goal)
    if not refused:
        with pytest.raises(ZeroDivisionError):
            planner.plan(_asked(course))
        return
    reason = planner.plan(_asked(course)).reason
    assert not searched
    assert reason.startswith(f"x {goal[0]:.3f}, y {goal[1]:.3f} m: nothing is known of the ground at the goal")
    assert "the nearest known is node" in reason
