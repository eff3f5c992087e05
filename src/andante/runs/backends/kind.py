"""BackendKind: what a scenario says of that which is moved, and how the backend is made from it.

One file of this folder per kind, one line in `andante.runs.backends.registry`; an installed package brings one by an
entry point in the group ``andante.backends``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar

from andante.backends.backend import Backend
from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.guard_settings import GuardSettings
from andante.documents.settings import Settings
from andante.robots.robot import Robot

EVIDENCE = ("simulation", "fake of the protocol", "robot")
"""What a result of a run rests on, weakest first: physics, physics behind a robot's own protocol, a robot."""
WITH_TRUTH = " with ground truth"
"""What is said behind it where the controller saw what no robot measures."""


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
        """What results come from, for log, report and page: one of `EVIDENCE`, or ``recording``."""
        return "simulation"

    @property
    def linked(self) -> bool:
        """Whether a run goes over a link to a robot, or to a fake in another process: no batch of trials moves that."""
        return False

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

    def above(self, controller: Controller, backend: Backend, *, lies: bool = False) -> Controller:
        """What decides in place of a controller: where a robot must be armed and released, what does that around it.

        Args:
            controller: The scenario's.
            backend: What is moved; a recording where a run is done again.
            lies: Whether the robot begins or may end on the floor.
        """
        return controller

    def guarded(self, guard: GuardSettings) -> GuardSettings:
        """What the guard allows, by what the scenario allows."""
        return guard

    @property
    def overhead(self) -> float:
        """Time that arming and release may take beside the motion [s]."""
        return 0.0

    def prepared(self) -> AbstractContextManager[None]:
        """What holds while a run goes on: collection of garbage, processor and priority; nothing by default."""
        return nullcontext()
