"""One tick of the contact-aided filter: readings, prediction, feet, tilt, output, as a compiled kernel."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.estimation.contact_memory import (
    ASKEW,
    CONTRADICTION,
    FLIGHT,
    LEG_OUTPUTS,
    NO_GYRO,
    OUTPUTS,
    STRAIN,
    WAY,
    YAW,
    ContactMemory,
    ContactModel,
)
from andante.control.estimation.contact_motion import predict
from andante.control.estimation.contact_readings import read_imu, read_legs
from andante.control.estimation.contact_stance import stand
from andante.control.estimation.floating_base import Doubt
from andante.control.estimation.invariant_kernels import PLACE, SPEED, TURN, apply, correct_by_number, set_turned
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array1, Array3
from andante.spatial.compiled import entry, kernel

Array = NDArray[np.float64]
CONTRADICTED, NO_STANCE, ORIENTATION = int(Doubt.CONTRADICTION), int(Doubt.NO_STANCE), int(Doubt.ORIENTATION)


@kernel
def _level(model: ContactModel, memory: ContactMemory, imu: Array, step: float) -> int:
    """Draw the tilt to the IMU's own, whose error changes so slowly that one reading counts little; its doubts."""
    w, x, y, z = imu[0], imu[1], imu[2], imu[3]
    size = w * w + x * x + y * y + z * z
    if not 0.25 < size < 4.0:
        return ORIENTATION
    if step == 0.0:
        return 0
    up, seen, world = np.empty(3), np.empty(3), np.empty(3)
    up[0], up[1], up[2] = (
        2.0 * (x * z - w * y) / size,
        2.0 * (y * z + w * x) / size,
        (w * w - x * x - y * y + z * z) / size,
    )
    set_turned(model.mount, up, seen)
    set_turned(memory.rotation, seen, world)
    blind = memory.clocks[NO_GYRO] > 0.0
    variance = model.tilt**2 * (1.0 if blind else max(model.tilt_time / step, 1.0))
    doubts = 0
    # World's up as the estimate sees it is (-xi_y, xi_x, 1).
    for axis, error in ((TURN, world[1]), (TURN + 1, -world[0])):
        error -= memory.shift[axis]
        spread = memory.covariance[axis, axis]
        if not blind and error * error > model.gate * (spread + model.tilt**2):
            doubts = ORIENTATION
            continue
        correct_by_number(
            memory.covariance, memory.shift, memory.covariance[axis].copy(), spread + variance, error, math.inf
        )
    memory.clocks[ASKEW] = memory.clocks[ASKEW] + step if doubts > 0 else 0.0
    return doubts


@kernel
def _spread(covariance: Array, first: int, vector: Array, deviations: Array) -> None:
    """Deviations of a vector x with truth exp(xi_R) x + xi_x about each axis of the world, (3,)."""
    x, y, z = vector[0], vector[1], vector[2]
    turns = ((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))
    for i in range(3):
        variance = covariance[first + i, first + i]
        for j in range(3):
            variance += 2.0 * turns[i][j] * covariance[TURN + j, first + i]
            for k in range(3):
                variance += turns[i][j] * turns[i][k] * covariance[TURN + j, TURN + k]
        deviations[i] = math.sqrt(max(variance, 0.0))


