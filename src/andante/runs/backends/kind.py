"""BackendKind: what a scenario says of that which is moved, and how the backend is made from it.

One file of this folder per kind, one line in `andante.runs.backends.registry`; an installed package brings one by an
entry point in the group ``andante.backends``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.documents.settings import Settings
from andante.robots.robot import Robot


class BackendKind(Settings, ABC):
    """A kind of backend; its field ``type`` is the `Literal` of its name.

    A backend without ground truth gives None for it: falls and motion are then not known, the verdict says so, and
    what sensors and commands tell is measured as ever.
    """

    place: ClassVar[str] = "backend"

    type: str
    """Kind of backend."""

    @property
    def source(self) -> str:
        """What results come from, for log and report: ``simulation``, ``hardware``, ``recording``."""
        return "simulation"

    @abstractmethod
    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The backend that is described.

        Args:
            robot: The robot, as it is driven.
            world: The world that the scenario describes; a backend that is no simulation may ignore it.

        Raises:
            AndanteError: It cannot be made for this robot, or in this world.
        """

    def physics_period(self, world: WorldConfig) -> float | None:
        """Step of its physics, of which the control period must be a multiple; None: it has none [s]."""
        return None
