"""Terrain from files: meshes, images, grids, clouds and recorded maps."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import opened, read_bytes
from andante.documents.problems import DocumentError
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.cloud import grid_points
from andante.terrain.files.cloud_findings import cloud_findings, mesh_findings, stride_of_findings
from andante.terrain.files.cloud_grids import axis_grid, exact_grid
from andante.terrain.files.cloud_layers import ROOM
from andante.terrain.files.cloud_parts import CloudSurvey, grid_parts
from andante.terrain.files.cloud_source import CloudParts
from andante.terrain.files.converted import CONVERTED
from andante.terrain.files.coordinates_beside import coordinates_of, on_coordinates
from andante.terrain.files.found import Cells, Found, Points, Raster, square, without, without_endless
from andante.terrain.files.height_range import HeightRange
from andante.terrain.files.large_clouds import THIN, LargeCloud, is_large, large_cloud
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.map_findings import coarse, far_off, refuse_other_units, whole_numbers
from andante.terrain.files.meshes import top_of_mesh
from andante.terrain.files.octree_columns import top_of_cells
from andante.terrain.files.options import SPACING, FileOptions
from andante.terrain.files.packing import suffixes_of, unpacked_file
from andante.terrain.files.projection_file import GRIDS, in_units_of, projection_file_of
from andante.terrain.files.readers import ALWAYS, READERS, RECORDING
from andante.terrain.files.recording import files_of_bag, read_recording
from andante.terrain.files.resampling import on_axes, turned
from andante.terrain.files.upward import AXES, upright
from andante.terrain.files.world_file import placed_by, world_file_of
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.terrain import Terrain

_END = 0.15
"""How far start and goal are from the ends of a file, for LittleDog [m]."""


@dataclass(frozen=True, eq=False)
class MapFile:
    """A map as it stands in a file."""

    map: ElevationMap
    """What the file says of the ground."""
    notes: tuple[str, ...]
    """What a user should know of how it was read."""


@budgeted(MODELS, error=TerrainError)
def load_map(path: Path, options: FileOptions | None = None, scale: float = 1.0) -> MapFile:
    """The map in a file, with unknown cells and variance.

    Meshes (.stl, .obj, .ply, .glb, .gltf), octrees (.bt, .ot), images (.png, .pgm), arrays (.npy, .npz), rows of
    points or a matrix (.xyz, .csv, .tsv, .txt, .pts), clouds (.pcd, .ply, .las, .laz), GeoTIFF (.tif, .tiff), ASCII
    grids (.asc), grids of Surfer (.grd), grid maps, clouds and octrees of recordings (.mcap, .db3, a folder of
    rosbag2, .bag of ROS 1); all of them also packed (.gz, .bz2, .zst, .zstd).

    Args:
        path: The file.
        options: What the file does not say of itself.
        scale: Size of who walks there against LittleDog: how much has to be free over the ground of a cloud.

    Raises:
        TerrainError: Unknown kind of file, unreadable or too large, nothing in it, an option that means nothing to it,
            a variance below zero, or heights that no ground has.
    """
    chosen = options or FileOptions()
    suffix, bag, place = suffixes_of(path)[0], path.is_dir(), str(path)
    reader = RECORDING if bag else READERS.get(suffix)
    if reader is None:
        remedy, legal = CONVERTED.get(suffix, ""), () if suffix in CONVERTED else READERS
        what = "there is no reader for this kind of terrain file"
        raise TerrainError(what, value=path.name, legal=legal, remedy=remedy)
    chosen.refuse_others((*ALWAYS, *reader.uses), "a recording" if bag else f"a file {suffix}", place)
    if is_large(path):
        with np.errstate(over="ignore", invalid="ignore"), large_cloud(path, chosen) as cloud:
            return _made(cloud, chosen, place, scale, reader.uses)
    if reader.large is not None and _size(path) > MOST_BYTES:
        with np.errstate(over="ignore", invalid="ignore"):
            return _made(_large(path, reader.large, chosen, place), chosen, place, scale, reader.uses)
    files: list[tuple[str, bytes | Path]] = []
    if reader is RECORDING:
        files = _recorded(files_of_bag(path) if bag else [path])
    else:
        files = [(place, _content(path, MOST_BYTES))]
    # What a damaged file's numbers overflow to is refused below.
    with np.errstate(over="ignore", invalid="ignore"):
        content = files[0][1]
        found = (
            without(read_recording(files, place, chosen), chosen.nodata)
            if reader is RECORDING or isinstance(content, Path)
            else reader.read(content, place, chosen)
        )
        if isinstance(found, Raster):
            found = _as_told_beside(found, path, chosen)
        return _made(found, chosen, place, scale, reader.uses)


def _size(path: Path) -> int:
    """Size of a file that is not packed [bytes]; 0: it is, or who reads it says what is wrong."""
    try:
        return 0 if suffixes_of(path)[1] else path.stat().st_size
    except OSError:
        return 0


def _large(
    path: Path, read: Callable[[IO[bytes], int, str, FileOptions], Found], options: FileOptions, place: str
) -> Found:
    """What a reader of large files finds."""
    try:
        with opened(path, place) as file:
            return read(file, os.fstat(file.fileno()).st_size, place, options)
    except DocumentError as error:
        raise TerrainError(f"the file {error.what}", place=place, value=error.value, limit=error.limit) from error


def _content(path: Path, room: int) -> bytes:
    """A file of so many bytes at most, unpacked."""
    try:
        content = read_bytes(path, max_bytes=room)
    except DocumentError as error:
        remedy = _smaller(path) if error.limit else ""
        what = f"the file {error.what}"
        raise TerrainError(what, place=str(path), value=error.value, limit=error.limit, remedy=remedy) from error
    if not content:
        raise TerrainError("the file is empty", place=str(path), remedy="copy or export it anew")
    return unpacked_file(content, suffixes_of(path)[1], str(path))


def _smaller(path: Path) -> str:
    """What makes a file of a size that is read."""
    suffix, packing = suffixes_of(path)
    if READERS.get(suffix) is RECORDING and packing:
        return "unpack it: recordings that are not packed may have any size"
    if suffix in (".las", ".laz", ".ply", ".pcd", ".xyz", ".pts"):
        return THIN
    return "take a part of it"


def _recorded(paths: list[Path]) -> list[tuple[str, bytes | Path]]:
    """The files of a recording, with their contents; those that are too large as a whole are read in parts."""
    try:
        large = sum(path.stat().st_size for path in paths) > MOST_BYTES
    except OSError:
        # Who reads it says why.
        large = False
    files: list[tuple[str, bytes | Path]] = []
    room = MOST_BYTES
    for path in paths:
        if large and not suffixes_of(path)[1]:
            files.append((str(path), path))
            continue
        content = _content(path, room)
        files.append((str(path), content))
        room -= len(content)
    return files


def load_heights(path: Path, options: FileOptions | None = None) -> HeightMap:
    """The ground in a file, as a world has it: where the map is unknown, as the options say.

    Raises:
        TerrainError: As `load_map`, and for a map that knows nothing, or has unknown cells that the options refuse.
    """
    chosen = options or FileOptions()
    return _ground(load_map(path, chosen).map, chosen, str(path))


def load_terrain(path: Path, options: FileOptions | None = None, scale: float = 1.0) -> Terrain:
    """Ground to walk on from a file; the way goes from its low end of x to its high end.

    Args:
        path: The file.
        options: What the file does not say of itself.
        scale: Size of who walks there against LittleDog: its start and goal are as much farther from the ends, and as
            much more has to be free over the ground of a cloud.

    Raises:
        TerrainError: As `load_heights`.
    """
    chosen = options or FileOptions()
    found = load_map(path, chosen, scale)
    ground = _ground(found.map, chosen, str(path))
    unknown = int(np.count_nonzero(~found.map.known))
    notes = found.notes
    if unknown:
        share = 100.0 * unknown / found.map.heights.size
        what = {"nearest": "the height of the nearest known node", "lowest": "the lowest known height"}
        notes = (
            *notes,
            f"{unknown} of {found.map.heights.size} nodes ({share:.2g} %) are unknown; the simulated ground has "
            f"{what[chosen.holes]} there, the map stays unknown",
        )
    start, goal = ends_of(ground.extent, scale)
    return Terrain.of_heights(path.stem, ground, start=start, goal=goal, known=found.map, scale=scale, notes=notes)


def ends_of(extent: tuple[float, float, float, float], scale: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Start and goal of a way over a file where nobody gives them, as far from its ends as the robot needs room.

    Args:
        extent: Least and largest x, least and largest y [m].
        scale: Size of the robot against LittleDog.
    """
    low_x, high_x, low_y, high_y = extent
    end = min(_END * scale, 0.25 * (high_x - low_x))
    middle = 0.5 * (low_y + high_y)
    return (low_x + end, middle), (high_x - end, middle)


