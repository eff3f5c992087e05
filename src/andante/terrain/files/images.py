"""Images as terrain, as shares from black 0 to white 1: PNG (grey or colour, 8 and 16 bits), PGM, and JPEG, BMP and
WebP, as simulators' height maps come too."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zlib
from typing import Any

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.files.limits import MOST_NODES, numbers_in
from andante.terrain.height_map import TerrainError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LOW_BYTES = {"RGB;16B": ("RGB;16L", 0), "RGBA;16B": ("RGBA;16L", 0), "LA;16B": ("RGBA", 1)}
"""How Pillow unpacks 16-bit colour, of which it keeps the high bytes; an unpacking and channel with the low ones."""
_OCCUPANCY = {0.0, 205.0, 254.0}
_ALIKE = 8
"""Channels of a grey pixel of a JPEG differ by no more."""
_HEAD = 65_536
"""Longest head of a PGM, comments included [bytes]."""
_GAP = rb"(?:\s|#[^\n]*\n)+"
_PGM = re.compile(rb"(P[25])" + _GAP + rb"(\d+)" + _GAP + rb"(\d+)" + _GAP + rb"(\d+)\s")


def read_png(content: bytes, place: str, nodata: float | None = None) -> Array:
    """Shares (rows, columns) of a PNG file; the first channel counts; what is less than 1/255 opaque is NaN, and what
    has the grey or colour that the file names as transparent.

    Args:
        content: The file.
        place: The file's name.
        nodata: Grey value of pixels that are NaN, 0 to 255 or 65535; None: none.

    Raises:
        TerrainError: Not such a PNG, or damaged.
    """
    from PIL import Image

    if not content.startswith(_SIGNATURE):
        raise TerrainError("is no PNG file", place=place)
    try:
        with warnings.catch_warnings():
            # Only the header is read here; what is too large is refused below.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image: Image.Image = Image.open(io.BytesIO(content), formats=("PNG",))
            second = Image.open(io.BytesIO(content), formats=("PNG",))
            packing = second.tile[0].args
        _check_size(*image.size, place)
        if image.mode == "1" or _grey_table(image):
            image = image.convert("L" if image.mode == "1" or "transparency" not in image.info else "LA")
        if image.mode not in ("L", "LA", "RGB", "RGBA", "I;16"):
            raise TerrainError(
                "this kind of PNG carries no heights", place=place, value=image.mode, limit="8 or 16 bits, grey or RGB"
            )
        most = 65535.0 if image.mode == "I;16" or packing in _LOW_BYTES else 255.0
        channels = np.asarray(image, dtype=np.float64).reshape(*image.size[::-1], -1)
        clear = np.zeros(channels.shape[:2], dtype=np.bool_)
        if image.mode in ("LA", "RGBA"):
            clear = channels[..., -1] == 0.0
        if packing in _LOW_BYTES:
            unpacking, first = _LOW_BYTES[packing]
            second.tile = [second.tile[0]._replace(args=unpacking)]
            low = np.asarray(second)[..., first : first + (3 if image.mode == "RGB" else 1)]
            channels = 256.0 * channels[..., : low.shape[-1]] + low
        pixels, key = channels[..., 0], image.info.get("transparency")
        if isinstance(key, tuple):
            clear = clear | (channels[..., :3] == key).all(axis=-1)
        elif isinstance(key, int):
            clear = clear | (pixels == key)
    except (Image.DecompressionBombError, MemoryError, OverflowError) as error:
        raise TerrainError("the image's size is out of range", place=place) from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, zlib.error) as error:
        raise TerrainError("the PNG is damaged", place=place, value=str(error)) from error
    unknown = clear if nodata is None else clear | (pixels == nodata)
    return np.asarray(np.where(unknown, np.nan, pixels / most))


def read_picture(content: bytes, place: str, nodata: float | None = None) -> Array:
    """Shares (rows, columns) of a JPEG, BMP or WebP file of 8 bits; the first channel counts, what is fully transparent
    is NaN.

    Args:
        content: The file.
        place: The file's name.
        nodata: Grey value of pixels that are NaN, 0 to 255; None: none.

    Raises:
        TerrainError: Not such a picture, or damaged.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # Only the header is read here; what is too large is refused below.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image: Image.Image = Image.open(io.BytesIO(content), formats=("JPEG", "BMP", "WEBP"))
        _check_size(*image.size, place)
        if image.mode not in ("1", "L", "P", "RGB", "RGBA"):
            raise TerrainError("this kind of picture carries no heights", place=place, value=image.mode, limit="8 bits")
        channels = np.asarray(image.convert("RGBA"), dtype=np.float64)
    except UnidentifiedImageError as error:
        raise TerrainError("is no picture", place=place, limit="JPEG, BMP or WebP") from error
    except (Image.DecompressionBombError, MemoryError, OverflowError) as error:
        raise TerrainError("the image's size is out of range", place=place) from error
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, struct.error, zlib.error) as error:
        raise TerrainError("the picture is damaged", place=place, value=str(error)[:120]) from error
    pixels = channels[..., 0]
    unknown = (channels[..., 3] == 0.0) | (False if nodata is None else pixels == nodata)
    return np.asarray(np.where(unknown, np.nan, pixels / 255.0))


