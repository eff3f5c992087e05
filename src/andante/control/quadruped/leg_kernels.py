"""Torques and joint targets of four legs from a local plan, as one compiled kernel.

Stance: tau = bias - J^T f at the contact point, which lies below the ball's centre. Swing: inverse dynamics of the leg
with the acceleration of the planned swing and of the body that the planned forces give, tau = M_ll qdd + M_lb a + bias.
The joint targets beside them carry the errors: the drives' own gains act on them without the delay of the control loop.
Source: Quad-SDK's leg controller; the swing gains as a natural frequency times the joint's own inertia are ours, so
that they fit any robot.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from andante.kernels import entry, kernel
from andante.planning.quadruped.swing import swing_at
from andante.spatial.arrays import Array, Array1, Array2, Array3, Flags1, Index2
from andante.spatial.gravity import GRAVITY


class LegRules(NamedTuple):
    """Numbers of the leg controller, for one robot."""

    frequency: float
    """Natural frequency of the swinging leg's errors [rad/s]."""
    damping: float
    """Damping ratio of the same."""
    stance_kp: float
    """Position gain of a standing leg as a share of a swinging leg's."""
    stance_kd: float
    """The same of the velocity gain."""
    early: float
    """Share of a swing from which on a touching foot stands."""
    probe: float
    """Speed at which a foot that has not found the ground goes on down [m/s]."""
    landing_probe: float
    """The same of a foot that has flown [m/s]."""
    depth: float
    """How far it does [m]."""
    error: float
    """Largest error of a foot's place that is acted on [m]."""
    slow: float
    """Speed from which on dry friction is made up for [rad/s]."""
    ahead: float
    """How far ahead of now the targets of swings are [s]."""
    lost: float
    """A standing foot that has not touched for so long looks for the ground [s]."""
    margin: float
    """A joint nearer to a limit is pushed back [rad]."""
    brake: float
    """Share of the torque limit from which on a joint that comes to a stop is braked."""
    tick: float
    """Time since the last tick, by the readings [s]."""
    mass: float
    """Mass of the robot [kg]."""
    extend: float
    """The legs turn with a body that flies until so long before its landing [s]."""


class LegDrives(NamedTuple):
    """Joints and drives of the legs, which stay as they are."""

    dofs: Index2
    """Rows of the legs' joints in the robot's velocities, (4, 3)."""
    radius: Array1
    """Radius of each foot, (4,) [m]."""
    friction: Array2
    """Dry friction of each joint, (4, 3) [N m]."""
    viscous: Array2
    """Viscous friction of each joint, (4, 3) [N m s/rad]."""
    limits: Array3
    """Least and largest angle of each joint, (4, 3, 2) [rad]."""
    most: Array2
    """Speed limit of each joint, (4, 3) [rad/s]."""
    efforts: Array2
    """Torque limit of each joint, (4, 3) [N m]."""


class LegReadings(NamedTuple):
    """What is measured at one tick."""

    time: float
    """Now [s]."""
    angles: Array2
    """Angles of the joints, (4, 3) [rad]."""
    speeds: Array2
    """Their speeds, (4, 3) [rad/s]."""


class FollowedPlan(NamedTuple):
    """The plan that the legs follow; N states."""

    times: Array1
    """Times of its states, (N,) [s]."""
    states: Array2
    """Its states, (N, 12)."""
    forces: Array3
    """Its forces, (N - 1, 4, 3) [N]."""
    contact: Array2
    """1 where a foot stands in an interval, (N - 1, 4)."""
    swings: Array3
    """Its swings."""


class LegMemory(NamedTuple):
    """What the leg controller keeps from tick to tick."""

    landed: Flags1
    """Feet that stand, by switch or by plan, (4,)."""
    flown: Flags1
    """Feet that have been in a flight of the body since they stood last, (4,)."""
    swung: Flags1
    """Feet that have swung since they stood last, (4,)."""
    end: Array2
    """Where each foot was to come down last, (4, 3) [m]."""
    down: Array1
    """When, (4,) [s]."""
    touched: Array1
    """When each foot touched last, (4,) [s]."""
    target: Array2
    """Position that each joint was asked for last, (4, 3) [rad]."""


