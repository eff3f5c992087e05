"""Units of coordinates and heights, as GeoTIFF's keys and the well-known texts of coordinate systems tell them.

The keys: Open Geospatial Consortium, "OGC GeoTIFF Standard", version 1.1; LAS clouds carry the same. The texts: OGC
01-009 and OGC 18-010.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from andante.terrain.files.geo_systems import (
    FOOT,
    METRES,
    SURVEY_FOOT,
    counts_down,
    unit_in_name,
    unit_of_heights,
    unit_of_places,
)
from andante.terrain.height_map import TerrainError

KEYS, KEY_NUMBERS, KEY_TEXTS = 34735, 34736, 34737
"""Codes of the tags, and of the records of a LAS file, that hold keys, their numbers and their texts."""
_MODEL_TYPE, _GLOBAL, _LINEAR_UNITS, _UNIT_LENGTH, _VERTICAL_UNITS = 1024, 2048, 3076, 3077, 4099
_CITATION, _PROJECTED, _PROJECTED_CITATION, _VERTICAL, _VERTICAL_CITATION = 1026, 3072, 3073, 4096, 4097
_OWN = 32767
"""Says of a system or a unit that it has no code, and is defined by the file."""
_WEB_MERCATOR, _EARTH = (3857, 3785, 900913), 6378137.0
"""Codes of Web Mercator, and its radius of the earth [m] (EPSG register, method 1024)."""
_GEOGRAPHIC, _GEOCENTRIC = 2, 3
_METRIC_HEIGHTS = (3855, 5701, 5703, 5709, 5710, 5773, 5783, 7837)
"""Systems of heights in metres that are so common that nobody has to be told."""
NAMED_UNITS = {
    name: length
    for length, names in {
        1.0: ("m", "metre", "metres", "meter", "meters"),
        0.1: ("dm",),
        0.01: ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
        0.001: ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
        1000.0: ("km",),
        METRES[FOOT]: ("ft", "foot", "feet", "international foot"),
        METRES[SURVEY_FOOT]: ("us survey foot", "us_survey_foot", "foot_us", "us-ft", "us_ft", "ftus"),
    }.items()
    for name in names
}
"""Length of the units of heights, as GDAL and others name them [m]."""
_LONGEST = 100_000
"""Longest text of a coordinate system that is looked at."""
_SYSTEM = re.compile(r"\b(PROJCS|PROJCRS|PROJECTEDCRS|LOCAL_CS|ENGCRS|ENGINEERINGCRS)\s*[\[(]", re.IGNORECASE)
_HEIGHTS = re.compile(r"\b(VERT_CS|VERTCS|VERTCRS|VERTICALCRS|VERT_CRS)\s*[\[(]", re.IGNORECASE)
_GLOBE = re.compile(r"\b(GEOGCS|GEOGCRS|GEOGRAPHICCRS|GEOCCS|GEODCRS|GEODETICCRS)\s*[\[(]", re.IGNORECASE)
_UNIT = re.compile(r"\b(?:LENGTHUNIT|UNIT)\s*[\[(]\s*\"[^\"]{0,100}\"\s*,\s*([0-9.eE+-]{1,40})", re.IGNORECASE)


def lengths_of_keys(tags: Mapping[int, Any], place: str, notes: list[str], *, said: bool) -> tuple[float, float]:
    """Length of the units of x and y, and of heights, by GeoTIFF's keys [m].

    Args:
        tags: Values by the codes of their tags.
        place: The file.
        notes: What a user should know of it is added.
        said: Whether something else says the unit of heights, so that the keys need not.

    Raises:
        TerrainError: Degrees, geocentric coordinates, depths, a unit that is not known, or none where it is needed.
    """
    keys = keys_of(tags)
    model = keys.get(_MODEL_TYPE, 0)
    # Of a file that does not say what its system is, one on the globe tells it.
    if model in (_GEOGRAPHIC, _GEOCENTRIC) or (model == 0 and keys.get(_GLOBAL, 0) and not keys.get(_PROJECTED, 0)):
        raise _no_lengths(place)
    texts = {key: _text_of(tags, key) for key in (_CITATION, _PROJECTED_CITATION, _VERTICAL_CITATION)}
    # Programs of ESRI write the system's well-known text where others write its name.
    known = next((text for text in texts.values() if _SYSTEM.search(text) or _HEIGHTS.search(text)), "")
    told = lengths_of_text(known, place) if known else (1.0, None)
    level = keys.get(_LINEAR_UNITS, 0)
    if level == _OWN:
        metres = _own_unit(tags, place)
    elif level:
        metres = _metres(level, place)
    elif known:
        metres = told[0]
    else:
        code = _unit_by_name(keys.get(_PROJECTED, 0), texts[_CITATION], notes)
        metres = 1.0 if code is None else METRES[code]
    high = _length_of_heights(keys, texts, told[1], place, notes)
    if high is None and keys.get(_VERTICAL_UNITS) == _OWN and not said:
        # GeoTIFF has no key for its length.
        raise TerrainError(
            "the heights have a unit of their own, of which the file says no length", place=place,
            remedy="say it in metres by height_scale; height_scale=1 where it is the metre",
        )  # fmt: skip
    return metres, heights_in(metres, high, said=said, place=place)


def lengths_of_text(text: str, place: str) -> tuple[float, float | None]:
    """Length of the units of x and y, and of heights, by the well-known text of a coordinate system [m].

    Args:
        text: The text, as of OGC 01-009 (PROJCS and the like) or OGC 18-010 (PROJCRS and the like).
        place: The file.

    Raises:
        TerrainError: Degrees, geocentric coordinates, or a unit without a length.
    """
    text = text[:_LONGEST]
    level = _SYSTEM.search(text)
    if level is None and _GLOBE.search(text):
        raise _no_lengths(place)
    high = _HEIGHTS.search(text)
    found = [None if each is None else _last_unit(_within(text, each.end()), place) for each in (level, high)]
    return found[0] or 1.0, found[1]


def heights_in(metres: float, high: float | None, *, said: bool, place: str) -> float:
    """Length of the unit of heights [m]; of a file that says none it is the metre where x and y are in metres too.

    Args:
        metres: Length of the unit of x and y [m].
        high: That of heights, as the file says it [m]; None: it says none.
        said: Whether the user says it, whose factor then counts alone.
        place: The file.

    Raises:
        TerrainError: Nobody says it, and x and y are in another unit than metres: heights come in both.
    """
    if high is None and metres != 1.0 and not said:
        raise TerrainError(
            f"a unit of x and y is {metres:.7g} m, of heights the file says none", place=place,
            remedy=f"height_scale={metres:.7g} where they have the same, height_scale=1 where they are in metres",
        )  # fmt: skip
    return 1.0 if high is None else high


def tell_stretch(tags: Mapping[int, Any], north: float, notes: list[str]) -> None:
    """Note by how much lengths of Web Mercator are longer than those on the ground, 1 / cos(latitude), where the keys
    name it; ``north`` is the northing of the map's middle."""
    if keys_of(tags).get(_PROJECTED) not in _WEB_MERCATOR:
        return
    stretch = math.cosh(north / _EARTH)
    if stretch > 1.001:
        notes.append(
            f"lengths of Web Mercator (EPSG:3857) are {stretch:.3f} times those on the ground here, heights are not: "
            "warp it to UTM, for example by gdalwarp -t_srs"
        )


