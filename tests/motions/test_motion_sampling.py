"""Curves, the keyframe clock and nominal trajectories, against hand-worked values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.kinematics.forward import Kinematics
from andante.motions.errors import MotionError
from andante.motions.interpolation import (
    CURVES,
    PEAK_SPEED,
    curve_array,
    effective_interpolation,
    keyframe_ratios,
    keyframe_ticks,
)
from andante.motions.keyframe import Block, Interpolation, JointStiffness, Keyframe, LimbPose
from andante.motions.library import Motion, MotionLibrary
from andante.motions.sampling import sample_block, sample_motion
from andante.robots.parts import UnknownJointError
from andante.robots.robot import Robot

TICK = 0.012
LINEAR, MIN_MAX, ZERO_MAX = Interpolation.LINEAR, Interpolation.SINE_MIN_TO_MAX, Interpolation.SINE_ZERO_TO_MAX


@pytest.mark.parametrize(
    ("kind", "ratio", "expected"),
    [
        (LINEAR, 0.25, 0.25),
        (MIN_MAX, 0.0, 0.0),
        (MIN_MAX, 1 / 3, 0.25),
        (MIN_MAX, 0.5, 0.5),
        (MIN_MAX, 2 / 3, 0.75),
        (MIN_MAX, 1.0, 1.0),
        (ZERO_MAX, 0.0, 0.0),
        (ZERO_MAX, 1 / 3, 0.5),
        (ZERO_MAX, 0.5, math.sqrt(0.5)),
        (ZERO_MAX, 1.0, 1.0),
    ],
)
def test_curves(kind: Interpolation, ratio: float, expected: float) -> None:
    assert CURVES[kind](ratio) == pytest.approx(expected, abs=1e-15)
    assert curve_array(kind, [ratio])[0] == pytest.approx(expected, abs=1e-15)


def test_peak_speed_is_the_steepest_slope() -> None:
    ratios = np.linspace(0, 1, 100_001)
    for kind, peak in PEAK_SPEED.items():
        assert np.diff(curve_array(kind, ratios)).max() * 100_000 == pytest.approx(peak, rel=1e-6)


def test_own_interpolation_wins_unless_default() -> None:
    assert effective_interpolation(ZERO_MAX, MIN_MAX) is ZERO_MAX
    assert effective_interpolation(Interpolation.DEFAULT, MIN_MAX) is MIN_MAX
    assert effective_interpolation(Interpolation.DEFAULT, Interpolation.DEFAULT) is LINEAR


@pytest.mark.parametrize(
    ("milliseconds", "ticks"),
    # floor((D - 3) / 12) + 1 from 3 ms on, else 1.
    [(0.5, 1), (1, 1), (2.999, 1), (3, 1), (12, 1), (14.999, 1), (15, 2), (26.999, 2), (27, 3), (200, 17), (2000, 167)],
)
def test_ticks_of_a_duration(milliseconds: float, ticks: int) -> None:
    assert keyframe_ticks(milliseconds / 1000, TICK) == ticks


@given(st.integers(1, 3_000_000), st.sampled_from([0.012, 0.01, 0.001, 0.005]))
def test_ticks_agree_with_counting(microseconds: int, tick: float) -> None:
    """The clock's rule, tick by tick: done as soon as less than a quarter of a tick is left."""
    period = round(tick * 1e6)
    count = 1
    while microseconds - count * period >= period // 4:
        count += 1
    ratios = keyframe_ratios(microseconds * 1e-6, tick)
    assert len(ratios) == keyframe_ticks(microseconds * 1e-6, tick) == count
    assert ratios[-1] == 1.0
    assert (np.diff(ratios) > 0).all()
    assert (ratios[:-1] == pytest.approx(np.arange(1, count) * period / microseconds)) if count > 1 else True


def library(*keyframes: Keyframe, **block: object) -> MotionLibrary:
    return MotionLibrary(
        robot="walker", blocks={"b": Block(keyframes=keyframes, **block)}, motions={"m": Motion(blocks=("b",))}
    )


def test_linear_way_from_the_start_posture(robot: Robot) -> None:
    start = np.full(11, 0.2)
    track = sample_motion(library(Keyframe(duration=0.048, joints={"HeadYaw": 1.0})), robot, "m", start)
    assert track.time == pytest.approx([0, 0.012, 0.024, 0.036, 0.048])
    assert track.position[:, 0] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert (track.position[:, 1:] == 0.2).all()
    assert track.labels == (("", -1), ("b", 0), ("b", 0), ("b", 0), ("b", 0))


def test_targets_are_reached_exactly_and_blocks_follow_each_other(robot: Robot) -> None:
    keyframes = [
        Keyframe(duration=0.05, joints={"HeadYaw": 0.7}, interpolation=ZERO_MAX),
        Keyframe(duration=0.001, joints={"HeadYaw": -0.7}),
    ]
    document = library(*keyframes).model_copy(update={"motions": {"m": Motion(blocks=("b", "b"))}})
    track = sample_motion(document, robot, "m", np.zeros(11))
    assert [(s.occurrence, s.keyframe, s.first, s.last) for s in track.segments] == [
        (0, 0, 1, 4),
        (0, 1, 5, 5),
        (1, 0, 6, 9),
        (1, 1, 10, 10),
    ]
    assert track.position[[4, 5, 9, 10], 0].tolist() == [0.7, -0.7, 0.7, -0.7]
    assert track.position[1, 0] == pytest.approx(0.7 * math.sin(0.5 * math.pi * 12 / 50))
    assert track.segment(0) is track.segments[0]
    assert track.segment(5) is track.segments[1]
    assert track.segment(10) is track.segments[3]


