"""Whether a step is possible: is there a pose of the body as the foot leaves, and one as it lands, with room left?

Both poses hold the centre of mass in the triangle of the other three feet, drawn in by a margin, and both reach all
four feet and the foot in the air beside its old or its new place. Poses are sampled and the search ends at the first
with enough room, so that a possible step costs tens of microseconds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.com_ik import rpy_matrix, solved_com
from andante.kinematics.leg_kernels import hip_obstacle, turns
from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility_clearance import Three, belly_clearance, height_at, leg_clearance
from andante.planning.feasibility_scene import Scene
from andante.planning.feasibility_trunk import trunk_room
from andante.spatial.compiled import inlined, kernel

Array = NDArray[np.float64]
Index = NDArray[np.int64]
NOWHERE = -1.0
"""Room of a pose or step that there is not [m]."""
_CORNER = 0.2
"""Share of the way between both places at which the foot is as high as it gets, from either end."""
_CLOSE = 0.003
"""Centre of mass may miss its place by this share of the leg's length; the margin is several times that."""
_ON_THE_WAY = (0.4, 0.75)
"""Shares of the rise of a high swing at which the leg must also have room, straight over its place."""
_MOST_TRIED = 20
"""Poses that are looked at with all legs before the best so far has to do."""


class PoseRules(NamedTuple):
    """Which poses of the body are tried and what they must keep."""

    margin: float
    """Least distance of the centre of mass from the edge of the support triangle [m]."""
    least: float
    """Least room of a pose [m]: reach, joint limits, shanks, thighs and belly over the ground, shanks off the trunk."""
    enough: float
    """Room at which the search for a better pose ends [m]."""
    lift: float
    """Height of a swinging foot over all that lies on its way [m]."""
    heights: Array
    """Heights of the centre of mass over the mean of the feet, in the order of trying [m]."""
    pitches: Array
    """Pitch of the base against the plane of the feet, in the order of trying [rad]."""
    rolls: Array
    """The same for the roll [rad]."""
    steepest: float
    """Largest pitch of the base [rad]."""
    lever: float
    """Length that turns an angle left to a joint's limit into room [m]."""

    @staticmethod
    def of(
        leg_length: float, *, margin: float = 0.065, least: float = 0.02, enough: float = 0.05, lift: float = 0.08
    ) -> PoseRules:
        """Rules for a leg length [m]; the other lengths are shares of it."""
        return PoseRules(
            margin=margin * leg_length,
            least=least * leg_length,
            enough=enough * leg_length,
            lift=lift * leg_length,
            heights=np.array([0.66, 0.58, 0.73, 0.50, 0.79, 0.42]) * leg_length,
            pitches=np.array([0.0, -0.15, 0.15, -0.32, 0.32, -0.5, 0.5]),
            rolls=np.array([0.0, 0.12, -0.12, 0.24, -0.24]),
            steepest=0.9,
            lever=0.25 * leg_length,
        )


@inlined
def limit_room(table: LegTable, leg: int, roll: float, pitch: float, bend: float, lever: float) -> float:
    """Room of a leg to its limits [m]: roll and pitch by a lever, the knee as length to the longest and shortest."""
    limits = table.limits
    angle = min(roll - limits[leg, 0, 0], limits[leg, 0, 1] - roll)
    angle = min(angle, min(pitch - limits[leg, 1, 0], limits[leg, 1, 1] - pitch))
    upper, lower = table.lengths[leg, 0], table.lengths[leg, 1]
    long = math.sqrt(upper * upper + lower * lower + 2.0 * upper * lower * math.cos(bend))
    least, most = math.sqrt(table.reach2[leg, 0]), math.sqrt(table.reach2[leg, 1])
    room: float = min(angle * lever, min(most - long, long - least))
    return room


