"""PolicyTerm: what a network may see, by name. An installed package brings one in the group ``andante.policy_terms``.

    from andante.extend import PolicyTerm

    BATTERY = PolicyTerm("battery", "", lambda sight: 1, lambda now: [0.9], "charge of the battery")

A term reads the sensors, late and noisy as they are. What no robot measures is no term: a policy that was trained with
the truth is refused where it is read, by the name of the term.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.control.sensor_parts import NEEDED, SensorPart
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class Sight:
    """What a term is bound to: a robot, and the part of it that the contract names."""

    robot: Robot
    """The robot."""
    joints: NDArray[np.intp]
    """Joints that the term looks at, in the contract's order, (n,)."""
    frame: str
    """Axes of vectors: ``imu`` or ``base``."""
    actions: int
    """How many numbers the network gives."""


@dataclass
class PolicyMoment:
    """What a term may look at when the network is called."""

    sensors: Sensors
    """Sensors of this tick, as they are believed."""
    command: Vector
    """Speeds that are asked: forward and to the left [m/s], turn to the left [rad/s], (3,)."""
    last_action: Vector
    """What the network gave last, (na,); zeros before its first call."""
    phase: float = 0.0
    """Gait phase, 0 to 1."""
    standing: bool = False
    """Whether the policy is told to stand."""
    sight: Sight = field(default=None)  # type: ignore[assignment]
    """What the term is bound to."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What terms keep from tick to tick."""


@dataclass(frozen=True)
class PolicyTerm:
    """A part of what a network sees."""

    name: str
    """Its name in contracts."""
    unit: str
    """Unit of its values; empty for pure numbers."""
    size: Callable[[Sight], int]
    """How many values it has."""
    read: Callable[[PolicyMoment], ArrayLike]
    """The values now."""
    about: str = ""
    """What it is, for people."""
    needs: frozenset[SensorPart] = NEEDED
    """Sensors without which it cannot be told."""
    refused: str = ""
    """Why it cannot be had here; empty: it can."""
    estimated: str = ""
    """From what it is estimated, where no sensor measures it; empty: one does."""

    @property
    def what(self) -> str:
        """What it is, in a line."""
        return self.about


def gravity(moment: PolicyMoment) -> Vector:
    """Direction of gravity, (3,): R^T (0, 0, -1), in the frame of the sight."""
    w, x, y, z = moment.sensors.orientation.tolist()
    imu = np.array([2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0])
    return _in_frame(moment, imu)


def gyro(moment: PolicyMoment) -> Vector:
    """Angular velocity, (3,) [rad/s], in the frame of the sight."""
    return _in_frame(moment, moment.sensors.gyro)


def gait_phase(moment: PolicyMoment) -> Vector:
    """Cosine and sine of the gait phase, (2,); zeros while standing."""
    if moment.standing:
        return np.zeros(2)
    return np.array([math.cos(math.tau * moment.phase), math.sin(math.tau * moment.phase)])


def base_velocity(moment: PolicyMoment) -> Vector:
    """Velocity of the base over its standing feet, (3,) [m/s], in the frame of the sight; see `leg_odometry`."""
    robot, kept = moment.sight.robot, moment.kept
    if "odometry" not in kept:
        from andante.control.policies.leg_odometry import LegOdometry

        kept["odometry"], kept["turn"] = LegOdometry(robot), imu_turn(robot)
    turn = kept["turn"]
    w, x, y, z = moment.sensors.orientation.tolist()
    down = turn @ np.array([2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0])
    velocity: Vector = kept["odometry"].update(moment.sensors, down, turn @ moment.sensors.gyro)
    return np.asarray(turn.T @ velocity) if moment.sight.frame == "imu" else velocity


def _in_frame(moment: PolicyMoment, vector: Vector) -> Vector:
    if moment.sight.frame != "base":
        return np.asarray(vector)
    turn = moment.kept.get("imu")
    if turn is None:
        turn = moment.kept["imu"] = imu_turn(moment.sight.robot)
    return np.asarray(turn @ vector)


