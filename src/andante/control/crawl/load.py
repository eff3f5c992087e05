"""How the feet share the load, and the torques that carry it."""

from __future__ import annotations

import numpy as np

from andante.kinematics.leg_forward import carrying_torques
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY


def share_load(feet: Array, weights: Array, zmp: Array, weight: float) -> Array:
    """Vertical forces on feet with a resultant of ``weight`` at ``zmp``, (nl,) [N]; none pulls.

    Of all distributions it is the one of least sum of f^2 / weight, so a foot whose weight fades to 0 is relieved
    smoothly. Where the feet that carry cannot hold the point (outside, or fewer than three) it is the nearest they can.

    Args:
        feet: Centres of the feet, (nl, 3) [m].
        weights: How much each may carry, (nl,); 0: nothing.
        zmp: Where the resultant acts, (2,) [m].
        weight: The resultant [N].
    """
    middle = zmp
    rows = np.stack([np.ones(len(feet)), feet[:, 0] - middle[0], feet[:, 1] - middle[1]])
    wanted = np.array([weight, 0.0, 0.0])
    use = np.array(weights, dtype=np.float64)
    forces = np.zeros(len(feet))
    # A foot that would have to pull is left out, at most until one is left.
    for _ in range(len(feet)):
        if not use.any():
            return np.zeros(len(feet))
        forces = use * (rows.T @ (np.linalg.pinv((rows * use) @ rows.T, rcond=1e-9) @ wanted))
        if forces.min() >= -1e-9:
            break
        use[int(np.argmin(forces))] = 0.0
    forces = np.maximum(forces, 0.0)
    total = forces.sum()
    return np.asarray(forces * (weight / total)) if total > 0.0 else forces


def load_torques(
    table: LegTable, angles: Array, rotation: Array, feet: Array, weights: Array, com: Array, zmp: Array
) -> Array:
    """Torques of the legs' joints, (nl, 3) [N m], that carry the robot with its zero moment point at ``zmp``.

    Args:
        table: The robot.
        angles: Joint angles, (nl, 3) [rad].
        rotation: Rotation of the base, (3, 3).
        feet: Centres of the feet, (nl, 3) [m].
        weights: As in `share_load`.
        com: Centre of mass, (3,) [m].
        zmp: Zero moment point, (2,) [m].
    """
    vertical = share_load(feet, weights, zmp, table.total_mass * GRAVITY)
    carrying = weights > 0.0
    ground = float(feet[carrying, 2].mean()) if carrying.any() else 0.0
    height = max(float(com[2]) - ground, 1e-3)
    forces = np.empty((len(feet), 3))
    # The ground's force on the whole points from the zero moment point to the centre of mass.
    forces[:, :2] = vertical[:, None] * (com[:2] - zmp) / height
    forces[:, 2] = vertical
    torques = np.empty((len(feet), 3))
    carrying_torques(table, angles, rotation, forces, torques)
    return torques
