"""World files: where an image lies and how far its pixels are apart, told by a small text beside it.

The format is ESRI's: six numbers, one in each line, A, D, B, E, C and F of x = A column + B row + C and
y = D column + E row + F; C and F are the middle of the first pixel. It goes with images of every kind, and is named
after them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.documents.files import read_bytes
from andante.documents.problems import DocumentError
from andante.terrain.files.found import Raster
from andante.terrain.height_map import TerrainError

KINDS = frozenset((".png", ".pgm", ".tif", ".tiff"))
"""Endings of the images that world files go with."""
_LARGEST = 4096


def world_file_of(path: Path) -> Path | None:
    """The world file beside an image: picture.pgw, picture.pngw or picture.wld of picture.png; None: there is none."""
    ending = path.suffix[1:]
    if path.suffix.lower() not in KINDS:
        return None
    stem = path.with_suffix("")
    for each in (f"{ending[0]}{ending[-1]}w", f"{ending}w", "wld"):
        for name in (each, each.lower(), each.upper()):
            if (found := stem.with_name(f"{stem.name}.{name}")).is_file():
                return found
    return None


def placed_by(raster: Raster, path: Path, spacing: float | None) -> Raster:
    """A raster of an image that does not say where it lies, as its world file says.

    Args:
        raster: The image, its second index from its last row on.
        path: The world file.
        spacing: Distance of neighbouring nodes as the user says it, which goes before the file [m]; None: not said.

    Raises:
        TerrainError: It is no world file.
    """
    if spacing is not None:
        note = f"the spacing that is given counts, and not {path.name} beside the image"
        return replace(raster, notes=(*raster.notes, note))
    try:
        words = read_bytes(path, max_bytes=_LARGEST).replace(b",", b".").split()
        numbers = np.array([float(word) for word in words[:7]])
    except DocumentError as error:
        raise TerrainError(f"the world file {error.what}", place=str(path), value=error.value) from error
    except ValueError:
        numbers = np.zeros(0)
    if len(numbers) != 6 or not np.isfinite(numbers).all():
        raise TerrainError(
            "is no world file of an image", place=str(path), limit="six numbers: A, D, B, E, C, F",
            remedy="mend it or take it away, or say spacing, which goes before it",
        )  # fmt: skip
    across, down, first = numbers[:2], numbers[2:4], numbers[4:]
    first = first + down * (raster.heights.shape[1] - 1)
    note = f"places and spacing are those of {path.name} beside the image, read as metres"
    return replace(
        raster,
        steps=np.stack([across, -down], axis=-1),
        first=(float(first[0]), float(first[1])),
        notes=(*raster.notes, note),
    )
