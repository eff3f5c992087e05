"""How much memory this process takes, as the system tells it."""

from __future__ import annotations

import os
import sys


def resident() -> int:
    """Memory of this process [bytes]; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def resident_or_most() -> int:
    """Memory of this process; the most that it ever had where the system does not tell the present one [bytes].

    0 where the system tells neither, as Windows does not.
    """
    now = resident()
    if now:
        return now
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
