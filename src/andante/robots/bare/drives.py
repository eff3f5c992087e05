"""Joints and drives of a robot without a pack: what its file says, and what has to be assumed.

Assumptions grow with the robot. Its weight times its leg length is the torque that carries it on one horizontal leg;
the root of gravity over leg length is the rate at which that leg would swing. Published quadrupeds have drives of 0.34
to 0.62 of the one (Go2 0.37, Spirit 40 0.39, ANYmal B 0.46, A1 0.62) and 3.6 to 7.7 times the other in speed (ANYmal B
3.6, A1 4.2, Go1 and Go2 6.3, Spirit 40 7.7); a knee with a gear has less speed for more torque (Go2: 45.4 N m at
15.7 rad/s against 23.7 N m at 30.1 rad/s).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from andante.robots.parts import Joint, RobotError, Servo
from andante.robots.records import Vector
from andante.spatial.gravity import GRAVITY

_SPEED, _EFFORT = 10.0, 10.0
"""Speed [rad/s] and torque [N m] of a joint of which nothing else is known."""
_LEG_EFFORT, _OTHER_EFFORT = 0.5, 0.1
"""Torque over weight times leg length: joints of legs, other joints of a robot on legs."""
_LEG_SPEED = 6.0
"""Speed of the weakest joint of a four-legged robot's leg over the rate of the leg."""
_LEAST_EFFORT = 0.1
"""Torque of a leg's strongest joint over weight times leg length with which no robot stands; published ones have 0.34
and more."""
_MOST_EFFORT, _MOST_SPEED = 10.0, 20.0
"""Torque over weight times leg length, and speed over the rate of the leg, that only a placeholder exceeds."""
_CORNER = 0.5
"""Speed up to which a motor has its full torque, over its speed limit."""
_STANDING = 1.5
"""Least position gain of legs on soles, over weight times leg length per radian: two such ankles hold a robot whose
centre of mass is up to three leg lengths high, and sag little where it is not right above them."""
_FULL_EFFORT_AT = 0.15
"""Position error at which an assumed servo gives its full torque [rad]."""
_DAMPING_TIME = 0.03
"""Velocity gain of an assumed servo over its position gain [s]."""
_ARMATURE = 0.01
"""Rotor inertia where the file has none [kg m^2]."""
_LEG_ARMATURE = 0.005
"""The same for a four-legged robot, over mass times leg length squared; LittleDog has this."""
_MOST_TURNS = 6.5 * math.pi
"""Position limits wider than this may be degrees: no joint of a leg or an arm turns so far [rad]."""
_LEAST_TURN = math.radians(2.0 * math.pi)
"""Where no joint of the legs has so much room, the numbers may be radians that are read as degrees [rad]."""
_MARGIN = 2.0
"""Limit of the command's acceleration over what the motors can give: a command may turn sooner than its joint."""
_LEAST_ACCELERATION = 1e-3
"""Less than this no joint of a robot can be moved at [rad/s^2]."""
_TURNING = 0.01
"""Shortest time from full speed one way to full speed the other way that the acceleration limit asks for [s]."""


@dataclass(frozen=True)
class Scale:
    """What assumptions grow with."""

    mass: float
    """Mass of the whole robot [kg]."""
    length: float
    """Length of a stretched leg [m]; 0 for a robot without legs."""
    legs: Mapping[str, str]
    """Joints of the legs, each with the name of its foot."""
    quadruped: bool
    """Whether it walks on four legs."""
    soled: bool = False
    """Whether its feet have soles, so that its ankles carry it."""
    limbs: frozenset[str] = frozenset()
    """Joints that turn part of the way round and not on and on like a wheel: of limbs of two or more joints, and of the
    trunk and the head of a robot on two legs."""

    @property
    def moment(self) -> float:
        """Weight times leg length [N m]."""
        return self.mass * GRAVITY * self.length

    @property
    def rate(self) -> float:
        """Root of gravity over leg length [1/s]."""
        return math.sqrt(GRAVITY / self.length)


