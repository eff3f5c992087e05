"""Terrain from files: meshes, images, grids, clouds and recorded maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.arrays import read_npy
from andante.terrain.files.ascii_grid import read_asc
from andante.terrain.files.cloud import grid_points
from andante.terrain.files.cloud_findings import cloud_findings
from andante.terrain.files.cloud_layers import ROOM
from andante.terrain.files.found import Found, Points, Raster, Triangles, square, without, without_endless
from andante.terrain.files.geotiff import read_tiff
from andante.terrain.files.images import is_coloured, is_occupancy, read_pgm, read_png
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.files.meshes import read_obj, read_stl, top_of_mesh
from andante.terrain.files.options import SPACING, FileOptions
from andante.terrain.files.pcd import read_pcd
from andante.terrain.files.ply import read_ply
from andante.terrain.files.recording import files_of_bag, read_recording
from andante.terrain.files.resampling import on_axes, turned
from andante.terrain.files.rows import read_rows
from andante.terrain.files.surfer import read_grd
from andante.terrain.files.world_file import placed_by, world_file_of
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.terrain import Terrain

_END = 0.15
"""How far start and goal are from the ends of a file, for LittleDog [m]."""
_LOWEST, _HIGHEST = -1000.0, 9000.0
"""Heights of ground on earth, with room [m]; others are numbers that say unknown, or other units."""
_AXES: Mapping[str, tuple[tuple[int, int], ...]] = {
    "z": ((0, 1), (1, 1), (2, 1)),
    "-z": ((0, 1), (1, -1), (2, -1)),
    "y": ((0, 1), (2, -1), (1, 1)),
    "-y": ((2, 1), (0, -1), (1, -1)),
    "x": ((1, 1), (2, 1), (0, 1)),
    "-x": ((2, 1), (1, 1), (0, -1)),
}
"""For each axis that is up, which axes of the file x, y and z of the map are, and their signs: all of them are turns.
That of a camera is the one of REP 103 (ros.org/reps/rep-0103.html)."""
_FINEST = 2e-4
"""Least distance of neighbouring nodes [m]: no foot feels a finer one; it is in degrees or another unit."""


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

    Meshes (.stl, .obj, .ply), images (.png, .pgm), arrays (.npy, .npz), rows of points or a matrix (.xyz, .csv, .txt),
    clouds (.pcd, .ply, .xyz), GeoTIFF (.tif, .tiff), ASCII grids (.asc), grids of Surfer (.grd), grid
    maps and clouds of recordings (.mcap, .db3, a folder of rosbag2, .bag of ROS 1).

    Args:
        path: The file.
        options: What the file does not say of itself.
        scale: Size of who walks there against LittleDog: how much has to be free over the ground of a cloud.

    Raises:
        TerrainError: Unknown kind of file, unreadable or too large, nothing in it, an option that means nothing to it,
            a variance below zero, or heights that no ground has.
    """
    chosen = options or FileOptions()
    suffix, bag, place = path.suffix.lower(), path.is_dir(), str(path)
    reader = _RECORDING if bag else _READERS.get(suffix)
    if reader is None:
        remedy, legal = _CONVERTED.get(suffix, ""), () if suffix in _CONVERTED else _READERS
        what = "there is no reader for this kind of terrain file"
        raise TerrainError(what, value=path.name, legal=legal, remedy=remedy)
    chosen.refuse_others((*_ALL, *reader.uses), "a recording" if bag else f"a file {suffix}", place)
    files, room = [], MOST_BYTES
    for each in files_of_bag(path) if bag else [path]:
        try:
            files.append((str(each), read_bytes(each, max_bytes=room)))
        except DocumentError as error:
            raise TerrainError(
                f"the file {error.what}", place=str(each), value=error.value, limit=error.limit
            ) from error
        room -= len(files[-1][1])
    # What a damaged file's numbers overflow to is refused below.
    with np.errstate(over="ignore", invalid="ignore"):
        found = (
            without(read_recording(files, place, chosen.layer, chosen.topic), chosen.nodata)
            if bag
            else reader.read(files[0][1], place, chosen)
        )
        beside = world_file_of(path)
        if beside is not None and isinstance(found, Raster) and found.steps is None:
            found = placed_by(found, beside, chosen.spacing)
        return _made(found, chosen, place, scale, reader.uses)


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


def _made(found: Found, options: FileOptions, place: str, size: float, uses: tuple[str, ...]) -> MapFile:
    """The map of what was found, in metres, along x and y."""
    turn = turned(options.rotate)
    if not isinstance(found, Triangles):
        found = without_endless(found)
    if isinstance(found, Raster):
        if options.up != "z":
            raise TerrainError("the option up means nothing to a grid of heights", place=place, value=options.up)
        raster, scale, rotate = found, 1.0 if found.metres else options.scale, turn
    else:
        cloud, places = isinstance(found, Points), _moved(found.places, options, turn)
        notes = (*found.notes, *cloud_findings(places if cloud else places[:, 0], up=options.up))
        if cloud:
            raster = grid_points(places, options.spacing, options.resolution, place, ROOM * size)
        else:
            raster = top_of_mesh(places, options.resolution or options.spacing, place)
        raster, scale, rotate = replace(raster, notes=(*notes, *raster.notes)), 1.0, np.eye(2)
    steps = square(options.spacing or SPACING) if raster.steps is None else scale * raster.steps
    first = rotate @ (scale * np.array(raster.first))
    height = 1.0 if raster.metres else scale * options.height_scale
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
    _on_earth(made, place, uses)
    return MapFile(made, placed.notes)


