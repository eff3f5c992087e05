"""One tick of the contact-aided filter, as a compiled kernel: readings, prediction, feet, tilt, output."""

from __future__ import annotations

import math

import numpy as np

from andante.control.estimation.contact_memory import (
    ASKEW,
    CONTRADICTION,
    FLIGHT,
    FORCE,
    GYRO,
    LEG_OUTPUTS,
    NO_FORCE,
    NO_GYRO,
    OUTPUTS,
    PLACE,
    SPEED,
    STRAIN,
    TURN,
    WAY,
    YAW,
    ContactMemory,
    ContactModel,
)
from andante.control.estimation.contact_stance import stand
from andante.control.estimation.floating_base import Doubt
from andante.control.estimation.invariant_kernels import (
    apply,
    correct_by_number,
    propagate,
    set_product,
    set_rotation,
    set_turned,
)
from andante.kernels import entry, inlined, kernel
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1, Array3

CONTRADICTED, NO_STANCE = int(Doubt.CONTRADICTION), int(Doubt.NO_STANCE)
ORIENTATION, TILT_APART = int(Doubt.ORIENTATION), int(Doubt.TILT)
DUMB_ACCELEROMETER, DUMB_GYRO = int(Doubt.ACCELEROMETER), int(Doubt.GYRO)
_MOST = (60.0, 1000.0)
"""Angular velocity beyond every gyro [rad/s], and specific force beyond every accelerometer [m/s^2]."""
_MOST_ANGLE, _MOST_RATE = 100.0, 1000.0
"""Joint angle [rad] and rate [rad/s] beyond every joint."""
_REOPENED = 0.2
"""How uncertain a contradicted tilt becomes in a second [rad]."""


@inlined
def _below(values: Array, first: int, limit: float) -> bool:
    """Whether three values are numbers below a limit; NaN is not."""
    below: bool = abs(values[first]) < limit and abs(values[first + 1]) < limit and abs(values[first + 2]) < limit
    return below


@kernel
def _read_legs(
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
def _read_imu(
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
        doubts |= DUMB_GYRO if number == 0 else DUMB_ACCELEROMETER
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


@kernel
def _predict(
    table: LegTable, model: ContactModel, memory: ContactMemory, before: Array, rate: Array, force: Array, step: float
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
    propagate(memory, step, model.gravity, turn_noise, speed_noise)
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
            doubts = TILT_APART
            continue
        gains = memory.covariance[axis].copy()
        correct_by_number(memory.covariance, memory.shift, gains, spread + variance, error, math.inf)
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
    alive = _read_legs(memory, readings, step, model.repeat, good, rated)
    doubts = _read_imu(model, memory, imu, step, alive, rate, force)
    memory.shift[:] = 0.0
    if step > 0.0:
        _predict(table, model, memory, before, rate, force, step)
    stand(table, model, memory, switches, plan, good, rated, step, legs, touching)
    doubts |= _level(model, memory, imu, step)
    apply(memory)
    _report(model, memory, doubts, legs, touching, step)
