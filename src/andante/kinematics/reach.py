"""Where the body can be while its feet stay where they are: the reachable volume of a stance, exact and fast.

A position counts when every foot of the stance has inverse kinematics on its leg's branch within all limits. The test
is a closed form without trigonometry (`leg_kernels.obstacle`), so a grid of a hundred thousand positions is a matter of
milliseconds and a plot can follow the mouse.

The volume's surface as triangles is found by naive surface nets: each grid edge with one end inside is cut where the
closed form says (by bisection, so that the surface is exact and not as coarse as the grid), each cell with cuts gets
one vertex at their mean, and each cut edge the four-sided face between its four cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.kernels import entry, kernel
from andante.kinematics.leg_kernels import SPAN, obstacle
from andante.kinematics.leg_table import LeggedBody, LegTable, StanceError, checked_stance
from andante.spatial.arrays import Array, Array2, Codes1, Codes3, Flags, Flags1, Index, Index1, Index2
from andante.spatial.rotation_kernels import seen_from

Codes = NDArray[np.uint8]

REACHABLE = 0
"""Code of a position that all feet reach."""
_CAUSES = 4
_MOST_CELLS = 200_000_000


class Limit(NamedTuple):
    """What keeps a foot from its place."""

    foot: str
    """Name of the foot."""
    joint: str
    """Name of the joint at its limit; the knee where the leg is too short."""
    too_far: bool
    """Whether even the stretched leg is too short; else a joint's limit is in the way."""


class Stance(NamedTuple):
    """Feet on their places and the body's orientation; the question is where the body may be."""

    feet: Array2
    """Centres of the feet in the world, (nl, 3) [m]."""
    rotation: Array2
    """Rotation of the base, (3, 3)."""
    carries: Flags1
    """Feet that must be reached, (nl,); a foot in the air may be left out."""

    @staticmethod
    def of(body: LeggedBody, feet: Array, rotation: Array | None = None, without: Sequence[str] = ()) -> Stance:
        """A checked stance; ``without`` names feet that need not be reached.

        Raises:
            StanceError: Wrong shapes, values that are not finite, an unknown foot, or no foot left.
        """
        places, turn = checked_stance(body, feet, rotation)
        carries = np.ones(len(places), dtype=np.bool_)
        carries[[body.index(name) for name in without]] = False
        if not carries.any():
            raise StanceError("a stance needs at least one foot", value=list(without))
        return Stance(places, turn, carries)


@dataclass(frozen=True, eq=False)
class ReachVolume:
    """The reachable positions of a stance on a grid whose nodes are whole multiples of its spacing in the world."""

    first: Index
    """Node of the first corner, (3,), in spacings from the world's origin."""
    spacing: float
    """Distance of neighbouring nodes [m]."""
    codes: Codes
    """Per node `REACHABLE`, or 1 + 4 leg + cause of the first leg in the way, (nx, ny, nz)."""

    @property
    def mask(self) -> Flags:
        """Reachable nodes, (nx, ny, nz)."""
        return np.asarray(self.codes == REACHABLE)

    @property
    def volume(self) -> float:
        """Number of reachable nodes times a cell's volume [m^3]."""
        return float(np.count_nonzero(self.codes == REACHABLE)) * self.spacing**3

    @property
    def origin(self) -> Array:
        """Place of the first node, (3,) [m]."""
        return np.asarray(self.first * self.spacing)

    def positions(self) -> Array:
        """Reachable positions, (n, 3) [m]."""
        return np.asarray((np.argwhere(self.mask) + self.first) * self.spacing)

    def rim(self) -> Array:
        """Positions just outside the volume, (n, 3) [m]."""
        from scipy.ndimage import binary_dilation

        edge = binary_dilation(self.mask) & ~self.mask
        return np.asarray((np.argwhere(edge) + self.first) * self.spacing)


