"""Rules of a pose, and the room that one pose of the body leaves: to joint limits, ground and trunk."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import inlined
from andante.kinematics.com_ik import solved_com
from andante.kinematics.leg_kernels import turns
from andante.kinematics.leg_table import LegTable
from andante.planning.feasibility.clearance import belly_clearance, leg_clearance
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.trunk import trunk_room
from andante.spatial.arrays import Array, Array1
from andante.spatial.rotation_kernels import Three, seen_from

NOWHERE = -1.0
"""Room of a pose or step that there is not [m]."""
_CLOSE = 0.003
"""Centre of mass may miss its place by this share of the leg's length; the margin is several times that."""
_ON_THE_WAY = (0.4, 0.75)
"""Shares of the rise of a high swing at which the leg must also have room, straight over its place."""


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
    heights: Array1
    """Heights of the centre of mass over the mean of the feet, in the order of trying [m]."""
    pitches: Array1
    """Pitch of the base against the plane of the feet, in the order of trying [rad]."""
    rolls: Array1
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
    # Beside a wall it is mostly a shank that is in the way, and a leg is looked at sooner than a belly.
    for leg in range(4):
        room = min(room, leg_clearance(scene, leg, position, rotation, angles[leg], feet[leg]))
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
    return room


@inlined
def lifted_room(
    scene: Scene, rules: PoseRules, position: Array, rotation: Array, leg: int, lifted: Three, aside: float
) -> float:
    """Room of a leg whose foot is in the air at a place (3,) [m]; ``aside`` [m] is added to that over the ground."""
    table = scene.table
    x, y, z = seen_from(position, rotation, lifted)
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
