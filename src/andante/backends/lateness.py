"""Lateness: when measurements are taken and when they arrive: old, unevenly, or never."""

from __future__ import annotations

from collections import deque

import numpy as np

from andante.backends.servos import NEVER
from andante.backends.world import WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot


class Lateness:
    """Holds measurements back until they arrive.

    Args:
        robot: The robot whose measurements they are.
        config: How late they are.
    """

    def __init__(self, robot: Robot, config: WorldConfig) -> None:
        per_step = 1.0 / config.timestep
        self._age, self._jitter = round(config.sensor_latency * per_step), round(config.sensor_jitter * per_step)
        self._lag, self._loss = round(config.joint_latency * per_step), config.sensor_loss
        part = robot.sensors_layout.slices
        self._joints = slice(part["position"].start, part["effort"].stop)
        self._rng = np.random.default_rng(0)
        self._held: deque[tuple[int, Vector]] = deque()
        self.delayed = max(self._age, self._jitter, self._lag) > 0 or self._loss > 0.0
        """Whether measurements arrive late, so that each must be taken in time."""
        self._every = self._jitter > 0 or self._lag > 0
        self.reset(self._rng)

    def reset(self, rng: np.random.Generator) -> None:
        """Forget all measurements; ``rng`` decides which come late or never."""
        self._rng = rng
        self._held.clear()
        self._shown = 0
        self._arrived: Vector = np.zeros(0)

    def due(self, step: int, end: int, steps: int) -> int:
        """The first physics step from ``step`` on, before ``end``, at which a measurement must be taken; else never.

        Args:
            step: Physics step that comes next.
            end: Physics step at which time stops and what has arrived is read; see `at_end`.
            steps: How many physics steps lie between two readings.
        """
        if self._every:
            return step
        # What is read an age later is measured then, whatever part of a tick the age is.
        due = end - self._age % steps if self.delayed else end
        return due if step <= due < end else NEVER

    def at_end(self, steps: int) -> bool:
        """Whether a measurement must be taken where time stops, after ``steps`` physics steps."""
        return self._every or self._age % steps == 0

    def hold(self, step: int, vector: Vector) -> None:
        """Keep the measurement taken at physics step ``step`` until it arrives."""
        self._held.append((step, vector))

    def arrive(self, step: int) -> None:
        """Decide what is read at physics step ``step``: the newest measurement that is there, or the first one."""
        wait = self._age + (int(self._rng.integers(self._jitter + 1)) if self._jitter else 0)
        lost = self._loss > 0.0 and self._rng.random() < self._loss and len(self._arrived) > 0
        if lost:
            return
        wanted = max(step - wait, self._shown)
        held = self._held
        while len(held) > 1 and held[1][0] <= wanted - self._lag:
            held.popleft()
        older = newest = held[0]
        for each in held:
            if each[0] > wanted:
                break
            newest = each
        self._shown = newest[0]
        self._arrived = newest[1]
        if self._lag:
            self._arrived = newest[1].copy()
            self._arrived[self._joints] = older[1][self._joints]

    def read(self) -> Vector:
        """What has arrived last; a new vector."""
        return self._arrived.copy()
