"""Triangle meshes as terrain: STL and OBJ read, and their upper surface sampled on a grid."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.cloud_grids import grid_of, rounded_up
from andante.terrain.files.found import Raster, finite, square
from andante.terrain.files.height_range import HeightRange
from andante.terrain.files.limits import MOST_NODES, MOST_ROWS, grid_size, lines_of
from andante.terrain.files.mesh_ceilings import ceiling_of_mesh
from andante.terrain.files.options import SPACING
from andante.terrain.height_map import TerrainError

_STL_HEAD, _STL_FACET = 84, 50
_NODES = 1_000_000
"""Nodes of a mesh that is too large for the usual spacing."""
_MOST_COVERED = 3e8
"""Most nodes in the rectangles around all triangles together: a second's work."""
_LONGEST = 4096
"""Most words of a line that is carried on."""
_OFF = 0.25
"""Share of a spacing by which the corners of a grid may jitter at its rim."""


def read_stl(content: bytes, place: str) -> Array:
    """Triangles (n, 3, 3) of an STL file, binary or text.

    Raises:
        TerrainError: Not an STL file.
    """
    if len(content) >= _STL_HEAD:
        count = int.from_bytes(content[80:84], "little")
        if len(content) == _STL_HEAD + _STL_FACET * count:
            facets = np.frombuffer(content, dtype=np.uint8, offset=_STL_HEAD).reshape(count, _STL_FACET)
            corners = np.frombuffer(facets[:, 12:48].tobytes(), dtype="<f4")
            return _checked(corners.reshape(count, 3, 3).astype(np.float64), place)
    rows: list[list[str]] = []
    for line in lines_of(content, place):
        # Some programs write it in capitals.
        if line[:6].lower() == "vertex":
            rows.append(line.split()[1:5])
            _few(len(rows), place)
    if not rows or len(rows) % 3:
        raise TerrainError(
            "is no STL file", place=place, limit="84 bytes and 50 per facet, or three vertices per facet"
        )
    return _checked(_numbers(rows, place).reshape(-1, 3, 3), place)