def test_off_ignored_and_unnamed_joints_keep_their_position(robot: Robot) -> None:
    first = Keyframe(duration=0.012, joints={"LArmPitch": 0.5, "RArmPitch": 0.5, "HeadYaw": 0.5})
    second = Keyframe(duration=0.024, joints={"LArmPitch": "off", "RArmPitch": "ignore"})
    track = sample_motion(library(first, second), robot, "m", np.zeros(11))
    left, right, head = robot.index("LArmPitch"), robot.index("RArmPitch"), robot.index("HeadYaw")
    assert track.position[-1, [left, right, head]].tolist() == [0.5, 0.5, 0.5]
    assert track.stiffness[:, left].tolist() == [1.0, 1.0, 0.0, 0.0]
    assert track.stiffness[:, right].tolist() == [1.0] * 4


def test_stiffness_holds_until_the_next_block_sets_it(robot: Robot) -> None:
    soft = Keyframe(
        duration=0.012, stiffness=(JointStiffness(joint="LHipRoll", stiffness=0.0),), joints={"LHipRoll": 1.0}
    )
    plain = Keyframe(duration=0.012, joints={"LHipRoll": 1.0})
    document = MotionLibrary(
        robot="walker",
        blocks={
            "a": Block(base_stiffness={"left_leg": 0.5, "head": None}, keyframes=(soft, plain)),
            "b": Block(base_stiffness={"left_leg": 0.8}, keyframes=(plain,)),
        },
        motions={"m": Motion(blocks=("a", "b"))},
    )
    track = sample_motion(document, robot, "m", np.zeros(11))
    roll = robot.index("LHipRoll")
    assert track.stiffness[:, roll].tolist() == [1.0, 0.0, 0.0, 0.8]
    assert track.stiffness[1:3, robot.index("LAnkleRoll")].tolist() == [0.5, 0.5]
    # Without stiffness the joint is not moved; the target counts once it has stiffness again.
    assert track.position[:, roll].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_coupled_joint_takes_its_leaders_position(robot: Robot) -> None:
    track = sample_motion(
        library(Keyframe(duration=0.012, joints={"LHipYaw": 0.3, "RHipYaw": 0.9})), robot, "m", np.zeros(11)
    )
    assert track.position[-1, robot.index("RHipYaw")] == 0.3


def test_limb_poses_are_sampled_as_the_angles_that_reach_them(robot: Robot) -> None:
    # The leg turns by 0.3 rad about its hip at (0, 0.06, -0.15); the sole is 0.33 m from there.
    pose = {"left_leg": LimbPose(position=(0.0, 0.06 + 0.33 * math.sin(0.3), -0.15 - 0.33 * math.cos(0.3)))}
    track = sample_motion(library(Keyframe(duration=0.12, limbs=pose)), robot, "m", np.zeros(11))
    kinematics = Kinematics(robot)
    kinematics.update(track.position[-1])
    assert kinematics.pose("left_sole")[0] == pytest.approx(pose["left_leg"].position, abs=1e-6)
    moved = [name for name in robot.joint_names if track.position[-1, robot.index(name)] != 0.0]
    assert moved
    assert all(name[1:] in ("HipYaw", "HipRoll", "AnkleRoll") for name in moved)
    # Half of the way at half of the time: a linear keyframe in joint space.
    assert track.position[5] == pytest.approx(0.5 * track.position[-1])


def test_what_cannot_be_sampled_is_named(robot: Robot) -> None:
    zero = np.zeros(11)
    good = library(Keyframe(duration=0.1))
    with pytest.raises(MotionError, match=r"no such motion; got 'n'; legal: m"):
        sample_motion(good, robot, "n", zero)
    lost = good.model_copy(update={"motions": {"m": Motion(blocks=("bb",))}})
    with pytest.raises(
        MotionError, match=r"motions.m.blocks: the library has no such block; got 'bb'; did you mean 'b'"
    ):
        sample_motion(lost, robot, "m", zero)
    with pytest.raises(UnknownJointError, match=r"'HeadYow'; did you mean 'HeadYaw'"):
        sample_motion(library(Keyframe(duration=0.1, joints={"HeadYow": 1.0})), robot, "m", zero)
    with pytest.raises(MotionError, match=r"no such joint group; got 'left_foot'"):
        sample_block(library(base_stiffness={"left_foot": 1.0}), robot, "b", zero)
    with pytest.raises(MotionError, match=r"too long to sample; got 83333335; limit: 600000 samples"):
        sample_motion(library(Keyframe(duration=1e6)), robot, "m", zero)
    lost = library(Keyframe(duration=1.0, limbs={"left_arm": LimbPose(position=(9.0, 0.0, 0.0))}))
    with pytest.raises(MotionError, match=r"blocks.b.keyframes\[0\].limbs.left_arm: the pose is out of reach"):
        sample_motion(lost, robot, "m", zero)
    for start in (np.zeros(3), np.full(11, np.nan)):
        with pytest.raises(MotionError, match="start posture does not fit"):
            sample_motion(good, robot, "m", start)
    with pytest.raises(MotionError, match="tick is too short"):
        sample_motion(good, robot, "m", zero, 0.0)
