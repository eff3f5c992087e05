"""Terrain files that are packed as a whole: by gzip, bzip2 or Zstandard, told by a second ending."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from andante.documents.recordings.messages import DamagedError, unpacked
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.height_map import TerrainError

_BLOCK = 1_000_000
"""Bytes that are unpacked at a time."""
_FRAME_HEAD = 18
"""Longest head of a frame of Zstandard [bytes]."""
_SKIPPED = 0x184D2A50
"""First of sixteen numbers by which frames of Zstandard begin that have no content."""
PACKINGS: Mapping[str, str] = {".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".gz": "gzip"}
"""Kinds of packing by the ending that they add; rosbag2 writes ``.db3.zstd``."""


def suffixes_of(path: Path) -> tuple[str, str]:
    """The ending that tells the kind of a file, and that of its packing: of ``field.db3.zstd`` .db3 and .zstd.

    The second is empty where it is not packed, the first where a packed file has no other ending.
    """
    last = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), last) if last in PACKINGS else (last, "")


def unpacked_file(content: bytes, suffix: str, place: str) -> bytes:
    """The content of a file by the ending of its packing; empty: it is not packed.

    Raises:
        TerrainError: It cannot be unpacked, or is larger than files may be.
    """
    if not suffix:
        return content
    from zstandard import ZstdError

    kind = PACKINGS[suffix]
    try:
        if kind == "zstd":
            found = unpacked(kind, content)
            whole = len(found) > MOST_BYTES or _ends_with_frame(io.BytesIO(content))
        elif kind == "gzip":
            # Programs that pack with several threads write one member after the other.
            found, whole = gzip.GzipFile(fileobj=io.BytesIO(content)).read(MOST_BYTES + 1), True
        else:
            found, whole = bz2.BZ2File(io.BytesIO(content)).read(MOST_BYTES + 1), True
        if not whole and len(found) <= MOST_BYTES:
            raise DamagedError("it is cut short")
    except (DamagedError, ZstdError, zlib.error, OSError, EOFError) as error:
        raise TerrainError("the file cannot be unpacked", place=place, value=str(error)[:120], limit=kind) from error
    if len(found) > MOST_BYTES:
        raise TerrainError("the file is too large when unpacked", place=place, limit=f"{MOST_BYTES} bytes")
    return found


def unpacked_blocks(file: IO[bytes], suffix: str, place: str) -> Iterator[bytes]:
    """The content of a packed file, some at a time.

    Args:
        file: The file, at its begin.
        suffix: The ending of its packing.
        place: Its name.

    Raises:
        TerrainError: It cannot be unpacked to its end.
    """
    from zstandard import ZstdDecompressor, ZstdError

    kind = PACKINGS[suffix]
    try:
        read: Callable[[int], bytes]
        if kind == "zstd":
            if not _ends_with_frame(file):
                raise DamagedError("it is cut short")
            file.seek(0)
            decompressor = ZstdDecompressor(max_window_size=2**27)
            read = decompressor.stream_reader(file, read_across_frames=True, closefd=False).read
        else:
            read = gzip.GzipFile(fileobj=file).read if kind == "gzip" else bz2.BZ2File(file).read
        while block := read(_BLOCK):
            yield block
    except (DamagedError, ZstdError, zlib.error, OSError, EOFError) as error:
        raise TerrainError("the file cannot be unpacked", place=place, value=str(error)[:120], limit=kind) from error


def _ends_with_frame(file: IO[bytes]) -> bool:
    """Whether a file of Zstandard ends where a frame of it does, which its library does not tell.

    The format: RFC 8878, section 3.1. A block says in three bytes whether it is the last, of which kind it is, and how
    long; one that repeats a byte has that byte alone.
    """
    from zstandard import frame_header_size, get_frame_parameters

    size, at = file.seek(0, io.SEEK_END), 0
    while at < size:
        file.seek(at)
        head = file.read(_FRAME_HEAD)
        if _SKIPPED <= int.from_bytes(head[:4], "little") < _SKIPPED + 16:
            at += 8 + int.from_bytes(head[4:8], "little")
            continue
        told = get_frame_parameters(head)
        at += frame_header_size(head)
        last = False
        while not last:
            file.seek(at)
            block = int.from_bytes(file.read(3), "little")
            if at + 3 > size:
                return False
            last, repeats = bool(block & 1), (block >> 1) & 3 == 1
            at += 3 + (1 if repeats else block >> 3)
        at += 4 if told.has_checksum else 0
    return at == size
