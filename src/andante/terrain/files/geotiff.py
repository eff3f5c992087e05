"""GeoTIFF and TIFF as terrain, read by tifffile.

Tags and keys are those of the standard: Open Geospatial Consortium, "OGC GeoTIFF Standard", version 1.1.
"""

from __future__ import annotations

import io
import logging
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from andante.spatial.arrays import Array, Flags
from andante.terrain.files.found import Raster
from andante.terrain.files.geo_units import NAMED_UNITS, keys_of, lengths_of_keys, tell_stretch
from andante.terrain.files.limits import MOST_NODES
from andante.terrain.height_map import TerrainError

_SCALE, _TIEPOINT, _TRANSFORMATION = 33550, 33922, 34264
_GDAL_METADATA, _GDAL_NODATA = 42112, 42113
_RASTER_TYPE, _PIXEL_IS_POINT = 1025, 2
_COLOURED = 2
"""PhotometricInterpretation of red, green and blue."""
_PLAIN, _DEFLATE = 1, (8, 32946)
_MOST_SEGMENTS = 100_000
_MOST_PAGES = 20
"""Pages among which one looks for the mask of the first."""


def read_tiff(
    content: bytes,
    place: str,
    *,
    layer: str | None = None,
    nodata: float | None = None,
    span: tuple[float, float],
    said: bool = False,
) -> Raster:
    """The raster in a TIFF file: with the axes and units of a GeoTIFF, else as an image lies.

    Args:
        content: The file.
        place: The file's name.
        layer: Number of the band, from 1; None: 1.
        nodata: Number in the file that says unknown; None: what the file says.
        span: Heights of black and white of a TIFF of whole positive numbers that has no axes [m].
        said: Whether the user says the unit of heights, of which a file in feet has to say it else.

    Raises:
        TerrainError: Not such a file, damaged, too large, packed in a way that needs another library, of complex
            numbers or colours by table, in degrees, or in a unit that nobody says.
    """
    import tifffile

    # It tells its doubts about damaged files to the screen.
    logging.getLogger("tifffile").addHandler(logging.NullHandler())
    if content[:4] not in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        raise TerrainError("is no TIFF file", place=place)
    try:
        with tifffile.TiffFile(io.BytesIO(content)) as file:
            page: Any = file.pages[0]
            if not isinstance(page, tifffile.TiffPage):
                raise TerrainError("is no TIFF file", place=place)
            tags = {tag.code: tag.value for tag in page.tags.values() if tag.count <= 1_000_000}
            pages: list[Any] = [page, *(each for each in file.pages[1:_MOST_PAGES] if _is_band(each, page))]
            if len(pages) > 1 and layer is not None:
                page = pages[_numbered(layer, len(pages), place)]
            band = 0 if layer is None or len(pages) > 1 else _numbered(layer, max(1, int(page.samplesperpixel)), place)
            _check(page, content, place)
            pixels = page.asarray()
            masks = [each for each in file.pages[1:_MOST_PAGES] if _masks(each, page)]
            for each in masks:
                _check(each, content, place, kinds="biu")
            shown = [np.asarray(each.asarray()) != 0 for each in masks]
    except (
        *(ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError, ImportError, StopIteration),
        *(ArithmeticError, MemoryError, OSError, EOFError, RuntimeError, struct.error, zlib.error, LookupError),
    ) as error:
        raise TerrainError("the TIFF is damaged", place=place, value=str(error)[:200] or None) from error
    planar = page.planarconfig == 2 and page.samplesperpixel > 1
    raw = _two_dimensional(pixels, band, planar, place)
    opaque = _opaque(page)
    if opaque is not None and opaque != band:
        shown.append(_two_dimensional(pixels, opaque, planar, place) != 0)
    shown = [each for each in shown if each.shape == raw.shape]
    found = _raster(raw, tags, band, place, nodata, span, shown, said=said)
    count = max(len(pages), int(page.samplesperpixel) - (opaque is not None))
    if layer is None and count > 1:
        note = f"the first of {count} bands; layer=NUMBER takes another one"
        if page.photometric == _COLOURED:
            note = f"the image is in colours, of which heights are the first: {note}"
        return replace(found, notes=(*found.notes, note))
    return found


