"""How sensors contradict each other, in words: which exchange of axes, sign, order or unit would make them agree."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from andante.control.agreement_kernels import BOTH, COUNT, RATE, RATE2, TURN, TURN2
from andante.control.sensor_parts import SensorPart
from andante.robots.records import Vector
from andante.spatial.rotations import conjugate, log, multiply

_DEGREES = math.degrees(1.0)
_NEAR = 1.25
"""A factor is degrees in place of radians where it is so near to theirs."""
_ALIKE = 0.8
"""Correlation of two readings that tell of the same."""
_ROUGHLY = 0.6
"""The same where the other one is noisy."""
_STILL = 1e-5
"""Share of the other's moves at which one stands still."""
_SURE, _EQUAL = 25.0, 12.0
"""An explanation is believed, or as good as another, by so many times the mean square of what it leaves."""
_HEADED = 1e-9
"""So much this number of a quaternion changes where it tells a heading."""
_ORDER = 2.5
"""Effort of a quaternion in another order: less than two axes that are exchanged."""
_QUATERNIONS = (
    ("the quaternion fits the gyro when it is read as x y z w", (3, 0, 1, 2)),
    ("the quaternion fits the gyro when its first number is put last", (1, 2, 3, 0)),
)


def joint_words(sums: Vector) -> tuple[SensorPart, str]:
    """Which of a joint's sensors looks wrong, and how angle and speed contradict each other.

    Args:
        sums: What was added up of the two, (8,), see `andante.control.agreement_kernels`.
    """
    count = sums[COUNT]
    way2, speed2 = sums[TURN2] - sums[TURN] ** 2 / count, sums[RATE2] - sums[RATE] ** 2 / count
    both = sums[BOTH] - sums[TURN] * sums[RATE] / count
    if way2 <= _STILL * speed2:
        return SensorPart.ENCODER, "stands still while the speed tells of motion"
    if speed2 <= _STILL * way2:
        return SensorPart.SPEED, "tells of no motion while the angle moves"
    alike = _ALIKE * math.sqrt(way2 * speed2)
    if both < -alike:
        return SensorPart.SPEED, "has the other sign than the changes of the angle"
    if both > alike:
        times = speed2 / both
        return SensorPart.SPEED, f"is {times:.2g} times the changes of the angle" + _unit(times)
    return SensorPart.SPEED, "does not go with the changes of the angle"


def _unit(factor: float) -> str:
    """Whether a rate that is so many times too large may be in degrees, or the angle; empty where it is neither."""
    if _DEGREES / _NEAR < factor < _DEGREES * _NEAR:
        return ", as in degrees"
    return ", as angles in degrees" if 1.0 / (_DEGREES * _NEAR) < factor < _NEAR / _DEGREES else ""


def imu_words(kept: NDArray[np.float64], lag: int) -> str:
    """How turns by gyro and by orientation contradict each other.

    Args:
        kept: Blocks of readings, (blocks, 1 + n * lag, 8): time, orientation, gyro.
        lag: Readings between two that are compared.
    """
    swept = np.concatenate([_swept(block, lag) for block in kept])
    turned = _turned(kept, lag, (0, 1, 2, 3))
    ups = _ups(kept, lag)
    if ups is not None:
        # Without a heading only turns of the vertical are told.
        turned = _across(turned, ups)
    left, count = _left(turned, _across(swept, ups)), swept.size
    found = [
        (float(_effort(order, signs)), _left(turned, _across(swept[:, order] * signs, ups)), _axes(order, signs))
        for order in itertools.permutations(range(3))
        for signs in itertools.product((1.0, -1.0), repeat=3)
    ]
    if ups is None:
        found += [(_ORDER, _left(_turned(kept, lag, order), swept), text) for text, order in _QUATERNIONS]
    swept = _across(swept, ups)
    best = min(each for _, each, _ in found)
    # Of those that explain it as well the simplest is told, and a quaternion's order beside it: axes about which the
    # robot hardly turned do not tell them apart.
    alike = sorted(each for each in found if each[1] <= (1.0 + _EQUAL / count) * best)
    effort, rest, text = alike[0]
    if left - rest > _SURE * rest / count:
        orders = [each for other, _, each in alike if other == _ORDER]
        return text if effort == _ORDER or not orders else f"{text}, or {orders[0]}"
    by_gyro, by_orientation = swept - swept.mean(axis=0), turned - turned.mean(axis=0)
    one, other = float(np.sum(by_gyro**2)), float(np.sum(by_orientation**2))
    both = float(np.sum(by_gyro * by_orientation))
    # Noise of the orientation weakens how the two go together, so that they need not go as well as elsewhere.
    if both > _ROUGHLY * math.sqrt(one * other) and (unit := _unit(one / both)):
        return f"the gyro turns {one / both:.2g} times as far{unit}"
    # Times of the differences follow from those of the blocks.
    lasts = np.median(kept[:, -1, 0] - kept[:, 0, 0]) * len(kept) / len(swept)
    rates = [math.sqrt(float(np.mean(np.sum(each**2, axis=1)))) / max(float(lasts), 1e-9) for each in (swept, turned)]
    return f"they tell of different turns ({rates[0]:.2g} and {rates[1]:.2g} rad/s, root of mean squares)"


