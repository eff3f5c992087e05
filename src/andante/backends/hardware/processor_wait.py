"""ProcessorWait: how long a run was ready and got no processor, so that a late computer is told from a silent robot."""

from __future__ import annotations

import contextlib
import os
from collections import deque

from andante.backends.hardware.quantiles import Quantiles

_FILE = "/proc/thread-self/schedstat"
"""Linux's account of a thread: time on a processor, time ready without one [ns], turns."""
SHARE = 0.5
"""From this share of a silence on, the computer is named as its cause."""


class ProcessorWait:
    """Time that this thread waited for a processor; Linux counts it.

    Args:
        ticks: So many of the last ticks are kept one by one.
        period: Time between two ticks, by which a silence is told in ticks [s]; None: all that are kept count for it.
    """

    def __init__(self, ticks: int, period: float | None = None) -> None:
        self._file: int | None = None
        self._period = period
        with contextlib.suppress(OSError):
            self._file = os.open(_FILE, os.O_RDONLY)
        self.quantiles = Quantiles()
        self.maximum = self.total = 0.0
        self._recent: deque[float] = deque(maxlen=max(ticks, 1))
        self._before = self._read()

    @property
    def known(self) -> bool:
        """Whether the system counts it."""
        return self._file is not None

    def tick(self) -> None:
        """A tick is over."""
        now = self._read()
        waited, self._before = now - self._before, now
        self.quantiles.add(waited)
        self._recent.append(waited)
        self.total += waited
        self.maximum = max(self.maximum, waited)

    def recent(self, silence: float) -> float:
        """Time in the ticks of a silence up to now, and in the one before it [s]."""
        if self._period is None:
            return sum(self._recent)
        # What it waited before the silence began is no cause of it.
        count = round(silence / self._period) + 1
        return sum(list(self._recent)[-count:])

    def cause(self, silence: float) -> str:
        """Who was late where no state came for ``silence`` [s]; empty where the system does not tell."""
        if not self.known:
            return ""
        waited = self.recent(silence)
        if waited >= SHARE * silence:
            return f"this computer was late: the run waited {waited:.2f} s for a processor"
        return f"this computer was in time (waited {waited:.3f} s for a processor): the robot or its network was silent"

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self) -> float:
        if self._file is None:
            return 0.0
        try:
            return 1e-9 * int(os.pread(self._file, 96, 0).split()[1])
        except (OSError, ValueError, IndexError):
            self.close()
            return 0.0