def reach_codes(body: LeggedBody, stance: Stance, positions: ArrayLike) -> Codes:
    """What is in the way of the body at positions (n, 3) [m]: codes (n,) as in `ReachVolume`; see `limit_of`."""
    places = np.ascontiguousarray(positions, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3:
        raise StanceError("positions are rows of three numbers", value=places.shape, limit="(n, 3)")
    codes = np.empty(len(places), dtype=np.uint8)
    _fill_list(body.table, stance, places, codes)
    return codes


def edge_limits(body: LeggedBody, stance: Stance, volume: ReachVolume) -> dict[Limit, float]:
    """Share of a volume's edge that each limit cuts off, largest first; legs in the way of one place share it."""
    rim = volume.rim()
    causes = np.empty((len(rim), len(body.legs)), dtype=np.int64)
    _fill_causes(body.table, stance, np.ascontiguousarray(rim), causes)
    weight = 1.0 / np.maximum(np.count_nonzero(causes >= 0, axis=1), 1) / max(len(rim), 1)
    shares = {
        limit_of(body, 1 + _CAUSES * leg + cause): float(weight[causes[:, leg] == cause].sum())
        for leg in range(len(body.legs))
        for cause in range(_CAUSES)
    }
    return dict(sorted(((key, share) for key, share in shares.items() if share > 0.0), key=lambda each: -each[1]))


def limit_of(body: LeggedBody, code: int) -> Limit:
    """What a code other than `REACHABLE` stands for."""
    leg, cause = divmod(code - 1, _CAUSES)
    return Limit(body.legs[leg].name, body.legs[leg].joints[min(cause, 2)], cause == SPAN)


def reach_volume(body: LeggedBody, stance: Stance, spacing: float = 0.005) -> ReachVolume:
    """The reachable volume of a stance on a grid.

    Args:
        body: The robot.
        stance: The stance.
        spacing: Distance of neighbouring nodes [m].

    Raises:
        StanceError: The spacing is not above zero, or the grid is too large.
    """
    if not (math.isfinite(spacing) and spacing > 0.0):
        raise StanceError("the spacing of a grid must be above zero", value=spacing)
    least, most = _bounds(body, stance)
    first = np.floor(least / spacing).astype(np.int64)
    shape = np.maximum(np.ceil(most / spacing).astype(np.int64) - first + 1, 0)
    if float(np.prod(shape.astype(np.float64))) > _MOST_CELLS:
        raise StanceError("the grid is too large", value=shape.tolist(), limit=f"{_MOST_CELLS} nodes")
    codes = np.empty(tuple(shape), dtype=np.uint8)
    _fill_grid(body.table, stance, first, spacing, codes)
    return ReachVolume(first, spacing, codes)


def _bounds(body: LeggedBody, stance: Stance) -> tuple[Array, Array]:
    """A box that holds every reachable position: around each foot no farther than its leg is long."""
    table = body.table
    sideways = np.linalg.norm(table.offset[:, [0, 2]], axis=1) + np.abs(table.lateral)
    reach = sideways + np.sqrt(table.reach2[:, 1])
    middle = stance.feet - table.hip @ stance.rotation.T
    used = stance.carries
    return (middle - reach[:, None])[used].max(axis=0), (middle + reach[:, None])[used].min(axis=0)


@kernel
def _code(table: LegTable, stance: Stance, x: float, y: float, z: float) -> int:
    for leg in range(len(stance.feet)):
        if not stance.carries[leg]:
            continue
        in_x, in_y, in_z = seen_from((x, y, z), stance.rotation, stance.feet[leg])
        cause = obstacle(table, leg, in_x, in_y, in_z)
        if cause >= 0:
            return 1 + 4 * leg + cause
    return 0


@entry
def _fill_causes(table: LegTable, stance: Stance, positions: Array2, causes: Index2) -> None:
    for row in range(len(positions)):
        for leg in range(len(stance.feet)):
            x, y, z = seen_from(positions[row], stance.rotation, stance.feet[leg])
            causes[row, leg] = obstacle(table, leg, x, y, z) if stance.carries[leg] else -1


@entry
def _fill_list(table: LegTable, stance: Stance, positions: Array2, codes: Codes1) -> None:
    for row in range(len(positions)):
        codes[row] = _code(table, stance, positions[row, 0], positions[row, 1], positions[row, 2])


@entry
def _fill_grid(table: LegTable, stance: Stance, first: Index1, spacing: float, codes: Codes3) -> None:
    for i in range(codes.shape[0]):
        x = (first[0] + i) * spacing
        for j in range(codes.shape[1]):
            y = (first[1] + j) * spacing
            for k in range(codes.shape[2]):
                codes[i, j, k] = _code(table, stance, x, y, (first[2] + k) * spacing)


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
