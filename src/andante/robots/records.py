"""Sensors and Command: the two records that every tick exchanges.

Both are named views over one flat float64 vector. The vector is what the recorder writes and the replay reads, so
nothing that a controller saw or said can be lost or rounded on the way. A record is a value: whoever makes one hands
it over and does not change it afterwards; `copy` gives one to change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import AndanteError

Vector = NDArray[np.float64]


class RecordError(AndanteError):
    """A record's vector does not fit its layout."""


@dataclass(frozen=True)
class Field:
    """One named run of float64 values inside a record."""

    name: str
    """Name of the field, as Python attribute and log column."""
    labels: tuple[str, ...]
    """One label per value (joint, foot, axis); its length is the field's size."""
    unit: str = ""
    """SI unit of the values; empty for a pure number."""

    @property
    def size(self) -> int:
        """Number of float64 values."""
        return len(self.labels)


@dataclass(frozen=True)
class Layout:
    """Names, order and sizes of a record's fields; equal layouts give interchangeable vectors."""

    name: str
    """Name of the record, used as the log's channel name."""
    fields: tuple[Field, ...]
    """The fields in the order of the vector."""

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each field lies in the vector."""
        slices, start = {}, 0
        for field in self.fields:
            slices[field.name] = slice(start, start + field.size)
            start += field.size
        return slices

    @cached_property
    def size(self) -> int:
        """Number of float64 values in the vector."""
        return sum(field.size for field in self.fields)

    @cached_property
    def shape(self) -> tuple[int]:
        """Shape of the vector."""
        return (self.size,)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """One name per value: ``field`` for single values, ``field.label`` otherwise."""
        return tuple(
            field.name if field.size == 1 and field.labels[0] in ("", field.name) else f"{field.name}.{label}"
            for field in self.fields
            for label in field.labels
        )


def scalar(name: str, unit: str = "") -> Field:
    """A field of one value."""
    return Field(name, ("",), unit)


def axes(name: str, unit: str, labels: Sequence[str] = ("x", "y", "z")) -> Field:
    """A field of one value per axis."""
    return Field(name, tuple(labels), unit)


def read_only(vector: Vector) -> Vector:
    """A view of the same values that cannot be written to."""
    view = vector.view()
    view.flags.writeable = False
    return view


class Record:
    """Named views over one float64 vector of shape (layout.size,)."""

    __slots__ = ("layout", "vector")

    def __init__(self, layout: Layout, vector: Vector | None = None) -> None:
        if vector is None:
            vector = np.zeros(layout.size)
        elif vector.shape != layout.shape:
            raise RecordError(
                f"vector does not fit the record {layout.name!r}", value=vector.shape, limit=f"({layout.size},)"
            )
        self.layout = layout
        self.vector = vector

    def __getitem__(self, name: str) -> Vector:
        """The view of one field, shape (field.size,)."""
        return self.vector[self.layout.slices[name]]

    def copy(self) -> Self:
        """An independent copy."""
        return type(self)(self.layout, self.vector.copy())

    def shown(self) -> Self:
        """The same values, which who is only shown them cannot change."""
        return type(self)(self.layout, read_only(self.vector))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.layout.name}, {self.layout.size} values)"


class View:
    """A field of a record as one of its attributes: the view of its values, shape (field.size,); what is assigned is
    written into it."""

    def __init__(self, what: str) -> None:
        self.__doc__ = what

    def __set_name__(self, owner: type[Record], name: str) -> None:
        self._name = name

    def __get__(self, record: Record, owner: type[Record]) -> Vector:
        return record.vector[record.layout.slices[self._name]]

    def __set__(self, record: Record, values: ArrayLike) -> None:
        # Who writes `sensors.position += shift` has changed the view already, and assigns it again.
        record.vector[record.layout.slices[self._name]] = values


class Sensors(Record):
    """What a controller may know at one tick. Joint arrays are in the robot's joint order; SI units."""

    __slots__ = ()

    @property
    def time(self) -> float:
        """Time of the measurement since the start of the run [s]."""
        return float(self.vector[0])

    position = View("Measured joint positions, (nj,) [rad].")
    velocity = View("Measured joint velocities, (nj,) [rad/s].")
    effort = View("Estimated joint torques, (nj,) [N m].")
    health = View("Joint health as the drivers report it, (nj,): 1 good, 0 malfunction.")
    orientation = View("Orientation of the IMU's body in the world as the IMU estimates it, (4,) wxyz.")
    gyro = View("Angular velocity in the IMU's frame, (3,) [rad/s].")
    accelerometer = View("Specific force in the IMU's frame, (3,) [m/s^2]; +9.81 on z when upright and still.")
    contact = View("Contact per foot, (nf,): 1 touching, 0 not.")
    force = View("Force per pressure cell, (nc,) [N].")
    buttons = View("Buttons and touch sensors, (nb,): 1 pressed, 0 not.")

    @property
    def tracked(self) -> bool:
        """Whether there is motion capture; only then has the record the fields ``pose_*``."""
        return "pose_time" in self.layout.slices

    pose_position = View("Origin of the base in the world as motion capture saw it last, (3,) [m].")
    pose_orientation = View("Orientation of the base in the world as motion capture saw it last, (4,) wxyz.")

    @property
    def pose_time(self) -> float:
        """When motion capture saw that pose, on the clock of ``time`` [s]; it stands still while none arrives."""
        return float(self["pose_time"][0])

    @property
    def pose_valid(self) -> bool:
        """Whether motion capture sees the robot; while it does not, the last pose is repeated."""
        return bool(self["pose_valid"][0] > 0.5)


