"""A whole plan at once: pitch along the ground, and the first state with a fault."""

from __future__ import annotations

import math

import numpy as np

from andante.planning.quadruped.global_plan.tables import Ground, Rules
from andante.planning.quadruped.global_plan.validity import OK, fault, pitch_at
from andante.spatial.arrays import Array1, Array2, Index1
from andante.spatial.compiled import entry


@entry
def pitches(ground: Ground, states: Array2, yaw: Array1) -> Array1:
    """Pitch (n,) [rad] of a body along the ground at states (n, 6) with yaw (n,) [rad]."""
    out = np.empty(len(states))
    for n in range(len(states)):
        out[n] = pitch_at(ground, states[n, 0], states[n, 1], math.cos(yaw[n]), math.sin(yaw[n]))
    return out


@entry
def first_fault(ground: Ground, rules: Rules, states: Array2, yaw: Array1, kinds: Index1, feet: Array2) -> int:
    """The first of states (n, 6) that has a fault, -1: none; yaw (n,) [rad], kinds (n,), middles of the feet (n, 2)."""
    for n in range(len(states)):
        if state_fault(ground, rules, states[n], yaw[n], kinds[n], feet[n]) != OK:
            return n
    return -1


@entry
def state_fault(ground: Ground, rules: Rules, state: Array1, yaw: float, kind: int, feet: Array1) -> int:
    """What is wrong with a state (6,), as a number of `Fault`."""
    x, y, z, vx, vy, vz = state[0], state[1], state[2], state[3], state[4], state[5]
    return fault(ground, rules, x, y, z, vx, vy, vz, math.cos(yaw), math.sin(yaw), kind, feet[0], feet[1])
