"""Candidate poses of a node: centre of mass in the triangle, height, pitch and roll around what follows the feet."""

from __future__ import annotations

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.support_triangle import inner_triangle, into_triangle
from andante.planning.feasibility.pose_room import NOWHERE, PoseRules
from andante.planning.feasibility.steps import along_axis, from_hips, in_reach, look_for_pose
from andante.planning.stances.pose_cost import PoseProblem, node_cost, room_at, torque_cost
from andante.planning.stances.settings import LADDER
from andante.spatial.arrays import Array, Array2, Array3, Index, Index1, Index2

PLACES = 13
"""Places of the centre of mass that are tried at each height and turn."""
_RING = 0.1
"""Distance of the nearer ones from the path, as share of the leg's length."""


def trial_order(rules: PoseRules) -> Index:
    """Numbers of place, height, pitch and roll, (n, 4), small changes first.

    Each list is in the order of trying, so the sum of the ranks tells how far from the reference a pose is.
    """
    ranks = np.indices((PLACES, len(rules.heights), len(rules.pitches), len(rules.rolls))).reshape(4, -1).T
    far = ranks[:, 0] / 5.0 + (ranks[:, 1] + 1) // 2 + 1.0 * ((ranks[:, 2] + 1) // 2) + 1.5 * ranks[:, 3]
    return np.ascontiguousarray(ranks[np.argsort(far, kind="stable")])


@inlined
def trial_places(corners: Array, x: float, y: float, ring: float, places: Array) -> None:
    """Places (13, 2) in a triangle: (x, y), four around it, half way to the corners and to the centre, corners, centre,
    each put to the nearest point of the triangle."""
    centre_x = (corners[0, 0] + corners[1, 0] + corners[2, 0]) / 3.0
    centre_y = (corners[0, 1] + corners[1, 1] + corners[2, 1]) / 3.0
    places[0, 0], places[0, 1] = x, y
    places[1, 0], places[1, 1] = x + ring, y
    places[2, 0], places[2, 1] = x - ring, y
    places[3, 0], places[3, 1] = x, y + ring
    places[4, 0], places[4, 1] = x, y - ring
    places[5, 0], places[5, 1] = 0.5 * (x + centre_x), 0.5 * (y + centre_y)
    places[6, 0], places[6, 1] = centre_x, centre_y
    for n in range(3):
        places[7 + n, 0], places[7 + n, 1] = 0.5 * (x + corners[n, 0]), 0.5 * (y + corners[n, 1])
        places[10 + n, 0], places[10 + n, 1] = corners[n, 0], corners[n, 1]
    for n in range(PLACES):
        places[n, 0], places[n, 1] = into_triangle(corners, places[n, 0], places[n, 1])


@inlined
def trial_pose(task: PoseProblem, k: int, place: Array, ranks: Index, pose: Array) -> None:
    """A pose of a node by the ranks of height, pitch and roll of `trial_order`, over a place (2,), into (6,)."""
    rules, reference = task.rules, task.chain.reference[k]
    pose[0], pose[1] = place[0], place[1]
    pose[2] = reference[2] + rules.heights[ranks[1]] - rules.heights[0]
    pose[3] = reference[3] + rules.rolls[ranks[3]]
    pose[4] = min(max(reference[4] + rules.pitches[ranks[2]], -rules.steepest), rules.steepest)
    pose[5] = reference[5]


@inlined
def row_for(cost: Array, count: int, price: float) -> int:
    """Row for one more pose among the cheapest: the next free one, or that of the dearest; -1 where it is dearer."""
    if count < len(cost):
        return count
    row = int(np.argmax(cost))
    return row if price < cost[row] else -1