def _grey_table(image: Any) -> bool:
    """Whether an image of a table of colours has grey ones only, as programs that make files small write them."""
    if image.mode != "P":
        return False
    colours = np.array(image.getpalette(), dtype=np.int64).reshape(-1, 3)
    used = colours[np.unique(np.asarray(image))]
    return len(used) > 1 and bool((used == used[:, :1]).all())


def is_coloured(content: bytes) -> bool:
    """Whether an image that was read shows colours, whose channels differ; greys of a JPEG differ by a little."""
    from PIL import Image

    # The kind of colour stands in the head of a PNG: of grey ones only some need to be looked at.
    plain = content.startswith(_SIGNATURE)
    if content[:1] == b"P" or (plain and (len(content) < 26 or content[25] not in (2, 6))):
        return False
    image = Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "BMP", "WEBP"))
    if not plain:
        channels = np.asarray(image.convert("RGB"), dtype=np.int64)
        return bool((np.abs(channels - channels[..., :1]) > _ALIKE).any())
    channels = np.asarray(image)[..., :3]
    return bool((channels != channels[..., :1]).any())


def is_occupancy(shares: Array) -> bool:
    """Whether an image has the three greys alone by which map_server of ROS writes an occupancy grid: free 254,
    unknown 205, occupied 0."""
    found = set((255.0 * np.unique(shares)[:4]).round(6).tolist())
    return found <= _OCCUPANCY and 254.0 in found and len(found) > 1


def read_pgm(content: bytes, place: str, nodata: float | None = None) -> Array:
    """Shares (rows, columns) of a PGM file, text (P2) or binary (P5).

    Args:
        content: The file.
        place: The file's name.
        nodata: Grey value of pixels that are NaN; None: none.

    Raises:
        TerrainError: Not a PGM, or damaged.
    """
    head = _PGM.match(content[:_HEAD])
    if head is None:
        raise TerrainError("is no PGM file", place=place)
    if max(len(head.group(k)) for k in (2, 3, 4)) > 9:
        raise TerrainError("the image's size is out of range", place=place)
    width, height, most = (int(head.group(k)) for k in (2, 3, 4))
    _check_size(width, height, place)
    if not 0 < most < 65536:
        raise TerrainError("the largest grey value is out of range", place=place, value=most, limit="1 to 65535")
    body = content[head.end() :]
    if head.group(1) == b"P5":
        kind = ">u2" if most > 255 else "u1"
        size = width * height * (2 if most > 255 else 1)
        values = np.frombuffer(body[:size], dtype=kind) if len(body) >= size else np.zeros(0)
    else:
        values = numbers_in(body, place, width * height)[: width * height]
    if values.size != width * height:
        raise TerrainError("the PGM is cut short", place=place, value=values.size, limit=f"{width * height} values")
    shares = values.reshape(height, width) / most
    return np.asarray(shares if nodata is None else np.where(shares == nodata / most, np.nan, shares))


def _check_size(width: int, height: int, place: str) -> None:
    if not (width > 0 and height > 0 and width * height <= MOST_NODES):
        raise TerrainError(
            "the image's size is out of range", place=place, value=(width, height), limit=f"{MOST_NODES} pixels"
        )
