"""A message of a recording as it stands there, and what every recording is bounded by."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

MOST_BYTES = 64_000_000
"""Largest recording that is read as a whole, and largest chunk of one when it is unpacked [bytes]."""
MOST_WANTED = 50
"""Most topics of which the newest message is taken out of a larger recording."""
ENDS = 10
"""Chunks at either end of a larger recording in which one looks for what is told once, and again by who joins late."""

ZSTD = b"\x28\xb5\x2f\xfd"
"""What packed bytes begin with; no message in CDR does."""
DESCRIPTION = "metadata.yaml"
"""The file by which a folder is known as a recording of rosbag2."""

Kind = tuple[str, str]
"""Package and name of a message's type."""
Wanted = Callable[[Kind], bool]
"""Whether messages of a type are wanted."""


class DamagedError(Exception):
    """What is not as the format has it."""


class NoIndexError(DamagedError):
    """A large recording that does not tell where in it its messages are."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy
        """What gives it an index."""


@dataclass(frozen=True, eq=False)
class TopicMessage:
    """A message as it stands in the recording."""

    topic: str
    """Its topic."""
    kind: Kind
    """Package and name of its type."""
    encoding: str
    """How it is encoded: ``cdr`` for ROS 2, ``ros1`` for ROS 1, in MCAP also ``json``, ``protobuf`` and others."""
    definition: str
    """The text that defines its type; empty where the recording has none."""
    moment: int
    """When it was recorded [ns]."""
    content: bytes
    """Its bytes."""


def kind_of(name: str) -> Kind:
    """Package and name of a type: ``a/msg/B``, ``a/B``, ``a::msg::B`` or ``a.B``."""
    parts = name.replace("::", "/").replace(".", "/").split("/")
    return parts[0], parts[-1]


def few_topics(names: Collection[str]) -> None:
    """Refuse to take the newest message of too many topics out of a large recording.

    Raises:
        DamagedError: There are too many.
    """
    if len(names) > MOST_WANTED:
        raise DamagedError(f"{len(names)} topics would have to be looked at, the most are {MOST_WANTED}")


def unpacked_message(data: bytes) -> bytes:
    """A message that rosbag2 may have packed by itself; raises as `unpacked`."""
    return unpacked("zstd", data) if data.startswith(ZSTD) else data


def unpacked(compression: str, packed: bytes, most: int = MOST_BYTES) -> bytes:
    """Bytes that were packed, up to as many as a recording may have; what it says of its size is not believed.

    Raises:
        DamagedError: They cannot be unpacked, or are too many.
    """
    if compression == "":
        return packed
    if compression == "zstd":
        import zstandard

        try:
            decompressor = zstandard.ZstdDecompressor(max_window_size=2**27)
            # Programs that pack with several threads write one frame after the other.
            with decompressor.stream_reader(packed, read_across_frames=True) as stream:
                found = stream.read(most + 1)
        except zstandard.ZstdError as error:
            raise DamagedError(str(error)) from error
    elif compression == "lz4":
        import lz4.frame

        try:
            found = lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=most + 1)
        except RuntimeError as error:
            raise DamagedError(str(error)[:120]) from error
    elif compression == "bz2":
        import bz2

        try:
            found = bz2.BZ2Decompressor().decompress(packed, max_length=most + 1)
        except OSError as error:
            raise DamagedError(str(error)[:120]) from error
    else:
        raise DamagedError(f"chunks are packed by {compression[:20]!r}, not zstd, lz4 or bz2")
    if len(found) > most:
        raise DamagedError(f"a chunk has more than {most} bytes")
    return found
