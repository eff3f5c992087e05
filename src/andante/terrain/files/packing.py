"""Terrain files that are packed as a whole: by gzip, bzip2 or Zstandard, told by a second ending."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Mapping
from pathlib import Path

from andante.documents.recordings.messages import DamagedError, unpacked
from andante.terrain.files.limits import MOST_BYTES
from andante.terrain.height_map import TerrainError

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
    from zstandard import ZstdError, frame_content_size

    kind = PACKINGS[suffix]
    try:
        if kind == "zstd":
            found = unpacked(kind, content)
            whole = len(found) >= frame_content_size(content)
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
