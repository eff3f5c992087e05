"""Names of the configuration files and what Andante calls the same things, per dialect.

The names of motions and blocks are the same on both sides. All are facts of the releases 2022 to 2025; teams add
motions and blocks of their own to the two enumerations in the robot's code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from andante.motions.conditions import Variable
from andante.motions.keyframe import Interpolation
from andante.motions.library import EnergySaving

DIALECTS = ("bhuman-2022", "bhuman-2023", "bhuman-2024", "bhuman-2025")
"""The dialects that are read and written."""

LIMBS: Mapping[str, str] = {
    "leftArm": "left_arm",
    "rightArm": "right_arm",
    "leftLeg": "left_leg",
    "rightLeg": "right_leg",
}
"""Limbs of joint targets and Cartesian targets."""

GROUPS = ("head", "left_arm", "right_arm", "left_leg", "right_leg")
"""Joint groups in the order of the base stiffness."""

HEAD = ("HeadYaw", "HeadPitch")
_ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "Hand")
_LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
LIMB_JOINTS: Mapping[str, tuple[str, ...]] = {
    "left_arm": tuple(f"L{part}" for part in _ARM),
    "right_arm": tuple(f"R{part}" for part in _ARM),
    "left_leg": tuple(f"L{part}" for part in _LEG),
    "right_leg": tuple(f"R{part}" for part in _LEG),
}
"""Joints of each limb in the order of the files."""

JOINTS = (*HEAD, *(joint for group in LIMB_JOINTS.values() for joint in group))
"""All joints with a target in every keyframe, in the order of the files."""


def joint_names(dialect: str) -> Mapping[str, str]:
    """Joint of each name of a dialect."""
    names = {joint[0].lower() + joint[1:]: joint for joint in JOINTS}
    if dialect == "bhuman-2025":
        names |= {"waistYaw": "WaistYaw", "lHipYaw": "LHipYawPitch", "rHipYaw": "RHipYawPitch"}
    return names


INTERPOLATIONS: Mapping[str, str] = {
    "Default": Interpolation.DEFAULT,
    "Linear": Interpolation.LINEAR,
    "SinusMinToMax": Interpolation.SINE_MIN_TO_MAX,
    "SinusZeroToMax": Interpolation.SINE_ZERO_TO_MAX,
}
PHASES: Mapping[str, str] = {
    "UnknownPhase": "unknown",
    "PushingWithArmsFromGround": "pushing_with_arms_from_ground",
    "ReduceVel": "reduce_vel",
    "Split": "split",
    "HalfSplit": "half_split",
    "Sit": "sit",
    "Stand": "stand",
    "StandStatic": "stand_static",
}
ENERGY_SAVING: Mapping[str, str] = {
    "none": EnergySaving.NONE,
    "activeInWait": EnergySaving.IN_WAIT,
    "activeAlways": EnergySaving.ALWAYS,
}
SIGNS: Mapping[str, str] = {
    "Default": "default",
    "OnlyPositive": "only_positive",
    "OnlyNegative": "only_negative",
    "AbsolutePositive": "absolute_positive",
    "AbsoluteNegative": "absolute_negative",
}

_VARIABLES: Mapping[str, str] = {
    "InertialDataAngleY": Variable.TORSO_PITCH,
    "InertialDataAngleAbsoluteX": Variable.TORSO_ROLL_MAGNITUDE,
    "FluctuationY": Variable.TORSO_PITCH_FLUCTUATION,
    "ShoulderPitchLeft": Variable.LEFT_SHOULDER_PITCH,
    "ShoulderPitchRight": Variable.RIGHT_SHOULDER_PITCH,
    "ShoulderRollLeft": Variable.LEFT_SHOULDER_ROLL,
    "ShoulderRollRight": Variable.RIGHT_SHOULDER_ROLL,
    "WristTranslationYLeft": Variable.LEFT_WRIST_Y,
    "WristTranslationYRight": Variable.RIGHT_WRIST_Y,
    "WaitTime": Variable.WAIT_TIME,
    "FrontHack": Variable.FRONT_HACK,
    "IsSitting": Variable.KNEE_FLEXION,
    "LowCom": Variable.COM_HEIGHT,
    "HYPDifference": Variable.HIP_YAW_PITCH_ERROR,
    "FootSupportVal": Variable.FOOT_SUPPORT,
    "BreakUp": Variable.BREAK_UP,
    "ComOutOfSupportPolygonX": Variable.COM_OUTSIDE_SUPPORT_X,
    "LyingOnArmsFront": Variable.LYING_ON_ARMS_FRONT,
    "TryCounter": Variable.TRY_COUNT,
}


def variables(dialect: str) -> Mapping[str, str]:
    """Condition variable of each name of a dialect."""
    if dialect == "bhuman-2025":
        return {**_VARIABLES, "AnotherFrontHack": Variable.ANOTHER_FRONT_HACK}
    return _VARIABLES


MOTIONS = (
    *("front", "back", "recoverGeneric", "catchBack", "catchFront", "recoverFromGenu", "recoverFromSumo"),
    *("restartFront", "restartBack"),
    *("stand", "sit", "sitDown", "sitDownKeeper", "keeperJumpLeft"),
    *("genuflectStand", "genuflectStandDefender"),
    *("demoBannerWave", "demoBannerWaveInitial"),
)
"""Motions of the releases in the order of the files, the same in all dialects."""

MOTION_ENUMERATION = "KeyframeMotionListID"
"""Where the robot's code lists the motions."""
BLOCK_ENUMERATION = "KeyframeMotionBlockID"
"""Where the robot's code lists the blocks."""
IDENTIFIER_RULE = "letters, digits and _, no digit first"
"""What a name must be so that an enumeration can list it."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_identifier(name: str) -> bool:
    """Whether an enumeration of the robot's code can list a name."""
    return _IDENTIFIER.fullmatch(name) is not None


_BLOCKS = (
    *("sit", "sitDown", "stand", "standHigh"),
    *("front", "frontCatch", "frontCatchStart", "frontUpright"),
    *("back", "backTipOver", "backTipOverReset"),
    *("recover", "recoverBackStaticArms", "recoverFront", "recoverBack", "recoverSlow"),
    *("recoverGenuflect", "recoverGenuflectWide"),
    *("armSavingFront", "armSavingBack", "fromSitting"),
    *("genuflectFromSitting", "genuflectFromStand", "genuflect", "genuflectWide", "genuflectEnd", "wait"),
    *("jumpLeftFromSitting", "jumpLeftFromStand", "sitKeeper", "sitKeeperJump"),
    *("waveInitial", "wave"),
)


def blocks(dialect: str) -> tuple[str, ...]:
    """Blocks of a dialect's release in the order of the files."""
    if dialect == "bhuman-2022":
        return tuple(name for name in _BLOCKS if name != "recoverBackStaticArms")
    return _BLOCKS
