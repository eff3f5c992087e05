"""What whole-body inverse kinematics is asked (where to start, what to reach, what to keep), and what it answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.kinematics.whole_body_tables import GoalTable, MotionTable
from andante.robots.parts import Foot
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Index

_UNIT_TOLERANCE = 1e-6


class WholeBodyError(AndanteError):
    """A question to whole-body inverse kinematics that makes no sense: wrong shape, not finite, an unknown name."""


@dataclass(frozen=True, eq=False)
class Configuration:
    """Where all of a robot is."""

    joints: Array
    """Joint positions, (nj,) [rad], in the order of `Robot.joints`."""
    base_position: Array = field(default_factory=lambda: np.zeros(3))
    """Origin of the base in the world, (3,) [m]."""
    base_orientation: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    """Orientation of the base in the world, (4,) wxyz."""

    def __post_init__(self) -> None:
        _set(self, "joints", finite(self.joints, None, "joint positions"))
        _set(self, "base_position", finite(self.base_position, 3, "the base position"))
        _set(self, "base_orientation", _quaternion(self.base_orientation, "the base orientation"))


@dataclass(frozen=True, eq=False)
class PositionTask:
    """A site or body should be at a place."""

    frame: str
    """Name of the site or body."""
    target: Array
    """Where its origin should be, (3,) [m], world."""
    weight: float = 1.0
    """Weight of the squared error."""

    def __post_init__(self) -> None:
        _set(self, "target", finite(self.target, 3, f"the target of {self.frame!r}"))
        _weight(self.weight, self.frame)


@dataclass(frozen=True, eq=False)
class PoseTask:
    """A site or body should be at a place and turned in a way."""

    frame: str
    """Name of the site or body."""
    target: Array
    """Where its origin should be, (3,) [m], world."""
    orientation: Array
    """How it should be turned, (4,) wxyz, world."""
    weight: float = 1.0
    """Weight of the squared error of the place; 0: only the orientation counts."""
    turn_length: float = 0.1
    """So many metres beside the place are as bad as a radian of turn [m]; 0: only the place counts."""

    def __post_init__(self) -> None:
        _set(self, "target", finite(self.target, 3, f"the target of {self.frame!r}"))
        _set(self, "orientation", _quaternion(self.orientation, f"the orientation of {self.frame!r}"))
        _weight(self.weight, self.frame)
        _weight(self.turn_length, self.frame)


@dataclass(frozen=True, eq=False)
class ComTask:
    """The centre of mass should be at a place, or over one."""

    target: Array
    """Where it should be, (3,) [m], world."""
    axes: tuple[bool, bool, bool] = (True, True, True)
    """Which of x, y and z count."""
    weight: float = 1.0
    """Weight of the squared error."""

    def __post_init__(self) -> None:
        _set(self, "target", finite(self.target, 3, "the target of the centre of mass"))
        _weight(self.weight, "centre of mass")


@dataclass(frozen=True, eq=False)
class PostureTask:
    """The joints should be near a posture, as far as the other tasks leave them free.

    A weight of 1e-6 costs a radian as much as a millimetre of another task's place: it decides among the
    configurations that reach the others' targets, and takes them off by micrometres.
    """

    joints: Array
    """Joint positions, (nj,) [rad]."""
    weight: Array | float = 1e-6
    """Weight of the squared distance [m^2/rad^2]; a number, or one per joint, (nj,)."""

    def __post_init__(self) -> None:
        _set(self, "joints", finite(self.joints, None, "the posture"))
        weight = np.asarray(self.weight, dtype=np.float64)
        if not np.isfinite(weight).all() or (weight < 0.0).any():
            raise WholeBodyError("weights must be finite and not below 0", place="posture", value=weight.tolist())


Task = PositionTask | PoseTask | ComTask | PostureTask
"""Any task."""


@dataclass(frozen=True, eq=False)
class FixedFrame:
    """A site or body that stays in its place, whatever the tasks ask."""

    frame: str
    """Name of the site or body."""
    position: Array | None = None
    """Its place, (3,) [m], world; None: where it is at the start."""
    orientation: Array | None = None
    """Its orientation, (4,) wxyz, world; None: as at the start."""
    turns: bool = False
    """Whether it may turn about its place, as a ball foot does."""

    def __post_init__(self) -> None:
        if self.position is not None:
            _set(self, "position", finite(self.position, 3, f"the place of {self.frame!r}"))
        if self.orientation is not None:
            _set(self, "orientation", _quaternion(self.orientation, f"the orientation of {self.frame!r}"))

    @staticmethod
    def of(foot: Foot) -> FixedFrame:
        """A foot that stays where it is at the start: a sole as it lies, a ball foot about its centre."""
        return FixedFrame(foot.site, turns=not foot.outline)


@dataclass(frozen=True, eq=False)
class IkProblem:
    """A whole question; `WholeBodyIk.solve` answers it."""

    start: Configuration
    """Where the search begins; of all answers the one near it is wanted."""
    tasks: tuple[Task, ...]
    """What is to be reached, as well as it can be."""
    fixed: tuple[FixedFrame, ...] = ()
    """What stays."""
    locked: frozenset[str] = frozenset()
    """Joints that keep their angles."""
    most_motion: float | None = None
    """Largest change of any joint from the start [rad]; None: as far as the limits are."""

    def __post_init__(self) -> None:
        most = self.most_motion
        if most is not None and not (math.isfinite(most) and most > 0.0):
            raise WholeBodyError("the largest motion must be above 0", value=most, limit="> 0 rad, or None")


def feet_fixed(robot: Robot, names: Iterable[str] | None = None) -> tuple[FixedFrame, ...]:
    """A robot's feet as fixed frames, all or those named.

    Raises:
        WholeBodyError: The robot has no such foot.
    """
    by_name = {foot.name: foot for foot in robot.feet}
    wanted = tuple(by_name) if names is None else tuple(names)
    for name in wanted:
        if name not in by_name:
            raise WholeBodyError(f"robot {robot.name!r} has no such foot", value=name, legal=by_name)
    return tuple(FixedFrame.of(by_name[name]) for name in wanted)


def finite(values: ArrayLike, size: int | None, what: str) -> Array:
    """The values as an own array, read-only.

    Raises:
        WholeBodyError: Wrong shape, or not finite.
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 1 or (size is not None and len(array) != size) or not np.isfinite(array).all():
        limit = f"{size} finite numbers" if size is not None else "finite numbers in a row"
        raise WholeBodyError(f"{what} does not fit", value=array.tolist(), limit=limit)
    array.flags.writeable = False
    return array


