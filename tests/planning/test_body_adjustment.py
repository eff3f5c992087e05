"""Walks over real boards: bodies give way where shanks would hit walls."""

from __future__ import annotations

import pytest
from courses import stand

from andante.planning.feasibility.scene import Scene
from andante.planning.footsteps.footholds import FootholdLimits
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.stances.choose import choose_stances
from andante.planning.trajectory.make import make_walk
from andante.planning.walk.body_adjustment import body_adjustment, move_units
from andante.planning.walk.rehearsal import rehearse
from andante.terrain.boards.make import make_board


@pytest.mark.parametrize("seed", [0, 17, 30])
def test_beside_a_wall_shanks_get_free(seed: int) -> None:
    course = stand(make_board("barrier", 0.5, seed))
    # As near to the wall as feet that keep no gap to it stand.
    near = FootstepSettings(limits=FootholdLimits(gap=0.0))
    stances = choose_stances(course, plan_footsteps(course, near))
    plan = make_walk(course, stances)
    tempo, first = plan.warm_start.tempo, rehearse(course, plan)
    moves = body_adjustment(Scene.of(course.body, course.ground, course.scale), plan, first, course.scale)
    moved = make_walk(course, stances, tempo=tempo.moving(moves, 3.0 * move_units(course.scale)), like=plan)
    missing = [each.missing(0.008, 0.1) for each in (first, rehearse(course, moved))]
    assert first.too_close()
    assert missing[1] < 0.8 * missing[0]
