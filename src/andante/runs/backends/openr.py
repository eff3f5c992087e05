"""OpenRVectors: any backend behind OPEN-R command vectors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind
from andante.runs.backends.mujoco import MujocoBackend
from andante.runs.backends.registry import BACKENDS


class OpenRVectors(BackendKind):
    """Commands reach the joints in OPEN-R command vectors; see `andante.backends.openr`."""

    type: Literal["openr"] = "openr"
    """Kind of backend."""
    frames: Annotated[int, Field(ge=1, le=16)] = 4
    """Frames of 8 ms per command vector."""
    buffers: Annotated[int, Field(ge=2, le=64)] = 2
    """Buffers; joints move (buffers - 1) x frames ticks after the controller."""
    inner: Annotated[BackendKind, BACKENDS.by_type] = MujocoBackend()
    """What is moved by them."""

    @property
    def source(self) -> str:
        """What results come from."""
        return self.inner.source

    @property
    def linked(self) -> bool:
        """Whether the inner one goes over a link."""
        return self.inner.linked

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The backend behind its vectors.

        Raises:
            AndanteError: The robot's motion cycle is not 8 ms, or the inner backend cannot be made.
        """
        from andante.backends.openr import OpenRBackend

        return OpenRBackend(self.inner.backend(robot, world), self.frames, self.buffers)

    def physics_period(self, world: WorldConfig) -> float | None:
        """Step of the inner backend's physics [s]."""
        return self.inner.physics_period(world)
