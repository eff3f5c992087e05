"""Inverse kinematics of one leg with what it leaves to the limits, as compiled kernels over a `LegTable`."""

from __future__ import annotations

from andante.kinematics.leg_kernels import slack, turns
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1
from andante.spatial.compiled import entry, inlined, kernel
from andante.spatial.rotation_kernels import seen_from

_TOUCHING = 1e-9
"""Length by which a place may miss what a leg spans, from rounding [m]."""


@inlined
def joint_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array) -> tuple[float, int, float]:
    """Joint angles of a foot's place in the base's frame.

    Args:
        table: The robot.
        leg: Row of the leg.
        x: The place [m].
        y: The same to the left [m].
        z: The same upward [m].
        angles: Gets the angles, (3,) [rad].

    Returns:
        The smallest angle left to a limit [rad], its joint, and by how much the leg is too short or too long [m].
    """
    roll, pitch, bend, missing = turns(table, leg, x, y, z)
    left, joint = slack(table, leg, roll, pitch, bend)
    angles[0] = table.signs[leg, 0] * roll
    angles[1] = table.signs[leg, 1] * pitch
    angles[2] = table.signs[leg, 2] * (table.stretched[leg] + table.bend[leg] * bend)
    return left, joint, missing


@entry
def leg_angles(table: LegTable, leg: int, x: float, y: float, z: float, angles: Array1) -> float:
    """Joint angles (3,) [rad] of a foot's place in the base's frame, and the smallest angle left to a limit [rad].

    Far below zero where the leg is too short or too long.
    """
    left, _, missing = joint_angles(table, leg, x, y, z, angles)
    return -10.0 - missing if missing > _TOUCHING else left


@kernel
def leg_ik(table: LegTable, leg: int, position: Array, rotation: Array, foot: Array, angles: Array) -> float:
    """Joint angles (3,) [rad] for a foot under a body.

    Args:
        table: The robot.
        leg: Row of the leg.
        position: Origin of the base, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        foot: Centre of the foot, (3,) [m].
        angles: Gets the angles, (3,) [rad].

    Returns:
        The smallest angle left to a limit [rad]; -1 where the leg is too short.
    """
    x, y, z = seen_from(position, rotation, foot)
    left, _, missing = joint_angles(table, leg, x, y, z, angles)
    return -1.0 if missing > 0.0 else left
