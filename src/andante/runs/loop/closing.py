"""Closing: how a session ends whatever happened: the robot is left at rest, log, planner and backend are closed."""

from __future__ import annotations

from abc import ABC, abstractmethod

from andante.backends.backend import Backend
from andante.control.controller import ControlEvent, Releasing
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.errors import AndanteError
from andante.robots.records import Command
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.schedule import PlanQueue

_LAST_WRITES = 3
"""So often the last command of all is sent to a robot."""


class Closing(ABC):
    """The part of a session that ends it."""

    backend: Backend
    guard: Guard
    _command: Command | None
    _recorder: LogRecorder | None
    _plans: PlanQueue | None
    _releasing: Releasing | None
    _closed: bool
    unclosed: Exception | None = None
    """What the backend raised when it was let go of; None: nothing."""

    @property
    @abstractmethod
    def time(self) -> float:
        """Time of the run [s]."""

    def _note(self, event: ControlEvent) -> None:
        if self._recorder is not None:
            self._recorder.event(event)

    def _break_off(self, error: Exception) -> None:
        """Leave the robot at rest and close the log; what Andante raises is told there."""
        self._closed = True
        try:
            self._leave_at_rest()
            if isinstance(error, AndanteError):
                self._note(ControlEvent(self.backend.time, EventKind.ERROR, str(error)))
        finally:
            self._let_go()

    def _leave_at_rest(self) -> None:
        """Let the last command that stays in force be one at rest."""
        if self._command is None:
            return
        try:
            rest = self.guard.rest() if self._releasing is None else self._releasing.off()
            if rest.vector.tobytes() != self._command.vector.tobytes():
                # A robot's link may lose one, and there is no next command to make good for it.
                for _ in range(1 if self._releasing is None else _LAST_WRITES):
                    self.backend.write(rest)
                self._command = rest
        except Exception as error:  # noqa: BLE001 - the run ends, and why it ends must not be hidden by this
            self._note(ControlEvent(self.time, EventKind.ERROR, f"the last command could not be given: {error}"))

    def _let_go(self) -> None:
        try:
            if self._plans is not None:
                self._plans.close()
            if self._recorder is not None:
                self._recorder.close()
        finally:
            try:
                self.backend.close()
            except Exception as error:  # noqa: BLE001 - passed on by who knows that nothing worse has happened
                self.unclosed = error
