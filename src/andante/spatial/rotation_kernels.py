"""The rotations of `andante.spatial.rotations` one at a time, compiled, for controllers that turn a few in every tick.

Quaternions are (4,) wxyz and of unit length; nothing is checked.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined
from andante.spatial.arrays import Array, Array1, Array2

Three = Array | tuple[float, float, float]
"""Three numbers, for kernels that make no arrays."""


@entry
def multiply(a: Array1, b: Array1) -> Array:
    """The rotation that applies ``b`` first, (4,), normalised."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return np.array([w / size, x / size, y / size, z / size])


@entry
def conjugate(q: Array1) -> Array:
    """The rotation back, (4,): the inverse of a unit quaternion."""
    return np.array([q[0], -q[1], -q[2], -q[3]])


@entry
def exp(vector: Array1) -> Array:
    """The quaternion of a rotation vector (3,) [rad]."""
    angle = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    share = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    return np.array([math.cos(0.5 * angle), share * vector[0], share * vector[1], share * vector[2]])


@entry
def log(q: Array1) -> Array:
    """The shortest rotation vector (3,) [rad] of a quaternion."""
    sign = -1.0 if q[0] < 0.0 else 1.0
    sine = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    share = 2.0 if sine < 1e-12 else 2.0 * math.atan2(sine, sign * q[0]) / sine
    return np.array([sign * share * q[1], sign * share * q[2], sign * share * q[3]])


@entry
def to_matrix(q: Array1) -> Array:
    """The matrix (3, 3) of a quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


@entry
def from_matrix(m: Array2) -> Array:
    """The quaternion (4,), w >= 0, of a matrix (3, 3), by the best conditioned of Shepperd's four forms."""
    a, b, c = m[0, 0], m[1, 1], m[2, 2]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    if a + b + c >= max(a, b, c):
        w, x, y, z = 1.0 + a + b + c, wx, wy, wz
    elif a >= b and a >= c:
        w, x, y, z = wx, 1.0 + a - b - c, xy, xz
    elif b >= c:
        w, x, y, z = wy, xy, 1.0 - a + b - c, yz
    else:
        w, x, y, z = wz, xz, yz, 1.0 - a - b + c
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        size = -size
    return np.array([w / size, x / size, y / size, z / size])


@entry
def from_rpy(rpy: Array1) -> Array:
    """The quaternion (4,) of roll, pitch, yaw (3,) [rad]: Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr = math.cos(0.5 * rpy[0]), math.sin(0.5 * rpy[0])
    cp, sp = math.cos(0.5 * rpy[1]), math.sin(0.5 * rpy[1])
    cy, sy = math.cos(0.5 * rpy[2]), math.sin(0.5 * rpy[2])
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


@inlined
def seen_from(position: Three, rotation: Array, place: Three) -> tuple[float, float, float]:
    """A place (3,) in the frame at ``position`` (3,) that is turned by ``rotation`` (3, 3): R^T (place - position)."""
    dx, dy, dz = place[0] - position[0], place[1] - position[1], place[2] - position[2]
    x: float = rotation[0, 0] * dx + rotation[1, 0] * dy + rotation[2, 0] * dz
    y: float = rotation[0, 1] * dx + rotation[1, 1] * dy + rotation[2, 1] * dz
    z: float = rotation[0, 2] * dx + rotation[1, 2] * dy + rotation[2, 2] * dz
    return x, y, z
