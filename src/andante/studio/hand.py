"""Hand: somebody who meddles with the robot while it runs, never more strongly than the robot's weight.

The mouse pulls as by a spring; a key pushes with a force that stays the same for a while.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Thrust:
    """A push that goes on for a while."""

    body: str
    """The body, which is pushed at its origin."""
    force: tuple[float, float, float]
    """The force, in the world [N]."""
    duration: float
    """How long [s]."""


class Hand:
    """The spring between a grip and its target, or a thrust, tick by tick, and what is needed to do the same again.

    Its force is at most the robot's weight. What it has done is kept as pushes of a scenario, one per tick.

    Args:
        model: A model of the world, apart from the one that runs.
        base: The robot's base body.
    """

    def __init__(self, model: mujoco.MjModel, base: str) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        mass = float(model.body_subtreemass[model.body_rootid[model.body(base).id]])
        self._stiffness = _STIFFNESS * mass
        self.weight = _GRAVITY * mass
        """The robot's weight, the largest force [N]."""
        self.grip: Grip | None = None
        self._thrust: Thrust | None = None
        self._left = 0.0
        self.pushes: list[Push] = []
        self.told: dict[str, list[float]] | None = None
        """Where it pulls [m] and how [N], for pages."""

    @property
    def busy(self) -> bool:
        """Whether somebody pulls or pushes."""
        return self.grip is not None or self._thrust is not None

    def take(self, grip: Grip | None) -> None:
        """Hold the robot, or let it go.

        Raises:
            StudioError: The robot has no such body.
        """
        if grip is not None:
            self._possible(grip.body)
        self.grip, self._thrust = grip, None
        if grip is None:
            self.told = None

    def push(self, thrust: Thrust) -> None:
        """Push the robot from the next tick on; who held it lets it go.

        Raises:
            StudioError: The robot has no such body, or the force is larger than its weight.
        """
        self._possible(thrust.body)
        size = float(np.linalg.norm(thrust.force))
        if size > self.weight:
            raise StudioError(
                "the push is stronger than the robot's weight", value=f"{size:.4g} N", limit=f"{self.weight:.4g} N"
            )
        self.grip, self._thrust, self._left = None, thrust, thrust.duration

    def _possible(self, body: str) -> None:
        names = [self._model.body(number).name for number in range(1, self._model.nbody)]
        if body not in names:
            raise StudioError("the robot has no such body", value=body, legal=names)
        if len(self.pushes) >= _LONGEST:
            raise StudioError("this run was pushed for too long; another begins anew", limit=f"{_LONGEST} ticks")

    def pull(self, truth: Record, time: float, duration: float) -> tuple[str, Vector, Vector] | None:
        """What is done for a tick: body, force in the world [N] and point in the body's frame [m]; None: nothing.

        Args:
            truth: Where everything is, with the physics' ``qpos`` and ``qvel``.
            time: When the tick begins [s].
            duration: How long it is [s].
        """
        if self.busy and len(self.pushes) >= _LONGEST:
            self.take(None)
        if self._thrust is not None and self._left < 0.5 * duration:
            self.take(None)
        if self._thrust is not None:
            self._settle(truth)
            self._left -= duration
            body, force, point = self._thrust.body, self._thrust.force, (0.0, 0.0, 0.0)
            place = self._data.xpos[int(self._model.body(body).id)]
        elif self.grip is not None:
            self._settle(truth)
            body, point = self.grip.body, self.grip.point
            place, force = self._spring(self.grip)
        else:
            return None
        self.pushes.append(Push(time=time, duration=duration, force=force, body=body, point=point))
        self.told = {"at": place.tolist(), "force": list(force), "most": [self.weight]}
        return body, np.array(force), np.array(point)

    def _settle(self, truth: Record) -> None:
        self._data.qpos[:], self._data.qvel[:] = truth["qpos"], truth["qvel"]
        for settled in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
            settled(self._model, self._data)

    def _spring(self, grip: Grip) -> tuple[NDArray[np.float64], tuple[float, float, float]]:
        """Where the robot is held now, in the world [m], and with which force [N]."""
        model, data, body = self._model, self._data, int(self._model.body(grip.body).id)
        arm = data.xmat[body].reshape(3, 3) @ np.array(grip.point)
        place, speed = data.xpos[body] + arm, np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, speed, 0)
        # The velocity of the body's centre of mass frame, and the turning about it.
        moved = speed[3:] + np.cross(speed[:3], place - data.xipos[body])
        force = self._stiffness * (np.array(grip.target) - place) - _DAMPING * self._stiffness * moved
        size = float(np.linalg.norm(force))
        if size > self.weight:
            force *= self.weight / size
        x, y, z = (float(each) for each in force)
        return place, (x, y, z)
