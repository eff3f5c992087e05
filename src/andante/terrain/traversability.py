"""Traversability of the ground for a legged body: the filter chain of Quad-SDK's grid maps.

Holes are mended, the rest is smoothed; slope and roughness against the smooth ground give how well a foot stands, and
what is near a hole counts for nothing. Source: `quad_utils/config/filter_chain.yaml`. Apart from it: holes are told by
a mask or found as narrow pits (the original knows them as missing heights), are mended by a harmonic surface, and count
as holes whatever their depth; distances to holes and to footholds are kept, which say more than a share between 0 and
1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from andante.documents.quantities import NonNegative, PositiveAngle, PositiveLength, Share
from andante.documents.settings import Settings
from andante.spatial.arrays import Array, Flags
from andante.terrain.height_map import HeightMap, TerrainError

_FAR = 1e3
"""Distance to what is nowhere on the map [m]."""


class TraversabilitySettings(Settings):
    """The filter chain, for legs of 41 cm (Quad-SDK's Spirit); `scaled` fits it to another robot."""

    place: ClassVar[str] = "traversability"

    spacing: PositiveLength = 0.02
    """Distance of the nodes of the layers; a coarser map keeps its own [m]."""
    smooth: PositiveLength = 0.2
    """Radius of the mean that gives the smooth ground [m]."""
    normal: PositiveLength = 0.15
    """Radius of the planes whose tilt is the slope [m]."""
    smooth_normal: PositiveLength = 0.4
    """Radius of the planes on the smooth ground along which a body tilts [m]."""
    hole: PositiveLength = 0.075
    """Width of the square over which the hole mask is meaned [m]."""
    roughness: PositiveLength = 0.1
    """Distance from the smooth ground at which roughness leaves nothing of its half [m]."""
    slope: PositiveAngle = 0.4
    """Slope at which steepness leaves nothing of its half [rad]."""
    base: NonNegative = 0.02
    """Added before the hole mask, so that rough and steep ground is not a hole."""
    threshold: Share = 0.3
    """Traversability from which on a foot stands."""
    relief: PositiveLength = 0.08
    """Half width of the square whose highest minus lowest ground is the relief [m]."""
    pit_width: PositiveLength = 1.0
    """Pits narrower than this [m] count as holes ..."""
    pit_depth: PositiveLength = 0.3
    """... where they are deeper than this [m]."""


@dataclass(frozen=True, eq=False)
class Traversability:
    """The layers; each is (nx, ny) on the nodes of ``ground``."""

    ground: HeightMap
    """Heights without holes: what a hole's rim suggests stands for its inside [m]."""
    settings: TraversabilitySettings
    """How they were made."""
    holes: Flags
    """Nodes inside a hole."""
    smooth: Array
    """Smooth ground [m]."""
    normals: Array
    """Unit normals of the ground, (3, nx, ny)."""
    smooth_normals: Array
    """Unit normals of the smooth ground, (3, nx, ny)."""
    slope: Array
    """Angle of the ground's normal from upright [rad]."""
    roughness: Array
    """Distance of ground and smooth ground [m]."""
    hole_mask: Array
    """1 on ground, 0 in holes, between beside them."""
    traversability: Array
    """0 where nothing can stand, 1 on flat ground."""
    relief: Array
    """Highest minus lowest ground around each node [m]."""
    hole_distance: Array
    """Distance to the nearest node inside a hole [m]; 1 km where there is none."""
    foothold_distance: Array
    """Distance to the nearest node on which a foot stands [m]; 1 km where there is none."""

    @staticmethod
    def of(
        ground: HeightMap, settings: TraversabilitySettings | None = None, holes: Flags | None = None
    ) -> Traversability:
        """Compute all layers of a map.

        Args:
            ground: The ground.
            settings: The filter chain.
            holes: Nodes of ``ground`` that are known to be inside a hole, (nx, ny); deep, narrow pits are found anyway.

        Raises:
            TerrainError: The mask has another shape than the map, or everything is a hole.
        """
        from scipy import ndimage

        settings = settings or TraversabilitySettings()
        coarse, known = _resampled(ground, holes, settings.spacing)
        spacing = coarse.spacing
        inside = known | _pits(coarse, settings)
        if inside.all():
            raise TerrainError("a map of holes only has no traversability", value=coarse.heights.shape)
        z = _mended(coarse.heights, inside)
        smooth = _disc_mean(z, settings.smooth, spacing)
        normals = _normals(z, settings.normal, spacing)
        slope, roughness = np.arccos(np.minimum(normals[2], 1.0)), np.abs(z - smooth)
        window = 2 * round(0.5 * settings.hole / spacing) + 1
        mask = ndimage.uniform_filter((~inside).astype(np.float64), window, mode="nearest")
        even = 0.5 * (1.0 - roughness / settings.roughness) + 0.5 * (1.0 - slope / settings.slope)
        share = np.minimum((np.maximum(even, 0.0) + settings.base) * np.clip(mask, 0.0, 1.0), 1.0)
        share[inside] = 0.0
        reach = 2 * max(1, round(settings.relief / spacing)) + 1
        relief = ndimage.maximum_filter(z, reach, mode="nearest") - ndimage.minimum_filter(z, reach, mode="nearest")
        return Traversability(
            ground=HeightMap(z, coarse.origin, spacing),
            settings=settings,
            holes=inside,
            smooth=smooth,
            normals=normals,
            smooth_normals=_normals(smooth, settings.smooth_normal, spacing),
            slope=slope,
            roughness=roughness,
            hole_mask=mask,
            traversability=share,
            relief=relief,
            hole_distance=_distance(inside, spacing),
            foothold_distance=_distance(share >= settings.threshold, spacing),
        )


def _resampled(ground: HeightMap, holes: Flags | None, spacing: float) -> tuple[HeightMap, Flags]:
    """The map at a spacing, and the holes there: every new node within one old node of a hole belongs to it."""
    known = np.zeros(ground.heights.shape, dtype=np.bool_) if holes is None else np.asarray(holes, dtype=np.bool_)
    if known.shape != ground.heights.shape:
        raise TerrainError(
            "the mask of holes is not of the map's shape", value=known.shape, limit=str(ground.heights.shape)
        )
    stride = round(spacing / ground.spacing)
    if stride <= 1:
        return ground, known
    low_x, high_x, low_y, high_y = ground.extent
    wide = ground.spacing * stride
    counts = [math.floor((high - low) / wide + 1e-9) + 1 for low, high in ((low_x, high_x), (low_y, high_y))]
    if min(counts) < 2:
        return ground, known
    picked = tuple(np.arange(count) * stride for count in counts)
    return HeightMap(ground.heights[np.ix_(*picked)], ground.origin, wide), known[np.ix_(*picked)]


def _pits(ground: HeightMap, settings: TraversabilitySettings) -> Flags:
    """Nodes that a closing by a square lifts: pits narrower than it."""
    from scipy import ndimage

    size = 2 * max(1, round(0.5 * settings.pit_width / ground.spacing)) + 1
    # Beyond the rim the ground goes on as its outermost nodes, so that a trench across the map is closed up to its
    # ends.
    padded = np.pad(ground.heights, size, mode="edge")
    closed = ndimage.minimum_filter(ndimage.maximum_filter(padded, size), size)[size:-size, size:-size]
    return np.asarray(closed - ground.heights > settings.pit_depth)


def _mended(heights: Array, holes: Flags) -> Array:
    """Heights with holes filled by the harmonic surface (Laplace's equation on the grid) through their rims."""
    if not holes.any():
        return heights.copy()
    from scipy import sparse
    from scipy.sparse.linalg import spsolve

    number = np.full(heights.shape, -1, dtype=np.int64)
    count = int(holes.sum())
    number[holes] = np.arange(count)
    right, diagonal = np.zeros(count), np.zeros(count)
    rows, columns = [np.arange(count)], [np.arange(count)]
    for axis in (0, 1):
        for shift in (1, -1):
            inner = np.moveaxis(holes, axis, 0)[::shift]
            ids, z = np.moveaxis(number, axis, 0)[::shift], np.moveaxis(heights, axis, 0)[::shift]
            here, beside = inner[:-1], ids[1:]
            at, next_to, height = ids[:-1][here], beside[here], z[1:][here]
            diagonal[at] += 1.0
            known = next_to < 0
            right[at[known]] += height[known]
            rows.append(at[~known])
            columns.append(next_to[~known])
    values = np.concatenate([diagonal, np.full(sum(map(len, rows)) - count, -1.0)])
    matrix = sparse.csc_matrix((values, (np.concatenate(rows), np.concatenate(columns))), shape=(count, count))
    mended = heights.copy()
    mended[holes] = spsolve(matrix, right)
    return mended


def _disc(radius: float, spacing: float) -> tuple[Array, int]:
    """Which nodes around one lie within a radius, (2 n + 1, 2 n + 1), and n, at least 1."""
    reach = max(1, math.floor(radius / spacing + 1e-9))
    steps = np.arange(-reach, reach + 1)
    inside = np.add.outer(steps**2, steps**2) <= max(radius / spacing, 1.0) ** 2 + 1e-9
    return inside.astype(np.float64), reach


def _disc_mean(z: Array, radius: float, spacing: float) -> Array:
    disc, _ = _disc(radius, spacing)
    level = float(z.mean())
    return _correlated(z - level, disc / disc.sum()) + level


def _normals(z: Array, radius: float, spacing: float) -> Array:
    """Unit normals of the planes of least squares through the nodes within a radius, (3, nx, ny)."""
    disc, reach = _disc(radius, spacing)
    steps = np.arange(-reach, reach + 1) * spacing
    along = disc * steps[:, None]
    square = float((along * steps[:, None]).sum())
    shifted = z - float(z.mean())
    rise_x, rise_y = _correlated(shifted, along / square), _correlated(shifted, along.T / square)
    length = np.sqrt(1.0 + rise_x**2 + rise_y**2)
    return np.stack([-rise_x / length, -rise_y / length, 1.0 / length])


def _correlated(z: Array, weights: Array) -> Array:
    """A correlation with a window; beyond the rim the ground goes on as its outermost nodes."""
    from scipy import ndimage

    return np.asarray(ndimage.correlate(z, weights, mode="nearest"))


def _distance(places: Flags, spacing: float) -> Array:
    from scipy import ndimage

    if not places.any():
        return np.full(places.shape, _FAR)
    return np.asarray(ndimage.distance_transform_edt(~places) * spacing)
