"""The shapes of the two configuration files per dialect: every attribute, its kind, unit, default and field.

Attributes and defaults are facts of the releases; the order is that in which the original writes them.
"""

from __future__ import annotations

from functools import cache

from andante.formats.bhuman.motion_shapes import (
    ANGLE,
    BALANCE_TYPE,
    FLAG,
    MM,
    MS,
    NUMBER,
    PERCENT,
    WINDOW,
    block_shape,
    directions,
    motion_shape,
    range_of,
)
from andante.formats.bhuman.names import JOINTS, MOTIONS, PHASES, blocks, joint_names
from andante.formats.bhuman.scalars import BareAngle, Integer, Range, UnitNumber
from andante.formats.bhuman.shapes import INLINE, AttributeShape, RecordByName, RecordOf, TupleOf, record
from andante.motions.settings import EngineSettings, SafeFall

_GAINS = {
    "pidPPitchParameter": "p_pitch",
    "pidPRollParameter": "p_roll",
    "pidDPitchParameter": "d_pitch",
    "pidDRollParameter": "d_roll",
}
_DEGREE = 0.017453292519943295
BROKEN_JOINTS = dict.fromkeys(JOINTS, _DEGREE * 20.0)
BROKEN_JOINTS |= dict.fromkeys(("HeadYaw", "HeadPitch"), _DEGREE * 50.0)
BROKEN_JOINTS |= dict.fromkeys(("LHipPitch", "RHipPitch"), _DEGREE * 30.0)
BROKEN_JOINTS |= dict.fromkeys(("LWristYaw", "RWristYaw"), _DEGREE * 200.0)
"""Thresholds of the release 2022 [rad]."""
_SETTINGS = EngineSettings()
_FALL = SafeFall()


_RETRIES = (
    AttributeShape("motionSpecificRetries", Integer(Range(low=0)), 2, "retries"),
    AttributeShape("motionSpecificRetriesFront", Integer(Range(low=0)), 2, "front_retries"),
    AttributeShape("shoulderPitchThreshold", ANGLE, _DEGREE * 70.0, "shoulder_pitch_threshold"),
    AttributeShape("shoulderRollThreshold", ANGLE, _DEGREE * 50.0, "shoulder_roll_threshold"),
)
_BROKEN_JOINTS = AttributeShape(
    "brokenJointData",
    RecordByName(joint_names("bhuman-2022"), UnitNumber("angle")),
    BROKEN_JOINTS,
    "broken_joint_thresholds",
)
_SIMULATION = AttributeShape("jointCompensationSimulationFactor", NUMBER, 0.3, "compensation_simulation_factor")
_REDUCE = AttributeShape(
    "minJointCompensationReduceAngleDiff", ANGLE, _SETTINGS.min_reduce_difference, "min_reduce_difference"
)
_ERRORS = range_of(ANGLE, _DEGREE * 5.0, _DEGREE * 10.0)
_OSCILLATION = (
    AttributeShape("jointDiffFilterParameters", range_of(NUMBER), {"min": 0.4, "max": 0.9}, "difference_filter"),
    AttributeShape("oscillationPeriod", UnitNumber("time", Range(low=0.0, above=True)), 0.2, "period"),
    AttributeShape("oscillationAmplitude", ANGLE, _DEGREE, "amplitude"),
    AttributeShape("hypErrorOscillationScaling", _ERRORS, _ERRORS.defaults, "error_range"),
)
_FALL_JOINTS = (
    AttributeShape("hipPitchStiffness", PERCENT, 0.3, "hip_pitch_stiffness"),
    AttributeShape("elbowRollStiffness", PERCENT, 0.2, "elbow_roll_stiffness"),
)
ONLY_2022 = frozenset(field.name for field in (*_RETRIES, _BROKEN_JOINTS, _SIMULATION))
"""Attributes that only the release 2022 has."""
ONLY_2025 = frozenset({*(field.name for field in (*_OSCILLATION, *_FALL_JOINTS)), BALANCE_TYPE})
"""Attributes that only the release 2025 has."""