class LegState(NamedTuple):
    """The robot at one tick, all in the world."""

    feet: Array2
    """Centres of the feet, (4, 3) [m]."""
    anchors: Array2
    """A point on each joint's axis, (12, 3) [m], legs in order."""
    axes: Array2
    """Direction of each joint's axis, (12, 3)."""
    com: Array1
    """Centre of mass, (3,) [m]."""
    velocity: Array1
    """Its velocity, (3,) [m/s]."""
    angular: Array1
    """Angular velocity of the base, (3,) [rad/s]."""
    base: Array1
    """Origin of the base, (3,) [m]."""
    base_velocity: Array1
    """Its velocity, (3,) [m/s]."""
    rotation: Array2
    """Rotation from the base's axes to the world's, (3, 3)."""
    inertia: Array2
    """Joint-space inertia, (nv, nv)."""
    bias: Array1
    """Coriolis, centrifugal and gravity forces, (nv,)."""
    touching: Flags1
    """Which feet touch, (4,)."""


@kernel
def _solve(a: Array, b: Array, damping: float, x: Array) -> None:
    """x = A^T (A A^T + d I)^-1 b for a 3 x 3 matrix."""
    m00 = a[0, 0] * a[0, 0] + a[0, 1] * a[0, 1] + a[0, 2] * a[0, 2] + damping
    m01 = a[0, 0] * a[1, 0] + a[0, 1] * a[1, 1] + a[0, 2] * a[1, 2]
    m02 = a[0, 0] * a[2, 0] + a[0, 1] * a[2, 1] + a[0, 2] * a[2, 2]
    m11 = a[1, 0] * a[1, 0] + a[1, 1] * a[1, 1] + a[1, 2] * a[1, 2] + damping
    m12 = a[1, 0] * a[2, 0] + a[1, 1] * a[2, 1] + a[1, 2] * a[2, 2]
    m22 = a[2, 0] * a[2, 0] + a[2, 1] * a[2, 1] + a[2, 2] * a[2, 2] + damping
    c00, c01, c02 = m11 * m22 - m12 * m12, m02 * m12 - m01 * m22, m01 * m12 - m02 * m11
    det = m00 * c00 + m01 * c01 + m02 * c02
    c11, c12, c22 = m00 * m22 - m02 * m02, m01 * m02 - m00 * m12, m00 * m11 - m01 * m01
    y0 = (c00 * b[0] + c01 * b[1] + c02 * b[2]) / det
    y1 = (c01 * b[0] + c11 * b[1] + c12 * b[2]) / det
    y2 = (c02 * b[0] + c12 * b[1] + c22 * b[2]) / det
    for k in range(3):
        x[k] = a[0, k] * y0 + a[1, k] * y1 + a[2, k] * y2


@kernel
def _jacobian(anchors: Array, axes: Array, leg: int, point: Array, jacobian: Array) -> None:
    """How a point of a leg's last link moves in the world as its joints turn, (3, 3)."""
    for k in range(3):
        a, c = axes[3 * leg + k], anchors[3 * leg + k]
        rx, ry, rz = point[0] - c[0], point[1] - c[1], point[2] - c[2]
        jacobian[0, k] = a[1] * rz - a[2] * ry
        jacobian[1, k] = a[2] * rx - a[0] * rz
        jacobian[2, k] = a[0] * ry - a[1] * rx


@kernel
def _carried(velocity: Array, angular: Array, origin: Array, point: Array, result: Array) -> None:
    """Velocity of a point that moves with a body."""
    x, y, z = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
    result[0] = velocity[0] + angular[1] * z - angular[2] * y
    result[1] = velocity[1] + angular[2] * x - angular[0] * z
    result[2] = velocity[2] + angular[0] * y - angular[1] * x


@kernel
def _turn_acceleration(angular: Array, growth: Array, x: float, y: float, z: float, result: Array) -> None:
    """Add w x (w x r) + g x r to ``result``: what a turning link gives a point at r."""
    wx, wy, wz = angular[1] * z - angular[2] * y, angular[2] * x - angular[0] * z, angular[0] * y - angular[1] * x
    result[0] += angular[1] * wz - angular[2] * wy + growth[1] * z - growth[2] * y
    result[1] += angular[2] * wx - angular[0] * wz + growth[2] * x - growth[0] * z
    result[2] += angular[0] * wy - angular[1] * wx + growth[0] * y - growth[1] * x