def read_obj(content: bytes, place: str) -> Array:
    """Triangles (n, 3, 3) of an OBJ file; faces with more corners are split into fans.

    Raises:
        TerrainError: Not an OBJ file, or a face names a corner that does not exist.
    """
    corners: list[list[str]] = []
    faces: list[tuple[int, int, int]] = []
    begun: list[str] = []
    for number, line in enumerate(lines_of(content, place), 1):
        words = [*begun, *line.split()]
        # A stroke at its end carries a line on to the next; comments may end with one, as paths do.
        begun = []
        if line.endswith("\\") and words[0] in ("v", "f"):
            begun = [word for word in (*words[:-1], words[-1][:-1]) if word]
            if len(begun) > _LONGEST:
                raise TerrainError("a line is too long", place=f"{place}:{number}", limit=f"{_LONGEST} words")
            continue
        if words[:1] == ["v"]:
            corners.append(words[1:4])
            _few(len(corners), place)
        elif words[:1] == ["f"]:
            ring = [_corner(word, len(corners), f"{place}:{number}") for word in words[1:]]
            faces += [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
            _few(len(faces), place)
    if not faces:
        what = "the file has no faces"
        raise TerrainError(what, place=place, remedy="points alone are read from .xyz, .ply and .pcd")
    return _checked(_numbers(corners, place)[np.array(faces)], place)


def top_of_mesh(triangles: Array, spacing: float | None, place: str, span: HeightRange | None = None) -> Raster:
    """Heights of the upper surface of triangles (n, 3, 3) [m], NaN where there is none.

    Of a closed room it is that below the ceiling, unless it is said what counts; see
    `andante.terrain.files.mesh_ceilings`.

    Args:
        triangles: The triangles.
        spacing: Distance of the nodes [m]; None: that of the mesh's corners where they lie on a grid along x and y,
            else 5 mm, or as much as makes a million nodes.
        place: The file.
        span: Heights that count; None: all.

    Raises:
        TerrainError: The grid would be too large or too small, or no height counts.
    """
    # Column by column, corner by corner: along axes of three numpy takes five times as long.
    columns = [triangles[..., axis] for axis in range(3)]
    low, high = np.array([each.min() for each in columns]), np.array([each.max() for each in columns])
    # A part of a millionth keeps nodes that lie on the rim.
    corner, slack, notes = low[:2], 1e-6, []
    if spacing is None:
        # Of many triangles one corner each is enough.
        corners = triangles[:, :1] if len(triangles) > MOST_ROWS // 5 else triangles
        spots = np.unique(corners[..., 0].ravel() + 1j * corners[..., 1].ravel())
        grid = grid_of(np.stack([spots.real, spots.imag], axis=-1))
        if grid is not None:
            spacing, node = grid
            corner, slack = node + np.ceil((corner - node) / spacing - _OFF) * spacing, _OFF
            notes.append(f"the mesh's corners lie on a grid of {1e3 * spacing:.4g} mm")
        else:
            spacing = SPACING
            if float(np.prod((high[:2] - low[:2]) / spacing)) > MOST_NODES:
                spacing = rounded_up(float(np.sqrt(np.prod(high[:2] - low[:2]) / _NODES)))
            notes.append(f"the mesh is sampled by {1e3 * spacing:.4g} mm")
    what, remedy = "the mesh does not fit the spacing", "give another spacing or scale"
    shape = grid_size(np.floor((high[:2] - corner) / spacing + slack) + 1.0, what, place, high - low, spacing, remedy)
    wide, deep = (
        np.maximum(np.maximum(*corners[:2]), corners[2]) - np.minimum(np.minimum(*corners[:2]), corners[2])
        for corners in (each.T for each in columns[:2])
    )
    if float(((wide / spacing + 1.0) * (deep / spacing + 1.0)).sum()) > _MOST_COVERED:
        raise TerrainError(
            "the mesh's triangles cover each other too often", place=place, value=len(triangles),
            limit=f"{_MOST_COVERED:.0e} nodes below all of them at {spacing:g} m",
        )  # fmt: skip
    from andante.terrain.files.raster import raise_to

    chosen = span or HeightRange()
    if chosen.high == np.inf:
        room = ceiling_of_mesh(triangles, low, high)
        notes += room.notes
        if room.ceiling is not None:
            chosen = chosen.below(room.ceiling)
    heights = np.full(shape, -np.inf)
    x, y = (float(corner[k]) + spacing * np.arange(shape[k], dtype=np.float64) for k in (0, 1))
    corners, first = np.ascontiguousarray(triangles), (float(x[0]), float(y[0]))
    raise_to(corners, *first, spacing, chosen.low, chosen.high, chosen.limits(x, y), heights)
    heights[np.isneginf(heights)] = np.nan
    if not np.isfinite(heights).any() and not chosen.all:
        raise chosen.nothing(float(low[2]), float(high[2]), place)
    return Raster(heights, square(spacing), (float(corner[0]), float(corner[1])), metres=True, notes=tuple(notes))


def _few(count: int, place: str) -> None:
    if count > MOST_ROWS:
        raise TerrainError("the mesh is too large", place=place, limit=f"{MOST_ROWS} corners or facets as text")


def _numbers(rows: list[list[str]], place: str) -> Array:
    try:
        values = np.array([[float(word) for word in row] for row in rows])
    except ValueError as error:
        raise TerrainError("a vertex is no three numbers", place=place) from error
    if values.ndim != 2 or values.shape[1] != 3:
        raise TerrainError("a vertex has three numbers", place=place, value=values.shape)
    return values


def _corner(word: str, count: int, place: str) -> int:
    try:
        number = int(word.split("/")[0])
    except ValueError as error:
        raise TerrainError("a face names corners by number", place=place, value=word) from error
    index = number - 1 if number > 0 else count + number
    if not 0 <= index < count or number == 0:
        raise TerrainError(
            "a face names a corner that does not exist", place=place, value=number, limit=f"1 to {count}"
        )
    return index


def _checked(triangles: Array, place: str) -> Array:
    if not len(triangles):
        raise TerrainError("the mesh has no triangles", place=place)
    return finite(triangles, place)
