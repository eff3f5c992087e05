"""Figures: made without a window, written as PNG or SVG whose bytes depend on what is drawn alone."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from andante.documents.files import write_bytes
from andante.errors import AndanteError
from andante.pictures.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = (".png", ".svg")
"""Endings of files that a figure can be written to."""
_METADATA = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
_LETTERS_PER_INCH = 10.0


class PictureError(AndanteError):
    """A picture cannot be written as asked."""


def check_kind(path: Path | None, legal: Sequence[str] = KINDS) -> None:
    """Refuse a file whose ending names no kind of picture, before anything is computed for it.

    Raises:
        PictureError: It does not.
    """
    if path is not None and path.suffix.lower() not in legal:
        raise PictureError("there is no such kind of picture", place=str(path), value=path.suffix, legal=legal)


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """An empty figure whose parts do not overlap.

    Args:
        width: Width [inch]; 100 pixels each in a PNG.
        height: Height [inch].
        title: Title above everything; a long one is broken into lines.
    """
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    if title:
        words = textwrap.fill(title, max(20, int(width * _LETTERS_PER_INCH)))
        figure.suptitle(words, x=0.01, horizontalalignment="left")
    return figure


def legend_above(axes: Axes, columns: int) -> None:
    """Put the legend above the right end of a part of a figure."""
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns, borderaxespad=0.2, columnspacing=1.2)


@dataclass(frozen=True)
class BarRow:
    """One row of bars over time: when one of several things holds. With feet in the air it is a gait diagram."""

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


def save(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG, by the file's ending; the old file stays whole until the new one is complete.

    Raises:
        PictureError: Another ending.
        DocumentError: The file cannot be written.
    """
    check_kind(path)
    write_bytes(path, picture_bytes(figure, path.suffix.lower()), follow=False)


def picture_bytes(figure: Figure, kind: str = ".png") -> bytes:
    """The content of a file of this kind with a figure."""
    buffer = io.BytesIO()
    with styled(), _laid_out(figure) if kind == ".png" else nullcontext():
        figure.savefig(buffer, format=kind[1:], metadata=_METADATA[kind])
    return buffer.getvalue()


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Lay a figure out, once: savefig would go through all of it as if it drew, only to have that done.

    Texts of an SVG have other sizes than those of pixels, so it is left to savefig.
    """
    layout = figure.get_layout_engine()
    if layout is None:
        yield
        return
    layout.execute(figure)
    figure.set_layout_engine(None)
    try:
        yield
    finally:
        figure.set_layout_engine(layout)
