"""Clouds gridded part by part: in some readings of the file, with the points of some cells in memory at a time.

What comes out is what `andante.terrain.files.cloud.grid_points` makes of all points at once, bit by bit. Only the first
node of a jittered grid of more than 40,000 points may lie some rounding errors, less than a nanometre, beside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

import numpy as np

from andante.spatial.arrays import Array, Index
from andante.terrain.files.cloud import enough_nodes, enough_points, refuse_far, without_place
from andante.terrain.files.cloud_cells import CellHeights
from andante.terrain.files.cloud_findings import stride_of_findings
from andante.terrain.files.cloud_grids import TOGETHER, AxisGrid, CloudGrid, axis_grid, cells_for
from andante.terrain.files.cloud_source import CloudParts, scratch
from andante.terrain.files.found import Raster
from andante.terrain.height_map import TerrainError

_STRIP = 1_000_000
"""Most points whose cells are worked out at a time."""
_LONGEST_AXIS = 200_000
"""Most different coordinates along an axis of an exact grid."""
_MANY, _FINEST = 1_000_000, 0.005
"""Cells that nobody asked for are not finer than the second [m] where a cloud has more points than the first: boards
have nodes so far apart."""
_COARSEST = 0.02
"""Up to which cells that nobody asked for are made wider where the finer ones that the points allow are too many [m]:
about half a foot of LittleDog."""
_RECORD = np.dtype([("cell", "<i4"), ("z", "<f8")])


@dataclass(eq=False)
class CloudSurvey:
    """What a first reading of a cloud tells."""

    stored: list[int]
    """Points of each part that have a height."""
    boxes: list[tuple[Array, Array]]
    """Least and largest x and y of these, for each part [m]."""
    places: int = 0
    """Points with a place."""
    blank: int = 0
    """Points without one."""
    axes: list[Array] | None = None
    """The different x and y of all points, each in order [m]; None: more than an exact grid has."""
    sample: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Some points all over the cloud, (n, 3) [m]."""

    @property
    def known(self) -> int:
        """Points with a height."""
        return sum(self.stored)

    @staticmethod
    def of(cloud: CloudParts, place: str) -> CloudSurvey:
        """Read a cloud once.

        Raises:
            TerrainError: A place is not finite or too far away, or the file is cut short.
        """
        found = CloudSurvey([], [])
        found.axes = [np.zeros(0), np.zeros(0)]
        stride, before, samples = stride_of_findings(cloud.stored), 0, []
        for points in cloud.parts():
            samples.append(points[-before % stride :: stride].copy())
            before += len(points)
            blank = np.isnan(points[:, 0]) & np.isnan(points[:, 1])
            if blank.any():
                points = points[~blank]
            found.blank += int(blank.sum())
            found.places += len(points)
            refuse_far(points[:, :2], place)
            if found.axes is not None:
                found.axes = [np.union1d(axis, points[:, k]) for k, axis in enumerate(found.axes)]
                if max(map(len, found.axes)) > _LONGEST_AXIS:
                    found.axes = None
            known = points[np.isfinite(points[:, 2]), :2]
            found.stored.append(len(known))
            nowhere = np.full(2, np.nan)
            ends = [(float(axis.min()), float(axis.max())) for axis in known.T] if len(known) else None
            found.boxes.append((nowhere, nowhere) if ends is None else tuple(np.array(ends).T))
        found.sample = np.concatenate(samples)
        return found

    def box(self) -> tuple[Array, Array]:
        """Least and largest x and y of all points with a height [m]."""
        lows, highs = zip(*(each for each, count in zip(self.boxes, self.stored, strict=True) if count), strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)


def grid_parts(
    cloud: CloudParts, survey: CloudSurvey, spacing: float | None, resolution: float | None, place: str, room: float
) -> Raster:
    """Heights of a cloud at the nodes of a grid along x and y, as `grid_points` has them.

    Where nobody asks for a spacing, cells of more than a million points are 5 mm wide or more, and up to 2 cm where the
    map would be too large.

    Args:
        cloud: The cloud.
        survey: What its first reading told.
        spacing: Distance of the points [m].
        resolution: Distance of the nodes [m].
        place: The file.
        room: Height that has to be free over the ground [m].

    Raises:
        TerrainError: As `grid_points`, a cell with more points than are held at a time, or no room on the disk.
    """
    notes = [without_place(survey.blank)] if survey.blank else []
    enough_nodes(survey.places, place)
    exact = None if survey.axes is None else axis_grid(survey.axes[0], survey.axes[1], survey.places, place)
    if exact is not None:
        raster = _exact(cloud, exact, notes)
        if raster is not None:
            return raster
    enough_points(survey.known, place)
    low, high = survey.box()
    usual = (_FINEST if survey.known > _MANY else 0.0, _COARSEST)
    grid = cells_for(_together(cloud, survey), resolution or spacing, low, high, place, usual)
    notes.append(grid.told(survey.known))
    counts = np.zeros(grid.nodes, np.int64)
    for points in cloud.parts():
        counts += np.bincount(grid.numbers(_known(points)[:, :2]), minlength=grid.nodes)
    cells = CellHeights(grid, counts, room)
    bounds = _strips(counts, grid, place)
    with scratch(place, survey.known * _RECORD.itemsize) as file:
        _sort(cloud, grid, counts, bounds, file)
        for begin, end, numbers, z in _sorted(file, counts, bounds):
            cells.take(begin, numbers - begin, z, end)
    return cells.raster(notes)


