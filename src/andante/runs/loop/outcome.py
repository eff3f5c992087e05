"""How a run ends: its limits, why it ended, and what is known then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from andante.control.controller import ControlEvent
from andante.runs.loop.clock import ClockLateness


class Ending(StrEnum):
    """Why a run ended."""

    DONE = "done"
    """The controller was done and the settling time had passed."""
    FAILED = "failed"
    """The controller gave up."""
    BROKEN = "broken"
    """The controller broke off, or a sensor that it needs was lost; the robot was stopped."""
    LOST = "lost"
    """What was moved could not be reached any more."""
    TIMEOUT = "timeout"
    """The time limit was reached first."""
    INTERRUPTED = "interrupted"
    """Someone pressed Ctrl-C, or ended the session."""
    STOPPED = "stopped"
    """An observer had seen enough."""


@dataclass(frozen=True)
class RunLimits:
    """When a run ends."""

    timeout: float
    """Longest time [s]."""
    settle: float = 0.0
    """Time that goes on after the controller is done [s]."""
    until_timeout: bool = False
    """Go on to the time limit even if the controller is done or gives up."""


@dataclass(frozen=True)
class Outcome:
    """What is known at the end of a run; judging it is for the verdict."""

    ending: Ending
    """Why it ended."""
    ticks: int
    """Number of ticks."""
    time: float
    """Time of the run [s]."""
    done_at: float | None
    """Time at which the controller was done first; None: never [s]."""
    wall_time: float
    """Real time that the ticks took [s]."""
    lateness: ClockLateness
    """How late the ticks began."""
    interventions: tuple[ControlEvent, ...]
    """Summary of the guard's interventions."""
    plans: tuple[tuple[float, float], ...] = ()
    """Time of the run at each request to the planner, and processor time of its plan [s]."""
    reason: str = ""
    """Why the robot was stopped; empty where it was not."""
    error: Exception | None = None
    """What the controller raised; None: nothing."""
