"""Where the search looks for footholds: every step that it finds lies there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from courses import stand

from andante.planning.course import PlanningError
from andante.planning.footsteps.search import NOWHERE, USUAL, WIDE, SearchedCourse, plan_footsteps, swath, usual_sides
from andante.planning.footsteps.settings import FootstepSettings
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap


@pytest.mark.parametrize(("board", "difficulty", "seed"), [("rocks", 0.3, 2), ("steps", 0.3, 0), ("flat", 0.0, 0)])
def test_all_steps_of_a_plan_lie_in_the_swath(board: str, difficulty: float, seed: int) -> None:
    course = stand(make_board(board, difficulty, seed))
    settings = FootstepSettings()
    marks = swath(SearchedCourse.of(course, settings), settings)
    (x, y), spacing = course.ground.origin, course.ground.spacing
    for step in plan_footsteps(course, settings).steps:
        i, j = round((step.place[0] - x) / spacing), round((step.place[1] - y) / spacing)
        assert marks[i, j] != NOWHERE, step.place


def test_a_ground_of_too_many_cells_is_refused_with_its_size() -> None:
    """26 m square: some 1040 x 1040 coarse cells of LittleDog's size."""
    known = ElevationMap(np.zeros((53, 53)), (-2.0, -13.0), 0.5)
    course = replace(stand(make_board("flat")), map=known)
    with pytest.raises(PlanningError, match=r"too large.*cells of 0\.0251 m.*limit: 1,000,000"):
        SearchedCourse.of(course, FootstepSettings())


def test_on_a_straight_way_it_is_a_band_beside_each_foots_line() -> None:
    course = stand(make_board("flat"))
    settings = FootstepSettings()
    ground = SearchedCourse.of(course, settings)
    marks = swath(ground, settings)
    row = round((1.0 - course.ground.origin[0]) / course.ground.spacing)
    sides = usual_sides(course, settings)
    for y, mark in zip(course.ground.y, marks[row], strict=True):
        off = np.abs(y - sides).min()
        if off < 0.024:
            assert mark == USUAL
        elif 0.029 < off < 0.049:
            assert mark == WIDE
        elif off > 0.056:
            assert mark == NOWHERE
