"""The shapes of the two configuration files per dialect: every attribute, its kind, unit and default.

Attributes and defaults are facts of the releases; the order is that in which the original writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from andante.formats.bhuman.grammar import Node, Record
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
from andante.formats.bhuman.reading import Reading
from andante.formats.bhuman.scalars import (
    FILE_UNITS,
    AngleValue,
    BareAngle,
    Flag,
    Integer,
    Kind,
    Name,
    Number,
    Range,
    Reference,
)
from andante.formats.bhuman.shapes import INLINE, Field, ListOf, OptionalOf, RecordByName, RecordOf, TupleOf
from andante.motions.conditions import VARIABLE_DIMENSION, Variable
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
_GAINS = {
    "pidPPitchParameter": "p_pitch",
    "pidPRollParameter": "p_roll",
    "pidDPitchParameter": "d_pitch",
    "pidDRollParameter": "d_roll",
}
_DEGREE = 0.017453292519943295
COMPENSATION_GROUP = "compensation_group"
"""Key of compensation rules and their reduce factor together, as the dialects to 2024 have them."""
BROKEN_JOINTS = dict.fromkeys(JOINTS, _DEGREE * 20.0)
BROKEN_JOINTS |= dict.fromkeys(("HeadYaw", "HeadPitch"), _DEGREE * 50.0)
BROKEN_JOINTS |= dict.fromkeys(("LHipPitch", "RHipPitch"), _DEGREE * 30.0)
BROKEN_JOINTS |= dict.fromkeys(("LWristYaw", "RWristYaw"), _DEGREE * 200.0)
"""Thresholds of the release 2022 [rad]."""
_SETTINGS = EngineSettings()
_FALL = SafeFall()


def _range(kind: Kind, low: Any = 0.0, high: Any = 0.0) -> RecordOf:
    return RecordOf((Field("min", kind, low), Field("max", kind, high)))


@dataclass(frozen=True)
class _ConditionOf:
    """A condition: its range is in the file's unit of what it looks at, SI outside."""

    record: RecordOf

    def read(self, node: Node, reading: Reading, inside: str) -> dict[str, Any]:
        return _converted(self.record.read(node, reading, inside), FILE_UNITS.to_si)

    def write(self, value: Mapping[str, Any]) -> Record:
        return self.record.write(_converted(value, FILE_UNITS.from_si))


def _converted(values: Mapping[str, Any], convert: Callable[[float, str], float]) -> dict[str, Any]:
    dimension = VARIABLE_DIMENSION[Variable(values["variable"])]
    return {**values, **{end: convert(values[end], dimension) for end in ("min", "max")}}


def _condition(dialect: str, *more: Field) -> _ConditionOf:
    return _ConditionOf(
        RecordOf(
            (
                Field("variable", Name("a condition variable", variables(dialect)), "torso_pitch"),
                Field("range", _range(_NUMBER), {"min": 0.0, "max": 0.0}, INLINE),
                Field("isNot", _FLAG, False, "negate"),
                *more,
            )
        )
    )


def _directions(kind: Kind) -> RecordOf:
    wide = NO_WINDOW.pitch
    span = {"min": wide.min, "max": wide.max}
    member = _range(kind, wide.min, wide.max)
    return RecordOf((Field("pitchDirection", member, span, "pitch"), Field("rollDirection", member, span, "roll")))


_WINDOW = _directions(AngleValue(WINDOW_WORDS))
_TARGET = AngleValue(TARGET_WORDS)
_INTERPOLATION = Name("an interpolation", INTERPOLATIONS)


