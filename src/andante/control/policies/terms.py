"""PolicyTerm: what a network may see, by name. An installed package brings one in the group ``andante.policy_terms``.

    from andante.extend import PolicyTerm

    BATTERY = PolicyTerm("battery", "", lambda sight: 1, lambda now: [0.9], "charge of the battery")

A term reads the sensors, late and noisy as they are. What no robot measures is ground truth: a policy that sees it is
refused by the name of the term, but in a simulation that allows it (`PolicyTerm.truth`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.control.controller import ControlError
from andante.control.policies.heights import SiteHeights, truth_of
from andante.control.policies.motion_frames import MotionFrame
from andante.control.sensor_parts import NEEDED, SensorPart
from andante.plugins.errors import PluginError
from andante.plugins.register import Register
from andante.robots.records import Record, Sensors, Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import from_matrix, to_matrix

if TYPE_CHECKING:
    from andante.control.policies.anchor_turn import AnchorTurn


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
    site: str = ""
    """Site or body that a height is of."""
    above: tuple[str, ...] = ()
    """Sites or bodies over whose mean it counts."""
    waves: tuple[tuple[str, float], ...] = (("cos", 0.0), ("sin", 0.0))
    """What is seen of the gait's phase: cosine or sine, and how far ahead in cycles."""
    standing: float | None = None
    """Phase that is seen while the policy stands; None: zeros."""
    values: tuple[float, ...] = ()
    """Numbers of a constant."""
    anchor: str = ""
    """Body that a motion's turn is compared with."""


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
    target: Vector = field(default_factory=lambda: np.zeros(0))
    """Where the policy's joints are sent in the tick before [rad], (n,); torques of a policy that gives them [N m]."""
    motion: MotionFrame | None = None
    """The frame of the motion that the policy tracks; None: it tracks none."""
    truth: Record | None = None
    """The simulation's truth; None: there is none, or nobody allowed to look."""
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
    truth: bool = False
    """Whether it is ground truth: it reads `PolicyMoment.truth`, which no robot has."""

    @property
    def what(self) -> str:
        """What it is, in a line."""
        return self.about


def gravity(moment: PolicyMoment) -> Vector:
    """Direction of gravity, (3,): R^T (0, 0, -1), in the frame of the sight."""
    return _in_frame(moment, _down(moment))


def _down(moment: PolicyMoment) -> Vector:
    """Direction of gravity in the axes of the IMU, (3,)."""
    w, x, y, z = moment.sensors.orientation.tolist()
    return np.array([2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - 1.0])


def gyro(moment: PolicyMoment) -> Vector:
    """Angular velocity, (3,) [rad/s], in the frame of the sight."""
    return _in_frame(moment, moment.sensors.gyro)


def gait_phase(moment: PolicyMoment) -> Vector:
    """Waves of the gait phase, (2,) unless the sight has others; zeros while standing, or those of its own phase."""
    sight = moment.sight
    if moment.standing:
        if sight.standing is None:
            return np.zeros(len(sight.waves))
        # All stand at the same phase, however far ahead they walk.
        return np.array([_WAVES[wave](math.tau * sight.standing) for wave, _ in sight.waves])
    return np.array([_WAVES[wave](math.tau * (moment.phase + ahead)) for wave, ahead in sight.waves])


def orientation(moment: PolicyMoment) -> Vector:
    """Quaternion of the frame of the sight, from it to the world, (4,): w, x, y, z."""
    return from_matrix(_turn(moment)) if moment.sight.frame == "base" else np.array(moment.sensors.orientation)


def rotation(moment: PolicyMoment) -> Vector:
    """The same as a matrix, row by row, (9,)."""
    return _turn(moment).ravel()


def euler_angles(moment: PolicyMoment) -> Vector:
    """Roll, pitch and yaw of the frame of the sight, R = Rz(yaw) Ry(pitch) Rx(roll), (3,) [rad]."""
    turn = _turn(moment)
    roll, yaw = math.atan2(turn[2, 1], turn[2, 2]), math.atan2(turn[1, 0], turn[0, 0])
    return np.array([roll, math.asin(min(max(-turn[2, 0], -1.0), 1.0)), yaw])


