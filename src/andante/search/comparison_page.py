"""The page of a comparison: verdict, a table, and pictures; one file that needs nothing beside it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any

from andante.pictures.figures import new_figure, picture_bytes
from andante.pictures.pages import page
from andante.pictures.style import BAD, GOOD, GRID, INK, SOFT, drawn
from andante.search.comparison import TOO_FEW, BenchComparison, Difference, Paired, described
from andante.search.measure import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LONGEST_NAME = 40
COLOURS = {"worse": BAD, "better": GOOD, "no difference": SOFT}
"""Of what a difference says."""
_COLUMNS = 4
_ROW = 0.62
"""Height of a difference's row [inch]."""


def comparison_page(
    comparison: BenchComparison,
    pairs: Paired,
    measures: Sequence[Measure],
    names: tuple[str, str],
    about: Mapping[str, Any],
) -> str:
    """The HTML text of the page.

    Args:
        comparison: What to show.
        pairs: The trials behind it.
        measures: What was compared.
        names: Of the first and the second version.
        about: What was asked, a few words per name.
    """
    folder = resources.files("andante.search")
    template, script = ((folder / name).read_text(encoding="utf-8") for name in ("comparison.html", "comparison.js"))
    shortened = tuple(name if len(name) <= _LONGEST_NAME else f"...{name[-_LONGEST_NAME:]}" for name in names)
    pictures = (difference_figure(comparison), pair_figure(measures, pairs, (shortened[0], shortened[1])))
    data = {
        "names": names,
        "outcome": comparison.outcome,
        "why": comparison.why,
        "pairs": comparison.pairs,
        "level": comparison.level,
        "about": {name: str(value) for name, value in about.items()},
        "rows": [asdict(each) | {"text": described(each)} for each in comparison.differences],
        "pictures": [base64.b64encode(picture_bytes(each, ".svg")).decode("ascii") for each in pictures],
    }
    return page(template, f"{names[1]} against {names[0]}", data, script)


@drawn
def difference_figure(comparison: BenchComparison) -> Figure:
    """One row per difference: its size, its 95 % interval, and in grey what is too small to matter."""
    told = [each for each in comparison.differences if each.size is not None]
    figure = new_figure(11.0, 0.9 + _ROW * max(len(told), 1), "Second version minus first")
    rows = figure.subplots(max(len(told), 1), 1, squeeze=False)[:, 0]
    for axes, each in zip(rows, told, strict=False):
        _difference_row(axes, each)
    return figure


def _difference_row(axes: Axes, each: Difference) -> None:
    scale, unit = (1.0, each.unit) if each.unit else (100.0, "points")
    size = scale * float(each.size or 0.0)
    low, high = (scale * end for end in each.interval or (each.size or 0.0,) * 2)
    reach = 1.15 * max(abs(low), abs(high), 2.0 * scale * each.least, 1e-6)
    if each.least:
        axes.axvspan(-scale * each.least, scale * each.least, color=GRID, linewidth=0.0)
    axes.axvline(0.0, color=INK, linewidth=1.0)
    axes.plot((low, high), (0.0, 0.0), color=COLOURS[each.outcome], linewidth=3.0, solid_capstyle="butt")
    axes.plot((size,), (0.0,), "o", color=COLOURS[each.outcome])
    axes.set(xlim=(-reach, reach), ylim=(-1.0, 1.0))
    name = f"{each.group}: {each.measure}" if each.group else each.measure
    axes.set_yticks((0.0,), (f"{name} [{unit}]",))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="x", labelsize=8)
    said = each.outcome if each.interval is not None else TOO_FEW
    words = axes.text(1.01, 0.5, said, transform=axes.transAxes, verticalalignment="center")
    words.set_color(COLOURS[each.outcome])


@drawn
def pair_figure(measures: Sequence[Measure], pairs: Paired, names: tuple[str, str]) -> Figure:
    """Every pair of trials, a square per group and number: below the line the second version's value is the smaller."""
    squares = [(group, measure) for group in pairs for measure in measures if not measure.succeeds]
    height = math.ceil(len(squares) / _COLUMNS)
    figure = new_figure(11.0, 0.6 + 2.9 * max(height, 1), "Every pair of trials")
    grid = figure.subplots(max(height, 1), _COLUMNS, squeeze=False).ravel()
    for axes in grid[len(squares) :]:
        axes.set_axis_off()
    for axes, (group, measure) in zip(grid, squares, strict=False):
        both = [(measure.value(first), measure.value(second)) for _, first, second in pairs[group]]
        told = [(first, second) for first, second in both if first is not None and second is not None]
        axes.set_title(f"{group}: {measure.name} [{measure.unit}]" if group else f"{measure.name} [{measure.unit}]")
        if not told:
            axes.text(0.5, 0.5, "no pair tells it", transform=axes.transAxes, horizontalalignment="center")
            continue
        low, high = min(min(pair) for pair in told), max(max(pair) for pair in told)
        margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
        ends = (low - margin, high + margin)
        axes.plot(ends, ends, color=INK, linewidth=0.8)
        firsts, seconds = zip(*told, strict=True)
        axes.plot(firsts, seconds, "o", markersize=3.0, alpha=0.5, markeredgewidth=0.0)
        axes.set(xlim=ends, ylim=ends, xlabel=names[0], ylabel=names[1], aspect="equal")
    return figure
