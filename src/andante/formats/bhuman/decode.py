"""Values of a configuration file to a motion library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.formats.bhuman.names import GROUPS, HEAD, LIMB_JOINTS
from andante.formats.bhuman.scalars import FILE_UNITS
from andante.formats.bhuman.schema import GAINS
from andante.formats.bhuman.shapes import NOTE
from andante.motions.conditions import VARIABLE_DIMENSION, Condition, ConditionGroup, Variable, WaitCondition
from andante.motions.extras import without_lines
from andante.motions.keyframe import (
    Block,
    Branch,
    Interpolation,
    JointCompensation,
    JointScale,
    JointStiffness,
    JointTarget,
    Keyframe,
    LimbPose,
)
from andante.motions.library import EndRequest, FollowUp, Motion
from andante.motions.parts import AngleRange, LengthRange, NumberRange, TorsoWindow, WindowRange
from andante.motions.settings import (
    BalanceOut,
    BalanceParameters,
    DirectionLengths,
    DirectionNumbers,
    EngineSettings,
    GainPair,
    Oscillation,
    SafeFall,
)

Raw = Mapping[str, Any]


def decode_comment(raw: Raw) -> dict[str, Any]:
    """Note and extras from a record's comment."""
    note, extras = without_lines(raw[NOTE])
    return {"note": note, "extras": extras}


def decode_settings(raw: Raw) -> EngineSettings:
    """Engine settings from the top level of the engine file."""
    out, fall, corners = raw["balanceOutParams"], raw["safeFallParameters"], raw["supportPolygonOffsets"]
    oscillation = None
    if "oscillationPeriod" in raw:
        oscillation = Oscillation(
            period=raw["oscillationPeriod"],
            amplitude=raw["oscillationAmplitude"],
            error_range=AngleRange(**raw["hypErrorOscillationScaling"]),
        )
    filter_factors = raw.get("jointDiffFilterParameters")
    return EngineSettings(
        max_tries=raw["maxTryCounter"],
        break_up_on_motor_malfunction=raw["motorMalfunctionBreakUp"],
        step_mode_stiffness=raw["maxStiffnessDebugMode"],
        min_reduce_difference=raw.get("minJointCompensationReduceAngleDiff"),
        balance_out=BalanceOut(
            max_time=out["maxTime"],
            max_fluctuation=out["minFluctuation"],
            max_forward=out["minForwardAngle"],
            min_backward=out["minBackwardAngle"],
            max_d=out["minPIDDValue"],
        ),
        support_offsets=(corners["x"], corners["y"], corners["z"]),
        safe_fall=SafeFall(
            sit_hip_yaw_pitch_threshold=fall["sitHYPThreshold"],
            head=fall["head"],
            head_stiffness=fall["headStiffness"],
            body_stiffness=fall["bodyStiffness"],
            low_head_stiffness_after=fall["lowHeadStiffnessWaitTime"],
            off_after=fall["unstiffWaitTime"],
            hip_pitch_stiffness=fall.get("hipPitchStiffness"),
            elbow_roll_stiffness=fall.get("elbowRollStiffness"),
        ),
        safe_upright=_window(raw["safeUprightParameters"]),
        difference_filter=NumberRange(**filter_factors) if filter_factors else None,
        oscillation=oscillation,
        retries=raw.get("motionSpecificRetries"),
        front_retries=raw.get("motionSpecificRetriesFront"),
        shoulder_pitch_threshold=raw.get("shoulderPitchThreshold"),
        shoulder_roll_threshold=raw.get("shoulderRollThreshold"),
        broken_joint_thresholds=raw.get("brokenJointData"),
        compensation_simulation_factor=raw.get("jointCompensationSimulationFactor"),
    )


def decode_balance(raw: Raw) -> BalanceParameters:
    """Balance parameters of one phase."""
    factor, base = raw["balanceFactor"], raw["comDiffBase"]
    gains = [
        GainPair(base=factor[name]["baseValue"], max_additional=factor[name]["maxAdditionalValue"]) for name in GAINS
    ]
    return BalanceParameters(
        max_scaling=_numbers(factor["maxValAdditionalScaling"]),
        exponent=_numbers(factor["exponentFactorScaling"]),
        p_pitch=gains[0],
        p_roll=gains[1],
        d_pitch=gains[2],
        d_roll=gains[3],
        com_range=DirectionLengths(
            pitch=LengthRange(**base["pitchDirection"]), roll=LengthRange(**base["rollDirection"])
        ),
    )


def decode_motion(raw: Raw) -> Motion:
    """One entry of ``motions``."""
    end = raw["keyframeEndRequest"]
    return Motion(
        blocks=tuple(raw["keyframes"]),
        balance_out=raw["balanceOut"],
        end_request=EndRequest(
            energy_saving_legs=end["energySavingLegs"],
            energy_saving_arms=end["energySavingArms"],
            stand_high=end["isStandHigh"],
        ),
        stable=raw["isMotionStable"],
        follow_ups=tuple(
            FollowUp(
                motion=follow["startAsNextPhase"],
                conditions=tuple(_condition(condition) for condition in follow["conditions"]),
                all=follow["isAndCondition"],
            )
            for follow in raw["startAsNextPhaseMotion"]
        ),
        **decode_comment(raw),
    )


