"""Rotations as wxyz unit quaternions and 3x3 matrices.

All functions take arrays with any leading batch shape that broadcasts, and return new float64 arrays. A quaternion q
and a matrix R stand for the same rotation when R v is the vector part of q (0, v) q*. The conversions assume unit
quaternions and orthonormal matrices; `normalise` makes the first from any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.spatial.arrays import Array

_SMALL = 1e-8
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


class RotationError(AndanteError):
    """An array is no rotation: wrong shape, or a quaternion of length zero."""


IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
"""The quaternion of no rotation, (4,) wxyz; read-only."""
IDENTITY.flags.writeable = False


def normalise(quaternion: ArrayLike) -> Array:
    """The unit quaternion in the direction of ``quaternion``, (..., 4).

    Raises:
        RotationError: A quaternion is zero, not finite or not of length 4.
    """
    q = _last_axis(quaternion, 4, "a quaternion")
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    if not np.all(np.isfinite(norm) & (norm > 0.0)):
        raise RotationError("a quaternion must be finite and not zero", value=q.tolist())
    return np.asarray(q / norm)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The product a b, the rotation that applies ``b`` first; (..., 4) each."""
    first, second = _last_axis(a, 4, "a quaternion"), _last_axis(b, 4, "a quaternion")
    if first.ndim == 1 and second.ndim == 1:
        # Of two quaternions alone Python makes the same numbers, five times as fast.
        return np.array(_product(first.tolist(), second.tolist()))
    return np.stack(_product(np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)), axis=-1)


def _product(a: Sequence[Any] | Array, b: Sequence[Any] | Array) -> list[Any]:
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]


def conjugate(quaternion: ArrayLike) -> Array:
    """The inverse of a unit quaternion, (..., 4)."""
    return np.asarray(_last_axis(quaternion, 4, "a quaternion") * _CONJUGATE)


def exp(rotation_vector: ArrayLike) -> Array:
    """The quaternion (..., 4) of a rotation vector, axis times angle (..., 3) [rad]."""
    v = _last_axis(rotation_vector, 3, "a rotation vector")
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # numpy's sinc is sin(pi x) / (pi x), smooth through zero.
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * v], axis=-1)


def log(quaternion: ArrayLike) -> Array:
    """The shortest rotation vector (..., 3) [rad] of a unit quaternion (..., 4); its length is in [0, pi]."""
    q = _last_axis(quaternion, 4, "a quaternion")
    q = np.where(q[..., :1] < 0.0, -q, q)
    w, v = q[..., :1], q[..., 1:]
    sine = np.linalg.norm(v, axis=-1, keepdims=True)
    near = sine < _SMALL
    # angle / sin(angle / 2); near zero both go to 2 / w.
    factor = np.where(near, 2.0 / np.where(near, w, 1.0), 2.0 * np.arctan2(sine, w) / np.where(near, 1.0, sine))
    return np.asarray(factor * v)


def to_matrix(quaternion: ArrayLike) -> Array:
    """The matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(_last_axis(quaternion, 4, "a quaternion"), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> Array:
    """The quaternions (..., 4), w >= 0, of rotation matrices (..., 3, 3).

    Takes, per matrix, the best conditioned of Shepperd's four forms (Journal of Guidance and Control 1 (3), 1978).
    """
    m = _matrix(matrix)
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # Four times the products of quaternion components; each row is 4 q_i q.
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    forms = np.stack(
        [
            np.stack([1.0 + d0 + d1 + d2, wx, wy, wz], axis=-1),
            np.stack([wx, 1.0 + d0 - d1 - d2, xy, xz], axis=-1),
            np.stack([wy, xy, 1.0 - d0 + d1 - d2, yz], axis=-1),
            np.stack([wz, xz, yz, 1.0 - d0 - d1 + d2], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(forms, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(forms, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.asarray(np.where(q[..., :1] < 0.0, -q, q))


def rotation_x(angle: ArrayLike) -> Array:
    """The matrices (..., 3, 3) of turns about x by ``angle`` (...) [rad]."""
    return _about(0, angle)


def rotation_y(angle: ArrayLike) -> Array:
    """The matrices (..., 3, 3) of turns about y by ``angle`` (...) [rad]."""
    return _about(1, angle)


def rotation_z(angle: ArrayLike) -> Array:
    """The matrices (..., 3, 3) of turns about z by ``angle`` (...) [rad]."""
    return _about(2, angle)


def from_rpy(rpy: ArrayLike) -> Array:
    """The quaternions (..., 4) of roll, pitch, yaw (..., 3) [rad]: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = np.moveaxis(_last_axis(rpy, 3, "roll, pitch, yaw") * 0.5, -1, 0)
    cr, sr, cp, sp, cy, sy = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch), np.cos(yaw), np.sin(yaw)
    return np.stack(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ],
        axis=-1,
    )


