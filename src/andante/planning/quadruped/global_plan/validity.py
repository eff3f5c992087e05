"""Whether a body may be somewhere: on the map, slow, clear of the ground, its feet in reach of ground to stand on.

Source: Quad-SDK's `isValidState`. Apart from it: feet may look for a foothold around the place below their hip, so that
a step is walked over as long as it is not too high, while a hole is crossed in flight only; the feet of a push-off stay
where they stand, below the hips of its middle.
"""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.global_plan.tables import GroundLayers, Rules
from andante.spatial.arrays import Array1, Array2, Index1
from andante.terrain.lookup import bilinear, nearest

CONNECT, LEAP, FLIGHT, LAND = (int(each) for each in Primitive)


class StateFault(IntEnum):
    """What is wrong with a state; the kernels give these numbers."""

    NONE = 0
    """Nothing."""
    OFF_MAP = 1
    """Body or feet are off the map."""
    TOO_FAST = 2
    """Faster than any plan."""
    CLIMBS_TOO_FAST = 3
    """Walks up or down too fast."""
    HOLE = 4
    """Body or a foot over a hole, or a foot too near to one."""
    STEP_TOO_HIGH = 5
    """On a step that is too high to walk over."""
    TOO_LOW = 6
    """The body's underside is too near to the ground."""
    OUT_OF_REACH = 7
    """The ground is too far below a hip."""
    NO_FOOTHOLD = 8
    """No ground near a foot's place on which it would stand."""


OK, OFF_MAP, TOO_FAST, CLIMBS, HOLE, STEP, LOW, REACH, FOOTHOLD = (int(each) for each in StateFault)


@inlined
def look(ground: GroundLayers, grid: Array2, x: float, y: float) -> float:
    """A layer at a place [m], bilinear."""
    return bilinear(grid, (x - ground.x) / ground.spacing, (y - ground.y) / ground.spacing)


@inlined
def on_map(ground: GroundLayers, x: float, y: float) -> bool:
    """Whether a place is on the map."""
    u, v = (x - ground.x) / ground.spacing, (y - ground.y) / ground.spacing
    nx, ny = ground.height.shape
    return (u >= 0.0) and (u <= nx - 1.0) and (v >= 0.0) and (v <= ny - 1.0)


@inlined
def climb_rate(ground: GroundLayers, x: float, y: float, vx: float, vy: float) -> float:
    """Vertical speed of who follows the smooth ground [m/s]."""
    return look(ground, ground.climb_x, x, y) * vx + look(ground, ground.climb_y, x, y) * vy


@inlined
def pitch_at(ground: GroundLayers, x: float, y: float, hx: float, hy: float) -> float:
    """Pitch of a body that lies along the ground with heading (hx, hy), nose up below zero [rad]."""
    return -math.atan(look(ground, ground.tilt_x, x, y) * hx + look(ground, ground.tilt_y, x, y) * hy)


@kernel
def body_fault(
    ground: GroundLayers, rules: Rules, x: float, y: float, z: float, hx: float, hy: float, pitch: float
) -> int:
    """Whether corners, middles of the sides and centre of the underside are on the map and clear of the ground."""
    c, s = math.cos(pitch), math.sin(pitch)
    for i in range(-1, 2):
        for j in range(-1, 2):
            ahead = i * rules.half_length * c - rules.half_height * s
            side = j * rules.half_width
            px, py = x + hx * ahead - hy * side, y + hy * ahead + hx * side
            if not on_map(ground, px, py):
                return OFF_MAP
            under = z - i * rules.half_length * s - rules.half_height * c
            if under - look(ground, ground.height, px, py) < rules.lowest:
                return LOW
    return OK


@kernel
def feet_fault(
    ground: GroundLayers, rules: Rules, state: Array1, hx: float, hy: float, pitch: float, foot_x: float, foot_y: float
) -> int:
    """Whether four feet below the hips of a body at (foot_x, foot_y) can stand, and reach from one at a state."""
    s, z = math.sin(pitch), state[2]
    gone = (state[0] - foot_x) ** 2 + (state[1] - foot_y) ** 2
    for i in range(-1, 2, 2):
        for j in range(-1, 2, 2):
            ahead, side = i * rules.half_length, j * rules.half_width
            px, py = foot_x + hx * ahead - hy * side, foot_y + hy * ahead + hx * side
            if not on_map(ground, px, py):
                return OFF_MAP
            if look(ground, ground.hole, px, py) < rules.hole_margin:
                return HOLE
            u, v = (px - ground.x) / ground.spacing, (py - ground.y) / ground.spacing
            if nearest(ground.foothold, u, v) > rules.foot_search:
                return FOOTHOLD
            up = z - ahead * s - look(ground, ground.height, px, py)
            if up * up + gone > rules.highest * rules.highest:
                return REACH
    return OK


@kernel
def fault(
    ground: GroundLayers, rules: Rules, state: Array1, hx: float, hy: float, kind: int, foot_x: float, foot_y: float
) -> int:
    """What is wrong with a state, as a number of `StateFault`.

    Args:
        ground: The ground.
        rules: Body and settings.
        state: Position [m] and velocity [m/s] of the body's middle, (6,).
        hx, hy: Its heading, a unit vector.
        kind: `Primitive`.
        foot_x, foot_y: Middle of the four feet, for a push-off or landing; else that of the body [m].
    """
    x, y, vx, vy = state[0], state[1], state[3], state[4]
    if not on_map(ground, x, y):
        return OFF_MAP
    if vx * vx + vy * vy > rules.largest_speed * rules.largest_speed * (1.0 + 1e-9):
        return TOO_FAST
    if kind != FLIGHT:
        if look(ground, ground.hole, x, y) < rules.hole_margin:
            return HOLE
        if look(ground, ground.relief, x, y) > rules.climb:
            return STEP
        if kind == CONNECT and abs(state[5]) > rules.climbing_speed:
            return CLIMBS
    pitch = pitch_at(ground, x, y, hx, hy)
    wrong = body_fault(ground, rules, x, y, state[2], hx, hy, pitch)
    if wrong != OK or kind == FLIGHT:
        return wrong
    return feet_fault(ground, rules, state, hx, hy, pitch, foot_x, foot_y)


@entry
def pitches(ground: GroundLayers, states: Array2, yaw: Array1) -> Array1:
    """Pitch (n,) [rad] of a body along the ground at states (n, 6) with yaw (n,) [rad]."""
    out = np.empty(len(states))
    for n in range(len(states)):
        out[n] = pitch_at(ground, states[n, 0], states[n, 1], math.cos(yaw[n]), math.sin(yaw[n]))
    return out


@entry
def first_fault(ground: GroundLayers, rules: Rules, states: Array2, yaw: Array1, kinds: Index1, feet: Array2) -> int:
    """The first of states (n, 6) that has a fault, -1: none; yaw (n,) [rad], kinds (n,), middles of the feet (n, 2)."""
    for n in range(len(states)):
        if state_fault(ground, rules, states[n], yaw[n], kinds[n], feet[n]) != OK:
            return n
    return -1


@entry
def state_fault(ground: GroundLayers, rules: Rules, state: Array1, yaw: float, kind: int, feet: Array1) -> int:
    """What is wrong with a state (6,), as a number of `StateFault`."""
    return fault(ground, rules, state, math.cos(yaw), math.sin(yaw), kind, feet[0], feet[1])
