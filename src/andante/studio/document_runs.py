"""The runs of one open document: what pages ask of its simulation process, and what that tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from andante.studio import messages as asked
from andante.studio.connected_page import Page
from andante.studio.errors import StudioError
from andante.studio.live_process import serve
from andante.studio.midi import MidiControl
from andante.studio.processes import TalkingProcess
from andante.studio.simulation import Order, Simulation
from andante.studio.view import finite, pose_message


class DocumentRuns:
    """One simulation at a time, seen by all pages of a document.

    Args:
        pages: The pages.
        tell: Tells all pages of the document something.
        foxglove: Port on which runs are streamed to Foxglove; None: they are not.
    """

    def __init__(
        self,
        pages: Iterable[Page],
        tell: Callable[[dict[str, Any]], None],
        foxglove: int | None = None,
    ) -> None:
        self._pages, self._tell = pages, tell
        made = partial(Simulation, foxglove=foxglove)
        self._process = TalkingProcess(
            partial(serve, made), "studio-simulation", "the simulation", self._heard, self._lost
        )
        self._last: dict[str, Any] | None = None
        self._pose: bytes | None = None
        self._midi = MidiControl(tell, self._turn)

    def enter(self, page: Page) -> None:
        """Tell one more page of the last run."""
        if self._last is not None:
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

    def end(self) -> None:
        """End the simulation."""
        self._midi.close()
        self._process.stop()

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
        self._last = None
        self._tell({"type": "broken", "text": text})

    def _heard(self, kind: str, data: Any) -> None:
        """Something that the simulation process said."""
        if kind == "pose":
            *_, rows = data
            message = self._pose = pose_message(*data)
            for page in self._pages:
                # Values of plotted variables are not skipped.
                (page.queue if rows else page.pose)(message)
        else:
            if data["type"] in ("started", "verdict"):
                self._last = data
            elif data["type"] == "broken":
                self._last = None
            self._tell(finite(data))