def keys_of(tags: Mapping[int, Any], where: int = 0) -> dict[int, int]:
    """Of the directory of GeoTIFF's keys the short values, or where in another tag a value stands."""
    numbers = np.ravel(tags.get(KEYS, ()))[4:4096].astype(np.int64).tolist()
    rows = zip(*[iter(numbers)] * 4, strict=False)
    return {key: value for key, place, _, value in rows if place == where}


def _no_lengths(place: str) -> TerrainError:
    return TerrainError(
        "the map is in degrees or geocentric",
        place=place,
        remedy="project it to metres, for example by gdalwarp -t_srs",
    )


def _text_of(tags: Mapping[int, Any], key: int) -> str:
    """The text of a key; empty: there is none."""
    at = keys_of(tags, KEY_TEXTS).get(key)
    return "" if at is None else str(tags.get(KEY_TEXTS) or "")[at : at + _LONGEST].partition("|")[0]


def _unit_by_name(code: int, citation: str, notes: list[str]) -> int | None:
    """Code of the unit of a coordinate system that the file names and of whose unit it says nothing, as GDAL writes
    systems with heights of their own; None: metres."""
    if code in (0, _OWN):
        return None
    name = citation.partition(" + ")[0]
    # As the EPSG register names systems in feet.
    found = unit_in_name(name) or unit_of_places(code)
    system = f"EPSG:{code}" + (f" ({name})" if name else "")
    unit = {None: "metres", FOOT: "feet", SURVEY_FOOT: "US survey feet"}[found]
    notes.append(f"the file names {system} and no unit of x and y: read as {unit}")
    return found


