"""A process that runs one session at a time in real time; it is asked and tells over a pipe.

It gets the messages of pages and gives plain answers, so that nothing of a run can hold up the pages, and a run that
breaks leaves them alone.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

import numpy as np

from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.runs.loop.tick import Tick
from andante.studio.errors import StudioError
from andante.studio.lanes import Rows, lane_row
from andante.studio.message import Message
from andante.studio.messages import BeginFault, Change, MendFault, Plots
from andante.studio.processes import DONE
from andante.studio.recorded_run import Plotted, RecordedRun, channels, parameters, recorded_layouts, units
from andante.studio.supervised import said

RATE = 36.0
"""Poses per second of real time; the page draws each at most once, and some come too late for a frame."""
_PLAYED = ("block", "keyframe")
"""What is told of an event beside its text: which keyframe begins."""
Run = TypeVar("Run", bound=RecordedRun)


class LiveProcess(ABC, Generic[Run]):
    """What runs in the process; what a page asks by ``do`` is done by the method ``_do_<do>``.

    Args:
        pipe: Messages come and answers go here.
    """

    nothing = "nothing runs"
    """What a page is told that asks something of a run where there is none."""
    untold: tuple[EventKind, ...] = ()
    """Events that are not told."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._run: Run | None = None
        self._number = 0
        self._going = False
        self._asked: Any = None
        """The message that is being obeyed."""
        self._plotted = Plotted()
        self._rows: list[Rows] = []
        """What the lanes show of the ticks that were not sent yet."""
        self._due = 0.0

    def serve(self) -> None:
        """Do what comes until the pipe closes."""
        with suppress(EOFError, OSError):
            self._serve()
        # Nobody listens any more: what runs ends, and its log is whole.
        with suppress(OSError, AndanteError):
            self._drop()

    def _serve(self) -> None:
        while True:
            while self._pipe.poll(0.0 if self._going else None):
                # An empty message only asks whether somebody listens.
                message = self._pipe.recv()
                if message:
                    self._obey(*message)
                self._pipe.send((DONE, None))
            self._advance()

    def _obey(self, message: Any, *more: Any) -> None:
        self._asked = message
        try:
            getattr(self, f"_do_{message.do}")(message, *more)
        except Exception as error:  # noqa: BLE001 - whatever it is, who has asked is told
            self._tell("refused", text=str(said(error)))
        self._asked = None

    # What is asked of every run ----------------------------------------------------------------------------------

    def _do_stop(self, _: Message) -> None:
        run = self._running()
        run.session.end()
        run.touched = True
        self._finish(run)

    def _do_fault(self, message: BeginFault) -> None:
        run = self._running()
        run.session.fault(message.fault)
        run.touched = True
        self._tell("faulty", name=message.fault.name, on=True)

    def _do_mend(self, message: MendFault) -> None:
        run = self._running()
        run.session.mend(message.name)
        run.touched = True
        self._tell("faulty", name=message.name, on=False)

    def _do_change(self, message: Change) -> None:
        run = self._running()
        run.session.change(message.parameter, message.value)
        run.touched = True
        self._tell("changed", parameter=message.parameter, value=message.value, time=run.session.time)

    def _do_plots(self, message: Plots) -> None:
        self._plotted.choose(message.columns)
        self._tell("plots", columns=list(message.columns))

    # Running -----------------------------------------------------------------------------------------------------

    def _running(self) -> Run:
        if self._run is None or self._run.session.ending is not None:
            raise StudioError(self.nothing)
        return self._run

    def _started(self, run: Run, **data: Any) -> None:
        """Tell of another run."""
        self._number += 1
        self._plotted.clear()
        self._rows.clear()
        layouts = recorded_layouts(run.session, run.parts)
        found = {
            "channels": channels(layouts),
            "units": units(layouts),
            "parameters": parameters(run.session.controller),
        }
        self._tell("started", **data, run=self._number, **found, folder=str(run.folder))

    def _advance(self) -> None:
        try:
            run = self._running()
            run.clock.wait_until(run.session.moment)
            self._note(run, run.step())
            now, over = time.perf_counter(), run.session.ending is not None
            if over or now >= self._due:
                # From the last due moment on, not from now: a tick longer than half a frame would lower the rate.
                self._due = max(self._due + 1.0 / RATE, now)
                self._show(run)
            if over:
                self._finish(run)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the pages are told
            self._tell("broken", text=str(said(error)))
            self._drop()

    def _note(self, run: Run, tick: Tick) -> None:
        """Keep what lanes and plots show, and tell what happened."""
        self._rows.append(lane_row(tick, run.base))
        self._plotted.note(tick)
        for event in tick.events:
            if event.kind not in self.untold:
                played = {name: event.data[name] for name in _PLAYED if name in event.data}
                self._tell("event", time=event.time, kind=str(event.kind), text=event.text, **played)

    def _show(self, run: Run) -> None:
        if self._rows:
            self._pipe.send(("lanes", (self._number, np.array(self._rows))))
            self._rows.clear()
        self._pipe.send(("pose", (self._number, run.session.time, run.pose(), self._plotted.take())))

    def _finish(self, run: Run) -> None:
        """Close the log and judge the run."""
        self._going = False
        self._tell("verdict", **run.verdict())

    def _drop(self) -> None:
        run, self._run, self._going = self._run, None, False
        if run is not None:
            run.drop()

    def _tell(self, what: str, /, **data: Any) -> None:
        self._pipe.send(("tell", {"type": what, **self._about(what), **data}))

    @abstractmethod
    def _about(self, what: str) -> dict[str, Any]:
        """What an answer of some type belongs to."""


def serve(made: Callable[[Connection], LiveProcess[Any]], pipe: Connection) -> None:
    """Entry of the process."""
    made(pipe).serve()
