"""Sparse curves per joint, as animation programs have them, to keyframes and back.

A curve is a list of knots with optional Bezier handles. Keyframes are set at all times at which any joint has a knot;
where Bezier curves bend, further ones are put between so that straight lines stay within `TOLERANCE`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from andante.formats.report import FormatError, Losses
from andante.formats.shared.steps import OutgoingKeyframe, keyframe_of
from andante.motions.keyframe import Interpolation, JointTarget, Keyframe

TOLERANCE = math.radians(0.25)
"""Wanted distance between a Bezier curve and its keyframes' lines [rad]."""
SHORTEST = 0.01
"""Keyframes that are put between are at least this far apart [s]."""
MAX_TARGETS = 100_000
"""Most targets (keyframes times joints) of one motion."""

_SAMPLES = 64
_CLOSE = 1e-9
_SINE = 0.3642
"""Handle length, as share of the duration, of the Bezier curve that is nearest to a sine; 0.02 % of the way apart."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Knot:
    """A point of a curve and its handles, relative to it."""

    time: float
    """Time [s]."""
    value: float
    """Angle [rad]."""
    left: tuple[float, float] | None = None
    """Handle towards the knot before: time (not above 0) [s] and angle [rad]; None: straight."""
    right: tuple[float, float] | None = None
    """Handle towards the next knot."""


@dataclass(frozen=True)
class Curve:
    """The curve of one joint; times increase."""

    joint: str
    """Joint name."""
    knots: tuple[Knot, ...]
    """Its knots."""


@dataclass(frozen=True)
class SampledCurves:
    """Keyframes of curves and how good they are."""

    keyframes: tuple[Keyframe, ...]
    """The keyframes."""
    error: float
    """Largest distance between a curve and its keyframes' lines [rad]."""
    joint: str
    """Where it is."""
    time: float
    """When it is [s]."""
    late: tuple[str, ...]
    """Joints whose first knot comes after the first keyframe: until then they are left alone."""


def sample(curves: Sequence[Curve]) -> SampledCurves:
    """Return the keyframes of curves.

    Raises:
        FormatError: There would be too many.
    """
    curves = [curve for curve in curves if curve.knots]
    lines = [_polyline(curve) for curve in curves]
    times = _times(curves, lines)
    if len(times) * len(curves) > MAX_TARGETS:
        raise FormatError(
            "the curves have too many knots", value=len(times) * len(curves), limit=f"{MAX_TARGETS} targets"
        )
    error, joint, when = 0.0, "", 0.0
    values = []
    for curve, (x, y) in zip(curves, lines, strict=True):
        held = np.interp(times, x, y)
        values.append(held)
        if len(x) > 1 and any(knot.left or knot.right for knot in curve.knots):
            inside = times[(times >= x[0]) & (times <= x[-1])]
            away = np.abs(np.interp(x, inside, np.interp(inside, x, y)) - y)
            if away.max() > error:
                error, joint, when = float(away.max()), curve.joint, float(x[away.argmax()])
    exact = [{knot.time: knot.value for knot in curve.knots} for curve in curves]
    keyframes = []
    before = 0.0
    for index, time in enumerate(times.tolist()):
        joints: dict[str, JointTarget] = {}
        for curve, row, points in zip(curves, values, exact, strict=True):
            if curve.knots[0].time <= time + _CLOSE:
                joints[curve.joint] = points.get(time, float(row[index]))
        keyframes.append(keyframe_of(max(time - before, 0.0), joints))
        before = max(time, 0.0)
    first = float(times[0]) if len(times) else 0.0
    late = tuple(curve.joint for curve in curves if curve.knots[0].time > first + _CLOSE)
    return SampledCurves(tuple(keyframes), error, joint, when, late)


