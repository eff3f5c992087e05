"""Bars over time: which of several things hold when, one row each. With feet in the air it is a gait diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class BarRow:
    """One row of bars."""

    name: str
    """What holds."""
    colour: str
    """Colour of its bars."""
    spans: Sequence[tuple[float, float]]
    """Begin and end of each time for which it holds [s]."""


def draw_bars(axes: Axes, rows: Sequence[BarRow]) -> None:
    """Draw rows of bars from top to bottom, with their names at the axis."""
    for level, row in enumerate(rows):
        lengths = [(begin, end - begin) for begin, end in row.spans]
        axes.broken_barh(lengths, (level - 0.36, 0.72), color=row.colour, linewidth=0.0)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel="time [s]")
    axes.grid(visible=False, axis="y")
