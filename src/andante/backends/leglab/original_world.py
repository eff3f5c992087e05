"""OriginalWorld: the exercise's own physics, figure for figure, on pymunk.

Motors know speeds only (SimpleMotor), nothing holds an angle, and the order in which pivot, limit and motor of each
joint are added is the original's, because its solver is iterative. Known defects, kept and named:

- the measured ankle lacks 21.61 degrees: it reads +21.61 in the neutral pose, so that a commanded angle a puts the foot
  at a - 21.61 degrees (``ankle="corrected"`` mends it, and only it);
- everything slows down in the air by a tenth per second, and the ball bounces back with 86 % of its speed;
- targets outside the limits are not refused: they make the joint run faster against its stop.

pymunk is needed for this world only: ``pip install "andante[leglab]"``.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from andante.backends.backend import BackendError, check_joints, whole_steps
from andante.backends.leglab.scene import LOST, PICTURE, SCENE, KickScene
from andante.kinematics.planar_chain import planar_chain
from andante.robots.records import Command, Field, Layout, Record, Sensors, Vector, axes, scalar
from andante.robots.robot import Robot

if TYPE_CHECKING:
    import pymunk

STEP = 0.001
"""Physics step [s]."""
_POSTURE_STEPS = round(PICTURE / STEP)
FRAME = 0.1
"""The original thinks in frames of this length [s]."""
ANKLE_DEFECT = math.radians(111.61 - 90.0)
"""How much too high the original reads the ankle [rad]."""
_LEG_RADIUS, _FOOT_RADIUS = 0.05, 0.025
_LEG_MASS, _FOOT_MASS = 0.4, 0.2
_LEG_GROUP = 1

Ankle = Literal["original", "corrected"]


class MissingPymunkError(BackendError):
    """The exercise's physics is asked for and pymunk is not installed."""


