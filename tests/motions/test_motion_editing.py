"""Editing: mirroring twice is nothing, time and order by hand-worked values, speed limits hold after retiming."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from libraries import libraries
from walker import walker

from andante.motions.conditions import Condition, Variable
from andante.motions.editing.mirror import (
    mirror_block,
    mirror_condition,
    mirror_keyframe,
    mirror_library,
    mirror_motion,
    mirror_posture,
)
from andante.motions.editing.timing import retime_motion, scale_block, scale_motion
from andante.motions.errors import MotionError
from andante.motions.keyframe import Block, Branch, Interpolation, JointCompensation, JointScale, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.parts import AngleRange, TorsoWindow, WindowRange
from andante.motions.sampling import sample_motion
from andante.robots.robot import Robot

SLOW = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@SLOW
@given(libraries)
def test_mirroring_twice_gives_the_original(library: MotionLibrary) -> None:
    robot = walker()
    assert mirror_library(mirror_library(library, robot), robot) == library


@pytest.mark.slow
@SLOW
@given(libraries)
def test_a_mirrored_motion_is_the_mirror_image_of_its_trajectory(library: MotionLibrary) -> None:
    robot = walker()
    blocks = {
        name: block.model_copy(
            update={"keyframes": tuple(keyframe.model_copy(update={"limbs": None}) for keyframe in block.keyframes)}
        )
        for name, block in library.blocks.items()
    }
    library = library.model_copy(update={"blocks": blocks, "motions": {"m": Motion(blocks=tuple(blocks))}})
    start = np.linspace(-1, 1, 11)
    start[robot.index("RHipYaw")] = start[robot.index("LHipYaw")]
    # Two targets for the one motor of the hip yaws have no mirror image: the left one decides.
    for block in blocks.values():
        for keyframe in block.keyframes:
            assume(keyframe.joints.get("LHipYaw") == keyframe.joints.get("RHipYaw"))
            assume(not any(change.joint.endswith("HipYaw") for change in keyframe.stiffness))
    one = sample_motion(library, robot, "m", start)
    other = sample_motion(mirror_library(library, robot), robot, "m", mirror_posture(start, robot))
    np.testing.assert_allclose(other.position, mirror_posture(one.position, robot), atol=1e-15)


def test_mirrored_posture_by_hand(robot: Robot) -> None:
    posture = np.zeros(11)
    posture[robot.index("HeadYaw")], posture[robot.index("LArmPitch")] = 0.1, 0.2
    posture[robot.index("RArmRoll")] = 0.3
    image = mirror_posture(posture, robot)
    assert {name: value for name, value in zip(robot.joint_names, image.tolist(), strict=True) if value} == {
        "HeadYaw": -0.1,
        "RArmPitch": 0.2,
        "LArmRoll": -0.3,
    }
    with pytest.raises(MotionError, match="does not fit the robot"):
        mirror_posture(np.zeros(10), robot)


def test_mirrored_keyframe_by_hand(robot: Robot) -> None:
    keyframe = Keyframe(
        duration=1.0,
        joints={"LArmRoll": 0.5, "RArmPitch": 0.25, "HeadYaw": "off"},
        com_goal=(0.01, 0.02),
        balance_pitch=(
            JointScale(joint="LAnkleRoll", scale=1.0, sign="only_positive"),
            JointScale(joint="LArmPitch", scale=2.0, sign="only_positive"),
        ),
        balance_roll=(
            JointScale(joint="LAnkleRoll", scale=1.0, sign="absolute_positive"),
            JointScale(joint="LArmPitch", scale=2.0, sign="only_positive"),
        ),
        window=TorsoWindow(pitch=WindowRange(min=-1.0, max=2.0), roll=WindowRange(min=-0.25, max="keep")),
    )
    image = mirror_keyframe(keyframe, robot)
    assert image.joints == {"RArmRoll": -0.5, "LArmPitch": 0.25, "HeadYaw": "off"}
    assert image.com_goal == (0.01, -0.02)
    # Fore and aft roll joints turn; sideways the balancer's output turns, so that pitch joints do. The sign is that of
    # the joint's own change: where roll joints turn it does, whichever way the balancer's output goes.
    assert image.balance_pitch == (
        JointScale(joint="RAnkleRoll", scale=-1.0, sign="only_negative"),
        JointScale(joint="RArmPitch", scale=2.0, sign="only_positive"),
    )
    assert image.balance_roll == (
        JointScale(joint="RAnkleRoll", scale=1.0, sign="absolute_negative"),
        JointScale(joint="RArmPitch", scale=-2.0, sign="only_positive"),
    )
    assert image.window.pitch == keyframe.window.pitch
    assert (image.window.roll.min, image.window.roll.max) == ("keep", 0.25)


def correction(rule: JointCompensation, error: float) -> dict[str, float]:
    """The correction of every target joint as the original engine computes it."""
    low, high = rule.range.min, rule.range.max
    share = max(error / low, error / high) if low * high < 0 else (error - low) / (high - low)
    return {target.joint: max(share, 0.0) * target.scale * high for target in rule.targets}


@pytest.mark.parametrize("joint", ["LHipRoll", "LHipYaw", "HeadYaw"])
@pytest.mark.parametrize("bounds", [(0.1, 0.4), (-0.1, -0.4), (-0.2, 0.4)])
@pytest.mark.parametrize("difference", [False, True])
def test_mirrored_compensation_corrects_the_mirror_image(
    robot: Robot, joint: str, bounds: tuple[float, float], difference: bool
) -> None:
    rule = JointCompensation(
        joint=joint,
        hip_pitch_difference=difference,
        range=AngleRange(min=bounds[0], max=bounds[1]),
        targets=(JointScale(joint="RAnkleRoll", scale=0.5), JointScale(joint="LArmPitch", scale=-2.0)),
    )
    keyframe = Keyframe(duration=1.0, compensation=(rule,))
    (image,) = mirror_keyframe(keyframe, robot).compensation
    turn = -1.0 if difference or joint in robot.mirror.negate else 1.0
    for error in (-0.3, -0.05, 0.0, 0.25, 0.7):
        here, there = correction(rule, error), correction(image, turn * error)
        assert there["LAnkleRoll"] == pytest.approx(-here["RAnkleRoll"], abs=1e-15)
        assert there["RArmPitch"] == pytest.approx(here["LArmPitch"], abs=1e-15)


def test_mirrored_conditions_by_hand() -> None:
    def mirrored(variable: Variable) -> tuple[str, float, float]:
        image = mirror_condition(Condition(variable=variable, min=-1.0, max=3.0))
        return image.variable.value, image.min, image.max

    assert mirrored(Variable.TORSO_PITCH) == ("torso_pitch", -1.0, 3.0)
    assert mirrored(Variable.LEFT_SHOULDER_PITCH) == ("right_shoulder_pitch", -1.0, 3.0)
    assert mirrored(Variable.RIGHT_SHOULDER_ROLL) == ("left_shoulder_roll", -3.0, 1.0)
    assert mirrored(Variable.LEFT_WRIST_Y) == ("right_wrist_y", -3.0, 1.0)
    assert mirrored(Variable.FOOT_SUPPORT) == ("foot_support", -3.0, 1.0)


def simple(*durations: float, **joints: float) -> Block:
    return Block(keyframes=tuple(Keyframe(duration=duration, joints=joints) for duration in durations))


def test_a_mirrored_motion_brings_its_blocks_along(robot: Robot) -> None:
    branching = Block(keyframes=(Keyframe(duration=1.0, branches=(Branch(block="catch"), Branch(motion="m"))),))
    library = MotionLibrary(
        robot="walker",
        motions={"m": Motion(blocks=("a", "a"))},
        blocks={"a": branching, "catch": simple(1.0, LArmRoll=0.5), "other": simple(1.0)},
    )
    edited = mirror_motion(library, robot, "m", "mRight", suffix="Right")
    assert list(edited.blocks) == ["a", "catch", "other", "aRight", "catchRight"]
    assert edited.motions["mRight"].blocks == ("aRight", "aRight")
    assert [(b.block, b.motion) for b in edited.blocks["aRight"].keyframes[0].branches] == [
        ("catchRight", None),
        (None, "m"),
    ]
    assert edited.blocks["catchRight"] == mirror_block(library.blocks["catch"], robot)
    assert library.motions == {"m": Motion(blocks=("a", "a"))}
    with pytest.raises(MotionError, match="already has a motion of that name"):
        mirror_motion(library, robot, "m", "m")
    with pytest.raises(MotionError, match="already has a block of that name; got 'aRight'"):
        mirror_motion(edited, robot, "m", "again", suffix="Right")


def test_time_scale() -> None:
    assert [k.duration for k in scale_block(simple(0.1, 0.2), 1.5).keyframes] == pytest.approx([0.15, 0.3])
    library = MotionLibrary(
        robot="walker", motions={"m": Motion(blocks=("a", "a"))}, blocks={"a": simple(1.0), "b": simple(1.0)}
    )
    edited = scale_motion(library, "m", 2.0)
    assert (edited.blocks["a"].keyframes[0].duration, edited.blocks["b"].keyframes[0].duration) == (2.0, 1.0)
    for factor in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(MotionError, match="cannot be scaled"):
            scale_block(simple(1.0), factor)


def test_retiming_by_hand(robot: Robot) -> None:
    # 1 rad at 4 rad/s takes 250 ms: 21 ticks of 12 ms; on the sine pi/2 as long: 392.7 ms, 33 ticks.
    library = MotionLibrary(
        robot="walker",
        blocks={
            "a": Block(
                keyframes=(
                    Keyframe(duration=0.1, joints={"HeadYaw": 1.0, "LArmRoll": 0.5}),
                    Keyframe(duration=1.0, joints={"HeadYaw": 0.0}),
                    Keyframe(duration=0.3, joints={"HeadYaw": 1.0}, interpolation=Interpolation.SINE_MIN_TO_MAX),
                )
            )
        },
        motions={"m": Motion(blocks=("a",))},
    )
    edited, changes = retime_motion(library, robot, "m", np.zeros(11))
    assert [k.duration for k in edited.blocks["a"].keyframes] == [0.252, 1.0, 0.396]
    assert [(c.place, c.joint, c.before, c.after) for c in changes] == [
        ("blocks.a.keyframes[0]", "HeadYaw", 0.1, 0.252),
        ("blocks.a.keyframes[2]", "HeadYaw", 0.3, 0.396),
    ]
    assert str(changes[0]).startswith("blocks.a.keyframes[0]: 100 ms -> 252 ms, as HeadYaw would move at")
    assert retime_motion(edited, robot, "m", np.zeros(11)) == (edited, ())
    with pytest.raises(MotionError, match="out of range"):
        retime_motion(library, robot, "m", np.zeros(11), share=0.0)


@SLOW
@given(
    st.lists(st.tuples(st.integers(1, 300), st.integers(-200, 200), st.sampled_from(Interpolation)), max_size=5),
    st.sampled_from([1.0, 0.5]),
)
def test_no_step_is_too_fast_after_retiming(plan: list[tuple[int, int, Interpolation]], share: float) -> None:
    robot = walker()
    keyframes = tuple(
        Keyframe(duration=ms / 1000, joints={"HeadYaw": angle / 100}, interpolation=curve) for ms, angle, curve in plan
    )
    library = MotionLibrary(
        robot="walker", blocks={"b": Block(keyframes=keyframes)}, motions={"m": Motion(blocks=("b", "b"))}
    )
    edited, changes = retime_motion(library, robot, "m", np.zeros(11), share=share)
    steps = np.abs(np.diff(sample_motion(edited, robot, "m", np.zeros(11)).position, axis=0)) / robot.tick
    assert (steps <= share * 4.0 * (1 + 1e-8)).all()
    touched = {change.place for change in changes}
    for index, (old, new) in enumerate(zip(keyframes, edited.blocks["b"].keyframes, strict=True)):
        assert new.duration >= old.duration
        assert (new.duration != old.duration) == (f"blocks.b.keyframes[{index}]" in touched)
