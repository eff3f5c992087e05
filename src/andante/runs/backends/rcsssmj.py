"""RcsssmjBackend: a scenario's lying robot, moved by the simulator of RoboCup's soccer league over TCP."""

from __future__ import annotations

from typing import Literal

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind


class RcsssmjBackend(BackendKind):
    """Physics of rcsssmj; of the scenario's ``world`` the start and the noise of sensors count, and ``servo_strength``
    as a factor on gains."""

    type: Literal["rcsssmj"] = "rcsssmj"
    """Kind of backend."""

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The world.

        Raises:
            BackendError: rcsssmj is not installed or lacks the robot, or cannot be told of something in the world.
        """
        from andante.backends.rcsssmj.world import RcsssmjWorld

        return RcsssmjWorld(robot, world)

    def physics_period(self, world: WorldConfig) -> float:
        """Time between two commands [s]; rcsssmj's own steps are a quarter of it."""
        from andante.backends.rcsssmj.link import CYCLE

        return CYCLE
