"""ComingToRest: robot and ball at their start, where the robot comes to rest, dropped anew until it lies as asked."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from andante.backends.backend import BackendError, DivergenceError
from andante.backends.ball import place_ball
from andante.backends.floor import FloorVariation
from andante.backends.model_builder import ModelIndex
from andante.backends.placement import lies, place, start_orientation, untangled_angles
from andante.backends.servos import ServoBank
from andante.backends.world import Settle, WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot

_MOST_DROPS = 20
_MOST_DIVERGED = 3
"""Drops in which the physics may diverge: the last of them is raised."""
_MOST_REST_TICKS = 125
"""A robot that still slides or rolls is given this many more ticks to come to rest."""
_AT_REST = 0.1
"""Fastest coordinate of a robot at rest [m/s or rad/s]."""


class ComingToRest:
    """How the robot of a world comes to its start.

    Args:
        robot: The robot.
        config: The world.
        model: Its model.
        data: Its state.
        index: Where things are in the model.
        floor: The floor as it was drawn.
        servos: The robot's servos.
        most_steps: Most physics steps between two aims of the servos.
        tick_steps: Physics steps of a tick.
    """

    def __init__(
        self,
        robot: Robot,
        config: WorldConfig,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        index: ModelIndex,
        floor: FloorVariation,
        servos: ServoBank,
        most_steps: int,
        tick_steps: int,
    ) -> None:
        self._robot, self._config, self._model, self._data = robot, config, model, data
        self._index, self._floor, self._servos = index, floor, servos
        self._most_steps, self._tick_steps = most_steps, tick_steps

    def begin(
        self, posture: np.random.Generator, drop: np.random.Generator, seed: int, run: Callable[[int], None]
    ) -> None:
        """Put robot and ball at their start and let the robot come to rest; drop it anew until it lies as asked.

        A robot that does not lie so when it is limp is held by its servos. A drop whose physics diverges is made anew,
        too: the solver failed there, not the robot. What diverges in several drops is raised.

        Args:
            posture: What the posture is drawn from.
            drop: What the orientation of a drop is drawn from.
            seed: Of the world, for the ball and a perturbation.
            run: Runs so many physics steps.

        Raises:
            BackendError: The robot does not stay lying as asked.
            DivergenceError: The physics diverged in several drops.
        """
        start, data, floor = self._config.start, self._data, self._floor
        diverged = 0
        for attempt in range(2 * _MOST_DROPS):
            angles = untangled_angles(self._robot, start, self._model, data, self._index, posture)
            orientation = start_orientation(start, floor.rotation, drop)
            place(self._config, self._model, data, self._index, floor, angles, orientation)
            if self._config.ball is not None:
                place_ball(self._model, data, self._config.ball, seed)
            self._hold(angles, start.stiffness)
            if start.settling is not None:
                try:
                    self._settle(start.settling, angles, attempt < _MOST_DROPS, run)
                except DivergenceError:
                    diverged += 1
                    if diverged == _MOST_DIVERGED:
                        raise
                    mujoco.mj_resetData(self._model, data)
                    continue
            if start.lying is None or lies(start.lying, data.xmat[self._index.base].reshape(3, 3), floor.normal):
                self._perturb(seed)
                return
            mujoco.mj_resetData(self._model, data)
        raise BackendError(
            f"the robot does not stay lying as asked in {2 * _MOST_DROPS} drops",
            place="start.lying",
            value=start.lying,
            remedy="give another start.posture or less noise",
        )

    def _settle(self, settle: Settle, angles: Vector, limp: bool, run: Callable[[int], None]) -> None:
        """Let the robot come to rest, longer where it still moves; one not limp is held. Time 0 is afterwards."""
        data, held = self._data, min(settle.held, settle.duration) if limp else settle.duration
        for duration, stiffness in ((held, settle.stiffness), (settle.duration - held, 0.0)):
            self._hold(angles, stiffness)
            steps = round(duration / self._config.timestep)
            while steps > 0:
                count = min(steps, self._most_steps)
                self._servos.aim(count * self._config.timestep)
                run(count)
                steps -= count
            angles = data.qpos[self._index.qpos]
        for _ in range(_MOST_REST_TICKS):
            if np.abs(self._data.qvel).max() < _AT_REST:
                break
            self._servos.aim(self._tick_steps * self._config.timestep)
            run(self._tick_steps)
        data.time = 0.0

    def _perturb(self, seed: int) -> None:
        """Change the state at rest by as little as the world asks for."""
        perturbation = self._config.start.perturbation
        if perturbation is None:
            return
        turns, lift = perturbation.drawn(self._robot, seed)
        self._data.qpos[self._index.qpos] += turns
        if self._index.free is not None:
            self._data.qpos[self._index.free + 2] += lift
        mujoco.mj_forward(self._model, self._data)
        self._servos.mesh()

    def _hold(self, angles: Vector, stiffness: float) -> None:
        """Let the servos hold these joint angles."""
        self._servos.reset(self._robot.held(angles, stiffness).vector)
        self._servos.aim(0.0)
        mujoco.mj_forward(self._model, self._data)
        self._servos.mesh()
