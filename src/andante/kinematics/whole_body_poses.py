"""Configurations with the poses of their links, made, copied and moved by steps, as compiled kernels."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kinematics.tree_kernels import mass_moments, place_links
from andante.kinematics.tree_table import TreeTable
from andante.kinematics.whole_body_tables import MotionTable
from andante.spatial.arrays import Array, Array1, Array2, Array3
from andante.spatial.compiled import kernel


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
