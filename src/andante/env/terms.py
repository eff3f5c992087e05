"""Terms: what observations and rewards are made of, by name, each with its unit and its shape.

A term reads the robot's sensors: late, noisy, faulty, as a controller sees them. Only a term whose name begins with
``true_`` may read the ground truth, so that a policy's contract tells by its names what a robot could not give it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self, TypeVar

from andante.control.actions.acting import ActionRange
from andante.env.errors import EnvError
from andante.plugins.register import PROGRAM, SHIPPED, Register
from andante.robots.records import Command, Record, Sensors, Vector
from andante.robots.robot import Robot

TRUE = "true_"
"""How the names of terms begin that read the ground truth."""


class StepMoment:
    """What a term may look at: the state after a step, and what was done in it; its arrays are read-only.

    Attributes:
        robot: The robot.
        actions: Names, units and bounds of an action.
        sensors: What the controller would see now.
        action: What was asked in this step, (na,); zeros before the first.
        before: What was asked in the step before, (na,); zeros before the first.
        command: What the guard let pass in this step; all joints off before the first.
        time: Time of the episode [s].
        period: Time of a step [s].
    """

    __slots__ = (
        *("_read_truth", "_truth", "action", "actions", "before", "command"),
        *("period", "robot", "sensors", "time"),
    )

    def __init__(self, robot: Robot, actions: ActionRange, period: float, read_truth: Callable[[], Record]) -> None:
        self.robot, self.actions, self.period = robot, actions, period
        self._read_truth = read_truth
        self._truth: Record | None = None

    def at(self, time: float, sensors: Sensors, command: Command, action: Vector, before: Vector) -> None:
        """Go on to another moment."""
        self.time, self.sensors, self.command = time, sensors, command
        self.action, self.before = action, before
        self._truth = None

    @property
    def truth(self) -> Record:
        """Ground truth, for terms called ``true_...`` only."""
        if self._truth is None:
            self._truth = self._read_truth()
        return self._truth


class _Blind(StepMoment):
    """A moment without its truth, for terms that are not called ``true_...``."""

    @property
    def truth(self) -> Record:
        raise EnvError("only a term whose name begins with true_ may read the ground truth", remedy="rename the term")


def blind(moment: StepMoment) -> StepMoment:
    """The same moment for terms that may not read the truth; it has to be told of each new moment, too."""
    return _Blind(moment.robot, moment.actions, moment.period, moment._read_truth)


@dataclass(frozen=True)
class ObservationTerm:
    """Some of the numbers that an observation is made of."""

    name: str
    """Its name; ``true_...`` where it reads the ground truth."""
    unit: str
    """Unit of its numbers; empty for pure numbers."""
    labels: Callable[[Robot, ActionRange], tuple[str, ...]]
    """One label per number, of which there are always as many for a robot and a kind of action."""
    read: Callable[[StepMoment], Vector]
    """The numbers now, one per label."""
    about: str = ""
    """What it is, for people."""
    sensed: str = ""
    """Field of `Sensors` that it is as it stands; then ``read`` is not called, as all such fields are read at once."""

    @classmethod
    def of_sensors(
        cls, name: str, field: str, unit: str, labels: Callable[[Robot, ActionRange], tuple[str, ...]], about: str
    ) -> Self:
        """A field of `Sensors` as it stands."""
        return cls(name, unit, labels, lambda moment: moment.sensors[field], about, field)


@dataclass(frozen=True)
class RewardTerm:
    """One number of which a reward is a weighted sum."""

    name: str
    """Its name; ``true_...`` where it reads the ground truth."""
    unit: str
    """Unit of the number; empty for a pure number."""
    read: Callable[[StepMoment], float]
    """The number now."""
    about: str = ""
    """What it is, for people."""


T = TypeVar("T", ObservationTerm, RewardTerm)


def terms_of(kind: type[T], group: str, shipped: Iterable[T]) -> Register[T]:
    """The register of a kind of terms; an installed package brings one by an entry point in ``andante.<group>``.

    Args:
        kind: Class of the terms.
        group: What they are, in the plural.
        shipped: Those that are there from the start.
    """
    singular = group.removesuffix("s").replace("_", " ")

    def accept(thing: object) -> T:
        if not isinstance(thing, kind):
            raise EnvError(f"is no {singular}", value=type(thing).__name__, limit=f"a {kind.__name__}")
        if not callable(thing.read):
            raise EnvError(f"the {singular} has no function that reads it", value=type(thing.read).__name__)
        return thing

    return Register(group, singular, accept, {term.name: term for term in shipped}, EnvError, lambda term: term.name)


def who_reads(register: Register[T], name: str) -> str:
    """Name of a term for messages, with the package that brings it."""
    source = register.source(name)
    return name if source in ("", SHIPPED, PROGRAM) else f"{name} of {source}"