def _quaternion(values: ArrayLike, what: str) -> Array:
    array = finite(values, 4, what)
    if abs(float(array @ array) - 1.0) > _UNIT_TOLERANCE:
        raise WholeBodyError(
            f"{what} must be a unit quaternion wxyz",
            value=array.tolist(),
            remedy="normalise it with andante.spatial.rotations.normalise",
        )
    return array


def _weight(value: float, place: str) -> None:
    if not (math.isfinite(value) and value >= 0.0):
        raise WholeBodyError("a weight must be finite and not below 0", place=place, value=value)


def _set(target: object, name: str, value: Array) -> None:
    object.__setattr__(target, name, value)


@dataclass(frozen=True)
class TaskResidual:
    """What an answer leaves of a task or of a fixed frame."""

    name: str
    """The frame, or ``com``."""
    position: float
    """Distance from the target's place [m]."""
    orientation: float
    """Angle from the target's orientation [rad]; 0 where none was asked for."""
    reached: bool
    """Whether both are within the tolerances."""


@dataclass(frozen=True)
class ActiveLimit:
    """A joint that an answer has at the end of what it may do."""

    joint: str
    """The joint."""
    side: int
    """-1: it cannot go lower; +1: not higher."""
    limit: float
    """Where it is held [rad]."""
    capped: bool
    """Whether the largest motion of this question holds it, and not the joint's own limit."""


@dataclass(frozen=True, eq=False)
class IkAnswer:
    """The configuration found."""

    joints: Array
    """Joint positions, (nj,) [rad], all within their limits."""
    base_position: Array
    """Origin of the base in the world, (3,) [m]."""
    base_orientation: Array
    """Orientation of the base in the world, (4,) wxyz."""
    residuals: tuple[TaskResidual, ...]
    """What is left of each task, posture tasks left out, in the order asked."""
    fixed: tuple[TaskResidual, ...]
    """What is left of each fixed frame."""
    reached: bool
    """Whether all of these are within the tolerances."""
    active: tuple[ActiveLimit, ...]
    """Joints at a limit."""
    iterations: int
    """Iterations in all."""
    starts: int
    """Starts from which was searched."""

    @property
    def configuration(self) -> Configuration:
        """The answer as the start of another question."""
        return Configuration(self.joints, self.base_position, self.base_orientation)


def active_limits(
    names: Sequence[str], motion: MotionTable, side: Index, ends: tuple[Array, Array, Array, Array]
) -> tuple[ActiveLimit, ...]:
    """The joints that an answer has at a limit.

    Args:
        names: Of all joints.
        motion: What may move.
        side: Which limit each variable rests on, (n,): -1 lower, +1 upper, 0 none.
        ends: Least and largest joint positions of the question, and the joints' own limits, (nj,) each [rad].
    """
    low, high, own_low, own_high = ends
    active = []
    for variable, way in enumerate(side.tolist()):
        if way:
            joint = int(motion.joint[variable])
            limit, own = (low, own_low) if way < 0 else (high, own_high)
            active.append(ActiveLimit(names[joint], way, float(limit[joint]), bool(limit[joint] != own[joint])))
    return tuple(active)


def within(goals: GoalTable, errors: Array, near: float, turn_near: float) -> list[bool]:
    """Whether each goal's errors are within the tolerances [m], [rad]; axes without weight do not count."""
    return [
        all(abs(error) <= near for error in place) and all(abs(error) <= turn_near for error in turn)
        for place, turn in _parts(goals, errors)
    ]


def residuals(
    names: Sequence[str], goals: GoalTable, errors: Array, near: float, turn_near: float
) -> tuple[TaskResidual, ...]:
    """What is left of each goal."""
    reached = within(goals, errors, near, turn_near)
    return tuple(
        TaskResidual(name, math.hypot(*place), math.hypot(*turn), good)
        for name, (place, turn), good in zip(names, _parts(goals, errors), reached, strict=True)
    )


def _parts(goals: GoalTable, errors: Array) -> Iterator[tuple[list[float], list[float]]]:
    """Errors of place and orientation of each goal, 0 along axes without weight."""
    values, row = errors.tolist(), 0
    for rows, weight in zip(goals.rows.tolist(), goals.weight.tolist(), strict=True):
        part = [each if share > 0.0 else 0.0 for each, share in zip(values[row : row + rows], weight, strict=False)]
        yield part[:3], part[3:]
        row += rows