def _length_of_heights(
    keys: Mapping[int, int], texts: Mapping[int, str], known: float | None, place: str, notes: list[str]
) -> float | None:
    """Length of the unit of heights by keys, names and the well-known text (``known``) [m]; None: nothing tells it."""
    system, unit = keys.get(_VERTICAL, 0), keys.get(_VERTICAL_UNITS, 0)
    if counts_down(system):
        raise TerrainError(
            "the map has depths, not heights", place=place, value=f"EPSG:{system}",
            remedy="turn their sign and save them as heights, for example by gdal_calc.py --calc=-A",
        )  # fmt: skip
    if unit not in (0, _OWN):
        return _metres(unit, place)
    if known is not None:
        return known
    # The name of both systems has that of heights behind a plus.
    named = texts[_VERTICAL_CITATION] or texts[_CITATION].partition(" + ")[2]
    code = unit_of_heights(system) or unit_in_name(named)
    if code is not None:
        return METRES[code]
    if unit == _OWN or system in (0, _OWN):
        return None
    if system not in _METRIC_HEIGHTS:
        notes.append(f"the file names heights by EPSG:{system} and no unit of them: read as metres")
    return 1.0


def _own_unit(tags: Mapping[int, Any], place: str) -> float:
    """Length of a unit that the file defines itself [m]."""
    at, values = keys_of(tags, KEY_NUMBERS).get(_UNIT_LENGTH, -1), np.ravel(tags.get(KEY_NUMBERS, ()))
    if 0 <= at < len(values) and values.dtype.kind == "f" and 0.0 < values[at] < np.inf:
        return float(values[at])
    raise TerrainError(
        "the map has a unit of length of its own and does not say how long it is", place=place,
        limit="GeoTIFF key 3077, in metres",
    )  # fmt: skip


def _metres(code: int, place: str) -> float:
    if code not in METRES:
        raise TerrainError("the map's unit of length is not known", place=place, value=code, limit=f"{sorted(METRES)}")
    return METRES[code]


def _within(text: str, begin: int) -> str:
    """What stands in the bracket that opens before ``begin``; names in quotes may have brackets of their own."""
    depth, quoted = 1, False
    for at in range(begin, len(text)):
        letter = text[at]
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "[(":
            depth += 1
        elif not quoted and letter in "])":
            depth -= 1
            if depth == 0:
                return text[begin:at]
    return text[begin:]


def _last_unit(system: str, place: str) -> float | None:
    """Length of a system's own unit, the last one that stands in it: those of what it is based on go before."""
    found = _UNIT.findall(system)
    if not found:
        return None
    try:
        length = float(found[-1])
    except ValueError:
        length = 0.0
    if not 0.0 < length < np.inf:
        raise TerrainError("the map's unit of length has no length", place=place, value=found[-1], limit="> 0 m")
    return length
