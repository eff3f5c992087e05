"""Static balance of many postures at once: how far inside the support each of them has its centre of mass.

Asked posture by posture, a robot on two soles takes a third of a millisecond: a library of 10,000 keyframes would take
minutes. Here MuJoCo places the bodies of a chunk of postures, and the rest is arithmetic on whole arrays. The margins
are found to within 2 mm (`hull_margins`) and tell which postures are worth asking about one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.forward import Kinematics
from andante.spatial.arrays import Array, Flags

PARALLEL = 0.02
"""Largest angle between soles that lie flat together [rad]."""
LEVEL = 0.005
"""Largest distance of soles that lie flat together from one plane [m]."""
CLEAR = 0.01
"""Height over the ground from which the rest of the robot certainly does not carry it [m]."""

_CHUNK = 256
_DIRECTIONS = 128
_FEW = 4
_FLAT = 1e-6
_ROUNDING = 1e-15


class BodyPlaces:
    """Where the bodies of a chunk of postures are, in the frame of the robot's base.

    Args:
        kinematics: Scratch of the robot.
        postures: Joint positions, (n, nj) [rad].
    """

    def __init__(self, kinematics: Kinematics, postures: Array) -> None:
        self.kinematics = kinematics
        model, data, count = kinematics.model, kinematics.data, len(postures)
        sites = [int(model.site(foot.site).id) for foot in kinematics.robot.feet]
        self.com: Array = np.empty((count, 3))
        """Centre of mass, (n, 3) [m]."""
        self.site: Array = np.empty((count, len(sites), 3))
        """Feet's sites, (n, nf, 3) [m]."""
        self.turn: Array = np.empty((count, len(sites), 9))
        """Feet's rotation matrices, (n, nf, 9)."""
        self.geom: Array = np.empty((count, model.ngeom, 3))
        """Geoms, (n, ng, 3) [m]."""
        self.geom_turn: Array = np.empty((count, model.ngeom, 9))
        """Geoms' rotation matrices, (n, ng, 9)."""
        com = data.subtree_com[kinematics.base]
        for row, joints in enumerate(postures):
            kinematics.update(joints)
            self.com[row] = com
            self.site[row] = data.site_xpos[sites]
            self.turn[row] = data.site_xmat[sites]
            self.geom[row] = data.geom_xpos
            self.geom_turn[row] = data.geom_xmat

    def lowest_other(
        self, rows: NDArray[np.intp], bodies: Sequence[str], up: Array, *, collides: bool = False
    ) -> Array:
        """Height along ``up``, (m, 3), of the lowest box around a geom of none of the bodies, (m,) [m].

        As `andante.kinematics.support.lowest_other` for each of some postures, (m,).
        """
        model = self.kinematics.model
        carriers = [0, *(model.body(body).id for body in bodies)]
        others = ~np.isin(model.geom_bodyid, carriers)
        if collides:
            others &= model.geom_contype != 0
        if not others.any():
            return np.full(len(up), np.inf)
        boxes, which = model.geom_aabb[others], np.ix_(rows, np.flatnonzero(others))
        turns = self.geom_turn[which].reshape(len(rows), -1, 3, 3)
        axes = np.matmul(up[:, None, None, :], turns)[:, :, 0, :]
        middles = np.matmul(self.geom[which], up[:, :, None])[..., 0] + (axes * boxes[:, :3]).sum(axis=-1)
        return np.asarray((middles - (np.abs(axes) * boxes[:, 3:]).sum(axis=-1)).min(axis=1))


def flat_margins(kinematics: Kinematics, postures: Array) -> Array:
    """About the static margin of each posture over the soles that stand flat, (n,) [m]; NaN where none are judged.

    Judged are postures on one sole, or on all in one plane, with all other parts clear of that plane.

    Args:
        kinematics: Scratch of the robot; at least one of its feet has an outline.
        postures: Joint positions, (n, nj) [rad].
    """
    return _chunked(_flat_margins, kinematics, postures)


def ball_margins(kinematics: Kinematics, postures: Array, within: float = 0.003) -> Array:
    """About the static margin of each posture on ball feet, (n,) [m]; NaN where something else touches the ground.

    As `andante.kinematics.support.resting`: the rest with the largest margin counts.
    """
    return _chunked(lambda places: _ball_margins(places, within), kinematics, postures)


def hull_margins(points: Array, used: Flags, spot: Array) -> Array:
    """Distance of spots to the edge of the convex hull of their points, (n,) [m]: above zero inside, below outside.

    Of more than four points the hull is that of those which are the farthest in one of 128 directions: inside the true
    one by up to 2 mm for round soles of 0.2 m, so that a margin is never told too large.

    Args:
        points: Points in the plane, (n, p, 2) [m].
        used: Which of them count, (n, p), one at least in each row.
        spot: (n, 2) [m].
    """
    if 2 <= points.shape[1] <= _FEW:
        corners, edge, real = _edges_of_few(points, used)
    else:
        angles = np.arange(_DIRECTIONS) * (2.0 * math.pi / _DIRECTIONS)
        far = np.where(used[..., None], points @ np.stack([np.cos(angles), np.sin(angles)]), -np.inf)
        corners = np.take_along_axis(points, far.argmax(axis=1)[..., None], axis=1)
        edge = np.roll(corners, -1, axis=1) - corners
        real = np.ones(edge.shape[:2], dtype=bool)
    offset = spot[:, None, :] - corners
    length2 = (edge * edge).sum(axis=-1)
    along = (offset * edge).sum(axis=-1) / np.where(length2 > 0.0, length2, 1.0)
    nearest = offset - np.clip(along, 0.0, 1.0)[..., None] * edge
    distance = np.sqrt(np.where(real, (nearest * nearest).sum(axis=-1), np.inf).min(axis=1))
    left = edge[..., 0] * offset[..., 1] - edge[..., 1] * offset[..., 0]
    wide = (real & (length2 > 0.0)).sum(axis=1) > 2
    return np.asarray(np.where(np.all((left >= 0.0) | ~real, axis=1) & wide, distance, -distance))


