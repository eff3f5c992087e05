"""What whole-body inverse kinematics answers: the configuration found, what is left of each task, what limits it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from andante.kinematics.whole_body_problem import Configuration
from andante.kinematics.whole_body_tables import GoalTable, MotionTable
from andante.spatial.arrays import Array, Index


@dataclass(frozen=True)
class Residual:
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
    residuals: tuple[Residual, ...]
    """What is left of each task, posture tasks left out, in the order asked."""
    fixed: tuple[Residual, ...]
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
) -> tuple[Residual, ...]:
    """What is left of each goal."""
    reached = within(goals, errors, near, turn_near)
    return tuple(
        Residual(name, math.hypot(*place), math.hypot(*turn), good)
        for name, (place, turn), good in zip(names, _parts(goals, errors), reached, strict=True)
    )


def _parts(goals: GoalTable, errors: Array) -> Iterator[tuple[list[float], list[float]]]:
    """Errors of place and orientation of each goal, 0 along axes without weight."""
    values, row = errors.tolist(), 0
    for rows, weight in zip(goals.rows.tolist(), goals.weight.tolist(), strict=True):
        part = [each if share > 0.0 else 0.0 for each, share in zip(values[row : row + rows], weight, strict=False)]
        yield part[:3], part[3:]
        row += rows
