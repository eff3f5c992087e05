"""Measures: what two versions of something are compared by, trial by trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from andante.search.errors import SearchError


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


def chosen(measures: Sequence[Measure], names: Sequence[str]) -> list[Measure]:
    """The measures of these names, in their own order; all where no name is given.

    Raises:
        SearchError: There is no measure of a name.
    """
    known = {measure.name: measure for measure in measures}
    for name in names:
        if name not in known:
            raise SearchError("there is no such measure", place="--only", value=name, legal=known)
    return [measure for measure in measures if not names or measure.name in names]
