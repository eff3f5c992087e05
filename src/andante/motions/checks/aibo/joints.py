"""Third criterion, joint by joint (limits, couplings, speed, jumps of velocity, acceleration, distance) and the body.

Self-collision and static balance are looked at at every tick at which something has moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.context import AiboContext
from andante.motions.checks.bodies import BALANCE, COLLISION, least
from andante.motions.checks.context import ANGLE_TOLERANCE, Breach, Sampled, worst
from andante.motions.checks.rates import ACCELERATION, JUMP, SHAPE, SPEED, told
from andante.motions.checks.strides import FAR, Strides
from andante.motions.checks.targets import COUPLING
from andante.motions.findings import Severity
from andante.motions.interpolation import PEAK_SPEED
from andante.motions.sampling import Segment

LIMIT, DISTANCE = "limit", "distance"
_STRIDE = 8
"""Samples from one look at the balance to the next, 1.6 deg of the fastest joint: feet and trunk go 4 mm."""
_COUPLING_TOLERANCE = math.radians(0.6)
"""How far a posture may leave a coupling [rad]."""
_SPEED_PASS = 1.0
"""Share of a joint's speed limit up to which it is good."""
_SPEED_WARN = 2.5
"""Share above which it is an error."""
_JUMP_PASS = math.radians(200.0)
"""Change of velocity between two ticks up to which it is good [rad/s]."""
_JUMP_WARN = math.radians(1071.0)
"""Change above which it is an error: the largest in Sony's own motions [rad/s]."""
_STATIC_MARGIN = 0.010
"""Smallest distance of the centre of mass from the edge of the support polygon [m]."""


@worst(LIMIT)
def check_limits(context: AiboContext) -> Iterator[Breach]:
    """Postures beyond the software's limits (warning) or the mechanical stops (error)."""
    robot, slack = context.robot, ANGLE_TOLERANCE
    low, high = robot.stops
    for played, segment in context.segments():
        target = played.trajectory.position[segment.last]
        for joint in np.flatnonzero((target < robot.lower - slack) | (target > robot.upper + slack)):
            name, value = robot.joint_names[joint], float(target[joint])
            broken = value < low[joint] - slack or value > high[joint] + slack
            soft = robot.lower if value < robot.lower[joint] else robot.upper
            hard = low if value < robot.lower[joint] else high
            limit = float(hard[joint] if broken else soft[joint])
            kind = "mechanical stop" if broken else "software's limit"
            message = f"{name} at {math.degrees(value):.2f} deg is beyond the {kind} of {math.degrees(limit):.1f} deg"
            severity: Severity = "error" if broken else "warning"
            beyond = abs(value - limit)
            yield Breach(played.motion, segment, severity, message, segment.last, value, limit, beyond, name)


@worst(COUPLING)
def check_couplings(context: AiboContext) -> Iterator[Breach]:
    """Ticks at which joint angles exclude each other."""
    robot, tolerance = context.robot, _COUPLING_TOLERANCE
    for played, segment in context.segments():
        rows = played.looked_at(segment)
        columns = dict(zip(robot.joint_names, played.trajectory.position[rows].T, strict=True))
        broken = np.array([coupling.broken(columns, tolerance) for coupling in robot.couplings]).reshape(-1, len(rows))
        for at in np.flatnonzero(broken.any(axis=0)).tolist():
            sample = int(rows[at])
            angles = dict(zip(robot.joint_names, played.trajectory.position[sample].tolist(), strict=True))
            for number, coupling in enumerate(robot.couplings):
                off = coupling.breach(angles, tolerance)
                if off is None:
                    continue
                angle, limit = math.degrees(off.value), math.degrees(off.limit)
                message = f"{off.joint} at {angle:.1f} deg; limit {off.reason}: {limit:.1f} deg"
                met = (off.value, off.limit, off.excess, off.joint, (str(number),))
                yield Breach(played.motion, segment, "warning", message, sample, *met)


@worst(SPEED)
def check_speed(context: AiboContext) -> Iterator[Breach]:
    """Keyframes in which a joint is faster than its limit, with the time that it needs."""
    robot, rules = context.robot, context.rules
    for played, segment in context.segments():
        position = played.trajectory.position
        steps = np.abs(np.diff(position[segment.first - 1 : segment.last + 1], axis=0)) / rules.tick
        shares = steps.max(axis=0) / robot.max_velocity
        # What rounding of both ends adds to a speed.
        slack = ANGLE_TOLERANCE / (len(steps) * rules.tick) / robot.max_velocity
        for joint in np.flatnonzero(shares > _SPEED_PASS + slack):
            name, share, limit = robot.joint_names[joint], float(shares[joint]), float(robot.max_velocity[joint])
            way = float(abs(position[segment.last, joint] - position[segment.first - 1, joint]))
            needed = way * PEAK_SPEED[segment.interpolation] / limit
            value, sample = float(steps[:, joint].max()), segment.first + int(np.argmax(steps[:, joint]))
            message = (
                f"{name} moves at {math.degrees(value):.0f} deg/s, {share:.2f} of its limit of"
                f" {math.degrees(limit):.0f} deg/s; the way of {math.degrees(way):.0f} deg needs {needed * 1e3:.0f} ms"
            )
            severity: Severity = "error" if share > _SPEED_WARN + slack[joint] else "warning"
            yield Breach(played.motion, segment, severity, message, sample, value, limit, share, name)


