"""Limits of a trial: one that never ends, or takes all memory, is ended; it costs itself and no other.

Time is that of the clock, because a trial that waits for what never comes takes no time of a processor. Left out is
time in which the trial would have run and the machine was busy with others (where the system tells it), and time in
which the watching process itself stood still: a laptop that slept, or Ctrl-Z, ends no trial. There is no limit where
nobody asks for one, since nobody else knows how long an honest trial may take.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

LOOK = 0.25
"""Time between two looks at a worker [s]."""
_MOST_STEP = 4 * LOOK
"""What passes between two looks counts at most so much [s]."""
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True)
class TrialLimits:
    """What a trial may take; false where it may take anything."""

    seconds: float | None = None
    """Time [s]; None: any."""
    memory: float | None = None
    """Memory in use by the process that runs it [bytes]; None: any."""

    def __bool__(self) -> bool:
        return self.seconds is not None or self.memory is not None


UNLIMITED = TrialLimits()
"""Anything."""


@dataclass(frozen=True)
class Ended:
    """Why a trial was ended."""

    why: str
    """As a sentence for people."""
    seconds: float
    """Time that it had taken [s]."""
    memory: bool = False
    """Whether it was for its memory."""


class TrialWatch:
    """What one trial takes, from now on.

    Args:
        pid: Number of its process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._last, self._waited = time.monotonic(), _waited(pid)
        self.seconds = 0.0
        """Time so far [s]."""

    def over(self, limits: TrialLimits) -> Ended | None:
        """Look at it; why it must be ended, or None.

        Args:
            limits: What it may take.
        """
        now, waited = time.monotonic(), _waited(self._pid)
        self.seconds += max(0.0, min(now - self._last - (waited - self._waited), _MOST_STEP))
        self._last, self._waited = now, waited
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return Ended(f"ended after {limits.seconds:g} s, the limit of a trial", self.seconds)
        if limits.memory is not None and _memory(self._pid) > limits.memory:
            why = f"ended at more than {limits.memory / 1e9:g} GB of memory, the limit of a trial"
            return Ended(why, self.seconds, memory=True)
        return None


def tells_memory() -> bool:
    """Whether the system tells how much memory a process uses, as Linux does."""
    return _memory(os.getpid()) > 0.0


def _waited(pid: int) -> float:
    """How long the first thread of a process was ready and got no processor [s]; 0 where the system does not tell."""
    try:
        return 1e-9 * int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0


def _memory(pid: int) -> float:
    """Memory in use by a process [bytes]; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0.0
