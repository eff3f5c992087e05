"""RcsssmjLikeBackend: a scenario's lying robot, moved by MuJoCo here as rcsssmj moves it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.rcsssmj.parts import PARTS, Part
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind


class RcsssmjLikeBackend(BackendKind):
    """Physics of rcsssmj by Andante's own MuJoCo, without its server; the start is that of the world as asked."""

    type: Literal["rcsssmj-like"] = "rcsssmj-like"
    """Kind of backend."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)] = PARTS
    """What is like rcsssmj; the rest is the scenario's ``world``."""

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The world.

        Raises:
            BackendError: The world has something that rcsssmj cannot be told of, or cannot be built.
        """
        from andante.backends.rcsssmj.like import LikeWorld

        return LikeWorld(robot, world, self.parts)

    def physics_period(self, world: WorldConfig) -> float:
        """Step of the physics [s]."""
        from andante.backends.rcsssmj.link import STEP

        return STEP if "step" in self.parts else world.timestep