def _ground(known: ElevationMap, options: FileOptions, place: str) -> HeightMap:
    try:
        if options.holes == "refuse":
            return HeightMap(known.heights, known.origin, known.spacing)
        return known.filled(options.holes)
    except TerrainError as error:
        raise TerrainError(f"{place}: {error}") from error


def _as_told_beside(found: Raster, path: Path, options: FileOptions) -> Raster:
    """A raster where, and in the units, that other files beside it say, if it says none."""
    beside = coordinates_of(path) if found.steps is None and options.rows in ("auto", "matrix") else None
    if beside is not None and options.spacing is None:
        found = on_coordinates(found, beside)
    own = found.steps is not None
    world, units = world_file_of(path), projection_file_of(path)
    if world is not None and not own:
        found = placed_by(found, world, options.spacing)
    if units is None or found.steps is None or (own and path.suffix.lower() not in GRIDS):
        return found
    if options.scale != 1.0:
        return replace(found, notes=(*found.notes, f"the scale that is given counts, and not {units.name}"))
    return in_units_of(found, units, said=options.heights_said)


def _made(found: Found | LargeCloud, options: FileOptions, place: str, size: float, uses: tuple[str, ...]) -> MapFile:
    """The map of what was found, in metres, along x and y."""
    turn = turned(options.rotate)
    if isinstance(found, (Points, Raster)):
        found = without_endless(found)
    if isinstance(found, LargeCloud):
        raster, scale, rotate = _in_parts(found, options, turn, place, size), 1.0, np.eye(2)
    elif isinstance(found, Raster):
        for name, value, none in (
            ("up", options.up, "z"),
            ("min_z", options.min_z, None),
            ("max_z", options.max_z, None),
        ):
            if value != none:
                raise TerrainError(f"the option {name} means nothing to a grid of heights", place=place, value=value)
        raster, scale, rotate = found, 1.0 if found.metres else options.scale, turn
    elif isinstance(found, Cells):
        if options.up not in AXES:
            limit = "the cells of an octree stand along its axes"
            raise TerrainError("no such direction is up", place=place, value=options.up, limit=limit, legal=AXES)
        unit = options.scale * options.height_factor
        cells = HeightRange.of(options).cells(found, *AXES[options.up][2], unit, place)
        raster = top_of_cells(cells, AXES[options.up], unit, ROOM * size, place)
        scale, rotate = options.scale, turn
    else:
        cloud, places = isinstance(found, Points), _moved(found.places, options, turn)
        notes = (*found.notes, *(cloud_findings if cloud else mesh_findings)(places, up=options.up))
        span = HeightRange.of(options)
        if cloud:
            counting, _ = span.taken(places)
            below = span.in_cloud(counting[:: stride_of_findings(len(places))])
            # Nodes of a grid have a height each, however steep; no ceiling is among them.
            if below is not span and exact_grid(counting[~np.isnan(counting[:, :2]).all(axis=1)], place) is None:
                span = below
            counting, out = span.taken(places)
            span.refuse_none(places, counting, place)
            notes = (*notes, *span.told(out, "points"))
        with _as_told(notes):
            if cloud:
                raster = grid_points(counting, options.spacing, options.resolution, place, ROOM * size)
            else:
                raster = top_of_mesh(places, options.resolution or options.spacing, place, span)
        raster, scale, rotate = replace(raster, notes=(*notes, *raster.notes)), 1.0, np.eye(2)
    steps = square(options.spacing or SPACING) if raster.steps is None else scale * raster.steps
    first = rotate @ (scale * np.array(raster.first))
    height = 1.0 if raster.metres else scale * options.height_factor
    heights = raster.heights if height == 1.0 else height * raster.heights
    variance = raster.variance if raster.variance is None or height == 1.0 else height**2 * raster.variance
    notes = raster.notes
    if variance is not None and variance.shape == heights.shape:
        known, sure = np.isfinite(heights), np.isfinite(variance)
        unsure = int((known & ~sure).sum())
        if unsure and np.isnan(variance[known]).all():
            # Programs add a layer for it and never fill it.
            variance = None
            notes = (*notes, "the variance is a number nowhere: it does not count")
        elif unsure:
            # A height of which nobody says how sure it is, or says that it is not at all, is none.
            heights = np.where(sure, heights, np.nan)
            notes = (*notes, f"{unsure} heights whose variance is not finite are unknown")
    if raster.steps is None and options.spacing is None:
        notes = (
            *notes,
            f"the file does not say how far its nodes are apart: {1e3 * SPACING:g} mm; spacing=LENGTH says it",
        )
    if height == 1.0 and not raster.metres and not options.heights_said:
        notes = (*notes, *whole_numbers(heights, float(np.linalg.norm(steps[:, 0]))))
    placed = Raster(heights, None, (float(first[0]), float(first[1])), variance, True, notes)
    spacing = float(steps[0, 0])
    if heights.ndim == 2 and min(heights.shape) >= 2:
        placed, spacing = on_axes(placed, rotate @ steps, options.resolution, place)
    x, y = placed.first
    origin = (x if options.x is None else options.x, y if options.y is None else options.y)
    try:
        made = ElevationMap(placed.heights, origin, spacing, placed.variance)
    except TerrainError as error:
        raise TerrainError(f"{place}: {error}") from error
    refuse_other_units(made, place, uses)
    return MapFile(made, (*placed.notes, *coarse(made, uses), *far_off(made)))


