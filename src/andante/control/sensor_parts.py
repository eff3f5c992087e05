"""What can be wrong with which part of the sensors, and what every value of a reading may be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import Duration, Positive, PositiveAngle
from andante.documents.settings import Settings
from andante.robots.records import Vector
from andante.robots.robot import Robot


class SensorPart(StrEnum):
    """A kind of sensor."""

    CLOCK = "clock"
    """The sensors' time."""
    ENCODER = "encoder"
    """Angle of a joint."""
    SPEED = "speed"
    """Speed of a joint."""
    EFFORT = "effort"
    """Torque of a joint."""
    HEALTH = "health"
    """Health of a joint, as its driver reports it."""
    IMU = "imu"
    """Orientation, gyro and accelerometer."""
    SWITCH = "foot switch"
    """Contact of a foot."""
    CELL = "pressure cell"
    """Force on a cell of a sole."""
    BUTTON = "button"
    """A button or touch sensor."""
    CAPTURE = "motion capture"
    """Pose of the base as seen from outside."""


class Failure(StrEnum):
    """What is wrong with a reading."""

    NOT_FINITE = "not finite"
    """Not a number, or infinite."""
    RANGE = "out of range"
    """A number that the sensor cannot read."""
    JUMP = "jump"
    """An angle farther from the last one than the joint can have come."""
    FROZEN = "frozen"
    """The same bits for long, while what it measures moves."""
    DEAD = "dead"
    """An orientation that is none: not of length 1."""
    WEIGHTLESS = "accelerometer at exactly 0"
    """An accelerometer that measured something, and reads zero on all axes for long."""
    REPEATED = "repeats itself bit for bit"
    """Readings that move, and are those of some time before: a recording, or a buffer that goes round."""
    STUCK = "stuck"
    """A switch that does not change while all others do."""
    STALE = "stale"
    """Time stands still."""
    BACK = "went back"
    """Time is before what it was."""
    AHEAD = "jumped ahead"
    """Time is much later than what it was."""
    CONTRADICTED = "contradicted"
    """What it tells does not go with what another sensor tells of the same motion."""
    GAP = "ticks lost"
    """Time went on by several ticks at once."""


NEEDED = frozenset({SensorPart.ENCODER, SensorPart.IMU})
"""Parts without which no controller can go on, unless it says that it needs fewer."""

GYRO_RANGE = 200.0
"""A gyro cannot read more [rad/s]; those of the shipped robots end at 35 (2000 deg/s)."""
ACCELERATION_RANGE = 1e4
"""An accelerometer cannot read more [m/s^2]."""
FORCE_RANGE = 1e5
"""A pressure cell cannot read more [N]."""
PLACE_RANGE = 1e7
"""A place in the world's coordinates is no farther from their origin [m]: those of surveys (UTM) reach 1e7."""
TIME_RANGE = 1e12
"""A clock counts no further [s]."""
SPEED_SLACK = 10.0
"""A speed sensor may read this much more than `_SPEED_SHARE` times the joint's limit [rad/s]."""
_SPEED_SHARE, _EFFORT_SHARE, _EFFORT_SLACK = 10.0, 100.0, 100.0
_FAR = 1e9
"""No bound is wider than this, so that each excludes the infinite."""
_LENGTH = (0.8, 1.2)
"""Square of an orientation's length."""


class SensorCheckSettings(Settings):
    """What readings are believed, and for how long a lost one is replaced.

    The bounds are far beyond what healthy sensors read: in falls and get-ups of the shipped robots a joint was turned
    at up to 2.3 times its speed limit, and 0.06 rad beyond its stops.
    """

    place: ClassVar[str] = "check"

    ride_through: Duration = 0.25
    """A joint's angle or the IMU may be lost this long; then the robot is stopped [s]."""
    stale_limit: Duration = 1.0
    """Sensor time may stand still this long; then the robot is stopped [s]. The guard holds the posture before."""
    longest_gap: Duration = 1.0
    """A clock that goes ahead by more than this was set, and no time is taken to have passed [s]."""
    beyond_stops: PositiveAngle = 1.0
    """An angle this far beyond a joint's stops is no angle [rad]."""
    speed_share: Positive = 4.0
    """A joint may turn at this multiple of its speed limit, pushed from outside."""
    jump: PositiveAngle = 0.1
    """An angle may be off by this much more, for noise and backlash [rad]."""
    window: Duration = 0.1
    """Readings are compared over this time to find frozen ones; two windows in a row decide [s]."""
    stop_time: Duration = 0.5
    """Time over which torque fades when the robot is stopped [s]."""


