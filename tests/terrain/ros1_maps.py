"""Maps and clouds as messages of ROS 1, straight from the types' descriptions."""

from __future__ import annotations

import struct

import numpy as np

MAP, CLOUD = "grid_map_msgs/GridMap", "sensor_msgs/PointCloud2"
DEFINITION = "grid_map_msgs/GridMapInfo info\nfloat64 resolution\n"
HEIGHTS = np.arange(12.0).reshape(4, 3)


def text(word: str) -> bytes:
    return struct.pack("<I", len(word)) + word.encode()


def grid_map(heights: np.ndarray, spacing: float = 0.5) -> bytes:
    """A message whose node (0, 0) lies at 0, 0: rows against x, columns against y, kept by columns."""
    nx, ny = heights.shape
    sides = struct.pack("<3d", spacing, nx * spacing, ny * spacing)
    pose = struct.pack("<7d", 0.5 * (nx - 1) * spacing, 0.5 * (ny - 1) * spacing, 0, 0, 0, 0, 1)
    info = struct.pack("<III", 1, 2, 3) + text("map") + sides + pose
    dims = text("column_index") + struct.pack("<II", ny, nx * ny) + text("row_index") + struct.pack("<II", nx, nx)
    layer = struct.pack("<I", 2) + dims + struct.pack("<II", 0, nx * ny)
    layer += heights[::-1, ::-1].T.astype("<f4").tobytes()
    return info + struct.pack("<I", 1) + text("elevation") + struct.pack("<II", 0, 1) + layer + struct.pack("<HH", 0, 0)


def cloud(points: np.ndarray) -> bytes:
    head = struct.pack("<III", 1, 2, 3) + text("lidar") + struct.pack("<II", 1, len(points))
    fields = b"".join(text(axis) + struct.pack("<IBI", 4 * k, 7, 1) for k, axis in enumerate("xyz"))
    body = points.astype("<f4").tobytes()
    return head + struct.pack("<I", 3) + fields + struct.pack("<BIII", 0, 12, len(body), len(body)) + body + b"\1"


def elevation(moment: int, lift: float = 0.0, topic: str = "/map") -> tuple:
    return topic, moment, MAP, DEFINITION, grid_map(HEIGHTS + lift)