def _is_band(each: Any, page: Any) -> bool:
    """Whether a page is another band of the first one, as programs write them that keep one band in each page."""
    return (
        page.samplesperpixel == 1
        and getattr(each, "subfiletype", 1) & 5 == 0
        and (tuple(each.shape), each.dtype) == (tuple(page.shape), page.dtype)
    )


def _masks(each: Any, page: Any) -> bool:
    """Whether a page is the mask of another one: 0 where that has no data (TIFF 6.0, NewSubfileType)."""
    return bool(getattr(each, "subfiletype", 0) & 4) and tuple(each.shape) == tuple(page.shape[:2])


def _opaque(page: Any) -> int | None:
    """The band that says how opaque the others are, from 0; None: there is none."""
    extra = [int(each) for each in page.extrasamples or ()]
    first = int(page.samplesperpixel) - len(extra)
    return next((first + k for k, each in enumerate(extra) if each in (1, 2)), None)


def _check(page: Any, content: bytes, place: str, kinds: str = "fiu") -> None:
    """Refuse what is too large, or cannot be unpacked within its size, before it is unpacked; of masks ``kinds`` are
    others, since most have one bit for each node."""
    shape, kind = tuple(page.shape), page.dtype
    bands = max(1, int(page.samplesperpixel))
    if kind is None or kind.kind not in kinds or page.photometric == 3:
        raise TerrainError(
            "this kind of TIFF carries no heights", place=place, value=str(kind), limit="numbers, one band"
        )
    if not 0 < float(np.prod([float(n) for n in shape])) <= MOST_NODES * min(bands, 4) or bands > 64:
        raise TerrainError("the image's size is out of range", place=place, value=shape, limit=f"{MOST_NODES} nodes")
    sizes, starts = page.databytecounts, page.dataoffsets
    if len(sizes) > _MOST_SEGMENTS or len(sizes) != len(starts) or not 0 < sum(sizes) <= len(content):
        raise TerrainError("the TIFF is cut short or its parts overlap", place=place, value=sum(sizes[:1000]))
    tile = page.tile if page.is_tiled else (page.rowsperstrip or shape[0], page.imagewidth)
    most = float(np.prod([float(n) for n in tile])) * kind.itemsize * max(1, page.samplesperpixel)
    if most > 8.0 * MOST_NODES + page.nbytes:
        raise TerrainError("a part of the image is too large", place=place, value=tile)
    if page.compression == _PLAIN:
        return
    simple = page.compression in _DEFLATE and page.predictor in (1, 2)
    if not simple and find_spec("imagecodecs") is None:
        raise TerrainError(
            "this TIFF's packing needs the package imagecodecs",
            place=place,
            value=str(getattr(page.compression, "name", page.compression)),
            remedy="pip install 'andante[terrain]', or save it unpacked",
        )
    if page.compression in _DEFLATE:
        for start, size in zip(starts, sizes, strict=True):
            unpacker = zlib.decompressobj()
            unpacker.decompress(content[start : start + size], int(most) + 1)
            if unpacker.unconsumed_tail:
                raise TerrainError("a part of the image is larger than it says", place=place, limit=f"{most:.0f} bytes")


def _numbered(layer: str, count: int, place: str) -> int:
    if not (layer.isdecimal() and 1 <= int(layer[:6]) <= count):
        raise TerrainError("the file has no such band", place=place, value=layer, limit=f"1 to {count}")
    return int(layer) - 1


def _two_dimensional(pixels: Array, band: int, planar: bool, place: str) -> Array:
    if pixels.ndim == 3:
        pixels = pixels[band] if planar else pixels[..., band]
    if pixels.ndim != 2 or min(pixels.shape) < 2:
        raise TerrainError("the image is no grid", place=place, value=pixels.shape)
    return pixels


