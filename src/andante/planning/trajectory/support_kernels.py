"""How far a point is inside the polygon of the feet that carry: compiled, for every sample of a walk."""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.support_triangle import com_points, inner_triangle
from andante.spatial.arrays import Array, Array2, Array3, Index1, Index2


@kernel
def support_margin(feet: Array, away: int, x: float, y: float) -> float:
    """Distance of a point to the edge of the hull of all feet but ``away`` [m]; below zero outside.

    Outside, it is the distance to the line of the edge that is passed most.

    Args:
        feet: Places of the feet, (nl, 2 or 3) [m].
        away: Row of a foot that does not carry; -1: all do.
        x: The point [m].
        y: The point [m].
    """
    margin = math.inf
    for i in range(len(feet)):
        for k in range(len(feet)):
            if i in (k, away) or k == away:
                continue
            ex, ey = feet[k, 0] - feet[i, 0], feet[k, 1] - feet[i, 1]
            length = math.hypot(ex, ey)
            edge = length > 1e-9
            for m in range(len(feet)):
                if m not in (i, k, away):
                    edge &= ex * (feet[m, 1] - feet[i, 1]) - ey * (feet[m, 0] - feet[i, 0]) >= -1e-9
            if edge:
                margin = min(margin, (ex * (y - feet[i, 1]) - ey * (x - feet[i, 0])) / length)
    return margin if margin < math.inf else -math.inf


@entry
def support_margins(feet: Array3, zmp: Array2, away: Index1) -> Array:
    """`support_margin` of each sample, (n,) [m].

    Args:
        feet: Centres of the feet, (n, nl, 3) [m].
        zmp: Zero moment point, (n, 2) [m].
        away: Row of the foot that does not carry, (n,).
    """
    margins = np.empty(len(zmp))
    for j in range(len(zmp)):
        margins[j] = support_margin(feet[j], away[j], zmp[j, 0], zmp[j, 1])
    return margins


@kernel
def held_inside(feet: Array, swing: int, margin: float, point: Array) -> float:
    """Move a point (2,) into the triangle of all feet but ``swing``, as deep as ``margin`` where it is that wide.

    Returns:
        Height of the plane through the three feet at the point [m].
    """
    corners, points = np.empty((3, 2)), np.empty((8, 2))
    inset = margin
    while not inner_triangle(feet, swing, inset, corners):
        inset *= 0.7
        if inset < 1e-6:
            break
    com_points(corners, point[0], point[1], points)
    point[0], point[1] = points[0, 0], points[0, 1]
    rows = np.empty((3, 3))
    row = 0
    for leg in range(4):
        if leg != swing:
            rows[row] = feet[leg]
            row += 1
    ux, uy, uz = rows[1, 0] - rows[0, 0], rows[1, 1] - rows[0, 1], rows[1, 2] - rows[0, 2]
    vx, vy, vz = rows[2, 0] - rows[0, 0], rows[2, 1] - rows[0, 1], rows[2, 2] - rows[0, 2]
    normal_x, normal_y, normal_z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    if abs(normal_z) < 1e-9:
        return float(rows[0, 2] + rows[1, 2] + rows[2, 2]) / 3.0
    dx, dy = point[0] - rows[0, 0], point[1] - rows[0, 1]
    return float(rows[0, 2] - (normal_x * dx + normal_y * dy) / normal_z)


@entry
def node_supports(feet: Array3, samples: Index2, legs: Index1, margin: float, zmp: Array3, heights: Array2) -> None:
    """Hold the zero moment points of all steps inside their supports.

    Args:
        feet: Centres of the feet, (n, nl, 3) [m].
        samples: Rows of ``feet`` at lift-off and landing of each step, (k, 2).
        legs: Row of each step's leg, (k,).
        margin: Wanted distance from the support's edge [m].
        zmp: Wanted points, (k, 2, 2) [m]; get those inside.
        heights: Gets the heights of the support there, (k, 2) [m].
    """
    for step in range(len(legs)):
        for end in range(2):
            heights[step, end] = held_inside(feet[samples[step, end]], legs[step], margin, zmp[step, end])
