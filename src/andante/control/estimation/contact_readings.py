"""What encoders and IMU say at a tick, and whether it may be believed, as compiled kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.estimation.contact_memory import NO_FORCE, NO_GYRO, ContactMemory, ContactModel
from andante.control.estimation.floating_base import Doubt
from andante.control.estimation.invariant_kernels import set_turned
from andante.spatial.compiled import inlined, kernel

Array = NDArray[np.float64]
ACCELEROMETER, GYRO = int(Doubt.ACCELEROMETER), int(Doubt.GYRO)
_MOST = (60.0, 1000.0)
"""Angular velocity beyond every gyro [rad/s], and specific force beyond every accelerometer [m/s^2]."""
_MOST_ANGLE, _MOST_RATE = 100.0, 1000.0
"""Joint angle [rad] and rate [rad/s] beyond every joint."""


@inlined
def _below(values: Array, first: int, limit: float) -> bool:
    """Whether three values are numbers below a limit; NaN is not."""
    below: bool = abs(values[first]) < limit and abs(values[first + 1]) < limit and abs(values[first + 2]) < limit
    return below


@kernel
def read_legs(
    memory: ContactMemory, readings: Array, step: float, frozen_after: float, good: Array, rated: Array
) -> bool:
    """Take over the angles and rates of all legs whose encoders give numbers; whether any encoder changed.

    Args:
        memory: Of the filter.
        readings: Angles, rates and health of the joints, (3, nl, 3).
        step: Time since the last tick [s].
        frozen_after: Time after which encoders that repeat themselves count as frozen [s].
        good: Gets whether a leg's angles may be believed, (nl,).
        rated: Gets whether its rates may be, (nl,).
    """
    legs = readings.shape[1]
    alive = False
    for leg in range(legs):
        for j in range(3):
            angle = readings[0, leg, j]
            alive = alive or (abs(angle) < _MOST_ANGLE and angle != memory.readings[leg, j])
    for leg in range(legs):
        finite, rate_finite, same = True, True, True
        for j in range(3):
            angle, rate = readings[0, leg, j], readings[1, leg, j]
            finite = finite and abs(angle) < _MOST_ANGLE and readings[2, leg, j] > 0.5
            rate_finite = rate_finite and abs(rate) < _MOST_RATE
            same = same and angle == memory.readings[leg, j] and rate == memory.readings[legs + leg, j]
            memory.readings[leg, j], memory.readings[legs + leg, j] = angle, rate
        if not same:
            memory.repeated[leg] = 0.0
        elif alive:
            memory.repeated[leg] += step
        believed = finite and memory.repeated[leg] <= frozen_after
        good[leg] = 1.0 if believed else 0.0
        rated[leg] = 1.0 if believed and rate_finite else 0.0
        for j in range(3):
            slope = 0.0
            if finite:
                if step > 0.0:
                    slope = (readings[0, leg, j] - memory.joints[leg, j]) / step
                memory.joints[leg, j] = readings[0, leg, j]
            memory.joints[legs + leg, j] = readings[1, leg, j] if believed and rate_finite else slope
    return alive


@kernel
def read_imu(
    model: ContactModel, memory: ContactMemory, imu: Array, step: float, alive: bool, rate: Array, force: Array
) -> int:
    """Rate and specific force over the last tick in base axes; what is doubted of the IMU.

    Each is the mean of its readings at both ends of the tick. A gyro that is not believed is replaced by its last rate,
    fading; an accelerometer by that of a body that keeps its velocity.

    Args:
        model: Of the filter.
        memory: Of the filter; ``imu`` and the clocks change.
        imu: Orientation, gyro and accelerometer as they came, (10,).
        step: Time since the last tick [s].
        alive: Whether any encoder changed: an IMU that repeats itself beside living encoders is frozen.
        rate: Gets the angular velocity, (3,) [rad/s].
        force: Gets the specific force, (3,) [m/s^2].
    """
    legs, doubts = len(memory.feet), 0
    now = np.empty(3)
    for number in range(2):
        first, clock = 4 + 3 * number, NO_GYRO if number == 0 else NO_FORCE
        same = imu[first] == memory.raw[first]
        same = same and imu[first + 1] == memory.raw[first + 1] and imu[first + 2] == memory.raw[first + 2]
        if not same:
            memory.repeated[legs + number] = 0.0
        elif alive:
            memory.repeated[legs + number] += step
        mean = rate if number == 0 else force
        if _below(imu, first, _MOST[number]) and memory.repeated[legs + number] <= model.repeat:
            set_turned(model.mount, imu[first : first + 3], now)
            # Across a gap the last reading is too old for a mean.
            fresh = memory.clocks[clock] == 0.0
            for j in range(3):
                last = memory.imu[number, j] if fresh else now[j]
                mean[j] = 0.5 * (now[j] + last) - memory.offsets[number, j]
                memory.imu[2 + number, j] = abs(now[j] - last)
                memory.imu[number, j] = now[j]
            memory.clocks[clock] = 0.0
            continue
        memory.clocks[clock] += step
        doubts |= GYRO if number == 0 else ACCELEROMETER
        fade = math.exp(-step / model.blind_time)
        for j in range(3):
            if number == 0:
                memory.imu[0, j] = fade * (memory.imu[0, j] - memory.offsets[0, j]) + memory.offsets[0, j]
                mean[j] = memory.imu[0, j] - memory.offsets[0, j]
            else:
                mean[j] = model.gravity * memory.rotation[2, j]
            memory.imu[2 + number, j] = 0.0
    for j in range(10):
        memory.raw[j] = imu[j]
    return doubts
