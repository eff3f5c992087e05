"""What is wrong with readings of joints whose torques fit no command: exchanged legs, signs, units, an angle's zero.

Torques that are measured and those that are asked for tell of the same twice. Where they differ by every lag, each
explanation is tried on the last readings: the readings are put right by it, and it is believed where the torques fit
then. What fits without being put right, or by nothing, is not explained.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.sensor_parts import SensorPart

Floats = NDArray[np.float64]

_CAP = 0.1
"""Differences are cut at this share of the torque limit, as those by which lags are judged."""
_CUT = 0.08
"""A mean difference above this has mostly been cut."""
_FITS, _ONE_FITS = 0.01, 0.02
"""Mean difference below which all torques fit, and below which that of one joint does, as shares of the limits."""
_BETTER = 0.4
"""An explanation leaves no more than this share of the difference that there was."""
_ALIKE, _ROUGH = 1.5, 0.0005
"""The simplest explanation is told of those that leave no more than so many times the least and so much more."""
_LEAST_OFFSET = 0.03
"""A smaller error of an angle is not told [rad]."""
_MOVES = 0.01
"""A torque that varies by less, as a share of its limit, shows no error of its angle: a dead drive fits any."""
_LEAST_ROWS = 10
_TIMES = (0.5, 2.0)
"""Torques that are so many times what is asked have their right unit."""


@dataclass(frozen=True)
class DriveHistory:
    """Readings of the last tenth of a second, and the commands that each may show."""

    position: Floats
    """Measured angles, (n, nj) [rad]."""
    velocity: Floats
    """Measured speeds, (n, nj) [rad/s]."""
    effort: Floats
    """Measured torques, (n, nj) [N m]."""
    commands: Floats
    """By lag, from the newest command on: position, velocity, kp, kd, torque, (nk, n, 5, nj)."""
    period: float
    """Time between two readings [s]."""
    drives: Floats
    """Torque limit, corner and no-load speed of each joint, (3, nj)."""


@dataclass(frozen=True)
class Explanation:
    """What would make torques fit the commands."""

    part: SensorPart
    """Which sensors are read wrongly."""
    joints: tuple[int, ...]
    """Which joints' they are."""
    text: str
    """In words, with what the measured torques differ by from those that are asked for, then and as they are."""


def asked_torque(commands: Floats, position: Floats, velocity: Floats, drives: Floats) -> Floats:
    """Torques that drives give by their commands where they are, within their limits [N m].

    Args:
        commands: Position, velocity, kp, kd and torque, (..., 5, nj).
        position: Angles, (..., nj) [rad].
        velocity: Speeds, (..., nj) [rad/s].
        drives: Torque limit, corner and no-load speed, (3, nj).
    """
    q, dq, kp, kd, torque = np.moveaxis(commands, -2, 0)
    limit, corner, no_load = drives
    wanted = np.clip(kp * (q - position) + kd * (dq - velocity) + torque, -limit, limit)
    sloped = np.isfinite(no_load)
    room = np.where(sloped, no_load - corner, 1.0)
    share = np.where(sloped, (np.where(sloped, no_load, 0.0) - np.sign(wanted) * velocity) / room, 1.0)
    most: Floats = limit * np.clip(share, 0.0, 1.0)
    result: Floats = np.clip(wanted, -most, most)
    return result


@dataclass(frozen=True)
class _Found:
    """An explanation that was tried."""

    left: float
    """What all torques differ by then, a share of the limits."""
    then: float
    """The same of those that it is about."""
    before: float
    """What these differ by as they are read."""
    believed: bool
    """Whether that is an explanation."""
    part: SensorPart
    joints: tuple[int, ...]
    text: str