@cache
def engine_shape(dialect: str) -> RecordOf:
    """keyframeMotionEngine.cfg of a dialect."""
    old, new = dialect == "bhuman-2022", dialect == "bhuman-2025"
    out, broken = _SETTINGS.balance_out, _SETTINGS.break_up_on_motor_malfunction
    balance_out = record(
        AttributeShape("maxTime", MS, out.max_time, "max_time"),
        AttributeShape("minFluctuation", ANGLE, out.max_fluctuation, "max_fluctuation"),
        AttributeShape("minForwardAngle", ANGLE, out.max_forward, "max_forward"),
        AttributeShape("minBackwardAngle", ANGLE, out.min_backward, "min_backward"),
        AttributeShape("minPIDDValue", NUMBER, out.max_d, "max_d"),
    )
    fall = record(
        AttributeShape("sitHYPThreshold", ANGLE, _FALL.sit_hip_yaw_pitch_threshold, "sit_hip_yaw_pitch_threshold"),
        AttributeShape("head", ANGLE, _FALL.head),
        AttributeShape("headStiffness", PERCENT, _FALL.head_stiffness, "head_stiffness"),
        AttributeShape("bodyStiffness", PERCENT, _FALL.body_stiffness, "body_stiffness"),
        *(_FALL_JOINTS if new else ()),
        AttributeShape("lowHeadStiffnessWaitTime", MS, _FALL.low_head_stiffness_after, "low_head_stiffness_after"),
        AttributeShape("unstiffWaitTime", MS, _FALL.off_after, "off_after"),
    )
    by_block = {name: name for name in blocks(dialect)}
    return record(
        AttributeShape("maxTryCounter", Integer(Range(low=1)), _SETTINGS.max_tries, "max_tries"),
        *(_RETRIES if old else ()),
        AttributeShape("motorMalfunctionBreakUp", FLAG, broken, "break_up_on_motor_malfunction"),
        AttributeShape("maxStiffnessDebugMode", PERCENT, _SETTINGS.step_mode_stiffness, "step_mode_stiffness"),
        AttributeShape(
            "motions", RecordByName({name: name for name in MOTIONS}, motion_shape(dialect), "a motion"), {}
        ),
        AttributeShape("keyframeBlock", RecordByName(by_block, block_shape(dialect), "a block"), {}, "blocks"),
        *((_BROKEN_JOINTS,) if old else ()),
        *(() if new else (_REDUCE,)),
        *((_SIMULATION,) if old else ()),
        AttributeShape("balanceOutParams", balance_out, balance_out.defaults, "balance_out"),
        AttributeShape("supportPolygonOffsets", TupleOf("xyz", MM), _SETTINGS.support_offsets, "support_offsets"),
        AttributeShape("safeFallParameters", fall, fall.defaults, "safe_fall"),
        AttributeShape("safeUprightParameters", WINDOW, _SETTINGS.safe_upright.model_dump(), "safe_upright"),
        *(_OSCILLATION if new else ()),
        noted=True,
    )


def _balance_phase() -> RecordOf:
    plain = directions(BareAngle(), 0.0, 0.0)
    lengths = directions(BareAngle("length"), -2.0, 2.0)
    gain = record(
        AttributeShape("baseValue", NUMBER, 0.0, "base"),
        AttributeShape("maxAdditionalValue", NUMBER, 0.0, "max_additional"),
    )
    factor = record(
        AttributeShape("maxValAdditionalScaling", plain, plain.defaults, "max_scaling"),
        AttributeShape("exponentFactorScaling", plain, plain.defaults, "exponent"),
        *(AttributeShape(name, gain, gain.defaults, key) for name, key in _GAINS.items()),
    )
    return record(
        AttributeShape("balanceFactor", factor, factor.defaults, INLINE),
        AttributeShape("comDiffBase", lengths, lengths.defaults, "com_range"),
    )


BALANCE_PHASE = _balance_phase()
"""Balance parameters of one phase; its defaults balance nothing."""
PARAMETERS = record(AttributeShape("balanceList", RecordByName(PHASES, BALANCE_PHASE), {}))
"""keyframeMotionParameters.cfg, the same in all dialects."""