def _keyframe(dialect: str) -> RecordOf:
    joint = Name("a joint", joint_names(dialect))
    block = Reference("a block", blocks(dialect), "keyframeBlock")
    group = RecordOf((Field("conditions", ListOf(_condition(dialect)), []), Field("isAnd", _FLAG, True, "all")))
    empty_group: dict[str, Any] = {"conditions": [], "all": True}
    branch = RecordOf(
        (
            Field("blockID", block, blocks(dialect)[0], "block"),
            Field("motionID", OptionalOf(_MOTION), None, "motion"),
            Field("initStiffness", _FLAG, False, "init_stiffness"),
            Field("removeCurrentBlock", _FLAG, False, "remove_current_block"),
            Field("preCondition", group, empty_group, "pre"),
            Field("useEarlyEntrance", _FLAG, False, "use_early"),
            Field("earlyEntranceCondition", group, empty_group, "early"),
            Field("maxNumberOfLoopsBlockID", _LOOPS, -1, "max_block_loops"),
            Field("maxNumberOfLoopsMotionID", _LOOPS, -1, "max_motion_loops"),
        )
    )
    pair_fields = (Field("joint", joint, "HeadYaw"), Field("scaling", _NUMBER, 0.0, "scale"))
    balance_fields: tuple[Field, ...] = pair_fields
    if dialect == "bhuman-2025":
        balance_fields = (*pair_fields, Field("jointBalanceType", Name("a balance type", SIGNS), "default", "sign"))
    balance_pairs = ListOf(RecordOf(balance_fields))
    compensation_params = ListOf(
        RecordOf(
            (
                Field("jointDelta", joint, "HeadYaw", "joint"),
                Field("hipPitchDifferenceCompensation", _FLAG, False, "hip_pitch_difference"),
                Field("range", _range(_ANGLE), {"min": 0.0, "max": 0.0}),
                Field("jointPairs", ListOf(RecordOf(pair_fields)), [], "targets"),
                Field("predictJointDiff", _FLAG, False, "predict"),
            )
        )
    )
    compensation: Field = Field("jointCompensation", compensation_params, [], "compensation")
    if dialect != "bhuman-2025":
        params = Field("jointCompensationParams", compensation_params, [], "compensation")
        reduce = Field("reduceFactorJointCompensation", _NUMBER, 0.2, "compensation_reduce_factor")
        compensation = Field("jointCompensation", OptionalOf(RecordOf((params, reduce))), None, COMPENSATION_GROUP)
    position = RecordOf(
        (
            Field("trans", OptionalOf(TupleOf("xyz", _MM)), None, "position"),
            Field("rot", OptionalOf(TupleOf("xyz", _ANGLE)), None, "rotation"),
        )
    )
    wrapped = RecordOf((Field("pose", OptionalOf(position), None),))
    wait = _condition(dialect, Field("maxWaitTime", _MS, 1.0, "max_wait"))
    balance = RecordOf(
        (Field("jointY", balance_pairs, [], "balance_pitch"), Field("jointX", balance_pairs, [], "balance_roll"))
    )
    stiffness = RecordOf((Field("joint", joint, "HeadYaw"), Field("s", _PERCENT, 0.0, "stiffness")))
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
            Field("goalCom", TupleOf("xy", _MM), (0.0, 0.0), "com_goal"),
            Field("setLastCom", _FLAG, False, "start_from_measured_com"),
            Field("forbidWaitBreak", _FLAG, False, "forbid_wait_break"),
            Field("interpolationType", _INTERPOLATION, "default", "interpolation"),
            compensation,
            Field("waitConditions", ListOf(wait), [], "waits"),
            Field("keyframeBranches", ListOf(branch), [], "branches"),
            Field("balanceWithJoints", balance, balance.defaults, INLINE),
            Field("singleMotorStiffnessChange", ListOf(stiffness), [], "stiffness"),
            Field("angles", angles, {"head": [0.0, 0.0], "positions": zero_limbs}),
            Field("robotPoses", OptionalOf(RecordOf((Field("robotPoses", RecordByName(LIMBS, wrapped), {}),))), None),
            Field("torsoAngleBreakUpEnd", _WINDOW, NO_WINDOW.model_dump(), "window"),
            Field("torsoAngleBreakUpStart", OptionalOf(_WINDOW), None, "window_start"),
        ),
        noted=True,
    )


_MOTION = Reference("a motion", MOTIONS, "motions")


def _motion(dialect: str) -> RecordOf:
    energy = Name("an energy saving mode", ENERGY_SAVING)
    follow_up = RecordOf(
        (
            Field("startAsNextPhase", _MOTION, MOTIONS[0], "motion"),
            Field("conditions", ListOf(_condition(dialect)), []),
            Field("isAndCondition", _FLAG, True, "all"),
        )
    )
    end_request = RecordOf(
        (
            Field("energySavingLegs", energy, "none", "energy_saving_legs"),
            Field("energySavingArms", energy, "none", "energy_saving_arms"),
            Field("isStandHigh", _FLAG, False, "stand_high"),
        )
    )
    return RecordOf(
        (
            Field("keyframes", ListOf(Reference("a block", blocks(dialect), "keyframeBlock")), [], "blocks"),
            Field("balanceOut", _FLAG, False, "balance_out"),
            Field("keyframeEndRequest", end_request, end_request.defaults, "end_request"),
            Field("isMotionStable", _FLAG, False, "stable"),
            Field("startAsNextPhaseMotion", ListOf(follow_up), [], "follow_ups"),
        ),
        noted=True,
    )


def _block(dialect: str) -> RecordOf:
    return RecordOf(
        (
            Field("baseLimbStiffness", ListOf(_PERCENT_OR_KEEP, 5), [0.0] * 5, "base_stiffness"),
            Field("keyframes", ListOf(_keyframe(dialect)), []),
            Field("interpolationType", _INTERPOLATION, "linear", "interpolation"),
        ),
        noted=True,
    )


def _safe_fall(dialect: str) -> RecordOf:
    joints_2025 = (
        Field("hipPitchStiffness", _PERCENT, 0.3, "hip_pitch_stiffness"),
        Field("elbowRollStiffness", _PERCENT, 0.2, "elbow_roll_stiffness"),
    )
    return RecordOf(
        (
            Field("sitHYPThreshold", _ANGLE, _FALL.sit_hip_yaw_pitch_threshold, "sit_hip_yaw_pitch_threshold"),
            Field("head", _ANGLE, _FALL.head),
            Field("headStiffness", _PERCENT, _FALL.head_stiffness, "head_stiffness"),
            Field("bodyStiffness", _PERCENT, _FALL.body_stiffness, "body_stiffness"),
            *(joints_2025 if dialect == "bhuman-2025" else ()),
            Field("lowHeadStiffnessWaitTime", _MS, _FALL.low_head_stiffness_after, "low_head_stiffness_after"),
            Field("unstiffWaitTime", _MS, _FALL.off_after, "off_after"),
        )
    )


