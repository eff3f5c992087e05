"""PushSchedule: applies scripted pushes in exactly their physics steps."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.servos import NEVER
from andante.backends.world import WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot


class PushSchedule:
    """The pushes of a world; a push covers the physics steps ``[first, last)``."""

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._pushes: list[tuple[int, int, int, Vector, Vector | None]] = []
        bodies = [model.body(i).name for i in range(1, model.nbody)]
        for push in config.pushes:
            name = robot.base_body if push.body is None else push.body
            if name not in bodies:
                raise BackendError("a push names a body that the robot does not have", value=name, legal=bodies)
            first = round(push.time / config.timestep)
            count = max(1, round(push.duration / config.timestep))
            x, y, z = push.force or push.impulse or (0.0, 0.0, 0.0)
            if push.yaw:
                cos, sin = math.cos(push.yaw), math.sin(push.yaw)
                x, y = x * cos - y * sin, x * sin + y * cos
            force = np.array((x, y, z))
            if push.force is None:
                force = force / (count * config.timestep)
            point = None if push.point is None else np.array(push.point)
            self._pushes.append((first, first + count, int(model.body(name).id), force, point))
        edges = {edge for first, last, *_ in self._pushes for edge in (first, last)}
        self._edges = (*sorted(edges), NEVER)
        self.reset()

    def reset(self) -> None:
        """Go back to the start of the schedule."""
        self._next = 0
        self._active = False

    def update(self, step: int) -> int:
        """Set the external forces for the steps from ``step`` on; gives the step at which they change next."""
        if step >= self._edges[self._next]:
            while step >= self._edges[self._next]:
                self._next += 1
            self._active = True
        if self._active:
            self._apply(step)
        return self._edges[self._next]

    def _apply(self, step: int) -> None:
        applied = self._data.xfrc_applied
        applied[:] = 0.0
        self._active = False
        for first, last, body, force, point in self._pushes:
            if first <= step < last:
                self._active = True
                applied[body, 0:3] += force
                if point is not None:
                    arm = self._data.xmat[body].reshape(3, 3) @ point + self._data.xpos[body] - self._data.xipos[body]
                    applied[body, 3:6] += np.cross(arm, force)