def tilt_angles(moment: PolicyMoment) -> Vector:
    """Roll, pitch and yaw of the frame of the sight, each of the full circle, (3,) [rad].

    Roll is atan2(R32, R33), pitch atan2(-R31, R33), yaw atan2(R21, R11), with R from the frame to the world. These are
    no Euler angles: pitch has no lock at 90 degrees. Zero of the yaw is the orientation's own.
    """
    turn = _turn(moment)
    roll, yaw = math.atan2(turn[2, 1], turn[2, 2]), math.atan2(turn[1, 0], turn[0, 0])
    return np.array([roll, math.atan2(-turn[2, 0], turn[2, 2]), yaw])


def _turn(moment: PolicyMoment) -> Vector:
    """Rotation from the frame of the sight to the world, (3, 3)."""
    turn = to_matrix(moment.sensors.orientation)
    return np.asarray(turn @ imu_turn_of(moment).T if moment.sight.frame == "base" else turn)


def site_height(moment: PolicyMoment) -> list[float]:
    """Height of the sight's site over the mean of its others by joint angles and orientation, (1,) [m]."""
    up = to_matrix(moment.sensors.orientation)[2] @ imu_turn_of(moment).T
    sight = moment.sight
    return [_heights(moment).measured(moment.sensors.position, up, sight.site, sight.above)]


def true_site_height(moment: PolicyMoment) -> list[float]:
    """Height of the sight's site over the mean of its others by the simulation's truth, (1,) [m]."""
    return [_heights(moment).true(truth_of(moment.truth), moment.sight.site, moment.sight.above)]


def _heights(moment: PolicyMoment) -> SiteHeights:
    if "heights" not in moment.kept:
        moment.kept["heights"] = SiteHeights(moment.sight.robot)
    heights: SiteHeights = moment.kept["heights"]
    return heights


def motion_joints(moment: PolicyMoment) -> Vector:
    """Angles, then speeds of the policy's joints in the motion that it tracks, (2 n,) [rad], [rad/s]."""
    frame = _frame(moment)
    return np.concatenate((frame.joint_position, frame.joint_velocity))


def motion_orientation(moment: PolicyMoment) -> Vector:
    """Turn of the motion's anchor seen from the robot's, (6,); see `AnchorTurn.update`."""
    if "anchor" not in moment.kept:
        from andante.control.policies.anchor_turn import AnchorTurn

        moment.kept["anchor"] = AnchorTurn(moment.sight.robot, moment.sight.anchor)
    turn: AnchorTurn = moment.kept["anchor"]
    base = to_matrix(moment.sensors.orientation) @ imu_turn_of(moment).T
    return turn.update(base, moment.sensors.position, _frame(moment).anchor)


def _frame(moment: PolicyMoment) -> MotionFrame:
    if moment.motion is None:
        raise ControlError("the policy tracks no motion", place="policy.motion")
    return moment.motion


def base_velocity(moment: PolicyMoment) -> Vector:
    """Velocity of the base over its standing feet, (3,) [m/s], in the frame of the sight; see `leg_odometry`."""
    if "odometry" not in moment.kept:
        from andante.control.policies.leg_odometry import LegOdometry

        moment.kept["odometry"] = LegOdometry(moment.sight.robot)
    turn = imu_turn_of(moment)
    down, turning = turn @ _down(moment), turn @ moment.sensors.gyro
    velocity: Vector = moment.kept["odometry"].update(moment.sensors, down, turning)
    return np.asarray(turn.T @ velocity) if moment.sight.frame == "imu" else velocity


def _in_frame(moment: PolicyMoment, vector: Vector) -> Vector:
    if moment.sight.frame != "base":
        return np.asarray(vector)
    return np.asarray(imu_turn_of(moment) @ vector)


def imu_turn_of(moment: PolicyMoment) -> Vector:
    """Rotation from the axes of the IMU to those of the base, (3, 3), at the robot's zero posture; worked out once."""
    if "imu" not in moment.kept:
        from andante.kinematics.forward import Kinematics

        robot = moment.sight.robot
        kinematics = Kinematics(robot)
        kinematics.update(np.clip(np.zeros(len(robot.joints)), robot.lower, robot.upper))
        moment.kept["imu"] = kinematics.pose(robot.base_body)[1].T @ kinematics.pose(robot.imu_site)[1]
    return np.asarray(moment.kept["imu"])


def _three(sight: Sight) -> int:
    return 3


