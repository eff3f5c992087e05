"""PushSchedule: applies scripted pushes in exactly their physics steps, and one that somebody makes meanwhile."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.servos import NEVER, steps_in
from andante.backends.world import WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot


class PushSchedule:
    """The pushes of a world; a push covers the physics steps ``[first, last)``."""

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._pushes: list[tuple[int, int, int, Vector, Vector | None]] = []
        self._bodies = [model.body(i).name for i in range(1, model.nbody)]
        for push in config.pushes:
            body = self._number(robot.base_body if push.body is None else push.body)
            first = steps_in(push.time, config.timestep)
            count = max(1, steps_in(push.duration, config.timestep))
            x, y, z = push.force or push.impulse or (0.0, 0.0, 0.0)
            if push.yaw:
                cos, sin = math.cos(push.yaw), math.sin(push.yaw)
                x, y = x * cos - y * sin, x * sin + y * cos
            force = np.array((x, y, z))
            if push.force is None:
                force = force / (count * config.timestep)
            point = None if push.point is None else np.array(push.point)
            self._pushes.append((first, first + count, body, force, point))
        edges = {edge for first, last, *_ in self._pushes for edge in (first, last)}
        self._edges = (*sorted(edges), NEVER)
        self.reset()

    def reset(self) -> None:
        """Go back to the start of the schedule."""
        self._next = 0
        self._active = False
        self._held: tuple[int, Vector, Vector | None] | None = None

    def hold(self, body: str, force: Vector, point: Vector | None) -> None:
        """Push a body from now on until it is held otherwise or let go.

        Args:
            body: Its name.
            force: The force in the world [N], (3,).
            point: Where it acts, in the body's frame [m], (3,); None: the centre of mass.

        Raises:
            BackendError: The robot has no such body.
        """
        self._held, self._active = (self._number(body), force, point), True

    def let_go(self) -> None:
        """End what `hold` began."""
        self._held, self._active = None, True

    def _number(self, body: str) -> int:
        if body not in self._bodies:
            raise BackendError("a push names a body that the robot does not have", value=body, legal=self._bodies)
        return int(self._model.body(body).id)

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
        self._data.xfrc_applied[:] = 0.0
        self._active = self._held is not None
        for first, last, body, force, point in self._pushes:
            if first <= step < last:
                self._active = True
                self._add(body, force, point)
        if self._held is not None:
            self._add(*self._held)

    def _add(self, body: int, force: Vector, point: Vector | None) -> None:
        applied = self._data.xfrc_applied
        applied[body, 0:3] += force
        if point is not None:
            arm = self._data.xmat[body].reshape(3, 3) @ point + self._data.xpos[body] - self._data.xipos[body]
            applied[body, 3:6] += np.cross(arm, force)
