"""Condition variables, conditions and groups of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from pydantic import (
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from andante.documents.part import Part
from andante.documents.quantities import Number, Seconds, Units


class Variable(StrEnum):
    """What a condition may look at."""

    dimension: str
    """Dimension, so that its range converts with the file's units."""

    def __new__(cls, value: str, dimension: str = "number") -> Self:
        """Make a member that is its name and knows its dimension."""
        member = str.__new__(cls, value)
        member._value_, member.dimension = value, dimension
        return member

    TORSO_PITCH = "torso_pitch", "angle"
    """Pitch of the torso over the full circle, + forward (angle)."""
    TORSO_ROLL_MAGNITUDE = "torso_roll_magnitude", "angle"
    """Absolute roll of the torso (angle)."""
    TORSO_ROLL = "torso_roll", "angle"
    """Roll of the torso, + towards the right side; lying on the left side it is -90 degrees (angle)."""
    TORSO_PITCH_FLUCTUATION = "torso_pitch_fluctuation", "angular_velocity"
    """|change| + |change of change| of the torso pitch per tick, divided by the tick (angle per second)."""
    LEFT_SHOULDER_PITCH = "left_shoulder_pitch", "angle"
    """Measured joint (angle)."""
    RIGHT_SHOULDER_PITCH = "right_shoulder_pitch", "angle"
    """Measured joint (angle)."""
    LEFT_SHOULDER_ROLL = "left_shoulder_roll", "angle"
    """Measured joint (angle)."""
    RIGHT_SHOULDER_ROLL = "right_shoulder_roll", "angle"
    """Measured joint (angle)."""
    LEFT_WRIST_Y = "left_wrist_y", "length"
    """y of the left wrist in the torso frame (length)."""
    RIGHT_WRIST_Y = "right_wrist_y", "length"
    """y of the right wrist in the torso frame (length)."""
    WAIT_TIME = "wait_time", "time"
    """Time since the current wait began (time)."""
    FRONT_HACK = "front_hack"
    """1 while the front get-up asks for its special treatment, else 0 (number)."""
    ANOTHER_FRONT_HACK = "another_front_hack"
    """1 while a get-up from the front needs no more push: pitch below 70 degrees, or below 80 and swinging back faster
    than 100 degrees per second while both knees are less than 10 degrees behind (dialect 2025, number)."""
    KNEE_FLEXION = "knee_flexion", "angle"
    """The smaller of the two measured knee angles (angle)."""
    COM_HEIGHT = "com_height", "length"
    """Height of the centre of mass over the lower sole (length)."""
    HIP_YAW_PITCH_ERROR = "hip_yaw_pitch_error", "angle"
    """|measured - requested| of the left hip yaw pitch (angle)."""
    FOOT_SUPPORT = "foot_support"
    """-1 (all on the right foot) .. 1 (all on the left foot) (number)."""
    BREAK_UP = "break_up"
    """1 when the torso is outside the break-up window, else 0 (number)."""
    COM_OUTSIDE_SUPPORT_X = "com_outside_support_x", "length"
    """How far the centre of mass lies outside the support polygon along x; below 0 inside (length)."""
    CAPTURE_POINT_X = "capture_point_x", "length"
    """Capture point, x + v / omega of the centre of mass, ahead of the middle of the soles (length)."""
    CAPTURE_POINT_Y = "capture_point_y", "length"
    """The same to the left of the middle of the soles (length)."""
    LYING_ON_ARMS_FRONT = "lying_on_arms_front"
    """1 when the robot lies on its arms with the front down, else 0 (number)."""
    TRY_COUNT = "try_count"
    """Number of tries so far (number)."""


_DIMENSIONS: Mapping[str, str] = {variable.value: variable.dimension for variable in Variable}
DISPLAY = {
    "angle": (180.0 / math.pi, " deg"),
    "angular_velocity": (180.0 / math.pi, " deg/s"),
    "length": (1e3, " mm"),
    "time": (1e3, " ms"),
    "number": (1.0, ""),
}
"""Factor and unit in which each dimension is told."""


class Condition(Part):
    """A variable inside a range (or outside, when negated). Circular: with min above max the range wraps.

    ``min`` and ``max`` are in the SI unit of the variable's dimension; in a file they are in the file's units.
    """

    variable: Variable
    """What is looked at."""
    min: Number
    """Lower end, SI unit of the variable."""
    max: Number
    """Upper end, SI unit of the variable."""
    negate: bool = False
    """True: the condition holds when the value is outside."""

    @model_validator(mode="before")
    @classmethod
    def _range_to_si(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(info.context, Units) or not isinstance(data, Mapping):
            return data
        dimension = _DIMENSIONS.get(str(data.get("variable")), "number")
        converted = dict(data)
        for end in ("min", "max"):
            value = converted.get(end)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                converted[end] = info.context.to_si(float(value), dimension)
        return converted

    @model_serializer(mode="wrap")
    def _range_from_si(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if isinstance(info.context, Units):
            for end in ("min", "max"):
                if end in data:
                    data[end] = info.context.from_si(data[end], self.variable.dimension)
        return data


class WaitCondition(Condition):
    """A condition that a keyframe waits for at its end."""

    max_wait: Seconds = 1.0
    """Longest wait [s]; in force only where it is the keyframe's one condition (else 1 s), as in the original."""


class ConditionGroup(Part):
    """Several conditions joined by and / or. An empty group holds."""

    conditions: tuple[Condition, ...] = ()
    """The conditions."""
    all: bool = True
    """True: all must hold; False: one is enough."""
