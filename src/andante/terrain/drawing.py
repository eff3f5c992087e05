"""A picture of a terrain from above: colours by height, light from the upper left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.robots.png import png_bytes
from andante.terrain.height_map import HeightMap, TerrainError
from andante.terrain.terrain import Terrain

_COLOURS = np.array(
    [[38, 52, 74], [70, 112, 130], [142, 172, 150], [226, 214, 172], [196, 146, 98], [138, 84, 66], [246, 242, 236]],
    dtype=np.float64,
)
"""From low to high."""
_START, _GOAL = (32, 130, 60), (190, 40, 40)
_LEAST_SPAN = 0.02


def draw_terrain(terrain: Terrain, path: Path, scale: int = 3) -> None:
    """Write a PNG picture; x runs to the right, y up; green is the start, red the goal.

    Args:
        terrain: The terrain.
        path: The file to write.
        scale: Pixels per node of the map.

    Raises:
        TerrainError: The file cannot be written.
    """
    pixels = relief(terrain.heights, scale)
    for place, colour in ((terrain.start, _START), (terrain.goal, _GOAL)):
        u, v = ((np.array(place) - terrain.heights.origin) / terrain.heights.spacing + 0.5) * scale
        _ring(pixels, u, pixels.shape[0] - v, 3.0 * scale, colour)
    try:
        path.write_bytes(png_bytes(pixels))
    except OSError as error:
        raise TerrainError(f"the picture cannot be written: {error.strerror or error}", place=str(path)) from error


def relief(ground: HeightMap, scale: int = 3) -> NDArray[np.uint8]:
    """Pixels of a map from above, (ny scale, nx scale, 3)."""
    z = ground.heights
    span = max(float(np.ptp(z)), _LEAST_SPAN)
    share = (z - z.min()) / span * (len(_COLOURS) - 1)
    step = np.minimum(share.astype(np.intp), len(_COLOURS) - 2)
    part = (share - step)[..., None]
    colour = _COLOURS[step] * (1.0 - part) + _COLOURS[step + 1] * part
    rise_x, rise_y = np.gradient(z, ground.spacing)
    light = (1.0 + 0.6 * rise_x - 0.6 * rise_y) / np.sqrt(1.0 + rise_x**2 + rise_y**2)
    shaded = np.clip(colour * np.clip(0.35 + 0.65 * light, 0.25, 1.15)[..., None], 0.0, 255.0).astype(np.uint8)
    image = np.swapaxes(shaded, 0, 1)[::-1]
    return np.ascontiguousarray(np.repeat(np.repeat(image, scale, axis=0), scale, axis=1))


def _ring(pixels: NDArray[np.uint8], u: float, v: float, radius: float, colour: tuple[int, int, int]) -> None:
    rows, columns = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    distance = np.hypot(rows - v, columns - u)
    pixels[np.abs(distance - radius) <= 0.35 * radius] = colour
