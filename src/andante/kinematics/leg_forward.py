"""Feet, centre of mass, rolling of ball feet and torques at rest from joint angles, compiled, over a `LegTable`."""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.leg_kernels import leg_moment
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1, Array2
from andante.spatial.gravity import GRAVITY


@kernel
def foot_place(table: LegTable, leg: int, angles: Array, place: Array) -> None:
    """Where a foot's centre is in the base's frame, into ``place`` (3,) [m], at joint angles (3,) [rad]."""
    roll, pitch = table.signs[leg, 0] * angles[0], table.signs[leg, 1] * angles[1]
    turned = pitch + table.signs[leg, 2] * angles[2]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    c3, s3 = math.cos(turned), math.sin(turned)
    o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
    x = o[0] + c2 * u[0] + s2 * u[2] + c3 * f[0] + s3 * f[2]
    y = o[1] + u[1] + f[1]
    z = o[2] + c2 * u[2] - s2 * u[0] + c3 * f[2] - s3 * f[0]
    place[0] = table.hip[leg, 0] + x
    place[1] = table.hip[leg, 1] + c1 * y - s1 * z
    place[2] = table.hip[leg, 2] + s1 * y + c1 * z


@entry
def foot_places(table: LegTable, angles: Array2, places: Array2) -> None:
    """Centres of the feet in the base's frame, into ``places`` (nl, 3) [m], at joint angles (nl, 3) [rad]."""
    for leg in range(len(angles)):
        foot_place(table, leg, angles[leg], places[leg])


@kernel
def foot_jacobian(table: LegTable, leg: int, angles: Array, jacobian: Array) -> None:
    """How a foot's centre moves in the base's frame as its joints turn, (3, 3) [m/rad]."""
    roll, pitch = table.signs[leg, 0] * angles[leg, 0], table.signs[leg, 1] * angles[leg, 1]
    turned = pitch + table.signs[leg, 2] * angles[leg, 2]
    c1, s1, c2, s2 = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    c3, s3 = math.cos(turned), math.sin(turned)
    o, u, f = table.offset[leg], table.upper[leg], table.lower[leg]
    kx, kz = c2 * u[0] + s2 * u[2], c2 * u[2] - s2 * u[0]
    lx, lz = c3 * f[0] + s3 * f[2], c3 * f[2] - s3 * f[0]
    y, z = o[1] + u[1] + f[1], o[2] + kz + lz
    jacobian[0, 0] = 0.0
    jacobian[1, 0] = table.signs[leg, 0] * (-s1 * y - c1 * z)
    jacobian[2, 0] = table.signs[leg, 0] * (c1 * y - s1 * z)
    for column, (dx, dz) in enumerate(((kz + lz, -(kx + lx)), (lz, -lx))):
        sign = table.signs[leg, 1 + column]
        jacobian[0, 1 + column] = sign * dx
        jacobian[1, 1 + column] = -sign * s1 * dz
        jacobian[2, 1 + column] = sign * c1 * dz


@entry
def leg_places(table: LegTable, angles: Array2, feet: Array2, com: Array1) -> None:
    """Feet and centre of mass in the base's frame.

    Args:
        table: The robot.
        angles: Joint angles, (nl, 3) [rad].
        feet: Gets the centres of the feet, (nl, 3) [m].
        com: Gets the centre of mass, (3,) [m].
    """
    unused = np.empty((3, 3))
    com[:] = table.trunk_mass * table.trunk_centre
    for leg in range(len(angles)):
        roll = table.signs[leg, 0] * angles[leg, 0]
        pitch = table.signs[leg, 1] * angles[leg, 1]
        knee = table.signs[leg, 2] * angles[leg, 2]
        c, s = math.cos(knee), math.sin(knee)
        x = table.upper[leg, 0] + c * table.lower[leg, 0] + s * table.lower[leg, 2]
        y = table.upper[leg, 1] + table.lower[leg, 1] + table.offset[leg, 1]
        z = table.upper[leg, 2] + c * table.lower[leg, 2] - s * table.lower[leg, 0]
        c2, s2 = math.cos(pitch), math.sin(pitch)
        x, z = c2 * x + s2 * z + table.offset[leg, 0], c2 * z - s2 * x + table.offset[leg, 2]
        c1, s1 = math.cos(roll), math.sin(roll)
        feet[leg, 0] = table.hip[leg, 0] + x
        feet[leg, 1] = table.hip[leg, 1] + c1 * y - s1 * z
        feet[leg, 2] = table.hip[leg, 2] + s1 * y + c1 * z
        c3, s3 = c2 * c - s2 * s, s2 * c + c2 * s
        leg_moment(table, leg, c1, s1, c2, s2, c3, s3, com, unused, False)
    com /= table.total_mass


@entry
def rolled(table: LegTable, angles: Array2, change: Array2, rotation: Array2, turn: Array1, ways: Array2) -> None:
    """How far the centres of ball feet roll on while they carry, the ground taken as level.

    A ball of radius r that turns by w without slipping moves its centre by w x r (0, 0, 1).

    Args:
        table: The robot.
        angles: Joint angles, (nl, 3) [rad].
        change: By how much they have changed, (nl, 3) [rad].
        rotation: Rotation of the base, (3, 3).
        turn: By how much the base has turned, in the world, (3,) [rad].
        ways: Gets the ways in the world, (nl, 3) [m].
    """
    for leg in range(len(angles)):
        roll = table.signs[leg, 0] * angles[leg, 0]
        d_roll = table.signs[leg, 0] * change[leg, 0]
        d_pitch = table.signs[leg, 1] * change[leg, 1] + table.signs[leg, 2] * change[leg, 2]
        y, z = math.cos(roll) * d_pitch, math.sin(roll) * d_pitch
        wx = turn[0] + rotation[0, 0] * d_roll + rotation[0, 1] * y + rotation[0, 2] * z
        wy = turn[1] + rotation[1, 0] * d_roll + rotation[1, 1] * y + rotation[1, 2] * z
        ways[leg, 0] = table.radius[leg] * wy
        ways[leg, 1] = -table.radius[leg] * wx
        ways[leg, 2] = 0.0


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
