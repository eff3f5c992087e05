"""Whether a step is possible: is there a pose of the body as the foot leaves, and one as it lands, with room left?

Both poses hold the centre of mass in the triangle of the other three feet, drawn in by a margin, and both reach all
four feet and the foot in the air beside its old or its new place. Poses are sampled and the search ends at the first
with enough room, so that a possible step costs tens of microseconds.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined, inlined_entry, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_kernels import hip_obstacle
from andante.kinematics.leg_table import LegTable
from andante.kinematics.support_triangle import com_points, inner_triangle
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.pose_room import NOWHERE, PoseRules, pose_room
from andante.planning.feasibility.scene import Scene
from andante.spatial.arrays import Array, Array1, Array2, Index
from andante.spatial.rotation_kernels import seen_from

_CORNER = 0.2
"""Share of the way between both places at which the foot is as high as it gets, from either end."""
_MOST_TRIED = 20
"""Poses that are looked at with all legs before the best so far has to do."""
UNSUPPORTED = -2.0
"""Room of a step during which the other feet do not carry the body [m]."""


@inlined_entry
def swing_apex(scene: Scene, old: Array1, new: Array1, lift: float) -> float:
    """Height of a foot's centre that clears all on the straight way between two places by ``lift`` [m]."""
    length = math.hypot(new[0] - old[0], new[1] - old[1])
    count = int(length / (0.5 * scene.spacing)) + 2
    top: float = max(old[2], new[2])
    for n in range(count + 1):
        t = n / count
        x, y = old[0] + t * (new[0] - old[0]), old[1] + t * (new[1] - old[1])
        top = max(top, height_at(scene, scene.foot, x, y))
    return top + lift


@inlined
def from_hips(table: LegTable, feet: Array, swing: int, lifted: Array, rotation: Array, places: Array) -> None:
    """Places of the lifted foot and of all feet in the base's axes, each less its hip's place in the base, (5, 3)."""
    for n in range(5):
        leg = swing if n == 0 else n - 1
        foot = lifted if n == 0 else feet[leg]
        for axis in range(3):
            turned = rotation[0, axis] * foot[0] + rotation[1, axis] * foot[1] + rotation[2, axis] * foot[2]
            places[n, axis] = turned - table.hip[leg, axis]
        places[n, 0] -= table.offset[leg, 0]


@inlined
def in_reach(table: LegTable, places: Array, swing: int, order: Index, x: float, y: float, z: float) -> bool:
    """Whether all feet are in reach of a base whose origin is at (x, y, z) in its own axes, and the lifted one.

    The quick test: what was out of reach last most likely is again, so ``order`` (5,) puts it first.
    """
    for k in range(5):
        n = order[k]
        leg = swing if n == 0 else n - 1
        if hip_obstacle(table, leg, places[n, 0] - x, places[n, 1] - y, places[n, 2] - z) >= 0:
            for m in range(k, 0, -1):
                order[m] = order[m - 1]
            order[0] = n
            return False
    return True


@inlined
def along_axis(rotation: Array, axis: int, place: Array) -> float:
    """A place in the base's axes."""
    along: float = rotation[0, axis] * place[0] + rotation[1, axis] * place[1] + rotation[2, axis] * place[2]
    return along


@inlined_entry
def feet_frame(table: LegTable, feet: Array2, frame: Array1) -> None:
    """Roll, pitch and yaw of the feet and the middle of their places, into (6,)."""
    ahead_x = ahead_y = ahead_z = left_x = left_y = left_z = 0.0
    for axis in range(3):
        frame[3 + axis] = 0.0
    for leg in range(4):
        for axis in range(3):
            frame[3 + axis] += 0.25 * feet[leg, axis]
        front = 0.5 if table.hip[leg, 0] > 0.0 else -0.5
        side = 0.5 if table.hip[leg, 1] > 0.0 else -0.5
        ahead_x += front * feet[leg, 0]
        ahead_y += front * feet[leg, 1]
        ahead_z += front * feet[leg, 2]
        left_x += side * feet[leg, 0]
        left_y += side * feet[leg, 1]
        left_z += side * feet[leg, 2]
    frame[0] = math.atan2(left_z, math.hypot(left_x, left_y))
    frame[1] = -math.atan2(ahead_z, math.hypot(ahead_x, ahead_y))
    frame[2] = math.atan2(ahead_y, ahead_x)


