"""What looks at the trials of an experiment, and by which names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from andante.backends.backend import Backend
from andante.documents.settings import Settings, SettingsError
from andante.plugins.answers import all_of, plain_data, yes_or_no
from andante.plugins.register import SHIPPED, Register
from andante.runs.build import Parts
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError


class TrialObserver(Observer, ABC):
    """Looks at one trial and tells its numbers afterwards."""

    planning: Sequence[float] = ()
    """Processor time of each plan that was made beside the controller, set before `ended` [s]."""

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """The trial is over.

        Args:
            ending: Why; None: the physics diverged.
            reason: Why the robot was stopped, or what diverged; empty: nothing.
        """

    @abstractmethod
    def values(self) -> Mapping[str, Any]:
        """What was seen: plain data by name, as `ObserverKind.tells` lists it."""

    def reasons(self) -> tuple[str, ...]:
        """Why the trial is no success, in words; none: it is one."""
        return ()


class ObserverKind(Settings, ABC):
    """A kind of observer with its settings, as an experiment names it."""

    tells: ClassVar[tuple[str, ...]]
    """Names of the numbers that its observers tell."""
    by_clock: ClassVar[tuple[str, ...]] = ()
    """Those of them that the computer's clock or memory decides, so that the same trial gives others each time."""

    @abstractmethod
    def observer(self, scenario: Scenario, parts: Parts) -> TrialObserver:
        """An observer of one trial.

        Raises:
            AndanteError: It cannot look at such a trial.
        """


class NamedTrialObserver(TrialObserver):
    """An observer of an installed package or of a program: what it does wrong is told with its name.

    Args:
        name: Its name.
        inner: The observer.
    """

    def __init__(self, name: str, inner: TrialObserver) -> None:
        self._name, self._inner = name, inner

    def begin(self, backend: Backend) -> None:
        """The run begins."""
        with OBSERVERS.blame(self._name, ticks=True):
            self._inner.begin(backend)

    def see(self, tick: Tick) -> None:
        """A tick was decided."""
        with OBSERVERS.blame(self._name, ticks=True):
            self._inner.see(tick.shown())

    def over(self, backend: Backend) -> bool:
        """Whether the run shall end."""
        with OBSERVERS.blame(self._name, ticks=True):
            return yes_or_no(self._inner.over(backend))

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """The trial is over."""
        with OBSERVERS.blame(self._name):
            self._inner.planning = self.planning
            self._inner.ended(ending, reason)

    def values(self) -> Mapping[str, Any]:
        """What was seen, as plain data."""
        with OBSERVERS.blame(self._name, refusals=True):
            told = self._inner.values()
            if not isinstance(told, Mapping):
                raise TypeError(f"it tells a {type(told).__name__}, no mapping")
            return dict(plain_data(told, finite=False))

    def reasons(self) -> tuple[str, ...]:
        """Why the trial is no success."""
        with OBSERVERS.blame(self._name, refusals=True):
            return all_of(str, self._inner.reasons())


def observer_kind(name: str, settings: Mapping[str, Any]) -> ObserverKind:
    """A kind of observer with its settings.

    Raises:
        AndanteError: There is none of this name, a setting is not legal, or the plug-in that brings it failed.
    """
    with OBSERVERS.blame(name):
        kind = OBSERVERS[name]
        try:
            return kind(**settings)
        except SettingsError as error:
            raise SearchError(
                error.what,
                place=f"observers.{name}{error.place.removeprefix(kind.place)}",
                value=error.value,
                limit=error.limit,
                legal=error.legal,
                meant=error.meant,
                remedy=error.remedy,
            ) from error


def observer_of(name: str, settings: Mapping[str, Any], scenario: Scenario, parts: Parts) -> TrialObserver:
    """An observer of one trial by the name of its kind.

    Raises:
        AndanteError: It cannot look at such a trial, or the plug-in that brings it failed.
    """
    with OBSERVERS.blame(name):
        made: object = observer_kind(name, settings).observer(scenario, parts)
        if not isinstance(made, TrialObserver):
            raise TypeError(f"it makes a {type(made).__name__}, no TrialObserver")
    return made if OBSERVERS.source(name) == SHIPPED else NamedTrialObserver(name, made)


def refuse_no_numbers(name: str, told: object) -> None:
    """Refuse what the observer of a plug-in tells where a number in it is NaN or infinite.

    Studies do so by themselves, as an objective or constraint may have a value for such trials.

    Raises:
        PluginError: One is.
    """
    if OBSERVERS.source(name) != SHIPPED:
        with OBSERVERS.blame(name, refusals=True):
            plain_data(told)


def _accepted(thing: object) -> type[ObserverKind]:
    if not (isinstance(thing, type) and issubclass(thing, ObserverKind)):
        raise SearchError("is no kind of observer: it must extend ObserverKind", value=repr(thing))
    for name in ("tells", "by_clock"):
        told = getattr(thing, name, None)
        if not isinstance(told, (tuple, list)) or not all(isinstance(each, str) for each in told):
            what = "an observer says which numbers it tells" if name == "tells" else "names of numbers stand in a tuple"
            raise SearchError(what, place=name, value=told, limit="a tuple of names")
    return thing


OBSERVERS: Register[type[ObserverKind]] = Register(
    "observers",
    "observer",
    _accepted,
    {
        "fall": "search.observers.fall:FallKind",
        "get-up": "search.observers.get_up:GetUpKind",
        "ball": "search.observers.ball:BallKind",
        "rise": "search.observers.rise:RiseKind",
        "stand": "search.observers.stand:StandKind",
        "quadruped": "search.observers.quadruped:QuadrupedKind",
        "growth": "search.observers.growth:GrowthKind",
        "solvers": "search.observers.solvers:SolversKind",
    },
    error=SearchError,
)
"""Kinds of observers by the name that figures begin with."""
