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

from andante.terrain.height_map import TerrainError

KEYS, KEY_NUMBERS, KEY_TEXTS = 34735, 34736, 34737
"""Codes of the tags, and of the records of a LAS file, that hold keys, their numbers and their texts."""
_MODEL_TYPE, _LINEAR_UNITS, _UNIT_LENGTH, _VERTICAL_UNITS = 1024, 3076, 3077, 4099
_CITATION, _PROJECTED, _VERTICAL = 1026, 3072, 4096
_OWN_UNIT = 32767
_WEB_MERCATOR, _EARTH = (3857, 3785, 900913), 6378137.0
"""Codes of Web Mercator, and its radius of the earth [m] (EPSG register, method 1024)."""
_GEOGRAPHIC, _GEOCENTRIC = 2, 3
_FOOT, _SURVEY_FOOT = 9002, 9003
METRES = {9001: 1.0, _FOOT: 0.3048, _SURVEY_FOOT: 1200.0 / 3937.0}
"""Length of the units of lengths that occur, by their codes in the EPSG register [m]: metre, foot, US survey foot."""
_VERTICAL_IN_FEET = {
    **dict.fromkeys((6130, 6131, 6132, 8050, 8228), _FOOT),
    **dict.fromkeys((5702, 6360, 8052, 10919), _SURVEY_FOOT),
}
"""Systems of heights that are not in metres, by their codes in the EPSG register, and the codes of their units."""
NAMED_UNITS = {
    name: length
    for length, names in {
        1.0: ("m", "metre", "metres", "meter", "meters"),
        0.1: ("dm",),
        0.01: ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
        0.001: ("mm", "millimetre", "millimetres", "millimeter", "millimeters"),
        1000.0: ("km",),
        METRES[_FOOT]: ("ft", "foot", "feet", "international foot"),
        METRES[_SURVEY_FOOT]: ("us survey foot", "us_survey_foot", "foot_us", "us-ft", "us_ft", "ftus"),
    }.items()
    for name in names
}
"""Length of the units of heights, as GDAL and others name them [m]."""
_LONGEST = 100_000
"""Longest text of a coordinate system that is looked at."""
_SYSTEM = re.compile(r"\b(PROJCS|PROJCRS|PROJECTEDCRS|LOCAL_CS|ENGCRS|ENGINEERINGCRS)\s*[\[(]", re.IGNORECASE)
_HEIGHTS = re.compile(r"\b(VERT_CS|VERTCRS|VERTICALCRS|VERT_CRS)\s*[\[(]", re.IGNORECASE)
_GLOBE = re.compile(r"\b(GEOGCS|GEOGCRS|GEOGRAPHICCRS|GEOCCS|GEODCRS|GEODETICCRS)\s*[\[(]", re.IGNORECASE)
_UNIT = re.compile(r"\b(?:LENGTHUNIT|UNIT)\s*[\[(]\s*\"[^\"]{0,100}\"\s*,\s*([0-9.eE+-]{1,40})", re.IGNORECASE)


def lengths_of_keys(tags: Mapping[int, Any], place: str, notes: list[str]) -> tuple[float, float | None]:
    """Length of the units of x and y, and of heights, by GeoTIFF's keys [m]; None: nothing tells that of heights.

    Args:
        tags: Values by the codes of their tags.
        place: The file.
        notes: What a user should know of it is added.

    Raises:
        TerrainError: Degrees, geocentric coordinates, or a unit that is not known.
    """
    keys = keys_of(tags)
    if keys.get(_MODEL_TYPE) in (_GEOGRAPHIC, _GEOCENTRIC):
        raise _no_lengths(place)
    level = keys.get(_LINEAR_UNITS)
    high = keys.get(_VERTICAL_UNITS, _VERTICAL_IN_FEET.get(keys.get(_VERTICAL, 0)))
    if level is None:
        level = _unit_by_name(tags, keys, notes)
    metres = _own_unit(tags, place) if level == _OWN_UNIT else _metres(level, place)
    return metres, None if high is None else _metres(high, place)


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


def tell_heights(metres: float, notes: list[str]) -> None:
    """Note that the heights' unit is told nowhere where that of x and y, of so many metres, is another one."""
    if metres != 1.0:
        notes.append(
            f"a unit of x and y is {metres:.7g} m, of heights the file says none: read as metres; "
            f"height_scale={metres:.7g} where they have the same"
        )


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


def _unit_by_name(tags: Mapping[int, Any], keys: Mapping[int, int], notes: list[str]) -> int | None:
    """Code of the unit of a coordinate system that the file names and of whose unit it says nothing, as GDAL writes
    systems with heights of their own; None: metres."""
    code = keys.get(_PROJECTED, 0)
    if code in (0, _OWN_UNIT):
        return None
    at, texts = keys_of(tags, KEY_TEXTS).get(_CITATION, 0), str(tags.get(KEY_TEXTS) or "")
    name = texts[at:].partition("|")[0].partition(" + ")[0]
    # As the EPSG register names systems in feet.
    found = _SURVEY_FOOT if "(ftUS)" in name else _FOOT if "(ft)" in name else None
    system = f"EPSG:{code}" + (f" ({name})" if name else "")
    unit = {None: "metres", _FOOT: "feet", _SURVEY_FOOT: "US survey feet"}[found]
    notes.append(f"the file names {system} and no unit of x and y: read as {unit}")
    return found


def _own_unit(tags: Mapping[int, Any], place: str) -> float:
    """Length of a unit that the file defines itself [m]."""
    at, values = keys_of(tags, KEY_NUMBERS).get(_UNIT_LENGTH, -1), np.ravel(tags.get(KEY_NUMBERS, ()))
    if 0 <= at < len(values) and values.dtype.kind == "f" and 0.0 < values[at] < np.inf:
        return float(values[at])
    raise TerrainError(
        "the map has a unit of length of its own and does not say how long it is", place=place,
        limit="GeoTIFF key 3077, in metres",
    )  # fmt: skip


def _metres(code: int | None, place: str) -> float:
    if code is None or code in (0, _OWN_UNIT):
        return 1.0
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
