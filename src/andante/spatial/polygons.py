"""Convex polygons in the plane: hull, area and signed distance.

A polygon is an array (n, 2) of corners, counter-clockwise, without repeating the first. Fewer than three corners are
allowed where a support region can shrink to an edge or a point; such a polygon has no inside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.spatial.arrays import Array


class PolygonError(AndanteError):
    """Points that make no polygon: wrong shape, not finite, or none at all."""


def convex_hull(points: ArrayLike) -> Array:
    """The corners (m, 2) of the convex hull of points (n, 2), counter-clockwise from the leftmost lowest point.

    Points on an edge are left out; coinciding points give one corner, collinear points two. Monotone chain (Andrew,
    Information Processing Letters 9 (5), 1979).

    Raises:
        PolygonError: No points, or not finite.
    """
    ordered = sorted({(x + 0.0, y + 0.0) for x, y in _points(points).tolist()})
    if len(ordered) <= 2:
        return np.array(ordered)
    lower = _chain(ordered)
    upper = _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def area(polygon: ArrayLike) -> float:
    """The area [m^2]; negative for clockwise corners, 0 below three corners."""
    p = _points(polygon)
    # Corners relative to the first keep the digits of a small polygon far from the origin.
    x, y = (p - p[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def signed_distance(polygon: ArrayLike, points: ArrayLike) -> Array:
    """Distance (...) [m] of points (..., 2) to the edge of a convex polygon: above zero inside, below zero outside.

    With the centre of mass as point this is the static stability margin. Below three corners no point is inside.

    Raises:
        PolygonError: The polygon has no corners or wrong shapes.
    """
    return _signed(_points(polygon), _in_plane(points))


def signed_distances(polygons: Sequence[Array], points: ArrayLike) -> Array:
    """`signed_distance` of one point to each of many polygons, (n,) [m].

    Args:
        polygons: The polygons.
        points: A point for each, (n, 2) [m].

    Raises:
        PolygonError: A polygon has no corners or wrong shapes.
    """
    p = _in_plane(points)
    counts = np.array([len(polygon) for polygon in polygons], dtype=np.intp)
    found = np.empty(len(counts))
    for count in set(counts.tolist()):
        rows = counts == count
        alike = [_points(polygon) for polygon in polygons if len(polygon) == count]
        found[rows] = _signed(np.array(alike), p[rows])
    return found


def _signed(corners: Array, p: Array) -> Array:
    """Distances of points (..., 2) to one polygon (n, 2), or each to its own (..., n, 2)."""
    edge = np.roll(corners, -1, axis=-2) - corners
    offset = p[..., None, :] - corners
    length2 = np.sum(edge * edge, axis=-1)
    along = np.sum(offset * edge, axis=-1) / np.where(length2 > 0.0, length2, 1.0)
    nearest = offset - np.clip(along, 0.0, 1.0)[..., None] * edge
    distance = np.sqrt(np.min(np.sum(nearest * nearest, axis=-1), axis=-1))
    if corners.shape[-2] < 3:
        return np.asarray(-distance)
    left_of = edge[..., 0] * offset[..., 1] - edge[..., 1] * offset[..., 0]
    return np.asarray(np.where(np.all(left_of >= 0.0, axis=-1), distance, -distance))


def _chain(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for point in ordered:
        while len(chain) >= 2 and _cross(chain[-2], chain[-1], point) <= 0.0:
            chain.pop()
        chain.append(point)
    return chain


def _cross(origin: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0])


def _in_plane(points: ArrayLike) -> Array:
    p = np.asarray(points, dtype=np.float64)
    if p.ndim == 0 or p.shape[-1] != 2:
        raise PolygonError("a point in the plane has two numbers", value=p.shape, limit="(..., 2)")
    return p


def _points(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) == 0:
        raise PolygonError("points in the plane are needed", value=array.shape, limit="(n, 2), n >= 1")
    if not np.isfinite(array).all():
        raise PolygonError("points must be finite", value=array[~np.isfinite(array).all(axis=1)][0].tolist())
    return array
