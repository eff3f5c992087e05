"""Tampering: what faults do to measurements after they were taken."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from andante.backends.fault import Fault
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, multiply, normalise

_READINGS = frozenset({"offset", "noisy", "dropped", "imu_offset", "imu_dropped"})


class Tampering:
    """Falsifies vectors of Sensors.

    Args:
        robot: The robot whose sensors they are.
        faults: Each fault with the joints that it hits, as joint indices.
    """

    def __init__(self, robot: Robot, faults: Sequence[tuple[Fault, Sequence[int]]]) -> None:
        self._part = robot.sensors_layout.slices
        self._faults: list[Fault] = []
        self._position: list[NDArray[np.intp]] = []
        self._columns: list[NDArray[np.intp]] = []
        for fault, joints in faults:
            self.add(fault, joints)
        self._rng = np.random.default_rng(0)
        self._held: dict[int, Vector] = {}
        self.active: list[int] = []
        """Faults that falsify something now."""

    def add(self, fault: Fault, joints: Sequence[int]) -> None:
        """One more fault, with the joints that it hits."""
        part = self._part
        imu = np.arange(part["orientation"].start, part["accelerometer"].stop)
        rows = [part[name].start for name in ("position", "velocity", "effort")]
        self._faults.append(fault)
        self._position.append(np.array(joints, dtype=np.intp) + part["position"].start)
        columns = np.array([row + joint for row in rows for joint in joints], dtype=np.intp)
        self._columns.append(imu if fault.of_imu else columns)

    def keep(self, count: int) -> None:
        """Forget all faults but the first ``count``."""
        del self._faults[count:], self._position[count:], self._columns[count:]

    def reset(self, rng: np.random.Generator) -> None:
        """Forget everything that was measured; ``rng`` gives the noise."""
        self._rng = rng
        self._held.clear()
        self.active = []

    def activate(self, active: Sequence[int]) -> None:
        """From now on these faults are active, given by their indices."""
        self.active = [i for i in active if self._faults[i].type in _READINGS]
        self._held = {i: held for i, held in self._held.items() if i in self.active}

    def apply(self, vector: Vector) -> None:
        """Falsify a measurement in place; lost readings come last, so that they hold what was read before them."""
        for i in self.active:
            fault = self._faults[i]
            if fault.type == "offset":
                vector[self._position[i]] += fault.angle or 0.0
            elif fault.type == "noisy":
                count = len(self._position[i])
                vector[self._position[i]] += (fault.angle or 0.0) * self._rng.standard_normal(count)
            elif fault.type == "imu_offset":
                self._shift_imu(fault, vector)
        for i in self.active:
            fault = self._faults[i]
            if fault.type in ("dropped", "imu_dropped"):
                columns = self._columns[i]
                if fault.reading == "nan":
                    vector[columns] = math.nan
                else:
                    vector[columns] = self._held.setdefault(i, vector[columns])

    def _shift_imu(self, fault: Fault, vector: Vector) -> None:
        part = self._part
        if fault.rotation is not None:
            orientation = vector[part["orientation"]]
            orientation[:] = normalise(multiply(orientation, exp(fault.rotation)))
        for name, shift in (("gyro", fault.rate), ("accelerometer", fault.acceleration)):
            if shift is not None:
                vector[part[name]] += shift
