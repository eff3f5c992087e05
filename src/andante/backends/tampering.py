"""Tampering: what faults do to measurements after they were taken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.backends.fault import Fault
from andante.backends.servos import NEVER
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, multiply, normalise

_READINGS = frozenset({"offset", "noisy", "dropped", "imu_offset", "imu_dropped"})


@dataclass(eq=False, slots=True)
class Hit:
    """A fault of a world: whom it hits, and when."""

    fault: Fault
    """The fault."""
    motors: list[int]
    """Motors of its joints."""
    joints: NDArray[np.intp]
    """All joints of these motors, (n,)."""
    position: NDArray[np.intp]
    """Where Sensors have their positions, (n,)."""
    columns: NDArray[np.intp]
    """Where Sensors have what is lost when they drop out, (m,)."""
    begin: int = NEVER
    """Physics step at which it begins."""
    end: int = NEVER
    """Physics step at which it ends."""
    heard: bool = False
    """Whether what it waits for has happened."""


class Tampering:
    """Falsifies vectors of Sensors.

    Args:
        robot: The robot whose sensors they are.
    """

    def __init__(self, robot: Robot) -> None:
        self._part = robot.sensors_layout.slices
        self._rng = np.random.default_rng(0)
        self._held: dict[Hit, Vector] = {}
        self.active: list[Hit] = []
        """Faults that falsify something now."""

    def hit(self, fault: Fault, motors: list[int], joints: Sequence[int]) -> Hit:
        """A fault that hits motors and their joints."""
        part, numbers = self._part, np.array(joints, dtype=np.intp)
        if fault.of_imu:
            columns = np.arange(part["orientation"].start, part["accelerometer"].stop)
        else:
            columns = np.concatenate([part[name].start + numbers for name in ("position", "velocity", "effort")])
        return Hit(fault, motors, numbers, part["position"].start + numbers, columns)

    def reset(self, rng: np.random.Generator) -> None:
        """Forget everything that was measured; ``rng`` gives the noise."""
        self._rng = rng
        self._held.clear()
        self.active = []

    def activate(self, active: Sequence[Hit]) -> None:
        """From now on these faults are active."""
        self.active = [hit for hit in active if hit.fault.type in _READINGS]
        self._held = {hit: held for hit, held in self._held.items() if hit in self.active}

    def apply(self, vector: Vector) -> None:
        """Falsify a measurement in place; lost readings come last, so that they hold what was read before them."""
        for hit in self.active:
            fault = hit.fault
            if fault.type == "offset":
                vector[hit.position] += fault.angle or 0.0
            elif fault.type == "noisy":
                vector[hit.position] += (fault.angle or 0.0) * self._rng.standard_normal(len(hit.position))
            elif fault.type == "imu_offset":
                self._shift_imu(fault, vector)
        for hit in self.active:
            if hit.fault.type in ("dropped", "imu_dropped"):
                if hit.fault.reading == "nan":
                    vector[hit.columns] = math.nan
                else:
                    vector[hit.columns] = self._held.setdefault(hit, vector[hit.columns])

    def _shift_imu(self, fault: Fault, vector: Vector) -> None:
        part = self._part
        if fault.rotation is not None:
            orientation = vector[part["orientation"]]
            orientation[:] = normalise(multiply(orientation, exp(fault.rotation)))
        for name, shift in (("gyro", fault.rate), ("accelerometer", fault.acceleration)):
            if shift is not None:
                vector[part[name]] += shift