class Command(Record):
    """What the servos are asked to do at one tick: the five numbers of the field's drivers per joint.

    Torque of a joint: ``kp * (position - q) + kd * (velocity - dq) + torque``. An off joint has ``kp = kd = 0`` and
    ``torque = 0``.
    """

    __slots__ = ()

    position = View("Wanted joint positions, (nj,) [rad].")
    velocity = View("Wanted joint velocities, (nj,) [rad/s].")
    kp = View("Position gains, (nj,) [N m/rad].")
    kd = View("Velocity gains, (nj,) [N m s/rad].")
    torque = View("Feed-forward torques, (nj,) [N m].")


def sensors_layout(
    joints: Sequence[str],
    feet: Sequence[str] = (),
    cells: Sequence[str] = (),
    buttons: Sequence[str] = (),
    *,
    tracked: bool = False,
) -> Layout:
    """The layout of `Sensors` for a robot with these joints, feet, pressure cells and buttons; ``tracked``: and with
    motion capture, whose fields come last so that all others stay where they are."""
    nj = tuple(joints)
    pose = (
        axes("pose_position", "m"),
        axes("pose_orientation", "", ("w", "x", "y", "z")),
        scalar("pose_time", "s"),
        scalar("pose_valid"),
    )
    return Layout(
        "sensors",
        (
            scalar("time", "s"),
            Field("position", nj, "rad"),
            Field("velocity", nj, "rad/s"),
            Field("effort", nj, "N m"),
            Field("health", nj),
            axes("orientation", "", ("w", "x", "y", "z")),
            axes("gyro", "rad/s"),
            axes("accelerometer", "m/s^2"),
            Field("contact", tuple(feet)),
            Field("force", tuple(cells), "N"),
            Field("buttons", tuple(buttons)),
            *(pose if tracked else ()),
        ),
    )


def command_layout(joints: Sequence[str]) -> Layout:
    """The layout of `Command` for a robot with these joints."""
    units = {"position": "rad", "velocity": "rad/s", "kp": "N m/rad", "kd": "N m s/rad", "torque": "N m"}
    return Layout("command", tuple(Field(name, tuple(joints), unit) for name, unit in units.items()))