@inlined
def swing_apex(scene: Scene, old: Array, new: Array, lift: float) -> float:
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
def inner_triangle(feet: Array, swing: int, margin: float, corners: Array) -> bool:
    """Corners (3, 2) of the triangle of the feet other than ``swing``, drawn in; False where nothing is left."""
    row = 0
    for leg in range(4):
        if leg != swing:
            corners[row, 0], corners[row, 1] = feet[leg, 0], feet[leg, 1]
            row += 1
    a = math.hypot(corners[1, 0] - corners[2, 0], corners[1, 1] - corners[2, 1])
    b = math.hypot(corners[0, 0] - corners[2, 0], corners[0, 1] - corners[2, 1])
    c = math.hypot(corners[0, 0] - corners[1, 0], corners[0, 1] - corners[1, 1])
    twice = abs(
        (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1])
        - (corners[2, 0] - corners[0, 0]) * (corners[1, 1] - corners[0, 1])
    )
    around = a + b + c
    if around <= 0.0 or twice <= margin * around:
        return False
    # Drawing in is shrinking about the centre of the inscribed circle, whose radius is twice / around.
    share = 1.0 - margin * around / twice
    for axis in range(2):
        centre = (a * corners[0, axis] + b * corners[1, axis] + c * corners[2, axis]) / around
        for n in range(3):
            corners[n, axis] = centre + share * (corners[n, axis] - centre)
    return True


@inlined
def com_points(corners: Array, x: float, y: float, points: Array) -> None:
    """Places (8, 2) in a triangle, nearest to (x, y) first: its nearest point, corners, middles, and inside."""
    best = math.inf
    inside = True
    sense = (corners[1, 0] - corners[0, 0]) * (corners[2, 1] - corners[0, 1]) - (corners[2, 0] - corners[0, 0]) * (
        corners[1, 1] - corners[0, 1]
    )
    for n in range(3):
        p, q = corners[n], corners[(n + 1) % 3]
        ex, ey = q[0] - p[0], q[1] - p[1]
        if (ex * (y - p[1]) - ey * (x - p[0])) * sense < 0.0:
            inside = False
        square = ex * ex + ey * ey
        t = min(max(((x - p[0]) * ex + (y - p[1]) * ey) / square, 0.0), 1.0) if square > 0.0 else 0.0
        px, py = p[0] + t * ex, p[1] + t * ey
        far = math.hypot(px - x, py - y)
        if far < best:
            best = far
            points[0, 0], points[0, 1] = px, py
        points[1 + n, 0], points[1 + n, 1] = p[0], p[1]
        points[4 + n, 0], points[4 + n, 1] = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])
    if inside:
        points[0, 0], points[0, 1] = x, y
    for axis in range(2):
        points[7, axis] = (corners[0, axis] + corners[1, axis] + corners[2, axis]) / 3.0
    for n in range(2, 8):
        m = n
        while m > 1 and _far(points, m, x, y) < _far(points, m - 1, x, y):
            for axis in range(2):
                points[m, axis], points[m - 1, axis] = points[m - 1, axis], points[m, axis]
            m -= 1


@inlined
def _far(points: Array, n: int, x: float, y: float) -> float:
    square: float = (points[n, 0] - x) ** 2 + (points[n, 1] - y) ** 2
    return square


@inlined
def pose_room(
    scene: Scene,
    rules: PoseRules,
    com: Array,
    rotation: Array,
    feet: Array,
    swing: int,
    lifted: Array,
    enough: float,
    position: Array,
    angles: Array,
    work: Array,
) -> float:
    """Room of one pose [m], `NOWHERE` where a foot is out of reach; ends early once it is not above ``enough``.

    Args:
        scene: Robot and ground.
        rules: What a pose must keep.
        com: Centre of mass, (3,) [m].
        rotation: Rotation of the base, (3, 3).
        feet: Centres of the feet, (4, 3) [m].
        swing: Row of the foot that leaves or lands; -1: none.
        lifted: Where its centre must also be in reach, (3,) [m].
        enough: Room that is of no more interest [m].
        position: Origin of the base to start from, and the one found, (3,) [m].
        angles: Gets the joint angles, (4, 3) [rad].
        work: Room for what comes between, (6, 3).
    """
    table = scene.table
    close = _CLOSE * (table.lengths[0, 0] + table.lengths[0, 1])
    passes, missing, _, _ = solved_com(table, com, feet, rotation, close, position, angles, work[5], work[:5])
    if passes == 0 or missing > 0.0:
        return NOWHERE
    room = math.inf
    for leg in range(4):
        roll, pitch = table.signs[leg, 0] * angles[leg, 0], table.signs[leg, 1] * angles[leg, 1]
        bend = (table.signs[leg, 2] * angles[leg, 2] - table.stretched[leg]) * table.bend[leg]
        room = min(room, limit_room(table, leg, roll, pitch, bend, rules.lever))
    if room <= enough:
        return max(room, NOWHERE)
    room = min(room, belly_clearance(scene, position, rotation, enough))
    if room <= enough:
        return max(room, NOWHERE)
    if swing >= 0:
        room = min(room, lifted_room(scene, rules, position, rotation, swing, lifted, 0.0))
        if room <= enough:
            return max(room, NOWHERE)
        rise = lifted[2] - feet[swing, 2]
        if rise > 0.6 * rules.lever:
            # Beside a wall the shank meets the edge on the way up, not at its end.
            for n in range(len(_ON_THE_WAY)):
                between = feet[swing, 0], feet[swing, 1], feet[swing, 2] + _ON_THE_WAY[n] * rise
                # Clearance is measured upward; beside a wall the way to it is shorter than that but there is some.
                room = min(room, lifted_room(scene, rules, position, rotation, swing, between, 0.15 * rules.lever))
                if room <= enough:
                    return max(room, NOWHERE)
    for leg in range(4):
        room = min(room, trunk_room(scene, leg, position, rotation, angles[leg], feet[leg], room))
        if room <= enough:
            return max(room, NOWHERE)
        room = min(room, leg_clearance(scene, leg, position, rotation, angles[leg], feet[leg]))
        if room <= enough:
            return max(room, NOWHERE)
    return room


