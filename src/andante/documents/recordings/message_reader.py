"""Numbers and texts of ROS messages, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_NAMES, _LONGEST_NAME = 200, 1000


class MessageReader:
    """Numbers and texts of a message, one after the other: CDR of both orders and alignments, or ROS 1.

    Raises:
        ValueError: The message ends before.
    """

    def __init__(self, content: bytes, ros1: bool) -> None:
        self._content, self._ros1, self._at = content, ros1, 0
        self._order, self._most = "<", 1
        if not ros1:
            head = content[:2]
            if head not in (b"\0\0", b"\0\1", b"\0\6", b"\0\7"):
                raise ValueError(f"its encapsulation {head.hex()} is not plain CDR")
            self._order = "<" if head[1] & 1 else ">"
            self._content, self._most = content[4:], 8 if head[1] < 2 else 4

    def array(self, kind: str, count: int) -> NDArray[Any]:
        """Numbers of a kind; a view."""
        size = np.dtype(kind).itemsize
        step = min(size, self._most)
        # An empty sequence has no numbers that could be aligned.
        at = self._at + (-self._at % step if count else 0)
        if count < 0 or at + count * size > len(self._content):
            raise ValueError("it is cut short")
        self._at = at + count * size
        return np.frombuffer(self._content, self._order + kind, count, at)

    def number(self, kind: str) -> float:
        """One number."""
        return float(self.array(kind, 1)[0])

    def size(self, most: int) -> int:
        """Length of what follows."""
        count = int(self.number("u4"))
        if count > most:
            raise ValueError(f"a length of {count} is out of range")
        return count

    def names(self) -> int:
        """Number of the named things that follow."""
        return self.size(_MOST_NAMES)

    def text(self) -> str:
        """A text, in ROS 2 with a zero at its end."""
        raw = self.array("u1", self.size(_LONGEST_NAME)).tobytes()
        return raw.decode("utf-8", errors="replace").rstrip("\0")

    def texts(self) -> list[str]:
        """Some texts."""
        return [self.text() for _ in range(self.names())]

    def header(self) -> str:
        """The frame of a header; its stamp, and in ROS 1 its count, are passed by."""
        self.array("u4", 3 if self._ros1 else 2)
        return self.text()
