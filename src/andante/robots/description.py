"""Description of a robot: everything that is fixed about it, immutable and shareable between threads.

Moving parts (positions, commands, the simulation's data) live elsewhere, in small objects per run. Joint arrays
everywhere in Andante are in the order of `RobotDescription.joints`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from andante.robots.compiling import compiled
from andante.robots.coupling import Coupling
from andante.robots.parts import Foot, Joint, Mirror, RobotError, Servo, UnknownJointError
from andante.robots.records import Command, Layout, Sensors, Vector, command_layout, sensors_layout

if TYPE_CHECKING:
    import mujoco


_NO_MIRROR = Mirror((), frozenset())


def _column(parts: str, field: str, what: str) -> cached_property[Vector]:
    """A property: one field of all joints or of all servos, in joint order, read-only."""

    def column(robot: RobotDescription) -> Vector:
        return _frozen([getattr(part, field) for part in getattr(robot, parts)])

    column.__doc__ = what
    return cached_property(column)


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot: kinematic and dynamic model, limits, servos, sensors, groups and postures."""

    name: str
    """Short name by which documents refer to the robot."""
    title: str
    """Name for people."""
    joints: tuple[Joint, ...]
    """Joints in the order of all joint arrays."""
    servos: tuple[Servo, ...]
    """Servo per joint, same order."""
    mjcf: str
    """The model as MJCF text: bodies, joints, geoms, sites; no world, no actuators."""
    base_body: str
    """MJCF body with the free joint."""
    imu_site: str
    """MJCF site of the IMU."""
    feet: tuple[Foot, ...] = ()
    """Feet, left before right, front before hind."""
    buttons: tuple[str, ...] = ()
    """Buttons and touch sensors."""
    groups: Mapping[str, tuple[str, ...]] = None  # type: ignore[assignment]
    """Joint groups (head, left_arm, ...) by name."""
    mirror: Mirror = _NO_MIRROR
    """Left-right exchange."""
    couplings: tuple[Coupling, ...] = ()
    """Joint angles that exclude each other although each is within its limits."""
    postures: Mapping[str, Mapping[str, float]] = None  # type: ignore[assignment]
    """Named postures, joint to angle [rad]."""
    tick: float = 0.01
    """Period of the robot's motion cycle [s]."""
    delay_ticks: int = 0
    """Ticks from a command until the servos act on it; its effect shows one tick later in the measurements."""
    motion_capture: bool = False
    """Whether motion capture around the robot measures the pose of its base."""
    assets: Mapping[str, bytes] = None  # type: ignore[assignment]
    """Mesh and texture files by the name used in the MJCF."""
    sources: Mapping[str, str] = None  # type: ignore[assignment]
    """Where the numbers come from, per topic; assumptions are marked so."""
    standing_height: float | None = None
    """Height of the base above the soles when it stands, where someone has published it [m]; None: that of the posture
    ``stand``."""
    gain_sets: Mapping[str, Mapping[str, tuple[float, float]]] = None  # type: ignore[assignment]
    """Other gains that its servos are driven with, by name of the set and joint: kp [N m/rad] and kd [N m s/rad]."""
    aliases: Mapping[str, str] = None  # type: ignore[assignment]
    """Own joints by the names that motion files of other programs have for them."""
    absent: frozenset[str] = frozenset()
    """Joints that those files name and this robot has not."""
    doubts: Mapping[str, str] = None  # type: ignore[assignment]
    """What was guessed from a file without a pack and may be wrong, by topic, with the reason; a verdict that rests on
    one of them is refused."""
    path: Path | None = None
    """Folder or file it was loaded from."""
    visuals: Path | None = None
    """MJCF file with meshes that are only looked at, and are no part of the model; None: there are none."""

    def __post_init__(self) -> None:
        for name in ("groups", "postures", "assets", "sources", "gain_sets", "aliases", "doubts"):
            object.__setattr__(self, name, _read_only(getattr(self, name) or {}))

    def __reduce__(self) -> tuple[Any, ...]:
        # Read-only mappings cannot be pickled; worker processes get a robot built anew from plain ones.
        return partial(type(self), **{field.name: plain(getattr(self, field.name)) for field in fields(self)}), ()

    def __repr__(self) -> str:
        feet = f", feet {', '.join(foot.name for foot in self.feet)}" if self.feet else ""
        return f"<Robot {self.name}: {self.title}, {len(self.joints)} joints{feet}>"

    def tracked(self) -> Self:
        """The same robot with motion capture around it."""
        return self if self.motion_capture else replace(self, motion_capture=True)

    def with_gains(self, name: str) -> Self:
        """The same robot with the servo gains of one of its sets; joints that the set does not name keep theirs.

        Raises:
            RobotError: The robot has no such set.
        """
        gains = self.gain_sets.get(name)
        if gains is None:
            raise RobotError(f"robot {self.name!r} has no such set of gains", value=name, legal=self.gain_sets)
        servos = [
            replace(servo, kp=gains[joint.name][0], kd=gains[joint.name][1]) if joint.name in gains else servo
            for joint, servo in zip(self.joints, self.servos, strict=True)
        ]
        return replace(self, servos=tuple(servos))

    def at(self, tick: float) -> Self:
        """The same robot with another motion cycle: a torque-controlled one is driven faster than a servo robot.

        Limits of joints and servos stay what they are. A delay stays as many ticks; `with_limits` of
        `andante.robots.declared` changes the delay, and the limits with the cycle.

        Args:
            tick: Period of the motion cycle [s].

        Raises:
            RobotError: The period is not above 0.
        """
        if not (math.isfinite(tick) and tick > 0.0):
            raise RobotError(
                "a motion cycle needs a period above zero", place=f"robot {self.name!r}", value=tick, limit="> 0 s"
            )
        return replace(self, tick=tick)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names in joint order."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def joint_index(self) -> Mapping[str, int]:
        """Position in joint arrays by name."""
        return {name: index for index, name in enumerate(self.joint_names)}

    def index(self, joint: str) -> int:
        """Position of a joint in joint arrays.

        Raises:
            UnknownJointError: The robot has no such joint.
        """
        found = self.joint_index.get(joint)
        if found is None:
            raise UnknownJointError(f"robot {self.name!r} has no such joint", value=joint, legal=self.joint_names)
        return found

    @property
    def openr(self) -> bool:
        """Whether it is an OPEN-R robot, whose joints have primitive locators."""
        return any(joint.locator for joint in self.joints)

    @cached_property
    def leaders(self) -> NDArray[np.intp]:
        """Position of the joint whose motor moves each joint, (nj,): its own where it follows none."""
        return _frozen([self.index(joint.follows or joint.name) for joint in self.joints], np.intp)

    @cached_property
    def followers(self) -> NDArray[np.intp]:
        """Positions of the joints that follow another one."""
        return _frozen([index for index, joint in enumerate(self.joints) if joint.follows], np.intp)

    def shared(self, limits: Vector, narrower: np.ufunc) -> Vector:
        """Limits, (nj,), of which a leader and all joints that follow it get the narrowest."""
        found = limits.copy()
        narrower.at(found, self.leaders, limits)
        return np.asarray(found[self.leaders])

    lower = _column("joints", "lower", "Lower position limits, (nj,) [rad].")
    upper = _column("joints", "upper", "Upper position limits, (nj,) [rad].")

    @cached_property
    def stops(self) -> tuple[Vector, Vector]:
        """Lower and upper mechanical stops, (nj,) each [rad]; the position limits where no others are known."""
        pairs = [joint.stops or (joint.lower, joint.upper) for joint in self.joints]
        return _frozen([pair[0] for pair in pairs]), _frozen([pair[1] for pair in pairs])

    max_velocity = _column("joints", "max_velocity", "Speed limits, (nj,) [rad/s].")
    max_acceleration = _column("joints", "max_acceleration", "Limits of the command's acceleration, (nj,) [rad/s^2].")
    max_effort = _column("joints", "max_effort", "Published torque limits, (nj,) [N m].")
    servo_kp = _column("servos", "kp", "Position gains at full stiffness, (nj,) [N m/rad].")
    servo_kd = _column("servos", "kd", "Velocity gains at full stiffness, (nj,) [N m s/rad].")

    @cached_property
    def sensors_layout(self) -> Layout:
        """Layout of this robot's `Sensors`."""
        cells = [f"{foot.name}.{cell[0]}" for foot in self.feet for cell in foot.cells]
        feet = [foot.name for foot in self.feet]
        return sensors_layout(self.joint_names, feet, cells, self.buttons, tracked=self.motion_capture)

    @cached_property
    def command_layout(self) -> Layout:
        """Layout of this robot's `Command`."""
        return command_layout(self.joint_names)

    def sensors(self, vector: Vector | None = None) -> Sensors:
        """`Sensors` over ``vector`` (zeros where None)."""
        return Sensors(self.sensors_layout, vector)

    def command(self, vector: Vector | None = None) -> Command:
        """`Command` over ``vector`` (zeros, all joints off, where None)."""
        return Command(self.command_layout, vector)

    def held(self, position: Vector, stiffness: float = 1.0) -> Command:
        """`Command` by which the servos hold joint angles, (nj,) [rad], at a share of their full stiffness."""
        command = self.command()
        command.position[:] = position
        command.kp[:], command.kd[:] = self.servo_kp * stiffness, self.servo_kd * stiffness
        return command

    def posture(self, name: str) -> Vector:
        """A named posture as joint array, (nj,) [rad]; joints that it does not name are 0.

        Raises:
            RobotError: The robot has no such posture.
        """
        angles = self.postures.get(name)
        if angles is None:
            raise RobotError(f"robot {self.name!r} has no such posture", value=name, legal=self.postures)
        array = np.zeros(len(self.joints))
        for joint, angle in angles.items():
            array[self.index(joint)] = angle
        return array

    def spec(self) -> mujoco.MjSpec:
        """A fresh, editable MuJoCo specification of the model."""
        import mujoco

        return mujoco.MjSpec.from_string(self.mjcf, assets=dict(self.assets))

    def drawn_spec(self) -> mujoco.MjSpec:
        """The same with the visual meshes of its file, to be drawn.

        Raises:
            RobotError: That file cannot be read any more.
        """
        spec = self.spec()
        if self.visuals is not None:
            from andante.robots.visuals import add_visuals, visual_meshes

            add_visuals(spec, visual_meshes(self.visuals))
        return spec

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The compiled model without world or actuators; treat it as read-only."""
        return compiled(self.spec())


def _read_only(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    copied = {key: _read_only(value) if isinstance(value, Mapping) else value for key, value in mapping.items()}
    return MappingProxyType(copied)


def plain(value: Any) -> Any:
    """A value with its read-only mappings as dictionaries."""
    return {key: plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _frozen(values: Sequence[float], kind: type[np.number[Any]] = np.float64) -> NDArray[Any]:
    array = np.array(values, dtype=kind)
    array.flags.writeable = False
    return array