def imu_turn(robot: Robot) -> Vector:
    """Rotation from the axes of the IMU to those of the base, (3, 3), at the robot's zero posture."""
    from andante.kinematics.forward import Kinematics

    kinematics = Kinematics(robot)
    kinematics.update(np.clip(np.zeros(len(robot.joints)), robot.lower, robot.upper))
    return np.asarray(kinematics.pose(robot.base_body)[1].T @ kinematics.pose(robot.imu_site)[1])


def _three(sight: Sight) -> int:
    return 3


def _joints(sight: Sight) -> int:
    return len(sight.joints)


def _accept(thing: object) -> PolicyTerm:
    if not isinstance(thing, PolicyTerm):
        raise PluginError("is no term of policies", value=type(thing).__name__, limit="a PolicyTerm")
    return thing


_NO_MAP = "it needs a map of the ground around the robot, and a policy is given none"
_NO_TRUTH = "no robot measures it; it is ground truth"
_SPEED = NEEDED | {SensorPart.SPEED}
_EFFORT = NEEDED | {SensorPart.EFFORT}
_SWITCH = NEEDED | {SensorPart.SWITCH}


def _one(sight: Sight) -> int:
    return 1


def _feet(sight: Sight) -> int:
    return len(sight.robot.feet)


def _accelerometer(moment: PolicyMoment) -> Vector:
    return _in_frame(moment, moment.sensors.accelerometer)


def _of_joints(name: str) -> Callable[[PolicyMoment], ArrayLike]:
    return lambda moment: moment.sensors[name][moment.sight.joints]


def _nothing(moment: PolicyMoment) -> Vector:
    return np.zeros(3)


_SHIPPED = (
    PolicyTerm("gravity", "", _three, gravity, "direction of gravity (projected gravity): R^T (0, 0, -1)"),
    PolicyTerm("gyro", "rad/s", _three, gyro, "angular velocity of the base"),
    PolicyTerm("accelerometer", "m/s^2", _three, _accelerometer, "specific force"),
    PolicyTerm("command", "", _three, lambda now: now.command, "asked speeds: forward, to the left, turn"),
    PolicyTerm("gait_phase", "", lambda sight: 2, gait_phase, "cosine and sine of the gait phase; 0, 0 while standing"),
    PolicyTerm("joint_position", "rad", _joints, _of_joints("position"), "joint angles"),
    PolicyTerm("joint_velocity", "rad/s", _joints, _of_joints("velocity"), "joint speeds", _SPEED),
    PolicyTerm("joint_effort", "N m", _joints, _of_joints("effort"), "joint torques", _EFFORT),
    PolicyTerm("foot_contact", "", _feet, lambda now: now.sensors.contact, "1 where a foot touches, else 0", _SWITCH),
    PolicyTerm(
        "last_action",
        "",
        lambda sight: sight.actions,
        lambda now: now.last_action,
        "what the network gave last, before clip and scale",
    ),
    PolicyTerm(
        "base_velocity",
        "m/s",
        _three,
        base_velocity,
        "linear velocity of the base over its feet",
        _SPEED,
        estimated="joint speeds, gyro and gravity; a foot that slips makes it wrong",
    ),
    PolicyTerm("height_scan", "m", _three, _nothing, "heights of the ground around the robot", refused=_NO_MAP),
    PolicyTerm("base_height", "m", _one, _nothing, "height of the base over the ground", refused=_NO_TRUTH),
    PolicyTerm("base_position", "m", _three, _nothing, "place of the base", refused=_NO_TRUTH),
)

POLICY_TERMS: Register[PolicyTerm] = Register(
    "policy_terms",
    "observation term of policies",
    _accept,
    {term.name: term for term in _SHIPPED},
    named=lambda term: term.name,
)
"""Terms by name."""
