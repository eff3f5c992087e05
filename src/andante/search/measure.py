"""Measure: one thing that trials tell, by which two versions are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Measure:
    """One thing that a trial's result tells."""

    name: str
    """A few words; one word where it stands on the command line most."""
    unit: str
    """Unit of the value; empty for shares of trials."""
    value: Callable[[Any], float | bool | None]
    """The value of a result; a bool where it succeeded or not, None where it does not tell."""
    better: Literal["more", "less"]
    """Which is better; of successes more."""
    least: float = 0.0
    """Smallest difference that matters to anybody, in the unit; smaller ones are no difference. At least 0."""
    succeeds: bool = False
    """Whether the value is a success, which decides a verdict before all numbers."""
