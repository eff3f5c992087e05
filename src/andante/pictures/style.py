"""The style of all pictures and pages: one colour per foot, the same everywhere, fonts, lines and grids.

Colours of feet are those of Okabe and Ito (jfly.uni-koeln.de/color, 2008), which people with any kind of colour vision
tell apart: left feet are warm, right feet cool, front feet dark, hind feet light. Other lines have colours of the muted
scheme of P. Tol (SRON/EPS/TN/09-002, 2021), none of which is a foot's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

FOOT_COLOURS = ("#d55e00", "#0072b2", "#e69f00", "#56b4e9")
"""Of the feet by row: front before hind, left before right; two feet are left and right."""
SERIES = ("#332288", "#009e73", "#cc6677", "#aa4499", "#44aa99", "#999933", "#882255", "#8c564b", "#555b66", "#c9b458")
"""Of lines that belong to no foot, in the order of their use."""
INK, SOFT, GRID, PAPER = "#1f2933", "#616e7c", "#e4e7eb", "#ffffff"
"""Text and main lines, lesser lines, grids, background."""
GOOD, BAD = "#18794e", "#c62a2f"
"""What passed and what failed."""
DARK: Mapping[str, str | tuple[str, ...]] = {
    "ink": "#e6e9ee",
    "soft": "#9aa5b1",
    "grid": "#2d3640",
    "paper": "#1b2129",
    "good": "#2f9e6a",
    "bad": "#ef6a6e",
    "series": (
        "#9d8df1",
        "#3ecf9f",
        "#e88a98",
        "#d67bd6",
        "#6fd3c1",
        "#c9c957",
        "#d0719f",
        "#c99081",
        "#a7aebb",
        "#e5d680",
    ),
    "feet": ("#f0803c", "#4ba3e3", "#f2b134", "#8fd0f5"),
}
"""The same on pages that are dark; pictures are always light."""
HEIGHT_COLOURS = ("#7e8f9b", "#abb7ae", "#d8d2bb", "#fbf7ee")
"""Of ground from low to high; pale, so that feet stand out."""
UNKNOWN = "#c9b3d6"
"""Of ground whose height nobody knows; no height has it."""

Drawing = TypeVar("Drawing", bound=Callable[..., Any])


def foot_colour(row: int) -> str:
    """The colour of a foot by its row, as ``#rrggbb``; colours repeat after four feet."""
    return FOOT_COLOURS[row % len(FOOT_COLOURS)]


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style, whatever a ``matplotlibrc`` of the user says; matplotlib is imported here."""
    logger = logging.getLogger("matplotlib")
    if logger.level == logging.NOTSET:
        # Where the home folder cannot be written, or fonts are listed for the first time, it would talk of its caches.
        logger.setLevel(logging.ERROR)
    import matplotlib.style

    with matplotlib.style.context(["default", "andante.pictures.andante"]):
        yield


def drawn(draw: Drawing) -> Drawing:
    """Let a function that makes a figure draw in this style."""
    return styled()(draw)
