"""Writing a PNG picture with the standard library alone: 8-bit RGB, no palette, no interlace (RFC 2083)."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BIT_RGB = (8, 2, 0, 0, 0)


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Encode a picture.

    Args:
        pixels: Red, green, blue, (height, width, 3).

    Returns:
        The content of a PNG file.
    """
    height, width, _ = pixels.shape
    # Every line starts with the number of its filter; 0 is none.
    lines = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    lines[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">II5B", width, height, *_EIGHT_BIT_RGB)
    body = zlib.compress(lines.tobytes(), 6)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
