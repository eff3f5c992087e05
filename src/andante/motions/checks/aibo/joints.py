"""Third criterion, joint by joint: limits, couplings, speed, jumps of velocity, acceleration, distance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.context import AiboContext, Played
from andante.motions.checks.context import Breach, worst
from andante.motions.findings import Severity
from andante.motions.interpolation import PEAK_SPEED, effective_interpolation
from andante.motions.keyframe import Interpolation
from andante.motions.sampling import Segment

LIMIT, COUPLING, SPEED, JUMP, ACCELERATION, DISTANCE = (
    "limit",
    "coupling",
    "speed",
    "velocity-jump",
    "acceleration",
    "distance",
)
_SMOOTH = {Interpolation.SINE_MIN_TO_MAX: 0.5 * math.pi**2, Interpolation.SINE_ZERO_TO_MAX: 0.25 * math.pi**2}
"""Largest curvature of each curve for unit way and duration."""


@worst(LIMIT)
def check_limits(context: AiboContext) -> Iterator[Breach]:
    """Postures beyond the software's limits (warning) or the mechanical stops (error)."""
    robot, slack = context.robot, context.rules.angle_tolerance
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
    robot, tolerance = context.robot, context.rules.coupling_tolerance
    for played, segment in context.segments():
        for sample in played.looked_at(segment).tolist():
            angles = dict(zip(robot.joint_names, played.trajectory.position[sample].tolist(), strict=True))
            for number, coupling in enumerate(robot.couplings):
                off = coupling.breach(angles, tolerance)
                if off is None:
                    continue
                value, limit, key = off.value, off.limit, (str(number),)
                message = (
                    f"{off.joint} at {math.degrees(value):.1f} deg; limit {off.reason}: {math.degrees(limit):.1f} deg"
                )
                yield Breach(
                    played.motion, segment, "warning", message, sample, value, limit, off.excess, off.joint, key
                )


@worst(SPEED)
def check_speed(context: AiboContext) -> Iterator[Breach]:
    """Keyframes in which a joint is faster than its limit, with the time that it needs."""
    robot, rules = context.robot, context.rules
    for played, segment in context.segments():
        position = played.trajectory.position
        steps = np.abs(np.diff(position[segment.first - 1 : segment.last + 1], axis=0)) / rules.tick
        shares = steps.max(axis=0) / robot.max_velocity
        # What rounding of both ends adds to a speed.
        slack = rules.angle_tolerance / (len(steps) * rules.tick) / robot.max_velocity
        for joint in np.flatnonzero(shares > rules.speed_pass + slack):
            name, share, limit = robot.joint_names[joint], float(shares[joint]), float(robot.max_velocity[joint])
            way = float(abs(position[segment.last, joint] - position[segment.first - 1, joint]))
            needed = way * PEAK_SPEED[_curve(context, segment)] / limit
            value, sample = float(steps[:, joint].max()), segment.first + int(np.argmax(steps[:, joint]))
            message = (
                f"{name} moves at {math.degrees(value):.0f} deg/s, {share:.2f} of its limit of"
                f" {math.degrees(limit):.0f} deg/s; the way of {math.degrees(way):.0f} deg needs {needed * 1e3:.0f} ms"
            )
            severity: Severity = "error" if share > rules.speed_warn + slack[joint] else "warning"
            yield Breach(played.motion, segment, severity, message, sample, value, limit, share, name)


@worst(JUMP)
def check_jumps(context: AiboContext) -> Iterator[Breach]:
    """Changes of velocity at keyframes, at the start and at the end."""
    robot, rules, limit = context.robot, context.rules, context.rules.jump_pass
    slack = rules.angle_tolerance / rules.tick
    for played, segment in context.segments():
        position, segments = played.trajectory.position, played.trajectory.segments
        for sample in (segment.first - 1, segment.last) if segment is segments[-1] else (segment.first - 1,):
            # Before the first sample and after the last the robot stands still.
            around = position[np.clip([sample - 1, sample, sample + 1], 0, len(position) - 1)]
            arriving, leaving = np.diff(around, axis=0) / rules.tick
            jumps = np.abs(leaving - arriving)
            for joint in np.flatnonzero(jumps > limit + slack):
                name, jump = robot.joint_names[joint], float(jumps[joint])
                message = (
                    f"{name} changes its velocity at once by {math.degrees(jump):.0f} deg/s;"
                    f" limit: {math.degrees(limit):.0f} deg/s"
                )
                severity: Severity = "error" if jump > rules.jump_warn + slack else "warning"
                yield Breach(played.motion, segment, severity, message, sample, jump, limit, jump, name)


@worst(ACCELERATION)
def check_acceleration(context: AiboContext) -> Iterator[Breach]:
    """Smooth keyframes that ask for much acceleration."""
    rules, limit = context.rules, context.rules.acceleration
    for played, segment in context.segments():
        curvature = _SMOOTH.get(_curve(context, segment))
        if curvature is None:
            continue
        duration = context.library.blocks[segment.block].keyframes[segment.keyframe].duration
        peaks = _ways(played, segment) * curvature / max(duration, rules.tick) ** 2
        for joint in np.flatnonzero(peaks > limit):
            name, peak = context.robot.joint_names[joint], float(peaks[joint])
            message = (
                f"{name} accelerates at {math.degrees(peak):.0f} deg/s^2; limit: {math.degrees(limit):.0f} deg/s^2"
            )
            yield Breach(played.motion, segment, "warning", message, segment.first, peak, limit, peak, name)


@worst(DISTANCE)
def check_distance(context: AiboContext) -> Iterator[Breach]:
    """Long ways between two poses: legal at a legal speed, but worth a note."""
    limit = context.rules.distance
    for played, segment in context.segments():
        ways = _ways(played, segment)
        for joint in np.flatnonzero(ways > limit + context.rules.angle_tolerance):
            name, way = context.robot.joint_names[joint], float(ways[joint])
            message = (
                f"{name} goes {math.degrees(way):.0f} deg in one keyframe; noted above {math.degrees(limit):.0f} deg"
            )
            yield Breach(played.motion, segment, "info", message, segment.last, way, limit, way, name)


def _ways(played: Played, segment: Segment) -> NDArray[np.float64]:
    """Way of every joint in a keyframe, (nj,) [rad]."""
    position = played.trajectory.position
    return np.asarray(np.abs(position[segment.last] - position[segment.first - 1]))


def _curve(context: AiboContext, segment: Segment) -> Interpolation:
    entry = context.library.blocks[segment.block]
    return effective_interpolation(entry.keyframes[segment.keyframe].interpolation, entry.interpolation)
