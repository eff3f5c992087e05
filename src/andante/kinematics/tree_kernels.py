"""Poses of all links, centre of mass and Jacobians of a tree of joints, as compiled kernels over a `TreeTable`.

Columns of Jacobians belong to variables: of a floating base the velocity of its origin and its angular velocity, both
in world axes, then whatever joints the caller lets move (``column`` maps links to them, -1 where a joint is held).
"""

from __future__ import annotations

import math

from andante.kernels import entry, inlined, kernel
from andante.kinematics.tree_table import TreeTable
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index


@inlined
def turned(rotation: Array, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The vector (x, y, z) turned by a matrix (3, 3)."""
    return (
        rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2] * z,
        rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2] * z,
        rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2] * z,
    )


@entry
def place_links(table: TreeTable, joints: Array1, origins: Array2, turns: Array3, axes: Array2) -> None:
    """Poses of all links.

    Args:
        table: The tree.
        joints: Joint positions, (nj,) [rad].
        origins: Origins of the links in the world, (nl, 3) [m]; row 0, the base's, is given, the others are written.
        turns: Their rotations, (nl, 3, 3); row 0 is given.
        axes: Gets the joints' axes in the world, (nl, 3).
    """
    for row in range(1, len(table.parent)):
        above = table.parent[row]
        upper = turns[above]
        own = turns[row]
        dx, dy, dz = table.offset[row, 0], table.offset[row, 1], table.offset[row, 2]
        a, b, c = table.axis[row, 0], table.axis[row, 1], table.axis[row, 2]
        axes[row, 0], axes[row, 1], axes[row, 2] = turned(upper, a, b, c)
        angle = joints[table.joint[row]] - table.zero[row]
        if table.slides[row]:
            dx, dy, dz = dx + angle * a, dy + angle * b, dz + angle * c
            for i in range(3):
                for j in range(3):
                    own[i, j] = upper[i, j]
        else:
            cosine, sine = math.cos(angle), math.sin(angle)
            rest = 1.0 - cosine
            # Columns of the turn about the axis (Rodrigues' formula), each turned by the parent.
            own[0, 0], own[1, 0], own[2, 0] = turned(
                upper, cosine + rest * a * a, rest * a * b + sine * c, rest * a * c - sine * b
            )
            own[0, 1], own[1, 1], own[2, 1] = turned(
                upper, rest * a * b - sine * c, cosine + rest * b * b, rest * b * c + sine * a
            )
            own[0, 2], own[1, 2], own[2, 2] = turned(
                upper, rest * a * c + sine * b, rest * b * c - sine * a, cosine + rest * c * c
            )
        x, y, z = turned(upper, dx, dy, dz)
        origins[row, 0] = origins[above, 0] + x
        origins[row, 1] = origins[above, 1] + y
        origins[row, 2] = origins[above, 2] + z


@inlined
def point_of(origins: Array, turns: Array, link: int, place: Array) -> tuple[float, float, float]:
    """A point of a link in the world [m]; ``place`` (3,) is its place from the link's origin at zero angles."""
    x, y, z = turned(turns[link], place[0], place[1], place[2])
    return origins[link, 0] + x, origins[link, 1] + y, origins[link, 2] + z


@kernel
def frame_columns(
    table: TreeTable,
    origins: Array,
    axes: Array,
    column: Index,
    floating: bool,
    link: int,
    x: float,
    y: float,
    z: float,
    jacobian: Array,
    first: int,
    turning: bool,
) -> None:
    """Write the Jacobian of a point (x, y, z) [m] of a link: three rows of velocity, then three of turning if wanted.

    Args:
        table: The tree.
        origins: Of `place_links`.
        axes: Of `place_links`.
        column: Column of each link's joint, (nl,).
        floating: Whether the first six columns are the base's.
        link: Row of the link.
        x: The point.
        y: The point.
        z: The point.
        jacobian: Gets the rows, (m, n).
        first: First row.
        turning: Whether three rows of angular velocity follow.
    """
    for row in range(first, first + (6 if turning else 3)):
        for n in range(jacobian.shape[1]):
            jacobian[row, n] = 0.0
    while link > 0:
        n = column[link]
        if n >= 0:
            a, b, c = axes[link, 0], axes[link, 1], axes[link, 2]
            if table.slides[link]:
                jacobian[first, n] += a
                jacobian[first + 1, n] += b
                jacobian[first + 2, n] += c
            else:
                dx, dy, dz = x - origins[link, 0], y - origins[link, 1], z - origins[link, 2]
                jacobian[first, n] += b * dz - c * dy
                jacobian[first + 1, n] += c * dx - a * dz
                jacobian[first + 2, n] += a * dy - b * dx
                if turning:
                    jacobian[first + 3, n] += a
                    jacobian[first + 4, n] += b
                    jacobian[first + 5, n] += c
        link = table.parent[link]
    if floating:
        dx, dy, dz = x - origins[0, 0], y - origins[0, 1], z - origins[0, 2]
        _base_columns(jacobian, first, dx, dy, dz)
        if turning:
            for axis in range(3):
                jacobian[first + 3 + axis, 3 + axis] = 1.0


@inlined
def _base_columns(jacobian: Array, first: int, dx: float, dy: float, dz: float) -> None:
    for axis in range(3):
        jacobian[first + axis, axis] = 1.0
    jacobian[first, 4], jacobian[first, 5] = dz, -dy
    jacobian[first + 1, 3], jacobian[first + 1, 5] = -dz, dx
    jacobian[first + 2, 3], jacobian[first + 2, 4] = dy, -dx


@kernel
def mass_moments(table: TreeTable, origins: Array, turns: Array, moments: Array) -> None:
    """Mass and mass times centre of each link with all that it carries, into ``moments`` (nl, 4) [kg, kg m], world."""
    for row in range(len(table.parent)):
        x, y, z = point_of(origins, turns, row, table.centre[row])
        mass = table.mass[row]
        moments[row, 0] = mass
        moments[row, 1] = mass * x
        moments[row, 2] = mass * y
        moments[row, 3] = mass * z
    for row in range(len(table.parent) - 1, 0, -1):
        above = table.parent[row]
        for axis in range(4):
            moments[above, axis] += moments[row, axis]


@kernel
def com_columns(
    table: TreeTable,
    origins: Array,
    axes: Array,
    moments: Array,
    column: Index,
    floating: bool,
    jacobian: Array,
    first: int,
) -> None:
    """Write the Jacobian of the centre of mass into three rows from ``first`` on; ``moments`` are of `mass_moments`."""
    for row in range(first, first + 3):
        for n in range(jacobian.shape[1]):
            jacobian[row, n] = 0.0
    total = moments[0, 0]
    for link in range(1, len(table.parent)):
        n = column[link]
        if n < 0:
            continue
        mass = moments[link, 0]
        a, b, c = axes[link, 0] / total, axes[link, 1] / total, axes[link, 2] / total
        if table.slides[link]:
            jacobian[first, n] += mass * a
            jacobian[first + 1, n] += mass * b
            jacobian[first + 2, n] += mass * c
        else:
            dx = moments[link, 1] - mass * origins[link, 0]
            dy = moments[link, 2] - mass * origins[link, 1]
            dz = moments[link, 3] - mass * origins[link, 2]
            jacobian[first, n] += b * dz - c * dy
            jacobian[first + 1, n] += c * dx - a * dz
            jacobian[first + 2, n] += a * dy - b * dx
    if floating:
        dx, dy, dz = (
            moments[0, 1] / total - origins[0, 0],
            moments[0, 2] / total - origins[0, 1],
            moments[0, 3] / total - origins[0, 2],
        )
        _base_columns(jacobian, first, dx, dy, dz)