@kernel
def _velocity_product(state: LegState, leg: int, speeds: Array, point: Array, result: Array) -> None:
    """Acceleration of a point of a leg's last link while no joint and no base accelerates, (3,) [m/s^2]."""
    turn, growth = state.angular.copy(), np.zeros(3)
    result[:] = 0.0
    last = state.base
    for k in range(3):
        anchor, axis = state.anchors[3 * leg + k], state.axes[3 * leg + k]
        _turn_acceleration(turn, growth, anchor[0] - last[0], anchor[1] - last[1], anchor[2] - last[2], result)
        speed = speeds[leg, k]
        growth[0] += speed * (turn[1] * axis[2] - turn[2] * axis[1])
        growth[1] += speed * (turn[2] * axis[0] - turn[0] * axis[2])
        growth[2] += speed * (turn[0] * axis[1] - turn[1] * axis[0])
        for i in range(3):
            turn[i] += speed * axis[i]
        last = anchor
    _turn_acceleration(turn, growth, point[0] - last[0], point[1] - last[1], point[2] - last[2], result)


@kernel
def _flying(rules: LegRules, state: LegState, swings: Array, stands: Array, time: float) -> float:
    """How far the legs turn with the body, 0 to 1: wholly in a flight until shortly before its end."""
    soonest = np.inf
    for leg in range(4):
        if stands[leg] > 0.5 or state.touching[leg]:
            return 0.0
        soonest = min(soonest, swings[leg, 0, 1] - time)
    return min(max(soonest / rules.extend - 1.0, 0.0), 1.0)


@kernel
def _turn_with_body(state: LegState, share: float, place: Array, velocity: Array) -> None:
    """Turn a swing's place and velocity by a share of the body's tilt, about the centre of mass.

    Nothing holds a body in flight but the inertia of its legs. Feet that keep their places in the world while it tilts
    are turned against it, which tilts it more.
    """
    r = state.rotation
    size = math.hypot(r[0, 0], r[1, 0])
    c, s = r[0, 0] / size, r[1, 0] / size
    away, speed = np.empty(3), np.empty(3)
    for axis in range(3):
        away[axis], speed[axis] = place[axis] - state.com[axis], velocity[axis] - state.velocity[axis]
    # By the base's axes without its heading.
    ax, ay, az = c * away[0] + s * away[1], c * away[1] - s * away[0], away[2]
    vx, vy, vz = c * speed[0] + s * speed[1], c * speed[1] - s * speed[0], speed[2]
    wx, wy = state.angular[0], state.angular[1]
    for axis in range(3):
        away[axis] = r[axis, 0] * ax + r[axis, 1] * ay + r[axis, 2] * az
        speed[axis] = r[axis, 0] * vx + r[axis, 1] * vy + r[axis, 2] * vz
    speed[0] += wy * away[2]
    speed[1] -= wx * away[2]
    speed[2] += wx * away[1] - wy * away[0]
    for axis in range(3):
        place[axis] += share * (state.com[axis] + away[axis] - place[axis])
        velocity[axis] += share * (state.velocity[axis] + speed[axis] - velocity[axis])


@kernel
def _braked(rules: LegRules, inertia: float, room: float, speed: float, effort: float, drive: float) -> float:
    """Torque of a joint that comes to a stop, ``room`` [rad] away, at ``speed`` [rad/s]; ``drive`` [N m] without it.

    After the delay of a command the joint would come to rest before the stop by the deceleration speed^2 / (2 room).
    Once that takes more than a share of the torque limit, it is braked so hard.
    """
    if speed <= 0.0:
        return drive
    needed = inertia * speed * speed / (2.0 * max(room - speed * rules.ahead, 1e-3))
    return drive if needed < rules.brake * effort else min(drive, -needed)


