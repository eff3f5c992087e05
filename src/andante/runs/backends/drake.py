"""DrakeBackend: the world that a scenario describes, simulated by Drake, as a second opinion."""

from __future__ import annotations

from typing import Literal

from andante.backends.backend import Backend
from andante.backends.drake.settings import DrakeSettings
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind


class DrakeBackend(BackendKind):
    """Physics of another engine; everything about it is the scenario's ``world`` but ``solver``, which is MuJoCo's."""

    type: Literal["drake"] = "drake"
    """Kind of backend."""
    settings: DrakeSettings = DrakeSettings()
    """How Drake solves contacts and motors."""

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The world.

        Raises:
            BackendError: Drake is not installed, or robot and world do not fit.
        """
        from andante.backends.drake.world import DrakeWorld

        return DrakeWorld(robot, world, self.settings)

    def physics_period(self, world: WorldConfig) -> float:
        """Step of the physics [s]."""
        return world.timestep
