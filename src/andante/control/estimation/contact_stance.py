"""Which feet carry the contact-aided filter, and what they measure, as compiled kernels.

A foot that stands is measured twice: where it is as seen from the IMU, and how fast the base goes over it. Its ball
rolls: while the last link turns by w, the centre moves by w x r n, n the normal of the ground.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.control.estimation.contact_memory import (
    CONTRADICTION,
    FLIGHT,
    FOOT,
    GYRO,
    NO_GYRO,
    PLACE,
    SPEED,
    STRAIN,
    TURN,
    ContactMemory,
    ContactModel,
)
from andante.control.estimation.floating_base import Doubt
from andante.control.estimation.invariant_kernels import attach, correct, correct_by_number, set_product, set_turned
from andante.kernels import inlined, kernel
from andante.kinematics.leg_forward import foot_jacobian, foot_place
from andante.kinematics.leg_table import LegTable
from andante.spatial.arrays import Array, Array1, Array2

ENCODER, SLIP = int(Doubt.ENCODER), int(Doubt.SLIP)
SWITCH_CLOSED, SWITCH_OPEN = int(Doubt.SWITCH_CLOSED), int(Doubt.SWITCH_OPEN)
_GIVEN_UP = 0.1
"""How uncertain a velocity that all feet contradict becomes at a tick [m/s]."""


class LegView(NamedTuple):
    """What one leg says at a tick; room that is used for one leg after the other."""

    arm: Array1
    """Centre of the foot from the IMU, in the world's axes, (3,) [m]."""
    touch: Array1
    """Point of contact from the IMU, (3,) [m]."""
    error: Array1
    """Velocity that the IMU has if the foot stands, less the estimated one, (3,) [m/s]."""
    sway: Array2
    """J J^T of the foot in the world's axes, (3, 3) [m^2]."""


@kernel
def new_view() -> LegView:
    """Room for one leg."""
    return LegView(np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3)))


@kernel
def look(table: LegTable, model: ContactModel, memory: ContactMemory, leg: int, view: LegView) -> None:
    """Fill the view of one leg."""
    legs, rotation, normal = len(memory.feet), memory.rotation, memory.ground[leg]
    place, jacobian, turned, vector = np.empty(3), np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    angles, rates = memory.joints[:legs], memory.joints[legs + leg]
    foot_place(table, leg, angles[leg], place)
    foot_jacobian(table, leg, angles, jacobian)
    wx, wy, wz = (
        memory.imu[0, 0] - memory.offsets[0, 0],
        memory.imu[0, 1] - memory.offsets[0, 1],
        memory.imu[0, 2] - memory.offsets[0, 2],
    )
    for j in range(3):
        place[j] -= model.lever[j]
        vector[j] = jacobian[j, 0] * rates[0] + jacobian[j, 1] * rates[1] + jacobian[j, 2] * rates[2]
    set_turned(rotation, place, view.arm)
    vector[0] += wy * place[2] - wz * place[1]
    vector[1] += wz * place[0] - wx * place[2]
    vector[2] += wx * place[1] - wy * place[0]
    set_turned(rotation, vector, view.error)
    roll = table.signs[leg, 0] * angles[leg, 0]
    bend = table.signs[leg, 1] * rates[1] + table.signs[leg, 2] * rates[2]
    vector[0] = wx + table.signs[leg, 0] * rates[0]
    vector[1] = wy + math.cos(roll) * bend
    vector[2] = wz + math.sin(roll) * bend
    set_turned(rotation, vector, place)
    radius = model.rolling * table.radius[leg]
    vector[0] = place[1] * normal[2] - place[2] * normal[1]
    vector[1] = place[2] * normal[0] - place[0] * normal[2]
    vector[2] = place[0] * normal[1] - place[1] * normal[0]
    for j in range(3):
        view.touch[j] = view.arm[j] - radius * normal[j]
        view.error[j] = radius * vector[j] - view.error[j] - memory.motion[0, j]
    set_product(rotation, jacobian, turned)
    for i in range(3):
        for j in range(3):
            view.sway[i, j] = turned[i, 0] * turned[j, 0] + turned[i, 1] * turned[j, 1] + turned[i, 2] * turned[j, 2]


