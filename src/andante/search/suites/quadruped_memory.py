"""How fast a session runs, and how its process grows."""

from __future__ import annotations

import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from andante.runs.session import Session

_EVERY = 2.0
"""Time of the run between two looks [s]."""
_SETTLED = 0.3
"""The first part of the run, in which caches fill, does not count."""
_STATUS = Path("/proc/self/statm")


@dataclass(frozen=True)
class Growth:
    """Speed of a run, and growth of its process by a straight line through what was seen after its first part."""

    speed: float
    """Time of the run over processor time of its steps, without the first, in which code is compiled."""

    memory: float
    """Resident memory [kB per minute of the run]."""
    objects: float
    """Objects that the collector knows, per minute of the run."""
    largest: float
    """Largest resident memory [kB]."""
    seconds: float
    """How long the run was [s]."""


def growth_of(session: Session) -> Growth:
    """Run a session to its end and watch the process; a session without a recorder has nothing that grows."""
    times, memory, objects = [], [], []
    due = _EVERY
    session.step()
    begun, first = time.process_time(), session.time
    while session.ending is None:
        session.step()
        if session.time >= due:
            paused = time.process_time()
            gc.collect()
            times.append(session.time)
            memory.append(resident())
            objects.append(float(len(gc.get_objects())))
            due += _EVERY
            begun += time.process_time() - paused
    spent = time.process_time() - begun
    speed = (session.time - first) / spent if spent > 0.0 else 0.0
    seen = np.array([times, memory, objects])
    seen = seen[:, seen[0] >= _SETTLED * session.time]
    if seen.shape[1] < 2:
        return Growth(speed, 0.0, 0.0, max(memory, default=resident()), session.time)
    minutes = seen[0] / 60.0
    slopes = [float(np.polyfit(minutes, row, 1)[0]) for row in seen[1:]]
    return Growth(speed, slopes[0], slopes[1], max(memory), session.time)


def resident() -> float:
    """Resident memory of this process [kB]; its largest so far where the system does not tell the present one."""
    if _STATUS.exists():
        import os

        return float(_STATUS.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024.0
    import resource

    most = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return most / 1024.0 if sys.platform == "darwin" else most