def _engine(dialect: str) -> RecordOf:
    out = _SETTINGS.balance_out
    balance_out = RecordOf(
        (
            Field("maxTime", _MS, out.max_time, "max_time"),
            Field("minFluctuation", _ANGLE, out.max_fluctuation, "max_fluctuation"),
            Field("minForwardAngle", _ANGLE, out.max_forward, "max_forward"),
            Field("minBackwardAngle", _ANGLE, out.min_backward, "min_backward"),
            Field("minPIDDValue", _NUMBER, out.max_d, "max_d"),
        )
    )
    old, new = dialect == "bhuman-2022", dialect == "bhuman-2025"
    fall, broken = _safe_fall(dialect), _SETTINGS.break_up_on_motor_malfunction
    fields: list[Field] = [Field("maxTryCounter", Integer(Range(low=1)), _SETTINGS.max_tries, "max_tries")]
    if old:
        fields += [
            Field("motionSpecificRetries", Integer(Range(low=0)), 2, "retries"),
            Field("motionSpecificRetriesFront", Integer(Range(low=0)), 2, "front_retries"),
            Field("shoulderPitchThreshold", _ANGLE, _DEGREE * 70.0, "shoulder_pitch_threshold"),
            Field("shoulderRollThreshold", _ANGLE, _DEGREE * 50.0, "shoulder_roll_threshold"),
        ]
    by_block = {name: name for name in blocks(dialect)}
    fields += [
        Field("motorMalfunctionBreakUp", _FLAG, broken, "break_up_on_motor_malfunction"),
        Field("maxStiffnessDebugMode", _PERCENT, _SETTINGS.step_mode_stiffness, "step_mode_stiffness"),
        Field("motions", RecordByName({name: name for name in MOTIONS}, _motion(dialect), "a motion"), {}),
        Field("keyframeBlock", RecordByName(by_block, _block(dialect), "a block"), {}, "blocks"),
    ]
    if old:
        fields.append(
            Field(
                "brokenJointData",
                RecordByName(joint_names(dialect), Number("angle")),
                BROKEN_JOINTS,
                "broken_joint_thresholds",
            )
        )
    if not new:
        fields.append(
            Field(
                "minJointCompensationReduceAngleDiff", _ANGLE, _SETTINGS.min_reduce_difference, "min_reduce_difference"
            )
        )
    if old:
        fields.append(Field("jointCompensationSimulationFactor", _NUMBER, 0.3, "compensation_simulation_factor"))
    fields += [
        Field("balanceOutParams", balance_out, balance_out.defaults, "balance_out"),
        Field("supportPolygonOffsets", TupleOf("xyz", _MM), _SETTINGS.support_offsets, "support_offsets"),
        Field("safeFallParameters", fall, fall.defaults, "safe_fall"),
        Field("safeUprightParameters", _WINDOW, _SETTINGS.safe_upright.model_dump(), "safe_upright"),
    ]
    if new:
        errors = _range(_ANGLE, _DEGREE * 5.0, _DEGREE * 10.0)
        fields += [
            Field("jointDiffFilterParameters", _range(_NUMBER), {"min": 0.4, "max": 0.9}, "difference_filter"),
            Field("oscillationPeriod", Number("time", Range(low=0.0, above=True)), 0.2, "period"),
            Field("oscillationAmplitude", _ANGLE, _DEGREE, "amplitude"),
            Field("hypErrorOscillationScaling", errors, errors.defaults, "error_range"),
        ]
    return RecordOf(tuple(fields), noted=True)


def _bare(kind: Kind, low: float, high: float) -> tuple[RecordOf, dict[str, Any]]:
    span = {"min": low, "max": high}
    member = _range(kind, low, high)
    shape = RecordOf((Field("pitchDirection", member, span, "pitch"), Field("rollDirection", member, span, "roll")))
    return shape, shape.defaults


def _balance_phase() -> RecordOf:
    plain, zero = _bare(BareAngle(), 0.0, 0.0)
    lengths, wide = _bare(BareAngle("length"), -2.0, 2.0)
    gain = RecordOf(
        (Field("baseValue", _NUMBER, 0.0, "base"), Field("maxAdditionalValue", _NUMBER, 0.0, "max_additional"))
    )
    factor = RecordOf(
        (
            Field("maxValAdditionalScaling", plain, zero, "max_scaling"),
            Field("exponentFactorScaling", plain, zero, "exponent"),
            *(Field(name, gain, gain.defaults, key) for name, key in _GAINS.items()),
        )
    )
    return RecordOf(
        (Field("balanceFactor", factor, factor.defaults, INLINE), Field("comDiffBase", lengths, wide, "com_range"))
    )


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
