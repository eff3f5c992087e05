"""Controller: what decides at every tick."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, runtime_checkable

from andante.control.events import EventKind
from andante.control.sensor_parts import Part
from andante.documents.settings import Settings
from andante.errors import AndanteError
from andante.robots.records import Command, Record, Sensors


class ControlError(AndanteError):
    """A controller or the guard cannot be built as asked, or is asked for something it does not have."""


@runtime_checkable
class Controller(Protocol):
    """Turns sensors into commands at a fixed period; keeps all its state in itself.

    After `reset`, the same sensors give the same commands, byte for byte.
    """

    @property
    def period(self) -> float:
        """Time between two steps [s]."""
        ...

    @property
    def done(self) -> bool:
        """True when the controller has nothing more to do and holds its last posture."""
        ...

    @property
    def telemetry(self) -> Record | None:
        """What went on inside at the last step, recorded beside the command; None for nothing."""
        ...

    def reset(self) -> None:
        """Forget everything; the next step is the first."""
        ...

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        ...

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order; the caller owns the list."""
        ...


class ControlEvent:
    """Something worth telling that happened at a tick (a keyframe began, a limit was applied, a motion broke up)."""

    __slots__ = ("data", "kind", "text", "time")

    def __init__(
        self, time: float, kind: EventKind, text: str, data: dict[str, float | int | str] | None = None
    ) -> None:
        self.time = time
        self.kind = kind
        self.text = text
        self.data = data or {}

    def __repr__(self) -> str:
        return f"ControlEvent({self.time:.3f} s, {self.kind}: {self.text})"


@runtime_checkable
class Tunable(Protocol):
    """A controller whose settings may change while it runs.

    Changed settings stay until they are changed again, over `Controller.reset` too. A change to equal settings changes
    nothing.
    """

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...

    def change(self, settings: Any) -> None:
        """Go on with other settings of the same kind from the next step on; where they are refused, the old ones stay.

        Raises:
            AndanteError: They are another controller's, or do not fit the robot or what is asked of it.
        """
        ...


@runtime_checkable
class Fallible(Protocol):
    """A controller that may give up."""

    @property
    def failed(self) -> bool:
        """True while it has given up: without help from outside it will never be done."""
        ...


@runtime_checkable
class Sparing(Protocol):
    """A controller that goes on without some of the sensors."""

    @property
    def needs(self) -> Collection[Part]:
        """Parts without which it cannot go on; all others may be lost for good."""
        ...


@runtime_checkable
class Planned(Protocol):
    """A controller that has a planner beside it; see `andante.planning.planner.Planner`."""

    def take_request(self) -> object | None:
        """What the planner shall answer, given once; None: nothing. Asked before every step."""
        ...

    def accept(self, plan: Any) -> None:
        """Use this plan from the next step on."""
        ...
