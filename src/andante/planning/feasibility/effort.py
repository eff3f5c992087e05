"""Effort: what a walk asks of the joints that carry it while a foot is in the air, against the torque that they have.

A pose may ask little and the walk through it much: while the body is fast its zero moment point is near an edge of the
support, and two legs carry nearly all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_forward import carrying_torques
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.planning.feasibility.torque_cost import leg_strength, three_loads
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array1, Array2, Array3, Index1
from andante.spatial.compiled import entry
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
Index = NDArray[np.int64]


def efforts(body: LeggedBody, plan: WalkPlan) -> tuple[Array, Index]:
    """Largest share of its torque that a joint of a standing leg needs, and the row of that leg, both (n,).

    Where all feet carry they are 0 and -1: how the feet share the load is free there.

    Args:
        body: The robot.
        plan: The walk.
    """
    shares, legs = np.zeros(len(plan.com)), np.full(len(plan.com), -1, dtype=np.int64)
    _efforts(
        body.table,
        leg_strength(body),
        plan.com,
        plan.zmp,
        plan.rpy,
        plan.feet,
        plan.angles,
        plan.swinging,
        shares,
        legs,
    )
    return shares, legs


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
    shares: Array1,
    legs: Index1,
) -> None:
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
