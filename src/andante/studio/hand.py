"""Hand: somebody who pulls at the robot with the mouse while it runs, as by a spring that is never too strong."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from andante.backends.world import Push
from andante.robots.records import Record, Vector
from andante.studio.errors import StudioError

_STIFFNESS = 60.0
"""Stiffness of the spring per mass of the robot [N/(m kg)]: 16 cm away it pulls by the robot's weight."""
_DAMPING = 0.02
"""Damping per stiffness [s]."""
_GRAVITY = 9.81
_LONGEST = 6000
"""Most ticks of one run in which it is pushed: a minute of 10 ms."""


@dataclass(frozen=True)
class Grip:
    """Where somebody holds the robot, and where to."""

    body: str
    """The body."""
    point: tuple[float, float, float]
    """Where it is held, in the body's frame [m]."""
    target: tuple[float, float, float]
    """Where the hand is, in the world [m]."""


class Hand:
    """The spring between a grip and its target, tick by tick, and what is needed to do the same again.

    Its force is at most the robot's weight. What it has done is kept as pushes of a scenario, one per tick.

    Args:
        model: A model of the world, apart from the one that runs.
        base: The robot's base body.
    """

    def __init__(self, model: mujoco.MjModel, base: str) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        mass = float(model.body_subtreemass[model.body_rootid[model.body(base).id]])
        self._stiffness, self._most = _STIFFNESS * mass, _GRAVITY * mass
        self.grip: Grip | None = None
        self.pushes: list[Push] = []
        self.told: dict[str, list[float]] | None = None
        """Where it pulls [m] and how [N], for pages."""

    def take(self, grip: Grip | None) -> None:
        """Hold the robot, or let it go.

        Raises:
            StudioError: The robot has no such body.
        """
        if grip is not None:
            names = [self._model.body(number).name for number in range(1, self._model.nbody)]
            if grip.body not in names:
                raise StudioError("the robot has no such body", value=grip.body, legal=names)
            if len(self.pushes) >= _LONGEST:
                raise StudioError("this run was pushed for too long; another begins anew", limit=f"{_LONGEST} ticks")
        self.grip = grip
        if grip is None:
            self.told = None

    def pull(self, truth: Record, time: float, duration: float) -> tuple[str, Vector, Vector] | None:
        """What is done for a tick: body, force in the world [N] and point in the body's frame [m]; None: nothing.

        Args:
            truth: Where everything is, with the physics' ``qpos`` and ``qvel``.
            time: When the tick begins [s].
            duration: How long it is [s].
        """
        if self.grip is not None and len(self.pushes) >= _LONGEST:
            self.take(None)
        if self.grip is None:
            return None
        model, data, body = self._model, self._data, int(self._model.body(self.grip.body).id)
        data.qpos[:], data.qvel[:] = truth["qpos"], truth["qvel"]
        for settled in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
            settled(model, data)
        point = np.array(self.grip.point)
        arm = data.xmat[body].reshape(3, 3) @ point
        place, speed = data.xpos[body] + arm, np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, speed, 0)
        # The velocity of the body's centre of mass frame, and the turning about it.
        moved = speed[3:] + np.cross(speed[:3], place - data.xipos[body])
        force = self._stiffness * (np.array(self.grip.target) - place) - _DAMPING * self._stiffness * moved
        size = float(np.linalg.norm(force))
        if size > self._most:
            force *= self._most / size
        x, y, z = (float(each) for each in force)
        self.pushes.append(
            Push(time=time, duration=duration, force=(x, y, z), body=self.grip.body, point=self.grip.point)
        )
        self.told = {"at": place.tolist(), "force": [x, y, z], "most": [self._most]}
        return self.grip.body, np.array((x, y, z)), point
