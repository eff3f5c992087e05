"""Speed, acceleration and velocity jumps of the nominal trajectories."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np

from andante.motions.checks.context import Breach, CheckContext, Sampled, worst
from andante.motions.interpolation import keyframe_ticks
from andante.motions.keyframe import Interpolation
from andante.motions.sampling import Segment
from andante.spatial.arrays import Array, Index

SPEED = "speed"
ACCELERATION = "acceleration"
JUMP = "velocity-jump"
_WORDS = {
    SPEED: ("moves at", "deg/s"),
    ACCELERATION: ("accelerates at", "deg/s^2"),
    JUMP: ("changes its velocity at once by", "deg/s"),
}

SHAPE = {
    Interpolation.LINEAR: (1.0, 1.0, 0.0),
    Interpolation.SINE_MIN_TO_MAX: (0.0, 0.0, 0.5 * math.pi**2),
    Interpolation.SINE_ZERO_TO_MAX: (0.5 * math.pi, 0.0, 0.25 * math.pi**2),
}
"""Slope at the start, slope at the end and largest curvature of each curve, for unit way and duration."""
_SHORT = 4
"""Keyframes of fewer ticks are steps rather than curves: their acceleration says nothing beside their speed."""
_SLACK = 1.0 + 1e-6
_VELOCITY_JUMP = 1.0
"""Largest change of a joint's velocity between two keyframes, as share of its speed limit."""


@worst(SPEED)
def check_speed(context: CheckContext) -> Iterator[Breach]:
    """Joints that go farther from one tick to the next than their speed limit allows."""
    for sampled in context.sampled():
        position = sampled.trajectory.position
        for segment, stiffness in _certain(sampled):
            steps = np.abs(np.diff(position[segment.first - 1 : segment.last + 1], axis=0)) / context.tick
            steps[:, (stiffness == 0.0) | ~sampled.known_before(segment)] = 0.0
            peak = steps.max(axis=0)
            at = np.argmax(steps >= peak * (1.0 - 1e-9), axis=0)
            yield from _breaches(context, sampled, segment, SPEED, peak, context.robot.max_velocity, segment.first + at)


@worst(ACCELERATION)
def check_acceleration(context: CheckContext) -> Iterator[Breach]:
    """Keyframes whose curve asks for more acceleration than a joint's limit."""
    for sampled in context.sampled():
        for segment, stiffness in _certain(sampled):
            duration, curve = segment.duration, segment.interpolation
            if keyframe_ticks(duration, context.tick) < _SHORT:
                continue
            peak = np.abs(_way(sampled, segment, stiffness)) * (SHAPE[curve][2] / duration**2)
            time = np.full(len(peak), segment.last if curve is Interpolation.SINE_ZERO_TO_MAX else segment.first)
            yield from _breaches(context, sampled, segment, ACCELERATION, peak, context.robot.max_acceleration, time)


@worst(JUMP)
def check_jumps(context: CheckContext) -> Iterator[Breach]:
    """Borders of two keyframes at which a joint's velocity changes at once by more than the settings' share."""
    limits = context.robot.max_velocity * _VELOCITY_JUMP
    for sampled in context.sampled():
        for (before, held), (after, stiffness) in pairwise(_certain(sampled)):
            leaving = _velocity(context, sampled, before, held, end=True)
            entering = _velocity(context, sampled, after, stiffness, end=False)
            jump = np.abs(entering - leaving)
            jump[stiffness == 0.0] = 0.0
            yield from _breaches(context, sampled, after, JUMP, jump, limits, np.full(len(jump), before.last))


def _certain(sampled: Sampled) -> Iterator[tuple[Segment, Array]]:
    """The segments whose whole way is known, with the joints' stiffness in each, (nj,)."""
    pairs = zip(sampled.trajectory.segments, sampled.trajectory.segment_stiffness, strict=True)
    return islice(pairs, 0 if sampled.known_start else 1, None)


def _way(sampled: Sampled, segment: Segment, stiffness: Array) -> Array:
    """Way of every joint in a keyframe, (nj,) [rad]; 0 for joints without stiffness or that come from nobody knows
    where."""
    position = sampled.trajectory.position
    way = position[segment.last] - position[segment.first - 1]
    return np.where((stiffness > 0.0) & sampled.known_before(segment), way, 0.0)


def _velocity(context: CheckContext, sampled: Sampled, segment: Segment, stiffness: Array, *, end: bool) -> Array:
    """Velocity of every joint at a keyframe's start or end, (nj,) [rad/s]."""
    slope = SHAPE[segment.interpolation][1 if end else 0]
    return _way(sampled, segment, stiffness) * (slope / max(segment.duration, context.tick))


def _breaches(
    context: CheckContext, sampled: Sampled, segment: Segment, rule: str, values: Array, limits: Array, ticks: Index
) -> Iterator[Breach]:
    """The joints whose values are beyond their limits, (nj,) each, with the tick of each."""
    for joint in np.flatnonzero(values > limits * _SLACK):
        name, value, limit = context.robot.joint_names[joint], float(values[joint]), float(limits[joint])
        message, at = told(rule, name, value, limit), int(ticks[joint])
        yield Breach(sampled.motion, segment, "warning", message, at, value, limit, value - limit, name)


def told(rule: str, joint: str, value: float, limit: float) -> str:
    """How far a joint is beyond a limit of its speed, acceleration or jump of velocity, in words."""
    verb, unit = _WORDS[rule]
    return f"{joint} {verb} {math.degrees(value):.0f} {unit}; limit: {math.degrees(limit):.0f} {unit}"
