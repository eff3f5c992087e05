"""BlackBox: the last seconds of a run on a robot, kept in memory and written out when something goes wrong.

The log of the run has the same; a black box is small, whole by itself, and there even if a run goes on for hours. It is
written by a thread beside the run.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from andante.backends.backend import Backend, Paced
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Record
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.outcome import Ending, Outcome
from andante.runs.loop.tick import Observer, Tick

PATTERN = "blackbox-*.mcap"
"""Names of the files in a run's folder."""
_SECONDS = 5.0
_MOST = 9
"""So many are written of a run at most."""
_APART = 2.0
"""Time between two of them at least [s]."""
_WRONG = (EventKind.GUARD, EventKind.FALL, EventKind.STOP, EventKind.ERROR, EventKind.HELP)
_BAD_ENDS = (Ending.LOST, Ending.BROKEN, Ending.FAILED)


class BlackBox(Observer):
    """Keeps the last seconds, and writes them when the guard intervenes, the robot falls, or it is lost.

    Args:
        folder: Where the files go; those of an earlier run are removed.
        metadata: Tables that each begins with.
        period: Time between two ticks [s].
        seconds: How much is kept [s].
    """

    def __init__(
        self, folder: Path, metadata: Mapping[str, Mapping[str, str]], period: float, seconds: float = _SECONDS
    ) -> None:
        self._folder, self._metadata = folder, metadata
        self._ticks: deque[tuple[Tick, Record | None]] = deque(maxlen=max(round(seconds / period), 1))
        self._paced: Paced | None = None
        self._last = -_APART
        self._threads: list[threading.Thread] = []
        for old in folder.glob(PATTERN):
            old.unlink(missing_ok=True)

    def begin(self, backend: Backend) -> None:
        """The run begins."""
        self._paced = backend if isinstance(backend, Paced) else None
        self._ticks.clear()

    def see(self, tick: Tick) -> None:
        """Keep a tick; write where something went wrong in it."""
        self._ticks.append((tick, None if self._paced is None else self._paced.link_record()))
        for event in tick.events:
            if event.kind in _WRONG and tick.time - self._last >= _APART:
                self._write(event.text)

    def end(self, outcome: Outcome) -> None:
        """The run is over: write where it ended badly, and wait until all is written."""
        if outcome.ending in _BAD_ENDS:
            self._last = -_APART
            self._write(f"the run ended: {outcome.ending}", outcome.reason)
        for thread in self._threads:
            thread.join()

    def _write(self, reason: str, more: str = "") -> None:
        number = len(self._threads) + 1
        if not self._ticks or (number > _MOST and not more):
            return
        self._last = self._ticks[-1][0].time
        about = {"reason": f"{reason}: {more}" if more else reason, "at": f"{self._last:.3f}"}
        path = self._folder / f"blackbox-{number}.mcap"
        thread = threading.Thread(target=self._dump, args=(path, about, list(self._ticks)), name="black box")
        self._threads.append(thread)
        thread.start()

    def _dump(self, path: Path, about: dict[str, str], ticks: list[tuple[Tick, Record | None]]) -> None:
        with closing(LogRecorder(path, {**self._metadata, "blackbox": about})) as recorder:
            for tick, link in ticks:
                recorder.add("sensors", tick.moment, tick.sensors)
                recorder.add("request", tick.moment, tick.request)
                recorder.add("command", tick.moment, tick.command)
                if link is not None:
                    recorder.add("link", tick.moment, link)
                for event in tick.events:
                    recorder.event(event)
                recorder.end_tick()
            recorder.event(ControlEvent(ticks[-1][0].time, EventKind.NOTE, f"black box: {about['reason']}"))
