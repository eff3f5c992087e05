"""The PNG writer, read back by a decoder of its own and by the format's own checksums."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from andante.robots.png import png_bytes

PICTURES = arrays.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3)))


def chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = [], 8
    while at < len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        assert struct.unpack(">I", content[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + data),)
        found.append((kind, data))
        at += 12 + size
    return found


@given(PICTURES)
def test_pixels_come_back(pixels: np.ndarray) -> None:
    header, body, end = chunks(png_bytes(pixels))
    height, width = pixels.shape[:2]
    assert header == (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    assert end == (b"IEND", b"")
    lines = np.frombuffer(zlib.decompress(body[1]), dtype=np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    np.testing.assert_array_equal(lines[:, 1:].reshape(pixels.shape), pixels)


def test_one_red_pixel() -> None:
    kinds = chunks(png_bytes(np.array([[[255, 0, 0]]], dtype=np.uint8)))
    assert zlib.decompress(dict(kinds)[b"IDAT"]) == b"\x00\xff\x00\x00"
