"""MujocoBackend: the world that a scenario describes, simulated by MuJoCo."""

from __future__ import annotations

from typing import Literal

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind


class MujocoBackend(BackendKind):
    """Physics; everything about it is the scenario's ``world``."""

    type: Literal["mujoco"] = "mujoco"
    """Kind of backend."""

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The world.

        Raises:
            BackendError: Robot and world do not fit.
        """
        # MuJoCo is loaded only where something is simulated.
        from andante.backends.mujoco_world import MujocoWorld

        return MujocoWorld(robot, world)

    def physics_period(self, world: WorldConfig) -> float:
        """Step of the physics [s]."""
        return world.timestep