def _polyline(curve: Curve) -> tuple[Vector, Vector]:
    """A curve as many short lines: times [s] and angles [rad]."""
    x: list[Vector] = [np.array([curve.knots[0].time])]
    y: list[Vector] = [np.array([curve.knots[0].value])]
    u = np.linspace(0.0, 1.0, _SAMPLES + 1)[1:]
    for a, b in pairwise(curve.knots):
        if a.right is None and b.left is None:
            x.append(np.array([b.time]))
            y.append(np.array([b.value]))
            continue
        length = b.time - a.time
        out, into = a.right or (0.0, 0.0), b.left or (0.0, 0.0)
        # Handles that reach beyond the other knot would turn time back.
        x1, x2 = min(max(out[0], 0.0), length), max(min(into[0], 0.0), -length)
        weights = 3.0 * (1.0 - u) ** 2 * u, 3.0 * (1.0 - u) * u**2, u**3
        time = weights[0] * x1 + weights[1] * (length + x2) + weights[2] * length
        way = weights[0] * out[1] + weights[1] * (b.value - a.value + into[1]) + weights[2] * (b.value - a.value)
        x.append(a.time + np.maximum.accumulate(time))
        y.append(a.value + way)
        x[-1][-1], y[-1][-1] = b.time, b.value
    return np.concatenate(x), np.concatenate(y)


def _times(curves: Sequence[Curve], lines: Sequence[tuple[Vector, Vector]]) -> Vector:
    """Times of the keyframes."""
    knots = np.unique(np.array([knot.time for curve in curves for knot in curve.knots], dtype=np.float64))
    if len(knots) * max(len(curves), 1) > MAX_TARGETS:
        return knots
    times: set[float] = set(knots.tolist())
    for curve, (x, y) in zip(curves, lines, strict=True):
        if not any(knot.left or knot.right for knot in curve.knots):
            continue
        for start, end in pairwise(knots):
            low, high = np.searchsorted(x, (start, end))
            if high - low > 2 and len(times) * len(curves) <= MAX_TARGETS:
                piece = slice(max(int(low) - 1, 0), int(high) + 1)
                times.update(_between(float(start), float(end), x[piece], y[piece]))
    return np.array(sorted(times), dtype=np.float64)


def _between(start: float, end: float, x: Vector, y: Vector) -> list[float]:
    """Times that cut a bent piece into lines that are near enough."""
    count = 1
    inside = x[(x >= start) & (x <= end)]
    while True:
        grid = np.linspace(start, end, count + 1)
        away = np.abs(np.interp(inside, grid, np.interp(grid, x, y)) - np.interp(inside, x, y))
        if away.max(initial=0.0) <= TOLERANCE or (end - start) / (2 * count) < SHORTEST:
            return [float(time) for time in grid[1:-1]]
        count *= 2


def curves_of(steps: Sequence[OutgoingKeyframe], losses: Losses) -> list[Curve]:
    """The curves of a motion's steps: a knot for every target, and one where a joint begins to move again.

    A curve has one angle at a time: of poses that follow at once the last one counts, and that is put down as a loss.
    """
    knots: dict[str, list[Knot]] = {}
    for step in steps:
        for joint, value in step.keyframe.joints.items():
            if isinstance(value, str):
                continue
            line = knots.setdefault(joint, [])
            if line and line[-1].time < step.start - _CLOSE:
                line.append(Knot(step.start, line[-1].value))
            out, into = _handles(step, value - line[-1].value if line else 0.0)
            if line and out is not None:
                line[-1] = replace(line[-1], right=out)
            if line and step.end <= line[-1].time + _CLOSE and line.pop().value != value:
                text = "a curve has one angle at a time; the pose before, which this one follows at once, is not held"
                losses.count(step.place, "at once", text)
            line.append(Knot(step.end, value, into))
    return [Curve(joint, tuple(line)) for joint, line in knots.items()]


def _handles(step: OutgoingKeyframe, way: float) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Handles at the start and at the end of a step over ``way`` [rad]."""
    length = step.duration
    if step.way is Interpolation.SINE_MIN_TO_MAX:
        return (_SINE * length, 0.0), (-_SINE * length, 0.0)
    if step.way is Interpolation.SINE_ZERO_TO_MAX:
        third = length / 3.0
        return (third, third * 0.5 * math.pi * way / length if length else 0.0), (-_SINE * length, 0.0)
    return None, None