def joints_and_servos(
    model: mujoco.MjModel,
    names: list[str],
    declared: Mapping[str, tuple[float, float]],
    efforts: Mapping[str, float],
    scale: Scale,
    place: str,
    sources: dict[str, str],
) -> tuple[tuple[Joint, ...], tuple[Servo, ...]]:
    """All joints with their servos, in the order of ``names``; what is assumed is told in ``sources``.

    Args:
        model: The model, without actuators.
        names: Its hinges.
        declared: Effort [N m] and speed [rad/s] per joint as a URDF declares them, 0 where it does not.
        efforts: Effort per joint that the file's actuators allow [N m].
        scale: What assumptions grow with.
        place: The file, for messages.
        sources: Where numbers come from, by topic.

    Raises:
        RobotError: A joint of a robot without legs, and of no limb, that has no position limits, a number that is not
            finite, or inertias out of all proportion.
    """
    read = [_read(model, name, declared.get(name, (0.0, 0.0)), efforts.get(name, 0.0), place) for name in names]
    for joint, _ in read:
        # A robot on legs may carry what turns on and on, such as a lidar; without legs that is a wheel.
        if math.isinf(joint.lower) and joint.name not in scale.limbs and not scale.legs:
            raise RobotError(
                "the joint has no position limits",
                place=f"{place}: joint {joint.name!r}",
                remedy="give it a range in the file, or write a pack",
            )
    smooth = [joint.name for joint, servo in read if not servo.friction]
    if smooth:
        which = "of any joint" if len(smooth) == len(read) else f"of {', '.join(smooth)}"
        sources["joint friction"] = f"the file has no dry friction {which}, and none is assumed"
    limited = [_with_limits(joint, sources) for joint, _ in read]
    wide = [joint.name for joint in limited if max(-joint.lower, joint.upper) > _MOST_TURNS]
    if wide:
        sources["wide limits"] = (
            f"these turn by more than {_MOST_TURNS:.0f} rad, as degrees in the place of radians would: "
            + ", ".join(wide)
        )
    room = [joint.upper - joint.lower for joint in limited if joint.name in scale.legs]
    if room and max(room) < _LEAST_TURN:
        sources["narrow limits"] = (
            f"no joint of a leg turns by more than {math.degrees(max(room)):.3g} degrees, as radians in the place of"
            " degrees would make it"
        )
    strong = _with_efforts(limited, scale, sources)
    fast = _with_speeds(strong, scale, sources)
    servos = [_with_drive(joint, servo, scale, sources) for joint, (_, servo) in zip(fast, read, strict=True)]
    sources["servos"] = (
        f"assumption: full torque at {_FULL_EFFORT_AT:g} rad of error, velocity gain {_DAMPING_TIME:g} s of that"
    )
    if scale.soled:
        sources["servos"] += f"; in legs at least {_STANDING:g} times weight times leg length per radian, to stand"
    sources["torque-speed limits"] = (
        f"assumption: full driving torque up to {_CORNER:g} of the speed limit, none at the limit; full braking torque"
    )
    sources["acceleration limit"] = (
        f"{_MARGIN:g} times what all motors at full torque could give the joint, and at most full speed one way to full"
        f" speed the other way within {_TURNING:g} s"
    )
    return tuple(_with_accelerations(model, fast, servos, place)), tuple(servos)


