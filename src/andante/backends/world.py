"""WorldConfig: everything about a simulated world that is not the robot, as one frozen document.

What stands in the world and what befalls the robot have files of their own (terrain, ball, payload, fault).
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from andante.backends.ball import Ball
from andante.backends.config_parts import AngleRange, NumberRange, Ticks, Vector3, bounds, check_range
from andante.backends.fault import Fault
from andante.backends.motion_capture import PoseNoise
from andante.backends.payload import Payload
from andante.backends.perturbation import Perturbation
from andante.backends.terrain import TerrainChoice
from andante.documents.part import Part
from andante.documents.quantities import Angle, Duration, Length, NonNegative, Number, Positive, Seconds, Stiffness
from andante.spatial.gravity import GRAVITY

_MAX_SLOPE = math.radians(60.0)
Lying = Literal["prone", "supine", "left", "right"]
"""On the front, on the back, on the left side, on the right side."""
NoiseAngle = Annotated[Angle, Field(ge=0.0)]
"""Half width of a uniform distribution [rad]."""

Jitter = Annotated[Seconds, Field(ge=0.0, le=1.0)]
"""Time by which readings or commands may be late [s]."""


class Materials(Part):
    """Factors on the world's friction by material; each range is drawn once per run."""

    sole: NumberRange = 1.0
    """Rubber soles: all collision shapes of the feet's bodies."""
    shell: NumberRange = 1.0
    """Plastic shells: all others."""

    @model_validator(mode="after")
    def _ranges(self) -> Self:
        for name in ("sole", "shell"):
            check_range(f"materials.{name}", getattr(self, name), 0.0, math.inf)
        return self


class Carpet(Part):
    """A soft floor that resists rolling and turning; sliding is the world's ``friction``.

    The defaults are an assumption: a NAO's sole sinks in by some tenths of a millimetre, a hand by a millimetre.
    """

    torsion: NonNegative = 0.01
    """Torque against turning on the spot over the normal force [m]; 0 on a hard floor."""
    rolling: NonNegative = 0.003
    """Torque against rolling over the normal force [m]; 0 on a hard floor."""
    contact_time: Duration = 0.016
    """Time constant of its contacts [s], in place of `Solver.contact_time`."""
    give: NonNegative = 0.002
    """Depth over which the pile stiffens, the width of MuJoCo's solimp [m]."""


class Stretch(Part):
    """Shapes of the robot stretched along one axis of their body; masses and joints stay.

    What lies at coordinate c along the axis comes to ``about + factor (c - about)``.
    """

    geoms: Annotated[tuple[str, ...], Field(min_length=1)]
    """Names of the shapes; they share one factor."""
    axis: Literal["x", "y", "z"]
    """Axis of the shapes' body."""
    factor: NumberRange
    """Factor, or the range from which it is drawn once per run; 0.5 to 2."""
    about: Length = 0.0
    """Coordinate that stays [m]."""

    @model_validator(mode="after")
    def _range(self) -> Self:
        check_range("factor", self.factor, 0.5, 2.0)
        return self


class Settle(Part):
    """How a robot is dropped and comes to rest before time 0 (defaults: docs/sources/nao-physics.md, 1)."""

    duration: Annotated[Duration, Field(le=600.0)] = 1.5
    """Time from the drop to time 0 of the run [s]; rounded to physics steps."""
    held: Annotated[Seconds, Field(ge=0.0)] = 0.5
    """The servos hold the start posture this long; then they are off until the first command takes effect [s]."""
    stiffness: Stiffness = 0.1
    """Stiffness with which they hold it."""
    pitch_noise: NoiseAngle = math.radians(8.0)
    """The robot is dropped tilted up to this far, head or feet first [rad]."""
    roll_noise: NoiseAngle = math.radians(12.0)
    """The robot is dropped turned up to this far about its long axis [rad]."""