@kernel
def sample_node(
    task: PoseProblem,
    k: int,
    goal: Array,
    order: Index,
    rung: int,
    tries: int,
    good: int,
    found: Array,
    cost: Array,
) -> int:
    """Poses of a node with enough room, into ``found`` (m, 6) and ``cost`` (m,).

    Args:
        task: What poses are chosen for.
        k: The node.
        goal: Where the path of the centre of mass goes, (2,) [m].
        order: From `trial_order`.
        rung: Row of `LADDER`: shares of the margin and of the least room that are kept.
        tries: Most poses to try, those out of reach left out.
        good: Poses with enough room and torque after which the search ends.
        found: Gets the poses.
        cost: Gets their costs.

    Returns:
        How many were found.
    """
    scene, rules, costs, chain = task
    feet, swing, lifted = chain.feet[k], chain.swing[k], chain.lifted[k]
    corners, places = np.empty((3, 2)), np.empty((PLACES, 2))
    if not inner_triangle(feet, swing, LADDER[rung, 0] * rules.margin, corners):
        return 0
    least = LADDER[rung, 1] * rules.least
    x, y = into_triangle(corners, goal[0], goal[1])
    trial_places(corners, x, y, _RING * (scene.table.lengths[0, 0] + scene.table.lengths[0, 1]), places)
    pose, centre, angles = np.empty(6), np.zeros(3), np.empty((4, 3))
    reach, first, at = np.empty((5, 3)), np.arange(5), np.empty(3)
    count, tried, roomy, known = 0, 0, 0, False
    for n in range(len(order)):
        if tried >= tries or roomy >= good:
            break
        trial_pose(task, k, places[order[n, 0]], order[n], pose)
        if known:
            # Where the centre of mass was in the base at the last pose is where it nearly is at this.
            rotation = rpy_matrix(pose[3:])
            from_hips(scene.table, feet, swing, lifted, rotation, reach)
            for axis in range(3):
                at[axis] = along_axis(rotation, axis, pose) - centre[axis]
            if not in_reach(scene.table, reach, swing, first, at[0], at[1], at[2]):
                continue
        tried += 1
        room = room_at(scene, rules, feet, swing, lifted, pose, centre, least, angles)
        known = known or room > NOWHERE
        if room <= least:
            continue
        load = torque_cost(scene, costs, feet, swing, pose, angles)
        roomy += room >= rules.enough and load <= 0.0
        price = node_cost(task, k, pose, room) + load
        row = row_for(cost, count, price)
        if row >= 0:
            found[row], cost[row] = pose, price
            count = max(count, row + 1)
    if roomy < good and count < len(found):
        # What made the footstep planner think this step possible.
        room, _ = look_for_pose(scene, rules, feet, swing, lifted, corners, pose)
        if room > max(least, NOWHERE):
            room_at(scene, rules, feet, swing, lifted, pose, centre, NOWHERE, angles)
            load = torque_cost(scene, costs, feet, swing, pose, angles)
            found[count], cost[count] = pose, node_cost(task, k, pose, room) + load
            count += 1
    return count


@entry
def sample_chain(
    task: PoseProblem,
    path: Array2,
    order: Index2,
    tries: int,
    good: int,
    found: Array3,
    cost: Array2,
    counts: Index1,
    rungs: Index1,
) -> int:
    """Poses of all nodes of a chain, down a ladder of shares of margin and room (`LADDER`) where there are none.

    Args:
        task: What poses are chosen for.
        path: Centre of mass at the nodes, (n, 2) [m].
        order: From `trial_order`.
        tries: Most poses to try at a node.
        good: Poses with enough room after which the search at a node ends.
        found: Gets the poses, (n, m, 6).
        cost: Gets their costs, (n, m).
        counts: Gets their number, (n,).
        rungs: Gets the rung of the ladder, (n,).

    Returns:
        The first node without any pose; -1: all have some.
    """
    last = len(path) - 1
    for k in (0, last):
        found[k, 0], cost[k, 0], counts[k] = task.chain.reference[k], 0.0, 1
    for k in range(1, last):
        for rung in range(len(LADDER)):
            rungs[k] = rung
            counts[k] = sample_node(task, k, path[k], order, rung, tries, good, found[k], cost[k])
            if counts[k] > 0:
                break
        if counts[k] == 0:
            return k
    return -1
