"""Benchmark rows: a name, a figure, what was asked, and whether it is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from andante.search.statistics import wilson


@dataclass(frozen=True)
class Row:
    """One figure of a benchmark suite."""

    name: str
    """What was measured."""
    value: float
    """The figure."""
    unit: str
    """Its unit; empty for counts and shares."""
    asked: str
    """What was asked for, as text; empty where nothing was."""
    ok: bool | None
    """Whether it was met; None where nothing was asked."""
    n: int
    """Number of trials behind it."""
    interval: tuple[float, float] | None = None
    """95 % interval where the figure is a share."""


def share_row(name: str, outcomes: Sequence[bool], at_least: float | None = None) -> Row:
    """The row of a success rate with its Wilson interval."""
    good, n = sum(outcomes), len(outcomes)
    rate = good / n
    asked = "" if at_least is None else f">= {at_least:g}"
    return Row(name, rate, "share", asked, None if at_least is None else rate >= at_least, n, wilson(good, n))


def rows_as_data(suite: str, rows: Sequence[Row], **about: Any) -> dict[str, Any]:
    """The JSON object of a benchmark."""
    return {"suite": suite, **about, "rows": [asdict(row) for row in rows]}
