"""Joint torques of legs at rest: against the weight of their own links, and to push a force into the ground."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.legs.foot_kernels import foot_jacobian
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array1, Array2
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
GRAVITY = 9.81
"""Acceleration of gravity [m/s^2]."""


@entry
def holding_torques(table: LegTable, angles: Array2, up: Array1, forces: Array2, torques: Array2) -> None:
    """Torques of all legs that hold their links and push with forces: gravity - J^T f.

    Args:
        table: The legs.
        angles: Joint angles, (nl, 3) [rad].
        up: Against gravity, in the base's frame, (3,).
        forces: Force of the ground on each foot in the base's frame, (nl, 3) [N].
        torques: Gets the torques, (nl, 3) [N m].
    """
    jacobian, weight = np.empty((3, 3)), np.empty(3)
    for leg in range(len(angles)):
        foot_jacobian(table, leg, angles, jacobian)
        _link_weight(table, leg, angles, up, weight)
        for joint in range(3):
            torques[leg, joint] = weight[joint]
            for axis in range(3):
                torques[leg, joint] -= jacobian[axis, joint] * forces[leg, axis]


@kernel
def _link_weight(table: LegTable, leg: int, angles: Array, up: Array, weight: Array) -> None:
    """Torques that hold the leg's own links, (3,) [N m]: mass g times how fast their centres rise with each joint."""
    roll, pitch = table.signs[leg, 0] * angles[leg, 0], table.signs[leg, 1] * angles[leg, 1]
    turned = pitch + table.signs[leg, 2] * angles[leg, 2]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    c3, s3 = math.cos(turned), math.sin(turned)
    o, u = table.offset[leg], table.upper[leg]
    g1, g2, g3 = table.centre[leg, 0], table.centre[leg, 1], table.centre[leg, 2]
    m1, m2, m3 = table.mass[leg, 0], table.mass[leg, 1], table.mass[leg, 2]
    # In the rolled frame: from the pitch axis to the upper link's centre, to the knee, and from there to the lower's.
    ax, az = c2 * g2[0] + s2 * g2[2], c2 * g2[2] - s2 * g2[0]
    kx, kz = c2 * u[0] + s2 * u[2], c2 * u[2] - s2 * u[0]
    bx, bz = c3 * g3[0] + s3 * g3[2], c3 * g3[2] - s3 * g3[0]
    moment_y = m1 * g1[1] + m2 * (o[1] + g2[1]) + m3 * (o[1] + u[1] + g3[1])
    moment_z = m1 * g1[2] + m2 * (o[2] + az) + m3 * (o[2] + kz + bz)
    up_y, up_z = c1 * up[1] + s1 * up[2], c1 * up[2] - s1 * up[1]
    weight[0] = table.signs[leg, 0] * GRAVITY * (up_z * moment_y - up_y * moment_z)
    # A turn about y moves (x, z) by (z, -x).
    x, z = m2 * ax + m3 * (kx + bx), m2 * az + m3 * (kz + bz)
    weight[1] = table.signs[leg, 1] * GRAVITY * (up[0] * z - up_z * x)
    weight[2] = table.signs[leg, 2] * GRAVITY * (up[0] * m3 * bz - up_z * m3 * bx)
