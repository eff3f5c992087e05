"""Tick and Observer: what happens in one period of a run, and who looks at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from andante.backends.backend import Backend
from andante.control.controller import ControlEvent
from andante.robots.records import Command, Record, Sensors


class _Unread:
    """Says that the ground truth has not been asked for."""


_UNREAD: Final = _Unread()


class Tick:
    """One period of a run, as it was decided; time has not gone on yet.

    Attributes:
        number: Count from 0.
        moment: Its begin since the start of the run [ns].
        sensors: What was read.
        checked: What the controller saw; the same object where nothing was wrong with what was read.
        request: What the controller asked for.
        command: What the guard let pass and the backend was given; the same object where nothing was changed.
        events: What happened: changes from outside, then controller, guard and backend.
        telemetry: What the controller tells about itself; None: nothing.
    """

    __slots__ = (
        *("_read_truth", "_truth", "checked", "command", "events", "moment", "number", "request", "sensors"),
        "telemetry",
    )

    def __init__(
        self,
        number: int,
        moment: int,
        sensors: Sensors,
        checked: Sensors,
        request: Command,
        command: Command,
        events: list[ControlEvent],
        telemetry: Record | None,
        read_truth: Callable[[], Record | None],
    ) -> None:
        self.number, self.moment, self.sensors, self.checked = number, moment, sensors, checked
        self.request, self.command, self.events, self.telemetry = request, command, events, telemetry
        self._read_truth = read_truth
        self._truth: Record | _Unread | None = _UNREAD

    @property
    def time(self) -> float:
        """Its begin since the start of the run [s]."""
        return self.moment / 1e9

    @property
    def truth(self) -> Record | None:
        """Ground truth of the moment of the sensors, read when it is asked for first; no controller sees it.

        Ask while the tick is shown: afterwards time goes on.
        """
        if isinstance(self._truth, _Unread):
            self._truth = self._read_truth()
        return self._truth

    def __repr__(self) -> str:
        return f"Tick({self.number}, {self.time:.3f} s, {len(self.events)} events)"


class Observer:
    """Looks at a run. Does nothing by itself: override what is of interest."""

    def begin(self, backend: Backend) -> None:
        """The run begins: backend, controller and guard are at their start."""

    def see(self, tick: Tick) -> None:
        """A tick was decided; time goes on afterwards."""

    def over(self, backend: Backend) -> bool:
        """Whether the run shall end; asked after time went on."""
        return False
