"""Refusals: only what searches ran out over is refused, and what is named is what is in the way."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from courses import stand

from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.footsteps import body_path, search
from andante.planning.footsteps.kernels import TEST
from andante.planning.footsteps.refusal import FootLines, Obstacle, Searched, refusal
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.footsteps.settings import FootstepSettings
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap

SIDES = np.array([0.09, -0.09, 0.09, -0.09])
QUICK = FootstepSettings(max_poses=60_000)


def shaped(heights: np.ndarray) -> KnownCourse:
    """LittleDog on a lane of 2 m whose height depends on x alone."""
    course = stand(make_board("flat"))
    return replace(course, map=replace(course.map, heights=np.repeat(heights[:, None], len(course.map.y), axis=1)))


def lane() -> tuple[np.ndarray, np.ndarray]:
    """x of the nodes of a lane, and level heights."""
    x = stand(make_board("flat")).ground.x
    return x, np.zeros(len(x))


def gap(first: float, width: float) -> KnownCourse:
    x, heights = lane()
    hole = (x > first) & (x < first + width)
    heights[hole] = -0.1
    return shaped(heights)


@pytest.mark.parametrize("width", [0.15, 0.16, 0.17])
def test_gaps_that_legs_reach_over_are_planned(width):
    course = stand(make_board("gaps", 0.5, 3, values={"width": width, "holes": 0.0}))
    plan = plan_footsteps(course)
    assert plan.stances()[-1][:, 0].mean() > course.goal[0] - 0.05
    assert np.array([step.place[2] for step in plan.steps]).min() > 0.0


def test_sparse_stones_are_planned():
    course = stand(make_board("stepping-stones", 0.6, 5))
    assert plan_footsteps(course).stances()[-1][:, 0].mean() > course.goal[0] - 0.05


@pytest.mark.slow
def test_what_no_step_gets_over_is_refused_without_a_search(monkeypatch):
    monkeypatch.setattr(search, "run", lambda *_: pytest.fail("nothing needs to be searched"))
    x, heights = lane()
    heights[(x > 0.5) & (x < 0.8)] = np.nan
    over = (
        r"no foot gets over a gap of (3[0-4])\.\d cm without footholds, of which the map knows no height.*longest step"
    )
    with pytest.raises(NoPlanError, match=over):
        plan_footsteps(shaped(heights))
    for size in (0.16, 0.3, 1.0, -0.2):
        _, heights = lane()
        heights[x > 0.7] = size
        with pytest.raises(NoPlanError, match=rf"no leg gets over a step of {100.0 * abs(size):.1f} cm.*15\.0 cm"):
            plan_footsteps(shaped(heights))
        _, heights = lane()
        heights[(x > 0.7) & (x < 0.73)] = abs(size)
        with pytest.raises(NoPlanError, match=rf"no leg gets over a wall {100.0 * abs(size):.1f} cm high.*15\.0 cm"):
            plan_footsteps(shaped(heights))


def test_a_search_that_ends_at_unknown_ground_says_that_nothing_is_known_there():
    x, heights = lane()
    heights[(x > 0.8) & (x < 1.02)] = np.nan
    over = r"over a gap of 2[45]\.\d cm without footholds, of which the map knows no height"
    with pytest.raises(NoPlanError, match=over):
        plan_footsteps(shaped(heights), QUICK)
    with pytest.raises(NoPlanError) as told:
        plan_footsteps(gap(0.8, 0.22), QUICK)
    assert "knows no height" not in str(told.value)


def test_a_wall_that_one_side_passes_by_is_not_refused_without_a_search(monkeypatch):
    monkeypatch.setattr(search, "run", searched)
    course = stand(make_board("flat"))
    heights = course.map.heights.copy()
    heights[(course.map.x > 0.7), : heights.shape[1] // 2 - 2] = 0.3
    with pytest.raises(NoPlanError, match="searched"):
        plan_footsteps(replace(course, map=replace(course.map, heights=heights)))


def searched(*_):
    raise NoPlanError("searched")


def test_a_hole_that_one_foot_can_pass_by_is_not_refused_without_a_search(monkeypatch):
    tried = []

    def none(ground, settings, tested):
        tried.append(settings)
        raise NoPlanError("searched")

    monkeypatch.setattr(search, "run", none)
    course = stand(make_board("flat"))
    heights = course.map.heights.copy()
    # Across the right half only.
    heights[(course.map.x > 0.5) & (course.map.x < 0.9), : heights.shape[1] // 2 - 2] = np.nan
    with pytest.raises(NoPlanError, match="searched"):
        plan_footsteps(replace(course, map=replace(course.map, heights=heights)))
    assert len(tried) == 1


@pytest.mark.parametrize(
    ("obstacle", "text"),
    [
        (Obstacle(0, 0, np.zeros(2), 0.21, 0.0, 0.0, 0.0), "a gap of 21.0 cm without footholds"),
        (Obstacle(0, 0, np.zeros(2), 0.21, 0.04, 0.0, 0.0), "a gap of 21.0 cm without footholds, 4.0 cm up or down"),
        (Obstacle(0, 0, np.zeros(2), 0.04, 0.12, 0.0, 0.0), "a step of 12.0 cm"),
        (Obstacle(0, 0, np.zeros(2), 0.06, 0.0, 0.085, 0.03), "a wall 8.5 cm high and 3.0 cm thick that bears no foot"),
    ],
)
def test_an_obstacle_is_called_what_it_is(obstacle, text):
    assert obstacle.text(1.0) == text


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("gap", r"x 0\.[67]\d m, y -?0\.\d+ m: no footsteps were found for \w\w over a gap of 2[2-5]\.\d cm without"),
        ("step", r"no footsteps were found for \w\w over a step of 14\.0 cm"),
        ("down", r"no leg gets over a step of 18\.0 cm; limit: 15\.0 cm"),
        ("wall", r"no footsteps were found for \w\w over a wall 14\.0 cm high and 3\.\d cm thick that bears no foot"),
    ],
)
def test_what_is_in_the_way_is_named_and_without_it_there_is_a_way(what, message):
    x, heights = lane()
    course = gap(0.7, 0.19)
    if what == "step":
        heights[x >= 0.7] = 0.14
    elif what == "down":
        heights[x >= 0.7] = -0.18
    elif what == "wall":
        heights[(x >= 0.7) & (x < 0.73)] = 0.14
    if what != "gap":
        course = shaped(heights)
    with pytest.raises(NoPlanError, match=message) as refused:
        plan_footsteps(course, QUICK)
    place = float(re.search(r"x ([\d.]+) m", str(refused.value))[1])
    assert place == pytest.approx(0.69, abs=0.03)
    assert what == "down" or re.search(
        r"limit: the robot comes to x 0\.\d+ m; \d+ steps were tested, \d+ poses looked at; more effort",
        str(refused.value),
    )
    assert plan_footsteps(shaped(np.zeros(len(x))), QUICK).steps


@pytest.mark.slow
def test_of_two_gaps_the_one_that_stops_the_robot_is_named():
    # The first is crossed, the second is not.
    x, heights = lane()
    holes = ((x > 0.5) & (x < 0.6)) | ((x > 1.0) & (x < 1.21))
    heights[holes] = -0.1
    with pytest.raises(NoPlanError, match=r"x (0\.9\d|1\.0\d) m.*a gap of 2[3-6]\.\d cm"):
        plan_footsteps(shaped(heights))


@pytest.mark.parametrize(("everything", "text"), [(True, "lead FL over"), (False, "were found for FL over")])
def test_a_refusal_says_whether_every_step_was_tried(everything, text):
    course = gap(0.3, 0.2)
    ground = search.SearchedCourse.of(course, QUICK)
    lines = FootLines.of(course, ground.costs, ground.path, SIDES, 0.05)
    error = refusal(course, lines, Searched(course.feet, 12, 345, everything), QUICK)
    assert text in str(error).replace("HL", "FL").replace("FR", "FL").replace("HR", "FL")
    assert ("all 12 steps that lead there were tested" in str(error)) == everything


def test_on_level_ground_nothing_is_made_up():
    course = stand(make_board("flat"))
    ground = search.SearchedCourse.of(course, QUICK)
    lines = FootLines.of(course, ground.costs, ground.path, SIDES, 0.05)
    error = refusal(course, lines, Searched(course.feet, 1, 1, False), QUICK)
    assert "no footsteps were found on from here" in str(error)


def test_a_refusal_takes_no_more_than_its_work(monkeypatch):
    spent, run = [], search.run

    def counted(*arguments):
        attempt = run(*arguments)
        spent.append(attempt.spent)
        return attempt

    monkeypatch.setattr(search, "run", counted)
    with pytest.raises(NoPlanError):
        plan_footsteps(gap(0.6, 0.19), QUICK)
    assert sum(spent) <= QUICK.max_poses + 600 + TEST


def test_a_foot_beside_its_line_is_not_taken_to_stand_in_a_pit():
    course = gap(0.3, 0.19)
    ground = search.SearchedCourse.of(course, QUICK)
    lines = FootLines.of(course, ground.costs, ground.path, SIDES, 0.05)
    # On a stone 5 mm high, over the pit's bottom at -10 cm on the line.
    (first, *_) = lines.ahead(0, np.array([0.4, 0.12, 0.005 + float(course.body.table.radius[0])]), 0.17)
    assert first.rise == pytest.approx(0.005)
    assert "gap" in first.text(1.0)


def test_ground_of_more_than_a_million_coarse_cells_is_refused_before_its_features_are_made(monkeypatch):
    course = stand(make_board("flat"))
    wide = replace(course, map=ElevationMap(np.zeros((60, 60)), (-1.0, -30.0), 1.0))
    monkeypatch.setattr(body_path, "Features", None)
    told = r"59 x 59 m: .* too large .*'5,5\d\d,\d{3} cells of 0\.0251 m'; limit: 1,000,000"
    with pytest.raises(PlanningError, match=told):
        plan_footsteps(wide)


@pytest.mark.parametrize("spacing", [0.1, 0.2, 0.5])
def test_a_map_too_coarse_to_step_on_is_told_and_not_its_ground(spacing):
    course = stand(make_board("flat"))
    low_x, high_x, low_y, high_y = course.map.extent
    shape = int((high_x - low_x) / spacing) + 2, int((high_y - low_y) / spacing) + 2
    coarse = replace(course, map=ElevationMap(np.zeros(shape), (low_x, low_y), spacing))
    if spacing == 0.1:
        assert plan_footsteps(coarse).steps
        return
    with pytest.raises(NoPlanError, match=rf"nodes of the map, {100 * spacing:.1f} cm apart: make a finer map"):
        plan_footsteps(coarse)
