"""LZF, by which the Point Cloud Library packs clouds.

The format stands at the head of liblzf's compressor (Marc Lehmann) and of io/src/lzf.cpp of
github.com/PointCloudLibrary/pcl: a byte L below 32 is followed by L + 1 bytes as they are; otherwise its upper three
bits, and where they are all set the next byte too, say how many bytes to repeat less two, and its lower five bits with
the byte after say how far back less one.
"""

from __future__ import annotations

from andante.kernels import entry
from andante.spatial.arrays import Codes1

BACK = 8192
"""Farthest that a repeat reaches back [bytes]."""


def unpack_lzf(packed: Codes1, out: Codes1) -> int:
    """Unpack into ``out``, and never past its end.

    Args:
        packed: Packed bytes, (n,).
        out: Room for what comes out, (m,).

    Returns:
        How many bytes came out; -1: more than there is room for, or the packed bytes are cut short or point before
        their begin.
    """
    taken, made = unpack_lzf_on(packed, out, 0)
    return made if taken == len(packed) else -1


@entry
def unpack_lzf_on(packed: Codes1, out: Codes1, made: int) -> tuple[int, int]:
    """Unpack as far as there are packed bytes, and as there is room.

    Args:
        packed: Packed bytes from the begin of an instruction on, (n,).
        out: What came out before, the last `BACK` bytes at least, and room behind it, (m,).
        made: How many bytes came out before.

    Returns:
        How many packed bytes were taken, whole instructions; -1: one points before the begin of ``out``. And how many
        bytes of ``out`` came out by now.
    """
    at, end, room = 0, len(packed), len(out)
    while at < end:
        control = int(packed[at])
        if control < 32:
            count = control + 1
            if at + 1 + count > end or made + count > room:
                return at, made
            for k in range(count):
                out[made + k] = packed[at + 1 + k]
            made += count
            at += 1 + count
            continue
        count, size = control >> 5, 2
        if count == 7:
            if at + 1 >= end:
                return at, made
            count, size = 7 + int(packed[at + 1]), 3
        if at + size > end:
            return at, made
        back = ((control & 31) << 8) + int(packed[at + size - 1]) + 1
        count += 2
        if back > made:
            return -1, made
        if made + count > room:
            return at, made
        # Byte by byte: what is repeated may reach into what it makes.
        for _ in range(count):
            out[made] = out[made - back]
            made += 1
        at += size
    return at, made
