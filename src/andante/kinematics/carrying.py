"""Joint torques with which legs carry the ground's forces on their feet, as a compiled kernel over a `LegTable`."""

from __future__ import annotations

import math

from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array2
from andante.spatial.compiled import entry

GRAVITY = 9.81
"""Acceleration of gravity [m/s^2]."""


@entry
def carrying_torques(table: LegTable, angles: Array2, rotation: Array2, forces: Array2, torques: Array2) -> None:
    """Joint torques that hold the legs against gravity and the ground's forces on the feet.

    tau = -J^T f - sum over links of m dp/dq . g, with the base taken as held.

    Args:
        table: The robot.
        angles: Joint angles, (nl, 3) [rad].
        rotation: Rotation of the base, (3, 3).
        forces: Force of the ground on each foot in the world, (nl, 3) [N].
        torques: Gets the torques, (nl, 3) [N m].
    """
    gx, gy, gz = -GRAVITY * rotation[2, 0], -GRAVITY * rotation[2, 1], -GRAVITY * rotation[2, 2]
    for leg in range(len(angles)):
        q1 = table.signs[leg, 0] * angles[leg, 0]
        q2 = table.signs[leg, 1] * angles[leg, 1]
        q3 = q2 + table.signs[leg, 2] * angles[leg, 2]
        o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
        g1, g2, g3 = table.centre[leg, 0], table.centre[leg, 1], table.centre[leg, 2]
        m1, m2, m3 = table.mass[leg, 0], table.mass[leg, 1], table.mass[leg, 2]
        c1, s1 = math.cos(q1), math.sin(q1)
        c2, s2 = math.cos(q2), math.sin(q2)
        c3, s3 = math.cos(q3), math.sin(q3)
        # Everything in the rolled frame, from the roll axis.
        kx, ky, kz = o[0] + c2 * u[0] + s2 * u[2], o[1] + u[1], o[2] + c2 * u[2] - s2 * u[0]
        px, py, pz = kx + c3 * f[0] + s3 * f[2], ky + f[1], kz + c3 * f[2] - s3 * f[0]
        ax, ay, az = o[0] + c2 * g2[0] + s2 * g2[2], o[1] + g2[1], o[2] + c2 * g2[2] - s2 * g2[0]
        bx, by, bz = kx + c3 * g3[0] + s3 * g3[2], ky + g3[1], kz + c3 * g3[2] - s3 * g3[0]
        fx = rotation[0, 0] * forces[leg, 0] + rotation[1, 0] * forces[leg, 1] + rotation[2, 0] * forces[leg, 2]
        hy = rotation[0, 1] * forces[leg, 0] + rotation[1, 1] * forces[leg, 1] + rotation[2, 1] * forces[leg, 2]
        hz = rotation[0, 2] * forces[leg, 0] + rotation[1, 2] * forces[leg, 1] + rotation[2, 2] * forces[leg, 2]
        fy, fz = c1 * hy + s1 * hz, c1 * hz - s1 * hy
        wy, wz = c1 * gy + s1 * gz, c1 * gz - s1 * gy
        # Moments about x of forces at r are y F_z - z F_y, about y they are z F_x - x F_z.
        about_roll = py * fz - pz * fy
        about_roll += m1 * (g1[1] * wz - g1[2] * wy) + m2 * (ay * wz - az * wy) + m3 * (by * wz - bz * wy)
        about_knee = (pz - kz) * fx - (px - kx) * fz + m3 * ((bz - kz) * gx - (bx - kx) * wz)
        about_pitch = (pz - o[2]) * fx - (px - o[0]) * fz
        about_pitch += m2 * ((az - o[2]) * gx - (ax - o[0]) * wz) + m3 * ((bz - o[2]) * gx - (bx - o[0]) * wz)
        torques[leg, 0] = -table.signs[leg, 0] * about_roll
        torques[leg, 1] = -table.signs[leg, 1] * about_pitch
        torques[leg, 2] = -table.signs[leg, 2] * about_knee
