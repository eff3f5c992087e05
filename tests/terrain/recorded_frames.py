"""A scanner on a body that moves over ground, as recordings have it; its transforms by matrices written by hand."""

from __future__ import annotations

import math
import struct

import numpy as np
from field_maps import LINE
from recordings import cloud_message

TF = "tf2_msgs/msg/TFMessage"
SECOND = 10**9
TRANSFORMS = f"""geometry_msgs/TransformStamped[] transforms
{LINE}
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
{LINE}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{LINE}
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
{LINE}
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
{LINE}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
X, Y = np.meshgrid(0.02 * np.arange(60), 0.02 * np.arange(40), indexing="ij")
GROUND = np.stack([X, Y, 0.05 * X + 0.1 * X * Y], axis=-1).reshape(-1, 3)
"""The ground as it lies in the world."""


def turn(axis: str, angle: float) -> np.ndarray:
    """The matrix of a turn about an axis, written down by hand."""
    c, s = math.cos(angle), math.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def quaternion(axis: str, angle: float) -> dict:
    """x, y, z, w of the same turn."""
    told = dict.fromkeys("xyz", 0.0) | {"w": math.cos(0.5 * angle)}
    return told | {axis: math.sin(0.5 * angle)}


def transform(parent: str, child: str, moment: int, place, axis: str = "z", angle: float = 0.0) -> dict:
    stamp = {"sec": moment // SECOND, "nanosec": moment % SECOND}
    return {
        "header": {"stamp": stamp, "frame_id": parent},
        "child_frame_id": child,
        "transform": {"translation": dict(zip("xyz", place, strict=True)), "rotation": quaternion(axis, angle)},
    }


def cloud(points, frame: str, moment: int) -> dict:
    made = cloud_message(points, kinds=("f8", "f8", "f8"))
    return made | {
        "header": {"stamp": {"sec": moment // SECOND, "nanosec": moment % SECOND}, "frame_id": frame},
    }


def seen(*, body=(0.0, 0.0, 0.0), yaw=0.0) -> np.ndarray:
    """The ground as a scanner sees it that looks down by 40 degrees, 0.3 m before and 0.6 m above the body's origin."""
    in_body = (GROUND - body) @ turn("z", yaw)
    return (in_body - [0.3, 0.0, 0.6]) @ turn("y", math.radians(40.0))


MOUNT = transform("base_link", "lidar", 0, (0.3, 0.0, 0.6), "y", math.radians(40.0))
BODY, YAW = np.array([2.0, -1.0, 0.1]), 0.5
TREE = [
    ("/tf_static", 1, TF, {"transforms": [MOUNT]}),
    # Half way between both the body is at BODY, turned by YAW.
    ("/tf", 9 * SECOND, TF, {"transforms": [transform("odom", "base_link", 9 * SECOND, BODY - 0.4, "z", YAW - 0.2)]}),
    ("/tf", 11 * SECOND, TF, {"transforms": [transform("odom", "base_link", 11 * SECOND, BODY + 0.4, "z", YAW + 0.2)]}),
    # Of another time.
    ("/tf", 90 * SECOND, TF, {"transforms": [transform("odom", "base_link", 90 * SECOND, BODY + 9.0)]}),
]


def lies_on_the_ground(found, atol: float = 2e-4) -> None:
    x = found.origin[0] + found.spacing * np.arange(found.heights.shape[0])[:, None]
    y = found.origin[1] + found.spacing * np.arange(found.heights.shape[1])[None, :]
    known = np.isfinite(found.heights)
    assert known.mean() > 0.9
    np.testing.assert_allclose(found.heights[known], (0.05 * x + 0.1 * x * y)[known], atol=atol)
    np.testing.assert_allclose([found.origin, (x[-1, 0], y[0, -1])], [[0.0, 0.0], [1.18, 0.78]], atol=1e-6)


def word(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode()


def of_ros1(message: dict) -> bytes:
    """A TFMessage of ROS 1, whose frames begin with a stroke."""
    body = struct.pack("<I", len(message["transforms"]))
    for each in message["transforms"]:
        stamp, told = each["header"]["stamp"], each["transform"]
        body += struct.pack("<III", 7, stamp["sec"], stamp["nanosec"])
        body += word("/" + each["header"]["frame_id"]) + word("/" + each["child_frame_id"])
        body += struct.pack(
            "<7d", *(told["translation"][axis] for axis in "xyz"), *(told["rotation"][k] for k in "xyzw")
        )
    return body


def ros1_cloud(points: np.ndarray, moment: int = 10 * SECOND) -> tuple:
    head = struct.pack("<III", 1, *divmod(moment, SECOND)) + word("lidar") + struct.pack("<II", 1, len(points))
    fields = struct.pack("<I", 3) + b"".join(
        word(axis) + struct.pack("<IBI", 8 * k, 8, 1) for k, axis in enumerate("xyz")
    )
    body = points.astype("<f8").tobytes()
    content = head + fields + struct.pack("<BIII", 0, 24, len(body), len(body)) + body + b"\1"
    return "/points", moment, "sensor_msgs/PointCloud2", "", content
