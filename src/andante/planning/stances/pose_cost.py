"""What a pose at a node of a chain costs, and what it costs to move between two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.kernels import inlined, kernel
from andante.kinematics.com_ik import rpy_matrix
from andante.kinematics.leg_kernels import turns
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.kinematics.support_triangle import triangle_margin
from andante.planning.feasibility.carrying import leg_strength, may_overload, torque_excess
from andante.planning.feasibility.pose_room import NOWHERE, PoseRules, pose_room
from andante.planning.feasibility.scene import Scene
from andante.planning.stances.chain import Chain
from andante.planning.stances.settings import StanceSettings
from andante.spatial.arrays import Array, Array2
from andante.spatial.rotation_kernels import seen_from

BLOCKED = 3.0
"""Cost of a way through a pose that there is not."""
_STRAY_WEIGHT = 0.05
"""Cost of a squared distance, in leg lengths, from the height and turn that follow the feet."""
_TRAVEL_WEIGHT = 0.3
"""Cost of a radian of the way of a swinging leg's joints, which is what a swing's time goes with."""


class Costs(NamedTuple):
    """Weights of the choice."""

    slack: float
    """Cost of no room."""
    margin: float
    """Cost of no margin."""
    stray: float
    """Cost of a squared distance from the reference [1/m^2]."""
    motion: float
    """Cost of a squared distance between nodes [1/m^2]."""
    travel: float
    """Cost of a radian of the way of the joints of a leg that swings."""
    upward: float
    """Factor on a vertical distance."""
    lever: float
    """Length that makes an angle comparable to a distance [m]."""

    torque: float
    """Cost of a joint that needs all its torque to carry the robot; 0 where no pose asks so much."""
    carry: float
    """Share of its torque that a joint may need at no cost."""
    strength: Array2
    """Torque that the joints of the legs have, (nl, 3) [N m]."""

    @staticmethod
    def of(settings: StanceSettings, body: LeggedBody) -> Costs:
        """Weights of settings for a robot."""
        leg_length, strength = body.leg_length, leg_strength(body)
        square = leg_length * leg_length
        return Costs(
            settings.slack_weight,
            settings.margin_weight,
            _STRAY_WEIGHT / square,
            1.0 / square,
            _TRAVEL_WEIGHT,
            settings.upward,
            settings.angle * leg_length,
            settings.torque_weight if may_overload(body.table, strength, settings.carry) else 0.0,
            settings.carry,
            strength,
        )


class PoseProblem(NamedTuple):
    """What the poses of a walk are chosen for."""

    scene: Scene
    """Robot and ground."""
    rules: PoseRules
    """What a pose must keep."""
    costs: Costs
    """Weights."""
    chain: Chain
    """The walk."""


@inlined
def short_of(value: float, wanted: float) -> float:
    """Square of the share that is missing; above 1 where the value is below zero."""
    return 0.0 if value >= wanted else ((wanted - value) / wanted) ** 2


@inlined
def distance2(costs: Costs, one: Array, other: Array) -> float:
    """Squared distance of two poses (6,) [m^2]."""
    far: float = (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (costs.upward * (one[2] - other[2])) ** 2
    for axis in range(3, 6):
        far += (costs.lever * (one[axis] - other[axis])) ** 2
    return far


@inlined
def node_cost(task: PoseProblem, k: int, pose: Array, room: float) -> float:
    """Cost of a pose (6,) with its room [m] at a node, without motion."""
    _, rules, costs, chain = task
    margin = triangle_margin(chain.feet[k], chain.swing[k], pose[0], pose[1])
    reference = chain.reference[k]
    far = (pose[2] - reference[2]) ** 2
    for axis in range(3, 6):
        far += (costs.lever * (pose[axis] - reference[axis])) ** 2
    lacking = costs.slack * short_of(room, rules.enough) + costs.margin * short_of(margin, rules.margin)
    price: float = lacking + costs.stray * far
    return price


@kernel
def torque_cost(scene: Scene, costs: Costs, feet: Array, swing: int, pose: Array, angles: Array) -> float:
    """Cost of what a pose (6,) with its joint angles (4, 3) [rad] asks of the legs that stand; -1: all do, no cost."""
    if swing < 0 or costs.torque <= 0.0:
        return 0.0
    return costs.torque * torque_excess(scene.table, costs.strength, costs.carry, feet, swing, pose, angles)


@kernel
def room_at(
    scene: Scene,
    rules: PoseRules,
    feet: Array,
    swing: int,
    lifted: Array,
    pose: Array,
    centre: Array,
    least: float,
    angles: Array,
) -> float:
    """Room of a pose (6,) [m]; ends early once it is not above ``least``.

    Args:
        scene: Robot and ground.
        rules: What a pose must keep.
        feet: Centres of the feet, (4, 3) [m].
        swing: Row of the foot that leaves or lands; -1: none.
        lifted: Where it must also be in reach, (3,) [m].
        pose: Centre of mass, roll, pitch and yaw.
        centre: About where the centre of mass is in the base, and where it was found to be, (3,) [m].
        least: Room that is of no more interest [m].
        angles: Gets the joint angles, (4, 3) [rad].
    """
    com, rotation, position, work = pose[:3], rpy_matrix(pose[3:]), np.empty(3), np.empty((6, 3))
    for axis in range(3):
        position[axis] = com[axis]
        for row in range(3):
            position[axis] -= rotation[axis, row] * centre[row]
    room = pose_room(scene, rules, com, rotation, feet, swing, lifted, least, position, angles, work)
    if room > NOWHERE:
        centre[0], centre[1], centre[2] = seen_from(position, rotation, com)
    return room


@kernel
def swing_travel(table: LegTable, chain: Chain, k: int, one: Array, other: Array, centre: Array) -> float:
    """Way of the joints of a leg that swings, up, over and down, of the joint with the longest in each part [rad].

    At a constant joint rate it is what a swing's time goes with.

    Args:
        table: The robot's legs.
        chain: The walk.
        k: Node of the lift-off.
        one: Pose there, (6,).
        other: Pose at the landing, (6,).
        centre: Where the centre of mass is in the base, (3,) [m].
    """
    leg = chain.flying[k]
    old, new, travel = np.empty(3), np.empty(3), 0.0
    for n in range(4):
        # The body is under way as well while the foot rises and falls.
        share = (0.0, 0.2, 0.8, 1.0)[n]
        pose = one + share * (other - one)
        place = chain.feet[k, leg] if n == 0 else (chain.feet[k + 1, leg] if n == 3 else chain.lifted[k + n - 1])
        rotation = rpy_matrix(pose[3:])
        x, y, z = centre[0], centre[1], centre[2]
        for row in range(3):
            way = place[row] - pose[row]
            x += rotation[row, 0] * way
            y += rotation[row, 1] * way
            z += rotation[row, 2] * way
        new[0], new[1], new[2], _ = turns(table, leg, x, y, z)
        if n > 0:
            travel += max(abs(new[0] - old[0]), abs(new[1] - old[1]), abs(new[2] - old[2]))
        old[:] = new
    return travel


@inlined
def motion_cost(task: PoseProblem, k: int, one: Array, other: Array) -> float:
    """Cost of the body's motion from a pose at node ``k`` to one at the next."""
    price: float = task.costs.motion * task.chain.stiffness[k] * distance2(task.costs, one, other)
    return price


@kernel
def half_way_cost(task: PoseProblem, k: int, one: Array, other: Array, centre: Array) -> float:
    """Cost of too little room and too much torque half way from a pose at node ``k`` to one at the next."""
    middle, angles = 0.5 * (one + other), np.empty((4, 3))
    scene, rules, costs, chain = task
    room = room_at(scene, rules, chain.between[k], -1, middle[:3], middle, centre, NOWHERE, angles)
    if room <= NOWHERE:
        return BLOCKED
    cost = costs.slack * min(short_of(room, rules.enough), 0.5 * BLOCKED)
    return cost + torque_cost(scene, costs, chain.between[k], chain.flying[k], middle, angles)
