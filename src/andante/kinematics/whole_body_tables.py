"""What whole-body inverse kinematics is asked, as plain arrays for its kernels: goals of frames, and what may move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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