def to_rpy(quaternion: ArrayLike) -> Array:
    """Roll, pitch, yaw (..., 3) [rad] of unit quaternions (..., 4): R = Rz(yaw) Ry(pitch) Rx(roll).

    Pitch is in [-pi/2, pi/2]. At +-pi/2 only the difference (or sum) of roll and yaw is determined; roll is 0 there.
    """
    m = to_matrix(quaternion)
    cosine = np.hypot(m[..., 0, 0], m[..., 1, 0])
    pitch = np.arctan2(-m[..., 2, 0], cosine)
    locked = cosine < _SMALL
    roll = np.where(locked, 0.0, np.arctan2(m[..., 2, 1], m[..., 2, 2]))
    yaw = np.where(locked, np.arctan2(-m[..., 0, 1], m[..., 1, 1]), np.arctan2(m[..., 1, 0], m[..., 0, 0]))
    return np.stack([roll, pitch, yaw], axis=-1)


def tilt(up: ArrayLike) -> Array:
    """Torso pitch and roll (..., 2) [rad] from the up direction in the torso's frame (..., 3).

    They are the angles of R = Rz(yaw) Rx(roll) Ry(pitch), so that up = (-sin(pitch) cos(roll), sin(roll),
    cos(pitch) cos(roll)). Pitch covers the full circle (-pi, pi]: leaning forward is positive, lying on the belly
    about pi/2, beyond head first above it. Roll is in [-pi/2, pi/2], positive when leaning to the right, and stays
    meaningful when lying on belly or back. Lying exactly on a side pitch is 0 by definition of atan2. The length of
    ``up`` does not matter, so an accelerometer's mean may be passed.
    """
    u = _last_axis(up, 3, "an up direction")
    x, y, z = u[..., 0], u[..., 1], u[..., 2]
    # Adding zero turns -0.0 into 0.0, so that lying on the back is never a half turn away by the sign of a zero.
    pitch = np.arctan2(0.0 - x, z)
    return np.stack([pitch, np.arctan2(y, np.hypot(x, z))], axis=-1)


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle (...) in [0, pi] [rad] of the rotation from unit quaternion ``a`` to ``b`` (..., 4)."""
    return np.asarray(np.linalg.norm(log(multiply(conjugate(a), b)), axis=-1))


def _about(axis: int, angle: ArrayLike) -> Array:
    a = np.asarray(angle, dtype=np.float64)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.zeros((*a.shape, 3, 3))
    matrix[..., axis, axis] = 1.0
    matrix[..., i, i] = matrix[..., j, j] = np.cos(a)
    matrix[..., j, i] = np.sin(a)
    matrix[..., i, j] = -matrix[..., j, i]
    return matrix


def _last_axis(values: ArrayLike, size: int, what: str) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        raise RotationError(f"{what} has {size} numbers on its last axis", value=array.shape, limit=f"(..., {size})")
    return array


def _matrix(values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.shape[-2:] != (3, 3):
        raise RotationError("a rotation matrix has 3 rows and 3 columns", value=array.shape, limit="(..., 3, 3)")
    return array