class OriginalWorld:
    """Leg and ball in the exercise's physics, as Backend; a command's velocity is all it takes.

    Args:
        robot: The planar leg.
        ankle: Read the ankle as the original does, or right.
        scene: The scene.

    Raises:
        MissingPymunkError: pymunk is not installed.
        PlanarChainError: The robot is no planar leg.
    """

    frame = FRAME

    def __init__(self, robot: Robot, ankle: Ankle = "original", scene: KickScene = SCENE) -> None:
        self._pymunk = _pymunk()
        self.robot, self._scene = robot, scene
        """The leg, in its scene."""
        self.chain = planar_chain(robot)
        # From the ankle at zero angles [m].
        self._heel = robot.model.site("heel").pos[[0, 2]].tolist()
        self._offset = np.array([0.0, 0.0, ANKLE_DEFECT if ankle == "original" else 0.0])
        joints, ball = Field("joints", robot.joint_names, "rad"), axes("ball", "m", ("x", "z"))
        self._truth_layout = Layout("truth", (scalar("time", "s"), joints, ball, scalar("spin")))
        self.reset(0)

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self._steps * STEP

    @property
    def ball_path(self) -> Vector:
        """Times and places of the ball so far, (n, 3): time [s], x, z [m]."""
        places = np.array(self._path).reshape(-1, 2)
        return np.column_stack([np.arange(len(places)) * STEP, places])

    @property
    def lost(self) -> bool:
        """Whether the ball has fallen below the ground."""
        return bool(self._path[-1] < LOST)

    def reset(self, seed: int) -> None:
        """Go to the start; nothing here is random."""
        self._steps = 0
        self._build()
        self._path = array("d", self._ball.position)
        self._postures = [[0.0, *self.angles()]]

    @property
    def postures(self) -> Vector:
        """The leg so far, every `PICTURE`, (m, 4): time [s], true joint angles [rad]."""
        return np.array(self._postures)

    def angles(self) -> Vector:
        """True joint angles, (3,) [rad]."""
        thigh, tibia, foot = (body.angle for body in self._parts)
        return np.array([thigh, tibia - thigh, foot - tibia])

    def read(self) -> Sensors:
        """The sensors now; the ankle as the original reads it where asked."""
        sensors = self.robot.sensors()
        sensors.vector[0] = self.time
        sensors.position[:] = self.angles() + self._offset
        thigh, tibia, foot = (body.angular_velocity for body in self._parts)
        sensors.velocity[:] = (thigh, tibia - thigh, foot - tibia)
        sensors.health[:] = 1.0
        sensors.orientation[0] = 1.0
        sensors.accelerometer[2] = self._scene.gravity
        return sensors

    def write(self, command: Command) -> None:
        """Set the motors' speeds; they hold until the next command.

        Raises:
            BackendError: The command is for another robot, not finite, or asks for an angle or a torque.
        """
        check_joints(command, self.robot.command_layout)
        if not np.isfinite(command.vector).all():
            raise BackendError("a command must be finite", value=command.vector.tolist())
        if command.kp.any() or command.torque.any():
            raise BackendError(
                "the original's motors know speeds only", value=command.kp.tolist(), limit="kp and torque 0"
            )
        for motor, speed in zip(self._motors, command.velocity.tolist(), strict=True):
            motor.rate = -speed

    def advance(self, duration: float) -> None:
        """Let time pass.

        Raises:
            BackendError: The duration is not a whole number of physics steps.
        """
        count = whole_steps(duration, STEP)
        step, ball, note = self._space.step, self._ball, self._path.extend
        for number in range(self._steps + 1, self._steps + count + 1):
            step(STEP)
            note(ball.position)
            if number % _POSTURE_STEPS == 0:
                self._postures.append([number * STEP, *self.angles()])
        self._steps += count

    def truth(self) -> Record:
        """True joint angles and ball."""
        record = Record(self._truth_layout)
        record.vector[:] = [self.time, *self.angles(), *self._ball.position, self._ball.angle]
        return record

    def close(self) -> None:
        """Nothing to let go of."""

    def _build(self) -> None:
        scene, pm = self._scene, self._pymunk
        self._space = space = pm.Space()
        space.gravity, space.damping = (0.0, -scene.gravity), scene.damping
        points, _ = self.chain.forward(np.zeros(3))
        hip, knee, ankle, toe = (tuple(point) for point in points.tolist())
        heel = (ankle[0] + self._heel[0], ankle[1] + self._heel[1])
        radius = scene.ground / 2.0
        ground = pm.Segment(space.static_body, (0.0, radius), (scene.width, radius), radius)
        self._rub(ground)
        space.add(ground)
        rods: tuple[tuple[Any, ...], ...] = (
            (hip, _LEG_RADIUS, _LEG_MASS, ((hip, knee),)),
            (knee, _LEG_RADIUS, _LEG_MASS, ((knee, ankle),)),
            (ankle, _FOOT_RADIUS, _FOOT_MASS, ((ankle, toe), (ankle, heel), (heel, toe))),
        )
        self._parts = [self._part(*rod) for rod in rods]
        self._ball = pm.Body()
        self._ball.position = scene.ball_start
        disc = pm.Circle(self._ball, scene.ball_radius)
        disc.mass = scene.ball_mass
        self._rub(disc)
        space.add(self._ball, disc)
        self._motors = []
        bodies = [space.static_body, *self._parts]
        for i, anchor in enumerate((hip, knee, ankle)):
            first, second = bodies[i], bodies[i + 1]
            motor = pm.SimpleMotor(first, second, 0.0)
            motor.max_force = self.robot.joints[i].max_effort
            space.add(pm.PivotJoint(first, second, anchor))
            space.add(pm.RotaryLimitJoint(first, second, self.chain.lower[i], self.chain.upper[i]))
            space.add(motor)
            self._motors.append(motor)

    def _part(self, origin: tuple[float, float], radius: float, mass: float, rods: tuple[Any, ...]) -> pymunk.Body:
        """A body of the leg; its masses are those of its shapes."""
        pm = self._pymunk
        body: pymunk.Body = pm.Body()
        body.position = origin
        shapes = []
        for start, end in rods:
            local = [(x - origin[0], y - origin[1]) for x, y in (start, end)]
            shape = pm.Segment(body, local[0], local[1], radius)
            shape.mass = mass / len(rods)
            shape.filter = pm.ShapeFilter(group=_LEG_GROUP)
            self._rub(shape)
            shapes.append(shape)
        self._space.add(body, *shapes)
        return body

    def _rub(self, shape: pymunk.Shape) -> None:
        shape.elasticity, shape.friction = self._scene.elasticity, self._scene.friction


def _pymunk() -> Any:
    try:
        import pymunk
    except ImportError:
        raise MissingPymunkError(
            "the exercise's own physics needs the package pymunk",
            remedy='pip install "andante[leglab]", or use the physics "servos"',
        ) from None
    return pymunk
