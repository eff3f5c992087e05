"""A picture of the speed of every walk, by board; it depends on the trials alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from andante.pictures.figures import new_figure
from andante.pictures.style import GRID, INK, SERIES, drawn
from andante.search.experiment.trial import ENDED, TrialResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENDS = {
    "arrived": (SERIES[0], "o"),
    "fell": ("#c62a2f", "X"),
    "timeout": ("#e69f00", "s"),
    "off course": ("#aa4499", "D"),
    "gave up": ("#8c564b", "v"),
    "refused": ("#616e7c", "P"),
    "void": ("#000000", "*"),
}
"""Colour and shape by how a walk ended."""
_GOLDEN = 0.618
"""Walks of one board are spread upward by the golden ratio, so that dots of one speed lie apart."""


@drawn
def boards_figure(boards: Mapping[str, Sequence[TrialResult]]) -> Figure:
    """One row per board: a dot per walk, at its speed and shaped by its end, and a bar at the plain mean.

    Walks that were ended at a limit have no dot, and are part of no mean; their number is told.
    """
    figure = new_figure(12.0, 1.7 + 0.42 * len(boards), "Speed of every walk, by board")
    axes = figure.subplots()
    spots: dict[str, list[tuple[float, float]]] = {}
    for level, trials in enumerate(boards.values()):
        walks = [trial.metrics["walk"] for trial in trials if ENDED not in trial.metrics]
        for number, walk in enumerate(walks):
            spread = 0.6 * ((number * _GOLDEN) % 1.0 - 0.5)
            spots.setdefault(walk["end"], []).append((100.0 * walk["speed"], level + spread))
        if walks:
            # A walk that was ended from outside has no speed, which is another thing than none.
            mean = 100.0 * sum(walk["speed"] for walk in walks) / len(walks)
            axes.plot([mean, mean], [level - 0.38, level + 0.38], color=INK, linewidth=3.0, solid_capstyle="butt")
        ends = Counter[str](walk["end"] for walk in walks)
        arrived = f"{ends.pop('arrived', 0)} of {len(trials)} arrived"
        told = [arrived, *(f"{ends[end]} {end}" for end in _ENDS if ends[end])]
        if len(walks) < len(trials):
            told.append(f"{len(trials) - len(walks)} ended at a limit")
        axes.annotate(
            ", ".join(told), (1.01, level), xycoords=("axes fraction", "data"), verticalalignment="center", fontsize=9.0
        )
    for end, (colour, shape) in _ENDS.items():
        if end in spots:
            axes.plot(*zip(*spots[end], strict=True), shape, color=colour, alpha=0.65, label=end, markeredgewidth=0.0)
    axes.plot([], [], color=INK, linewidth=3.0, label="plain mean, walks that failed count as 0")
    axes.set(xlabel="speed to the goal [cm/s]", ylim=(len(boards) - 0.5, -0.5))
    axes.set_xlim(left=min(-0.3, axes.get_xlim()[0]), right=max(20.0, axes.get_xlim()[1]))
    axes.set_yticks(range(len(boards)), list(boards))
    axes.grid(color=GRID, axis="y", linewidth=0.4)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=8)
    return figure