def _raster(
    raw: Array,
    tags: Mapping[int, Any],
    band: int,
    place: str,
    nodata: float | None,
    span: tuple[float, float],
    shown: list[Flags],
    *,
    said: bool,
) -> Raster:
    heights, notes = raw.astype(np.float64), list[str]()
    missing = nodata if nodata is not None else _number(tags.get(_GDAL_NODATA))
    if missing is not None:
        heights[heights == (float(np.float32(missing)) if raw.dtype == np.float32 else missing)] = np.nan
    for each in shown:
        heights[~each] = np.nan
    axes = _axes(tags, place, notes)
    factor, offset, unit = _linear(tags.get(_GDAL_METADATA), band, notes)
    factor, offset = factor * (unit or 1.0), offset * (unit or 1.0)
    if axes is None:
        if raw.dtype.kind == "u":
            # A picture in grey, as a PNG.
            share = heights / (256.0**raw.dtype.itemsize - 1.0)
            return Raster((span[0] + (span[1] - span[0]) * share)[::-1].T, metres=True, notes=tuple(notes))
        return Raster((heights * factor + offset)[::-1].T, notes=tuple(notes))
    steps, corner = axes
    level, high = lengths_of_keys(tags, place, notes, said=said or unit is not None)
    tell_stretch(tags, float((corner + 0.5 * steps @ raw.shape[::-1])[1]), notes)
    # The unit of a band goes before that of its system: programs that write it write both of them.
    metres = high if unit is None else 1.0
    half = 0.0 if keys_of(tags).get(_RASTER_TYPE) == _PIXEL_IS_POINT else 0.5
    first = (corner + steps @ (half, half)) * level
    # The first index runs along the columns, as x does.
    return Raster(
        heights.T * (factor * metres) + offset * metres,
        steps * level,
        (float(first[0]), float(first[1])),
        notes=tuple(notes),
    )


def _axes(tags: Mapping[int, Any], place: str, notes: list[str]) -> tuple[Array, Array] | None:
    """Steps from one column and one row to the next, by columns, and where the raster's (0, 0) lies; None: not told.

    What a user should know of it is added to the notes.
    """
    matrix, scale, tie = (np.ravel(tags.get(code, ())) for code in (_TRANSFORMATION, _SCALE, _TIEPOINT))
    for values, lengths in ((matrix, (0, 16)), (scale, (0, 2, 3))):
        if values.dtype.kind not in "fiu" or len(values) not in lengths:
            raise TerrainError("the tags of the map's axes are none", place=place, value=values[:16].tolist())
    if len(matrix):
        rows = matrix.astype(np.float64).reshape(4, 4)
        return rows[:2, :2], rows[:2, 3]
    if len(scale) and len(tie) >= 6 and tie.dtype.kind in "fiu":
        if scale[1] < 0.0:
            # The standard knows none such; who writes them means a raster whose first row is the farthest north.
            notes.append("the scale along y is below zero, and counts without its sign, as in GDAL")
        steps = np.diag([float(scale[0]), -abs(float(scale[1]))])
        return steps, np.array(tie[3:5], dtype=np.float64) - steps @ tie[:2]
    if len(scale) or len(tie):
        raise TerrainError(
            "the map's axes are told by tie points alone", place=place, value=len(tie) // 6,
            remedy="warp it to a grid, for example by gdalwarp",
        )  # fmt: skip
    return None


def _number(text: Any) -> float | None:
    try:
        return float(str(text).strip(" \0"))
    except ValueError:
        return None


def _linear(metadata: Any, band: int, notes: list[str]) -> tuple[float, float, float | None]:
    """Factor, offset, and unit [m] that GDAL notes for a band, from 0; None: it notes no unit, or an unknown one."""
    found, unit = {"scale": 1.0, "offset": 0.0}, None
    for marks, text in re.findall(r"<Item\b([^<>]*)>([^<>]{1,40})</Item>", str(metadata or "")[:65_536]):
        role, sample = (re.search(rf'\b{name}="(\w*)"', marks) for name in ("role", "sample"))
        if role is None or (sample[1] if sample is not None else "0") != str(band):
            continue
        value = _number(text)
        if role[1] == "unittype":
            unit = NAMED_UNITS.get(text.strip().lower())
            if unit is None:
                notes.append(f"the unit of heights {text.strip()!r} is not known: it does not count")
        elif role[1] in found and value is not None and np.isfinite(value):
            found[role[1]] = value
    return found["scale"], found["offset"], unit
