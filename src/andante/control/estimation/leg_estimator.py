"""Estimators without motion capture: attitude from the IMU, and motion from the legs that stand."""

from __future__ import annotations

from dataclasses import dataclass

from andante.control.estimation.state import Array, Feet
from andante.control.legs.level import level_rotation
from andante.control.legs.odometry import LegOdometry
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors


@dataclass(frozen=True, eq=False)
class LevelState:
    """An `andante.control.estimation.state.Attitude`."""

    time: float
    """Time of the sensors [s]."""
    level: Array
    """Rotation from the base's to the level frame, (3, 3)."""
    yaw: float
    """Heading by the IMU [rad]."""
    contact: Feet
    """Which feet touch, (nl,)."""


@dataclass(frozen=True, eq=False)
class LegState(LevelState):
    """An `andante.control.estimation.state.Motion`."""

    level_velocity: Array
    """Velocity of the base in the level frame, (3,) [m/s]."""
    way: Array
    """Way that the base has come, in level frames of each moment, (2,) [m]."""


class LevelEstimator:
    """Attitude from the IMU alone; remembers nothing."""

    def reset(self) -> None:
        """There is nothing to forget."""

    def update(self, sensors: Sensors, standing: Feet | None = None) -> LevelState:
        """The state of this tick."""
        return LevelState(sensors.time, *level_rotation(sensors), sensors.contact > 0.5)


class LegEstimator:
    """Attitude from the IMU, motion from the accelerometer and the legs that stand.

    Args:
        body: The robot.
        period: Time of a tick [s].
    """

    def __init__(self, body: LeggedBody, period: float) -> None:
        self._odometry = LegOdometry(body, period)

    def reset(self) -> None:
        """Begin at rest, with no way behind."""
        self._odometry.reset()

    def update(self, sensors: Sensors, standing: Feet | None = None) -> LegState:
        """The state after one more tick; feet that touch and may stand carry the estimate on."""
        level, yaw = level_rotation(sensors)
        contact = sensors.contact > 0.5
        velocity = self._odometry.step(sensors, level, contact if standing is None else standing & contact)
        return LegState(sensors.time, level, yaw, contact, velocity, self._odometry.way)