def _moved(places: Array, options: FileOptions, turn: Array) -> Array:
    """Points (..., 3) of a file in metres, z up, turned."""
    if options.up != "z":
        places = np.stack([sign * places[..., axis] for axis, sign in _AXES[options.up]], axis=-1)
    if options.scale == options.height_scale == 1.0 and options.rotate == 0.0:
        return places
    moved = places * options.scale
    if options.height_scale != 1.0:
        moved[..., 2] *= options.height_scale
    if options.rotate != 0.0:
        moved[..., :2] = moved[..., :2] @ turn.T
    return np.asarray(moved)


def _on_earth(made: ElevationMap, place: str, uses: tuple[str, ...]) -> None:
    units = "scale" if "scale" in uses else "low and high"
    if made.spacing < _FINEST:
        raise TerrainError(
            "the nodes of the map are too close", place=place, value=made.spacing, limit=f"{_FINEST:g} m or more",
            remedy="a map in degrees has to be projected; else say scale, spacing or resolution",
        )  # fmt: skip
    with np.errstate(invalid="ignore"):
        off = np.argwhere((made.heights < _LOWEST) | (made.heights > _HIGHEST))
    if len(off):
        i, j = off[0].tolist()
        raise TerrainError(
            f"{len(off)} heights are out of range",
            place=f"{place}: {made.node(i, j)}",
            value=float(made.heights[i, j]),
            limit=f"{_LOWEST:g} to {_HIGHEST:g} m",
            remedy=f"give nodata=NUMBER where it says unknown, or {units}" if "nodata" in uses else f"say {units}",
        )


@dataclass(frozen=True)
class _Reader:
    """How a kind of file is read."""

    read: Callable[[bytes, str, FileOptions], Found]
    uses: tuple[str, ...] = ()
    """Options that mean something to it, besides those of all."""


_ALL = ("spacing", "resolution", "rotate", "x", "y", "holes")
_UNITS = ("scale", "height_scale")
_SPACE = (*_UNITS, "up")


def _mesh(read: Callable[[bytes, str], Array]) -> _Reader:
    return _Reader(lambda content, place, _: Triangles(read(content, place)), _SPACE)


def _cloud(read: Callable[[bytes, str], Points | Triangles]) -> _Reader:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        found = read(content, place)
        if not isinstance(found, Triangles):
            return without(found, options.nodata)
        if options.nodata is not None:
            raise TerrainError("the option nodata means nothing to a mesh", place=place, value=options.nodata)
        return found

    return _Reader(reader, (*_SPACE, "nodata"))


def _image(read: Callable[[bytes, str, float | None], Array]) -> _Reader:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        shares = read(content, place, options.nodata)
        if is_occupancy(shares) and (options.low, options.high) == (FileOptions().low, FileOptions().high):
            raise TerrainError(
                "the image is an occupancy grid of map_server (greys 0, 205 and 254), which says where walls are and "
                "not how high", place=place,
                remedy="take a map of heights, or say other heights of black and white by low and high",
            )  # fmt: skip
        # Rows of an image run down, y runs up.
        heights = options.low + (options.high - options.low) * shares[::-1].T
        notes = ("the image is in colours; heights are its first channel alone",) if is_coloured(content) else ()
        return Raster(heights, metres=True, notes=notes)

    return _Reader(reader, ("low", "high", "nodata"))


_RECORDING = _Reader(
    lambda content, place, options: without(
        read_recording([(place, content)], place, options.layer, options.topic), options.nodata
    ),
    (*_SPACE, "layer", "topic", "nodata"),
)
_ARRAY = _Reader(
    lambda content, place, options: read_npy(content, place, options.layer, options.nodata),
    (*_SPACE, "layer", "nodata"),
)
_ROWS = _Reader(
    lambda content, place, options: read_rows(
        content, place, options.rows, options.nodata, scaled=not options.scale == options.height_scale == 1.0
    ),
    (*_SPACE, "rows", "nodata"),
)
_TIFF = _Reader(
    lambda content, place, options: read_tiff(
        content, place, layer=options.layer, nodata=options.nodata, span=(options.low, options.high)
    ),
    (*_UNITS, "layer", "nodata", "low", "high"),
)
_READERS: Mapping[str, _Reader] = {
    ".stl": _mesh(read_stl),
    ".obj": _mesh(read_obj),
    ".ply": _cloud(read_ply),
    ".pcd": _cloud(read_pcd),
    ".png": _image(read_png),
    ".pgm": _image(read_pgm),
    ".npy": _ARRAY,
    ".npz": _ARRAY,
    ".xyz": _ROWS,
    ".csv": _ROWS,
    ".txt": _ROWS,
    ".asc": _Reader(lambda content, place, options: read_asc(content, place, options.nodata), (*_UNITS, "nodata")),
    ".grd": _Reader(lambda content, place, options: read_grd(content, place, options.nodata), (*_UNITS, "nodata")),
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".mcap": _RECORDING,
    ".db3": _RECORDING,
    ".bag": _RECORDING,
}
_CONVERTED: Mapping[str, str] = {
    ".yaml": "a map of map_server says where walls are and not how high: take a grid_map, a cloud, an image of heights",
    ".las": "pdal translate FIELD.las FIELD.ply makes a cloud of it",
    ".laz": "pdal translate FIELD.laz FIELD.ply makes a cloud of it",
    ".e57": "pdal translate FIELD.e57 FIELD.ply, or CloudCompare, makes a cloud of it",
    ".zstd": "zstd -d FIELD.db3.zstd unpacks it",
}
"""Kinds of files that others read, and how they become one that is read here."""
SUFFIXES = frozenset(_READERS)
"""Endings of the files that are read."""
