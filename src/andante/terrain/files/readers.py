"""Which reader reads which kind of terrain file, and the options that mean something to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

from andante.spatial.arrays import Array
from andante.terrain.files.arrays import read_npy
from andante.terrain.files.ascii_grid import begins_grid, read_asc
from andante.terrain.files.found import Found, Points, Raster, Triangles, without
from andante.terrain.files.gazebo import read_gazebo
from andante.terrain.files.geotiff import read_tiff
from andante.terrain.files.gltf import read_gltf, read_large_glb
from andante.terrain.files.images import is_coloured, is_occupancy, read_pgm, read_picture, read_png
from andante.terrain.files.las import read_las
from andante.terrain.files.limits import in_utf8
from andante.terrain.files.matlab import read_mat
from andante.terrain.files.meshes import read_obj, read_stl
from andante.terrain.files.mjcf import read_mjcf
from andante.terrain.files.octree import read_octree
from andante.terrain.files.options import FileOptions
from andante.terrain.files.pcd import read_pcd
from andante.terrain.files.ply import read_ply
from andante.terrain.files.recording import read_recording
from andante.terrain.files.row_reader import begins_with_number
from andante.terrain.files.rows import read_rows
from andante.terrain.files.surfer import read_grd
from andante.terrain.height_map import TerrainError


@dataclass(frozen=True)
class MapReader:
    """How a kind of file is read."""

    read: Callable[[bytes, str, FileOptions], Found]
    uses: tuple[str, ...] = ()
    """Options that mean something to it, besides those of all."""
    large: Callable[[IO[bytes], int, str, FileOptions], Found] | None = None
    """How one of this size [bytes] is read that is larger than what is read at once; None: it is refused."""


ALWAYS = ("spacing", "resolution", "rotate", "x", "y", "holes")
"""Options that mean something to every file."""
_UNITS = ("scale", "height_scale")
_SPACE = (*_UNITS, "up", "min_z", "max_z")


def _mesh(read: Callable[[bytes, str], Array]) -> MapReader:
    return MapReader(lambda content, place, _: Triangles(read(content, place)), _SPACE)


def _cloud(read: Callable[[bytes, str], Points | Triangles]) -> MapReader:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        found = read(content, place)
        if not isinstance(found, Triangles):
            return without(found, options.nodata)
        if options.nodata is not None:
            raise TerrainError("the option nodata means nothing to a mesh", place=place, value=options.nodata)
        return found

    return MapReader(reader, (*_SPACE, "nodata"))


def _image(read: Callable[[bytes, str, float | None], Array]) -> MapReader:
    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        shares = read(content, place, options.nodata)
        if is_occupancy(shares) and (options.low, options.high) == (FileOptions().low, FileOptions().high):
            raise TerrainError(
                "the image is an occupancy grid of map_server (greys 0, 205 and 254), which says where walls are and "
                "not how high", place=place,
                remedy="take a map of heights, or say how high walls are and how long a pixel is: low=30cm high=0 "
                "nodata=205 spacing=RESOLUTION, and x and y of its origin",
            )  # fmt: skip
        # Rows of an image run down, y runs up.
        heights = options.low + (options.high - options.low) * shares[::-1].T
        notes = ("the image is in colours; heights are its first channel alone",) if is_coloured(content) else ()
        return Raster(heights, metres=True, notes=notes)

    return MapReader(reader, ("low", "high", "nodata"))


RECORDING = MapReader(
    lambda content, place, options: without(read_recording([(place, content)], place, options), options.nodata),
    (*_SPACE, "layer", "topic", "frame", "nodata"),
)
_ARRAY = MapReader(
    lambda content, place, options: read_npy(
        content, place, options.layer, options.nodata, said=options.heights_said or options.scale != 1.0
    ),
    (*_SPACE, "layer", "nodata"),
)
_MATLAB = MapReader(
    lambda content, place, options: read_mat(
        content, place, options.layer, options.nodata, said=options.heights_said or options.scale != 1.0
    ),
    (*_SPACE, "layer", "nodata"),
)


def _text(*, grid: bool = False, points: bool = False, cloud: bool = False) -> MapReader:
    """Text of rows, or an ASCII grid, whatever its ending: both stand in files of both endings.

    Args:
        grid: It is a grid unless it begins with a number.
        points: Rows are points.
        cloud: Rows that could be points as well as a matrix are points.
    """

    def reader(content: bytes, place: str, options: FileOptions) -> Found:
        content = in_utf8(content)
        if begins_grid(content) or (grid and not begins_with_number(content)):
            if options.rows != "auto":
                raise TerrainError("the option rows means nothing to an ASCII grid", place=place, value=options.rows)
            return read_asc(content, place, options.nodata)
        kind = "points" if points and options.rows == "auto" else options.rows
        scaled = not options.scale == options.height_factor == 1.0
        return read_rows(content, place, kind, options.nodata, scaled=scaled, cloud=cloud)

    return MapReader(reader, (*_SPACE, "rows", "nodata"))


_LAS = MapReader(
    lambda content, place, options: read_las(content, place, options.layer, said=options.heights_said),
    (*_SPACE, "layer"),
)
_TIFF = MapReader(
    lambda content, place, options: read_tiff(
        content,
        place,
        layer=options.layer,
        nodata=options.nodata,
        span=(options.low, options.high),
        said=options.heights_said,
    ),
    (*_UNITS, "layer", "nodata", "low", "high"),
)
_MJCF = MapReader(lambda content, place, _: read_mjcf(content, place), _SPACE)
_GAZEBO = MapReader(lambda content, place, _: read_gazebo(content, place), _SPACE)
_OCTREE = MapReader(lambda content, place, _: read_octree(content, place), _SPACE)
_GLTF_USES = (*_SPACE, "layer")
READERS: Mapping[str, MapReader] = {
    ".stl": _mesh(read_stl),
    ".obj": _mesh(read_obj),
    ".glb": MapReader(read_gltf, _GLTF_USES, read_large_glb),
    ".gltf": MapReader(read_gltf, _GLTF_USES),
    ".ply": _cloud(read_ply),
    ".pcd": _cloud(read_pcd),
    ".bt": _OCTREE,
    ".ot": _OCTREE,
    ".las": _LAS,
    ".laz": _LAS,
    ".png": _image(read_png),
    ".pgm": _image(read_pgm),
    **dict.fromkeys((".jpg", ".jpeg", ".bmp", ".webp"), _image(read_picture)),
    ".npy": _ARRAY,
    ".npz": _ARRAY,
    ".mat": _MATLAB,
    **dict.fromkeys((".xyz", ".xyzn", ".xyzi", ".xyzrgb"), _text(cloud=True)),
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat"), _text()),
    ".pts": _text(points=True),
    ".asc": _text(grid=True),
    ".grd": MapReader(lambda content, place, options: read_grd(content, place, options.nodata), (*_UNITS, "nodata")),
    ".tif": _TIFF,
    ".tiff": _TIFF,
    ".xml": _MJCF,
    ".mjcf": _MJCF,
    ".world": _GAZEBO,
    ".sdf": _GAZEBO,
    ".mcap": RECORDING,
    ".db3": RECORDING,
    ".bag": RECORDING,
}
SUFFIXES = frozenset(READERS)
"""Endings of the files that are read."""