def _in_parts(found: LargeCloud, options: FileOptions, turn: Array, place: str, size: float) -> Raster:
    """The grid of a cloud that is read in parts."""
    span = HeightRange.of(options)
    cloud = CloudParts(found.source, lambda places: _moved(places, options, turn), found.nodata, span=span)
    survey = CloudSurvey.of(cloud, place)
    findings = cloud_findings(survey.sample, up=options.up)
    below = span.in_cloud(survey.sample)
    if below is not span and survey.axes is not None:
        grid = axis_grid(survey.axes[0], survey.axes[1], survey.places, place)
        if grid is not None and math.prod(grid.shape) >= survey.places:
            below = span
    if below is not span:
        cloud = CloudParts(found.source, lambda places: _moved(places, options, turn), found.nodata, span=below)
        survey = CloudSurvey.of(cloud, place)
    notes = (*found.notes, *cloud.notes(), *findings, *below.told(cloud.out, "points"))
    with _as_told(findings):
        raster = grid_parts(cloud, survey, options.spacing, options.resolution, place, ROOM * size)
    return replace(raster, notes=(*notes, *raster.notes))


@contextmanager
def _as_told(findings: tuple[str, ...]) -> Iterator[None]:
    """What lies on its side may be no grid: say so with the refusal."""
    try:
        yield
    except TerrainError as error:
        told = next((each for each in findings if "up=" in each), None)
        if told is None:
            raise
        raise TerrainError(f"{error}; {told}") from error


def _moved(places: Array, options: FileOptions, turn: Array) -> Array:
    """Points (..., 3) of a file in metres, z up, turned."""
    if options.up != "z":
        places = upright(places, options.up)
    if options.scale == options.height_factor == 1.0 and options.rotate == 0.0:
        return places
    moved = places * options.scale
    if options.height_factor != 1.0:
        moved[..., 2] *= options.height_factor
    if options.rotate != 0.0:
        moved[..., :2] = moved[..., :2] @ turn.T
    return np.asarray(moved)