def _known(points: Array) -> Array:
    """Points with a place and a height."""
    known = np.isfinite(points[:, 2]) & ~(np.isnan(points[:, 0]) & np.isnan(points[:, 1]))
    return points if known.all() else points[known]


def _exact(cloud: CloudParts, grid: AxisGrid, notes: list[str]) -> Raster | None:
    """The heights of a grid whose nodes all points are; None: some stand for the same node."""
    heights = np.full(grid.shape, np.nan)
    taken = np.zeros(grid.shape, np.bool_)
    for points in cloud.parts():
        points = points[~np.isnan(points[:, :2]).all(axis=1)]
        i, j = grid.nodes(points[:, :2])
        numbers = i * grid.shape[1] + j
        if taken[i, j].any() or len(np.unique(numbers)) < len(numbers):
            return None
        taken[i, j], heights[i, j] = True, points[:, 2]
    return Raster(heights, np.diag(grid.steps), grid.first, metres=True, notes=tuple(notes))


def _together(cloud: CloudParts, survey: CloudSurvey) -> Array:
    """The places nearest to the one in the middle of the row, (n, 2) [m], in the order of the row."""
    before = np.cumsum([0, *survey.stored])
    number = int(np.searchsorted(before, survey.known // 2, side="right")) - 1
    middle = _known(cloud.part(number))[survey.known // 2 - before[number], :2]
    found, aways, most = np.zeros((0, 2)), np.zeros(0), np.inf
    for number, (low, high) in enumerate(survey.boxes):
        if not survey.stored[number] or float(np.maximum(low - middle, middle - high).max()) > most:
            continue
        places = _known(cloud.part(number))[:, :2]
        # Of two columns the larger: along rows of two numpy takes five times as long.
        away = np.maximum(*np.abs(places - middle).T)
        near = away <= most
        found, aways = np.concatenate([found, places[near]]), np.concatenate([aways, away[near]])
        if len(found) > TOGETHER:
            nearest = np.sort(np.argpartition(aways, TOGETHER)[:TOGETHER])
            found, aways = found[nearest], aways[nearest]
            most = float(aways.max())
    return found


def _strips(counts: Index, grid: CloudGrid, place: str) -> Index:
    """Where strips of cells begin whose points go into memory, and where the last one ends."""
    most = int(counts.max())
    if most > _STRIP:
        raise TerrainError(
            "a cell has too many points", place=place, value=most, limit=f"{_STRIP} points in {grid.cell:g} m",
            remedy="say a finer resolution",
        )  # fmt: skip
    ends, bounds = np.cumsum(counts), [0]
    while bounds[-1] < len(counts):
        before = int(ends[bounds[-1] - 1]) if bounds[-1] else 0
        bounds.append(int(np.searchsorted(ends, before + _STRIP, side="right")))
    return np.array(bounds)


def _sort(cloud: CloudParts, grid: CloudGrid, counts: Index, bounds: Index, file: IO[bytes]) -> None:
    """Write the points of a cloud by the strips of their cells."""
    cursor = np.concatenate([[0], np.cumsum(counts)])[bounds[:-1]]
    for points in cloud.parts():
        points = _known(points)
        rows = np.empty(len(points), _RECORD)
        rows["cell"], rows["z"] = grid.numbers(points[:, :2]), points[:, 2]
        # A sort of short numbers is a fast one.
        strip = (np.searchsorted(bounds, rows["cell"], side="right") - 1).astype(np.uint16)
        rows = rows[np.argsort(strip, kind="stable")]
        sizes = np.bincount(strip, minlength=len(cursor))
        begin = 0
        for number in np.flatnonzero(sizes).tolist():
            file.seek(int(cursor[number]) * _RECORD.itemsize)
            file.write(rows[begin : begin + sizes[number]].tobytes())
            begin += int(sizes[number])
            cursor[number] += sizes[number]


def _sorted(file: IO[bytes], counts: Index, bounds: Index) -> Iterator[tuple[int, int, Index, Array]]:
    """Strips: first and last cell, and the cells and heights of all points in order."""
    file.seek(0)
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        wanted = int(counts[begin:end].sum())
        if not wanted:
            continue
        rows = np.frombuffer(file.read(wanted * _RECORD.itemsize), _RECORD)
        yield begin, end, rows["cell"].astype(np.int64), rows["z"].astype(np.float64)
