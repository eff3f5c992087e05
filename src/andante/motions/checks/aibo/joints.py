"""Third criterion, joint by joint: limits, couplings, speed, jumps of velocity, acceleration, distance."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from andante.motions.checks.aibo.context import AiboContext
from andante.motions.checks.context import Worst
from andante.motions.findings import Finding
from andante.motions.interpolation import PEAK_SPEED, effective_interpolation
from andante.motions.keyframe import Interpolation

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


def check_limits(context: AiboContext) -> Iterator[Finding]:
    """Postures beyond the software's limits (warning) or the mechanical stops (error)."""
    robot, worst = context.robot, Worst()
    low, high = robot.stops
    slack = context.rules.angle_tolerance
    for played in context.played:
        for segment in played.trajectory.segments:
            target = played.trajectory.position[segment.last]
            for joint in np.flatnonzero((target < robot.lower - slack) | (target > robot.upper + slack)):
                value = float(target[joint])
                broken = value < low[joint] - slack or value > high[joint] + slack
                soft = robot.lower if value < robot.lower[joint] else robot.upper
                hard = low if value < robot.lower[joint] else high
                limit = float(hard[joint] if broken else soft[joint])
                kind = "mechanical stop" if broken else "software's limit"
                name = robot.joint_names[joint]
                finding = context.finding(
                    LIMIT,
                    "error" if broken else "warning",
                    played,
                    f"{name} at {math.degrees(value):.2f} deg is beyond the {kind} of {math.degrees(limit):.1f} deg",
                    segment=segment,
                    joint=name,
                    sample=segment.last,
                    value=value,
                    limit=limit,
                )
                worst.add(finding, abs(value - limit), name)
    yield from worst.findings()


def check_couplings(context: AiboContext) -> Iterator[Finding]:
    """Ticks at which joint angles exclude each other."""
    robot, worst = context.robot, Worst()
    for played in context.played:
        for segment in played.trajectory.segments:
            for sample in played.looked_at(segment).tolist():
                angles = dict(zip(robot.joint_names, played.trajectory.position[sample].tolist(), strict=True))
                for number, coupling in enumerate(robot.couplings):
                    breach = coupling.breach(angles, context.rules.coupling_tolerance)
                    if breach is None:
                        continue
                    finding = context.finding(
                        COUPLING,
                        "warning",
                        played,
                        f"{breach.joint} at {math.degrees(breach.value):.1f} deg; limit {breach.reason}:"
                        f" {math.degrees(breach.limit):.1f} deg",
                        segment=segment,
                        joint=breach.joint,
                        sample=sample,
                        value=breach.value,
                        limit=breach.limit,
                    )
                    worst.add(finding, breach.excess, str(number))
    yield from worst.findings()


def check_speed(context: AiboContext) -> Iterator[Finding]:
    """Keyframes in which a joint is faster than its limit, with the time that it needs."""
    robot, rules, worst = context.robot, context.rules, Worst()
    for played in context.played:
        position = played.trajectory.position
        for segment in played.trajectory.segments:
            steps = np.abs(np.diff(position[segment.first - 1 : segment.last + 1], axis=0)) / rules.tick
            shares = steps.max(axis=0) / robot.max_velocity
            # What rounding of both ends adds to a speed.
            slack = rules.angle_tolerance / (len(steps) * rules.tick) / robot.max_velocity
            for joint in np.flatnonzero(shares > rules.speed_pass + slack):
                name, share = robot.joint_names[joint], float(shares[joint])
                way = float(abs(position[segment.last, joint] - position[segment.first - 1, joint]))
                needed = way * PEAK_SPEED[_curve(context, segment.block, segment.keyframe)] / robot.max_velocity[joint]
                finding = context.finding(
                    SPEED,
                    "error" if share > rules.speed_warn + slack[joint] else "warning",
                    played,
                    f"{name} moves at {math.degrees(steps[:, joint].max()):.0f} deg/s, {share:.2f} of its limit of"
                    f" {math.degrees(robot.max_velocity[joint]):.0f} deg/s; the way of {math.degrees(way):.0f} deg"
                    f" needs {needed * 1e3:.0f} ms",
                    segment=segment,
                    joint=name,
                    sample=segment.first + int(np.argmax(steps[:, joint])),
                    value=float(steps[:, joint].max()),
                    limit=float(robot.max_velocity[joint]),
                )
                worst.add(finding, share, name)
    yield from worst.findings()


