"""Pictures of a walk or of a plan: footsteps over the board from above, heights along the way, margins over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.robots.png import png_bytes
from andante.robots.records import Vector
from andante.runs.canvas import Canvas, Colour
from andante.runs.errors import RunError
from andante.runs.walk.chart import Chart
from andante.runs.walk.footfalls import Footfall
from andante.terrain.drawing import relief
from andante.terrain.terrain import Terrain

Pixels = NDArray[np.uint8]
LEG_COLOURS: tuple[Colour, ...] = ((214, 39, 40), (31, 119, 180), (255, 152, 20), (23, 190, 207))
"""One colour per foot, front before hind, left before right."""
_INK, _PATH, _MISS, _GOOD, _BAD = (30, 32, 38), (250, 250, 250), (180, 0, 140), (32, 130, 60), (190, 40, 40)
_WIDTH = 1200
_MARGIN = 46


@dataclass(frozen=True, eq=False)
class WalkTrace:
    """What the pictures show of a walk that was made or planned."""

    title: str
    """What it is."""
    terrain: Terrain
    """The ground."""
    names: tuple[str, ...]
    """Names of the feet."""
    radius: float
    """Radius of a foot [m]."""
    times: Vector
    """Moments, (n,) [s]."""
    com: Vector
    """Centre of mass then, (n, 3) [m]."""
    feet: Vector
    """Centres of the feet then, (n, nl, 3) [m]."""
    air: NDArray[np.bool_]
    """Which feet are in the air then, (n, nl)."""
    margin: Vector
    """Distance from the edge of the support, (n,) [m]; NaN where there is none."""
    margin_name: str
    """What is in the support: centre of mass or zero moment point."""
    footfalls: tuple[Footfall, ...] = ()
    """Where feet came down, or shall."""
    miss: float = 0.02
    """A footfall farther from its planned place has missed [m]."""
    brushing: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """When something else than feet touched the ground, (n,); empty: nobody knows."""


def write_picture(path: Path, trace: WalkTrace) -> None:
    """Write all three pictures of a walk, one below the other, as PNG.

    Raises:
        RunError: The file cannot be written.
    """
    try:
        path.write_bytes(png_bytes(walk_picture(trace)))
    except OSError as error:
        raise RunError("the picture cannot be written", place=str(path), value=error.strerror) from None


def walk_picture(trace: WalkTrace) -> Pixels:
    """The three pictures one below the other, (height, 1200, 3)."""
    parts = [from_above(trace), heights(trace), margins(trace)]
    return np.concatenate(parts, axis=0)


def from_above(trace: WalkTrace) -> Pixels:
    """Footsteps over the board: discs where feet came down, rings where they should have, the way of the body."""
    terrain = trace.terrain
    low_x, high_x, low_y, high_y = terrain.extent
    scale = (_WIDTH - 2 * _MARGIN) / max(high_x - low_x, 1e-6)
    height = round((high_y - low_y) * scale) + 2 * _MARGIN
    canvas = Canvas(_WIDTH, height, scale, (low_x - _MARGIN / scale, low_y - _MARGIN / scale))
    _lay_relief(canvas, terrain, scale)
    for place, colour in ((terrain.start, _GOOD), (terrain.goal, _BAD)):
        canvas.ring(place, 3.0 * trace.radius, colour, 2.5)
    if len(trace.com):
        canvas.line(trace.com[:: max(1, len(trace.com) // 400), :2], _PATH, 2.0, 0.9)
    for fall in _first_stance(trace) + list(trace.footfalls):
        colour, centre = LEG_COLOURS[fall.leg % len(LEG_COLOURS)], fall.place[:2]
        missed = fall.error is not None and fall.error > trace.miss
        if fall.planned is not None:
            canvas.line(np.array([fall.planned, centre]), _MISS if missed else _INK, 1.5)
            canvas.ring(fall.planned, 1.15 * trace.radius, _MISS if missed else _INK, 1.2)
        canvas.disc(centre, trace.radius, colour, 0.9)
    _legend(canvas, trace, height)
    return canvas.image()


def heights(trace: WalkTrace) -> Pixels:
    """The walk from the side: body, feet, and the ground below the left and right feet."""
    low, high, *_ = trace.terrain.extent
    top = float(trace.com[:, 2].max()) if len(trace.com) else 0.1
    floor = float(min(trace.terrain.heights.heights.min(), trace.feet[..., 2].min() if len(trace.feet) else 0.0))
    chart = Chart(_WIDTH, 260, (low, high), (floor - 0.01, top + 0.03), "x [m]", "height [m]")
    x = np.linspace(low, high, 600)
    for row, side in enumerate(("left", "right")):
        feet = trace.feet[:, row::2] if trace.feet.ndim == 3 and trace.feet.shape[1] > 1 else trace.feet
        y = float(np.median(feet[..., 1])) if feet.size else 0.0
        ground = trace.terrain.heights.nearest(np.stack([x, np.full_like(x, y)], axis=-1))
        chart.line(x, ground, (120, 96, 70) if side == "left" else (176, 152, 120), 2.0)
    for leg in range(trace.feet.shape[1] if trace.feet.ndim == 3 else 0):
        chart.line(trace.feet[:, leg, 0], trace.feet[:, leg, 2], LEG_COLOURS[leg % len(LEG_COLOURS)], 1.0)
    if len(trace.com):
        chart.line(trace.com[:, 0], trace.com[:, 2], _INK, 2.0)
    chart.caption("centre of mass (black), feet, ground below left (dark) and right feet")
    return chart.image()


def margins(trace: WalkTrace) -> Pixels:
    """Margin over time, and below it which foot is in the air when."""
    end = float(trace.times[-1]) if len(trace.times) else 1.0
    known = trace.margin[np.isfinite(trace.margin)]
    low = min(float(known.min()) if len(known) else 0.0, 0.0) * 1e3
    high = max(float(known.max()) if len(known) else 0.0, 0.03) * 1e3
    rows = len(trace.names) + 1
    unit = (high - low) / 14.0
    chart = Chart(_WIDTH, 300, (0.0, max(end, 1e-3)), (low - unit * (rows + 0.6), high), "time [s]", "margin [mm]")
    chart.line(np.array([0.0, end]), np.zeros(2), (150, 150, 150), 1.0)
    chart.line(trace.times, trace.margin * 1e3, _INK, 1.5)
    for leg in range(len(trace.names)):
        level = low - unit * (leg + 0.8)
        _bars(chart, trace.times, trace.air[:, leg], level, LEG_COLOURS[leg % len(LEG_COLOURS)])
    if len(trace.brushing):
        _bars(chart, trace.times, trace.brushing, low - unit * (rows - 0.2), _MISS)
    chart.caption(f"margin of the {trace.margin_name}; bars: feet in the air, purple: other parts touch")
    return chart.image()


def _bars(chart: Chart, times: Vector, holds: NDArray[np.bool_], level: float, colour: Colour) -> None:
    from andante.runs.falls import runs_of

    for first, last in runs_of(holds):
        chart.line(np.array([times[first], times[last]]), np.full(2, level), colour, 5.0)


def _first_stance(trace: WalkTrace) -> list[Footfall]:
    """Where the feet stood before the first step."""
    if not len(trace.feet):
        return []
    return [
        Footfall(leg, 0.0, 0.0, (float(place[0]), float(place[1]), float(place[2])))
        for leg, place in enumerate(trace.feet[0])
    ]


def _lay_relief(canvas: Canvas, terrain: Terrain, scale: float) -> None:
    """Put the picture of the ground behind everything, one pixel per place."""
    picture = relief(terrain.heights, 1)
    rows, columns = picture.shape[:2]
    width, height = round(columns * terrain.heights.spacing * scale), round(rows * terrain.heights.spacing * scale)
    pick_x = np.minimum((np.arange(width) + 0.5) * columns / width, columns - 1).astype(np.intp)
    pick_y = np.minimum((np.arange(height) + 0.5) * rows / height, rows - 1).astype(np.intp)
    large = picture[pick_y][:, pick_x]
    whole = canvas.pixels
    high, wide = min(height, whole.shape[0] - _MARGIN), min(width, whole.shape[1] - _MARGIN)
    top = whole.shape[0] - _MARGIN - high
    # Lighter, so that feet stand out.
    whole[top : top + high, _MARGIN : _MARGIN + wide] = 0.75 * large[height - high :, :wide] + 0.25 * 255.0


def _legend(canvas: Canvas, trace: WalkTrace, height: int) -> None:
    canvas.text(_MARGIN, height - 30, trace.title, _INK, 14.0)
    x = float(_MARGIN)
    for leg, name in enumerate(trace.names):
        x = canvas.text(x, 14, name, LEG_COLOURS[leg % len(LEG_COLOURS)], 13.0) + 16.0
    canvas.text(x + 10, 14, "disc: came down   ring: planned   purple: missed   white: centre of mass", _INK, 12.0)
