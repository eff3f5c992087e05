"""ASCII grids (.asc) as terrain: those of ESRI, and those of GRASS (r.out.ascii).

The formats: github.com/OSGeo/gdal documents them as AAIGrid and GRASSASCIIGrid. A head of names and numbers, then the
heights row by row, the first row the farthest to the north. GRASS tells the outer ends of the cells and their count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from andante.terrain.files.found import Raster, is_nodata
from andante.terrain.files.limits import MOST_NODES, numbers_in
from andante.terrain.height_map import TerrainError

_HEAD = 4096
_ENTRY = re.compile(rb"\s*([A-Za-z_]+)[ \t]*[=:]?[ \t]+([^\s]+)[ \t]*(?:\r\n|\n|\r)")
_COMMENTS = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*#[^\r\n]*(?:\r\n|\n|\r))*")
_NAMES = (
    *("ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter"),
    *("cellsize", "dx", "dy", "nodata_value"),
)
_GRASS = ("north", "south", "east", "west", "rows", "cols", "null", "type", "multiplier")
"""Those of GRASS."""
_ALSO = {"nodata": "nodata_value", "xllcentre": "xllcenter", "yllcentre": "yllcenter", "cell_size": "cellsize"}
"""How some programs write these names."""
_KINDS = ("int", "float", "double")
"""What the type of a grid of GRASS may be: it changes no number."""
_USUAL_NODATA = -9999.0
"""What says unknown in a file that does not say it."""
_WORD = re.compile(rb"[^\s,]{1,40}")
"""A word that says unknown, as programs write it: null, *, 1.#QNAN."""


def begins_grid(content: bytes) -> bool:
    """Whether a text begins as an ASCII grid does: with a name of its head and a value."""
    at = _begin(content)
    entry = _ENTRY.match(content[at : at + _HEAD])
    if entry is None:
        return False
    name = entry[1].decode().lower()
    return _ALSO.get(name, name) in (*_NAMES, *_GRASS)


def _begin(content: bytes) -> int:
    """Where a head begins, behind comments that start with #."""
    found = _COMMENTS.match(content[: 4 * _HEAD])
    return 0 if found is None else found.end()


def read_asc(content: bytes, place: str, nodata: float | None = None) -> Raster:
    """The raster in an ASCII grid of ESRI or of GRASS; its nodes are the middles of the cells. Decimal commas are read.

    Args:
        content: The file.
        place: The file's name.
        nodata: Number that says unknown; None: the file's NODATA_value or null, a number or a word, else -9999, in
            GRASS a star.

    Raises:
        TerrainError: Not such a grid, cut short, or too large.
    """
    head: dict[str, float] = {}
    word = b""
    at = _begin(content)
    while (entry := _ENTRY.match(content[at : at + _HEAD])) is not None:
        name = entry[1].decode().lower()
        name = _ALSO.get(name, name)
        if name in ("nan", "inf") or (word and name == word.decode("latin-1").lower()):
            break
        if name == "type" and entry[2].decode("latin-1").lower() in _KINDS:
            at += entry.end()
            continue
        if name not in _NAMES and name not in _GRASS:
            raise TerrainError(
                "there is no such entry in the head of an ASCII grid", place=place, value=name, legal=(*_NAMES, *_GRASS)
            )
        if name in head:
            raise TerrainError("an entry stands twice in the head", place=place, value=name)
        try:
            head[name] = float(entry[2].replace(b",", b"."))
        except ValueError as error:
            if name in ("nodata_value", "null") and _WORD.fullmatch(entry[2]):
                word, head[name] = entry[2], math.nan
                at += entry.end()
                continue
            raise TerrainError(
                "an entry of the head is no number", place=place, value=entry[2][:50].decode("latin-1")
            ) from error
        at += entry.end()
    if not head:
        raise TerrainError(
            "is no ASCII grid", place=place, limit="ncols, nrows, ..., or north, south, ... stand at its head"
        )
    factor = 1.0
    if not head.keys().isdisjoint(_GRASS):
        head, factor = _of_grass(head, place)
        word = word or b"*"
    sizes = []
    for name in ("nrows", "ncols"):
        if not (head.get(name, 0.0).is_integer() and 2.0 <= head.get(name, 0.0) <= MOST_NODES):
            raise TerrainError(f"{name} is no size of a grid", place=place, value=head.get(name), limit="2 or more")
        sizes.append(int(head[name]))
    rows, columns = sizes
    if rows * columns > MOST_NODES:
        raise TerrainError("the grid is too large", place=place, value=(rows, columns), limit=f"{MOST_NODES} nodes")
    wide = head.get("dx", head.get("cellsize", 0.0))
    high = head.get("dy", head.get("cellsize", 0.0))
    if not (wide > 0.0 and high > 0.0 and np.isfinite((wide, high)).all()):
        raise TerrainError("the cell size must be above zero", place=place, value=(wide, high))
    first = []
    for axis, cell in (("x", wide), ("y", high)):
        told = [
            (head[name], half) for name, half in ((f"{axis}llcorner", 0.5), (f"{axis}llcenter", 0.0)) if name in head
        ]
        if len(told) != 1:
            raise TerrainError(f"an ASCII grid has either {axis}llcorner or {axis}llcenter", place=place)
        first.append(told[0][0] + told[0][1] * cell)
    body = content[at:]
    if word:
        # As a word only where it stands alone.
        body = re.sub(rb"(?<!\S)" + re.escape(word) + rb"(?!\S)", b"nan", body)
    values = numbers_in(body.replace(b",", b"."), place, rows * columns)
    if len(values) != rows * columns:
        raise TerrainError(
            "the grid has not as many heights as its head says",
            place=place,
            value=len(values),
            limit=f"{rows} x {columns}",
        )
    missing = nodata if nodata is not None else head.get("nodata_value", _USUAL_NODATA)
    values[is_nodata(values, missing)] = np.nan
    return Raster(factor * values.reshape(rows, columns)[::-1].T, np.diag((wide, high)), (first[0], first[1]))


def _of_grass(head: Mapping[str, float], place: str) -> tuple[dict[str, float], float]:
    """The head of a grid of GRASS by ESRI's names, and the factor on its heights.

    Raises:
        TerrainError: Entries of both, or one is missing.
    """
    foreign = [name for name in head if name not in _GRASS]
    missing = [name for name in _GRASS[:6] if name not in head]
    if foreign or missing:
        raise TerrainError(
            "the head of an ASCII grid is that of ESRI or that of GRASS",
            place=place,
            value=(foreign or missing)[0],
            limit=f"{', '.join(_NAMES)}; or {', '.join(_GRASS)}",
        )
    rows, columns = head["rows"], head["cols"]
    found = {"nrows": rows, "ncols": columns, "xllcorner": head["west"], "yllcorner": head["south"]}
    found["dx"] = (head["east"] - head["west"]) / max(columns, 1.0)
    found["dy"] = (head["north"] - head["south"]) / max(rows, 1.0)
    # Its unknown is a star; the number that ESRI's programs write by habit is none here.
    found["nodata_value"] = head.get("null", math.nan)
    return found, head.get("multiplier", 1.0)
