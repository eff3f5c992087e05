"""From a course to a walk, on boards."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from andante.documents.settings import SettingsError
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.feasibility.scene import Scene
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.stances.choose import choose_stances
from andante.planning.trajectory.make import PhaseError
from andante.planning.trajectory.tempo import Tempo
from andante.planning.walk.rehearsal import rehearse
from andante.planning.walk.rehearsed import rehearsed_walk
from andante.planning.walk.settings import PlanSettings
from andante.planning.walk.trials import plan_course
from andante.robots.robot import Robot
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap


@cache
def _course(name: str, difficulty: float, seed: int = 0) -> KnownCourse:
    body = LeggedBody.of(Robot.load("littledog"))
    board = make_board(name, difficulty, seed)
    x, y = board.start[:2]
    places = np.array([[x + a, y + b] for a, b in ((0.08, 0.08), (0.08, -0.08), (-0.08, 0.08), (-0.08, -0.08))])
    feet = np.column_stack([places, board.heights.at(places) + body.table.radius])
    return KnownCourse(body, board.map, feet, np.array([x, y, feet[:, 2].mean() + 0.115]), np.eye(3), board.goal)


@pytest.mark.parametrize("name", ["flat", "blocks"])
def test_a_board_is_crossed_within_every_limit(name: str) -> None:
    course = _course(name, 0.3)
    walk = plan_course(course)
    plan, times = walk.plan, walk.times
    assert plan is not None
    assert walk.error is None
    assert walk.attempt == "first footsteps"
    assert rehearse(course, plan).passed
    assert plan.com[-1, 0] > course.goal[0] - 0.07
    speed = (plan.com[-1, 0] - plan.com[0, 0]) / plan.duration
    assert speed > 0.13
    assert times.whole == pytest.approx(times.footsteps + times.stances + times.trajectory)


@pytest.mark.slow
def test_the_same_course_gives_the_same_walk() -> None:
    course = _course("flat", 0.3)
    one, other = plan_course(course).plan, plan_course(course).plan
    assert one is not None
    assert other is not None
    assert one.angles.tobytes() == other.angles.tobytes()


def test_a_wall_higher_than_the_robot_is_refused() -> None:
    course = _course("flat", 0.3)
    heights = course.ground.heights.copy()
    heights[180:220] = 0.3
    walled = replace(course, map=ElevationMap(heights, course.map.origin, course.map.spacing))
    walk = plan_course(walled)
    assert (walk.plan, walk.attempt) == (None, "")
    assert re.search(r"x \d\.\d+ m", str(walk.error))


def test_a_step_that_lacks_an_angle_is_changed_and_not_slowed(monkeypatch: pytest.MonkeyPatch) -> None:
    course = _course("flat", 0.3)
    stances = choose_stances(course, plan_footsteps(course))
    tempos: list[Tempo] = []

    def bent(*_: object, tempo: Tempo, **__: object) -> None:
        tempos.append(tempo)
        error = PhaseError("a joint would pass its limit")
        error.step, error.bent = 4, True
        raise error

    monkeypatch.setattr("andante.planning.walk.rehearsed.make_walk", bent)
    with pytest.raises(PhaseError):
        rehearsed_walk(course, stances, PlanSettings(), Scene.of(course.body, course.ground, course.scale))
    usual, modest, raised = tempos
    assert modest.lift[4] < usual.lift[4]
    assert raised.moved[4, 0, 2] > modest.moved[4, 0, 2] == 0.0
    for each in tempos:
        assert (each.use == usual.use).all()
        assert (each.four_foot_time == usual.four_foot_time).all()


@pytest.mark.parametrize("name", ["rounds", "slower", "higher", "wider", "aside"])
@pytest.mark.parametrize("value", [-1, float("nan")])
def test_settings_that_make_no_sense_are_named(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=rf"^plan\.{name}: .*; got {value}"):
        PlanSettings(**{name: value})


@pytest.mark.parametrize("name", ["hits", "strains"])
@pytest.mark.parametrize("value", [-1.0, 0.0, float("nan")])
def test_what_is_much_is_above_zero(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=rf"^plan\.{name}: .*; got {value}"):
        PlanSettings(**{name: value})
