"""Gate: what a session needs of the guard that stands between its controller and its backend."""

from __future__ import annotations

from typing import Protocol

from andante.control.controller import ControlEvent
from andante.robots.records import Command, Sensors


class Gate(Protocol):
    """What a session needs of a `Guard`."""

    def reset(self) -> None:
        """Forget everything."""
        ...

    def apply(self, command: Command, sensors: Sensors) -> Command:
        """The command that may be written."""
        ...

    def take_events(self) -> list[ControlEvent]:
        """Interventions since the last call."""
        ...

    def summary(self) -> list[ControlEvent]:
        """All interventions with their counts."""
        ...

    def rest(self) -> Command:
        """A command that may be left behind: the last posture, at rest."""
        ...
