"""Robots from bare files are declared by mass and leg length."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_table import LeggedBody
from andante.robots.parts import RobotError
from andante.robots.robot import Robot
from andante.runs.tasks.walk.task import WalkTask
from andante.runs.tasks.walk.walker import as_walker, is_bare

LITTLEDOG = Path(__file__).resolve().parents[2] / "src/andante/robots/littledog/littledog.xml"


@pytest.fixture(scope="module")
def bare() -> Robot:
    return Robot.load(LITTLEDOG)


def test_littledog_without_its_pack_gets_about_the_limits_of_its_pack(bare: Robot) -> None:
    assert is_bare(bare)
    assert not is_bare(Robot.load("littledog"))
    walker, pack = as_walker(bare), Robot.load("littledog")
    # 0.5 x 2.7464 kg x 9.81 m/s2 x 0.1874 m.
    assert walker.max_effort == pytest.approx(np.full(12, 2.5245), abs=1e-3)
    # The file has no speeds; what is assumed for them is more than the 12 rad/s that are declared for walking.
    assert walker.max_velocity == pytest.approx(np.full(12, 12.0), rel=2e-3)
    assert walker.servo_kp == pytest.approx(pack.servo_kp, rel=0.02)
    assert (walker.tick, walker.delay_ticks) == (pack.tick, pack.delay_ticks)
    assert "declared for walking by mass 2.746 kg" in walker.sources["servos"]


def test_it_stands_with_its_feet_below_its_hips(bare: Robot) -> None:
    walker = as_walker(bare)
    kinematics = Kinematics(walker)
    kinematics.update(walker.posture("stand"))
    for foot, leg in zip(walker.feet, LeggedBody.of(walker).legs, strict=True):
        place = kinematics.pose(foot.site)[0]
        assert place[:2] == pytest.approx([leg.hip[0] + leg.offset[0], leg.hip[1] + leg.lateral], abs=1e-6)
        assert place[2] == pytest.approx(leg.hip[2] - 0.77 * sum(leg.lengths), abs=1e-6)


def test_a_file_that_asks_for_less_is_believed(bare: Robot) -> None:
    weak = replace(bare, joints=tuple(replace(joint, max_effort=1.0, max_velocity=3.0) for joint in bare.joints))
    walker = as_walker(weak)
    assert set(walker.max_effort) == {1.0}
    assert set(walker.max_velocity) == {3.0}


def test_a_robot_without_feet_cannot_walk(bare: Robot) -> None:
    with pytest.raises(RobotError, match="has no feet to walk on: none were found"):
        as_walker(replace(bare, feet=()))


def test_a_walk_of_a_bare_robot_says_so_in_its_scenario() -> None:
    scenario = WalkTask(board="flat", robot=str(LITTLEDOG)).scenario()
    assert scenario.limits is not None
    assert scenario.limits.walker
