"""ComingToRest: robot and ball at their start, where the robot comes to rest, dropped anew until it lies as asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

from andante.backends.backend import BackendError, DivergenceError
from andante.backends.ball import place_ball
from andante.backends.floor import FloorVariation
from andante.backends.model_builder import ModelIndex
from andante.backends.placement import incline_below, lies, place, start_orientation, untangled_angles
from andante.backends.servos import ServoBank
from andante.backends.world import Settle, WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot

_DROPS = 20
"""Drops of a robot that is limp, then of one that its servos hold, and so on."""
_ROUNDS, _SIDE_ROUNDS = 2, 6
"""So often; one that shall lie on its side may roll off it in 19 of 20 drops."""
_MOST_DIVERGED = 3
"""Drops in which the physics may diverge: the last of them is raised."""
_MOST_REST_TICKS = 125
"""A robot that still slides or rolls is given this many more ticks to come to rest."""
_AT_REST = 0.1
"""Fastest coordinate of a robot at rest [m/s or rad/s]."""


@dataclass(eq=False)
class ComingToRest:
    """How the robot of a world comes to its start."""

    robot: Robot
    """The robot."""
    config: WorldConfig
    """The world."""
    model: mujoco.MjModel
    """Its model."""
    data: mujoco.MjData
    """Its state."""
    index: ModelIndex
    """Where things are in the model."""
    floor: FloorVariation
    """The floor as it was drawn."""
    servos: ServoBank
    """The robot's servos."""
    most_steps: int
    """Most physics steps between two aims of the servos."""
    tick_steps: int
    """Physics steps of a tick."""

    def begin(
        self, posture: np.random.Generator, drop: np.random.Generator, seed: int, run: Callable[[int, int], None]
    ) -> None:
        """Put robot and ball at their start and let the robot come to rest; drop it anew until it lies as asked.

        A robot that does not lie so when it is limp is held by its servos. A drop whose physics diverges is made anew,
        too: the solver failed there, not the robot. What diverges in several drops is raised.

        Args:
            posture: What the posture is drawn from.
            drop: What the orientation of a drop is drawn from.
            seed: Of the world, for the ball and a perturbation.
            run: Runs so many physics steps; the servos' targets move for at most so many of them at once.

        Raises:
            BackendError: The robot does not stay lying as asked.
            DivergenceError: The physics diverged in several drops.
        """
        start, data, floor = self.config.start, self.data, self.floor
        diverged, most = 0, _DROPS * (_SIDE_ROUNDS if start.lying in ("left", "right") else _ROUNDS)
        incline = incline_below(self.robot, self.config, self.model, data, self.index, floor)
        ground = floor.rotation if incline is None else incline.rotation
        for attempt in range(most):
            angles = untangled_angles(self.robot, start, self.model, data, self.index, posture)
            orientation = start_orientation(start, ground, drop)
            place(self.config, self.model, data, self.index, floor, angles, orientation, incline)
            if self.config.ball is not None:
                place_ball(data, self.config.ball, seed, floor.rest)
            self._hold(angles, start.stiffness)
            if start.settling is not None:
                try:
                    self._settle(start.settling, angles, attempt // _DROPS % 2 == 0, run)
                except DivergenceError:
                    diverged += 1
                    if diverged == _MOST_DIVERGED:
                        raise
                    mujoco.mj_resetData(self.model, data)
                    continue
            if start.lying is None or lies(start.lying, data.xmat[self.index.base].reshape(3, 3), ground[:, 2]):
                self._perturb(seed)
                return
            mujoco.mj_resetData(self.model, data)
        remedy = "give another start.posture or less noise"
        if not self._trunk_touches():
            remedy = "nothing of its trunk collides, and it sinks into the floor: give its model collision shapes"
        raise BackendError(
            f"the robot does not stay lying as asked in {most} drops",
            place="start.lying",
            value=start.lying,
            remedy=remedy,
        )

    def _trunk_touches(self) -> bool:
        """Whether a shape of the base, or of what is fixed to it, collides."""
        model, base = self.model, self.index.base
        of_trunk = model.body_weldid[model.geom_bodyid] == model.body_weldid[base]
        return bool(np.any(of_trunk & ((model.geom_contype > 0) | (model.geom_conaffinity > 0))))

    def _settle(self, settle: Settle, angles: Vector, limp: bool, run: Callable[[int, int], None]) -> None:
        """Let the robot come to rest, longer where it still moves; one not limp is held. Time 0 is afterwards."""
        data, held = self.data, min(settle.held, settle.duration) if limp else settle.duration
        for duration, stiffness in ((held, settle.stiffness), (settle.duration - held, 0.0)):
            self._hold(angles, stiffness)
            run(round(duration / self.config.timestep), self.most_steps)
            angles = data.qpos[self.index.qpos]
        for _ in range(_MOST_REST_TICKS):
            if np.abs(self.data.qvel).max() < _AT_REST:
                break
            run(self.tick_steps, self.tick_steps)
        data.time = 0.0

    def _perturb(self, seed: int) -> None:
        """Change the state at rest by as little as the world asks for."""
        perturbation = self.config.start.perturbation
        if perturbation is None:
            return
        turns, lift = perturbation.drawn(self.robot, seed)
        self.data.qpos[self.index.qpos] += turns
        if self.index.free is not None:
            self.data.qpos[self.index.free + 2] += lift
        mujoco.mj_forward(self.model, self.data)
        self.servos.mesh()

    def _hold(self, angles: Vector, stiffness: float) -> None:
        """Let the servos hold these joint angles."""
        self.servos.reset(self.robot.held(angles, stiffness).vector)
        self.servos.aim(0.0)
        mujoco.mj_forward(self.model, self.data)
        self.servos.mesh()