class _Trial:
    """Tries explanations on a history."""

    def __init__(self, history: DriveHistory, legs: Sequence[Sequence[int]], names: Sequence[str]) -> None:
        self._history, self._limit = history, history.drives[0]
        self._legs, self._names = np.array(legs), tuple(names)
        self._everybody = tuple(range(len(self._limit)))
        self._asked = self._torque(history.position, history.velocity)
        self.plain = self._left(self._asked, history.effort)
        """What the torques differ by as they are read, a share of the limits."""

    def _torque(self, position: Floats, velocity: Floats) -> Floats:
        history = self._history
        return asked_torque(history.commands, position, velocity, history.drives)

    def _apart(self, asked: Floats, effort: Floats) -> Floats:
        """Mean differences by lag and joint, (nk, nj)."""
        means: Floats = np.minimum(np.abs(asked - effort) / self._limit, _CAP).mean(axis=1)
        return means

    def _left(self, asked: Floats, effort: Floats) -> float:
        """The mean difference by the best lag."""
        return float(self._apart(asked, effort).mean(axis=1).min())

    def found(self) -> Iterator[_Found]:
        """All explanations, simple ones first."""
        history, everybody = self._history, self._everybody
        left = self._left(self._asked, -history.effort)
        yield self._of_all(left, SensorPart.EFFORT, everybody, "all measured torques have the other sign")
        yield from self._scaled()
        for joint in everybody:
            yield from self._one(joint)
        yield from self._exchanged()
        by_angles = np.gradient(history.position, axis=0) / history.period
        left = self._left(self._torque(history.position, by_angles), history.effort)
        yield self._of_all(left, SensorPart.SPEED, everybody, "the measured speeds are not those of the angles")

    def _of_all(self, left: float, part: SensorPart, joints: tuple[int, ...], text: str) -> _Found:
        believed = left <= min(_BETTER * self.plain, _FITS)
        return _Found(left, left, self.plain, believed, part, joints, text)

    def _of_one(self, joint: int, apart: tuple[float, float, float], part: SensorPart, text: str) -> _Found:
        """Of one joint: by what it differs then and as it is read, and the sum of all others'."""
        (then, before, rest), count = apart, len(self._limit)
        believed = then <= min(_BETTER * before, _ONE_FITS) and rest <= _ONE_FITS * (count - 1)
        return _Found((rest + then) / count, then, before, believed, part, (joint,), text)

    def _scaled(self) -> Iterator[_Found]:
        """Torques of another unit."""
        effort = self._history.effort
        size = np.sum((effort / self._limit) ** 2)
        if size <= 0.0:
            return
        factors = np.sum(self._asked * effort / self._limit**2, axis=(1, 2)) / size
        lefts = [self._left(self._asked[lag : lag + 1], factor * effort) for lag, factor in enumerate(factors.tolist())]
        best = int(np.argmin(lefts))
        if factors[best] > 0.0 and not 1.0 / _TIMES[1] < factors[best] < 1.0 / _TIMES[0]:
            text = f"all measured torques are {1.0 / factors[best]:.2g} times those that are asked for"
            yield self._of_all(lefts[best], SensorPart.EFFORT, self._everybody, text)

    def _one(self, joint: int) -> Iterator[_Found]:
        """One joint's torque with the other sign, or its angle with another zero."""
        history, limits, name = self._history, self._limit, self._names[joint]
        limit = limits[joint]
        effort, one = history.effort[:, joint], slice(joint, joint + 1)
        if float(effort.std()) < _MOVES * limit:
            return
        each = self._apart(self._asked, history.effort)
        others, turned = np.delete(each, joint, axis=1).sum(axis=1), self._apart(self._asked, -history.effort)
        # By a lag that is a little off a joint fits with another zero, too: no lag may fit it as it is.
        alike = np.flatnonzero(others <= _ALIKE * others.min() + _ROUGH * len(limits))
        plain = float(each[alike, joint].min())
        for lag in alike.tolist():
            then, rest = float(turned[lag, joint]), float(others[lag])
            text = f"the measured torque of {name} has the other sign"
            yield self._of_one(joint, (then, plain, rest), SensorPart.EFFORT, text)
            stiff = history.commands[lag, :, 2, joint]
            if stiff.min() <= 0.0:
                continue
            # So much less than it reads is what the drive goes by.
            offset = -float(np.median((self._asked[lag, :, joint] - effort) / stiff))
            if abs(offset) < _LEAST_OFFSET:
                continue
            commands, position = history.commands[lag, :, :, one], history.position[:, one] - offset
            asked = asked_torque(commands, position, history.velocity[:, one], history.drives[:, one])
            then = float(np.minimum(np.abs(asked[:, 0] - effort) / limit, _CAP).mean())
            if then > _BETTER * self._weak(joint, lag):
                continue
            text = f"the angle of {name} reads {abs(offset):.2f} rad {'more' if offset > 0 else 'less'} than its drive"
            yield self._of_one(joint, (then, plain, rest), SensorPart.ENCODER, f"{text} goes by")

    def _weak(self, joint: int, lag: int) -> float:
        """What a joint's torques differ by if its drive gives the same share of what is asked, whatever that is."""
        asked, effort = self._asked[lag, :, joint], self._history.effort[:, joint]
        share = max(float(asked @ effort) / max(float(asked @ asked), 1e-12), 0.0)
        return float(np.minimum(np.abs(share * asked - effort) / self._limit[joint], _CAP).mean())

    def _exchanged(self) -> Iterator[_Found]:
        """Legs whose readings are those of other legs."""
        history, legs, limit = self._history, self._legs, self._limit
        count = len(legs)
        kinds: tuple[tuple[str, SensorPart, Callable[[int, int], tuple[int, int, int]]], ...] = (
            ("angles, speeds and torques", SensorPart.ENCODER, lambda a, b: (b, b, b)),
            ("angles and speeds", SensorPart.ENCODER, lambda a, b: (b, b, a)),
            ("torques", SensorPart.EFFORT, lambda a, b: (a, a, b)),
            ("angles", SensorPart.ENCODER, lambda a, b: (b, a, a)),
            ("speeds", SensorPart.SPEED, lambda a, b: (a, b, a)),
        )
        for what, part, read in kinds:
            left = np.empty((count, count, len(history.commands)))
            for a, b in itertools.product(range(count), repeat=2):
                at, (angle, speed, torque) = legs[a], (legs[each] for each in read(a, b))
                asked = asked_torque(
                    history.commands[..., at],
                    history.position[:, angle],
                    history.velocity[:, speed],
                    history.drives[:, at],
                )
                apart = np.minimum(np.abs(asked - history.effort[:, torque]) / limit[at], _CAP)
                left[a, b] = apart.mean(axis=(1, 2))
            for order in itertools.permutations(range(count)):
                moved = [leg for leg in range(count) if order[leg] != leg]
                if not moved:
                    continue
                value = float(np.mean([left[a, b] for a, b in enumerate(order)], axis=0).min())
                joints = tuple(int(joint) for leg in moved for joint in legs[leg])
                yield self._of_all(value, part, joints, f"the {what} of {self._pairs(order)}")

    def _pairs(self, order: Sequence[int]) -> str:
        """Which legs are read in place of which."""
        name = [_leg_name([self._names[joint] for joint in leg]) for leg in self._legs]
        pairs = [(a, b) for a, b in enumerate(order) if a < b and order[b] == a]
        if len({leg for pair in pairs for leg in pair}) == sum(a != b for a, b in enumerate(order)):
            told = [f"{name[a]} and {name[b]}" for a, b in pairs]
            return f"{' and of '.join(told)} are exchanged"
        return f"{', '.join(name)} stand in the order {', '.join(name[each] for each in np.argsort(order))}"