@kernel
def look_for_pose(
    scene: Scene, rules: PoseRules, feet: Array, swing: int, lifted: Array, corners: Array, pose: Array
) -> tuple[float, int]:
    """The pose with the most room among those tried, or the first with enough.

    Args:
        scene: Robot and ground.
        rules: Which poses are tried.
        feet: Centres of the feet, (4, 3) [m].
        swing: Row of the foot that leaves or lands.
        lifted: Where its centre must also be in reach, (3,) [m].
        corners: Corners of the triangle in which the centre of mass may be, (3, 2) [m].
        pose: Gets centre of mass and roll, pitch, yaw, (6,) [m, rad].

    Returns:
        Its room [m], `NOWHERE` where none is possible, and how many poses were looked at.
    """
    table = scene.table
    frame, points = np.empty(6), np.empty((8, 2))
    feet_frame(table, feet, frame)
    com_points(corners, frame[3], frame[4], points)
    com, rpy, position = np.empty(3), np.empty(3), np.empty(3)
    angles, centre, work = np.empty((4, 3)), np.zeros(3), np.empty((6, 3))
    places, order = np.empty((5, 3)), np.arange(5)
    best, tried = NOWHERE, 0
    rpy[2] = frame[2]
    for lean in range(len(rules.rolls)):
        rpy[0] = frame[0] + rules.rolls[lean]
        for tilt in range(len(rules.pitches)):
            rpy[1] = min(max(frame[1] + rules.pitches[tilt], -rules.steepest), rules.steepest)
            rotation = rpy_matrix(rpy)
            from_hips(table, feet, swing, lifted, rotation, places)
            for level in range(len(rules.heights)):
                com[2] = frame[5] + rules.heights[level]
                for n in range(len(points)):
                    com[0], com[1] = points[n, 0], points[n, 1]
                    # Where the centre of mass was in the base at the last pose is where it nearly is at this.
                    x = along_axis(rotation, 0, com) - centre[0]
                    y = along_axis(rotation, 1, com) - centre[1]
                    z = along_axis(rotation, 2, com) - centre[2]
                    if not in_reach(table, places, swing, order, x, y, z):
                        continue
                    for axis in range(3):
                        position[axis] = rotation[axis, 0] * x + rotation[axis, 1] * y + rotation[axis, 2] * z
                    tried += 1
                    room = pose_room(scene, rules, com, rotation, feet, swing, lifted, best, position, angles, work)
                    if room > best:
                        best = room
                        pose[:3], pose[3:] = com, rpy
                        centre[0], centre[1], centre[2] = seen_from(position, rotation, com)
                        if best >= rules.enough:
                            return best, tried
                    if tried >= _MOST_TRIED and best >= rules.least:
                        return best, tried
                    if tried >= 15 * _MOST_TRIED:
                        return best, tried
    return best, tried


@kernel
def look_at_step(
    scene: Scene, rules: PoseRules, before: Array, leg: int, place: Array, apex: float, poses: Array
) -> tuple[float, int]:
    """Room of a step [m]: the smaller of the best pose at lift-off and the best at landing.

    Args:
        scene: Robot and ground.
        rules: Which poses are tried.
        before: Centres of the feet before the step, (4, 3) [m].
        leg: Row of the foot that moves.
        place: Where it goes, (3,) [m].
        apex: Height of its centre on the way [m].
        poses: Gets centre of mass and roll, pitch, yaw at lift-off and at landing, (2, 6) [m, rad].

    Returns:
        The room, below ``rules.least`` the step is not possible, and poses may be missing; and how many poses were
        looked at.
    """
    corners, lifted = np.empty((3, 2)), np.empty(3)
    if not inner_triangle(before, leg, rules.margin, corners):
        return NOWHERE, 0
    after = before.copy()
    after[leg] = place
    lifted[2] = apex
    for axis in range(2):
        lifted[axis] = place[axis] + _CORNER * (before[leg, axis] - place[axis])
    # Landing first: it fails more often.
    room, looks = look_for_pose(scene, rules, after, leg, lifted, corners, poses[1])
    if room < rules.least:
        return room, looks
    for axis in range(2):
        lifted[axis] = before[leg, axis] + _CORNER * (place[axis] - before[leg, axis])
    other, more = look_for_pose(scene, rules, before, leg, lifted, corners, poses[0])
    return min(room, other), looks + more


@entry
def step_room(scene: Scene, rules: PoseRules, before: Array2, leg: int, place: Array1, apex: float) -> float:
    """Room of a step [m] (`look_at_step`), or `UNSUPPORTED`.

    Args:
        scene: Robot and ground.
        rules: Which poses are tried.
        before: Centres of the feet before the step, (4, 3) [m].
        leg: Row of the foot that moves.
        place: Where it goes, (3,) [m].
        apex: Height of its centre on the way [m].
    """
    if not inner_triangle(before, leg, rules.margin, np.empty((3, 2))):
        return UNSUPPORTED
    room, _ = look_at_step(scene, rules, before, leg, place, apex, np.empty((2, 6)))
    return room
