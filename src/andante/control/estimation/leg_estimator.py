"""Estimators without motion capture: attitude from the IMU, and motion from the legs that stand.

They tell of the level frame, the base's turned about its own axes until z is up: gravity and ground are simple there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.control.estimation.state import Feet
from andante.kernels import entry
from andante.kinematics.leg_forward import foot_jacobian, foot_places
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.robots.records import Sensors
from andante.spatial.arrays import Array, Array1, Array2
from andante.spatial.gravity import GRAVITY


def level_rotation(sensors: Sensors) -> tuple[Array, float]:
    """Rotation from the base's to the level frame, (3, 3), whose x axis is the base's seen from above; and the yaw
    [rad] that the IMU gives.

    An IMU that gives no orientation (all zeros) counts as upright.
    """
    w, x, y, z = sensors.orientation.tolist()
    size = w * w + x * x + y * y + z * z
    if not size > 1e-6:
        return np.eye(3), 0.0
    ux, uy, uz = 2.0 * (x * z - w * y) / size, 2.0 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size
    across = math.hypot(uy, uz)
    yaw = math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    if across < 1e-6:
        return np.eye(3), yaw
    # Rows: forward, left and up as the base sees them.
    cr, sr = uz / across, uy / across
    return np.array([[across, -ux * sr, -ux * cr], [0.0, cr, -sr], [ux, uy, uz]]), yaw


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
class LegMotion(LevelState):
    """An `andante.control.estimation.state.BodyMotion`."""

    level_velocity: Array
    """Velocity of the base in the level frame, (3,) [m/s]."""
    way: Array
    """Way that the base has come, in level frames of each moment, (2,) [m]."""


class LevelEstimator:
    """Attitude from the IMU alone; remembers nothing."""

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """There is nothing to forget."""

    def update(self, sensors: Sensors, standing: Feet | None = None) -> LevelState:
        """The state of this tick."""
        return LevelState(sensors.time, *level_rotation(sensors), sensors.contact > 0.5)


@entry
def stance_velocity(table: LegTable, leg: int, angles: Array2, rates: Array2, gyro: Array1, up: Array1) -> Array:
    """Velocity of the base in its own frame, (3,) [m/s], if this leg's ball foot rolls on the ground without slip.

    Args:
        table: The legs.
        leg: Row.
        angles: Joint angles, (nl, 3) [rad].
        rates: Their rates, (nl, 3) [rad/s].
        gyro: Angular velocity of the base, (3,) [rad/s].
        up: Away from the ground, in the base's frame, (3,).
    """
    places, jacobian = np.empty(angles.shape), np.empty((3, 3))
    foot_jacobian(table, leg, angles, jacobian)
    foot_places(table, angles, places)
    moved = jacobian @ rates[leg]
    roll = table.signs[leg, 0] * angles[leg, 0]
    bend = table.signs[leg, 1] * rates[leg, 1] + table.signs[leg, 2] * rates[leg, 2]
    spin = np.array(
        [
            gyro[0] + table.signs[leg, 0] * rates[leg, 0],
            gyro[1] + bend * np.cos(roll),
            gyro[2] + bend * np.sin(roll),
        ]
    )
    # The ball rolls: its centre moves with the turn of the shank.
    rolled = np.cross(spin, up * table.radius[leg])
    return np.asarray(rolled - moved - np.cross(gyro, places[leg]))


class LegEstimator:
    """Attitude from the IMU; velocity over the ground by the accelerometer, drawn to that of the legs that stand.

    Args:
        body: The robot.
        period: Time of a tick [s].
        time_constant: Time in which the legs' velocity is believed [s].
    """

    def __init__(self, body: LeggedBody, period: float, time_constant: float = 0.03) -> None:
        self._body, self._period = body, period
        self._share = min(1.0, period / time_constant)
        self._rows = np.array([leg.indices for leg in body.legs])
        self.reset()

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Begin at rest, with no way behind."""
        self._velocity: Array = np.zeros(3)
        self._way: Array = np.zeros(2)

    def update(self, sensors: Sensors, standing: Feet | None = None) -> LegMotion:
        """The state after one more tick; feet that touch and may stand carry the estimate on."""
        level, yaw = level_rotation(sensors)
        contact = sensors.contact > 0.5
        force = sensors.accelerometer
        if float(force @ force) > 1.0:
            self._velocity = self._velocity + self._period * (level @ force - (0.0, 0.0, GRAVITY))
        angles, rates = sensors.position[self._rows], sensors.velocity[self._rows]
        seen = [
            stance_velocity(self._body.table, leg, angles, rates, sensors.gyro, level[2])
            for leg in np.flatnonzero(contact if standing is None else standing & contact).tolist()
        ]
        legs = self._velocity
        if seen:
            # A leg that slips says too much: the middle one of four, the mean of two.
            legs = level @ np.median(np.array(seen), axis=0)
            self._velocity = self._velocity + self._share * (legs - self._velocity)
        # Impacts between the ticks are missing in the accelerometer's velocity; over a way that adds up.
        self._way = self._way + self._period * legs[:2]
        return LegMotion(sensors.time, level, yaw, contact, self._velocity, self._way)
