"""Command vectors and the pipe through which they reach the joints, as OPEN-R has them.

A vector holds 1 to 16 frames of 8 ms for all joints, in whole microradians. The sender owns two or more buffers; a
vector that has been output frees its buffer and tells READY. Facts: docs/sources/aibo.md, section 3.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.robots.records import Vector

Micro = NDArray[np.int64]
"""Whole microradians."""

FRAME = 0.008
"""Length of a frame [s]."""
MAX_FRAMES = 16
"""Most frames of one vector."""
_MICRO = 1e6
_LARGEST = 2_147_483_647


def to_micro(angles: Vector) -> Micro:
    """Angles [rad] in whole microradians, rounded to the nearest, never cut off.

    Raises:
        ControlError: An angle is not finite or does not fit 32 bits.
    """
    values = np.asarray(angles, dtype=np.float64) * _MICRO
    if not np.isfinite(values).all():
        raise ControlError("an angle must be finite", value=np.asarray(angles)[~np.isfinite(values)].tolist())
    if values.size and float(np.abs(values).max()) > _LARGEST:
        raise ControlError("an angle does not fit 32 bits of microradians", value=float(np.abs(values).max()) / _MICRO)
    return np.rint(values).astype(np.int64)


def from_micro(values: Micro) -> Vector:
    """Angles [rad] of whole microradians."""
    return np.asarray(values / _MICRO, dtype=np.float64)


class VectorPipe:
    """Takes vectors while a buffer is free and gives out one frame per tick.

    Args:
        buffers: Number of buffers, at least 2.
        start: Where the joints are, (nj,) [microrad].

    Raises:
        ControlError: Fewer than two buffers.
    """

    def __init__(self, buffers: int, start: Micro) -> None:
        if buffers < 2:
            raise ControlError("the pipe would run dry between two vectors", value=buffers, limit="at least 2 buffers")
        self.buffers = buffers
        """Number of buffers; vectors that are already sent stay."""
        self._waiting: deque[Micro] = deque()
        self._at = 0
        self._before = start.copy()
        self.last = start.copy()
        """The frame that was output last, (nj,)."""
        self.ready = 0
        """Vectors that have been output."""

    @property
    def free(self) -> bool:
        """Whether a buffer is free."""
        return len(self._waiting) < self.buffers

    @property
    def empty(self) -> bool:
        """Whether nothing waits to be output."""
        return not self._waiting

    @property
    def waiting_frames(self) -> int:
        """Frames that wait to be output."""
        return sum(len(vector) for vector in self._waiting) - self._at

    def send(self, vector: Micro) -> None:
        """Fill a free buffer with some frames for all joints, (n, nj), sent as one; a pose is never sent in parts.

        Raises:
            ControlError: There are too few or too many frames, or no buffer is free.
        """
        if vector.ndim != 2 or not 1 <= len(vector) <= MAX_FRAMES:
            raise ControlError(
                "a command vector holds whole frames", value=vector.shape, limit=f"1 to {MAX_FRAMES} frames"
            )
        if not self.free:
            raise ControlError("no buffer is free", value=len(self._waiting), limit=f"{self.buffers} buffers")
        self._waiting.append(vector)

    def recall(self) -> None:
        """Take back the vectors that have not begun; the one being output goes on to its end."""
        while len(self._waiting) > (1 if self._at else 0):
            self._waiting.pop()

    def tail(self) -> tuple[Micro, Micro]:
        """The last two frames of all that is sent, output or not, (nj,) each."""
        frames = [self._before, self.last]
        for number, vector in enumerate(self._waiting):
            frames += list(vector[self._at if number == 0 else 0 :][-2:])
        return frames[-2], frames[-1]

    def output(self) -> Micro:
        """The frame of this tick, (nj,); the last one again where nothing waits."""
        self._before = self.last
        if self._waiting:
            vector = self._waiting[0]
            self.last = vector[self._at]
            self._at += 1
            if self._at == len(vector):
                self._waiting.popleft()
                self._at = 0
                self.ready += 1
        return self.last
