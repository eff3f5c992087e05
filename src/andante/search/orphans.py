"""A worker ends with the process that hired it, however that one ends and whatever the worker is at.

The hirer may be killed, or ended by a signal that nobody handles (SIGTERM, a terminal that is closed): it then tells
nobody. The worker learns of it by the end of the pipe that all processes of `multiprocessing` have to their parent.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from multiprocessing.connection import wait

_PR_SET_PDEATHSIG = 1
"""Number of the request in Linux, `prctl(2)`."""


def end_with_parent() -> None:
    """Let this process, a child of `multiprocessing`, be killed at once when its parent is gone."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        # The system does it even while compiled code lets no thread of Python run. It counts the thread that hired as
        # the parent; a hirer waits for its workers before it ends.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent.pid:
            os.kill(os.getpid(), signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent.sentinel,), name="andante-parent", daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