@inlined
def lifted_room(
    scene: Scene, rules: PoseRules, position: Array, rotation: Array, leg: int, lifted: Three, aside: float
) -> float:
    """Room of a leg whose foot is in the air at a place (3,) [m]; ``aside`` [m] is added to that over the ground."""
    table = scene.table
    dx, dy, dz = lifted[0] - position[0], lifted[1] - position[1], lifted[2] - position[2]
    x = rotation[0, 0] * dx + rotation[1, 0] * dy + rotation[2, 0] * dz
    y = rotation[0, 1] * dx + rotation[1, 1] * dy + rotation[2, 1] * dz
    z = rotation[0, 2] * dx + rotation[1, 2] * dy + rotation[2, 2] * dz
    # The leg's branch hangs below the roll axis.
    if z > table.hip[leg, 2]:
        return NOWHERE
    roll, pitch, bend, missing = turns(table, leg, x, y, z)
    if missing > 0.0:
        return NOWHERE
    room = limit_room(table, leg, roll, pitch, bend, rules.lever)
    angles = table.signs[leg, 0] * roll, table.signs[leg, 1] * pitch, 0.0
    room = min(room, trunk_room(scene, leg, position, rotation, angles, lifted, room))
    return min(room, leg_clearance(scene, leg, position, rotation, angles, lifted) + aside)


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
def _along(rotation: Array, axis: int, place: Array) -> float:
    """A place in the base's axes."""
    along: float = rotation[0, axis] * place[0] + rotation[1, axis] * place[1] + rotation[2, axis] * place[2]
    return along


@inlined
def feet_frame(table: LegTable, feet: Array, frame: Array) -> None:
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
def best_pose(
    scene: Scene, rules: PoseRules, feet: Array, swing: int, lifted: Array, corners: Array, pose: Array
) -> float:
    """Room of the pose with the most of it, as `look_for_pose` finds it [m]; `NOWHERE` where none is possible."""
    return look_for_pose(scene, rules, feet, swing, lifted, corners, pose)[0]


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
                    x = _along(rotation, 0, com) - centre[0]
                    y = _along(rotation, 1, com) - centre[1]
                    z = _along(rotation, 2, com) - centre[2]
                    if not in_reach(table, places, swing, order, x, y, z):
                        continue
                    for axis in range(3):
                        position[axis] = rotation[axis, 0] * x + rotation[axis, 1] * y + rotation[axis, 2] * z
                    tried += 1
                    room = pose_room(scene, rules, com, rotation, feet, swing, lifted, best, position, angles, work)
                    if room > best:
                        best = room
                        for axis in range(3):
                            pose[axis], pose[3 + axis] = com[axis], rpy[axis]
                            centre[axis] = 0.0
                            for row in range(3):
                                centre[axis] += rotation[row, axis] * (com[row] - position[row])
                        if best >= rules.enough:
                            return best, tried
                    if tried >= _MOST_TRIED and best >= rules.least:
                        return best, tried
                    if tried >= 15 * _MOST_TRIED:
                        return best, tried
    return best, tried


@kernel
def step_room(
    scene: Scene, rules: PoseRules, before: Array, leg: int, place: Array, apex: float, poses: Array
) -> float:
    """Room of a step, as `look_at_step` finds it [m]; below ``rules.least`` the step is not possible."""
    return look_at_step(scene, rules, before, leg, place, apex, poses)[0]


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
