"""What the kernels of whole-body inverse kinematics work on: goals, what may move, configurations with their poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from andante.kernels import kernel
from andante.kinematics.tree_kernels import mass_moments, place_links
from andante.kinematics.tree_table import TreeTable
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index1

COM = -1
"""In place of a link: the centre of mass."""


class GoalTable(NamedTuple):
    """Places and orientations that frames should have, by row."""

    link: Index1
    """Link of the frame, or `COM`, (ng,)."""
    rows: Index1
    """3: place; 6: place and orientation, (ng,)."""
    place: Array2
    """Frame's place from its link's origin at zero angles, (ng, 3) [m]."""
    rotation: Array3
    """Its rotation at zero angles, (ng, 3, 3)."""
    target: Array2
    """Where it should be, (ng, 3) [m]."""
    turn: Array3
    """How it should be turned, (ng, 3, 3)."""
    weight: Array2
    """Weights of the squared errors, world axes, place then orientation, (ng, 6)."""


class MotionTable(NamedTuple):
    """What may move, and how far."""

    floating: bool
    """Whether the base's six are variables."""
    size: float
    """So many metres of the base count as much as a radian [m]."""
    column: Index1
    """Variable of each link, (nl,), -1 where it is held."""
    joint: Index1
    """Entry of the joint array of each variable, (n,), -1 for the base's."""
    low: Array1
    """Least joint positions by variable, (n,) [rad]; the base has none."""
    high: Array1
    """Largest, (n,) [rad]."""
    wanted: Array1
    """Joint positions that a posture task asks for, by variable, (n,) [rad]."""
    hold: Array1
    """Weight of the squared distance from there, (n,); the base's from where it starts."""


def goal_table(goals: Sequence[tuple[int, int, Array, Array, Array, Array, Sequence[float]]]) -> GoalTable:
    """Goals as arrays: link, rows, place, rotation, target, wanted rotation and weights of each."""
    count = len(goals)
    return GoalTable(
        link=np.array([goal[0] for goal in goals], dtype=np.int64),
        rows=np.array([goal[1] for goal in goals], dtype=np.int64),
        place=np.array([goal[2] for goal in goals], dtype=np.float64).reshape(count, 3),
        rotation=np.array([goal[3] for goal in goals], dtype=np.float64).reshape(count, 3, 3),
        target=np.array([goal[4] for goal in goals], dtype=np.float64).reshape(count, 3),
        turn=np.array([goal[5] for goal in goals], dtype=np.float64).reshape(count, 3, 3),
        weight=np.array([goal[6] for goal in goals], dtype=np.float64).reshape(count, 6),
    )


def stacked(first: GoalTable, second: GoalTable, share: float) -> GoalTable:
    """The goals of both, the second's weights times ``share``."""
    joined = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
    joined[-1][len(first.link) :] *= share
    return GoalTable(*joined)


class Posed(NamedTuple):
    """A configuration and the poses of its links."""

    joints: Array1
    """(nj,) [rad]."""
    origins: Array2
    """(nl, 3) [m]."""
    turns: Array3
    """(nl, 3, 3)."""
    axes: Array2
    """(nl, 3)."""
    moments: Array2
    """(nl, 4) [kg, kg m]."""


@kernel
def empty_posed(joints: int, links: int) -> Posed:
    """Room for a configuration of so many joints and links; the base, which no joint turns, has the axis 0."""
    return Posed(
        np.empty(joints), np.empty((links, 3)), np.empty((links, 3, 3)), np.zeros((links, 3)), np.empty((links, 4))
    )


@kernel
def copy_posed(source: Posed, target: Posed) -> None:
    """Write all of ``source`` to ``target``."""
    target.joints[:] = source.joints
    target.origins[:] = source.origins
    target.turns[:] = source.turns
    target.axes[:] = source.axes
    target.moments[:] = source.moments


@kernel
def refresh(table: TreeTable, posed: Posed) -> None:
    """Poses and moments of all links, from the joints and from where the base, row 0, is."""
    place_links(table, posed.joints, posed.origins, posed.turns, posed.axes)
    mass_moments(table, posed.origins, posed.turns, posed.moments)


@kernel
def moved(motion: MotionTable, source: Posed, step: Array, share: float, target: Posed) -> None:
    """Joints and base of ``source`` after a share of a step, clipped to the limits against rounding."""
    target.joints[:] = source.joints
    target.origins[0] = source.origins[0]
    target.turns[0] = source.turns[0]
    first = 0
    if motion.floating:
        first = 6
        for axis in range(3):
            target.origins[0, axis] = source.origins[0, axis] + share * motion.size * step[axis]
        _turn(source.turns[0], share * step[3], share * step[4], share * step[5], target.turns[0])
    for n in range(first, len(step)):
        index = motion.joint[n]
        target.joints[index] = min(max(source.joints[index] + share * step[n], motion.low[n]), motion.high[n])


@kernel
def _turn(rotation: Array, x: float, y: float, z: float, out: Array) -> None:
    """The rotation turned by a rotation vector in world axes [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    sine = 1.0 if angle < 1e-12 else math.sin(angle) / angle
    rest = 0.5 if angle < 1e-6 else (1.0 - math.cos(angle)) / (angle * angle)
    for column in range(3):
        a, b, c = rotation[0, column], rotation[1, column], rotation[2, column]
        u, v, w = y * c - z * b, z * a - x * c, x * b - y * a
        out[0, column] = a + sine * u + rest * (y * w - z * v)
        out[1, column] = b + sine * v + rest * (z * u - x * w)
        out[2, column] = c + sine * w + rest * (x * v - y * u)