@kernel
def _report(model: ContactModel, memory: ContactMemory, doubts: int, legs: Array, touching: Array, step: float) -> None:
    """Write `ContactMemory.output`: position, rotation, roll, pitch, yaw, velocity, angular velocity, nine deviations,
    way, doubts, trusted, whether all is finite, and of each leg its foot, contact, confidence and doubts."""
    out, rotation = memory.output, memory.rotation
    arm, rate, swing, before = np.empty(3), np.empty(3), np.empty(3), out[:2].copy()
    set_turned(rotation, model.lever, arm)
    for j in range(3):
        rate[j] = memory.imu[0, j] - memory.offsets[0, j]
        out[j] = memory.motion[1, j] - arm[j]
        out[18 + j] = rate[j]
        for i in range(3):
            out[3 + 3 * i + j] = rotation[i, j]
    lever = model.lever
    arm[0] = rate[1] * lever[2] - rate[2] * lever[1]
    arm[1] = rate[2] * lever[0] - rate[0] * lever[2]
    arm[2] = rate[0] * lever[1] - rate[1] * lever[0]
    set_turned(rotation, arm, swing)
    for j in range(3):
        out[15 + j] = memory.motion[0, j] - swing[j]
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    turned = yaw - memory.clocks[YAW]
    memory.clocks[YAW] += turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi) + 0.5)
    out[12] = math.atan2(rotation[2, 1], rotation[2, 2])
    out[13] = -math.asin(min(max(rotation[2, 0], -1.0), 1.0))
    out[14] = memory.clocks[YAW]
    if step > 0.0:
        dx, dy = out[0] - before[0], out[1] - before[1]
        memory.clocks[WAY] += math.cos(yaw) * dx + math.sin(yaw) * dy
        memory.clocks[WAY + 1] += math.cos(yaw) * dy - math.sin(yaw) * dx
    _spread(memory.covariance, PLACE, out[0:3], out[21:24])
    _spread(memory.covariance, SPEED, out[15:18], out[27:30])
    for j in range(3):
        out[24 + j] = math.sqrt(max(memory.covariance[TURN + j, TURN + j], 0.0))
    out[30], out[31] = memory.clocks[WAY], memory.clocks[WAY + 1]
    if memory.clocks[FLIGHT] > model.flight:
        doubts |= NO_STANCE
    if memory.clocks[CONTRADICTION] > model.contradiction or memory.clocks[STRAIN] > model.strain:
        doubts |= CONTRADICTED
    trusted = memory.clocks[NO_GYRO] <= model.blind and memory.clocks[CONTRADICTION] <= 2.0 * model.contradiction
    # The IMU's own tilt and the filter's differ: nobody knows which is right.
    trusted = trusted and memory.clocks[ASKEW] <= model.askew
    trusted = trusted and max(out[27], out[28], out[29]) < model.worst_speed
    trusted = trusted and max(out[24], out[25]) < model.worst_tilt
    for leg in range(len(legs)):
        row = OUTPUTS + LEG_OUTPUTS * leg
        for j in range(3):
            out[row + j] = memory.feet[leg, j]
        out[row + 3] = touching[leg]
        carried = memory.stood[leg] / model.landing if model.landing > 0.0 else 1.0
        out[row + 4] = min(carried, 1.0) if memory.stood[leg] > 0.0 else 0.0
        out[row + 5] = legs[leg]
        doubts |= int(legs[leg])
    total = 0.0
    for value in out:
        total += value
    for j in range(len(memory.covariance)):
        total += memory.covariance[j, j]
    out[32], out[33] = float(doubts), 1.0 if trusted else 0.0
    out[34] = 1.0 if abs(total) < math.inf else 0.0


@entry
def advance(
    table: LegTable,
    model: ContactModel,
    memory: ContactMemory,
    readings: Array3,
    imu: Array1,
    switches: Array1,
    plan: Array1,
    step: float,
) -> None:
    """One tick of the filter; the state is in ``memory.output`` afterwards.

    Args:
        table: The legs.
        model: Of the filter.
        memory: Of the filter; changed.
        readings: Angles, rates and health of the legs' joints, (3, nl, 3).
        imu: Orientation, gyro and accelerometer as they came, (10,).
        switches: Contact of each foot as measured, (nl,).
        plan: 1 where a foot may stand by plan, 0 where it swings, -1 without a plan, (nl,).
        step: Time since the last tick [s]; 0: the first.
    """
    count = len(memory.feet)
    good, rated, legs, touching = np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    rate, force = np.empty(3), np.empty(3)
    before = memory.joints[:count].copy()
    alive = read_legs(memory, readings, step, model.repeat, good, rated)
    doubts = read_imu(model, memory, imu, step, alive, rate, force)
    memory.shift[:] = 0.0
    if step > 0.0:
        predict(table, model, memory, before, rate, force, step)
    stand(table, model, memory, switches, plan, good, rated, step, legs, touching)
    doubts |= _level(model, memory, imu, step)
    apply(memory.shift, memory.rotation, memory.motion[0], memory.motion[1], memory.feet, memory.offsets)
    _report(model, memory, doubts, legs, touching, step)
