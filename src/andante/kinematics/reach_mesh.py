"""The surface of a reachable volume as triangles, for 3-D views.

Naive surface nets: each grid edge with one end inside is cut where the closed form says (by bisection, so that the
surface is exact and not as coarse as the grid), each cell with cuts gets one vertex at their mean, and each cut edge
the four-sided face between its four cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import REACHABLE, ReachVolume, Stance, reach_codes
from andante.spatial.arrays import Array, Flags, Index

_HALVINGS = 8


@dataclass(frozen=True, eq=False)
class ReachMesh:
    """Triangles around a reachable volume."""

    vertices: Array
    """Corners, (nv, 3) [m]."""
    triangles: Index
    """Corner numbers, (nt, 3), counter-clockwise seen from outside."""
    codes: NDArray[np.uint8]
    """What limits the volume at each triangle, (nt,); see `andante.kinematics.reach.limit_of`."""


def reach_mesh(body: LeggedBody, stance: Stance, volume: ReachVolume) -> ReachMesh:
    """The surface of a volume of one stance."""
    codes = np.pad(volume.codes, 1, constant_values=1)
    inside = codes == REACHABLE
    first = volume.first - 1
    sums = np.zeros((*(size - 1 for size in inside.shape), 3))
    counts = np.zeros(sums.shape[:3])
    faces: list[tuple[int, Index, Flags, NDArray[np.uint8]]] = []
    for axis in range(3):
        low = tuple(slice(0, -1) if k == axis else slice(None) for k in range(3))
        high = tuple(slice(1, None) if k == axis else slice(None) for k in range(3))
        edges = np.argwhere(inside[low] != inside[high])
        starts_inside = inside[low][tuple(edges.T)]
        cut = _cuts(body, stance, np.asarray((edges + first) * volume.spacing), axis, volume.spacing, starts_inside)
        outer = np.where(starts_inside, codes[high][tuple(edges.T)], codes[low][tuple(edges.T)])
        faces.append((axis, edges, starts_inside, outer))
        for da in (0, 1):
            for db in (0, 1):
                cell = edges.copy()
                cell[:, (axis + 1) % 3] -= da
                cell[:, (axis + 2) % 3] -= db
                np.add.at(sums, tuple(cell.T), cut)
                np.add.at(counts, tuple(cell.T), 1.0)
    used = counts > 0.0
    number = np.cumsum(used.ravel()).reshape(used.shape) - 1
    vertices = sums[used] / counts[used][:, None]
    triangles, limits = [], []
    for axis, edges, starts_inside, outer in faces:
        a, b = (axis + 1) % 3, (axis + 2) % 3
        ring = []
        for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
            cell = edges.copy()
            cell[:, a] -= da
            cell[:, b] -= db
            ring.append(number[tuple(cell.T)])
        # The ring turns counter-clockwise about the edge; outside is at the edge's end where its start is inside.
        quad = np.where(starts_inside[:, None], np.stack(ring, axis=-1), np.stack(ring[::-1], axis=-1))
        triangles += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
        limits += [outer, outer]
    return ReachMesh(vertices, np.concatenate(triangles), np.concatenate(limits))


def _cuts(body: LeggedBody, stance: Stance, starts: Array, axis: int, spacing: float, starts_inside: Flags) -> Array:
    """Where edges from ``starts`` along an axis leave the volume, (n, 3) [m]."""
    near, far = np.zeros(len(starts)), np.full(len(starts), spacing)
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        places = starts.copy()
        places[:, axis] += middle
        same = (reach_codes(body, stance, places) == REACHABLE) == starts_inside
        near, far = np.where(same, middle, near), np.where(same, far, middle)
    cut = starts.copy()
    cut[:, axis] += 0.5 * (near + far)
    return cut
