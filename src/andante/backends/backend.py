"""Backend: whatever is moved — a simulated robot, a recorded log, real hardware."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from andante.backends.fault import Fault
from andante.control.controller import ControlEvent
from andante.errors import AndanteError
from andante.robots.records import Command, Layout, Record, Sensors, Vector
from andante.robots.robot import Robot

if TYPE_CHECKING:
    from andante.backends.hardware.pace import Pace


class BackendError(AndanteError):
    """A backend cannot do what was asked."""


class LinkLostError(BackendError):
    """What is moved cannot be reached, or not any more; a run ends by it (`Ending.LOST`) and is told as ever."""


class DivergenceError(BackendError):
    """The simulated physics became unstable; the last good state is kept."""


def check_joints(command: Command, layout: Layout) -> None:
    """Refuse a command that is not of a robot's layout.

    Raises:
        BackendError: It is for other joints.
    """
    if command.layout is not layout and command.layout != layout:
        raise BackendError(
            "the command is for other joints", value=command.layout.fields[0].labels, legal=layout.fields[0].labels
        )


@runtime_checkable
class Backend(Protocol):
    """Reads sensors, takes commands, lets time pass."""

    @property
    def robot(self) -> Robot:
        """The robot that is moved."""

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""

    def reset(self, seed: int) -> None:
        """Go to the start; ``seed`` decides everything random."""

    def read(self) -> Sensors:
        """The sensors now; a new record at every call."""

    def write(self, command: Command) -> None:
        """Hand over a command; it holds until the next one."""

    def advance(self, duration: float) -> None:
        """Let ``duration`` seconds pass (a whole number of physics steps in a simulation)."""

    def truth(self) -> Record | None:
        """Ground truth for metrics and pictures only (None where there is none, as on hardware)."""

    def close(self) -> None:
        """Let go of everything."""


@runtime_checkable
class Listener(Protocol):
    """A backend in which something depends on what the controller does (faults that wait for a keyframe)."""

    def notify(self, event: ControlEvent) -> None:
        """Take note of an event of this tick, before time goes on."""


@runtime_checkable
class EventSource(Protocol):
    """A backend to which things happen that a reader of the log should know (faults)."""

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order."""


def whole_steps(duration: float, step: float) -> int:
    """How many physics steps a duration is, at least one.

    Raises:
        BackendError: It is no whole number of them.
    """
    steps = duration / step
    whole = round(steps) if math.isfinite(steps) else 0
    if whole < 1 or abs(steps - whole) > 1e-6:
        limit = f"a positive multiple of {step:g} s"
        raise BackendError("time passes in whole physics steps", place="advance", value=duration, limit=limit)
    return whole


@runtime_checkable
class Faulty(Protocol):
    """A backend in which faults can be added and ended while it runs; what happens is told by `EventSource`."""

    def add_fault(self, fault: Fault) -> None:
        """Add a fault; one that says no begin begins now."""

    def trigger(self, fault: str) -> None:
        """Begin the faults of this name now."""

    def mend(self, fault: str) -> None:
        """End the faults of this name now."""


@runtime_checkable
class Pushable(Protocol):
    """A backend in which somebody can push the robot while it runs."""

    def push(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """Push a body by a force [N] in the world, (3,), from now on until it is pushed otherwise or let go.

        It acts on ``point`` of the body, in its frame [m], (3,); None: on its centre of mass.
        """

    def let_go(self) -> None:
        """End the push."""


@runtime_checkable
class Tiring(Protocol):
    """A backend whose robot may get too hot, or its battery too low, to be moved on."""

    @property
    def exhausted(self) -> str:
        """Why the robot must be let go of; empty: it need not."""


@runtime_checkable
class Paced(Protocol):
    """A backend whose robot paces the run: `Backend.advance` waits for it, so that no clock has to."""

    @property
    def paces(self) -> bool:
        """Whether the run has to go by the robot's clock."""

    @property
    def absent(self) -> frozenset[str]:
        """Fields of `Sensors` that are not measured; they read NaN, and nothing has failed."""

    @property
    def pace(self) -> Pace:
        """How the run keeps pace with the robot."""

    def link_record(self) -> Record:
        """What happened on the way to the robot, for the log; one layout for a whole run."""
