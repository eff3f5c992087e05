"""Chart: lines over two axes, as a plain picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Vector
from andante.runs.canvas import Canvas, Colour

_INK, _GRID = (60, 62, 68), (222, 224, 228)
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 30, 42
_MOST_POINTS = 1500


class Chart:
    """A picture with two axes.

    Args:
        width: Width [px].
        height: Height [px].
        x: Least and largest value along.
        y: Least and largest value upward.
        x_name: Name and unit along.
        y_name: Name and unit upward; written above the axis.
    """

    def __init__(
        self, width: int, height: int, x: tuple[float, float], y: tuple[float, float], x_name: str, y_name: str
    ) -> None:
        self._canvas = Canvas(width, height, 1.0)
        self._x, self._y = x, y
        self._size = (width - _LEFT - _RIGHT, height - _TOP - _BOTTOM)
        for value in ticks(*x, 10):
            at, _ = self._at(value, y[0])
            self._canvas.line(np.array([[at, _BOTTOM], [at, height - _TOP]]), _GRID, 1.0)
            self._canvas.text(at - 10, _BOTTOM - 18, f"{value:g}", _INK, 10.0)
        for value in ticks(*y, 5):
            _, at = self._at(x[0], value)
            self._canvas.line(np.array([[_LEFT, at], [width - _RIGHT, at]]), _GRID, 1.0)
            self._canvas.text(10, at - 5, f"{value:g}", _INK, 10.0)
        self._canvas.text(width - _RIGHT - 10.0 * len(x_name), 6, x_name, _INK, 10.0)
        self._canvas.text(10, height - 22, y_name, _INK, 10.0)

    def line(self, x: Vector, y: Vector, colour: Colour, width: float) -> None:
        """A line through points, (n,) each; broken where a value is not finite."""
        step = max(1, len(x) // _MOST_POINTS)
        points = np.stack([*self._at_all(x[::step], y[::step])], axis=-1)
        good = np.asarray(np.isfinite(points).all(axis=1))
        for part in np.split(np.arange(len(points)), np.flatnonzero(~good)):
            kept = part[good[part]]
            if len(kept) > 1:
                self._canvas.line(points[kept], colour, width)

    def caption(self, text: str) -> None:
        """A line of text above the plot."""
        self._canvas.text(_LEFT + 90, self._canvas.pixels.shape[0] - 22, text, _INK, 10.0)

    def image(self) -> NDArray[np.uint8]:
        """The picture, (height, width, 3)."""
        return self._canvas.image()

    def _at(self, x: float, y: float) -> tuple[float, float]:
        across, up = self._at_all(np.array([x]), np.array([y]))
        return float(across[0]), float(up[0])

    def _at_all(self, x: Vector, y: Vector) -> tuple[Vector, Vector]:
        (low_x, high_x), (low_y, high_y) = self._x, self._y
        across = _LEFT + (x - low_x) / max(high_x - low_x, 1e-12) * self._size[0]
        return across, _BOTTOM + (y - low_y) / max(high_y - low_y, 1e-12) * self._size[1]


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values from ``low`` to ``high``, at most about ``most``: steps of 1, 2 or 5 times a power of ten."""
    span = max(high - low, 1e-12)
    rough = span / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= rough * (1.0 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(count * step, 12) + 0.0 for count in range(first, math.floor(high / step + 1e-9) + 1)]