def _read(
    model: mujoco.MjModel, name: str, declared: tuple[float, float], actuator: float, place: str
) -> tuple[Joint, Servo]:
    """A joint and its servo with the numbers of the file: limits infinite, effort and speed 0 where it has none."""
    where, number = f"{place}: joint {name!r}", model.joint(name).id
    lower, upper = (float(bound) for bound in model.jnt_range[number])
    dof = model.jnt_dofadr[number]
    in_joint = float(np.abs(model.jnt_actfrcrange[number]).max()) if model.jnt_actfrclimited[number] else 0.0
    effort, speed = declared[0] or actuator or in_joint, declared[1]
    damping, friction = float(model.dof_damping[dof]), float(model.dof_frictionloss[dof])
    armature = float(model.dof_armature[dof])
    if not all(math.isfinite(value) for value in (lower, upper, effort, damping, friction, armature)):
        raise RobotError("a number of the joint is not finite", place=where)
    if not model.jnt_limited[number]:
        lower, upper = -math.inf, math.inf
    servo = Servo(0.0, 0.0, effort, speed, damping, friction, armature, stiffness_limits_torque=False)
    return Joint(name, lower, upper, speed, effort, 0.0), servo


def _with_limits(joint: Joint, sources: dict[str, str]) -> Joint:
    if math.isfinite(joint.lower):
        return joint
    _tell(sources, "position limits", "assumption: +-180 degrees where the file has none", joint.name)
    return replace(joint, lower=-math.pi, upper=math.pi)


def _with_efforts(joints: list[Joint], scale: Scale, sources: dict[str, str]) -> list[Joint]:
    found = []
    for joint in joints:
        effort = joint.max_effort
        if scale.length and effort > _MOST_EFFORT * scale.moment:
            _tell(
                sources,
                "placeholders of efforts",
                f"{effort:g} N m is more than {_MOST_EFFORT:g} times the robot's weight times its leg length and"
                " counts as no number",
                joint.name,
            )
            effort = 0.0
        if not effort:
            effort = _EFFORT
            text = f"assumption: {_EFFORT:g} N m where the file has none"
            if scale.length:
                share = _LEG_EFFORT if joint.name in scale.legs else _OTHER_EFFORT
                effort = share * scale.moment
                text = (
                    f"assumption where the file has none: weight times leg length, {scale.moment:.4g} N m, times"
                    f" {_LEG_EFFORT:g} in legs and {_OTHER_EFFORT:g} elsewhere"
                )
            sources["efforts"] = text
        found.append(replace(joint, max_effort=effort))
    _tell_weak_legs(found, scale, sources)
    return found


def _tell_weak_legs(joints: list[Joint], scale: Scale, sources: dict[str, str]) -> None:
    """Tell of legs whose motors could not carry the robot, as where efforts or masses are in other units."""
    strongest: dict[str, float] = {}
    for joint in joints:
        if leg := scale.legs.get(joint.name):
            strongest[leg] = max(strongest.get(leg, 0.0), joint.max_effort)
    weak = {leg: effort for leg, effort in strongest.items() if effort < _LEAST_EFFORT * scale.moment}
    if weak:
        told = ", ".join(f"{leg} {effort:.3g} N m" for leg, effort in weak.items())
        sources["weak legs"] = (
            f"their strongest joints have less than {_LEAST_EFFORT:g} times weight times leg length,"
            f" {scale.mass:.4g} kg times {scale.length:.3g} m, and do not carry the robot: {told}"
        )


def _with_speeds(joints: list[Joint], scale: Scale, sources: dict[str, str]) -> list[Joint]:
    found = []
    weakest: dict[str, float] = {}
    for joint in joints:
        leg = scale.legs.get(joint.name)
        if leg is not None:
            weakest[leg] = min(weakest.get(leg, math.inf), joint.max_effort)
    for joint in joints:
        speed, leg = joint.max_velocity, scale.legs.get(joint.name)
        if scale.length and speed > _MOST_SPEED * scale.rate:
            _tell(
                sources,
                "placeholders of speeds",
                f"{speed:g} rad/s is more than {_MOST_SPEED:g} times the rate of the leg and counts as no number",
                joint.name,
            )
            speed = 0.0
        if not speed and scale.quadruped and leg is not None:
            speed = _LEG_SPEED * scale.rate * weakest[leg] / joint.max_effort
            sources["speeds"] = (
                f"assumption where the file has none: {_LEG_SPEED:g} times the root of gravity over leg length,"
                f" {_LEG_SPEED * scale.rate:.3g} rad/s, for the weakest joint of a leg, and less by as much as a joint"
                " is stronger"
            )
        elif not speed:
            speed = _SPEED
            sources.setdefault("speeds", f"assumption: {_SPEED:g} rad/s where the file has none")
        found.append(replace(joint, max_velocity=speed))
    return found


