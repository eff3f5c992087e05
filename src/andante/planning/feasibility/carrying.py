"""What carrying the robot asks of standing legs, in a pose and in a walk, against the torque that their joints have.

A pose may be balanced and within reach and still be none to stand in: the legs give way where one bent leg has most of
the weight and the joints are weak. And a pose may ask little and the walk through it much: while the body is fast its
zero moment point is near an edge of the support, and two legs carry nearly all.
"""

from __future__ import annotations

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_forward import carrying_torques
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array, Array2, Array3, Index, Index1
from andante.spatial.gravity import GRAVITY


def leg_strength(body: LeggedBody) -> Array:
    """Torque that the joints of each leg have, (nl, 3) [N m]: what is published or what the servo gives, the less."""
    robot = body.robot
    given = np.array([servo.max_torque for servo in robot.servos])
    return body.angles(np.minimum(robot.max_effort, given))


def may_overload(table: LegTable, strength: Array, share: float) -> bool:
    """Whether any pose can ask more than a share of the strength: the whole weight on one leg, as far as it spans."""
    span = table.lengths.sum(axis=1) + np.linalg.norm(table.offset, axis=1) + np.abs(table.lateral)
    return bool((table.total_mass * GRAVITY * span[:, None] > share * strength).any())


@kernel
def three_loads(feet: Array, swing: int, x: float, y: float, loads: Array) -> None:
    """Shares of the weight on the three feet other than ``swing`` with the centre of mass over (x, y), into (4,).

    Outside their triangle, where a foot would have to pull, the others have it all.
    """
    loads[:] = 0.0
    total = 0.0
    first, second, third = (swing + 1) % 4, (swing + 2) % 4, (swing + 3) % 4
    sense = (feet[second, 0] - feet[first, 0]) * (feet[third, 1] - feet[first, 1]) - (
        feet[third, 0] - feet[first, 0]
    ) * (feet[second, 1] - feet[first, 1])
    for n in range(3):
        leg, a, b = (swing + 1 + n) % 4, (swing + 1 + (n + 1) % 3) % 4, (swing + 1 + (n + 2) % 3) % 4
        area = (feet[a, 0] - x) * (feet[b, 1] - y) - (feet[b, 0] - x) * (feet[a, 1] - y)
        loads[leg] = max(area * sense, 0.0)
        total += loads[leg]
    if total > 0.0:
        loads /= total


@kernel
def torque_excess(
    table: LegTable, strength: Array, share: float, feet: Array, swing: int, pose: Array, angles: Array
) -> float:
    """Sum over the joints of the standing legs of the squared excess over a share of their torque, as part of the rest.

    A joint that needs all it has adds 1.

    Args:
        table: The robot's legs.
        strength: Torque that their joints have, (4, 3) [N m].
        share: Share of it that costs nothing.
        feet: Centres of the feet, (4, 3) [m].
        swing: Row of the foot that does not carry.
        pose: Centre of mass, roll, pitch and yaw, (6,).
        angles: Joint angles, (4, 3) [rad].
    """
    loads, forces, torques = np.empty(4), np.zeros((4, 3)), np.empty((4, 3))
    three_loads(feet, swing, pose[0], pose[1], loads)
    for leg in range(4):
        forces[leg, 2] = loads[leg] * table.total_mass * GRAVITY
    carrying_torques(table, angles, rpy_matrix(pose[3:]), forces, torques)
    total = 0.0
    for leg in range(4):
        if leg == swing:
            continue
        for joint in range(3):
            excess = abs(torques[leg, joint]) / strength[leg, joint] - share
            if excess > 0.0:
                total += (excess / (1.0 - share)) ** 2
    return total


def efforts(body: LeggedBody, plan: WalkPlan) -> tuple[Array, Index]:
    """Largest share of its torque that a joint of a standing leg needs, and the row of that leg, both (n,).

    Where all feet carry they are 0 and -1: how the feet share the load is free there.

    Args:
        body: The robot.
        plan: The walk.
    """
    motion = plan.com, plan.zmp, plan.rpy, plan.feet, plan.angles
    return _efforts(body.table, leg_strength(body), *motion, plan.swinging)


@entry
def _efforts(
    table: LegTable,
    strength: Array2,
    com: Array2,
    zmp: Array2,
    rpy: Array2,
    feet: Array3,
    angles: Array3,
    swinging: Index1,
) -> tuple[Array, Index]:
    shares, legs = np.zeros(len(com)), np.full(len(com), -1)
    loads, forces, torques = np.empty(4), np.zeros((4, 3)), np.empty((4, 3))
    weight = table.total_mass * GRAVITY
    for k in range(len(com)):
        swing = swinging[k]
        if swing < 0:
            continue
        three_loads(feet[k], swing, zmp[k, 0], zmp[k, 1], loads)
        ground = 0.0
        for leg in range(4):
            if leg != swing:
                ground += feet[k, leg, 2] / 3.0
        height = com[k, 2] - ground
        for leg in range(4):
            forces[leg, 2] = loads[leg] * weight
            for axis in range(2):
                # The ground's force on the whole points from the zero moment point to the centre of mass.
                forces[leg, axis] = forces[leg, 2] * (com[k, axis] - zmp[k, axis]) / height if height > 0.0 else 0.0
        carrying_torques(table, angles[k], rpy_matrix(rpy[k]), forces, torques)
        for leg in range(4):
            if leg == swing:
                continue
            for joint in range(3):
                share = abs(torques[leg, joint]) / strength[leg, joint]
                if share > shares[k]:
                    shares[k], legs[k] = share, leg
    return shares, legs