@kernel
def _within_limits(
    rules: LegRules, state: LegState, drives: LegDrives, leg: int, now: LegReadings, memory: LegMemory, out: Array
) -> None:
    """Keep a leg's targets inside the joints' limits; what the drives miss by that becomes torque."""
    limits, most, efforts = drives.limits, drives.most, drives.efforts
    for k in range(3):
        low, high = limits[leg, k, 0] + rules.margin, limits[leg, k, 1] - rules.margin
        wanted = min(max(out[0, leg, k], low), high)
        step = 0.95 * most[leg, k] * rules.tick
        before = memory.target[leg, k]
        target = min(max(wanted, before - step), before + step)
        out[4, leg, k] += out[2, leg, k] * (wanted - target)
        out[0, leg, k] = target
        memory.target[leg, k] = target
        out[1, leg, k] = min(max(out[1, leg, k], -most[leg, k]), most[leg, k])
        angle, speed, stiff = now.angles[leg, k], now.speeds[leg, k], out[2, leg, k]
        inertia = state.inertia[drives.dofs[leg, k], drives.dofs[leg, k]]
        driven = stiff * (target - angle) + out[3, leg, k] * (out[1, leg, k] - speed)
        total = _braked(rules, inertia, limits[leg, k, 1] - angle, speed, efforts[leg, k], out[4, leg, k] + driven)
        total = -_braked(rules, inertia, angle - limits[leg, k, 0], -speed, efforts[leg, k], -total)
        out[4, leg, k] = total - driven
        if angle < low:
            out[1, leg, k] = max(out[1, leg, k], 0.0)
            out[4, leg, k] = max(out[4, leg, k], 0.0) + stiff * (low - angle)
        elif angle > high:
            out[1, leg, k] = min(out[1, leg, k], 0.0)
            out[4, leg, k] = min(out[4, leg, k], 0.0) + stiff * (high - angle)
        out[4, leg, k] = min(max(out[4, leg, k], -efforts[leg, k]), efforts[leg, k])