def check_jumps(context: AiboContext) -> Iterator[Finding]:
    """Changes of velocity at keyframes, at the start and at the end."""
    robot, rules, worst = context.robot, context.rules, Worst()
    slack = rules.angle_tolerance / rules.tick
    for played in context.played:
        position = played.trajectory.position
        still = position[-1:]
        velocity = np.diff(np.vstack([position[:1], position, still]), axis=0) / rules.tick
        for number, segment in enumerate(played.trajectory.segments):
            borders = [segment.first - 1] + ([segment.last] if number + 1 == len(played.trajectory.segments) else [])
            for sample in borders:
                # velocity[k] leads to sample k, velocity[k + 1] away from it
                jumps = np.abs(velocity[sample + 1] - velocity[sample])
                for joint in np.flatnonzero(jumps > rules.jump_pass + slack):
                    name, jump = robot.joint_names[joint], float(jumps[joint])
                    finding = context.finding(
                        JUMP,
                        "error" if jump > rules.jump_warn + slack else "warning",
                        played,
                        f"{name} changes its velocity at once by {math.degrees(jump):.0f} deg/s;"
                        f" limit: {math.degrees(rules.jump_pass):.0f} deg/s",
                        segment=segment,
                        joint=name,
                        sample=sample,
                        value=jump,
                        limit=rules.jump_pass,
                    )
                    worst.add(finding, jump, name)
    yield from worst.findings()


def check_acceleration(context: AiboContext) -> Iterator[Finding]:
    """Smooth keyframes that ask for much acceleration."""
    robot, rules, worst = context.robot, context.rules, Worst()
    for played in context.played:
        position = played.trajectory.position
        for segment in played.trajectory.segments:
            curvature = _SMOOTH.get(_curve(context, segment.block, segment.keyframe))
            if curvature is None:
                continue
            duration = context.library.blocks[segment.block].keyframes[segment.keyframe].duration
            peaks = (
                np.abs(position[segment.last] - position[segment.first - 1])
                * curvature
                / max(duration, rules.tick) ** 2
            )
            for joint in np.flatnonzero(peaks > rules.acceleration):
                name = robot.joint_names[joint]
                finding = context.finding(
                    ACCELERATION,
                    "warning",
                    played,
                    f"{name} accelerates at {math.degrees(peaks[joint]):.0f} deg/s^2;"
                    f" limit: {math.degrees(rules.acceleration):.0f} deg/s^2",
                    segment=segment,
                    joint=name,
                    sample=segment.first,
                    value=float(peaks[joint]),
                    limit=rules.acceleration,
                )
                worst.add(finding, float(peaks[joint]), name)
    yield from worst.findings()


def check_distance(context: AiboContext) -> Iterator[Finding]:
    """Long ways between two poses: legal at a legal speed, but worth a note."""
    robot, rules, worst = context.robot, context.rules, Worst()
    for played in context.played:
        position = played.trajectory.position
        for segment in played.trajectory.segments:
            ways = np.abs(position[segment.last] - position[segment.first - 1])
            for joint in np.flatnonzero(ways > rules.distance + rules.angle_tolerance):
                name = robot.joint_names[joint]
                finding = context.finding(
                    DISTANCE,
                    "info",
                    played,
                    f"{name} goes {math.degrees(ways[joint]):.0f} deg in one keyframe;"
                    f" noted above {math.degrees(rules.distance):.0f} deg",
                    segment=segment,
                    joint=name,
                    sample=segment.last,
                    value=float(ways[joint]),
                    limit=rules.distance,
                )
                worst.add(finding, float(ways[joint]), name)
    yield from worst.findings()


def _curve(context: AiboContext, block: str, keyframe: int) -> Interpolation:
    entry = context.library.blocks[block]
    return effective_interpolation(entry.keyframes[keyframe].interpolation, entry.interpolation)
