"""How the contact-aided filter carries its estimate over a tick, as compiled kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.estimation.contact_memory import ASKEW, NO_FORCE, NO_GYRO, ContactMemory, ContactModel
from andante.control.estimation.invariant_kernels import FORCE, GYRO, propagate, set_product, set_rotation, set_turned
from andante.kinematics.leg_table import LegTable
from andante.spatial.compiled import inlined, kernel

Array = NDArray[np.float64]
_REOPENED = 0.2
"""How uncertain a contradicted tilt becomes in a second [rad]."""


@kernel
def predict(
    table: LegTable,
    model: ContactModel,
    memory: ContactMemory,
    before: Array,
    rate: Array,
    force: Array,
    step: float,
) -> None:
    """Integrate the IMU over a tick, roll the balls of standing feet on, and carry the covariance.

    Args:
        table: The legs.
        model: Of the filter.
        memory: Of the filter; angles are those of this tick.
        before: Angles of the tick before, (nl, 3) [rad].
        rate: Mean angular velocity, (3,) [rad/s].
        force: Mean specific force, (3,) [m/s^2].
        step: Length of the tick [s].
    """
    velocity, place = memory.motion[0], memory.motion[1]
    blind = memory.clocks[NO_GYRO] > 0.0
    turn_noise = model.blind_rate**2 * model.blind_time * step if blind else (model.gyro * step) ** 2
    if blind or memory.clocks[NO_FORCE] > 0.0:
        speed_noise = model.blind_force**2 * model.blind_time * step
    else:
        jump = math.sqrt(memory.imu[3, 0] ** 2 + memory.imu[3, 1] ** 2 + memory.imu[3, 2] ** 2)
        # What an impact does between two readings nobody measures.
        speed_noise = ((model.accelerometer + model.impact * jump) * step) ** 2
    gyro_walk, force_walk = model.gyro_walk, model.accelerometer_walk
    if memory.clocks[ASKEW] > model.doubted:
        # Feet, IMU and the IMU's own tilt do not go together: tilt and offsets are opened, to be found anew.
        turn_noise += _REOPENED**2 * step
        gyro_walk, force_walk = model.gyro_offset, model.accelerometer_offset
    propagate(
        memory.covariance,
        memory.lever,
        memory.rotation,
        velocity,
        place,
        memory.feet,
        step,
        model.gravity,
        turn_noise,
        speed_noise,
    )
    for j in range(3):
        memory.covariance[GYRO + j, GYRO + j] += gyro_walk**2 * step
        memory.covariance[FORCE + j, FORCE + j] += force_walk**2 * step
    half, middle, vector = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for j in range(3):
        vector[j] = 0.5 * step * rate[j]
    set_rotation(vector, half)
    set_product(memory.rotation, half, middle)
    set_product(middle, half, memory.rotation)
    set_turned(middle, force, vector)
    vector[2] -= model.gravity
    for j in range(3):
        place[j] += step * velocity[j] + 0.5 * step * step * vector[j]
        velocity[j] += step * vector[j]
    spin = np.empty(3)
    for leg in range(len(memory.feet)):
        if memory.stood[leg] < 0.0:
            continue
        _set_spin(table, leg, memory.joints, before, spin)
        for j in range(3):
            spin[j] += step * rate[j]
        set_turned(middle, spin, vector)
        normal, radius, foot = memory.ground[leg], model.rolling * table.radius[leg], memory.feet[leg]
        foot[0] += radius * (vector[1] * normal[2] - vector[2] * normal[1])
        foot[1] += radius * (vector[2] * normal[0] - vector[0] * normal[2])
        foot[2] += radius * (vector[0] * normal[1] - vector[1] * normal[0])


@inlined
def _set_spin(table: LegTable, leg: int, joints: Array, before: Array, spin: Array) -> None:
    """By how much a leg's last link has turned against the base since the angles ``before``, (3,) [rad]."""
    signs = table.signs
    middle = 0.5 * signs[leg, 0] * (joints[leg, 0] + before[leg, 0])
    bend = signs[leg, 1] * (joints[leg, 1] - before[leg, 1]) + signs[leg, 2] * (joints[leg, 2] - before[leg, 2])
    spin[0] = signs[leg, 0] * (joints[leg, 0] - before[leg, 0])
    spin[1] = math.cos(middle) * bend
    spin[2] = math.sin(middle) * bend