def _joints(sight: Sight) -> int:
    return len(sight.joints)


def _accept(thing: object) -> PolicyTerm:
    if not isinstance(thing, PolicyTerm):
        raise PluginError("is no term of policies", value=type(thing).__name__, limit="a PolicyTerm")
    return thing


_WAVES: dict[str, Callable[[float], float]] = {
    "cos": math.cos,
    "sin": math.sin,
    "phase": lambda angle: angle / math.tau % 1.0,
}
_NO_MAP = "it needs a map of the ground around the robot, and a policy is given none"
_NO_PLACE = (
    "no robot measures where it is, against a motion either; train it without, as whole_body_tracking"
    " (WoStateEstimation) and mjlab (no state estimation) do"
)
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


def _of_truth(name: str) -> Callable[[PolicyMoment], ArrayLike]:
    return lambda moment: truth_of(moment.truth)[name]


def _base_place(moment: PolicyMoment) -> Vector:
    return np.asarray(truth_of(moment.truth)["qpos"][:3])


def _nothing(moment: PolicyMoment) -> Vector:
    return np.zeros(3)


_SHIPPED = (
    PolicyTerm("gravity", "", _three, gravity, "direction of gravity (projected gravity): R^T (0, 0, -1)"),
    PolicyTerm("gyro", "rad/s", _three, gyro, "angular velocity of the base"),
    PolicyTerm("accelerometer", "m/s^2", _three, _accelerometer, "specific force"),
    PolicyTerm("command", "", _three, lambda now: now.command, "asked speeds: forward, to the left, turn"),
    PolicyTerm(
        "gait_phase",
        "",
        lambda sight: len(sight.waves),
        gait_phase,
        "cosine and sine of the gait phase, or other waves of it; zeros while standing",
    ),
    PolicyTerm(
        "constant", "", lambda sight: len(sight.values), lambda now: now.sight.values, "numbers that never change"
    ),
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
    PolicyTerm(
        "motion_joints",
        "",
        lambda sight: 2 * len(sight.joints),
        motion_joints,
        "joint angles, then speeds of the motion that the network tracks [rad], [rad/s]",
    ),
    PolicyTerm(
        "motion_orientation",
        "",
        lambda sight: 6,
        motion_orientation,
        "turn of the motion's anchor body seen from the robot's: two columns of a rotation, row by row",
    ),
    PolicyTerm(
        "motion_position",
        "m",
        _three,
        _nothing,
        "place of the motion's anchor seen from the robot's",
        refused=_NO_PLACE,
    ),
    PolicyTerm("height_scan", "m", _three, _nothing, "heights of the ground around the robot", refused=_NO_MAP),
    PolicyTerm("joint_target", "rad", _joints, lambda now: now.target, "where the policy's joints are sent now"),
    PolicyTerm(
        "tilt_angles",
        "rad",
        _three,
        tilt_angles,
        "roll atan2(R32, R33), pitch atan2(-R31, R33) and yaw atan2(R21, R11) of R, from the frame to the world",
    ),
    PolicyTerm(
        "orientation",
        "",
        lambda sight: 4,
        orientation,
        "quaternion w, x, y, z of the frame in the world, yaw by the IMU's own zero; pick: [1, 2, 3, 0] has w last",
    ),
    PolicyTerm("rotation", "", lambda sight: 9, rotation, "the same as a matrix, row by row"),
    PolicyTerm("euler_angles", "rad", _three, euler_angles, "roll, pitch (asin) and yaw, applied in the order x, y, z"),
    PolicyTerm(
        "site_height",
        "m",
        _one,
        site_height,
        "height of a site over the mean of others",
        estimated="joint angles and orientation; a bent link makes it wrong",
    ),
    PolicyTerm("true_site_height", "m", _one, true_site_height, "the same by the simulation's truth", truth=True),
    PolicyTerm("base_height", "m", _one, _of_truth("base_height"), "height of the base over the ground", truth=True),
    PolicyTerm("base_position", "m", _three, _base_place, "place of the base", truth=True),
)

POLICY_TERMS: Register[PolicyTerm] = Register(
    "policy_terms",
    "observation term of policies",
    _accept,
    {term.name: term for term in _SHIPPED},
    named=lambda term: term.name,
)
"""Terms by name."""