@kernel
def _measure_speed(
    model: ContactModel, memory: ContactMemory, view: LegView, landing: float, step: float, gains: Array
) -> bool:
    """Correct by the velocity over a standing foot; whether it was believed."""
    covariance, shift, rotation, touch = memory.covariance, memory.shift, memory.rotation, view.touch
    by_offset = np.empty((3, 3))
    for j in range(3):
        by_offset[0, j] = touch[1] * rotation[2, j] - touch[2] * rotation[1, j]
        by_offset[1, j] = touch[2] * rotation[0, j] - touch[0] * rotation[2, j]
        by_offset[2, j] = touch[0] * rotation[1, j] - touch[1] * rotation[0, j]
    for row in range(len(covariance)):
        x, y, z = covariance[row, GYRO], covariance[row, GYRO + 1], covariance[row, GYRO + 2]
        for i in range(3):
            gains[row, i] = covariance[row, SPEED + i] + x * by_offset[i, 0] + y * by_offset[i, 1] + z * by_offset[i, 2]
    gyro = model.blind_rate if memory.clocks[NO_GYRO] > 0.0 else model.gyro
    reach = touch[0] ** 2 + touch[1] ** 2 + touch[2] ** 2
    even = model.leg_speed**2 + gyro**2 * reach + (landing * model.landing_speed) ** 2
    error, spread = np.empty(3), np.empty((3, 3))
    x, y, z = shift[GYRO], shift[GYRO + 1], shift[GYRO + 2]
    for i in range(3):
        expected = shift[SPEED + i] + x * by_offset[i, 0] + y * by_offset[i, 1] + z * by_offset[i, 2]
        error[i] = view.error[i] - expected
        for j in range(3):
            spread[i, j] = gains[SPEED + i, j] + model.encoder_rate**2 * view.sway[i, j]
            for k in range(3):
                spread[i, j] += by_offset[i, k] * gains[GYRO + k, j]
        spread[i, i] += even
    square = correct(covariance, shift, gains, spread, error, model.gate)
    if square > model.gate:
        return False
    memory.clocks[STRAIN] += min(step / model.strain_time, 1.0) * (square - memory.clocks[STRAIN])
    return True


@kernel
def _measure_place(model: ContactModel, memory: ContactMemory, leg: int, view: LegView, gains: Array) -> bool:
    """Correct by the place of a standing foot as seen from the IMU; whether it was believed."""
    covariance, shift, first = memory.covariance, memory.shift, FOOT + 3 * leg
    for row in range(len(covariance)):
        for j in range(3):
            gains[row, j] = covariance[row, first + j] - covariance[row, PLACE + j]
    error, spread = np.empty(3), np.empty((3, 3))
    for i in range(3):
        expected = memory.feet[leg, i] + shift[first + i] - memory.motion[1, i] - shift[PLACE + i]
        error[i] = view.arm[i] - expected
        for j in range(3):
            spread[i, j] = gains[first + i, j] - gains[PLACE + i, j] + model.encoder**2 * view.sway[i, j]
        spread[i, i] += model.leg**2
    return correct(covariance, shift, gains, spread, error, model.gate) <= model.gate


@kernel
def _measure_height(model: ContactModel, memory: ContactMemory, leg: int) -> None:
    """Correct by the height of the ground below a standing foot, where the map knows it."""
    covariance, shift, first = memory.covariance, memory.shift, FOOT + 3 * leg + 2
    x, y = memory.feet[leg, 0], memory.feet[leg, 1]
    gains = np.empty(len(covariance))
    for row in range(len(covariance)):
        gains[row] = covariance[row, first] + y * covariance[row, TURN] - x * covariance[row, TURN + 1]
    spread = gains[first] + y * gains[TURN] - x * gains[TURN + 1] + model.ground**2
    expected = memory.feet[leg, 2] + shift[first] + y * shift[TURN] - x * shift[TURN + 1]
    correct_by_number(covariance, shift, gains, spread, memory.ground[leg, 3] - expected, model.gate)
    memory.measured[leg] = 0.0


@inlined
def _watch_switch(
    model: ContactModel, memory: ContactMemory, leg: int, switch: float, plan: float, speed: float, step: float
) -> int:
    """Count for and against a foot's switch; what is doubted of it.

    Args:
        model: Of the filter.
        memory: Of the filter.
        leg: Row.
        switch: What it says; NaN: nothing.
        plan: 1: the foot may stand, 0: it swings, -1: there is no plan.
        speed: How fast the foot moves over the ground, infinite where its encoders are not believed [m/s].
        step: Time since the last tick [s].
    """
    most = 2.0 * model.switch_timeout
    if plan > 0.5:
        memory.reopened[leg] = 0.0
    if switch > 0.5:
        memory.closed[leg] += step
        memory.lost[leg] = 0.0
        moved = step if model.moving < speed < math.inf else -0.25 * step
        memory.stuck[leg] = min(max(memory.stuck[leg] + moved, 0.0), most)
    else:
        memory.closed[leg] = memory.stuck[leg] = 0.0
        if plan == 0.0:
            memory.reopened[leg] = 1.0
        elif plan > 0.5:
            stood = step if speed < model.still else -0.5 * step
            memory.lost[leg] = min(max(memory.lost[leg] + stood, 0.0), most)
    if memory.stuck[leg] > model.switch_timeout:
        return SWITCH_CLOSED
    if memory.lost[leg] > model.switch_timeout or not abs(switch) < math.inf:
        return SWITCH_OPEN
    return 0


