"""The parts of a robot: joints, servos, feet and how left and right are exchanged."""

from __future__ import annotations

from dataclasses import dataclass

from andante.errors import AndanteError


class RobotError(AndanteError):
    """A robot, one of its parts or its pack is unknown or wrong."""


class MissingModelError(RobotError):
    """The model of a robot's pack comes from elsewhere and was not found."""


class UnknownJointError(RobotError):
    """A joint name that the robot does not have."""


@dataclass(frozen=True)
class Joint:
    """One actuated (or coupled) hinge joint and its limits."""

    name: str
    """The manufacturer's name, as in the MJCF."""
    lower: float
    """Lower position limit [rad]."""
    upper: float
    """Upper position limit [rad]."""
    max_velocity: float
    """Speed limit [rad/s]."""
    max_effort: float
    """Torque limit of the joint as published [N m]."""
    max_acceleration: float
    """Limit of the command's acceleration [rad/s^2]."""
    follows: str | None = None
    """Name of the joint whose motor moves this one too (None: own motor)."""
    stops: tuple[float, float] | None = None
    """Mechanical stops, where they are known to lie outside the position limits [rad]."""
    locator: str = ""
    """Address in the robot's own system (OPEN-R primitive locator); empty: none."""


@dataclass(frozen=True)
class Servo:
    """Position servo of one joint: stiffness-scaled PD with torque and speed limits, dry friction and a delay.

    Torque: ``clip(kp s (q_cmd - q) - kd s dq, +-max_torque * s)`` with stiffness s; the command is rate limited to
    ``max_velocity``.
    """

    kp: float
    """Position gain at full stiffness [N m/rad]."""
    kd: float
    """Velocity gain at full stiffness [N m s/rad]."""
    max_torque: float
    """Torque limit at full stiffness [N m]."""
    max_velocity: float
    """Rate at which the servo follows a step of its command [rad/s]."""
    damping: float
    """Viscous friction of gear and motor, always present [N m s/rad]."""
    friction: float
    """Dry friction of the gear [N m]."""
    armature: float
    """Rotor inertia seen at the joint [kg m^2]."""
    derivative_of_error: bool = False
    """Whether the velocity gain acts on the change of the position error (PID firmware), not on the joint's speed."""
    stiffness_limits_torque: bool = True
    """Whether a low stiffness also lowers the torque limit (NAO); False for drives that clip at ``max_torque`` only."""
    torque_speed: tuple[float, float] | None = None
    """Corner speed and no-load speed of the motor [rad/s]: the driving torque is limited to ``max_torque`` up to the
    corner and falls in a straight line to 0 at the no-load speed; braking torque keeps the full limit. None: no such
    limit."""


@dataclass(frozen=True)
class Foot:
    """A foot, its sole and its pressure cells."""

    name: str
    """Name of the foot (FL, FR, HL, HR for four legs, left, right for two)."""
    body: str
    """MJCF body that touches the ground."""
    site: str
    """MJCF site at the sole's origin."""
    outline: tuple[tuple[float, float], ...] = ()
    """Convex sole outline in the site's frame, counter-clockwise [m]; empty for a ball foot."""
    cells: tuple[tuple[str, float, float], ...] = ()
    """Pressure cells: name, x, y in the site's frame [m]."""
    radius: float = 0.0
    """Radius of a ball foot [m]."""


@dataclass(frozen=True)
class Mirror:
    """How left and right are exchanged."""

    pairs: tuple[tuple[str, str], ...]
    """Joints that change places."""
    negate: frozenset[str]
    """Joints whose angle changes its sign."""
