"""What controllers have in common: a period, telemetry, events, and settings that may change while they run."""

from __future__ import annotations

from typing import Generic, TypeVar

from andante.control.controller import ControlError, ControlEvent
from andante.control.events import EventKind
from andante.documents.settings import Settings
from andante.robots.records import Record

S = TypeVar("S", bound=Settings)


class ControllerBase:
    """Keeps period, telemetry and events of a controller.

    Args:
        period: Time between two steps [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._time = 0.0
        self._telemetry: Record | None = None
        self._events: list[ControlEvent] = []

    @property
    def period(self) -> float:
        """Time between two steps [s]."""
        return self._period

    @property
    def telemetry(self) -> Record | None:
        """What went on inside at the last step; None: nothing is told."""
        return self._telemetry

    def reset(self) -> None:
        """Forget everything but the settings; the next step is the first."""
        self._time, self._telemetry, self._events = 0.0, None, []

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order; the caller owns the list."""
        taken, self._events = self._events, []
        return taken

    def _tell(self, kind: EventKind, text: str, **data: float | int | str) -> None:
        """Tell of something that happened in the step at ``self._time``."""
        self._events.append(ControlEvent(self._time, kind, text, data))


class TunableBase(ControllerBase, Generic[S]):
    """Keeps the settings too; see `andante.control.controller.Tunable`.

    Args:
        period: Time between two steps [s].
        settings: The settings that it begins with.
    """

    def __init__(self, period: float, settings: S) -> None:
        super().__init__(period)
        self._settings = settings
        self._use(settings)

    @property
    def settings(self) -> S:
        """The settings in force, for the size of robot that they are stated for."""
        return self._settings

    def change(self, settings: S) -> None:
        """Go on with other settings from the next step on; where they are refused, the old ones stay.

        Raises:
            ControlError: They are another controller's, or do not fit the robot or what is asked of it.
        """
        if type(settings) is not type(self._settings):
            raise ControlError(
                "these are another controller's settings",
                place=type(self).__name__,
                value=type(settings).__name__,
                limit=type(self._settings).__name__,
            )
        if settings != self._settings:
            self._use(settings)
            self._settings = settings

    def _use(self, settings: S) -> None:
        """Make what follows from the settings; everything that may be refused comes first."""
