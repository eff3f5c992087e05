"""Where the centre of mass is over the soles and how it moves, in one call per tick."""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import lazy_entry
from andante.spatial.arrays import Array1, Array2

GIVES = 0.005
"""Height in which a corner of a sole comes off the ground [m]."""


@lazy_entry
def over_soles(
    com: Array1,
    level: Array2,
    left: Array1,
    left_turn: Array2,
    right: Array1,
    right_turn: Array2,
    com_velocity: Array1,
    left_twist: Array1,
    right_twist: Array1,
    left_outline: Array2,
    right_outline: Array2,
    left_middle: Array1,
    right_middle: Array1,
    imu: Array2,
    gyro: Array1,
) -> tuple[float, float, float, float, float, float]:
    """The centre of mass relative to the soles.

    All in the torso frame: places [m], rotations, velocities [m/s] and twists (angular, then linear) relative to the
    torso. Each corner of a sole counts by how low it is: the lowest wholly, one `GIVES` above it by 1/e. The turning of
    the whole robot about the vertical is left out, as it turns the level frame as well.

    Args:
        com: Centre of mass, (3,).
        level: Rotation from the torso frame to the level frame, (3, 3).
        left: Place of the left sole, (3,).
        left_turn: Its rotation, (3, 3).
        right: Place of the right sole, (3,).
        right_turn: Its rotation, (3, 3).
        com_velocity: Of the centre of mass, (3,).
        left_twist: Of the left sole, (6,).
        right_twist: Of the right sole, (6,).
        left_outline: Corners of the left sole in its frame, (k, 3).
        right_outline: Corners of the right sole, (k, 3).
        left_middle: Middle of the left sole in its frame, (3,).
        right_middle: Middle of the right sole, (3,).
        imu: Rotation of the IMU in the torso, (3, 3).
        gyro: Angular velocity by the gyro, (3,) [rad/s]; what is not finite is no turning.

    Returns:
        Offset from the middle of the soles in the level frame, ahead and to the left [m]; the height over the lowest
        corner [m]; velocity relative to the corners that stand, ahead and to the left [m/s]; mean cosine of the
        soles' tilt.
    """
    up = (level[2, 0], level[2, 1], level[2, 2])
    ahead = side = flatness = 0.0
    highest = -math.inf
    count = len(left_outline) + len(right_outline)
    arms, rates, heights = np.empty((count, 3)), np.empty((count, 3)), np.empty(count)
    number = 0
    for foot in range(2):
        place, turn, twist = (left, left_turn, left_twist) if foot == 0 else (right, right_turn, right_twist)
        outline, middle = (left_outline, left_middle) if foot == 0 else (right_outline, right_middle)
        for axis in range(3):
            reach = turn[axis, 0] * middle[0] + turn[axis, 1] * middle[1] + turn[axis, 2] * middle[2]
            gap = 0.5 * (com[axis] - place[axis] - reach)
            ahead += level[0, axis] * gap
            side += level[1, axis] * gap
            flatness += 0.5 * up[axis] * turn[axis, 2]
        for corner in range(len(outline)):
            a, b, c = outline[corner, 0], outline[corner, 1], outline[corner, 2]
            x = turn[0, 0] * a + turn[0, 1] * b + turn[0, 2] * c
            y = turn[1, 0] * a + turn[1, 1] * b + turn[1, 2] * c
            z = turn[2, 0] * a + turn[2, 1] * b + turn[2, 2] * c
            arms[number, 0] = com[0] - place[0] - x
            arms[number, 1] = com[1] - place[1] - y
            arms[number, 2] = com[2] - place[2] - z
            rates[number, 0] = com_velocity[0] - twist[3] - (twist[1] * z - twist[2] * y)
            rates[number, 1] = com_velocity[1] - twist[4] - (twist[2] * x - twist[0] * z)
            rates[number, 2] = com_velocity[2] - twist[5] - (twist[0] * y - twist[1] * x)
            heights[number] = up[0] * arms[number, 0] + up[1] * arms[number, 1] + up[2] * arms[number, 2]
            highest = max(highest, heights[number])
            number += 1
    total = 0.0
    arm, rate = np.zeros(3), np.zeros(3)
    for corner in range(count):
        weight = math.exp((heights[corner] - highest) / GIVES)
        total += weight
        for axis in range(3):
            arm[axis] += weight * arms[corner, axis]
            rate[axis] += weight * rates[corner, axis]
    turning = np.zeros(3)
    for axis in range(3):
        turning[axis] = imu[axis, 0] * gyro[0] + imu[axis, 1] * gyro[1] + imu[axis, 2] * gyro[2]
    about = up[0] * turning[0] + up[1] * turning[1] + up[2] * turning[2]
    if math.isfinite(turning[0] + turning[1] + turning[2]):
        for axis in range(3):
            turning[axis] -= up[axis] * about
    else:
        turning[:] = 0.0
    vx = (rate[0] + turning[1] * arm[2] - turning[2] * arm[1]) / total
    vy = (rate[1] + turning[2] * arm[0] - turning[0] * arm[2]) / total
    vz = (rate[2] + turning[0] * arm[1] - turning[1] * arm[0]) / total
    return (
        ahead,
        side,
        highest,
        level[0, 0] * vx + level[0, 1] * vy + level[0, 2] * vz,
        level[1, 0] * vx + level[1, 1] * vy + level[1, 2] * vz,
        flatness,
    )