class Start(Part):
    """Where and how the robot begins; on a slope, and on inclined ground of a terrain where no height is given, angles
    are relative to the ground."""

    posture: str | dict[str, Angle] | None = None
    """Posture by name or joint angles [rad], joints not named are as near to 0 as their limits let; None: ``side`` for
    a robot that lies on its side, else ``stand``, where it has one, else such zeros."""
    x: Length = 0.0
    """Base position along x [m]."""
    y: Length = 0.0
    """Base position along y [m]."""
    height: Length | None = None
    """Base height [m]; None: the lowest point of the robot touches the floor."""
    clearance: Annotated[Length, Field(ge=0.0)] = 0.0
    """Distance of the lowest point from the floor when ``height`` is not given [m]."""
    lying: Lying | None = None
    """Lie on the floor; roll and pitch then turn the robot from there. A robot that rolls over while it comes to rest
    is dropped once more with new noise; one that does so 20 times is held by its servos instead of being limp."""
    settle: Settle | None = None
    """Come to rest before time 0; None: only if ``lying``, with the defaults of `Settle`."""
    roll: Angle = 0.0
    """Base roll about x [rad]."""
    pitch: Angle = 0.0
    """Base pitch about y [rad]; +pi/2 lies on the front, -pi/2 on the back."""
    yaw: Angle = 0.0
    """Base yaw about z [rad]; applied as R = Rz(yaw) Ry(pitch) Rx(roll)."""
    posture_noise: NoiseAngle | dict[str, NoiseAngle] | None = None
    """Each joint starts up to this far from its angle, uniform, seeded, inside its limits; one angle for all joints, or
    angles by joint, group or pattern (``*Shoulder*``), the last that fits counts. None: for ``lying`` 30 deg in groups
    called arm and 15 deg in groups called leg, else nothing [rad]."""
    noise_scale: NonNegative = 1.0
    """Factor on the noise of posture and drop."""
    stiffness: Stiffness = 1.0
    """Stiffness with which the servos hold the start posture until the first command takes effect; without ``settle``
    only."""
    perturbation: Perturbation | None = None
    """A tiny change of the state in which the robot begins, for repeats of a trial in the same world; None: none."""

    @property
    def settling(self) -> Settle | None:
        """How the robot comes to rest before time 0; None where it does not."""
        return Settle() if self.settle is None and self.lying is not None else self.settle


class Solver(Part):
    """How MuJoCo integrates and solves contacts (defaults: the NAO calibration of docs/sources/nao-physics.md, 1)."""

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
    contact_time: Duration | None = 0.008
    """Time constant of all contacts [s] (solref of MuJoCo), whatever the robot's file says; None: contacts are as soft
    as the robot's file says of its shapes (solref, solimp, solmix and priority), on a floor and terrain of MuJoCo's
    usual softness. Friction is the world's either way; a carpet's contacts are the carpet's."""


class SensorNoise(Part):
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
    orientation_offset: NonNegative = 0.0
    """Constant rotation of the IMU's orientation about each of its axes (mounting, drift) [rad]."""
    imu_loss: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the IMU's readings that are lost, each on its own; the one before is read again."""
    pose: PoseNoise = PoseNoise()
    """Motion capture, for a robot that has it."""


class Push(Part):
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
    yaw: Angle = 0.0
    """Turn of force or impulse to the left, about the vertical [rad]."""

    @model_validator(mode="after")
    def _one_strength(self) -> Self:
        if (self.force is None) == (self.impulse is None):
            raise ValueError("a push needs either force or impulse")
        return self


class Press(Part):
    """A button held for some time."""

    button: str
    """Name of the button."""
    time: Annotated[Seconds, Field(ge=0.0)]
    """Begin [s]."""
    duration: Duration
    """How long it is held [s]."""


