"""Messages of grid_map_msgs/GridMap as terrain, of ROS 2 and ROS 1.

The message, and how its cells lie, is that of github.com/ANYbotics/grid_map: the cell (0, 0) has the largest x and y,
rows run against x and columns against y, from a start row and column on around the buffer. The message is read here:
readers for messages of any type make an object of each number, of which a map has millions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.documents.recordings.message_reader import MessageReader
from andante.spatial.arrays import Array
from andante.terrain.files.found import Raster
from andante.terrain.files.limits import MOST_NODES
from andante.terrain.files.resampling import turned
from andante.terrain.height_map import TerrainError

ELEVATION, VARIANCE, VALID = "elevation", "variance", "is_valid"
"""Names of the layers of heights, of their variance, and of what is known of them (1, else 0), as elevation mapping
and elevation_mapping_cupy write them."""
_LEVEL = math.radians(0.5)
"""Largest angle between a map's own z and the world's [rad]; maps that lean more are no height maps."""


def map_of(content: bytes, ros1: bool, place: str, layer: str | None, notes: tuple[str, ...]) -> Raster:
    """The raster in a grid_map message, with its variance where it has that layer.

    A cell is unknown where its height, its variance or one of the message's basic layers is not finite, and where a
    layer says that its elevation is not valid.

    Args:
        content: The message.
        ros1: Whether it is one of ROS 1.
        place: The file and the topic.
        layer: Layer of heights; None: `ELEVATION`, or the only one.
        notes: What a user should know so far.

    Raises:
        ValueError: The message is cut short.
        TerrainError: No such layer, or it contradicts itself or leans.
    """
    found = _read(content, ros1)
    wanted = layer or ELEVATION
    if layer is None and ELEVATION not in found.layers and len(found.layers) == 1:
        wanted = found.layers[0]
        notes = (*notes, f"the only layer {wanted!r} has the heights")
    if wanted not in found.layers:
        remedy = "" if layer else "say layer=NAME"
        raise TerrainError("the map has no such layer", place=place, value=wanted, legal=found.layers, remedy=remedy)
    return _raster(found, wanted, place, notes)


class _GridMap(NamedTuple):
    """What counts of a message."""

    resolution: float
    lengths: list[float]
    position: list[float]
    quaternion: list[float]
    """In the order x, y, z, w."""
    layers: list[str]
    basic: list[str]
    grids: list[Array]
    """(rows, columns) of each layer, as float32."""
    start: tuple[int, int]


def _read(content: bytes, ros1: bool) -> _GridMap:
    stream = MessageReader(content, ros1)
    # The header stands before or in the info, which makes no difference here.
    stream.header()
    resolution, *lengths = stream.array("f8", 3).tolist()
    pose = stream.array("f8", 7).tolist()
    layers, basic = stream.texts(), stream.texts()
    grids = [_grid(stream) for _ in range(stream.names())]
    start = int(stream.number("u2")), int(stream.number("u2"))
    return _GridMap(resolution, lengths, pose[:3], pose[3:], layers, basic, grids, start)


def _grid(stream: MessageReader) -> Array:
    """A layer, (rows, columns)."""
    sides = []
    for _ in range(stream.size(8)):
        label, size, _ = stream.text(), int(stream.number("u4")), stream.number("u4")
        sides.append((label, size))
    offset, count = stream.size(MOST_NODES), stream.size(MOST_NODES)
    values = stream.array("f4", count)
    if len(sides) != 2 or sides[0][1] * sides[1][1] != count - offset:
        raise ValueError(f"a layer's sides {[size for _, size in sides]} do not make its {count} values")
    (label, first), (_, second) = sides
    grid = values[offset:].reshape(first, second)
    # By columns, as Eigen keeps matrices, where the message does not say it.
    return grid if label == "row_index" else grid.T


def _raster(found: _GridMap, layer: str, place: str, notes: tuple[str, ...]) -> Raster:
    if len(found.grids) != len(found.layers):
        raise TerrainError(
            "the map has another number of layers than of their names", place=place, value=len(found.grids),
            limit=f"{len(found.layers)}",
        )  # fmt: skip
    grids = dict(zip(found.layers, found.grids, strict=True))
    shape = grids[layer].shape
    numbers = (found.resolution, *found.lengths, *found.position, *found.quaternion)
    if not np.isfinite(numbers).all() or not found.resolution > 0.0:
        raise TerrainError("resolution, lengths and pose must be finite", place=place, value=list(numbers))
    for length, count in zip(found.lengths, shape, strict=True):
        if abs(length / found.resolution - count) > 0.51:
            raise TerrainError(
                "the map's lengths do not fit its cells", place=place, value=found.lengths,
                limit=f"{shape[0]} x {shape[1]} cells of {found.resolution:g} m",
            )  # fmt: skip
    heights = _unrolled(grids[layer], found.start)
    unknown = np.zeros(shape, dtype=np.bool_)
    for name in found.basic:
        if name in grids and grids[name].shape == shape:
            unknown |= ~np.isfinite(_unrolled(grids[name], found.start))
    told = grids.get(VARIANCE) if layer == ELEVATION else None
    variance = None if told is None or told.shape != shape else _unrolled(told, found.start)
    valid = grids.get(VALID) if layer == ELEVATION else None
    if valid is not None and valid.shape == shape:
        lost = (_unrolled(valid, found.start) < 0.5) & ~unknown & np.isfinite(heights)
        if lost.any():
            notes = (*notes, f"the layer {VALID!r} says that {int(lost.sum())} cells are unknown")
        unknown |= lost
    heights[unknown] = np.nan
    yaw = _yaw(found.quaternion, place)
    steps = -found.resolution * turned(yaw)
    half = 0.5 * found.resolution * (np.array(shape) - 1.0)
    first = np.array(found.position[:2]) + turned(yaw) @ half
    if found.position[2] != 0.0:
        notes = (*notes, f"the pose's height {found.position[2]:.3f} m does not count, as in grid_map")
    return Raster(heights, steps, (float(first[0]), float(first[1])), variance, notes=notes)


def _unrolled(grid: Array, start: tuple[int, int]) -> Array:
    return np.asarray(np.roll(grid, (-start[0], -start[1]), (0, 1)), dtype=np.float64)


def _yaw(quaternion: list[float], place: str) -> float:
    """Turn about z [rad]; a quaternion of zeros, which many programs send, is none."""
    length = math.hypot(*quaternion)
    if length < 1e-9:
        return 0.0
    x, y, z, w = (each / length for each in quaternion)
    if 2.0 * math.hypot(x, y) * math.hypot(z, w) > math.sin(_LEVEL) or math.hypot(x, y) > 0.5:
        raise TerrainError("the map leans", place=place, value=quaternion, limit="turned about z alone")
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
