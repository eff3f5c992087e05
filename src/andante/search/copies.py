"""Whether this process may be copied as it is: threads do not survive that, and what they hold stays held in the copy.

`threading` knows the threads that were begun by it. Those of libraries and of programs around this one are seen by the
system alone. OpenBLAS ends its own before a process is copied, so what counts is what is left afterwards.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings

from andante.search.held_signals import signals_held

_TASKS = "/proc/self/task"
_GONE = 0.05
"""Threads that have ended are out of the system's list within this time [s]."""
spared = 0
"""So many threads are no obstacle, as a test runner's own, which holds nothing that a copy needs."""


def threads_beside() -> int:
    """Threads of this process beside the one that asks which a copy would lack."""
    known, count = threading.active_count() - 1, _tasks()
    if count == 0:
        return known
    if known > spared or count <= 1 + spared:
        return max(known - spared, 0)
    _copy_once()
    end = time.monotonic() + _GONE
    while (count := _tasks()) > 1 + spared and time.monotonic() < end:
        time.sleep(0.001)
    return max(count - 1 - spared, 0)


def _tasks() -> int:
    """Threads of this process by the system; 0: it does not tell."""
    try:
        return len(os.listdir(_TASKS))
    except OSError:
        return 0


def _copy_once() -> None:
    """Copy this process for nothing: whoever ends threads for that has then ended them."""
    if sys.platform == "win32":
        return
    with signals_held(signal.SIGINT, signal.SIGTERM), unwarned():
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)


class unwarned(warnings.catch_warnings):  # noqa: N801 - as what it extends
    """Let Python say nothing of threads where a process is copied: it counts those that are about to end."""

    def __enter__(self) -> None:
        super().__enter__()
        warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
