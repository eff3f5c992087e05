"""Tick and Observer: what happens in one period of a run, and who looks at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import EllipsisType

from andante.backends.backend import Backend
from andante.control.controller import ControlEvent
from andante.robots.records import Command, Record, Sensors


@dataclass(slots=True, eq=False, repr=False)
class Tick:
    """One period of a run, as it was decided; time has not gone on yet."""

    number: int
    """Count from 0."""
    moment: int
    """Its begin since the start of the run [ns]."""
    sensors: Sensors
    """What was read."""
    checked: Sensors
    """What the controller saw; the same object where nothing was wrong with what was read."""
    request: Command
    """What the controller asked for."""
    command: Command
    """What the guard let pass and the backend was given; the same object where nothing was changed."""
    events: list[ControlEvent]
    """What happened: changes from outside, then controller, guard and backend."""
    telemetry: Record | None
    """What the controller tells about itself; None: nothing."""
    _read_truth: Callable[[], Record | None]
    _truth: Record | EllipsisType | None = ...
    """The dots: it has not been asked for."""

    @property
    def time(self) -> float:
        """Its begin since the start of the run [s]."""
        return self.moment / 1e9

    @property
    def truth(self) -> Record | None:
        """Ground truth of the moment of the sensors, read when it is asked for first; no controller sees it.

        Ask while the tick is shown: afterwards time goes on.
        """
        if self._truth is ...:
            self._truth = self._read_truth()
        return self._truth

    def shown(self) -> Tick:
        """The same tick, by which who is only shown it cannot change the run or its log."""
        sensors, request, telemetry = self.sensors.shown(), self.request.shown(), self.telemetry
        return replace(
            self,
            sensors=sensors,
            checked=sensors if self.checked is self.sensors else self.checked.shown(),
            request=request,
            command=request if self.command is self.request else self.command.shown(),
            events=list(self.events),
            telemetry=None if telemetry is None else telemetry.shown(),
        )

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
