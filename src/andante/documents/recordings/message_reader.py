"""Numbers and texts of ROS messages, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_NAMES, _LONGEST_NAME = 200, 1000
_MOST_NUMBERS = 10_000


class MessageReader:
    """Numbers and texts of a message, one after the other: CDR of both orders and alignments, or ROS 1.

    Args:
        content: The message.
        ros1: Whether it is one of ROS 1.
        error: Makes the error of a message that ends before, or says what cannot be.

    Raises:
        ValueError: The message does so, and no other error is asked for.
    """

    def __init__(self, content: bytes, ros1: bool, error: Callable[[str], Exception] = ValueError) -> None:
        self._content, self._ros1, self._at, self._error = content, ros1, 0, error
        self._order, self._most = "<", 1
        if not ros1:
            head = content[:2]
            if head not in (b"\0\0", b"\0\1", b"\0\6", b"\0\7"):
                raise error(f"its encapsulation {head.hex()} is not plain CDR")
            self._order = "<" if head[1] & 1 else ">"
            self._content, self._most = content[4:], 8 if head[1] < 2 else 4

    def array(self, kind: str, count: int) -> NDArray[Any]:
        """Numbers of a kind; a view."""
        dtype = np.dtype(self._order + kind)
        size = dtype.itemsize
        step = min(size, self._most)
        # An empty sequence has no numbers that could be aligned.
        at = self._at + (-self._at % step if count else 0)
        if count < 0 or at + count * size > len(self._content):
            raise self._error("it is cut short")
        self._at = at + count * size
        return np.frombuffer(self._content, dtype, count, at)

    def doubles(self, most: int = _MOST_NUMBERS) -> list[float]:
        """Some numbers of double precision."""
        found: list[float] = self.array("f8", self.size(most)).tolist()
        return found

    def number(self, kind: str) -> float:
        """One number."""
        return float(self.array(kind, 1)[0])

    def size(self, most: int = _MOST_NUMBERS) -> int:
        """Length of what follows."""
        count = int(self.number("u4"))
        if count > most:
            raise self._error(f"a length of {count} is out of range, the most is {most}")
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

    def header(self) -> tuple[int, int, str]:
        """Seconds and nanoseconds of a header's stamp, and its frame; in ROS 1 its count is passed by."""
        *_, seconds, nanoseconds = self.array("u4", 3 if self._ros1 else 2).tolist()
        return seconds, nanoseconds, self.text()
