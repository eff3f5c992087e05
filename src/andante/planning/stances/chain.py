"""Chain: the places in a walk at which a pose is chosen, and the least motion of the centre of mass along it.

The sum of squared distances, each over its time, is convex and so are the triangles: going round the nodes and putting
each to the point of its triangle nearest to where its neighbours pull it ends at the one best path. Common triangles
of successive steps need no rule of their own: where two overlap, the least motion is to stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.kernels import entry, kernel
from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.support_triangle import inner_triangle, into_triangle
from andante.planning.feasibility.steps import feet_frame
from andante.planning.plans import FootstepPlan
from andante.planning.stances.settings import LADDER, StanceSettings
from andante.spatial.arrays import Array, Array1, Array2, Array3, Index1

_CORNER = 0.2
"""Share of the way between both places at which a foot is as high as it gets, from either end."""
_CYCLE = 4
"""Nodes on either side over which the turn of the feet is averaged: half a cycle of the gait."""
_ROUNDS = 150
_PULL = 0.05
"""How much the middle of the feet pulls, against the motion over a swing's time."""


class Chain(NamedTuple):
    """Nodes in order; the first and the last are given, each other one is a lift-off or a landing."""

    feet: Array3
    """Centres of the feet, (n, 4, 3) [m]."""
    swing: Index1
    """Row of the foot that leaves or lands, (n,)."""
    lifted: Array2
    """Where the foot in the air must be in reach too, (n, 3) [m]."""
    between: Array3
    """Feet half way to the next node, (n - 1, 4, 3) [m]."""
    flying: Index1
    """Row of the foot that is in the air on the way to the next node, -1: none; (n - 1,)."""
    stiffness: Array1
    """Cost of squared motion to the next node: 1 over its share of a mean swing's time, (n - 1,)."""
    reference: Array2
    """Pose that follows the feet: centre of mass, roll, pitch, yaw, (n, 6) [m, rad]."""


def chain_of(body: LeggedBody, footsteps: FootstepPlan, settings: StanceSettings, begin: Array) -> Chain:
    """The chain of a plan.

    Args:
        body: The robot.
        footsteps: The footsteps, at least one.
        settings: Height and times.
        begin: Where the body is before: centre of mass, roll, pitch, yaw, (6,) [m, rad].
    """
    steps = footsteps.steps
    stances = footsteps.stances()
    count = len(steps)
    lengths = np.empty(count)
    feet, swing, lifted, between = [stances[0]], [steps[0].leg], [stances[0][steps[0].leg]], []
    for number, step in enumerate(steps):
        before, after = stances[number], stances[number + 1]
        old, new = before[step.leg], step.place
        lengths[number] = np.hypot(*(new - old)[:2]) + 2.0 * step.apex - old[2] - new[2]
        for share, own in ((_CORNER, before), (1.0 - _CORNER, after)):
            feet.append(own)
            swing.append(step.leg)
            lifted.append(np.append(old[:2] + share * (new - old)[:2], step.apex))
        middle = before.copy()
        middle[step.leg] = np.append(0.5 * (old + new)[:2], step.apex)
        between += [before, middle]
    feet.append(stances[-1])
    swing.append(-1)
    lifted.append(stances[-1][0])
    between.append(stances[-1])
    times = np.full(2 * count + 1, settings.four_foot_time)
    # Half of a swing's time is the same for all steps, half goes with the way of the foot.
    times[1::2] = 0.5 + 0.5 * lengths / max(float(lengths.mean()), 1e-9)
    times[0] = times[-1] = 1.0
    flying = np.full(2 * count + 1, -1, dtype=np.int64)
    flying[1::2] = [step.leg for step in steps]
    places = np.array(feet)
    return Chain(
        feet=places,
        swing=np.array(swing, dtype=np.int64),
        lifted=np.array(lifted),
        between=np.array(between),
        flying=flying,
        stiffness=1.0 / times,
        reference=_reference(body, places, settings, begin),
    )


def _reference(body: LeggedBody, feet: Array, settings: StanceSettings, begin: Array) -> Array:
    frames = np.empty((len(feet), 6))
    for number, places in enumerate(feet):
        feet_frame(body.table, places, frames[number])
    frames[:, :3] = np.unwrap(frames[:, :3], axis=0)
    smooth = np.empty_like(frames)
    for number in range(len(feet)):
        smooth[number] = frames[max(0, number - _CYCLE) : number + _CYCLE + 1].mean(axis=0)
    reference = np.column_stack([smooth[:, 3:], smooth[:, :3]])
    reference[:, 2] += settings.height * body.leg_length
    reference[:, 4] = np.clip(reference[:, 4], -settings.steepest, settings.steepest)
    reference[0] = begin
    reference[-1, :2] = feet[-1, :, :2].mean(axis=0)
    # A yaw that was given may be a full turn away from that of the feet.
    reference[:, 5] = np.unwrap(reference[:, 5])
    return reference


@kernel
def first_rung(chain: Chain, k: int, margin: float, corners: Array) -> int:
    """Number of the first rung at which a node has an inner triangle, put into ``corners``; at none: of all."""
    rung = 0
    while rung < len(LADDER) and not inner_triangle(chain.feet[k], chain.swing[k], margin * LADDER[rung, 0], corners):
        rung += 1
    return rung


@entry
def com_path(chain: Chain, margin: float, path: Array2) -> int:
    """Centre of mass at the nodes of a chain, into ``path`` (n, 2) [m]; its ends are given.

    Returns:
        The first node whose feet make no triangle even for the thinnest margin of `LADDER`; -1: none.
    """
    count = len(path)
    corners = np.empty((count, 3, 2))
    for k in range(1, count - 1):
        if first_rung(chain, k, margin, corners[k]) == len(LADDER):
            return k
        path[k, 0], path[k, 1] = into_triangle(corners[k], chain.reference[k, 0], chain.reference[k, 1])
    for turn in range(_ROUNDS):
        largest = 0.0
        for n in range(1, count - 1):
            k = n if turn % 2 == 0 else count - 1 - n
            before, after = chain.stiffness[k - 1], chain.stiffness[k]
            total = before + after + _PULL
            x = (before * path[k - 1, 0] + after * path[k + 1, 0] + _PULL * chain.reference[k, 0]) / total
            y = (before * path[k - 1, 1] + after * path[k + 1, 1] + _PULL * chain.reference[k, 1]) / total
            x, y = into_triangle(corners[k], x, y)
            largest = max(largest, abs(x - path[k, 0]), abs(y - path[k, 1]))
            path[k, 0], path[k, 1] = x, y
        if largest < 1e-6:
            break
    return -1
