"""Right-invariant Kalman filter of an IMU and standing feet, as compiled kernels over one error state.

The error state is (15 + 3 nl): attitude, velocity and position of the IMU, offsets of gyro and accelerometer, feet.
With xi the error, R_true = exp(xi_R) R, and x_true = exp(xi_R) x + xi_x for velocity, position and feet; offsets differ
by their error. Where a standing foot is as seen from the IMU is then a measurement of xi_d - xi_p alone, and neither
heading nor place are ever believed to be measured by it.

Source: R. Hartley, M. Ghaffari, R. Eustice, J. Grizzle, "Contact-aided invariant extended Kalman filtering for robot
state estimation", International Journal of Robotics Research 39 (4), 2020. Added here: feet that roll, velocities of
the joints, heights of the ground.
"""

from __future__ import annotations

import math

import numpy as np

from andante.control.estimation.contact_memory import FOOT, FORCE, GYRO, PLACE, SPEED, TURN, ContactMemory
from andante.kernels import inlined, kernel
from andante.spatial.arrays import Array


@inlined
def set_product(a: Array, b: Array, product: Array) -> None:
    """The product of two matrices (3, 3), into ``product``."""
    for i in range(3):
        for j in range(3):
            product[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@inlined
def set_turned(matrix: Array, vector: Array, turned: Array) -> None:
    """A matrix (3, 3) times a vector (3,), into ``turned``, which is another one."""
    for i in range(3):
        turned[i] = matrix[i, 0] * vector[0] + matrix[i, 1] * vector[1] + matrix[i, 2] * vector[2]


@inlined
def _set_series(vector: Array, a: float, b: float, matrix: Array) -> None:
    """1 + a V + b V^2 of the cross product's matrix V of a vector (3,), into ``matrix`` (3, 3)."""
    x, y, z = vector[0], vector[1], vector[2]
    matrix[0, 0] = 1.0 - b * (y * y + z * z)
    matrix[1, 1] = 1.0 - b * (x * x + z * z)
    matrix[2, 2] = 1.0 - b * (x * x + y * y)
    matrix[0, 1], matrix[1, 0] = b * x * y - a * z, b * x * y + a * z
    matrix[0, 2], matrix[2, 0] = b * x * z + a * y, b * x * z - a * y
    matrix[1, 2], matrix[2, 1] = b * y * z - a * x, b * y * z + a * x


@kernel
def set_rotation(vector: Array, rotation: Array) -> None:
    """The matrix (3, 3) of a rotation vector (3,) [rad], into ``rotation`` (Rodrigues' formula)."""
    x, y, z = vector[0], vector[1], vector[2]
    square = x * x + y * y + z * z
    if square < 1e-12:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        a, b = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
    _set_series(vector, a, b, rotation)


@kernel
def _set_left(vector: Array, jacobian: Array) -> None:
    """The left Jacobian (3, 3) of a rotation vector (3,), into ``jacobian``: the mean of the turns on the way to it."""
    x, y, z = vector[0], vector[1], vector[2]
    square = x * x + y * y + z * z
    if square < 1e-8:
        a, b = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        angle = math.sqrt(square)
        a, b = (1.0 - math.cos(angle)) / square, (angle - math.sin(angle)) / (square * angle)
    _set_series(vector, a, b, jacobian)


@kernel
def orthonormalise(rotation: Array) -> None:
    """Make a matrix (3, 3) that is nearly a rotation one again: rows by Gram and Schmidt, the last two first."""
    for row in (2, 0):
        if row == 0:
            dot = rotation[0, 0] * rotation[2, 0] + rotation[0, 1] * rotation[2, 1] + rotation[0, 2] * rotation[2, 2]
            for j in range(3):
                rotation[0, j] -= dot * rotation[2, j]
        size = math.sqrt(rotation[row, 0] ** 2 + rotation[row, 1] ** 2 + rotation[row, 2] ** 2)
        for j in range(3):
            rotation[row, j] /= size
    rotation[1, 0] = rotation[2, 1] * rotation[0, 2] - rotation[2, 2] * rotation[0, 1]
    rotation[1, 1] = rotation[2, 2] * rotation[0, 0] - rotation[2, 0] * rotation[0, 2]
    rotation[1, 2] = rotation[2, 0] * rotation[0, 1] - rotation[2, 1] * rotation[0, 0]


@kernel
def _pass_on(covariance: Array, lever: Array, rotation: Array, step: float, gravity: float) -> None:
    """Multiply by the transition matrix from the left, in place."""
    rows = covariance.shape[0]
    half = 0.5 * step * step
    for j in range(rows):
        x, y = covariance[TURN, j], covariance[TURN + 1, j]
        # Gravity (0, 0, -g) cross the attitude's error.
        covariance[PLACE, j] += step * covariance[SPEED, j] + half * gravity * y
        covariance[PLACE + 1, j] += step * covariance[SPEED + 1, j] - half * gravity * x
        covariance[PLACE + 2, j] += step * covariance[SPEED + 2, j]
        covariance[SPEED, j] += step * gravity * y
        covariance[SPEED + 1, j] -= step * gravity * x
    for i in range(rows):
        if GYRO <= i < FOOT:
            continue
        a, b, c = -step * lever[i, 0], -step * lever[i, 1], -step * lever[i, 2]
        for j in range(rows):
            covariance[i, j] += a * covariance[GYRO, j] + b * covariance[GYRO + 1, j] + c * covariance[GYRO + 2, j]
    for first, share in ((SPEED, -step), (PLACE, -half)):
        for i in range(3):
            a, b, c = share * rotation[i, 0], share * rotation[i, 1], share * rotation[i, 2]
            for j in range(rows):
                covariance[first + i, j] += (
                    a * covariance[FORCE, j] + b * covariance[FORCE + 1, j] + c * covariance[FORCE + 2, j]
                )


@kernel
def propagate(memory: ContactMemory, step: float, gravity: float, turn_noise: float, speed_noise: float) -> None:
    """Carry the covariance over a tick in which the IMU was integrated.

    Args:
        memory: Of the filter; its covariance and lever change.
        step: Length of the tick [s].
        gravity: Acceleration of gravity [m/s^2].
        turn_noise: Variance of the turn over this tick [rad^2].
        speed_noise: Variance of the change of velocity over this tick [m^2/s^2].
    """
    covariance, lever, rotation, motion, feet = (
        memory.covariance, memory.lever, memory.rotation, memory.motion, memory.feet,
    )  # fmt: skip
    rows = covariance.shape[0]
    for i in range(3):
        for j in range(3):
            lever[TURN + i, j] = rotation[i, j]
            lever[GYRO + i, j] = lever[FORCE + i, j] = 0.0
    for number in range(2 + len(feet)):
        vector = motion[number] if number < 2 else feet[number - 2]
        first = SPEED + 3 * number if number < 2 else FOOT + 3 * (number - 2)
        x, y, z = vector[0], vector[1], vector[2]
        for j in range(3):
            lever[first, j] = y * rotation[2, j] - z * rotation[1, j]
            lever[first + 1, j] = z * rotation[0, j] - x * rotation[2, j]
            lever[first + 2, j] = x * rotation[1, j] - y * rotation[0, j]
    _pass_on(covariance, lever, rotation, step, gravity)
    for i in range(rows):
        for j in range(i):
            covariance[i, j], covariance[j, i] = covariance[j, i], covariance[i, j]
    _pass_on(covariance, lever, rotation, step, gravity)
    for i in range(rows):
        for j in range(i + 1):
            shared = lever[i, 0] * lever[j, 0] + lever[i, 1] * lever[j, 1] + lever[i, 2] * lever[j, 2]
            value = 0.5 * (covariance[i, j] + covariance[j, i]) + turn_noise * shared
            covariance[i, j] = covariance[j, i] = value
    for i in range(3):
        covariance[SPEED + i, SPEED + i] += speed_noise
        covariance[PLACE + i, PLACE + i] += 0.25 * step * step * speed_noise
        covariance[SPEED + i, PLACE + i] += 0.5 * step * speed_noise
        covariance[PLACE + i, SPEED + i] += 0.5 * step * speed_noise


@kernel
def attach(covariance: Array, shift: Array, leg: int, noise: Array) -> None:
    """Make a foot's error that of the IMU's place plus noise (3, 3): only the leg tells where it is."""
    rows, first = covariance.shape[0], FOOT + 3 * leg
    for i in range(3):
        for j in range(rows):
            covariance[first + i, j] = covariance[PLACE + i, j]
        shift[first + i] = shift[PLACE + i]
    for j in range(rows):
        for i in range(3):
            covariance[j, first + i] = covariance[j, PLACE + i]
    for i in range(3):
        for j in range(3):
            covariance[first + i, first + j] += noise[i, j]


@inlined
def _mirror(covariance: Array) -> None:
    """Make the lower triangle the mirror of the upper one."""
    for i in range(covariance.shape[0]):
        for j in range(i):
            covariance[i, j] = covariance[j, i]


@kernel
def correct(covariance: Array, shift: Array, gains: Array, spread: Array, error: Array, gate: float) -> float:
    """One update by a measured vector (3,); gives the squared error in standard deviations, above ``gate`` unused.

    Args:
        covariance: Of the error state P, (n, n); changed.
        shift: The error state as corrected so far in this tick, (n,); changed.
        gains: P H^T, (n, 3).
        spread: H P H^T + N, (3, 3).
        error: Measured less expected, with ``shift`` counted already, (3,).
        gate: Largest squared error that is believed.
    """
    a, b, c = spread[0, 0], spread[0, 1], spread[0, 2]
    d, e, f = spread[1, 1], spread[1, 2], spread[2, 2]
    xx, xy, xz = d * f - e * e, c * e - b * f, b * e - c * d
    yy, yz, zz = a * f - c * c, b * c - a * e, a * d - b * b
    size = a * xx + b * xy + c * xz
    if not size > 0.0:
        return math.inf
    xx, xy, xz, yy, yz, zz = xx / size, xy / size, xz / size, yy / size, yz / size, zz / size
    u = xx * error[0] + xy * error[1] + xz * error[2]
    v = xy * error[0] + yy * error[1] + yz * error[2]
    w = xz * error[0] + yz * error[1] + zz * error[2]
    square: float = u * error[0] + v * error[1] + w * error[2]
    if not square <= gate:
        return square
    rows = covariance.shape[0]
    # Columns in rows of their own, and one triangle after the other: loops over neighbours are several times faster.
    columns = gains.T.copy()
    for i in range(rows):
        p, q, r = gains[i, 0], gains[i, 1], gains[i, 2]
        shift[i] += p * u + q * v + r * w
        x, y, z = p * xx + q * xy + r * xz, p * xy + q * yy + r * yz, p * xz + q * yz + r * zz
        for j in range(i, rows):
            covariance[i, j] -= x * columns[0, j] + y * columns[1, j] + z * columns[2, j]
    _mirror(covariance)
    return square


@kernel
def correct_by_number(covariance: Array, shift: Array, gains: Array, spread: float, error: float, gate: float) -> bool:
    """As `correct`, by one measured number: ``gains`` P h (n,), ``spread`` h P h + variance; whether it was used."""
    if not (spread > 0.0 and error * error <= gate * spread):
        return False
    rows = covariance.shape[0]
    for i in range(rows):
        share = gains[i] / spread
        shift[i] += share * error
        for j in range(i, rows):
            covariance[i, j] -= share * gains[j]
    _mirror(covariance)
    return True


@kernel
def apply(memory: ContactMemory) -> None:
    """Put this tick's correction of the error state into the estimate."""
    shift, rotation, motion, feet = memory.shift, memory.rotation, memory.motion, memory.feet
    turn, before, moved, along = np.empty((3, 3)), rotation.copy(), np.empty(3), np.empty(3)
    left = np.empty((3, 3))
    set_rotation(shift[TURN : TURN + 3], turn)
    _set_left(shift[TURN : TURN + 3], left)
    set_product(turn, before, rotation)
    orthonormalise(rotation)
    for number in range(2 + len(feet)):
        vector = motion[number] if number < 2 else feet[number - 2]
        first = SPEED + 3 * number if number < 2 else FOOT + 3 * (number - 2)
        set_turned(turn, vector, moved)
        # To first order along is the shift; only so a turn about a far origin moves nothing that stays.
        set_turned(left, shift[first : first + 3], along)
        for i in range(3):
            vector[i] = moved[i] + along[i]
    for i in range(3):
        memory.offsets[0, i] += shift[GYRO + i]
        memory.offsets[1, i] += shift[FORCE + i]