@entry
def control_legs(
    rules: LegRules,
    state: LegState,
    memory: LegMemory,
    drives: LegDrives,
    now: LegReadings,
    plan: FollowedPlan,
    out: Array3,
) -> int:
    """Targets of all legs at one tick.

    Args:
        rules: Numbers of the controller.
        state: The robot.
        memory: What is kept from tick to tick.
        drives: Joints and drives.
        now: What is measured.
        plan: What is followed.
        out: Gets position, velocity, kp, kd and torque of each joint, (5, 4, 3).

    Returns:
        The interval of the plan that the tick lies in.
    """
    dofs, angles, speeds, time = drives.dofs, now.angles, now.speeds, now.time
    times, planned, forces, contact, swings = plan
    interval = 0
    while interval < len(contact) - 1 and time >= times[interval + 1] - 1e-9:
        interval += 1
    share = min(max((time - times[interval]) / (times[interval + 1] - times[interval]), 0.0), 1.0)
    body = np.empty(3)
    push = np.zeros(3)
    for axis in range(3):
        body[axis] = (1.0 - share) * planned[interval, 6 + axis] + share * planned[interval + 1, 6 + axis]
        for leg in range(4):
            push[axis] += forces[interval, leg, axis]
    push /= rules.mass
    push[2] -= GRAVITY
    flying = _flying(rules, state, swings, contact[interval], time)
    if contact[interval].max() < 0.5:
        memory.flown[:] = True
    jacobian = np.empty((3, 3))
    point, moved, goal = np.empty(3), np.empty(3), np.empty(3)
    place, velocity, acceleration, errors = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for leg in range(4):
        foot = state.feet[leg]
        stands = contact[interval, leg] > 0.5
        probing = False
        if state.touching[leg]:
            memory.touched[leg] = time
        if stands:
            if memory.swung[leg] and not memory.landed[leg]:
                if state.touching[leg]:
                    memory.landed[leg] = True
                elif rules.probe > 0.0:
                    probing = True
            else:
                memory.landed[leg] = True
            if not probing:
                memory.swung[leg] = False
                memory.flown[leg] = False
        else:
            swing = swings[leg, 0]
            done = (time - swing[0]) / max(swing[1] - swing[0], 1e-6)
            if not memory.swung[leg]:
                memory.landed[leg] = False
            memory.swung[leg] = True
            for axis in range(3):
                memory.end[leg, axis] = swing[5 + axis]
            memory.down[leg] = swing[1]
            if memory.landed[leg] or (done > rules.early and state.touching[leg]):
                memory.landed[leg] = True
                stands = True
        if stands and not probing and time - memory.touched[leg] > rules.lost:
            # Force on a foot in the air only throws the leg: it goes down first, from where it is.
            memory.landed[leg] = False
            memory.swung[leg] = True
            probing = contact[interval, leg] > 0.5
            memory.down[leg] = time
            for axis in range(3):
                memory.end[leg, axis] = foot[axis]
        stands = stands and not probing and memory.landed[leg]
        for k in range(3):
            inertia = state.inertia[dofs[leg, k], dofs[leg, k]]
            stiff = rules.frequency * rules.frequency * inertia
            damp = 2.0 * rules.damping * rules.frequency * inertia
            out[2, leg, k] = stiff * (rules.stance_kp if stands else 1.0)
            out[3, leg, k] = damp * (rules.stance_kd if stands else 1.0)
            out[4, leg, k] = state.bias[dofs[leg, k]]
        if stands:
            point[0], point[1], point[2] = foot[0], foot[1], foot[2] - drives.radius[leg]
            _jacobian(state.anchors, state.axes, leg, point, jacobian)
            # The point stands: the joints turn as the planned body moves.
            _carried(body, state.angular, state.com, point, moved)
            for axis in range(3):
                goal[axis] = -moved[axis]
            _solve(jacobian, goal, 1e-6, velocity)
            for k in range(3):
                torque = 0.0
                for axis in range(3):
                    torque += jacobian[axis, k] * forces[interval, leg, axis]
                out[0, leg, k] = angles[leg, k]
                out[1, leg, k] = velocity[k]
                out[4, leg, k] -= torque
            _within_limits(rules, state, drives, leg, now, memory, out)
            continue
        _jacobian(state.anchors, state.axes, leg, foot, jacobian)
        if probing:
            probe = rules.landing_probe if memory.flown[leg] else rules.probe
            low = min(probe * (time - memory.down[leg]), rules.depth)
            for axis in range(3):
                place[axis] = memory.end[leg, axis]
                velocity[axis] = 0.0
                acceleration[axis] = 0.0
            place[2] -= low
            if low < rules.depth:
                velocity[2] = -probe
        else:
            swing_at(swings[leg, 0], time + rules.ahead, place, velocity, acceleration)
            if flying > 0.0:
                _turn_with_body(state, flying, place, velocity)
        _carried(state.base_velocity, state.angular, state.base, foot, moved)
        far = 0.0
        for axis in range(3):
            goal[axis] = place[axis] - foot[axis]
            far += goal[axis] * goal[axis]
        far = math.sqrt(far)
        if far > rules.error:
            for axis in range(3):
                goal[axis] *= rules.error / far
        _solve(jacobian, goal, 1e-5, point)
        for k in range(3):
            out[0, leg, k] = angles[leg, k] + point[k]
        for axis in range(3):
            goal[axis] = velocity[axis] - moved[axis]
        _solve(jacobian, goal, 1e-5, point)
        for k in range(3):
            out[1, leg, k] = point[k]
        _velocity_product(state, leg, speeds, foot, moved)
        for axis in range(3):
            goal[axis] = acceleration[axis] - push[axis] - moved[axis]
        _solve(jacobian, goal, 1e-5, point)
        for k in range(3):
            # The drives' gains are the diagonal of these; the rest is done here.
            errors[k] = rules.frequency * rules.frequency * (out[0, leg, k] - angles[leg, k])
            errors[k] += 2.0 * rules.damping * rules.frequency * (out[1, leg, k] - speeds[leg, k])
        for k in range(3):
            torque = 0.0
            row = dofs[leg, k]
            for other in range(3):
                torque += state.inertia[row, dofs[leg, other]] * point[other]
                if other != k:
                    torque += state.inertia[row, dofs[leg, other]] * errors[other]
                torque += state.inertia[row, other] * push[other]
            speed = out[1, leg, k]
            torque += drives.friction[leg, k] * math.tanh(speed / rules.slow) + drives.viscous[leg, k] * speed
            out[4, leg, k] += torque
        _within_limits(rules, state, drives, leg, now, memory, out)
    return interval
