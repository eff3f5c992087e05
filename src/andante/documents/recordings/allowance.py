"""What may be unpacked and looked at of a recording that is too large to be read as a whole.

What a recording says of its own sizes is not believed: what was really unpacked counts.
"""

from __future__ import annotations

from andante.documents.recordings.messages import DamagedError

MOST_UNPACKED = 256_000_000
"""Most bytes that are unpacked."""
MOST_PART = 36_000_000
"""Largest part when it is unpacked: a cloud of a million points has 32 MB [bytes]."""
MOST_SEEN = 500_000
"""Most records that are looked at, and most entries of an index that are kept."""
_LEAST = 10_000
"""Bytes that any part counts for, however small it is."""
_SLOW = {"bz2": 8}
"""How many times as long as others a packing takes."""


class TooMuchError(DamagedError):
    """A recording of which more would have to be read than is."""


class Allowance:
    """How much may still be read."""

    def __init__(self, unpacked: int = MOST_UNPACKED, seen: int = MOST_SEEN) -> None:
        self._most, self._unpacked = unpacked, unpacked
        self._most_seen, self._seen = seen, seen

    def part(self, size: int, packing: str = "") -> None:
        """Count a part that is unpacked to so many bytes.

        Raises:
            TooMuchError: It was the last one.
        """
        self._unpacked -= max(size, _LEAST) * _SLOW.get(packing, 1)
        if self._unpacked < 0:
            raise TooMuchError(f"more than {self._most} bytes would have to be unpacked to find the messages")

    def record(self, count: int = 1) -> None:
        """Count records.

        Raises:
            TooMuchError: There were too many.
        """
        self._seen -= count
        if self._seen < 0:
            raise TooMuchError(f"more than {self._most_seen} records would have to be looked at to find the messages")
