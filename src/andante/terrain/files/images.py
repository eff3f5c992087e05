"""Images as terrain: grey PNG (8 and 16 bits, no interlace) and PGM, as shares from black 0 to white 1."""

from __future__ import annotations

import re
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from andante.terrain.height_map import MOST_NODES, TerrainError

Array = NDArray[np.float64]
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
"""Channels by PNG colour type; palettes carry no heights."""
_PGM = re.compile(rb"(P[25])\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+(\d+)\s")


def read_png(content: bytes, place: str) -> Array:
    """Shares (rows, columns) of a PNG file; the first channel counts (RFC 2083).

    Raises:
        TerrainError: Not such a PNG, or damaged.
    """
    if not content.startswith(_SIGNATURE):
        raise TerrainError("is no PNG file", place=place)
    header, packed, at = b"", [], len(_SIGNATURE)
    while at + 8 <= len(content):
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        body = content[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            header = body
        elif kind == b"IDAT":
            packed.append(body)
        at += size + 12
    if len(header) != 13:
        raise TerrainError("the PNG has no header", place=place)
    width, height, depth, colour, _, _, interlace = struct.unpack(">II5B", header)
    if colour not in _CHANNELS or depth not in (8, 16) or interlace:
        raise TerrainError(
            "this kind of PNG carries no heights",
            place=place,
            value={"depth": depth, "colour type": colour, "interlace": interlace},
            limit="8 or 16 bits, grey or RGB, not interlaced",
        )
    _check_size(width, height, place)
    step = _CHANNELS[colour] * depth // 8
    wanted = height * (1 + width * step)
    decoder = zlib.decompressobj()
    try:
        raw = decoder.decompress(b"".join(packed), wanted)
    except zlib.error as error:
        raise TerrainError("the PNG is damaged", place=place) from error
    if len(raw) != wanted:
        raise TerrainError("the PNG is cut short", place=place, value=len(raw), limit=f"{wanted} bytes")
    lines = np.frombuffer(raw, dtype=np.uint8).reshape(height, 1 + width * step)
    pixels = _unfilter(lines, step, place).reshape(height, width, step)
    if depth == 8:
        return np.asarray(pixels[..., 0] / 255.0)
    return np.asarray((pixels[..., 0] * 256.0 + pixels[..., 1]) / 65535.0)


def read_pgm(content: bytes, place: str) -> Array:
    """Shares (rows, columns) of a PGM file, text (P2) or binary (P5).

    Raises:
        TerrainError: Not a PGM, or damaged.
    """
    head = _PGM.match(content)
    if head is None:
        raise TerrainError("is no PGM file", place=place)
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
        try:
            values = np.array(body.split()[: width * height], dtype=np.float64)
        except ValueError as error:
            raise TerrainError("a grey value is no number", place=place) from error
    if values.size != width * height:
        raise TerrainError("the PGM is cut short", place=place, value=values.size, limit=f"{width * height} values")
    return np.asarray(values.reshape(height, width) / most)


def _check_size(width: int, height: int, place: str) -> None:
    if not (width > 0 and height > 0 and width * height <= MOST_NODES):
        raise TerrainError("the image's size is out of range", place=place, value=(width, height))


def _unfilter(lines: NDArray[np.uint8], step: int, place: str) -> NDArray[np.uint8]:
    """Pixels bytes (height, bytes) of filtered lines; each line says how it was filtered against its neighbours."""
    height, size = lines.shape[0], lines.shape[1] - 1
    out = np.zeros((height, size), dtype=np.uint8)
    above = np.zeros(size, dtype=np.uint8)
    for row in range(height):
        kind, line = int(lines[row, 0]), lines[row, 1:]
        if kind == 0:
            out[row] = line
        elif kind == 1:
            shaped = line.reshape(-1, step).astype(np.uint64)
            out[row] = (np.cumsum(shaped, axis=0) & 255).astype(np.uint8).ravel()
        elif kind == 2:
            out[row] = line + above
        elif kind in (3, 4):
            out[row] = _slow_line(kind, line.tolist(), above.tolist(), step)
        else:
            raise TerrainError("the PNG is damaged: unknown filter", place=f"{place}: line {row}", value=kind)
        above = out[row]
    return out


def _slow_line(kind: int, line: list[int], above: list[int], step: int) -> list[int]:
    """A line of filter 3 (average) or 4 (Paeth), where every byte depends on the one before."""
    out: list[int] = []
    for at, value in enumerate(line):
        left = out[at - step] if at >= step else 0
        up = above[at]
        if kind == 3:
            guess = (left + up) // 2
        else:
            corner = above[at - step] if at >= step else 0
            estimate = left + up - corner
            guess = min((left, up, corner), key=lambda each: abs(estimate - each))
        out.append((value + guess) & 255)
    return out
