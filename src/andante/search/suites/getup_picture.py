"""A picture of where get-ups fail: bars per keyframe and the moment and pitch of every stop, as one SVG file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from andante.search.suites.getup import GetUps
from andante.search.suites.getup_trial import Stop

_COLOURS = {"front": "#1f77b4", "back": "#d62728", "left": "#2ca02c", "right": "#9467bd"}
_INK, _GRID, _PAPER = "#222", "#ddd", "#fff"
_ROW, _LABEL, _BARS, _PLOT, _TOP, _EDGE = 22, 190, 320, 420, 86, 24
_PLOT_HEIGHT = 260
_NO_BLOCK = "before the first keyframe"


def failure_picture(title: str, cells: Sequence[GetUps]) -> str:
    """The SVG text; it depends on the trials alone."""
    stops = [(start, stop) for start, trials in cells for trial in trials for stop in trial.stops]
    places = _places([stop for _, stop in stops])
    height = _TOP + max(_PLOT_HEIGHT + 60, _ROW * len(places) + 40)
    width = _EDGE + _LABEL + _BARS + 80 + _PLOT + _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>',
        _text(_EDGE, 26, title, size=16),
        *_legend(cells),
    ]
    if stops:
        parts += _bars(cells, places, stops)
        parts += _scatter(stops)
    else:
        parts.append(_text(_EDGE, _TOP + 20, "No try failed."))
    return "\n".join([*parts, "</svg>", ""])


def _place(stop: Stop) -> str:
    return f"{stop.block}[{stop.keyframe}]" if stop.block else _NO_BLOCK


def _places(stops: Sequence[Stop]) -> list[str]:
    """Keyframes in the order in which get-ups reach them: by the median time of their stops."""
    times: dict[str, list[float]] = {}
    for stop in stops:
        times.setdefault(_place(stop), []).append(stop.time)
    return sorted(times, key=lambda place: (sorted(times[place])[len(times[place]) // 2], place))


def _legend(cells: Sequence[GetUps]) -> list[str]:
    parts, x = [], float(_EDGE)
    for start, trials in cells:
        first, stood = sum(t.first_try for t in trials), sum(t.stood for t in trials)
        label = f"{start}: {first} of {len(trials)} at the first try, {stood} in the end"
        parts.append(f'<rect x="{x:.0f}" y="40" width="12" height="12" fill="{_COLOURS[start]}"/>')
        parts.append(_text(x + 18, 51, label))
        x += 40 + 6.6 * len(label)
    return parts


def _bars(cells: Sequence[GetUps], places: list[str], stops: Sequence[tuple[str, Stop]]) -> list[str]:
    most = max(sum(_place(stop) == place for _, stop in stops) for place in places)
    left = _EDGE + _LABEL
    parts = [_text(_EDGE, _TOP - 10, "Tries that ended in keyframe")]
    for row, place in enumerate(places):
        y, x = _TOP + row * _ROW, float(left)
        parts.append(_text(left - 8, y + 14, place, anchor="end"))
        for start, _ in cells:
            count = sum(_place(stop) == place and each == start for each, stop in stops)
            size = count * _BARS / most
            if count:
                parts.append(
                    f'<rect x="{x:.1f}" y="{y + 3}" width="{size:.1f}" height="{_ROW - 6}" fill="{_COLOURS[start]}"/>'
                )
            x += size
        parts.append(_text(x + 5, y + 14, str(sum(_place(stop) == place for _, stop in stops))))
    return parts


def _scatter(stops: Sequence[tuple[str, Stop]]) -> list[str]:
    left, top, bottom = _EDGE + _LABEL + _BARS + 80, _TOP, _TOP + _PLOT_HEIGHT
    last = max(1.0, math.ceil(max(stop.time for _, stop in stops)))
    parts = [_text(left, _TOP - 10, "Torso pitch [deg] when a try ended, over time [s]")]
    for degrees in range(-180, 181, 60):
        y = bottom - (degrees + 180) / 360 * _PLOT_HEIGHT
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + _PLOT}" y2="{y:.1f}" stroke="{_GRID}"/>')
        parts.append(_text(left - 6, y + 4, str(degrees), anchor="end"))
    step = max(1, math.ceil(last / 8))
    for second in range(0, int(last) + 1, step):
        x = left + second / last * _PLOT
        parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="{_GRID}"/>')
        parts.append(_text(x, bottom + 16, str(second), anchor="middle"))
    for start, stop in stops:
        pitch = min(180.0, max(-180.0, math.degrees(stop.pitch)))
        x, y = left + stop.time / last * _PLOT, bottom - (pitch + 180) / 360 * _PLOT_HEIGHT
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_COLOURS[start]}" fill-opacity="0.6">'
            f"<title>{escape(f'{_place(stop)} at {stop.time:.2f} s: {stop.why}')}</title></circle>"
        )
    return parts


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'