def _swept(block: NDArray[np.float64], lag: int) -> NDArray[np.float64]:
    """Turns by the gyro over each lag, (n, 3) [rad]."""
    steps = np.maximum(np.diff(block[:, 0]), 0.0)[:, None]
    each = 0.5 * steps * (block[1:, 5:8] + block[:-1, 5:8])
    summed: NDArray[np.float64] = each.reshape(-1, lag, 3).sum(axis=1)
    return summed


def _ups(kept: NDArray[np.float64], lag: int) -> NDArray[np.float64] | None:
    """The world's vertical amid each lag, in the axes of the body, (n, 3); None: the robot tells a heading."""
    w, x, y, z = np.moveaxis(kept[:, :, 1:5], -1, 0)
    level = w * z + x * y
    if np.abs(level - level[:, :1]).max() > _HEADED:
        return None
    up = np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z], axis=-1)
    mean = (up[:, :-1:lag] + up[:, lag::lag]).reshape(-1, 3)
    each: NDArray[np.float64] = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    return each


def _across(turns: NDArray[np.float64], ups: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Turns without what goes about the vertical, (n, 3) [rad]; all of them where there is a heading."""
    if ups is None:
        return turns
    left: NDArray[np.float64] = turns - np.sum(turns * ups, axis=1, keepdims=True) * ups
    return left


def _turned(kept: NDArray[np.float64], lag: int, order: tuple[int, ...]) -> NDArray[np.float64]:
    """Turns by the orientation, its numbers taken in an order, (n, 3) [rad]."""
    found = []
    for block in kept:
        turns = block[::lag, 1:5][:, order]
        found += [log(multiply(conjugate(a), b)) for a, b in itertools.pairwise(turns)]
    return np.array(found)


def _left(turned: NDArray[np.float64], swept: NDArray[np.float64]) -> float:
    """What an explanation leaves of the differences, without constant ones [rad^2]."""
    apart = turned - swept
    return float(np.sum((apart - apart.mean(axis=0)) ** 2))


def _effort(order: tuple[int, ...], signs: tuple[float, ...]) -> int:
    """How much must have gone wrong: signs that are turned, axes that are exchanged."""
    turned = sum(sign < 0.0 for sign in signs)
    return 2 * sum(at != axis for axis, at in enumerate(order)) + (2 if turned == 3 else turned)


def _axes(order: tuple[int, ...], signs: tuple[float, ...]) -> str:
    """Which axes of the gyro are read as which."""
    names = "xyz"
    wrong = [names[axis] for axis in range(3) if signs[axis] < 0.0]
    if order == (0, 1, 2) and len(wrong) == 3:
        return "all turns have the other sign: the gyro's, or the orientation is the turn back"
    if order == (0, 1, 2):
        return f"the gyro has the other sign about {' and '.join(wrong)}"
    read = [f"{'-' if signs[axis] < 0.0 else ''}{names[order[axis]]}" for axis in range(3)]
    return f"the gyro's axes are not x, y, z: {', '.join(read)} would fit the orientation"
