"""The shapes of motions and blocks in the engine file per dialect: every attribute, its kind, unit, default and field.

Attributes and defaults are facts of the releases; the order is that in which the original writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from andante.formats.bhuman.grammar import AttributeRecord, GrammarReader, Node
from andante.formats.bhuman.names import (
    ENERGY_SAVING,
    INTERPOLATIONS,
    LIMBS,
    MOTIONS,
    PHASES,
    SIGNS,
    blocks,
    joint_names,
    variables,
)
from andante.formats.bhuman.scalars import (
    FILE_UNITS,
    AngleValue,
    Flag,
    Integer,
    Kind,
    Name,
    Range,
    Reference,
    UnitNumber,
)
from andante.formats.bhuman.shapes import (
    INLINE,
    AttributeShape,
    ListOf,
    OptionalOf,
    RecordByName,
    RecordOf,
    TupleOf,
    record,
)
from andante.motions.conditions import Variable
from andante.motions.parts import NO_WINDOW

TARGET_WORDS = {10000.0: "off", 20000.0: "ignore"}
"""Bare numbers among joint targets that are no angles."""
WINDOW_WORDS = {20000.0: "keep"}
"""Bare number in a torso window that keeps the value in force."""

NUMBER = UnitNumber()
MM = UnitNumber("length")
ANGLE = AngleValue()
FLAG = Flag()
MS = Integer(Range(low=0), dimension="time")
PERCENT = Integer(Range(0, 100), percent=True)
_PERCENT_OR_KEEP = Integer(Range(0, 100), percent=True, none=-1)
_LOOPS = Integer(Range(low=-1))
BALANCE_TYPE = "jointBalanceType"
"""Attribute of a balance rule that only the dialect of 2025 has."""
COMPENSATION_GROUP = "compensation_group"
"""Key of compensation rules and their reduce factor together, as the dialects to 2024 have them."""


def range_of(kind: Kind, low: Any = 0.0, high: Any = 0.0) -> RecordOf:
    """A range with its defaults."""
    return record(AttributeShape("min", kind, low), AttributeShape("max", kind, high))


@dataclass(frozen=True)
class _ConditionOf:
    """A condition: its range is in the file's unit of what it looks at, SI outside."""

    shape: RecordOf

    def read(self, node: Node, reading: GrammarReader, inside: str) -> dict[str, Any]:
        return _converted(self.shape.read(node, reading, inside), FILE_UNITS.to_si)

    def write(self, value: Mapping[str, Any]) -> AttributeRecord:
        return self.shape.write(_converted(value, FILE_UNITS.from_si))


def _converted(values: Mapping[str, Any], convert: Callable[[float, str], float]) -> dict[str, Any]:
    dimension = Variable(values["variable"]).dimension
    return {**values, **{end: convert(values[end], dimension) for end in ("min", "max")}}


def _condition(dialect: str, *more: AttributeShape) -> _ConditionOf:
    return _ConditionOf(
        record(
            AttributeShape("variable", Name("a condition variable", variables(dialect)), "torso_pitch"),
            AttributeShape("range", range_of(NUMBER), {"min": 0.0, "max": 0.0}, INLINE),
            AttributeShape("isNot", FLAG, False, "negate"),
            *more,
        )
    )


def directions(kind: Kind, low: Any, high: Any) -> RecordOf:
    """A range for either direction with the same defaults."""
    member = range_of(kind, low, high)
    names = {"pitchDirection": "pitch", "rollDirection": "roll"}
    return record(*(AttributeShape(name, member, member.defaults, key) for name, key in names.items()))


WINDOW = directions(AngleValue(WINDOW_WORDS), NO_WINDOW.pitch.min, NO_WINDOW.pitch.max)
_TARGET = AngleValue(TARGET_WORDS)
_INTERPOLATION = Name("an interpolation", INTERPOLATIONS)


