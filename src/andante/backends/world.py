"""WorldConfig: everything about a simulated world that is not the robot, as one frozen document."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from andante.backends.ball import Ball
from andante.documents.quantities import Angle, Duration, Length, Number, Seconds, Stiffness

NonNegative = Annotated[Number, Field(ge=0.0)]
"""A finite number of at least zero."""
Positive = Annotated[Number, Field(gt=0.0)]
"""A finite number above zero."""
Vector3 = tuple[Number, Number, Number]
"""Three finite numbers."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Solver(_Part):
    """How MuJoCo integrates and solves contacts (defaults: the NAO calibration of reference/nao-physics.md, 1)."""

    integrator: Literal["Euler", "implicit", "implicitfast"] = "implicitfast"
    """Integrator; implicitfast keeps stiff servos stable. RK4 is left out: the world steps in two halves."""
    cone: Literal["pyramidal", "elliptic"] = "elliptic"
    """Shape of the friction cone."""
    impratio: Positive = 10.0
    """Ratio of friction to normal impedance; above 1 prevents slip."""
    iterations: Annotated[int, Field(ge=1, le=1000)] = 100
    """Largest number of solver iterations in a step."""
    tolerance: NonNegative = 1e-8
    """Solver tolerance."""
    contact_time: Duration = 0.008
    """Time constant of the floor's contacts [s] (solref of MuJoCo)."""


class Start(_Part):
    """Where and how the robot begins."""

    posture: str | dict[str, Angle] | None = None
    """Posture by name or joint angles [rad], joints not named are 0; None: ``stand`` where there is one, else zeros."""
    x: Length = 0.0
    """Base position along x [m]."""
    y: Length = 0.0
    """Base position along y [m]."""
    height: Length | None = None
    """Base height [m]; None: the lowest point of the robot touches the floor."""
    clearance: Annotated[Length, Field(ge=0.0)] = 0.0
    """Distance of the lowest point from the floor when ``height`` is not given [m]."""
    roll: Angle = 0.0
    """Base roll about x [rad]."""
    pitch: Angle = 0.0
    """Base pitch about y [rad]; +pi/2 lies on the front, -pi/2 on the back."""
    yaw: Angle = 0.0
    """Base yaw about z [rad]; applied as R = Rz(yaw) Ry(pitch) Rx(roll)."""
    posture_noise: Annotated[Angle, Field(ge=0.0)] = 0.0
    """Each joint starts up to this far from its angle, uniform, seeded, inside its limits [rad]."""
    stiffness: Stiffness = 1.0
    """Stiffness with which the servos hold the start posture until the first command takes effect."""


class SensorNoise(_Part):
    """Standard deviations of white Gaussian noise per reading, and of constant offsets drawn once per run."""

    position: NonNegative = 0.0
    """Joint position [rad]."""
    velocity: NonNegative = 0.0
    """Joint velocity [rad/s]."""
    effort: NonNegative = 0.0
    """Joint torque [N m]."""
    orientation: NonNegative = 0.0
    """IMU orientation, rotation about each axis [rad]."""
    gyro: NonNegative = 0.0
    """Angular velocity [rad/s]."""
    accelerometer: NonNegative = 0.0
    """Specific force [m/s^2]."""
    force: NonNegative = 0.0
    """Pressure cell [N]; a noisy cell never reads below zero."""
    position_offset: NonNegative = 0.0
    """Constant offset of each joint position (calibration error) [rad]."""
    gyro_offset: NonNegative = 0.0
    """Constant offset of each gyro axis [rad/s]."""
    accelerometer_offset: NonNegative = 0.0
    """Constant offset of each accelerometer axis [m/s^2]."""


class Push(_Part):
    """A force on one body for some time, in the world frame."""

    time: Annotated[Seconds, Field(ge=0.0)]
    """Begin [s]; rounded to a physics step."""
    duration: Duration
    """Length [s]; rounded to physics steps, at least one."""
    force: Vector3 | None = None
    """Constant force [N]; give this or ``impulse``."""
    impulse: Vector3 | None = None
    """Force times time [N s], exact whatever the rounding of the duration."""
    body: str | None = None
    """Body that is pushed; None: the robot's base."""
    point: Vector3 | None = None
    """Where the force acts, in the body's frame [m]; None: the body's centre of mass."""

    @model_validator(mode="after")
    def _one_strength(self) -> Self:
        if (self.force is None) == (self.impulse is None):
            raise ValueError("a push needs either force or impulse")
        return self


class Press(_Part):
    """A button held for some time."""

    button: str
    """Name of the button."""
    time: Annotated[Seconds, Field(ge=0.0)]
    """Begin [s]."""
    duration: Duration
    """How long it is held [s]."""


class WorldConfig(_Part):
    """A simulated world: floor, physics, start, servos, sensors and what disturbs the robot.

    A value written as a pair ``(low, high)`` is drawn uniformly by the seed of each run.
    """

    timestep: Duration = 0.002
    """Physics step [s]."""
    gravity: Vector3 = (0.0, 0.0, -9.81)
    """Gravity [m/s^2]."""
    friction: Number | tuple[Number, Number] = 0.8
    """Sliding friction coefficient between the floor and everything, or its range."""
    solver: Solver = Solver()
    """Integrator and contact solver."""
    start: Start = Start()
    """Where and how the robot begins."""
    fixed_base: bool = False
    """Hold the base at its start pose, as on a test stand."""
    servo_strength: Number | tuple[Number, Number] = 1.0
    """Factor on all torques and torque limits of a servo; a range is drawn for each motor on its own."""
    command_delay: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Ticks from `Backend.write` until the servos act on it; None: the robot's ``delay_ticks``."""
    noise: SensorNoise = SensorNoise()
    """Sensor noise."""
    sensor_latency: Annotated[Seconds, Field(ge=0.0, le=10.0)] = 0.0
    """Age of what `Backend.read` gives [s]; rounded to physics steps."""
    contact_threshold: NonNegative = 1.0
    """Force above which a foot counts as touching [N]."""
    ball: Ball | None = None
    """A ball on the floor; None: none."""
    pushes: tuple[Push, ...] = ()
    """Scripted pushes."""
    presses: tuple[Press, ...] = ()
    """Scripted button presses."""
    max_speed: Positive = 1000.0
    """Norm of all velocities (m/s and rad/s) above which the physics counts as diverged."""

    @model_validator(mode="after")
    def _ranges(self) -> Self:
        for name in ("friction", "servo_strength"):
            low, high = bounds(getattr(self, name))
            if not 0.0 <= low <= high:
                raise ValueError(f"{name} needs 0 <= low <= high, got {low:g} and {high:g}")
        if not math.hypot(*self.gravity) <= 100.0:
            raise ValueError("gravity is limited to 100 m/s^2")
        return self


def bounds(value: float | tuple[float, float]) -> tuple[float, float]:
    """Low and high end of a number or a range."""
    return value if isinstance(value, tuple) else (value, value)
