"""The runs of one open document: what pages ask of its simulation process, and what that tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from andante.studio import messages as asked
from andante.studio.connected_page import Page
from andante.studio.errors import StudioError
from andante.studio.lanes import KeptLanes
from andante.studio.live_process import serve
from andante.studio.midi import MidiControl
from andante.studio.processes import TalkingProcess
from andante.studio.simulation import Order, Simulation
from andante.studio.view import finite, lanes_message, pose_message

_EVENTS = 500
"""Events of a run that pages are told that come later."""
_GRACE = 5.0
"""So long a run may take to write its log to the end, beside those of all other documents where the studio ends [s]."""


class DocumentRuns:
    """One simulation at a time, seen by all pages of a document.

    Args:
        pages: The pages.
        tell: Tells all pages of the document something.
        foxglove: Port on which runs are streamed to Foxglove; None: they are not.
        talking: Makes the simulation's process.
    """

    def __init__(
        self,
        pages: Iterable[Page],
        tell: Callable[[dict[str, Any]], None],
        foxglove: int | None = None,
        talking: Callable[..., TalkingProcess] = TalkingProcess,
    ) -> None:
        self._pages, self._tell = pages, tell
        made = partial(Simulation, foxglove=foxglove)
        self._process = talking(partial(serve, made), "studio-simulation", "the simulation", self._heard, self._lost)
        self._last: dict[str, Any] | None = None
        self._begun: dict[str, Any] | None = None
        self._events: list[dict[str, Any]] = []
        self._lanes = KeptLanes()
        self._pose: bytes | None = None
        self._midi = MidiControl(tell, self._turn)

    def enter(self, page: Page) -> None:
        """Tell one more page of the last run: that it began, what joints did, what happened, how it ended."""
        if self._begun is not None:
            page.send({**self._begun, "late": True, "going": self._last is self._begun})
            rows = self._lanes.rows
            if rows is not None:
                page.queue(lanes_message(self._begun["run"], rows))
            for event in self._events:
                page.send(event)
        if self._last is not None and self._last is not self._begun:
            page.send(self._last)
        if self._pose is not None:
            page.pose(self._pose)

    def ask(self, page: Page, message: Any) -> None:
        """Do what a page asks for.

        Raises:
            AndanteError: It cannot be done.
        """
        if isinstance(message, asked.MidiMessage):
            answer = self._midi.ask(message)
            for each in self._pages if answer["type"] == "midi" else (page,):
                each.send({**answer, "request": message.request if each is page else 0})
        else:
            self._run(message)

    def play(self, message: asked.Play, order: Order) -> None:
        """Run something."""
        self._process.send(message, order)

    @property
    def finished(self) -> str:
        """The motion of the last run, where it has come to its end; empty: there is none."""
        over = self._last is not None and self._last["type"] == "verdict"
        return str(self._begun["motion"]) if over and self._begun is not None else ""

    def end(self) -> None:
        """End the simulation."""
        self._midi.close()
        self._process.stop(_GRACE)

    def _run(self, message: Any) -> None:
        if self._process.begun or isinstance(message, asked.Plots):
            self._process.send(message)
        else:
            raise StudioError("nothing runs")

    def _turn(self, message: asked.Change) -> None:
        """A knob was turned; without a run it moves nothing."""
        if self._last is not None and self._last["type"] == "started":
            self._run(message)

    def _lost(self, text: str) -> None:
        """The simulation process has ended by itself, and what ran in it."""
        self._last = self._begun = None
        self._tell({"type": "broken", "text": text})

    def _heard(self, kind: str, data: Any) -> None:
        """Something that the simulation process said."""
        if kind == "pose":
            *_, rows = data
            message = self._pose = pose_message(*data)
            for page in self._pages:
                # Values of plotted variables are not skipped.
                (page.queue if rows else page.pose)(message)
        elif kind == "lanes":
            message = lanes_message(*data)
            self._lanes.keep(data[1])
            for page in self._pages:
                page.queue(message)
        else:
            data = finite(data)
            self._remember(data)
            self._tell(data)

    def _remember(self, data: dict[str, Any]) -> None:
        """Keep what pages that come later need to know."""
        if data["type"] in ("started", "verdict"):
            self._last = data
        elif data["type"] == "broken":
            self._last = None
        if data["type"] == "started":
            self._begun = data
            self._events = []
            self._lanes.begin()
        elif data["type"] == "event" and len(self._events) < _EVENTS:
            self._events.append(data)
