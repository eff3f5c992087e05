"""Walks by way of places: the line along which they count, the plan in parts, and the walk that passes them."""

from __future__ import annotations

import json
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.runs.tasks.walk.goal import WalkCourse, WalkGoal
from andante.runs.tasks.walk.plan import plan, walk
from andante.runs.tasks.walk.task import WalkTask, WalkTaskError
from andante.runs.tasks.walk.watch import CourseWatch
from andante.terrain.boards.make import make_board

BOARD = make_board("flat", 0.5, 0)
SCALE = BOARD.scale


def course(*via: tuple[float, float], goal: tuple[float, float] = (1.5, 0.0)) -> WalkCourse:
    return WalkCourse.of(BOARD, WalkGoal(start=(0.0, 0.0), goal=goal, via=via))


def between(*corners: tuple[float, float], step: float = 0.01) -> np.ndarray:
    """Places along straight lines."""
    parts = []
    for a, b in pairwise(corners):
        count = max(2, round(float(np.hypot(b[0] - a[0], b[1] - a[1])) / step))
        parts.append(np.array(a) + np.linspace(0.0, 1.0, count)[:, None] * np.subtract(b, a))
    return np.concatenate(parts)


@given(st.lists(st.tuples(st.floats(-1.0, 2.0), st.floats(-1.0, 1.0)), min_size=1, max_size=30))
def test_a_single_leg_counts_as_a_line_does(places):
    points = np.array(places)
    ahead, beside = course(goal=(1.2, 0.9)).along(points)
    way = np.array([0.8, 0.6])
    np.testing.assert_allclose(ahead, points @ way, atol=1e-12)
    np.testing.assert_allclose(beside, points @ [-0.6, 0.8], atol=1e-12)


def test_along_legs_the_way_adds_up_even_where_they_cross():
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, -0.5), (0.2, 0.3))
    line = course(*corners[1:-1], goal=corners[-1])
    walked = between(*corners)
    ahead, beside = line.along(walked)
    reach = 0.12 * SCALE
    assert line.length == pytest.approx(2.0 + np.hypot(0.5, 1.5) + np.hypot(0.3, 0.8))
    assert ahead[-1] == pytest.approx(line.length)
    # A corner is cut by no more than the distance at which it counts as passed.
    assert np.diff(ahead).min() >= -2.0 * reach
    assert np.abs(beside).max() <= reach + 1e-9
    assert line.legs(walked)[[0, -1]].tolist() == [0, 3]


def test_a_place_that_is_left_out_keeps_the_way_from_counting():
    line = course((0.5, 0.3))
    ahead, _ = line.along(between((0.0, 0.0), (1.5, 0.0)))
    assert ahead.max() < line.arrival
    assert ahead.max() <= np.hypot(0.5, 0.3) + 1e-12
    passed, _ = line.along(between((0.0, 0.0), (0.5, 0.3), (1.5, 0.0)))
    assert passed[-1] == pytest.approx(line.length)


def test_the_watch_ends_a_walk_only_behind_all_places():
    line, ticks = course((0.8, 0.12)), iter(np.arange(0.0, 100.0, 0.05))

    def ended(path: np.ndarray) -> bool:
        watch = CourseWatch(line)
        watch.begin(SimpleNamespace())
        over = [watch.ended({"com": np.array([*at, 0.1]), "time": np.array([next(ticks)])}) for at in path]
        return True in over

    rest = np.repeat([[1.5, 0.0]], 60, axis=0)
    assert not ended(np.concatenate([between((0.0, 0.0), (1.5, 0.0)), rest]))
    assert ended(np.concatenate([between((0.0, 0.0), (0.8, 0.12), (1.5, 0.0)), rest]))


@pytest.mark.slow
def test_a_plan_leads_by_way_of_its_places_in_one():
    via = ((0.6, 0.1), (1.0, -0.1))
    made = plan(WalkTask(board="flat", via=via), warm=False)
    assert made.answer.whole, made.answer.reason
    walked = made.plan
    assert walked is not None
    for place in (*via, made.line.ends[1]):
        assert np.linalg.norm(walked.position[:, :2] - place, axis=1).min() < 0.08 * SCALE
    # One walk without jumps: the body moves on from where each part ends.
    assert np.abs(np.diff(walked.position, axis=0)).max() < 0.01
    assert np.abs(np.diff(walked.feet, axis=0)).max() < 0.05
    assert [swing.step for swing in walked.swings] == list(range(len(walked.footsteps.steps)))
    assert (np.diff([swing.lift_off for swing in walked.swings]) > 0).all()
    data = json.loads(json.dumps(made.data()))
    assert data["via"] == [list(each) for each in via]
    assert data["footsteps"][-1]["touchdown"] <= data["duration"]
    assert any("to x 0.600, y 0.100 m (height 0.000 m) to x 1.000" in line for line in made.ground_lines())


def test_a_place_to_which_no_way_leads_is_named_and_the_part_before_it_is_planned():
    made = plan(WalkTask(board="flat", via=((0.8, 0.1), (0.5, 0.1))), warm=False)
    assert not made.answer.whole
    assert made.plan is not None
    assert np.linalg.norm(made.plan.position[-1, :2] - (0.8, 0.1)) < 0.08 * SCALE
    assert "deg from its heading" in made.answer.reason


@pytest.mark.slow
def test_a_walk_passes_its_places_and_arrives(tmp_path):
    via = ((0.6, 0.1), (1.0, -0.1))
    result = walk(WalkTask(board="flat", via=via), out=tmp_path / "run", report=False)
    assert result.passed, result.reasons
    com = result.log.rows("truth")["com"][:, :2]
    for place in via:
        assert np.linalg.norm(com - place, axis=1).min() < 0.12 * SCALE
    walked = result.metrics.walk
    assert walked is not None
    assert walked.length == pytest.approx(course(*via).length, rel=0.3)
    assert sum(" a part of the way" in moment.text for moment in result.story) == 2


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ({"via": ((5.0, 0.0),)}, "the place on the way is off the board"),
        ({"via": ((0.1, 0.0),)}, "the first place is not ahead of the start"),
        ({"via": ((0.6, 0.0),), "controller": "trot"}, "via: means nothing to a robot that does not plan"),
    ],
)
def test_places_that_mean_nothing_are_named(task, told):
    with pytest.raises(WalkTaskError, match=told):
        WalkTask(board="flat", **task).scenario()
