"""Standing on four feet with legs that push instead of legs that hold places, and the stiff legs to compare with.

The compliant stand knows where its body is from the joint angles of the legs and the IMU, with the feet taken as still.
Joint friction is between its torques and the ground, and nothing closes a loop over it but the virtual model itself:
what friction holds back stays as an error. A position servo works against it with its own, much stiffer spring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from andante.control.controller import ControlError, ControllerBase
from andante.control.estimation.leg_estimator import level_rotation
from andante.control.legs.foot_motion import FootMotion
from andante.control.legs.four_legs import four_legged
from andante.control.legs.weight import ForceDistribution, push
from andante.documents.quantities import NonNegative
from andante.documents.settings import Settings
from andante.robots.records import Command, Layout, Record, Sensors, axes
from andante.robots.robot import Robot
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

Legs = Literal["compliant", "stiff"]
_LAYOUT = Layout("stand", (axes("wanted", "m"), axes("error", "m"), axes("tilt", "rad", ("roll", "pitch"))))
_STEADY = 0.1
"""Time constant with which the measured velocity is smoothed [s]."""


@dataclass(frozen=True)
class Sway:
    """A body over its feet that goes round sideways and up and down."""

    along: float = 0.0
    """Amplitude along x [m]."""
    side: float = 0.0
    """Amplitude along y [m]."""
    height: float = 0.0
    """Amplitude of the height [m]."""
    period: float = 2.0
    """Time of one round [s]."""
    duration: float = 8.0
    """Time after which it is over [s]."""

    def place(self, time: float) -> Array:
        """Where the body should be, from where it stands still, (3,) [m]; it begins softly."""
        angle = math.tau * time / self.period
        soft = min(1.0, time / self.period)
        up = 0.5 - 0.5 * math.cos(angle)
        return soft * np.array([self.along * math.cos(angle), self.side * math.sin(angle), -self.height * up])


class VirtualModel(Settings):
    """Stiffness and damping per mass, so that one set serves robots of any size."""

    place: ClassVar[str] = "virtual"

    along: NonNegative = 60.0
    """Stiffness across the ground per mass [1/s^2]."""
    along_damping: NonNegative = 12.0
    """Its damping [1/s]."""
    height: NonNegative = 150.0
    """Stiffness of the height per mass [1/s^2]."""
    height_damping: NonNegative = 20.0
    """Its damping [1/s]."""
    tilt: NonNegative = 250.0
    """Stiffness of the attitude per moment of inertia [1/s^2]."""
    tilt_damping: NonNegative = 25.0
    """Its damping [1/s]."""

    def wrench(self, mass: float, inertia: Array, error: Array, velocity: Array, turn: Array, gyro: Array) -> Array:
        """Force [N] and moment [N m] on the body, (6,), in the level frame: F = Kp (x* - x) - Kd v + m g.

        Args:
            mass: Mass of the robot [kg].
            inertia: Its moments of inertia about x, y, z, (3,) [kg m^2].
            error: Where it should be less where it is, (3,) [m].
            velocity: Its velocity, (3,) [m/s].
            turn: Rotation vector from its attitude to the wanted one, (3,) [rad].
            gyro: Its angular velocity, (3,) [rad/s].
        """
        stiffness = np.array([self.along, self.along, self.height])
        damping = np.array([self.along_damping, self.along_damping, self.height_damping])
        force = mass * (stiffness * error - damping * velocity + (0.0, 0.0, GRAVITY))
        moment = inertia * (self.tilt * turn - self.tilt_damping * gyro)
        return np.concatenate([force, moment])


class SwayingStand(ControllerBase):
    """Stands where it is put and sways its body.

    Args:
        robot: A robot on four three-joint legs.
        sway: How the body should move.
        legs: Whether legs push by the virtual model, or hold places with the servos' full gains.
        stiffness: Share of the servos' gains that is left to compliant legs.
        model: Springs and dampers of the virtual model.
        friction: Coefficient of friction that is counted on.

    Raises:
        ControlError: The robot has other legs, or a value is not legal.
    """

    def __init__(
        self,
        robot: Robot,
        sway: Sway,
        legs: Legs = "compliant",
        *,
        stiffness: float = 0.02,
        model: VirtualModel | None = None,
        friction: float = 0.5,
    ) -> None:
        if legs not in ("compliant", "stiff"):
            raise ControlError("unknown kind of legs", place="legs", value=legs, legal=("compliant", "stiff"))
        if not 0.0 < stiffness <= 1.0:
            raise ControlError("a share of the gains is needed", place="stiffness", value=stiffness, limit="0 to 1")
        self._body = four_legged(robot)
        super().__init__(robot.tick)
        self._sway, self._legs = sway, legs
        self._stiffness, self._model = stiffness, model or VirtualModel()
        table = self._body.table
        self._forces = ForceDistribution(friction, arm=0.5 * self._body.leg_length)
        self._mass = table.total_mass
        # As a box from hip to hip; springs per inertia need no better.
        length, width = float(np.ptp(table.hip[:, 0])), float(np.ptp(table.hip[:, 1]))
        self._inertia = self._mass * np.array([width**2, length**2, length**2 + width**2]) / 6.0
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next step takes the posture that it measures."""
        super().reset()
        self._motion = FootMotion(self._body, self.period)
        self._start: Array | None = None
        self._held: Array = np.zeros((4, 3))
        self._began = 0.0
        self._last: Array | None = None
        self._velocity = np.zeros(3)
        self.done = False
        """Whether the sway is over."""

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        motion = self._motion
        rotation, _ = level_rotation(sensors)
        angles = motion.leg_rows(sensors.position)
        places = motion.measured(angles)
        level = places @ rotation.T
        if self._start is None:
            motion.begin(sensors)
            self._start, self._began = level.copy(), sensors.time
            self._held = motion.places.copy()
        time = sensors.time - self._began
        self.done = self.done or time >= self._sway.duration
        wanted = self._sway.place(time)
        # Feet stay, so the body is as far from its start as the feet have gone the other way.
        gone = (self._start - level).mean(axis=0)
        error = wanted - gone
        tilt = np.array([math.atan2(rotation[2, 1], rotation[2, 2]), math.atan2(-rotation[2, 0], rotation[2, 2])])
        self._telemetry = Record(_LAYOUT, np.concatenate([wanted, error, tilt]))
        motion.move(self._held - wanted, np.ones(4, dtype=np.bool_))
        if self._legs == "stiff":
            return motion.command()
        return self._push(sensors, rotation, angles, level, gone, error, tilt)

    def _push(
        self, sensors: Sensors, rotation: Array, angles: Array, level: Array, gone: Array, error: Array, tilt: Array
    ) -> Command:
        """Torques of the virtual model, and little of the servos' own springs."""
        if self._last is not None:
            rate = (gone - self._last) / self.period
            self._velocity = self._velocity + (self.period / _STEADY) * (rate - self._velocity)
        self._last = gone
        turn = np.array([-tilt[0], -tilt[1], 0.0])
        wrench = self._model.wrench(self._mass, self._inertia, error, self._velocity, turn, rotation @ sensors.gyro)
        com = rotation @ self._motion.com
        forces, _ = self._forces.solve(level - com, np.array([0.0, 0.0, 1.0]), wrench)
        command = self._motion.command()
        command.kp[:] *= self._stiffness
        command.kd[:] *= self._stiffness
        return push(command, self._body, angles, rotation, forces)