def decode_block(raw: Raw) -> Block:
    """One entry of ``keyframeBlock``."""
    return Block(
        base_stiffness=dict(zip(GROUPS, raw["baseLimbStiffness"], strict=True)),
        keyframes=tuple(_keyframe(keyframe) for keyframe in raw["keyframes"]),
        interpolation=Interpolation(raw["interpolationType"]),
        **decode_comment(raw),
    )


def _keyframe(raw: Raw) -> Keyframe:
    compensation, reduce_factor = raw["jointCompensation"], None
    if isinstance(compensation, Mapping):
        reduce_factor = compensation["reduceFactorJointCompensation"]
        compensation = compensation["jointCompensationParams"]
    start = raw["torsoAngleBreakUpStart"]
    balance = raw["balanceWithJoints"]
    return Keyframe(
        duration=raw["duration"],
        joints=_targets(raw["angles"]),
        limbs=_limbs(raw["robotPoses"]),
        interpolation=Interpolation(raw["interpolationType"]),
        phase=raw["phase"],
        com_goal=(raw["goalCom"]["x"], raw["goalCom"]["y"]),
        start_from_measured_com=raw["setLastCom"],
        forbid_wait_break=raw["forbidWaitBreak"],
        compensation=tuple(_compensation(params) for params in compensation or ()),
        compensation_reduce_factor=reduce_factor,
        waits=tuple(
            WaitCondition(**_condition_values(condition), max_wait=condition["maxWaitTime"])
            for condition in raw["waitConditions"]
        ),
        branches=tuple(_branch(branch) for branch in raw["keyframeBranches"]),
        balance_pitch=_scales(balance["jointY"]),
        balance_roll=_scales(balance["jointX"]),
        stiffness=tuple(
            JointStiffness(joint=change["joint"], stiffness=change["s"]) for change in raw["singleMotorStiffnessChange"]
        ),
        window=_window(raw["torsoAngleBreakUpEnd"]),
        window_start=None if start is None else _window(start),
        **decode_comment(raw),
    )


def _targets(raw: Raw) -> dict[str, JointTarget]:
    targets: dict[str, JointTarget] = dict(zip(HEAD, raw["head"], strict=True))
    for limb, joints in LIMB_JOINTS.items():
        # A limb that the file leaves out keeps the original's default, which is 0.
        targets.update(zip(joints, raw["positions"].get(limb, [0.0] * len(joints)), strict=True))
    return targets


def _limbs(raw: Raw | None) -> dict[str, LimbPose] | None:
    if raw is None:
        return None
    poses: dict[str, LimbPose] = {}
    for limb, wrapped in raw["robotPoses"].items():
        pose = wrapped["pose"]
        if pose is not None:
            place, turn = pose["trans"], pose["rot"]
            poses[limb] = LimbPose(
                position=None if place is None else (place["x"], place["y"], place["z"]),
                rotation=None if turn is None else (turn["x"], turn["y"], turn["z"]),
            )
    return poses


def _compensation(raw: Raw) -> JointCompensation:
    return JointCompensation(
        joint=raw["jointDelta"],
        hip_pitch_difference=raw["hipPitchDifferenceCompensation"],
        range=AngleRange(**raw["range"]),
        targets=_scales(raw["jointPairs"]),
        predict=raw["predictJointDiff"],
    )


def _scales(raw: list[Raw]) -> tuple[JointScale, ...]:
    return tuple(
        JointScale(joint=pair["joint"], scale=pair["scaling"], sign=pair.get("jointBalanceType", "default"))
        for pair in raw
    )


def _branch(raw: Raw) -> Branch:
    early = _group(raw["earlyEntranceCondition"])
    used = raw["useEarlyEntrance"]
    return Branch(
        block=raw["blockID"],
        motion=raw["motionID"],
        init_stiffness=raw["initStiffness"],
        remove_current_block=raw["removeCurrentBlock"],
        pre=_group(raw["preCondition"]),
        early=early if used else None,
        unused_early=early if not used and early != ConditionGroup() else None,
        max_block_loops=raw["maxNumberOfLoopsBlockID"],
        max_motion_loops=raw["maxNumberOfLoopsMotionID"],
    )


def _group(raw: Raw) -> ConditionGroup:
    return ConditionGroup(conditions=tuple(_condition(condition) for condition in raw["conditions"]), all=raw["isAnd"])


def _condition(raw: Raw) -> Condition:
    return Condition(**_condition_values(raw))


def _condition_values(raw: Raw) -> dict[str, Any]:
    variable = Variable(raw["variable"])
    dimension = VARIABLE_DIMENSION[variable]
    return {
        "variable": variable,
        "min": FILE_UNITS.to_si(raw["range"]["min"], dimension),
        "max": FILE_UNITS.to_si(raw["range"]["max"], dimension),
        "negate": raw["isNot"],
    }


def _window(raw: Raw) -> TorsoWindow:
    return TorsoWindow(pitch=WindowRange(**raw["pitchDirection"]), roll=WindowRange(**raw["rollDirection"]))


def _numbers(raw: Raw) -> DirectionNumbers:
    return DirectionNumbers(pitch=NumberRange(**raw["pitchDirection"]), roll=NumberRange(**raw["rollDirection"]))
