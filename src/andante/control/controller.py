"""Controller: what decides at every tick, and what those of this package have in common."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from andante.control.events import EventKind
from andante.control.sensor_parts import SensorPart
from andante.documents.settings import Settings
from andante.errors import AndanteError
from andante.robots.records import Command, Record, Sensors

S = TypeVar("S", bound=Settings)


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

    @property
    def done(self) -> bool:
        """True when the controller has nothing more to do and holds its last posture."""

    @property
    def telemetry(self) -> Record | None:
        """What went on inside at the last step, recorded beside the command; None for nothing."""

    def reset(self) -> None:
        """Forget everything; the next step is the first."""

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order; the caller owns the list."""


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

    def change(self, settings: Any) -> None:
        """Go on with other settings of the same kind from the next step on; where they are refused, the old ones stay.

        Raises:
            AndanteError: They are another controller's, or do not fit the robot or what is asked of it.
        """


@runtime_checkable
class Fallible(Protocol):
    """A controller that may give up."""

    @property
    def failed(self) -> bool:
        """True while it has given up: without help from outside it will never be done."""


@runtime_checkable
class Successor(Protocol):
    """A controller that goes on from what another one commanded; others are reset in place of it."""

    def take_over(self, sensors: Sensors, last: Command) -> None:
        """Forget everything, and begin with the next step from what is measured and was commanded last."""


@runtime_checkable
class Sparing(Protocol):
    """A controller that goes on without some of the sensors."""

    @property
    def needs(self) -> Collection[SensorPart]:
        """Parts without which it cannot go on; all others may be lost for good."""


@runtime_checkable
class Adapting(Protocol):
    """A controller that may go on without sensors that a robot never had; those that it has may not be lost."""

    def do_without(self, absent: Collection[str]) -> None:
        """Take note, before the run, of fields of the sensors that the robot does not measure.

        Raises:
            ControlError: What it is to do looks at one of them.
        """


@runtime_checkable
class TruthReader(Protocol):
    """A controller that may see ground truth, which no robot measures; only a simulation that allows it runs it so."""

    @property
    def sees_truth(self) -> bool:
        """Whether it does; all that comes of the run then says so."""

    def see_truth(self, truth: Record) -> None:
        """Take the truth of the tick that comes; told before every step."""


@runtime_checkable
class Planned(Protocol):
    """A controller that has a planner beside it; see `andante.planning.planner.Planner`."""

    def take_request(self) -> object | None:
        """What the planner shall answer, given once; None: nothing. Asked before every step."""

    def accept(self, plan: Any) -> None:
        """Use this plan from the next step on."""


@runtime_checkable
class Releasing(Protocol):
    """A controller that has to let go of a robot before its run may end, as `ArmedController` does."""

    @property
    def inner(self) -> Controller:
        """What decides while the motion goes on; it is told what is asked from outside."""

    @property
    def running(self) -> bool:
        """Whether the motion goes on, so that its planner may be asked."""

    @property
    def released(self) -> bool:
        """Whether the robot has been let go of: only then the run may end."""

    @property
    def failure(self) -> str:
        """What went wrong; empty where nothing has."""

    def release(self, why: str) -> None:
        """Begin to let go of the robot; a second call does nothing."""

    def give_up(self, why: str) -> None:
        """Begin to let go of the robot because something is wrong with it; the run fails by it."""

    def doubt(self, why: str) -> None:
        """Hear, at each tick in which it is so, that sensors contradict each other: no motion should begin by them."""

    def off(self) -> Command:
        """What to command last where there is no time to let go of the robot."""


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

    def _refuse_period(self, value: object) -> None:
        raise self._taken("period", value, "the time between two steps, which ControllerBase is made with")

    def _refuse_telemetry(self, value: object) -> None:
        raise self._taken("telemetry", value, "what went on at the last step, which is kept in self._telemetry")

    if not TYPE_CHECKING:
        # To type checkers neither can be set, and classes below may override both.
        period = period.setter(_refuse_period)
        telemetry = telemetry.setter(_refuse_telemetry)

    def _taken(self, name: str, value: object, meaning: str) -> ControlError:
        """What is told of an attribute that a class below uses in a sense of its own."""
        return ControlError(
            f"{name} is {meaning}",
            place=f"{type(self).__qualname__}.{name}",
            value=value,
            remedy=f"give your own attribute another name, such as my_{name}",
        )

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
    """Keeps the settings too; see `Tunable`.

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
