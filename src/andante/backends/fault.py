"""Fault: one thing that goes wrong with joints or the IMU for some time, as a frozen document."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.backends.config_parts import Vector3
from andante.documents.part import Part
from andante.documents.quantities import Angle, AngularVelocity, Duration, NonNegative, Seconds

FaultType = Literal[
    "stuck", "sticky", "weak", "dead", "offset", "delayed", "noisy", "dropped", "imu_offset", "imu_dropped"
]
"""Kinds of faults, see `Fault.type`."""
_STRENGTH: dict[str, tuple[str, ...]] = {
    "sticky": ("torque",),
    "weak": ("factor",),
    "offset": ("angle",),
    "delayed": ("ticks",),
    "noisy": ("angle",),
}
_OPTIONAL: dict[str, tuple[str, ...]] = {
    "dropped": ("reading",),
    "imu_dropped": ("reading",),
    "imu_offset": ("rotation", "rate", "acceleration"),
}
_ALL = ("torque", "factor", "angle", "ticks", "reading", "rotation", "rate", "acceleration")


class When(Part):
    """A moment in the progress of the keyframe engine."""

    block: str
    """Name of the block."""
    keyframe: Annotated[int, Field(ge=0)] = 0
    """Index of the keyframe in its block; the moment is its start."""


class Fault(Part):
    """A fault of some joints or of the IMU; it begins at ``start``, at ``when``, or when it is triggered by name.

    A motor that moves several joints (the NAO's hip yaw pitch) is hit as one, whichever of its joints is named.
    """

    type: FaultType
    """Joints: stuck (locked at the present angle), sticky (``torque`` more dry friction), weak (``factor`` on all that
    the servo can do), dead (no torque), offset (the encoder reads ``angle`` too much, so the servo stands that far
    behind its command), delayed (acts on commands ``ticks`` later), noisy (white noise of deviation ``angle`` on the
    measured position), dropped (position, velocity and effort are not measured, see ``reading``).
    IMU: imu_offset (wrong by ``rotation``, ``rate``, ``acceleration``), imu_dropped (see ``reading``)."""
    name: str = ""
    """Name by which it is triggered; may be shared by several faults."""
    joints: tuple[str, ...] = ()
    """Joints that it hits; none for the IMU."""
    start: Annotated[Seconds, Field(ge=0.0)] | None = None
    """Begin [s], rounded to a physics step."""
    when: When | None = None
    """Begin at the first start of a keyframe."""
    repeat: bool = False
    """Begin at every start of that keyframe."""
    duration: Duration | None = None
    """Length [s]; None: to the end of the run."""
    torque: NonNegative | None = None
    """sticky: dry friction at the motor's joint [N m]."""
    factor: NonNegative | None = None
    """weak: factor on gains and torque limit."""
    angle: Angle | None = None
    """offset, noisy [rad]."""
    ticks: Annotated[int, Field(ge=1, le=1000)] | None = None
    """delayed: the robot's ticks."""
    reading: Literal["hold", "nan"] | None = None
    """dropped, imu_dropped: the last value is repeated (hold, the default) or not a number is read."""
    rotation: tuple[Angle, Angle, Angle] | None = None
    """imu_offset: rotation vector in the IMU's frame on the orientation [rad]."""
    rate: tuple[AngularVelocity, AngularVelocity, AngularVelocity] | None = None
    """imu_offset: added to the gyro [rad/s]."""
    acceleration: Vector3 | None = None
    """imu_offset: added to the accelerometer [m/s^2]."""
    reported: bool = False
    """The drivers notice: the joints' health reads 0 meanwhile."""

    @property
    def of_imu(self) -> bool:
        """Whether it is a fault of the IMU."""
        return self.type.startswith("imu_")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needed, optional = _STRENGTH.get(self.type, ()), _OPTIONAL.get(self.type, ())
        for field in _ALL:
            given = getattr(self, field) is not None
            if given and field not in needed + optional:
                raise ValueError(f"a {self.type} fault has no {field}")
            if not given and field in needed:
                raise ValueError(f"a {self.type} fault needs {field}")
        if self.of_imu and self.joints:
            raise ValueError(f"an {self.type} fault has no joints")
        if not self.of_imu and not self.joints:
            raise ValueError(f"a {self.type} fault needs joints")
        if self.start is not None and self.when is not None:
            raise ValueError("a fault begins either at a time (start) or at a keyframe (when)")
        if self.start is None and self.when is None and not self.name:
            raise ValueError("a fault needs start, when, or a name by which it is triggered")
        if self.repeat and self.when is None:
            raise ValueError("only a fault that begins at a keyframe (when) can repeat")
        if self.reported and self.of_imu:
            raise ValueError("health is reported of joints only")
        return self
