"""Projection files: in which units a grid or an image lies that says none, told by a small text beside it (.prj).

Two forms are in use: the well-known text of a coordinate system, and the words of ArcInfo, one in a line, of which
Units and Zunits count ("Coordinate Projections", ArcInfo's help: ESRI's programs still write it beside ASCII grids).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.terrain.files.found import Raster
from andante.terrain.files.geo_systems import METRES, SURVEY_FOOT
from andante.terrain.files.geo_units import heights_in, lengths_of_text
from andante.terrain.height_map import TerrainError

GRIDS = frozenset((".asc",))
"""Endings of files that tell places and never their unit."""
_LARGEST = 100_000
_WORDS = re.compile(r"^[ \t]*(z?units)[ \t]+([A-Za-z]+|[0-9.]+)", re.IGNORECASE | re.MULTILINE)
_LENGTHS = {
    **dict.fromkeys(("METERS", "METRES", "METER", "METRE"), 1.0),
    **dict.fromkeys(("FEET", "FOOT"), METRES[SURVEY_FOOT]),
}
"""Lengths of ArcInfo's units [m]; its feet are those of the US survey."""
_NONE = ("NO", "NONE")


def projection_file_of(path: Path) -> Path | None:
    """The projection file beside a grid or an image: field.prj of field.asc; None: there is none."""
    names = (path.with_suffix(ending) for ending in (".prj", ".PRJ"))
    return next((each for each in names if path.suffix.lower() != ".prj" and each.is_file()), None)


def in_units_of(raster: Raster, path: Path, *, said: bool) -> Raster:
    """A raster whose file says no units, in metres as its projection file tells them.

    Args:
        raster: The raster, with steps.
        path: The projection file.
        said: Whether the user says the unit of heights.

    Raises:
        TerrainError: It cannot be read, the map is in degrees, or a unit is not known or not told.
    """
    try:
        text = read_bytes(path, max_bytes=_LARGEST).decode("utf-8", errors="replace")
    except DocumentError as error:
        raise TerrainError(f"the projection file {error.what}", place=str(path), value=error.value) from error
    words = {name.upper(): value.upper() for name, value in _WORDS.findall(text)}
    level, high = _of_words(words, path) if words and "[" not in text else lengths_of_text(text, str(path))
    heights = 1.0 if raster.metres else heights_in(level, high, said=said, place=str(path))
    if raster.steps is None or level == heights == 1.0:
        return raster
    note = f"{path.name} beside the file says that a unit of x and y is {level:.7g} m"
    if not raster.metres:
        note += f", one of heights {heights:.7g} m"
    return replace(
        raster,
        heights=raster.heights * heights,
        steps=raster.steps * level,
        first=(raster.first[0] * level, raster.first[1] * level),
        variance=None if raster.variance is None else raster.variance * heights**2,
        notes=(*raster.notes, note),
    )


def _of_words(words: dict[str, str], path: Path) -> tuple[float, float | None]:
    """Lengths of the units of x and y and of heights [m] by ArcInfo's words; None: none of heights is told."""
    level, high = words.get("UNITS", "METERS"), words.get("ZUNITS", "NO")
    if level in ("DD", "DS", "DMS"):
        raise TerrainError(
            "the map is in degrees", place=str(path), value=level,
            remedy="project it to metres, for example by gdalwarp -t_srs",
        )  # fmt: skip
    for word in (level, high):
        if word not in _LENGTHS and word not in _NONE:
            raise TerrainError(
                "the map's unit of length is not known", place=str(path), value=word, legal=(*_LENGTHS, _NONE[0]),
                remedy="scale=LENGTH says it, and the file beside does not count then",
            )  # fmt: skip
    return _LENGTHS.get(level, 1.0), _LENGTHS.get(high)