def _keyframe(dialect: str) -> RecordOf:
    joint = Name("a joint", joint_names(dialect))
    block = Reference("a block", blocks(dialect), "keyframeBlock")
    group = record(
        AttributeShape("conditions", ListOf(_condition(dialect)), []), AttributeShape("isAnd", FLAG, True, "all")
    )
    empty_group: dict[str, Any] = {"conditions": [], "all": True}
    branch = record(
        AttributeShape("blockID", block, blocks(dialect)[0], "block"),
        AttributeShape("motionID", OptionalOf(_MOTION), None, "motion"),
        AttributeShape("initStiffness", FLAG, False, "init_stiffness"),
        AttributeShape("removeCurrentBlock", FLAG, False, "remove_current_block"),
        AttributeShape("preCondition", group, empty_group, "pre"),
        AttributeShape("useEarlyEntrance", FLAG, False, "use_early"),
        AttributeShape("earlyEntranceCondition", group, empty_group, "early"),
        AttributeShape("maxNumberOfLoopsBlockID", _LOOPS, -1, "max_block_loops"),
        AttributeShape("maxNumberOfLoopsMotionID", _LOOPS, -1, "max_motion_loops"),
    )
    pair_fields = (AttributeShape("joint", joint, "HeadYaw"), AttributeShape("scaling", NUMBER, 0.0, "scale"))
    balance_fields: tuple[AttributeShape, ...] = pair_fields
    if dialect == "bhuman-2025":
        balance_fields = (*pair_fields, AttributeShape(BALANCE_TYPE, Name("a balance type", SIGNS), "default", "sign"))
    balance_pairs = ListOf(record(*balance_fields))
    compensation_params = ListOf(
        record(
            AttributeShape("jointDelta", joint, "HeadYaw", "joint"),
            AttributeShape("hipPitchDifferenceCompensation", FLAG, False, "hip_pitch_difference"),
            AttributeShape("range", range_of(ANGLE), {"min": 0.0, "max": 0.0}),
            AttributeShape("jointPairs", ListOf(record(*pair_fields)), [], "targets"),
            AttributeShape("predictJointDiff", FLAG, False, "predict"),
        )
    )
    compensation: AttributeShape = AttributeShape("jointCompensation", compensation_params, [], "compensation")
    if dialect != "bhuman-2025":
        params = AttributeShape("jointCompensationParams", compensation_params, [], "compensation")
        reduce = AttributeShape("reduceFactorJointCompensation", NUMBER, 0.2, "compensation_reduce_factor")
        compensation = AttributeShape("jointCompensation", OptionalOf(record(params, reduce)), None, COMPENSATION_GROUP)
    position = record(
        AttributeShape("trans", OptionalOf(TupleOf("xyz", MM)), None, "position"),
        AttributeShape("rot", OptionalOf(TupleOf("xyz", ANGLE)), None, "rotation"),
    )
    wrapped = record(AttributeShape("pose", OptionalOf(position), None))
    wait = _condition(dialect, AttributeShape("maxWaitTime", MS, 1.0, "max_wait"))
    balance = record(
        AttributeShape("jointY", balance_pairs, [], "balance_pitch"),
        AttributeShape("jointX", balance_pairs, [], "balance_roll"),
    )
    stiffness = record(AttributeShape("joint", joint, "HeadYaw"), AttributeShape("s", PERCENT, 0.0, "stiffness"))
    zero_limbs = {limb: [0.0] * 6 for limb in LIMBS.values()}
    angles = record(
        AttributeShape("head", ListOf(_TARGET, 2), [0.0, 0.0]),
        AttributeShape("positions", RecordByName(LIMBS, ListOf(_TARGET, 6)), zero_limbs),
    )
    return record(
        AttributeShape("phase", Name("a phase", PHASES), "unknown"),
        AttributeShape("duration", UnitNumber("time", Range(low=0.0, above=True)), 2.0),
        AttributeShape("goalCom", TupleOf("xy", MM), (0.0, 0.0), "com_goal"),
        AttributeShape("setLastCom", FLAG, False, "start_from_measured_com"),
        AttributeShape("forbidWaitBreak", FLAG, False, "forbid_wait_break"),
        AttributeShape("interpolationType", _INTERPOLATION, "default", "interpolation"),
        compensation,
        AttributeShape("waitConditions", ListOf(wait), [], "waits"),
        AttributeShape("keyframeBranches", ListOf(branch), [], "branches"),
        AttributeShape("balanceWithJoints", balance, balance.defaults, INLINE),
        AttributeShape("singleMotorStiffnessChange", ListOf(stiffness), [], "stiffness"),
        AttributeShape("angles", angles, {"head": [0.0, 0.0], "positions": zero_limbs}),
        AttributeShape(
            "robotPoses", OptionalOf(record(AttributeShape("robotPoses", RecordByName(LIMBS, wrapped), {}))), None
        ),
        AttributeShape("torsoAngleBreakUpEnd", WINDOW, NO_WINDOW.model_dump(), "window"),
        AttributeShape("torsoAngleBreakUpStart", OptionalOf(WINDOW), None, "window_start"),
        noted=True,
    )


_MOTION = Reference("a motion", MOTIONS, "motions")


def motion_shape(dialect: str) -> RecordOf:
    """One entry of ``motions``."""
    energy = Name("an energy saving mode", ENERGY_SAVING)
    follow_up = record(
        AttributeShape("startAsNextPhase", _MOTION, MOTIONS[0], "motion"),
        AttributeShape("conditions", ListOf(_condition(dialect)), []),
        AttributeShape("isAndCondition", FLAG, True, "all"),
    )
    end_request = record(
        AttributeShape("energySavingLegs", energy, "none", "energy_saving_legs"),
        AttributeShape("energySavingArms", energy, "none", "energy_saving_arms"),
        AttributeShape("isStandHigh", FLAG, False, "stand_high"),
    )
    return record(
        AttributeShape("keyframes", ListOf(Reference("a block", blocks(dialect), "keyframeBlock")), [], "blocks"),
        AttributeShape("balanceOut", FLAG, False, "balance_out"),
        AttributeShape("keyframeEndRequest", end_request, end_request.defaults, "end_request"),
        AttributeShape("isMotionStable", FLAG, False, "stable"),
        AttributeShape("startAsNextPhaseMotion", ListOf(follow_up), [], "follow_ups"),
        noted=True,
    )


def block_shape(dialect: str) -> RecordOf:
    """One entry of ``keyframeBlock``."""
    return record(
        AttributeShape("baseLimbStiffness", ListOf(_PERCENT_OR_KEEP, 5), [0.0] * 5, "base_stiffness"),
        AttributeShape("keyframes", ListOf(_keyframe(dialect)), []),
        AttributeShape("interpolationType", _INTERPOLATION, "linear", "interpolation"),
        noted=True,
    )