def _edges_of_few(points: Array, used: Flags) -> tuple[Array, Array, Flags]:
    """All ways from one of few points to another, (n, k, 2) each: starts, ways, and which are edges of the hull."""
    pairs = np.array(list(permutations(range(points.shape[1]), 2)))
    starts = points[:, pairs[:, 0]]
    ways = points[:, pairs[:, 1]] - starts
    offset = points[:, None, :, :] - starts[:, :, None, :]
    left = ways[..., None, 0] * offset[..., 1] - ways[..., None, 1] * offset[..., 0]
    real = used[:, pairs[:, 0]] & used[:, pairs[:, 1]] & np.all((left >= -_ROUNDING) | ~used[:, None, :], axis=2)
    return starts, ways, real


def _chunked(margins: Callable[[BodyPlaces], Array], kinematics: Kinematics, postures: Array) -> Array:
    found = [margins(BodyPlaces(kinematics, postures[at : at + _CHUNK])) for at in range(0, len(postures), _CHUNK)]
    return np.concatenate(found) if found else np.empty(0)


def _flat_margins(places: BodyPlaces) -> Array:
    feet = places.kinematics.robot.feet
    flat = [number for number, foot in enumerate(feet) if foot.outline]
    best = np.full(len(places.com), -np.inf)
    across = places.turn.reshape(len(best), len(feet), 3, 3)[..., :2].swapaxes(2, 3)
    outlines = {
        number: places.site[:, None, number] + np.array(feet[number].outline) @ across[:, number] for number in flat
    }
    for group in ([flat] if len(flat) > 1 else []) + [[number] for number in flat]:
        normals = places.turn[:, group, 2::3]
        up = normals.mean(axis=1)
        up /= np.maximum(np.linalg.norm(up, axis=1, keepdims=True), _FLAT)
        good = np.all(np.einsum("nfi,ni->nf", normals, up) >= math.cos(PARALLEL), axis=1)
        points = np.concatenate([outlines[number] for number in group], axis=1)
        heights = np.matmul(points, up[:, :, None])[..., 0]
        good &= np.ptp(heights, axis=1) <= LEVEL
        rows = np.flatnonzero(good)
        if not len(rows):
            continue
        lowest = places.lowest_other(rows, [feet[number].body for number in group], up[rows])
        rows = rows[lowest >= heights[rows].min(axis=1) + CLEAR]
        plane = _plane(up[rows])
        spots = np.einsum("ni,nij->nj", places.com[rows], plane)
        flatly = points[rows] @ plane
        best[rows] = np.maximum(best[rows], hull_margins(flatly, np.ones(flatly.shape[:2], dtype=bool), spots))
    return np.where(np.isfinite(best), best, np.nan)


def _ball_margins(places: BodyPlaces, within: float) -> Array:
    feet = places.kinematics.robot.feet
    count, centers = len(places.com), places.site
    best, clear = np.full(count, -np.inf), np.full(count, np.nan)
    radius = max((foot.radius for foot in feet), default=0.0)
    for triple in combinations(range(len(feet)), 3):
        a, b, c = (centers[:, number] for number in triple)
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal, axis=1)
        up = normal / np.maximum(length, _FLAT)[:, None]
        up *= np.where(np.einsum("ni,ni->n", up, places.com - a) < 0.0, -1.0, 1.0)[:, None]
        heights = np.einsum("nfi,ni->nf", centers - a[:, None], up)
        rows = np.flatnonzero((length >= _FLAT) & (heights.min(axis=1) >= -within))
        if not len(rows):
            continue
        plane = _plane(up[rows])
        spots = np.einsum("ni,nij->nj", places.com[rows], plane)
        margin = hull_margins(centers[rows] @ plane, heights[rows] <= within, spots)
        lowest = places.lowest_other(rows, [foot.body for foot in feet], up[rows], collides=True)
        ground = np.einsum("ni,ni->n", a[rows], up[rows]) - radius
        better = margin > best[rows]
        best[rows[better]] = margin[better]
        clear[rows[better]] = (lowest - ground)[better]
    return np.where(clear >= 0.0, best, np.nan)


def _plane(up: Array) -> Array:
    """Two axes at right angles to each other and to ``up`` (n, 3), counter-clockwise seen from above, (n, 3, 2)."""
    helper = np.where(np.abs(up[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = helper - np.einsum("ni,ni->n", helper, up)[:, None] * up
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([first, np.cross(up, first)], axis=-1)
