"""A rehearsal finds planted faults, and only the steps that have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made import HandMade

from andante.documents.settings import SettingsError
from andante.planning.course import PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.walk.rehearsal import RehearsalLimits, rehearse
from andante.planning.walk.rehearsed import rehearsed_walk
from andante.planning.walk.settings import PlanSettings
from andante.terrain.elevation_map import ElevationMap


def test_a_good_walk_passes(flat: HandMade) -> None:
    rehearsal = rehearse(flat.course, flat.plan)
    assert rehearsal.passed
    assert len(rehearsal.checks) == len(flat.plan.swings)
    # Small steps last as long as servos need, the others as long as joints need.
    assert all(0.5 < check.rate <= 1.0 for check in rehearsal.checks)
    assert max(check.rate for check in rehearsal.checks) > 0.9
    assert all(check.foot > 0.005 for check in rehearsal.checks)
    assert max(check.miss for check in rehearsal.checks) < 1e-9


def test_a_joint_that_jumps_is_found_in_its_step(flat: HandMade) -> None:
    angles = flat.plan.angles.copy()
    middle = flat.plan.swings[6].lift_off + 5
    angles[middle:, 0, 1] += 0.2
    rehearsal = rehearse(flat.course, replace(flat.plan, angles=angles))
    assert rehearsal.too_fast() == (6,)
    assert rehearsal.checks[6].rate > 1.2
    # Joints that do not put the foot where the plan has it are found from there on.
    assert [check.miss > 1e-3 for check in rehearsal.checks] == [k >= 6 for k in range(16)]
    assert not rehearsal.passed


def test_a_zero_moment_point_outside_is_found(flat: HandMade) -> None:
    zmp = flat.plan.zmp.copy()
    zmp[flat.plan.swings[3].lift_off + 2, 1] += 0.2
    assert rehearse(flat.course, replace(flat.plan, zmp=zmp)).too_fast() == (3,)


def test_ground_in_the_way_of_a_foot_is_found(flat: HandMade) -> None:
    heights = flat.course.ground.heights.copy()
    swing = flat.plan.swings[5]
    x, y, _ = flat.plan.feet[(swing.lift_off + swing.touchdown) // 2, swing.leg]
    i, j = round(x / 0.005), round((y + 0.3) / 0.005)
    heights[i - 1 : i + 2, j - 1 : j + 2] = 0.05
    course = replace(flat.course, map=ElevationMap(heights, (0.0, -0.3), 0.005))
    low = rehearse(course, flat.plan).too_low()
    assert 5 in low
    assert rehearse(course, flat.plan).missing(0.001, 1.0) > 10.0


def test_only_the_failing_step_is_mended(flat: HandMade) -> None:
    feet = [check.foot for check in rehearse(flat.course, flat.plan).checks]
    lowest, next_lowest = np.sort(feet)[:2]
    limits = RehearsalLimits(foot=float(lowest + 0.1 * (next_lowest - lowest)))
    number = int(np.argmin(feet))
    assert rehearse(flat.course, flat.plan, limits).too_low() == (number,)
    scene = Scene.of(flat.course.body, flat.course.ground, flat.course.scale)
    mended, missed = rehearsed_walk(flat.course, flat.stances, PlanSettings(rehearsal=limits, higher=0.006), scene)
    assert missed is None
    assert rehearse(flat.course, mended, limits).passed
    for row, (old, new) in enumerate(zip(flat.plan.swings, mended.swings, strict=True)):
        before = flat.plan.feet[old.lift_off : old.touchdown, old.leg, 2].max()
        after = mended.feet[new.lift_off : new.touchdown, new.leg, 2].max()
        assert (after > before + 0.003) == (row == number)


def test_a_plan_for_other_legs_is_named(flat: HandMade) -> None:
    plan = replace(flat.plan, angles=np.zeros((len(flat.plan.com), 3, 3)))
    with pytest.raises(PlanningError, match="for other legs; got 3; limit: 4 legs"):
        rehearse(flat.course, plan)


@pytest.mark.parametrize(("name", "value"), [("rounds", -1), ("slower", 0.9), ("higher", float("nan"))])
def test_plan_settings_that_make_no_sense_are_named(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=rf"^plan\.{name}: .*; got {value}"):
        PlanSettings(**{name: value})
