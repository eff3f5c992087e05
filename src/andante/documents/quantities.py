"""Physical quantities in documents: SI inside, the file's own units at the edge.

A document states its units once (``units: {angle: deg, time: ms, length: mm}``). Models declare what a number is
(`Angle`, `Duration`, ...); reading with a `Units` context converts to SI and writing with one converts back. Without a
context everything is SI.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from andante.documents.part import Part

_DEG = math.pi / 180.0
UNITS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "angle": {"rad": 1.0, "deg": _DEG},
        "angular_velocity": {"rad/s": 1.0, "deg/s": _DEG},
        "time": {"s": 1.0, "ms": 1e-3},
        "length": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
        "speed": {"m/s": 1.0},
        "rate": {"1/s": 1.0},
    }
)
"""SI value of the units in which a number may be given, by what it measures; the SI unit stands first."""
_FIELDS = {"angle": "angle", "angular_velocity": "angle", "time": "time", "length": "length"}
"""The unit of a document by which what measures so is given."""


class Units(Part):
    """The units in which a document writes its numbers."""

    angle: Literal["rad", "deg"] = "rad"
    """Unit of angles; angular velocities are this unit per second."""
    time: Literal["s", "ms"] = "s"
    """Unit of durations."""
    length: Literal["m", "mm"] = "m"
    """Unit of lengths."""

    def factor(self, dimension: str) -> float:
        """SI value of one file unit of ``dimension`` (angle, angular_velocity, time, length; all others are in SI)."""
        field = _FIELDS.get(dimension)
        return 1.0 if field is None else UNITS[field][getattr(self, field)]

    def to_si(self, value: float, dimension: str) -> float:
        """Convert a number of this document to SI."""
        factor = self.factor(dimension)
        return value if factor == 1.0 else value * factor

    def from_si(self, value: float, dimension: str) -> float:
        """Convert an SI number to this document's unit, to 12 significant digits (hides the round trip's last bits)."""
        factor = self.factor(dimension)
        return value if factor == 1.0 else float(f"{value / factor:.12g}")


SI = Units()
"""Radians, seconds, metres."""


class Quantity:
    """Annotation that gives a float field a dimension; converts with the `Units` passed as validation context.

    Args:
        dimension: What is measured: angle, angular_velocity, time, length, speed, rate or number.
        unbounded: Infinity and NaN are legal.
        scales: A setting of this kind grows with the robot; see `andante.documents.settings`.
    """

    def __init__(self, dimension: str, *, unbounded: bool = False, scales: bool = True) -> None:
        self.dimension = dimension
        self.unbounded = unbounded
        self.scales = scales

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = core_schema.float_schema(allow_inf_nan=self.unbounded)

        def to_si(value: Any, info: core_schema.ValidationInfo) -> Any:
            if isinstance(value, bool):
                raise PydanticCustomError("number", "a number is needed, not true or false")
            if isinstance(info.context, Units) and isinstance(value, (int, float)):
                return info.context.to_si(float(value), self.dimension)
            return value

        def from_si(value: Any, info: core_schema.SerializationInfo) -> Any:
            if isinstance(info.context, Units) and isinstance(value, float):
                value = info.context.from_si(value, self.dimension)
            return value

        return core_schema.with_info_before_validator_function(
            to_si,
            inner,
            serialization=core_schema.plain_serializer_function_ser_schema(from_si, info_arg=True),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "number", "x-dimension": self.dimension}


def bounds(metadata: Iterable[Any]) -> dict[str, Any]:
    """Bounds ``gt``, ``ge``, ``lt``, ``le`` among a field's metadata; of several of a kind the last one said."""
    parts = [inner for each in metadata for inner in getattr(each, "metadata", (each,))]
    names = ("gt", "ge", "lt", "le")
    return {name: getattr(part, name) for part in parts for name in names if getattr(part, name, None) is not None}


Angle = Annotated[float, Quantity("angle")]
"""An angle, finite [rad]."""
AngularVelocity = Annotated[float, Quantity("angular_velocity")]
"""An angular velocity, finite [rad/s]."""
Seconds = Annotated[float, Quantity("time")]
"""A time, finite [s]."""
Length = Annotated[float, Quantity("length")]
"""A length, finite [m]."""
Number = Annotated[float, Quantity("number")]
"""A finite number without a dimension, or of one that no unit and no size changes."""
Count = Annotated[int, Field(ge=0)]
"""A number of things or ticks."""
PositiveCount = Annotated[int, Field(ge=1)]
"""A number of things or ticks, one at least."""
Speed = Annotated[float, Quantity("speed")]
"""A speed, finite [m/s]; in m/s in every document."""
Rate = Annotated[float, Quantity("rate")]
"""A rate, finite [1/s]; in 1/s in every document."""
FixedTime = Annotated[float, Quantity("time", scales=False)]
"""A time, finite [s], that does not grow with the robot: of a computer, a camera or a person."""
FixedSpeed = Annotated[float, Quantity("speed", scales=False)]
"""A speed, finite [m/s], that is asked for and does not grow with the robot."""
Positive = Annotated[Number, Field(gt=0.0)]
"""A finite number above zero."""
NonNegative = Annotated[Number, Field(ge=0.0)]
"""A finite number of at least zero."""
Share = Annotated[Number, Field(ge=0.0, le=1.0)]
"""A share, 0 to 1."""
PositiveShare = Annotated[Number, Field(gt=0.0, le=1.0)]
"""A share above 0, up to 1."""
PositiveLength = Annotated[Length, Field(gt=0.0)]
"""A length above zero [m]."""
NonNegativeLength = Annotated[Length, Field(ge=0.0)]
"""A length of at least zero [m]."""
PositiveSpeed = Annotated[Speed, Field(gt=0.0)]
"""A speed above zero [m/s]."""
NonNegativeSpeed = Annotated[Speed, Field(ge=0.0)]
"""A speed of at least zero [m/s]."""
PositiveRate = Annotated[Rate, Field(gt=0.0)]
"""A rate above zero [1/s]."""
NonNegativeRate = Annotated[Rate, Field(ge=0.0)]
"""A rate of at least zero [1/s]."""
PositiveAngle = Annotated[Angle, Field(gt=0.0)]
"""An angle above zero [rad]."""
NonNegativeAngle = Annotated[Angle, Field(ge=0.0)]
"""An angle of at least zero [rad]."""
NonNegativeAngularVelocity = Annotated[AngularVelocity, Field(ge=0.0)]
"""An angular velocity of at least zero [rad/s]."""
PositiveAngularVelocity = Annotated[AngularVelocity, Field(gt=0.0)]
"""An angular velocity above zero [rad/s]."""
NonNegativeTime = Annotated[Seconds, Field(ge=0.0)]
"""A time of at least zero [s]."""
NonNegativeFixedTime = Annotated[FixedTime, Field(ge=0.0)]
"""A `FixedTime` of at least zero [s]."""
FixedDuration = Annotated[FixedTime, Field(gt=0.0)]
"""A `FixedTime` above zero [s]."""
Duration = Annotated[Seconds, Field(gt=0.0)]
"""A time above zero [s]."""
Stiffness = Annotated[Number, Field(ge=0.0, le=1.0)]
"""A joint stiffness, 0 (off) to 1 (full)."""