@kernel
def stand(
    table: LegTable,
    model: ContactModel,
    memory: ContactMemory,
    switches: Array,
    plan: Array,
    good: Array,
    rated: Array,
    step: float,
    doubts: Array,
    touching: Array,
) -> None:
    """Decide for each foot whether it carries the estimate, and correct by those that do.

    Args:
        table: The legs.
        model: Of the filter.
        memory: Of the filter.
        switches: Contact of each foot as measured, (nl,).
        plan: 1 where a foot may stand by plan, 0 where it swings, -1 without a plan, (nl,).
        good: Whether a leg's angles are believed, (nl,).
        rated: Whether its rates are, (nl,).
        step: Time since the last tick [s].
        doubts: Gets what is doubted of each leg, (nl,).
        touching: Gets whether each foot is believed to touch, (nl,).
    """
    legs = len(memory.feet)
    view, noise, gains = new_view(), np.empty((3, 3)), np.empty((len(memory.covariance), 3))
    desperate = memory.clocks[CONTRADICTION] > model.contradiction
    if desperate:
        # Nothing fits: the velocity is given up, so that the feet may set it anew.
        for j in range(3):
            memory.covariance[SPEED + j, SPEED + j] += _GIVEN_UP**2
    tried, believed = 0, 0
    for leg in range(legs):
        look(table, model, memory, leg, view)
        speed = math.inf
        if good[leg] > 0.5:
            speed = math.sqrt(view.error[0] ** 2 + view.error[1] ** 2 + view.error[2] ** 2)
        doubt = _watch_switch(model, memory, leg, switches[leg], plan[leg], speed, step)
        closed, still = switches[leg] > 0.5, speed < model.still
        if doubt == SWITCH_OPEN:
            touches = plan[leg] > 0.5
            stands = touches and still
        elif doubt == SWITCH_CLOSED:
            touches = plan[leg] > 0.5 or (plan[leg] < -0.5 and still)
            stands = (touches and still) or desperate
        else:
            touches = closed
            early = plan[leg] == 0.0 and memory.reopened[leg] > 0.5 and memory.closed[leg] > model.early and still
            stands = closed and (plan[leg] != 0.0 or early)
        touching[leg] = 1.0 if touches else 0.0
        if good[leg] < 0.5:
            doubt |= ENCODER
            stands = False
        elif stands or (closed and doubt == SWITCH_CLOSED):
            tried += 1
        kept = stands and memory.stood[leg] >= 0.0
        if kept:
            landing = 1.0 - min(memory.stood[leg] / model.landing, 1.0) if model.landing > 0.0 else 0.0
            drift = (model.foot_drift + landing * model.landing_drift) ** 2 * step
            for j in range(3):
                memory.covariance[FOOT + 3 * leg + j, FOOT + 3 * leg + j] += drift
            if rated[leg] > 0.5:
                kept = _measure_speed(model, memory, view, landing, step, gains)
            kept = kept and _measure_place(model, memory, leg, view, gains)
            if kept:
                believed += 1
                memory.stood[leg] += step
            else:
                doubt |= SLIP
        if not kept:
            for i in range(3):
                memory.feet[leg, i] = memory.motion[1, i] + view.arm[i]
                for j in range(3):
                    noise[i, j] = model.encoder**2 * view.sway[i, j] + (model.leg**2 if i == j else 0.0)
            attach(memory.covariance, memory.shift, leg, noise)
            memory.stood[leg] = 0.0 if stands else -1.0
            memory.measured[leg] = math.inf
        memory.measured[leg] += step
        known = abs(memory.ground[leg, 3]) < math.inf
        settled = memory.stood[leg] >= model.landing and memory.stood[leg] > 0.0
        if known and settled and memory.measured[leg] > model.ground_interval and doubt == 0:
            _measure_height(model, memory, leg)
        doubts[leg] = doubt
    memory.clocks[FLIGHT] = 0.0 if believed > 0 else memory.clocks[FLIGHT] + step
    memory.clocks[CONTRADICTION] = memory.clocks[CONTRADICTION] + step if tried > 0 and believed == 0 else 0.0
