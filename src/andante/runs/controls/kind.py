"""ControlKind: what the parts of a scenario have in common that make a controller by themselves.

One file of this folder per kind; the union that a scenario may name is `andante.runs.scenario.Control`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.planning.planner import Planner
from andante.robots.robot import Robot


class ControlPart(BaseModel):
    """A part of a controller's description: frozen, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ControlKind(ControlPart, ABC):
    """A kind of controller that needs nothing but robot and world."""

    tracked: ClassVar[bool] = False
    """Whether it needs motion capture, so that a robot without it gets it."""

    @abstractmethod
    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The controller that is described.

        Raises:
            AndanteError: It cannot be made for this robot, or in this world.
        """

    def planner(self, controller: Controller, world: WorldConfig) -> Planner[Any, Any] | None:
        """What thinks beside a controller of this kind in a world; None: nothing.

        Raises:
            AndanteError: It cannot be made.
        """
        return None
