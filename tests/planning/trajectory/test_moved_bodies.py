"""A body gives way where it is too near to the ground, by as much as helps and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made import HandMade

from andante.planning.course import KnownCourse, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.trajectory.make import make_walk
from andante.planning.trajectory.motion import WalkMotion
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.trajectory.start_state import Timing
from andante.planning.trajectory.tempo import Tempo
from andante.planning.walk.body_adjustment import body_adjustment, move_units
from andante.planning.walk.rehearsal import Rehearsal, rehearse
from andante.terrain.elevation_map import ElevationMap


def _with_post(flat: HandMade, x: float, y: float, height: float) -> KnownCourse:
    """The course with a post of 3 cm by 3 cm."""
    heights = flat.course.ground.heights.copy()
    i, j = round(x / 0.005), round((y + 0.3) / 0.005)
    heights[i - 3 : i + 4, j - 3 : j + 4] = height
    return replace(flat.course, map=ElevationMap(heights, flat.course.ground.origin, 0.005))


def _nearest(rehearsal: Rehearsal) -> float:
    return min(check.body for check in rehearsal.checks)


def _mended(flat: HandMade, course: KnownCourse, times: int = 2) -> tuple[Rehearsal, Rehearsal, np.ndarray]:
    """What a rehearsal finds before and after the body gave way, and how."""
    scene, tempo = Scene.of(course.body, course.ground, course.scale), flat.plan.warm_start.tempo
    plan, before = flat.plan, rehearse(course, flat.plan)
    after = before
    for _ in range(times):
        tempo = tempo.moving(body_adjustment(scene, plan, after, course.scale), 3.0 * move_units(course.scale))
        plan = make_walk(course, flat.stances, tempo=tempo, scene=scene, like=plan)
        after = rehearse(course, plan)
    return before, after, tempo.moved


def test_over_a_post_the_body_is_raised_and_elsewhere_left(flat: HandMade) -> None:
    middle = flat.plan.swings[8].touchdown
    x, y, _ = flat.plan.position[middle]
    free = flat.plan.position[middle, 2] - 0.03
    before, after, moved = _mended(flat, _with_post(flat, x, y, free + 0.002))
    assert _nearest(before) < before.limits.body
    assert _nearest(after) > _nearest(before) + 0.003
    near = sorted(before.too_close())
    assert moved[near, :, 2].max() > 0.0
    far = [step for step in range(16) if min(abs(step - each) for each in near) > 1]
    assert (moved[far] == 0.0).all()


def test_a_walk_that_is_free_stays(flat: HandMade) -> None:
    scene = Scene.of(flat.course.body, flat.course.ground, flat.course.scale)
    assert not body_adjustment(scene, flat.plan, rehearse(flat.course, flat.plan), 1.0).any()


def test_no_body_is_moved_farther_than_allowed(flat: HandMade) -> None:
    tempo = Tempo.of(flat.stances, TrajectorySettings(), 1.0)
    moves = np.zeros((16, 2, 6))
    moves[3, 1] = 0.1
    twice = tempo.moving(moves, move_units(1.0)).moving(moves, move_units(1.0))
    np.testing.assert_allclose(twice.moved[3, 1], move_units(1.0))
    assert twice.exact.nonzero()[0].tolist() == [3]
    assert (twice.moved[[k for k in range(16) if k != 3]] == 0.0).all()


def test_what_was_timed_before_is_made_again_in_fewer_passes(flat: HandMade, monkeypatch: pytest.MonkeyPatch) -> None:
    passes, move = [0], WalkMotion.move

    def counted(motion: WalkMotion, swings: np.ndarray, four_foot_times: np.ndarray) -> None:
        passes[0] += 1
        move(motion, swings, four_foot_times)

    monkeypatch.setattr(WalkMotion, "move", counted)
    fresh = make_walk(flat.course, flat.stances)
    whole, passes[0] = passes[0], 0
    slower = make_walk(flat.course, flat.stances, tempo=fresh.warm_start.tempo.slow([7], 1.5), like=fresh)
    assert passes[0] < 0.75 * whole
    assert rehearse(flat.course, slower).passed
    lengths = [np.array([swing.touchdown - swing.lift_off for swing in plan.swings]) for plan in (fresh, slower)]
    longer = lengths[1] / lengths[0]
    assert longer[7] > 1.3
    assert np.abs(np.delete(longer, 7) - 1.0).max() < 0.2


def test_a_plan_that_forgot_its_making_gives_no_timing(flat: HandMade) -> None:
    with pytest.raises(PlanningError, match="made of"):
        Timing.of(replace(flat.plan, warm_start=None))


def test_a_walk_is_not_made_like_one_of_other_steps(flat: HandMade) -> None:
    shorter = replace(flat.plan, swings=flat.plan.swings[:-1])
    with pytest.raises(PlanningError, match="as many steps; got 15; limit: 16 steps"):
        make_walk(flat.course, flat.stances, like=shorter)
