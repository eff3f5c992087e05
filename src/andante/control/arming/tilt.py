"""TiltCheck: hands tilt a robot, and its IMU is looked at: what at rest shows no wrong sign, axis, order or unit.

A robot that stands still reads the same with its gyro in degrees, with axes turned, or with a quaternion whose real
part is the last. Two turns by hand show them all: gyro and orientation must tell of the same turn, as it was asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.robots.records import Sensors, Vector
from andante.spatial.rotations import conjugate, log, multiply

TURNS: tuple[tuple[str, int, float], ...] = (("forward", 1, 1.0), ("to its left side", 0, -1.0))
"""Ways in which a robot is tilted: in words, about which axis of its torso, and by which sign."""
_TURNED = 0.3
"""A turn of so much is judged [rad]."""
_WAIT = 1.0
"""So long is waited for the other sensor where only one of them tells of a turn [s]."""
_ALONG = 0.7
"""Share of a turn that must be about the asked axis."""
_QUARTER = 0.5 * math.pi
_ALIKE = 0.35
"""By which share gyro and orientation may differ."""


@dataclass(frozen=True)
class TiltFinding:
    """What a turn by hand showed."""

    way: str
    """The way that was asked for."""
    good: bool
    """Whether the IMU is right by it."""
    text: str
    """What was seen."""


class TiltCheck:
    """Watches one turn.

    Args:
        way: In words.
        axis: Axis of the torso, 0 to 2: x forward, y left, z up.
        sign: Direction about it.
    """

    def __init__(self, way: str, axis: int, sign: float) -> None:
        self._way, self._axis, self._sign = way, axis, sign
        self._begin: Vector | None = None
        self._time = self._since = 0.0
        self._turned: Vector = np.zeros(3)

    def see(self, sensors: Sensors) -> TiltFinding | None:
        """What was shown, as soon as the robot has turned; None before."""
        if self._begin is None:
            self._begin, self._time = sensors.orientation.copy(), sensors.time
            return None
        passed, self._time = sensors.time - self._time, sensors.time
        # Added up, not multiplied: a gyro in degrees turns many times round.
        self._turned = self._turned + sensors.gyro * passed
        by_gyro, by_orientation = self._turned, log(multiply(conjugate(self._begin), sensors.orientation))
        sizes = float(np.linalg.norm(by_gyro)), float(np.linalg.norm(by_orientation))
        if max(sizes) < _TURNED:
            return None
        self._since = self._since or sensors.time
        if min(sizes) < _TURNED and sensors.time - self._since < _WAIT:
            return None
        if turned := self._mounted(by_gyro, by_orientation, sensors.orientation):
            return TiltFinding(self._way, False, turned)
        for name, turn, size in (("orientation", by_orientation, sizes[1]), ("gyro", by_gyro, sizes[0])):
            wrong = self._amiss(turn, size)
            if wrong:
                return TiltFinding(self._way, False, f"{name} {wrong}")
        if abs(sizes[0] / sizes[1] - 1.0) > _ALIKE:
            text = f"gyro tells of a turn by {sizes[0]:.2f} rad, orientation by {sizes[1]:.2f}: wrong unit of the gyro"
            return TiltFinding(self._way, False, text)
        return TiltFinding(self._way, True, f"turned by {sizes[1]:.2f} rad, gyro and orientation agree")

    def _mounted(self, by_gyro: Vector, by_orientation: Vector, orientation: Vector) -> str:
        """How the IMU as a whole is turned in its torso, in words; empty: it is not, as far as both tell the same."""
        size = math.hypot(*by_orientation)
        alike = float(by_gyro @ by_orientation) / max(math.hypot(*by_gyro) * size, 1e-9)
        same = alike >= _ALONG and abs(math.hypot(*by_gyro) / max(size, 1e-9) - 1.0) <= _ALIKE
        if not same or float(by_orientation[self._axis]) * self._sign >= _ALONG * size:
            return ""
        text = (
            "gyro and orientation agree, and tell of another turn: the IMU is turned in the torso (backend.imu_turned"
        )
        w, x, y, z = orientation.tolist()
        flat = abs(float(by_orientation[2])) < (1.0 - _ALONG) * size
        if not (flat and w * w - x * x - y * y + z * z > _ALONG):
            return f"{text}), or both have another sign or order of axes"
        asked = np.zeros(3)
        asked[self._axis] = self._sign
        yaw = math.atan2(asked[1], asked[0]) - math.atan2(by_orientation[1], by_orientation[0])
        # No hand is better than that, and nobody mounts it askew.
        quarters = (round(yaw / _QUARTER) + 1) % 4 - 1
        setting = f"[0, 0, {quarters * _QUARTER:.4f}], {90 * quarters} deg about z"
        return f"{text}: {setting}), or both have another order of axes"

    def _amiss(self, turn: Vector, size: float) -> str:
        """What is wrong with a turn, in words; empty where nothing is."""
        if size < 0.1 * _TURNED:
            return "did not turn: it stands still, or has another unit"
        along = float(turn[self._axis]) * self._sign
        if along <= -_ALONG * size:
            return "turned the other way: wrong sign, or another order of the quaternion"
        if along < _ALONG * size:
            names = "xyz"
            main = int(np.argmax(np.abs(turn)))
            return f"turned about {names[main]} in place of {names[self._axis]}: wrong order of its numbers"
        return ""
