"""Walks over a map that moves with the robot: places on the way, what is known where, and that no more is kept."""

from __future__ import annotations

import numpy as np
import pytest
from courses import BODY
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.planning.course import NoPlanError
from andante.planning.walk.planner import WalkPlanner, intermediate_goals
from andante.runs.tasks.walk.plan import standing_request
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import TerrainError
from andante.terrain.map_source import MovingWindow, WholeMap


def flat(length=4.0, width=1.2, spacing=0.01):
    shape = round(length / spacing) + 1, round(width / spacing) + 1
    return ElevationMap(np.zeros(shape), (0.0, -0.5 * width), spacing)


@given(st.floats(0.0, 4.0), st.floats(-0.6, 0.6), st.floats(0.1, 6.0), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_window_holds_what_lies_around_and_nothing_else(x, y, side, seed):
    rng = np.random.default_rng(seed)
    heights = rng.normal(size=(401, 121))
    whole = ElevationMap(np.where(rng.random((401, 121)) < 0.1, np.nan, heights), (0.0, -0.6), 0.01, heights**2)
    part = MovingWindow(whole, side).around(x, y)
    assert part.covers((x, y))
    i, j = (round((low - first) / 0.01) for low, first in zip(part.origin, whole.origin, strict=True))
    inside = slice(i, i + len(part.x)), slice(j, j + len(part.y))
    np.testing.assert_array_equal(part.heights, whole.heights[inside])
    np.testing.assert_array_equal(part.variance, whole.variance[inside])
    low_x, high_x, low_y, high_y = part.extent
    assert x - low_x <= 0.5 * side + 0.0101
    assert high_x - x <= 0.5 * side + 0.0101
    assert max(high_x - low_x, high_y - low_y) <= side + 0.0201
    # What is missing beside the window is not in the survey either.
    assert low_x <= max(x - 0.5 * side, 0.0) + 1e-6
    assert high_y >= min(y + 0.5 * side, 0.6) - 1e-6


def test_a_window_off_the_survey_or_without_a_side_is_named():
    with pytest.raises(TerrainError, match="the survey shows nothing around the robot"):
        MovingWindow(flat(), 1.0).around(9.0, 0.0)
    with pytest.raises(TerrainError, match="a window of a map has a side"):
        MovingWindow(flat(), 0.0)


def test_places_on_the_way_lie_ahead_and_keep_off_what_nobody_knows():
    straight, *others = intermediate_goals(flat(), np.array([1.0, 0.0]), (9.0, 0.0), 1.0)
    # 25 cm before the rim at 4 m.
    assert straight == pytest.approx((3.75, 0.0))
    assert len(others) == 2
    blind = flat()
    heights = blind.heights.copy()
    heights[300:] = np.nan
    nearer = intermediate_goals(
        ElevationMap(heights, blind.origin, blind.spacing), np.array([1.0, 0.0]), (9.0, 0.0), 1.0
    )
    assert 2.5 < nearer[0][0] < 3.05
    heights[:] = np.nan
    with pytest.raises(NoPlanError, match="the map shows no ground on the way to the goal"):
        intermediate_goals(ElevationMap(heights, blind.origin, blind.spacing), np.array([1.0, 0.0]), (9.0, 0.0), 1.0)


@pytest.mark.slow
def test_a_robot_walks_to_the_rim_of_what_it_knows_and_on_to_the_goal():
    board = make_board("flat", values={"length": 4.0})
    planner = WalkPlanner(BODY, MovingWindow(board.map, 2.0), board.goal)
    place, ways = board.start, []
    for _ in range(8):
        answer = planner.plan(standing_request(BODY.robot, planner.maps.around(*place), place))
        assert answer.plan is not None
        end = answer.plan.com[-1]
        ways.append(float(end[0] - place[0]))
        place = float(end[0]), float(end[1])
        if answer.whole:
            break
        assert answer.reason == "the goal lies beyond what is known of the ground"
    assert answer.whole
    assert place[0] > board.goal[0] - 0.08
    assert len(ways) > 3
    assert min(ways[:-1]) > 0.5


def test_a_goal_off_a_map_that_does_not_grow_stays_refused():
    board = make_board("flat")
    planner = WalkPlanner(BODY, WholeMap(board.map), (9.0, 0.0))
    answer = planner.plan(standing_request(BODY.robot, board.map, board.start))
    assert answer.plan is None
    assert answer.reason.startswith("the goal is off the map")


@pytest.mark.parametrize(("side", "small"), [(0.3, True), (0.65, True), (0.75, False)])
def test_a_window_in_which_no_step_fits_says_how_wide_it_has_to_be(side, small):
    board = make_board("flat")
    planner = WalkPlanner(BODY, MovingWindow(board.map, side), board.goal)
    answer = planner.plan(standing_request(BODY.robot, board.map, board.start))
    assert (answer.plan is None) == small
    assert ("a window of the map has to be 0.7 m wide for this robot" in answer.reason) == small


def test_at_the_end_of_the_survey_the_robot_is_told_and_does_not_walk_on_the_spot():
    board = make_board("flat")
    planner = WalkPlanner(BODY, MovingWindow(board.map, 1.0), (9.0, 0.0))
    place = (1.72, 0.0)
    answer = planner.plan(standing_request(BODY.robot, planner.maps.around(*place), place))
    assert answer.plan is None
    assert "the map shows no ground on the way to the goal" in answer.reason
    assert "window" not in answer.reason
