"""What looks at the trials of an experiment, and by which names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from andante.documents.settings import Settings
from andante.plugins.register import Register
from andante.runs.build import Parts
from andante.runs.loop.outcome import Ending
from andante.runs.loop.tick import Observer
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


def _accepted(thing: object) -> type[ObserverKind]:
    if not (isinstance(thing, type) and issubclass(thing, ObserverKind)):
        raise SearchError("is no kind of observer: it must extend ObserverKind", value=repr(thing))
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