@dataclass(frozen=True)
class Component:
    """One thing that fails as one."""

    part: SensorPart
    """Its kind."""
    name: str
    """Its name: a joint, a foot, a cell, a button; empty where there is one of its kind."""
    columns: slice
    """Its values in the sensors' vector."""
    empty: tuple[float, ...]
    """What it reads where it has been lost for long and nobody needs it."""

    def __str__(self) -> str:
        return f"{self.part} {self.name}" if self.name else str(self.part)


def components(robot: Robot) -> tuple[Component, ...]:
    """All components of a robot's sensors in the order of their columns, the clock first."""
    layout = robot.sensors_layout
    found = []
    singles = {
        "position": (SensorPart.ENCODER, 0.0),
        "velocity": (SensorPart.SPEED, 0.0),
        "effort": (SensorPart.EFFORT, 0.0),
        "health": (SensorPart.HEALTH, 1.0),
        "contact": (SensorPart.SWITCH, 0.0),
        "force": (SensorPart.CELL, 0.0),
        "buttons": (SensorPart.BUTTON, 0.0),
    }
    for field in layout.fields:
        columns = layout.slices[field.name]
        if field.name in singles:
            part, empty = singles[field.name]
            found += [
                Component(part, label, slice(columns.start + i, columns.start + i + 1), (empty,))
                for i, label in enumerate(field.labels)
            ]
        elif field.name == "time":
            found.append(Component(SensorPart.CLOCK, "", columns, (0.0,)))
        elif field.name == "orientation":
            whole = slice(columns.start, layout.slices["accelerometer"].stop)
            found.append(Component(SensorPart.IMU, "", whole, (1.0, *(0.0,) * 9)))
        elif field.name == "pose_position":
            whole = slice(columns.start, layout.slices["pose_valid"].stop)
            found.append(Component(SensorPart.CAPTURE, "", whole, (*(0.0,) * 3, 1.0, *(0.0,) * 5)))
    return tuple(found)


def bounds(robot: Robot, period: float, settings: SensorCheckSettings) -> tuple[Vector, Vector]:
    """Least and largest believable value of a reading, of the joints' steps in a period, and of the orientation's
    squared length, (n + nj + 1,) each."""
    layout = robot.sensors_layout
    high = np.empty(layout.size + len(robot.joints) + 1)
    low = np.empty_like(high)
    stops, limits = robot.stops, {"health": (-0.5, 1.5), "contact": (-0.5, 1.5), "buttons": (-0.5, 1.5)}
    speed, effort = _SPEED_SHARE * robot.max_velocity + SPEED_SLACK, _EFFORT_SHARE * robot.max_effort + _EFFORT_SLACK
    largest: dict[str, float | Vector] = {
        "time": TIME_RANGE,
        "velocity": speed,
        "effort": effort,
        "orientation": 1.1,
        "gyro": GYRO_RANGE,
        "accelerometer": ACCELERATION_RANGE,
        "force": FORCE_RANGE,
        "pose_position": PLACE_RANGE,
        "pose_orientation": 1.1,
        "pose_time": TIME_RANGE,
        "pose_valid": 1.5,
    }
    for name, columns in layout.slices.items():
        if name == "position":
            low[columns], high[columns] = stops[0] - settings.beyond_stops, stops[1] + settings.beyond_stops
        elif name in limits:
            low[columns], high[columns] = limits[name]
        else:
            high[columns] = largest[name]
            low[columns] = -high[columns]
    steps = slice(layout.size, layout.size + len(robot.joints))
    high[steps] = reach(robot, period, settings)
    low[steps] = -high[steps]
    low[-1], high[-1] = _LENGTH
    far = slice(1, None)
    low[far], high[far] = np.maximum(low[far], -_FAR), np.minimum(high[far], _FAR)
    return low, high


def reach(robot: Robot, time: float, settings: SensorCheckSettings) -> NDArray[np.float64]:
    """How far each joint's angle may be from what it was ``time`` seconds before, (nj,) [rad]."""
    return settings.speed_share * robot.max_velocity * time + settings.jump
