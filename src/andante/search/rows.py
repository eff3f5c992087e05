"""Rows of a benchmark: a name, a figure, what was asked, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from andante.search.statistics import wilson

_NOISE = 9
"""Digits after the point by which a figure is set against its limits."""
SHARE = "share"
"""Unit of what is 0..1 of all trials, and of how much more of them."""
_SHORTEST = 28
"""Width of the column of rows' names, at least."""


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
    """95 % interval in the unit: of a share, a mean, a ratio of means, or a difference of shares."""

    @property
    def counted(self) -> int | None:
        """How many of the trials, where the figure is their share; None where it is something else."""
        good = round(self.value * self.n)
        if self.unit != SHARE or self.n < 1 or not 0 <= good <= self.n or self.interval is None:
            return None
        # A difference of shares has the same unit, and another interval.
        return good if np.allclose(self.interval, wilson(good, self.n), rtol=0.0, atol=1e-9) else None


def share_row(name: str, outcomes: Sequence[bool], at_least: float | None = None, at_most: float | None = None) -> Row:
    """The row of a success rate with its Wilson interval."""
    good, n = sum(outcomes), len(outcomes)
    return figure(name, good / n, SHARE, n, at_least=at_least, at_most=at_most, interval=wilson(good, n))


def count_row(name: str, count: int, n: int) -> Row:
    """The row of something that must not happen."""
    return Row(name, float(count), "", "0", count == 0, n)


def figure(
    name: str,
    value: float,
    unit: str,
    n: int,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    digits: int | None = None,
    interval: tuple[float, float] | None = None,
) -> Row:
    """The row of a figure, rounded to ``digits`` after the point, and whether it keeps its limits.

    Rounding never brings it over a limit: where it would, the figure is told in full.
    """
    # Of the exact figure only what sums of floats add is rounded off.
    exact, told = (value, value) if digits is None else (round(value, max(digits, _NOISE)), round(value, digits))
    ends = [(">=", at_least), ("<=", at_most)]
    asked = " and ".join(f"{sign} {end:g}" for sign, end in ends if end is not None)
    if not asked:
        return Row(name, told, unit, "", None, n, interval)
    ok = _within(exact, at_least, at_most)
    return Row(name, told if _within(told, at_least, at_most) == ok else exact, unit, asked, ok, n, interval)


def _within(value: float, at_least: float | None, at_most: float | None) -> bool:
    return (at_least is None or value >= at_least) and (at_most is None or value <= at_most)


rounded = partial(figure, digits=6)
"""The row of a figure, rounded to six digits after the point."""


def interval_text(row: Row) -> str:
    """The interval of a row in brackets, in its unit; empty where it has none."""
    if row.interval is None:
        return ""
    style = ".3f" if row.unit == SHARE else ".4g"
    return f"[{row.interval[0]:{style}}, {row.interval[1]:{style}}]"


def row_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Rows of a benchmark as a table: figure, trials, interval and whether what was asked is met."""
    width = max([_SHORTEST, *(len(row.name) + 1 for row in rows)])
    for row in rows:
        interval = f"  {interval_text(row)}" if row.interval else ""
        asked = f"  asked {row.asked}: {'met' if row.ok else 'MISSED'}" if row.asked else ""
        yield f"{row.name:<{width}}{row.value:>9.4g} {row.unit:<6} n={row.n}{interval}{asked}"
