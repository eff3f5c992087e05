"""A picture of where and when tries of get-ups ended; it depends on the trials alone."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from andante.pictures.figures import new_figure
from andante.pictures.style import SERIES, drawn
from andante.search.observers.get_up_result import GetUp, Stop

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = dict(zip(("front", "back", "left", "right"), SERIES, strict=False))
_NO_BLOCK = "before the first keyframe"
_REASON = 60
"""Letters of a reason that are shown."""


@drawn
def failure_figure(title: str, cells: Sequence[tuple[str, Sequence[GetUp]]]) -> Figure:
    """Where and when tries ended; it depends on the trials alone."""
    stops = [(start, stop) for start, trials in cells for trial in trials for stop in trial.stops]
    places = _places([stop for _, stop in stops])
    figure = new_figure(14.0, max(4.6, 2.2 + 0.34 * len(places)), title)
    labels = {
        start: f"{start}: {sum(t.first_try for t in trials)} of {len(trials)} at the first try, "
        f"{sum(t.stood for t in trials)} in the end"
        for start, trials in cells
    }
    bars, scatter = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    _bars(bars, places, stops)
    for start, label in labels.items():
        own = [stop for each, stop in stops if each == start]
        pitches = [min(180.0, max(-180.0, math.degrees(stop.pitch))) for stop in own]
        scatter.plot(
            [stop.time for stop in own],
            pitches,
            "o",
            color=_COLOURS[start],
            alpha=0.6,
            markeredgewidth=0.0,
            label=label,
        )
    scatter.set(title="Torso when a try ended", xlabel="time [s]", ylabel="pitch [deg]", ylim=(-190.0, 190.0))
    scatter.set_xlim(0.0, max([1.0, *(1.05 * stop.time for _, stop in stops)]))
    scatter.set_yticks(range(-180, 181, 60))
    figure.legend(loc="outside lower center", ncols=2)
    if not stops:
        bars.text(0.5, 0.5, "No try failed.", transform=bars.transAxes, horizontalalignment="center")
    return figure


def _bars(axes: Axes, places: list[str], stops: Sequence[tuple[str, Stop]]) -> None:
    """One row per keyframe: a bar of stops per start, their number and the usual reason."""
    axes.set(title="Tries that ended in keyframe", xlabel="tries")
    axes.set_yticks(range(len(places)), places)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    most = max((sum(_place(stop) == place for _, stop in stops) for place in places), default=1)
    axes.set_xlim(0.0, 1.9 * most)
    axes.set_xticks(range(0, most + 1, max(1, math.ceil(most / 8))))
    for level, place in enumerate(places):
        here = [(start, stop) for start, stop in stops if _place(stop) == place]
        counts, left = Counter(start for start, _ in here), 0
        for start in _COLOURS:
            axes.barh(level, counts[start], 0.7, left=left, color=_COLOURS[start])
            left += counts[start]
        usual, times = Counter(stop.why for _, stop in here).most_common(1)[0]
        words = f"{left}: {'' if times == left else f'{times} x '}{textwrap.shorten(usual, _REASON, placeholder='...')}"
        axes.text(left + 0.02 * most, level, words, verticalalignment="center", fontsize=8.5)


def _place(stop: Stop) -> str:
    return f"{stop.block}[{stop.keyframe}]" if stop.block else _NO_BLOCK


def _places(stops: Sequence[Stop]) -> list[str]:
    """Keyframes in the order in which get-ups reach them: by the median time of their stops."""
    times: dict[str, list[float]] = {}
    for stop in stops:
        times.setdefault(_place(stop), []).append(stop.time)
    return sorted(times, key=lambda place: (sorted(times[place])[len(times[place]) // 2], place))
