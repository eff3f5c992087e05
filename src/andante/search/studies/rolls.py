"""Rolls onto the front, from the back and from a side, told as directions of limbs: the start of a search.

The rolls are those of the library `k1`. From the back it goes over the left side: the right leg swings across while the
left one and the right arm push. From the left side the upper limbs swing forward and back; the mirror image serves for
the right side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from andante.motions.conditions import Condition, ConditionGroup, Variable
from andante.motions.keyframe import Block, Branch, Interpolation, Keyframe
from andante.motions.library import FollowUp, Motion
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.search.studies.sagittal import Sagittal, posture_map

_DEG = math.pi / 180.0
_REST = 5.0
"""Bend of the knees beside which nothing is asked [deg]."""


@dataclass(frozen=True)
class LegDirection:
    """Where a leg points."""

    flexion: float = 0.0
    """Thigh forward [deg]."""
    knee: float = _REST
    """Knee bent [deg]."""
    left: float = 0.0
    """Leg to the left [deg]."""
    turn: float = 0.0
    """Toes to the left [deg]."""


@dataclass(frozen=True)
class RollPose:
    """One keyframe of a roll."""

    name: str
    """What it is."""
    duration: float
    """Time to it, of a Booster K1 [s]."""
    legs: tuple[LegDirection, LegDirection] = (LegDirection(left=3.0), LegDirection(left=-3.0))
    """Left and right leg."""
    hands: tuple[float, float] = (0.0, 0.0)
    """Directions of the left and the right hand from the shoulder, from down, forward positive [deg]."""
    reach: float = 0.97
    """Distance of the hands over the arm's length."""


BESIDE = RollPose("arms and legs beside the trunk", 0.5)
ROLL_OVER = (
    RollPose(
        "swing the right leg across, push with the left one",
        0.33,
        (LegDirection(-62.8, 89.0, 10.1, 56.1), LegDirection(83.0, 7.2, 21.8, 56.1)),
        (103.3, -68.8),
    ),
    RollPose(
        "over the side",
        0.44,
        (LegDirection(-58.8, 86.7, 12.5, -23.1), LegDirection(55.4, 20.4, 9.7, -55.3)),
        (86.5, -6.8),
        0.93,
    ),
    RollPose(
        "onto the front",
        0.65,
        (LegDirection(13.4, 62.9, -21.8, -56.1), LegDirection(27.1, 1.1, 21.8, 56.1)),
        (-34.7, 33.3),
        0.93,
    ),
    RollPose("arms and legs beside the trunk", 0.6),
)
"""From the back over the left side onto the front."""
ROLL_SIDE = (
    RollPose(
        "upper limbs forward",
        0.6,
        (LegDirection(-20.0, 20.0, 3.0), LegDirection(70.0, 50.0, -3.0)),
        (-50.0, 80.0),
    ),
    RollPose("and back", 0.5, (LegDirection(0.0, 5.0, 3.0), LegDirection(40.0, 40.0, -3.0)), (-50.0, 60.0)),
    RollPose("arms and legs beside the trunk", 0.6),
)
"""From the left side onto the front."""
ON_FRONT = (
    Condition(variable=Variable.TORSO_ROLL_MAGNITUDE, min=0.0, max=45.0 * _DEG),
    Condition(variable=Variable.TORSO_PITCH, min=30.0 * _DEG, max=180.0 * _DEG),
)
"""When a robot lies on its front."""


def roll_frames(robot: Robot, sagittal: Sagittal, poses: Sequence[RollPose], time: float) -> tuple[Keyframe, ...]:
    """Keyframes of a roll.

    Args:
        robot: The robot.
        sagittal: The same, as seen from its side.
        poses: The roll.
        time: Factor on its durations.
    """
    postures: list[Vector] = []
    for pose in poses:
        posture = sagittal.stand
        for side, leg in zip(("left", "right"), pose.legs, strict=True):
            turned = (leg.flexion * _DEG, leg.knee * _DEG, leg.left * _DEG, leg.turn * _DEG)
            posture = sagittal.one_leg(posture, side, *turned)
        postures.append(posture)
    for at, side in enumerate(("left", "right")):
        postures = sagittal.reach_one(postures, [(pose.hands[at] * _DEG, pose.reach) for pose in poses], side)
    return tuple(
        Keyframe(duration=round(pose.duration * time, 3), joints=dict(posture_map(robot, posture)), note=pose.name)
        for pose, posture in zip(poses, postures, strict=True)
    )


def roll_blocks(robot: Robot, sagittal: Sagittal, full: Mapping[str, float], time: float) -> dict[str, Block]:
    """Blocks of the rolls, and the check that follows them."""
    smooth = Interpolation.SINE_MIN_TO_MAX
    off = ConditionGroup(conditions=tuple(each.but(negate=True) for each in ON_FRONT), all=False)
    again = Branch(motion="recoverGeneric", pre=off, max_motion_loops=2)
    frames = {
        "beside": (BESIDE,),
        "roll_over": ROLL_OVER,
        "roll_side": ROLL_SIDE,
    }
    found = {
        name: Block(base_stiffness=full, keyframes=roll_frames(robot, sagittal, poses, time), interpolation=smooth)
        for name, poses in frames.items()
    }
    found["check_front"] = Block(keyframes=(Keyframe(duration=0.001, branches=(again,)),))
    return found


def roll_motions() -> dict[str, Motion]:
    """Motions that sense the side, roll over, check and get up from the front."""

    def to_front() -> FollowUp:
        return FollowUp(motion="get_up_front", conditions=ON_FRONT)

    level = ON_FRONT[0]
    back = Condition(variable=Variable.TORSO_PITCH, min=-180.0 * _DEG, max=-30.0 * _DEG)
    left = Condition(variable=Variable.TORSO_ROLL, min=-180.0 * _DEG, max=-45.0 * _DEG)
    right = Condition(variable=Variable.TORSO_ROLL, min=45.0 * _DEG, max=180.0 * _DEG)
    return {
        "recoverGeneric": Motion(
            blocks=("recover",),
            follow_ups=(
                FollowUp(motion="get_up_left", conditions=(left,)),
                FollowUp(motion="get_up_left", mirror=True, conditions=(right,)),
                to_front(),
                FollowUp(motion="get_up_back", conditions=(level, back)),
            ),
        ),
        "get_up_back": Motion(
            blocks=("beside", "roll_over", "check_front"),
            start_posture="lie",
            end_posture="lie",
            follow_ups=(to_front(),),
        ),
        "get_up_left": Motion(
            blocks=("roll_side", "check_front"), start_posture="lie", end_posture="lie", follow_ups=(to_front(),)
        ),
    }
