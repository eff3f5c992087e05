"""Messages of sensor_msgs/PointCloud2 as terrain, of ROS 2 and ROS 1.

The message: sensor_msgs/msg/PointCloud2.msg and PointField.msg of github.com/ros2/common_interfaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.documents.recordings.message_reader import MessageReader
from andante.spatial.arrays import Array
from andante.terrain.files.found import coordinates, measured
from andante.terrain.files.limits import MOST_BYTES, thinned
from andante.terrain.height_map import TerrainError

_KINDS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


class Cloud(NamedTuple):
    """What counts of a message."""

    places: Array
    """x, y and z in the cloud's frame, (n, 3) [m]."""
    frame: str
    """The frame."""
    moment: int
    """The time of its stamp [ns]; 0: it has none."""
    notes: tuple[str, ...]
    """What a user should know of the reading."""


def cloud_of(content: bytes, ros1: bool, place: str) -> Cloud:
    """The points of a message, in their own frame; fields others than x, y and z do not count.

    Of more points than clouds may have every second, third and so on is taken.

    Raises:
        ValueError: The message is cut short or contradicts itself.
        TerrainError: It has no points, too many, or a field is missing.
    """
    stream = MessageReader(content, ros1)
    seconds, nanoseconds, frame = stream.header()
    height, width = (int(stream.number("u4")) for _ in range(2))
    fields = {}
    for _ in range(stream.names()):
        name, offset, kind = stream.text(), int(stream.number("u4")), int(stream.number("u1"))
        stream.number("u4")
        fields[name] = (offset, kind)
    big = bool(stream.number("u1"))
    step, row = (int(stream.number("u4")) for _ in range(2))
    raw = stream.array("u1", stream.size(MOST_BYTES)).tobytes()
    missing = [axis for axis in "xyz" if axis not in fields]
    if missing:
        raise TerrainError("a point has no such field", place=place, value=missing[0], legal=list(fields))
    if not 0 < height * width <= MOST_BYTES:
        raise TerrainError("a cloud has points", place=place, value=height * width, limit=f"1 to {MOST_BYTES}")
    formats = []
    for axis in "xyz":
        offset, code = fields[axis]
        if code not in _KINDS or offset + np.dtype(_KINDS[code]).itemsize > step:
            raise ValueError(f"the field {axis} lies at {offset} of {step} bytes and is of the type {code}")
        formats.append((">" if big else "<") + _KINDS[code])
    if row < width * step or (height - 1) * row + width * step > len(raw):
        raise ValueError(f"{height} rows of {row} bytes, of {width} points of {step}, are not its {len(raw)} bytes")
    point = coordinates(formats, [fields[axis][0] for axis in "xyz"], step)
    rows = np.ndarray((height, width), point, raw, strides=(row, step))
    taken, notes = thinned(height * width)
    at = np.unravel_index(np.arange(0, height * width, taken), rows.shape)
    places = np.stack([rows[axis][at].astype(np.float64) for axis in "xyz"], axis=-1)
    moment = 1_000_000_000 * seconds + nanoseconds
    return Cloud(measured(places), frame, moment, (f"a cloud of {height * width} points", *notes))
