"""How the body gives way where belly, thighs or shanks come too near to the ground in the middle of a walk.

Beside an edge no rule of thumb holds: a belly wants a higher body, a shank behind a wall a lower one. So small moves of
the body, feet where they are, are tried on the samples that are too near, and those that help most are kept.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_kernels import turns
from andante.planning.feasibility.clearance import belly_clearance, leg_clearance
from andante.planning.feasibility.pose_room import limit_room
from andante.planning.feasibility.scene import Scene
from andante.planning.walk.rehearsal import Rehearsal
from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index
from andante.spatial.rotation_kernels import seen_from

_STEP, _TURN = 0.004, 0.04
"""Size of a move, for LittleDog [m], and of a turn [rad]."""
_MOVES = 3
"""Most moves, one after the other."""
_LOOKS = 8
"""Most samples that are looked at, of those that are too near and of all between the poses around them."""
_ENOUGH, _GAIN = 0.003, 0.0005
"""Clearance above the limit at which no further move is made, and the least gain of one, for LittleDog [m]."""
_DEAR = 0.003
"""How much more a move in the plane must help, which takes from the margin of the centre of mass, for LittleDog [m]."""


def move_units(scale: float) -> Array:
    """How far a single move goes in x, y, z, roll, pitch and yaw, (6,) [m, rad]."""
    return np.array([_STEP * scale] * 3 + [_TURN] * 3)


def body_adjustment(scene: Scene, plan: WalkPlan, rehearsal: Rehearsal, scale: float) -> Array:
    """How the body has to be moved at lift-off and landing of each step: x, y, z, roll, pitch, yaw, (n, 2, 6).

    Args:
        scene: Robot and ground.
        plan: The walk.
        rehearsal: What was found in it.
        scale: The robot's size against LittleDog's.
    """
    nodes = np.array([(swing.lift_off, swing.touchdown) for swing in plan.swings]).ravel()
    moved = np.zeros((len(nodes), 6))
    for step in rehearsal.too_close():
        low = rehearsal.near[step]
        # From the pose before the first to the one after the last of them.
        first = max(int(np.searchsorted(nodes, low[0], side="right")) - 1, 0)
        last = min(int(np.searchsorted(nodes, low[-1])), len(nodes) - 1)
        looks = np.concatenate([_some(low), _some(np.arange(nodes[first], nodes[last] + 1))])
        body = plan.position[looks], plan.rpy[looks], plan.feet[looks]
        move = _best_move(scene, *body, rehearsal.limits.body, scale, move_units(scale))
        span = slice(first, last + 1)
        moved[span] = np.where(np.abs(move) > np.abs(moved[span]), move, moved[span])
    return moved.reshape(-1, 2, 6)


def _some(samples: Index) -> Index:
    """At most `_LOOKS` of some samples, evenly spread."""
    return np.asarray(samples[np.unique(np.linspace(0, len(samples) - 1, _LOOKS).astype(np.int64))])


@entry
def _best_move(
    scene: Scene, position: Array2, rpy: Array2, feet: Array3, limit: float, scale: float, units: Array1
) -> Array:
    """How the body moves, (6,): one move after the other, each the one that helps most, until none does."""
    move, trial = np.zeros(6), np.empty(6)
    best = _nearest(scene, position, rpy, feet, move, -math.inf)
    for _ in range(_MOVES):
        if best >= limit + _ENOUGH * scale:
            break
        axis_of_best, sign_of_best, found = -1, 0.0, best + _GAIN * scale
        for axis in range(6):
            for sign in (1.0, -1.0):
                trial[:] = move
                trial[axis] += sign * units[axis]
                near = _nearest(scene, position, rpy, feet, trial, found) - (_DEAR * scale if axis < 2 else 0.0)
                if near > found:
                    axis_of_best, sign_of_best, found = axis, sign, near
        if axis_of_best < 0:
            break
        move[axis_of_best] += sign_of_best * units[axis_of_best]
        best = found
    return move


@kernel
def _nearest(scene: Scene, position: Array, rpy: Array, feet: Array, move: Array, enough: float) -> float:
    """Least clearance of a moved body at some samples [m], -inf where a leg would not reach; ends early below."""
    table, least = scene.table, math.inf
    lever = 0.25 * (table.lengths[0, 0] + table.lengths[0, 1])
    for j in range(len(position)):
        at, turned = position[j] + move[:3], rpy[j] + move[3:]
        rotation = rpy_matrix(turned)
        least = min(least, belly_clearance(scene, at, rotation, -math.inf))
        for leg in range(feet.shape[1]):
            foot = feet[j, leg]
            x, y, z = seen_from(at, rotation, foot)
            roll, pitch, bend, missing = turns(table, leg, x, y, z)
            if missing > 0.0 or limit_room(table, leg, roll, pitch, bend, lever) <= 0.0:
                return -math.inf
            angles = table.signs[leg, 0] * roll, table.signs[leg, 1] * pitch, 0.0
            least = min(least, leg_clearance(scene, leg, at, rotation, angles, foot))
        if least <= enough:
            return least
    return least
