"""Source: where a person's wishes come from while a robot walks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from andante.runs.errors import RunError


class SourceError(RunError):
    """There is nothing to steer by."""


class SourceLostError(RunError):
    """What the robot was steered by is gone."""


@dataclass(frozen=True)
class SteeringWish:
    """What a person wants of the robot."""

    forward: float = 0.0
    """Speed forward as a share of the largest, -1 to 1."""
    lateral: float = 0.0
    """Speed to the left as a share of the largest."""
    turn: float = 0.0
    """Speed of turning to the left as a share of the largest."""
    gait: str | None = None
    """The gait; None: nobody has chosen one."""
    over: bool = False
    """Whether the robot shall stand and the run end."""
    number: int = field(default=0, compare=False)
    """Counts what was asked; one that is asked again has another number, and what has the same is growing old."""


class Source(Protocol):
    """A keyboard, a gamepad, or a program; open while it is a context."""

    @property
    def name(self) -> str:
        """What it is, for people."""
        ...

    @property
    def guide(self) -> Sequence[str]:
        """How to use it, in lines."""
        ...

    def __enter__(self) -> Self:
        """Open it.

        Raises:
            SourceError: It is not there or cannot be used.
        """
        ...

    def __exit__(self, *_: object) -> None:
        """Leave it as it was found."""
        ...

    def begin(self, gaits: Sequence[str]) -> None:
        """The run begins; these gaits may be chosen."""
        ...

    def poll(self) -> SteeringWish:
        """What is wanted now; never waits.

        Raises:
            SourceLostError: It is gone.
        """
        ...