def _leg_name(joints: Sequence[str]) -> str:
    """What a leg is called: what the names of its joints begin with, else its first joint."""
    common = ""
    for letters in zip(*joints, strict=False):
        if len(set(letters)) > 1:
            break
        common += letters[0]
    return common.strip("_-. ") or joints[0]


def explained(history: DriveHistory, legs: Sequence[Sequence[int]], names: Sequence[str]) -> Explanation | None:
    """What would make the measured torques fit the commands; None: they fit as they are, or by nothing that is known.

    Args:
        history: What was read and asked lately.
        legs: The joints of each leg, in the same order for all.
        names: Names of the joints, nj of them.
    """
    if len(history.position) < _LEAST_ROWS or not math.isfinite(float(history.effort.sum())):
        return None
    trial = _Trial(history, legs, names)
    found = [each for each in trial.found() if each.believed]
    if not found:
        return None
    best = min(each.left for each in found)
    told = next(each for each in found if each.left <= _ALIKE * best + _ROUGH)
    # Differences are cut where nothing more is learnt from them.
    cut = " or more" if told.before > _CUT else ""
    by = f"{100.0 * told.then:.1f} % of the limit in place of {100.0 * told.before:.1f} %{cut}"
    return Explanation(told.part, told.joints, f"{told.text}; put right, they miss what is asked by {by}")
