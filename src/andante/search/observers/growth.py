"""The observer `growth`: how fast a session is simulated, and how its process grows."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from andante.backends.backend import Backend
from andante.documents.memory import resident_or_most
from andante.runs.build import Parts
from andante.runs.scenario import Scenario
from andante.search.experiment.observing import ObserverKind, TrialObserver

_EVERY = 2.0
"""Time of the run between two looks [s]."""
_SETTLED = 0.3
"""The first part of the run, in which caches fill, does not count."""


class GrowthKind(ObserverKind):
    """Watches the process; a run without a recorder has nothing that grows."""

    place: ClassVar[str] = "observers.growth"
    tells: ClassVar[tuple[str, ...]] = ("speed", "memory", "objects", "largest", "seconds")
    by_clock: ClassVar[tuple[str, ...]] = tells

    def observer(self, scenario: Scenario, parts: Parts) -> GrowthObserver:
        """An observer of one trial."""
        return GrowthObserver()


class GrowthObserver(TrialObserver):
    """Looks at the clock and at the process, every two seconds of the run."""

    def begin(self, backend: Backend) -> None:
        """Forget everything; the first tick, in which code is compiled, does not count."""
        self._seen: list[tuple[float, float, float]] = []
        self._due, self._begun, self._first = _EVERY, 0.0, -1.0

    def over(self, backend: Backend) -> bool:
        """Look whether it is time to; what the look takes does not count."""
        now = time.process_time()
        if self._first < 0.0:
            self._begun, self._first = now, backend.time
        elif backend.time >= self._due:
            gc.collect()
            self._seen.append((backend.time, resident_or_most() / 1024.0, float(len(gc.get_objects()))))
            self._due += _EVERY
            self._begun += time.process_time() - now
        self._time, self._now = backend.time, now
        return False

    def values(self) -> Mapping[str, Any]:
        """Time of the run over processor time; growth of resident memory [kB] and of objects per minute of the run, by
        a straight line; largest memory [kB]; time of the run [s]."""
        spent = self._now - self._begun
        speed = (self._time - self._first) / spent if spent > 0.0 else 0.0
        seen = np.array(self._seen).reshape(-1, 3)
        largest = float(seen[:, 1].max()) if len(seen) else resident_or_most() / 1024.0
        seen = seen[seen[:, 0] >= _SETTLED * self._time]
        memory, objects = np.polyfit(seen[:, 0] / 60.0, seen[:, 1:], 1)[0].tolist() if len(seen) > 1 else (0.0, 0.0)
        return {"speed": speed, "memory": memory, "objects": objects, "largest": largest, "seconds": self._time}
