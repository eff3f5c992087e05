"""A picture of many walks: the speed of every one, board by board, and which did not arrive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from andante.robots.png import png_bytes
from andante.runs.canvas import Canvas, Colour
from andante.search.suites.boards_trial import BoardTrial

_INK: Colour = (50, 52, 58)
_GRID: Colour = (222, 224, 228)
_GOOD: Colour = (31, 119, 180)
_MEAN: Colour = (30, 32, 38)
_BAD: dict[str, Colour] = {
    "fell": (214, 39, 40),
    "timeout": (255, 152, 20),
    "off course": (148, 103, 189),
    "gave up": (140, 86, 75),
    "refused": (127, 127, 127),
    "void": (227, 0, 180),
}
_LEFT, _WIDTH, _ROW, _TOP, _BOTTOM = 210, 760, 34, 48, 44
_SIDE = 150


def write_boards_picture(path: Path, trials: Sequence[BoardTrial]) -> None:
    """Write the picture as PNG."""
    labels = list(dict.fromkeys(trial.label for trial in trials))
    height, width = _TOP + _ROW * len(labels) + _BOTTOM, _LEFT + _WIDTH + _SIDE
    canvas = Canvas(width, height, 1.0)
    most = max(20.0, 5.0 * np.ceil(20.0 * max((trial.speed for trial in trials), default=0.0)))
    for value in np.arange(0.0, most + 1e-9, 5.0):
        x = _LEFT + value / most * _WIDTH
        canvas.line(np.array([[x, _BOTTOM - 8], [x, height - _TOP]]), _GRID, 1.0)
        canvas.text(x - 8, _BOTTOM - 24, f"{value:g}", _INK, 11.0)
    canvas.text(_LEFT + _WIDTH + 20, _BOTTOM - 24, "cm/s", _INK, 11.0)
    for number, label in enumerate(labels):
        own = [trial for trial in trials if trial.label == label]
        _draw_board(canvas, label, own, height - _TOP - _ROW * (number + 0.5), most)
    x = 16.0
    for name, colour in {"arrived": _GOOD, **_BAD}.items():
        x = canvas.text(x, height - 26, name, colour, 12.0) + 18.0
    canvas.text(x, height - 26, "bar: plain mean", _MEAN, 12.0)
    path.write_bytes(png_bytes(canvas.image()))


def _draw_board(canvas: Canvas, label: str, trials: Sequence[BoardTrial], y: float, most: float) -> None:
    canvas.text(16, y - 6, label, _INK, 12.0)
    failed = 0
    for number, trial in enumerate(trials):
        if trial.metrics.arrived:
            lift = 7.0 * ((number * 0.618) % 1.0 - 0.5)
            canvas.disc((_LEFT + 100.0 * trial.speed / most * _WIDTH, y + lift), 4.0, _GOOD, 0.55)
        else:
            canvas.disc((_LEFT + 8.0 * failed + 4.0, y - 9.0), 3.5, _BAD[trial.metrics.end], 0.9)
            failed += 1
    mean = _LEFT + 100.0 * sum(trial.speed for trial in trials) / len(trials) / most * _WIDTH
    canvas.line(np.array([[mean, y - 12.0], [mean, y + 12.0]]), _MEAN, 3.0)
    canvas.text(_LEFT + _WIDTH + 20, y - 6, f"{len(trials) - failed}/{len(trials)}", _INK, 12.0)
