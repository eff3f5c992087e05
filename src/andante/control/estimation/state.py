"""Estimator: from sensors to the state of the body, for any controller; and where its IMU sits."""

from __future__ import annotations

import math
from typing import Protocol, TypeVar

import mujoco
import numpy as np

from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.spatial import rotations
from andante.spatial.arrays import Array, Flags

Feet = Flags
"""A flag for each foot, (nl,)."""
State = TypeVar("State", covariant=True)


class Attitude(Protocol):
    """How the body leans and which feet touch.

    The level frame is the base's, turned about its own axes until z is up: its x axis is the base's seen from above.
    """

    @property
    def time(self) -> float:
        """Time of the sensors [s]."""

    @property
    def level(self) -> Array:
        """Rotation from the base's to the level frame, (3, 3)."""

    @property
    def yaw(self) -> float:
        """Heading of the level frame, counter-clockwise [rad]."""

    @property
    def contact(self) -> Feet:
        """Which feet touch, (nl,)."""


class BodyMotion(Attitude, Protocol):
    """How the body moves as well."""

    @property
    def level_velocity(self) -> Array:
        """Velocity of the base in the level frame, (3,) [m/s]."""

    @property
    def way(self) -> Array:
        """Way that the base has come, in level frames of each moment, (2,) [m]."""


class Levelled:
    """A state whose level frame follows from the rotation of its base."""

    rotation: Array
    """From the base's axes to the world's, (3, 3)."""
    velocity: Array
    """Velocity of the origin of the base in the world, (3,) [m/s]."""

    @property
    def level(self) -> Array:
        """Rotation from the base's to the level frame, (3, 3)."""
        return to_level(self.rotation) @ self.rotation

    @property
    def level_velocity(self) -> Array:
        """Velocity of the base in the level frame, (3,) [m/s]."""
        return np.asarray(to_level(self.rotation) @ self.velocity)


def to_level(rotation: Array) -> Array:
    """Rotation from the world's to the level frame, (3, 3): about z, by the yaw the other way round."""
    x, y = rotation[0, 0], rotation[1, 0]
    size = math.hypot(x, y)
    c, s = (x / size, y / size) if size > 1e-6 else (1.0, 0.0)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def imu_mount(robot: Robot) -> tuple[Array, Array]:
    """Place (3,) [m] and orientation (4,) wxyz of the IMU in the base's frame."""
    data = mujoco.MjData(robot.model)
    mujoco.mj_kinematics(robot.model, data)
    base, site = data.body(robot.base_body), data.site(robot.imu_site)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, site.xmat)
    place = np.array(base.xmat).reshape(3, 3).T @ (np.array(site.xpos) - base.xpos)
    return place, rotations.normalise(rotations.multiply(rotations.conjugate(np.array(base.xquat)), turn))


class Estimator(Protocol[State]):
    """Turns the sensors of every tick into a state; keeps what it remembers in itself."""

    def reset(self, position: Array | None = None, yaw: float | None = None) -> None:
        """Forget everything; the next update is the first.

        Args:
            position: Where the base is then, (3,) [m]; an estimator whose state has no place in the world ignores it,
                and heading likewise.
            yaw: Its heading [rad].
        """

    def update(self, sensors: Sensors, standing: Feet | None = None) -> State:
        """The state after one more tick.

        Args:
            sensors: What is measured.
            standing: Feet that may stand by the controller's plan, (nl,); None: all.
        """
