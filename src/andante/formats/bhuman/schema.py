"""The shapes of the two configuration files per dialect: every attribute, its kind, unit and default.

Attributes and defaults are facts of the releases; the order is that in which the original writes them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from andante.formats.bhuman.names import (
    ENERGY_SAVING,
    INTERPOLATIONS,
    JOINTS,
    LIMBS,
    MOTIONS,
    PHASES,
    SIGNS,
    blocks,
    joint_names,
    variables,
)
from andante.formats.bhuman.scalars import AngleValue, BareAngle, Flag, Integer, Kind, Name, Number, Range, Reference
from andante.formats.bhuman.shapes import Field, ListOf, OptionalOf, RecordByName, RecordOf
from andante.motions.parts import NO_WINDOW
from andante.motions.settings import EngineSettings, SafeFall

TARGET_WORDS = {10000.0: "off", 20000.0: "ignore"}
"""Bare numbers among joint targets that are no angles."""
WINDOW_WORDS = {20000.0: "keep"}
"""Bare number in a torso window that keeps the value in force."""

_NUMBER = Number()
_MM = Number("length")
_ANGLE = AngleValue()
_FLAG = Flag()
_MS = Integer(Range(low=0), dimension="time")
_PERCENT = Integer(Range(0, 100), percent=True)
_PERCENT_OR_KEEP = Integer(Range(0, 100), percent=True, none=-1)
_LOOPS = Integer(Range(low=-1))
_PAIR_ZERO = {"x": 0.0, "y": 0.0}
GAINS = ("pidPPitchParameter", "pidPRollParameter", "pidDPitchParameter", "pidDRollParameter")
"""Attributes of the four gain pairs, in file order."""
_DEGREE = 0.017453292519943295
BROKEN_JOINTS = dict.fromkeys(JOINTS, _DEGREE * 20.0)
BROKEN_JOINTS |= dict.fromkeys(("HeadYaw", "HeadPitch"), _DEGREE * 50.0)
BROKEN_JOINTS |= dict.fromkeys(("LHipPitch", "RHipPitch"), _DEGREE * 30.0)
BROKEN_JOINTS |= dict.fromkeys(("LWristYaw", "RWristYaw"), _DEGREE * 200.0)
"""Thresholds of the release 2022 [rad]."""
_SETTINGS = EngineSettings()
_FALL = SafeFall()


def _range(kind: Kind, low: Any = 0.0, high: Any = 0.0) -> RecordOf:
    return RecordOf((Field("min", kind, low), Field("max", kind, high)))


def _vector(kind: Kind, names: str) -> RecordOf:
    return RecordOf(tuple(Field(name, kind, 0.0) for name in names))


def _directions(kind: Kind) -> RecordOf:
    wide = NO_WINDOW.pitch
    span = {"min": wide.min, "max": wide.max}
    member = _range(kind, wide.min, wide.max)
    return RecordOf((Field("pitchDirection", member, span), Field("rollDirection", member, span)))


_WINDOW = _directions(AngleValue(WINDOW_WORDS))
_WIDE = {name: {"min": NO_WINDOW.pitch.min, "max": NO_WINDOW.pitch.max} for name in ("pitchDirection", "rollDirection")}
_SAFE_UPRIGHT = {
    "pitchDirection": {"min": _SETTINGS.safe_upright.pitch.min, "max": _SETTINGS.safe_upright.pitch.max},
    "rollDirection": {"min": _SETTINGS.safe_upright.roll.min, "max": _SETTINGS.safe_upright.roll.max},
}
_TARGET = AngleValue(TARGET_WORDS)
_INTERPOLATION = Name("an interpolation", INTERPOLATIONS)


def _keyframe(dialect: str) -> RecordOf:
    joint = Name("a joint", joint_names(dialect))
    block = Reference("a block", blocks(dialect), "keyframeBlock")
    condition_fields = (
        Field("variable", Name("a condition variable", variables(dialect)), "torso_pitch"),
        Field("range", _range(_NUMBER), {"min": 0.0, "max": 0.0}),
        Field("isNot", _FLAG, False),
    )
    group = RecordOf((Field("conditions", ListOf(RecordOf(condition_fields)), []), Field("isAnd", _FLAG, True)))
    empty_group: dict[str, Any] = {"conditions": [], "isAnd": True}
    branch = RecordOf(
        (
            Field("blockID", block, blocks(dialect)[0]),
            Field("motionID", OptionalOf(_MOTION), None),
            Field("initStiffness", _FLAG, False),
            Field("removeCurrentBlock", _FLAG, False),
            Field("preCondition", group, empty_group),
            Field("useEarlyEntrance", _FLAG, False),
            Field("earlyEntranceCondition", group, empty_group),
            Field("maxNumberOfLoopsBlockID", _LOOPS, -1),
            Field("maxNumberOfLoopsMotionID", _LOOPS, -1),
        )
    )
    pair_fields = (Field("joint", joint, "HeadYaw"), Field("scaling", _NUMBER, 0.0))
    balance_fields: tuple[Field, ...] = pair_fields
    if dialect == "bhuman-2025":
        balance_fields = (*pair_fields, Field("jointBalanceType", Name("a balance type", SIGNS), "default"))
    balance_pairs = ListOf(RecordOf(balance_fields))
    compensation_params = ListOf(
        RecordOf(
            (
                Field("jointDelta", joint, "HeadYaw"),
                Field("hipPitchDifferenceCompensation", _FLAG, False),
                Field("range", _range(_ANGLE), {"min": 0.0, "max": 0.0}),
                Field("jointPairs", ListOf(RecordOf(pair_fields)), []),
                Field("predictJointDiff", _FLAG, False),
            )
        )
    )
    compensation: Field = Field("jointCompensation", compensation_params, [])
    if dialect != "bhuman-2025":
        params = Field("jointCompensationParams", compensation_params, [])
        reduce = Field("reduceFactorJointCompensation", _NUMBER, 0.2)
        compensation = Field("jointCompensation", OptionalOf(RecordOf((params, reduce))), None)
    position = RecordOf(
        (
            Field("trans", OptionalOf(_vector(_MM, "xyz")), None),
            Field("rot", OptionalOf(_vector(_ANGLE, "xyz")), None),
        )
    )
    wrapped = RecordOf((Field("pose", OptionalOf(position), None),))
    stiffness = RecordOf((Field("joint", joint, "HeadYaw"), Field("s", _PERCENT, 0.0)))
    zero_limbs = {limb: [0.0] * 6 for limb in LIMBS.values()}
    angles = RecordOf(
        (
            Field("head", ListOf(_TARGET, 2), [0.0, 0.0]),
            Field("positions", RecordByName(LIMBS, ListOf(_TARGET, 6)), zero_limbs),
        )
    )
    return RecordOf(
        (
            Field("phase", Name("a phase", PHASES), "unknown"),
            Field("duration", Number("time", Range(low=0.0, above=True)), 2.0),
            Field("goalCom", _vector(_MM, "xy"), _PAIR_ZERO),
            Field("setLastCom", _FLAG, False),
            Field("forbidWaitBreak", _FLAG, False),
            Field("interpolationType", _INTERPOLATION, "default"),
            compensation,
            Field("waitConditions", ListOf(RecordOf((*condition_fields, Field("maxWaitTime", _MS, 1.0)))), []),
            Field("keyframeBranches", ListOf(branch), []),
            Field(
                "balanceWithJoints",
                RecordOf((Field("jointY", balance_pairs, []), Field("jointX", balance_pairs, []))),
                {"jointY": [], "jointX": []},
            ),
            Field("singleMotorStiffnessChange", ListOf(stiffness), []),
            Field("angles", angles, {"head": [0.0, 0.0], "positions": zero_limbs}),
            Field("robotPoses", OptionalOf(RecordOf((Field("robotPoses", RecordByName(LIMBS, wrapped), {}),))), None),
            Field("torsoAngleBreakUpEnd", _WINDOW, _WIDE),
            Field("torsoAngleBreakUpStart", OptionalOf(_WINDOW), None),
        ),
        noted=True,
    )


_MOTION = Reference("a motion", MOTIONS, "motions")


def _motion(dialect: str) -> RecordOf:
    energy = Name("an energy saving mode", ENERGY_SAVING)
    condition = RecordOf(
        (
            Field("variable", Name("a condition variable", variables(dialect)), "torso_pitch"),
            Field("range", _range(_NUMBER), {"min": 0.0, "max": 0.0}),
            Field("isNot", _FLAG, False),
        )
    )
    follow_up = RecordOf(
        (
            Field("startAsNextPhase", _MOTION, MOTIONS[0]),
            Field("conditions", ListOf(condition), []),
            Field("isAndCondition", _FLAG, True),
        )
    )
    end_request = RecordOf(
        (
            Field("energySavingLegs", energy, "none"),
            Field("energySavingArms", energy, "none"),
            Field("isStandHigh", _FLAG, False),
        )
    )
    return RecordOf(
        (
            Field("keyframes", ListOf(Reference("a block", blocks(dialect), "keyframeBlock")), []),
            Field("balanceOut", _FLAG, False),
            Field(
                "keyframeEndRequest",
                end_request,
                {"energySavingLegs": "none", "energySavingArms": "none", "isStandHigh": False},
            ),
            Field("isMotionStable", _FLAG, False),
            Field("startAsNextPhaseMotion", ListOf(follow_up), []),
        ),
        noted=True,
    )


def _block(dialect: str) -> RecordOf:
    return RecordOf(
        (
            Field("baseLimbStiffness", ListOf(_PERCENT_OR_KEEP, 5), [0.0] * 5),
            Field("keyframes", ListOf(_keyframe(dialect)), []),
            Field("interpolationType", _INTERPOLATION, "linear"),
        ),
        noted=True,
    )


def _safe_fall(dialect: str) -> RecordOf:
    joints_2025 = (
        Field("hipPitchStiffness", _PERCENT, 0.3),
        Field("elbowRollStiffness", _PERCENT, 0.2),
    )
    return RecordOf(
        (
            Field("sitHYPThreshold", _ANGLE, _FALL.sit_hip_yaw_pitch_threshold),
            Field("head", _ANGLE, _FALL.head),
            Field("headStiffness", _PERCENT, _FALL.head_stiffness),
            Field("bodyStiffness", _PERCENT, _FALL.body_stiffness),
            *(joints_2025 if dialect == "bhuman-2025" else ()),
            Field("lowHeadStiffnessWaitTime", _MS, _FALL.low_head_stiffness_after),
            Field("unstiffWaitTime", _MS, _FALL.off_after),
        )
    )


def _engine(dialect: str) -> RecordOf:
    out = _SETTINGS.balance_out
    balance_out = RecordOf(
        (
            Field("maxTime", _MS, out.max_time),
            Field("minFluctuation", _ANGLE, out.max_fluctuation),
            Field("minForwardAngle", _ANGLE, out.max_forward),
            Field("minBackwardAngle", _ANGLE, out.min_backward),
            Field("minPIDDValue", _NUMBER, out.max_d),
        )
    )
    old, new = dialect == "bhuman-2022", dialect == "bhuman-2025"
    fall = _safe_fall(dialect)
    fields: list[Field] = [Field("maxTryCounter", Integer(Range(low=1)), _SETTINGS.max_tries)]
    if old:
        fields += [
            Field("motionSpecificRetries", Integer(Range(low=0)), 2),
            Field("motionSpecificRetriesFront", Integer(Range(low=0)), 2),
            Field("shoulderPitchThreshold", _ANGLE, _DEGREE * 70.0),
            Field("shoulderRollThreshold", _ANGLE, _DEGREE * 50.0),
        ]
    by_block = {name: name for name in blocks(dialect)}
    fields += [
        Field("motorMalfunctionBreakUp", _FLAG, _SETTINGS.break_up_on_motor_malfunction),
        Field("maxStiffnessDebugMode", _PERCENT, _SETTINGS.step_mode_stiffness),
        Field("motions", RecordByName({name: name for name in MOTIONS}, _motion(dialect), "a motion"), {}),
        Field("keyframeBlock", RecordByName(by_block, _block(dialect), "a block"), {}),
    ]
    if old:
        fields.append(Field("brokenJointData", RecordByName(joint_names(dialect), Number("angle")), BROKEN_JOINTS))
    if not new:
        fields.append(Field("minJointCompensationReduceAngleDiff", _ANGLE, _SETTINGS.min_reduce_difference))
    if old:
        fields.append(Field("jointCompensationSimulationFactor", _NUMBER, 0.3))
    front, outer, inner = _SETTINGS.support_offsets
    fields += [
        Field("balanceOutParams", balance_out, balance_out.defaults),
        Field("supportPolygonOffsets", _vector(_MM, "xyz"), {"x": front, "y": outer, "z": inner}),
        Field("safeFallParameters", fall, fall.defaults),
        Field("safeUprightParameters", _WINDOW, _SAFE_UPRIGHT),
    ]
    if new:
        fields += [
            Field("jointDiffFilterParameters", _range(_NUMBER), {"min": 0.4, "max": 0.9}),
            Field("oscillationPeriod", Number("time", Range(low=0.0, above=True)), 0.2),
            Field("oscillationAmplitude", _ANGLE, _DEGREE),
            Field("hypErrorOscillationScaling", _range(_ANGLE), {"min": _DEGREE * 5.0, "max": _DEGREE * 10.0}),
        ]
    return RecordOf(tuple(fields), noted=True)


def _bare(kind: Kind, low: float, high: float) -> tuple[RecordOf, dict[str, Any]]:
    span = {"min": low, "max": high}
    member = _range(kind, low, high)
    shape = RecordOf((Field("pitchDirection", member, span), Field("rollDirection", member, span)))
    return shape, {"pitchDirection": span, "rollDirection": span}


def _balance_phase() -> RecordOf:
    plain, zero = _bare(BareAngle(), 0.0, 0.0)
    lengths, wide = _bare(BareAngle("length"), -2.0, 2.0)
    gain = RecordOf((Field("baseValue", _NUMBER, 0.0), Field("maxAdditionalValue", _NUMBER, 0.0)))
    no_gain = {"baseValue": 0.0, "maxAdditionalValue": 0.0}
    factor = RecordOf(
        (
            Field("maxValAdditionalScaling", plain, zero),
            Field("exponentFactorScaling", plain, zero),
            *(Field(name, gain, no_gain) for name in GAINS),
        )
    )
    return RecordOf((Field("balanceFactor", factor, factor.defaults), Field("comDiffBase", lengths, wide)))


BALANCE_PHASE = _balance_phase()
"""Balance parameters of one phase; its defaults balance nothing."""
PARAMETERS = RecordOf((Field("balanceList", RecordByName(PHASES, BALANCE_PHASE), {}),))
"""keyframeMotionParameters.cfg, the same in all dialects."""


@cache
def engine_shape(dialect: str) -> RecordOf:
    """keyframeMotionEngine.cfg of a dialect."""
    return _engine(dialect)


ONLY_2022 = frozenset(
    {
        "motionSpecificRetries",
        "motionSpecificRetriesFront",
        "shoulderPitchThreshold",
        "shoulderRollThreshold",
        "brokenJointData",
        "jointCompensationSimulationFactor",
    }
)
"""Attributes that only the release 2022 has."""
ONLY_2025 = frozenset(
    {
        "jointDiffFilterParameters",
        "oscillationPeriod",
        "oscillationAmplitude",
        "hypErrorOscillationScaling",
        "hipPitchStiffness",
        "elbowRollStiffness",
        "jointBalanceType",
    }
)
"""Attributes that only the release 2025 has."""
