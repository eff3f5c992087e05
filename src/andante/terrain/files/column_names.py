"""Names of the columns of a table: which have x, y and z, which the rows and columns of a grid, in which unit."""

from __future__ import annotations

import re

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.found import Points
from andante.terrain.files.limits import MOST_NODES
from andante.terrain.height_map import TerrainError

_AXES: tuple[frozenset[str], ...] = (
    frozenset(("x", "easting", "east", "e", "rechtswert", "ostwert", "este", "points:0", "points_0")),
    frozenset(("y", "northing", "north", "n", "hochwert", "nordwert", "norte", "points:1", "points_1")),
    frozenset(
        (
            *("z", "height", "elevation", "elev", "altitude", "alt", "h", "dem", "dtm", "points:2", "points_2"),
            *("höhe", "hoehe", "hauteur", "élévation", "cota", "altura", "elevación", "elevacion", "altitud"),
            *("quota", "altezza", "elevazione", "elevação", "hoogte", "高程", "高度", "標高", "标高"),
        )
    ),
)
"""What columns of points are called, those of ParaView at last."""
_ENDS = ("_x", "_y", "_z")
"""How names of columns end that are of x, y and z of something; whole names go before."""
_INDICES = (
    frozenset(("row", "rows", "row_index", "i", "ix")),
    frozenset(("column", "col", "cols", "col_index", "column_index", "j", "iy")),
)
"""Of the nodes of a grid that are counted."""
_DEGREES = (frozenset(("lon", "long", "longitude", "lng")), frozenset(("lat", "latitude")))
"""Of places on the globe."""
_UNIT = re.compile(r"[\[(].*[\])]$|_(?:mm|cm|dm|m|km|ft|ftus)$", re.IGNORECASE)
_LENGTHS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "km": 1000.0, "in": 0.0254, "ft": 0.3048, "ftus": 1200.0 / 3937.0}
"""Units of length in the names of columns [m]."""
_WORDS = _LENGTHS | dict.fromkeys(("m", "metre", "metres", "meter", "meters"), 1.0)
"""Units as they stand in a row of their own."""


def named(word: str) -> str:
    """The name of a column: without its unit, and without the message that it was a field of."""
    return _UNIT.sub("", word.lower()).strip().rsplit(".", 1)[-1]


def unit_of(word: str) -> float:
    """The unit of length in the name of a column [m]; 1 where there is none."""
    told = _UNIT.search(word.strip())
    return 1.0 if told is None else _LENGTHS.get(told[0].strip("[()]_ ").lower(), 1.0)


def units_below(words: list[str], columns: list[int]) -> list[float] | None:
    """Units of length [m] of a row that stands below the names of columns; None: those of x, y and z are none."""
    told = [word.lower().strip(" []()") for word in words]
    if len(told) <= max(columns) or any(told[k] not in _WORDS for k in columns):
        return None
    return [_WORDS.get(word, 1.0) for word in told]


def in_metres(
    places: Array, names: list[str], columns: list[int], units: list[float], more: tuple[str, ...] = ()
) -> Points:
    """Points (n, 3) of some columns; ``units`` [m] and names are of all columns, or none; with notes and ``more``."""
    notes, told = list(more), [names[k] for k in columns if k < len(names)]
    if told and any(name not in axis for name, axis in zip(told, _AXES, strict=False)):
        notes.append(f"x, y and z are the columns {', '.join(told)}")
    lengths = [units[k] for k in columns if k < len(units)]
    if any(length != 1.0 for length in lengths) and len(lengths) == 3:
        notes.append(f"the columns {', '.join(told)} are in units of {', '.join(f'{each:g} m' for each in lengths)}")
        places = places * lengths
    return Points(places, tuple(notes))


def columns_of(names: list[str], width: int) -> list[int] | None:
    """Columns of x, y and z by their names; None: not all have one, or a name is there twice."""
    if len(names) != width:
        return None
    found = [
        [k for k, name in enumerate(names) if name in axis] or [k for k, name in enumerate(names) if name.endswith(end)]
        for axis, end in zip(_AXES, _ENDS, strict=True)
    ]
    if width == 3 and not found[2]:
        # Whatever the heights are called.
        found[2] = [k for k in range(3) if k not in (*found[0], *found[1])]
    if any(len(each) != 1 for each in found) or len({each[0] for each in found}) != 3:
        return None
    return [each[0] for each in found]


def refuse_no_heights(names: list[str], width: int, place: str) -> None:
    """Refuse points whose names tell x and y and, of several columns that are left, none as heights: the first three
    would be others.

    Raises:
        TerrainError: They are such ones.
    """
    if len(names) == width > 3 and all(sum(name in axis for name in names) == 1 for axis in _AXES[:2]):
        raise TerrainError(
            "no column is named as one of heights, or several are", place=place, value=", ".join(names)[:200],
            remedy="call it z, or say rows=points where x, y and z are the first three columns",
        )  # fmt: skip


def counted(names: list[str], width: int) -> list[int] | None:
    """Columns of row, column and height of a table of nodes that are counted; None: it is none."""
    if len(names) != width:
        return None
    found = [[k for k, name in enumerate(names) if name in each] for each in (*_INDICES, _AXES[2])]
    if width == 3 and not found[2]:
        found[2] = [k for k in range(3) if k not in (*found[0], *found[1])]
    return [each[0] for each in found] if all(len(each) == 1 for each in found) else None


def grid_of_counted(nodes: Array, place: str) -> Array:
    """Heights (rows, columns) of nodes (n, 3): row, column and height; NaN where none stands.

    Raises:
        TerrainError: Rows and columns are no whole numbers, or too many.
    """
    numbers = nodes[:, :2]
    if not (np.isfinite(numbers).all() and (numbers == np.round(numbers)).all()):
        bad = nodes[int(np.argmin((numbers == np.round(numbers)).all(axis=1)))]
        raise TerrainError("rows and columns are whole numbers", place=place, value=bad[:2].tolist())
    numbers = numbers - numbers.min(axis=0)
    shape = numbers.max(axis=0) + 1.0
    if shape.min() < 2.0 or shape[0] * shape[1] > MOST_NODES:
        raise TerrainError("is no size of a grid", place=place, value=shape.tolist(), limit=f"2 x 2 to {MOST_NODES}")
    heights = np.full((int(shape[0]), int(shape[1])), np.nan)
    i, j = numbers.astype(np.int64).T
    if len(np.unique(i * heights.shape[1] + j)) < len(i):
        raise TerrainError("a node stands twice in the table", place=place, limit="one height for each row and column")
    heights[i, j] = nodes[:, 2]
    return heights


def refuse_degrees(names: list[str], place: str) -> None:
    """Refuse a table whose places are told by longitude and latitude alone.

    Raises:
        TerrainError: They are.
    """
    found = [name for name in names if any(name in each for each in _DEGREES)]
    if all(any(name in each for name in names) for each in _DEGREES):
        raise TerrainError(
            "the places are in degrees", place=place, value=", ".join(found),
            remedy="project them to metres, for example by cs2cs or gdalwarp",
        )  # fmt: skip