@worst(JUMP)
def check_jumps(context: AiboContext) -> Iterator[Breach]:
    """Changes of velocity at keyframes, at the start and at the end."""
    robot, rules, limit = context.robot, context.rules, _JUMP_PASS
    slack = ANGLE_TOLERANCE / rules.tick
    for played, segment in context.segments():
        position, segments = played.trajectory.position, played.trajectory.segments
        for sample in (segment.first - 1, segment.last) if segment is segments[-1] else (segment.first - 1,):
            # Before the first sample and after the last the robot stands still.
            around = position[np.clip([sample - 1, sample, sample + 1], 0, len(position) - 1)]
            arriving, leaving = np.diff(around, axis=0) / rules.tick
            jumps = np.abs(leaving - arriving)
            for joint in np.flatnonzero(jumps > limit + slack):
                name, jump = robot.joint_names[joint], float(jumps[joint])
                message = told(JUMP, name, jump, limit)
                severity: Severity = "error" if jump > _JUMP_WARN + slack else "warning"
                yield Breach(played.motion, segment, severity, message, sample, jump, limit, jump, name)


@worst(ACCELERATION)
def check_acceleration(context: AiboContext) -> Iterator[Breach]:
    """Smooth keyframes that ask for much acceleration."""
    rules, limit = context.rules, context.rules.acceleration
    for played, segment in context.segments():
        *_, curvature = SHAPE[segment.interpolation]
        peaks = _ways(played, segment) * curvature / max(segment.duration, rules.tick) ** 2
        for joint in np.flatnonzero(peaks > limit):
            name, peak = context.robot.joint_names[joint], float(peaks[joint])
            message = told(ACCELERATION, name, peak, limit)
            yield Breach(played.motion, segment, "warning", message, segment.first, peak, limit, peak, name)


@worst(DISTANCE)
def check_distance(context: AiboContext) -> Iterator[Breach]:
    """Long ways between two poses: legal at a legal speed, but worth a note."""
    limit = context.rules.distance
    for played, segment in context.segments():
        ways = _ways(played, segment)
        for joint in np.flatnonzero(ways > limit + ANGLE_TOLERANCE):
            name, way = context.robot.joint_names[joint], float(ways[joint])
            message = (
                f"{name} goes {math.degrees(way):.0f} deg in one keyframe; noted above {math.degrees(limit):.0f} deg"
            )
            yield Breach(played.motion, segment, "info", message, segment.last, way, limit, way, name)


def _ways(played: Sampled, segment: Segment) -> NDArray[np.float64]:
    """Way of every joint in a keyframe, (nj,) [rad]."""
    position = played.trajectory.position
    return np.asarray(np.abs(position[segment.last] - position[segment.first - 1]))


@worst(COLLISION)
def check_collision(context: AiboContext) -> Iterator[Breach]:
    """Bodies that overlap (error) or come too close (warning) at a tick."""
    from andante.kinematics.collision import Clearances

    limit = context.rules.clearance
    strides = Strides(context.robot, limit)
    clearances = Clearances(context.robot, FAR)
    for played, segment in context.segments():
        for sample, close in strides.look(played.trajectory.position, played.looked_at(segment), clearances.at):
            for near in close:
                pair, away = (near.first, near.second), near.distance
                hit = away < -context.rules.overlap
                what = f"overlap by {-away * 1e3:.1f} mm" if hit else f"are {away * 1e3:.1f} mm apart"
                message = f"{near.first} and {near.second} {what}; limit: {limit * 1e3:.1f} mm apart"
                severity: Severity = "error" if hit else "warning"
                yield Breach(played.motion, segment, severity, message, sample, away, limit, -away, key=pair)


@worst(BALANCE)
def check_balance(context: AiboContext) -> Iterator[Breach]:
    """Ticks at which the robot, if it stood still on its feet, would tip over or nearly so.

    Postures in which something else than feet comes to the ground are not judged, nor are motions that sit or lie by
    their name: physics tells what happens then.
    """
    from andante.kinematics.support import resting
    from andante.motions.checks.standing import ball_margins

    robot, limit = context.robot, _STATIC_MARGIN
    if len(robot.feet) < 3 or any(foot.outline for foot in robot.feet):
        return
    kinematics = context.kinematics
    margins = partial(ball_margins, kinematics)
    for played in context.played:
        if not played.upright:
            continue
        for segment, row in least(played.trajectory, partial(_unsupported, context, played), margins, limit, _STRIDE):
            kinematics.update(played.trajectory.position[row])
            rest = resting(kinematics)
            if rest is None or rest.clearance < 0.0 or rest.margin >= limit:
                continue
            message = (
                f"the centre of mass is {abs(rest.margin) * 1e3:.0f} mm {'outside' if rest.margin < 0.0 else 'inside'}"
                f" the support of feet {', '.join(rest.feet)}; limit: {limit * 1e3:.0f} mm inside"
            )
            yield Breach(played.motion, segment, "warning", message, row, rest.margin, limit, -rest.margin)


def _unsupported(context: AiboContext, played: Sampled, segment: Segment) -> NDArray[np.intp]:
    """The samples of a segment that are looked at and in which the rules have nothing else carry the robot."""
    rows, rules = played.looked_at(segment), context.rules
    exempt = [(start, end) for motion, start, end in rules.supported if motion == played.motion]
    return rows[[not any(start <= row * rules.tick <= end for start, end in exempt) for row in rows.tolist()]]
