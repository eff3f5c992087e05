"""The primal-dual active-set strategy on Riccati factors, and the dual method where it does not settle.

Feet are held at some faces of their pyramids, the program with only those as equalities is solved (one pass back, one
forward, whatever their number), and then all faces change at once: those whose multiplier is below zero are let go,
those that are left hold. Where nothing changes, the conditions of the optimum are met. From the faces of the last
solution that is one to three rounds; it need not settle from everywhere, and it knows no soft rows, so that the dual
method of `active_set` takes over after some rounds or where a soft row is left.

Source: Hintermüller, Ito, Kunisch, SIAM Journal on Optimization 13, 2002.
"""

from __future__ import annotations

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.nmpc.active_set import QpWorkspace, dual_solve
from andante.planning.nmpc.inputs import expand, fixed_upward, restrict, side
from andante.planning.nmpc.qp import Stages
from andante.planning.nmpc.riccati import add_product, best, factorise
from andante.spatial.arrays import Array2, Index2

_ROUNDS = 12
"""Rounds after which the dual method takes over."""
_FORCE_TOLERANCE, _STATE_TOLERANCE = 1e-8, 1e-10
"""By how much a row of forces [N] and of states may be left."""
_MULTIPLIER_TOLERANCE = 1e-10
"""By how much a multiplier may be below zero [1/N]."""


@kernel
def _tidy(hold: Index2) -> None:
    """Leave at most one face of an axis."""
    for k in range(len(hold)):
        for foot in range(4):
            faces = hold[k, foot]
            for both in (3, 12, 48):
                if faces & both == both:
                    faces -= both
            hold[k, foot] = faces


@kernel
def _change(stages: Stages, hold: Index2, states: Array2, forces: Array2) -> int:
    """Let go what pulls, hold what is left; number of feet whose faces changed."""
    count = len(stages.inputs)
    price, moved, slope = np.zeros(12), np.empty(12), np.empty(3)
    changes = 0
    for back in range(count):
        k = count - 1 - back
        for j in range(12):
            price[j] += stages.weight[k + 1, j] * (states[k + 1, j] - stages.reference[k + 1, j])
        for foot in range(4):
            slot = stages.slot[k, foot]
            if slot < 0:
                hold[k, foot] = 0
                continue
            for axis in range(3):
                column = 3 * slot + axis
                total = stages.force_weight[k] * (forces[k, column] - (stages.share[k] if axis == 2 else 0.0))
                for i in range(12):
                    total += stages.effect[k, i, column] * price[i]
                slope[axis] = total
            faces, after = hold[k, foot], 0
            upward = forces[k, 3 * slot + 2]
            # Sides are judged at the vertical force that there will be.
            room = stages.friction * min(max(upward, stages.least), stages.largest) + _FORCE_TOLERANCE
            pressed = 0.0
            for axis in range(2):
                sign = side(faces, axis)
                if sign != 0.0:
                    multiplier = -sign * slope[axis]
                    pressed += multiplier
                    if multiplier >= -_MULTIPLIER_TOLERANCE:
                        after |= (1 if sign > 0.0 else 2) << (2 * axis)
                elif forces[k, 3 * slot + axis] > room:
                    after |= 1 << (2 * axis)
                elif -forces[k, 3 * slot + axis] > room:
                    after |= 2 << (2 * axis)
            if fixed_upward(stages, faces) >= 0.0:
                multiplier = slope[2] - stages.friction * pressed
                if faces & 16 and multiplier >= -_MULTIPLIER_TOLERANCE:
                    after |= 16
                elif faces & 32 and -multiplier >= -_MULTIPLIER_TOLERANCE:
                    after |= 32
            elif upward < stages.least - _FORCE_TOLERANCE:
                after |= 16
            elif upward > stages.largest + _FORCE_TOLERANCE:
                after |= 32
            if after != faces:
                hold[k, foot] = after
                changes += 1
        moved[:] = 0.0
        add_product(moved, price, stages.transition[k], 12)
        price[:] = moved
    return changes


@kernel
def _soft_left(stages: Stages, states: Array2) -> bool:
    """Whether any soft bound is left."""
    for each in range(12):
        if stages.bounded[each]:
            for k in range(1, len(states)):
                if stages.lower[k, each] - states[k, each] > _STATE_TOLERANCE:
                    return True
                if states[k, each] - stages.upper[k, each] > _STATE_TOLERANCE:
                    return True
    return False


@entry
def feedback_of(stages: Stages, work: QpWorkspace, hold: Index2) -> None:
    """Feedback of the forces beside an answer into the workspace, feet held at faces, which are tidied."""
    _tidy(hold)
    restrict(stages, hold, work.inputs)
    factorise(stages, work.inputs, work.factors)
    expand(stages, hold, work.factors.gain, work.feedback, 0.0)


@entry
def solve_stages(stages: Stages, work: QpWorkspace, hold: Index2, limit: int, states: Array2, forces: Array2) -> int:
    """Solve a program.

    Args:
        stages: The program.
        work: Room for its intervals; afterwards its ``feedback`` is that of the forces beside the answer.
        hold: Faces at which forces are probably held, as `NmpcSolution.held`; afterwards those at which they are.
        limit: Largest number of changes of the active rows in the dual method.
        states: The answer's states, (N, 12).
        forces: The answer's forces in the columns of the feet that stand, (n, 12) [N].

    Returns:
        Number of rounds, and of changes where the dual method was needed; -1: more than the limit, -2: no answer within
        the rows.
    """
    _tidy(hold)
    work.loads.states[:, :] = 0.0
    work.loads.choices[:, :] = 0.0
    for k in range(len(hold)):
        for foot in range(4):
            if stages.slot[k, foot] < 0:
                hold[k, foot] = 0
    rounds = 0
    while rounds < _ROUNDS:
        rounds += 1
        restrict(stages, hold, work.inputs)
        factorise(stages, work.inputs, work.factors)
        best(stages, work.inputs, work.factors, work.loads, states, work.forces)
        count = len(hold)
        expand(stages, hold, work.forces.reshape(count, 12, 1), forces.reshape(count, 12, 1), 1.0)
        if _change(stages, hold, states, forces) == 0:
            if _soft_left(stages, states):
                break
            expand(stages, hold, work.factors.gain, work.feedback, 0.0)
            return rounds
    changes = dual_solve(stages, work, hold, limit, states, forces)
    if changes < 0:
        return changes
    feedback_of(stages, work, hold)
    return rounds + changes
