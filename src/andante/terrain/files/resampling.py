"""Rasters of any axes put on a square grid along x and y."""

from __future__ import annotations

import math

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import Raster, square
from andante.terrain.files.limits import grid_size
from andante.terrain.height_map import TerrainError

_SAME = 0.01
"""Share of a step by which the last node may be off for a grid to count as square and along the axes."""
_BLOCK = 250_000
"""Nodes that are worked on at once."""


def turned(angle: float) -> Array:
    """The matrix that turns places from x towards y, (2, 2)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s], [s, c]])


def on_axes(raster: Raster, steps: Array, resolution: float | None, place: str) -> tuple[Raster, float]:
    """The raster with its first index along x and its second along y, and its one spacing [m].

    Axes that are swapped or run backwards are put right without changing a height. What is turned, sheared or has cells
    that are not square, or another spacing than asked for, is resampled: bilinear among the known nodes around a place,
    unknown where the nearest one is, and averaged over the new spacing first where that is wider by half or more.

    Args:
        raster: The raster.
        steps: Its steps, (2, 2) [m].
        resolution: Spacing of the grid that is made [m]; None: the shorter of the steps.
        place: The file.

    Raises:
        TerrainError: The axes span no plane, or the grid would be too large or too small.
    """
    lengths = np.hypot(*steps)
    if not (np.isfinite(steps).all() and np.isfinite(raster.first).all() and lengths.min() > 0.0):
        raise TerrainError("the steps of a grid must be finite and not zero", place=place, value=steps.tolist())
    if abs(float(np.linalg.det(steps))) < 0.01 * float(lengths.prod()):
        raise TerrainError("the axes of the grid are parallel", place=place, value=steps.tolist())
    upright = _upright(raster, steps)
    asked = resolution if resolution is not None else float(lengths.min())
    if upright is not None:
        found, spacing = upright
        if resolution is None or abs(spacing - asked) * max(found.heights.shape) < _SAME * spacing:
            return found, spacing
    return _resampled(raster, steps, asked, place), asked


def _upright(raster: Raster, steps: Array) -> tuple[Raster, float] | None:
    """The raster with axes swapped and reversed until they run along x and y, and its spacing; None: they do not, or
    not squarely."""
    heights, variance = raster.heights, raster.variance
    first = np.array(raster.first)
    if abs(steps[0, 0]) < abs(steps[1, 0]):
        heights, variance, steps = heights.T, None if variance is None else variance.T, steps[:, ::-1]
    for axis in (0, 1):
        if steps[axis, axis] < 0.0:
            first = first + steps[:, axis] * (heights.shape[axis] - 1)
            heights = np.flip(heights, axis)
            variance = None if variance is None else np.flip(variance, axis)
            steps = steps * np.where(np.arange(2) == axis, -1.0, 1.0)
    spacing = float(np.mean(np.diag(steps)))
    if np.abs(steps - square(spacing)).max() * max(heights.shape) > _SAME * spacing:
        return None
    place = (float(first[0]), float(first[1]))
    return Raster(heights, square(spacing), place, variance, raster.metres, raster.notes), spacing


def _resampled(raster: Raster, steps: Array, spacing: float, place: str) -> Raster:
    first = np.array(raster.first)
    n, m = raster.heights.shape
    corners = np.array([(0, 0), (n - 1, 0), (0, m - 1), (n - 1, m - 1)]) @ steps.T + first
    low, high = corners.min(axis=0), corners.max(axis=0)
    shape = np.floor((high - low) / spacing + 1e-6) + 1.0
    nx, ny = grid_size(shape, "the grid does not fit the resolution", place, high - low, spacing)
    heights, variance = raster.heights, raster.variance
    wide = spacing / np.hypot(*steps)
    if wide.min() >= 1.5:
        heights, variance = _averaged(heights, wide), None if variance is None else _averaged(variance, wide)
    back = np.linalg.inv(steps)
    found = np.empty((nx, ny))
    spread = None if variance is None else np.empty((nx, ny))
    y = low[1] + spacing * np.arange(ny)
    rows = max(1, _BLOCK // ny)
    for start in range(0, nx, rows):
        x = low[0] + spacing * np.arange(start, min(start + rows, nx))
        u, v = np.tensordot(back, np.stack(np.meshgrid(x, y, indexing="ij")) - first[:, None, None], 1)
        found[start : start + rows] = _bilinear(heights, u, v)
        if variance is not None and spread is not None:
            spread[start : start + rows] = _bilinear(variance, u, v)
    note = f"resampled to {1e3 * spacing:.4g} mm along x and y"
    return Raster(found, square(spacing), (float(low[0]), float(low[1])), spread, raster.metres, (*raster.notes, note))


def _bilinear(values: Array, u: Array, v: Array) -> Array:
    """Values at rows ``u`` and columns ``v``; NaN off the grid and where the nearest node is NaN."""
    n, m = values.shape
    off = (u < -0.5) | (u > n - 0.5) | (v < -0.5) | (v > m - 0.5)
    u, v = np.clip(u, 0.0, n - 1.0), np.clip(v, 0.0, m - 1.0)
    i, j = np.minimum(u.astype(np.intp), n - 2), np.minimum(v.astype(np.intp), m - 2)
    a, b = u - i, v - j
    total, weight = np.zeros(u.shape), np.zeros(u.shape)
    for di, share in ((0, 1.0 - a), (1, a)):
        for dj, part in ((0, 1.0 - b), (1, b)):
            each = values[i + di, j + dj]
            known = ~np.isnan(each)
            total += np.where(known, share * part * each, 0.0)
            weight += np.where(known, share * part, 0.0)
    nearest = values[np.round(u).astype(np.intp), np.round(v).astype(np.intp)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(off | np.isnan(nearest), np.nan, total / weight)


def _averaged(values: Array, wide: Array) -> Array:
    """Means of the known values over ``wide`` nodes along each index."""
    from scipy import ndimage

    size = [max(1, round(float(each))) for each in wide]
    known = ~np.isnan(values)
    share = ndimage.uniform_filter(known.astype(np.float64), size, mode="nearest")
    total = ndimage.uniform_filter(np.where(known, values, 0.0), size, mode="nearest")
    # A filter leaves rounding where nothing is known.
    some = share > 0.5 / math.prod(size)
    return np.where(some, total / np.where(some, share, 1.0), np.nan)