class WorldConfig(Part):
    """A simulated world: floor, physics, start, servos, sensors and what disturbs the robot.

    A value written as a pair ``(low, high)`` is drawn uniformly by the seed of each run.
    """

    timestep: Duration = 0.002
    """Physics step [s]."""
    gravity: Vector3 = (0.0, 0.0, -GRAVITY)
    """Gravity [m/s^2]."""
    friction: NumberRange = 0.8
    """Sliding friction coefficient between all shapes, floor and robot, or its range."""
    materials: Materials = Materials()
    """Factors on the friction of soles and shells."""
    carpet: Carpet | None = None
    """Carpet on the floor; None: a hard floor."""
    terrain: TerrainChoice | None = None
    """Board or file that stands on the floor; None: the level floor."""
    slope: AngleRange = 0.0
    """Angle by which the floor is tilted [rad]; gravity stays vertical."""
    slope_direction: AngleRange = 0.0
    """Direction in which the floor rises, from x towards y [rad]."""
    solver: Solver = Solver()
    """Integrator and contact solver."""
    start: Start = Start()
    """Where and how the robot begins."""
    fixed_base: bool = False
    """Hold the base at its start pose, as on a test stand."""
    payload: Payload | None = None
    """A mass that the robot carries; None: none."""
    servo_strength: NumberRange = 1.0
    """Factor on all torques and torque limits of a servo; a range is drawn for each motor on its own."""
    torque_speed: NumberRange = 1.0
    """Factor on the speeds of a servo's torque-speed limit; a range is drawn for each motor on its own."""
    masses: NumberRange = 1.0
    """Factor on mass and inertia of each body of the robot; a range is drawn for each body on its own."""
    com_shift: Annotated[Length, Field(ge=0.0, le=1.0)] = 0.0
    """The centre of mass of the robot's base lies up to so far from where the model says, drawn along each axis [m]."""
    command_delay: Ticks | tuple[Ticks, Ticks] | None = None
    """Ticks from `Backend.write` until the servos act on it, or their range (whole ticks, both ends included); None:
    the robot's ``delay_ticks``."""
    backlash: AngleRange = 0.0
    """Half of the play between each motor and its link [rad]; a range is drawn for each motor on its own. Within the
    play the servo's spring exerts no torque; the encoder sits at the motor, so it hides the play."""
    stretches: tuple[Stretch, ...] = ()
    """Changes of collision shapes; masses stay."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong."""
    impacts: bool = True
    """Measure in every physics step how hard trunk and head hit the floor (ground truth)."""
    noise: SensorNoise = SensorNoise()
    """Sensor noise."""
    drive_noise: bool = False
    """Whether the drives' own control reads its encoders with the noise and the constant offsets of ``noise.position``,
    ``noise.velocity`` and ``noise.position_offset``, drawn anew in every physics step; otherwise it reads the truth."""
    sensor_latency: Annotated[Seconds, Field(ge=0.0, le=10.0)] = 0.0
    """Age of what `Backend.read` gives [s]; rounded to physics steps."""
    sensor_jitter: Jitter = 0.0
    """Readings come unevenly: each is up to so much older, drawn anew, and none is older than the one before [s];
    rounded to physics steps."""
    sensor_loss: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.0
    """Share of the readings that never arrive, each on its own; the one before is read again, time stamp included."""
    joint_latency: Jitter = 0.0
    """Angles, speeds and torques of the joints are so much older than the time stamp of their reading, as by a slow
    bus; IMU and feet are not [s]; rounded to physics steps."""
    command_jitter: Jitter = 0.0
    """Commands come unevenly: each takes effect up to so much later, drawn anew, in their order [s]; from a tick on
    they come in bursts, of which the last counts; rounded to physics steps."""
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
            check_range(name, getattr(self, name), 0.0, math.inf)
        for name in ("torque_speed", "masses"):
            check_range(name, getattr(self, name), 0.1, 10.0)
        check_range("slope", self.slope, 0.0, _MAX_SLOPE)
        check_range("slope_direction", self.slope_direction, -math.inf, math.inf)
        check_range("backlash", self.backlash, 0.0, 1.0)
        if self.terrain is not None and (bounds(self.slope) != (0.0, 0.0) or self.carpet is not None):
            raise ValueError("a terrain takes neither slope nor carpet of the floor")
        if isinstance(self.command_delay, tuple):
            check_range("command_delay", self.command_delay, 0, 1000)
        if not math.hypot(*self.gravity) <= 100.0:
            raise ValueError("gravity is limited to 100 m/s^2")
        return self
