"""What a map tells of the units in which it was written, by heights and slopes that no ground has."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import TerrainError

_LOWEST, _HIGHEST = -1000.0, 9000.0
"""Heights of ground on earth, with room [m]; others are numbers that say unknown, or other units."""
_FINEST = 2e-4
"""Least distance of neighbouring nodes [m]: no foot feels a finer one; it is in degrees or another unit."""
_ARC_SECONDS = (1.0, 2.0, 3.0)
"""Spacings of the free maps of the globe; as metres they would be odd parts of a millimetre."""
_STEEPEST = 500.0
"""Rise over run that half of a ground's slopes never reach, 89.9 degrees: places and heights have other units. Walls
may be as steep, but most of a ground is no wall."""
_FEWEST = 100
"""Fewest slopes that tell it."""
_FARTHEST = 1.0
"""Distance of neighbouring nodes from which on no foot is told where it stands [m]; it may be in another unit."""
_FAR = 10_000.0
"""Distance of the first node from the coordinates' origin from which on it is told [m]: nobody types such places."""
_CLOSE = 0.5
"""Distance of neighbouring nodes below which heights in whole metres are told [m]."""
_SEVERAL = 2
"""Whole metres between the lowest and the highest, and different heights, up to which they may be boxes."""


def refuse_other_units(made: ElevationMap, place: str, uses: tuple[str, ...]) -> None:
    """Refuse a map of numbers that are no metres.

    Args:
        made: The map as its numbers have it.
        place: The file.
        uses: Options that mean something to the file.

    Raises:
        TerrainError: Its nodes are too close, or as far apart as arc seconds are in degrees; half of it is steeper than
            any ground; or heights are off the earth.
    """
    units = "scale" if "scale" in uses else "low and high"
    if any(abs(3600.0 * made.spacing - each) < 1e-4 for each in _ARC_SECONDS):
        raise TerrainError(
            f"the nodes of the map are {3600.0 * made.spacing:.0f} / 3600 apart, as those of maps in arc seconds",
            place=place, value=made.spacing, limit="metres", remedy="project it, for example by gdalwarp -t_srs",
        )  # fmt: skip
    if made.spacing < _FINEST:
        raise TerrainError(
            "the nodes of the map are too close", place=place, value=made.spacing, limit=f"{_FINEST:g} m or more",
            remedy="a map in degrees has to be projected; else say scale, spacing or resolution",
        )  # fmt: skip
    with np.errstate(invalid="ignore"):
        off = np.argwhere((made.heights < _LOWEST) | (made.heights > _HIGHEST))
    if len(off):
        i, j = off[0].tolist()
        raise TerrainError(
            f"{len(off)} heights are out of range",
            place=f"{place}: {made.node(i, j)}",
            value=float(made.heights[i, j]),
            limit=f"{_LOWEST:g} to {_HIGHEST:g} m",
            remedy=f"give nodata=NUMBER where it says unknown, or {units}" if "nodata" in uses else f"say {units}",
        )
    steps = np.concatenate([np.abs(np.diff(made.heights, axis=axis)).ravel() for axis in (0, 1)])
    steps = steps[np.isfinite(steps)]
    slope = float(np.median(steps)) / made.spacing if len(steps) >= _FEWEST else 0.0
    if slope > _STEEPEST:
        raise TerrainError(
            "the heights are of another unit than the places", place=place, value=round(slope),
            limit=f"half of all slopes rise at most {_STEEPEST:g} m a metre",
            remedy="a map in degrees has to be projected; else say height_scale, scale or spacing"
            if "scale" in uses else "say spacing, low and high",
        )  # fmt: skip


def coarse(made: ElevationMap, uses: tuple[str, ...]) -> tuple[str, ...]:
    """What a user should know of a map whose nodes are so far apart that its lengths may be in another unit."""
    if made.spacing < _FARTHEST:
        return ()
    say = "scale=0.001 if the file is in mm" if "scale" in uses else "spacing=LENGTH if they are not"
    return (f"nodes are {made.spacing:g} m apart, which tells no foot where to stand: {say}",)


def far_off(made: ElevationMap) -> tuple[str, ...]:
    """What a user should know of a map in coordinates of a survey, in which every place has seven digits."""
    far = max(abs(each) for each in made.origin)
    if far < _FAR:
        return ()
    return (
        f"the coordinates begin {1e-3 * far:.0f} km from their origin, and start, goal and via count in them: "
        "x=0 and y=0 put the first node at the origin",
    )


def whole_numbers(heights: Array, spacing: float) -> tuple[str, ...]:
    """What a user should know of heights (n, m) of which nobody said the unit and that are all whole numbers.

    Nodes that lie close together do not lie whole metres one above the other; millimetres and steps of a sensor do.

    Args:
        heights: The heights as they stand in the file.
        spacing: Distance of neighbouring nodes [m].
    """
    known = heights[np.isfinite(heights)]
    if not spacing < _CLOSE or not len(known) or not (known == np.round(known)).all():
        return ()
    low, high = float(known.min()), float(known.max())
    if high - low < _SEVERAL or len(np.unique(known)) <= _SEVERAL:
        return ()
    return (
        f"the heights are whole numbers from {low:.0f} to {high:.0f} and count as metres: height_scale=LENGTH says "
        "another unit (0.001: mm)",
    )
