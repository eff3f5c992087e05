"""LZF, by which the Point Cloud Library packs clouds.

The format stands at the head of liblzf's compressor (Marc Lehmann) and of io/src/lzf.cpp of
github.com/PointCloudLibrary/pcl: a byte L below 32 is followed by L + 1 bytes as they are; otherwise its upper three
bits, and where they are all set the next byte too, say how many bytes to repeat less two, and its lower five bits with
the byte after say how far back less one.
"""

from __future__ import annotations

from andante.kernels import entry
from andante.spatial.arrays import Codes1


@entry
def unpack_lzf(packed: Codes1, out: Codes1) -> int:
    """Unpack into ``out``, and never past its end.

    Args:
        packed: Packed bytes, (n,).
        out: Room for what comes out, (m,).

    Returns:
        How many bytes came out; -1: more than there is room for, or the packed bytes are cut short or point before
        their begin.
    """
    at, end, made, room = 0, len(packed), 0, len(out)
    while at < end:
        control = int(packed[at])
        at += 1
        if control < 32:
            count = control + 1
            if at + count > end or made + count > room:
                return -1
            for _ in range(count):
                out[made] = packed[at]
                made += 1
                at += 1
            continue
        count = control >> 5
        if count == 7:
            if at >= end:
                return -1
            count += int(packed[at])
            at += 1
        if at >= end:
            return -1
        back = ((control & 31) << 8) + int(packed[at]) + 1
        at += 1
        count += 2
        if back > made or made + count > room:
            return -1
        # Byte by byte: what is repeated may reach into what it makes.
        for _ in range(count):
            out[made] = out[made - back]
            made += 1
    return made