def _with_drive(joint: Joint, servo: Servo, scale: Scale, sources: dict[str, str]) -> Servo:
    armature = servo.armature
    if not armature:
        armature = _ARMATURE
        text = f"assumption: {_ARMATURE:g} kg m^2 where the file has none"
        if scale.quadruped:
            armature = _LEG_ARMATURE * scale.mass * scale.length**2
            text = (
                f"assumption where the file has none: {_LEG_ARMATURE:g} times mass times leg length squared,"
                f" {armature:.3g} kg m^2"
            )
        sources["rotors"] = text
    kp = joint.max_effort / _FULL_EFFORT_AT
    if joint.name in scale.legs and scale.soled:
        # The weight tips a robot on its ankles with m g h per radian, h below the leg length or little above it.
        kp = max(kp, _STANDING * scale.moment)
    return replace(
        servo,
        kp=kp,
        kd=kp * _DAMPING_TIME,
        max_torque=joint.max_effort,
        max_velocity=joint.max_velocity,
        armature=armature,
        torque_speed=(_CORNER * joint.max_velocity, joint.max_velocity),
    )


def _with_accelerations(model: mujoco.MjModel, joints: list[Joint], servos: list[Servo], place: str) -> list[Joint]:
    most = _MARGIN * _accelerations(model, [joint.name for joint in joints], servos, place)
    turning = [2.0 * joint.max_velocity / _TURNING for joint in joints]
    return [
        replace(joint, max_acceleration=min(float(given), least))
        for joint, given, least in zip(joints, most, turning, strict=True)
    ]


def _accelerations(model: mujoco.MjModel, names: list[str], servos: list[Servo], place: str) -> Vector:
    """What all motors at full torque could give each joint with the base held, the better of two postures: all joints
    at zero and all in the middle of their limits, (nj,) [rad/s^2]."""
    dofs = [int(model.jnt_dofadr[model.joint(name).id]) for name in names]
    places = [int(model.jnt_qposadr[model.joint(name).id]) for name in names]
    torques = np.array([servo.max_torque for servo in servos])
    middle = [float(np.mean(model.jnt_range[model.joint(name).id])) for name in names]
    rotors = np.diag([servo.armature for servo in servos])
    data, found = mujoco.MjData(model), np.zeros(len(names))
    for posture in (np.zeros(len(names)), np.array(middle)):
        data.qpos[places] = posture
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        links = mass[np.ix_(dofs, dofs)] - np.diag(model.dof_armature[dofs])
        try:
            found = np.maximum(found, np.abs(np.linalg.inv(links + rotors)) @ torques)
        except np.linalg.LinAlgError as error:
            raise RobotError(
                "the inertias of the links are out of all proportion to each other", place=place
            ) from error
    worst = int(np.argmin(np.where(np.isfinite(found), found, 0.0)))
    if not found[worst] >= _LEAST_ACCELERATION:
        raise RobotError(
            "the links are out of all proportion to the motors, which cannot move them",
            place=f"{place}: joint {names[worst]!r}",
            value=f"{found[worst]:.3g} rad/s^2 at full torque",
            limit=f"at least {_LEAST_ACCELERATION:g} rad/s^2",
            remedy="are lengths in m, masses in kg, moments of inertia in kg m^2 and efforts in N m? Of a file in"
            " millimetres andante robots FILE --scale 0.001 --pack FOLDER writes a pack in metres",
        )
    return found


def _tell(sources: dict[str, str], topic: str, text: str, joint: str) -> None:
    """Add a joint to what is told of a topic."""
    told = sources.get(topic)
    sources[topic] = f"{text}: {joint}" if told is None else f"{told}, {joint}"
