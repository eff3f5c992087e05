"""Canvas: a small picture in the plane with smooth edges, drawn with numpy alone.

Every shape is a set of points within some distance of a line; how far inside a pixel is tells how much of it is
covered. Letters are strokes too, so no font file is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Colour = tuple[int, int, int]
Point = Sequence[float] | NDArray[np.float64]

# Strokes as pairs of digits, x 0..4 and y 0..6, of each letter.
_GLYPHS = {
    "0": "0006464000 0046",
    "1": "041620 002040",
    "2": "064643030040",
    "3": "06464000 1343",
    "4": "3036020242",
    "5": "460603434000",
    "6": "460600404303",
    "7": "064610",
    "8": "0006464000 0343",
    "9": "430306464000",
    "A": "0004264440 0242",
    "B": "000636454433 0333424130 3000",
    "C": "46060040",
    "D": "00062645412000",
    "E": "46060040 0333",
    "F": "460600 0333",
    "G": "460600404323",
    "H": "0006 0343 4640",
    "I": "2026",
    "J": "46411001",
    "K": "0006 4602 1340",
    "L": "060040",
    "M": "0006244640",
    "N": "00064046",
    "O": "0006464000",
    "P": "0006464303",
    "Q": "0006464000 2240",
    "R": "0006464303 2340",
    "S": "460603434000",
    "T": "0646 2620",
    "U": "06004046",
    "V": "062046",
    "W": "0610234046",
    "X": "0046 0640",
    "Y": "062346 2320",
    "Z": "06460040",
    ".": "2020",
    ",": "2110",
    ":": "2121 2424",
    "-": "0343",
    "#": "1016 3036 0242 0444",
    "=": "0242 0444",
    "+": "0343 2125",
    "(": "30212536",
    ")": "10212516",
    "[": "36262030",
    "]": "16262010",
    "%": "0046 0516 3041",
    "/": "0046",
    " ": "",
}


def _strokes(code: str) -> list[NDArray[np.float64]]:
    made = []
    for word in code.split():
        digits = [int(letter) for letter in word]
        made.append(np.array(digits[: len(digits) // 2 * 2], dtype=np.float64).reshape(-1, 2))
    return made


class Canvas:
    """A picture of a rectangle of the plane.

    Args:
        width: Width [px].
        height: Height [px].
        scale: Pixels per metre.
        corner: The plane's point at the lower left [m].
        colour: Background.
    """

    def __init__(
        self, width: int, height: int, scale: float, corner: Point = (0.0, 0.0), colour: Colour = (250, 250, 252)
    ) -> None:
        self._scale, self._corner = scale, np.asarray(corner, dtype=np.float64)
        self.pixels = np.empty((height, width, 3))
        self.pixels[:] = colour

    def copy(self) -> Canvas:
        """A second canvas with the same picture."""
        other = object.__new__(Canvas)
        other._scale, other._corner, other.pixels = self._scale, self._corner, self.pixels.copy()
        return other

    def image(self) -> NDArray[np.uint8]:
        """The picture, (height, width, 3)."""
        return np.clip(np.round(self.pixels), 0, 255).astype(np.uint8)

    def rod(self, start: Point, end: Point, radius: float, colour: Colour, opacity: float = 1.0) -> None:
        """All points within ``radius`` [m] of a line."""
        self._draw(self._at(start), self._at(end), radius * self._scale, colour, opacity)

    def line(self, points: NDArray[np.float64], colour: Colour, width: float = 1.5, opacity: float = 1.0) -> None:
        """A line through points, (n, 2) [m], ``width`` pixels wide."""
        placed = [self._at(point) for point in points]
        for start, end in pairwise(placed):
            self._draw(start, end, width / 2.0, colour, opacity)

    def disc(self, centre: Point, radius: float, colour: Colour, opacity: float = 1.0) -> None:
        """A disc of ``radius`` [m]."""
        self.rod(centre, centre, radius, colour, opacity)

    def ring(self, centre: Point, radius: float, colour: Colour, width: float = 2.0, opacity: float = 1.0) -> None:
        """A circle of ``radius`` [m], ``width`` pixels wide."""
        at = self._at(centre)
        self._draw(at, at, radius * self._scale, colour, opacity, width / 2.0)

    def text(self, x: float, y: float, words: str, colour: Colour = (40, 40, 48), size: float = 12.0) -> float:
        """Words at a pixel (from the lower left), ``size`` pixels high; gives where they end.

        Letters that the canvas does not know are left blank.
        """
        grain = size / 6.0
        for letter in words.upper():
            for stroke in _strokes(_GLYPHS.get(letter, "")):
                placed = [self._from_below(x + grain * px, y + grain * py) for px, py in stroke]
                for start, end in pairwise(placed):
                    self._draw(start, end, max(0.7, size / 16.0), colour, 1.0)
            x += 6.0 * grain
        return x

    def write(self, at: Point, words: str, colour: Colour = (40, 40, 48), size: float = 12.0) -> None:
        """Words that begin at a point of the plane."""
        px, py = self._at(at)
        self.text(px + 0.5, len(self.pixels) - py - 0.5, words, colour, size)

    def _at(self, point: Point) -> tuple[float, float]:
        x, y = (np.asarray(point, dtype=np.float64) - self._corner) * self._scale
        return self._from_below(float(x), float(y))

    def _from_below(self, x: float, y: float) -> tuple[float, float]:
        return x - 0.5, len(self.pixels) - y - 0.5

    def _draw(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        radius: float,
        colour: Colour,
        opacity: float,
        rim: float | None = None,
    ) -> None:
        reach = radius + (rim or 0.0) + 1.0
        height, width, _ = self.pixels.shape
        left, right = _span(start[0], end[0], reach, width)
        top, low = _span(start[1], end[1], reach, height)
        if left >= right or top >= low:
            return
        dx, dy = np.arange(left, right) - start[0], (np.arange(top, low) - start[1])[:, None]
        ax, ay = end[0] - start[0], end[1] - start[1]
        share = np.clip((dx * ax + dy * ay) / max(ax * ax + ay * ay, 1e-12), 0.0, 1.0)
        distance = np.hypot(dx - share * ax, dy - share * ay) - radius
        inside = 0.5 - distance if rim is None else rim + 0.5 - np.abs(distance)
        cover = (np.clip(inside, 0.0, 1.0) * opacity)[..., None]
        patch = self.pixels[top:low, left:right]
        patch += cover * (np.array(colour, dtype=np.float64) - patch)


def _span(one: float, other: float, reach: float, size: int) -> tuple[int, int]:
    """First pixel and the one after the last that a shape can touch."""
    first, last = min(one, other) - reach, max(one, other) + reach + 1.0
    return int(min(max(first, 0), size)), int(min(max(last, 0), size))
