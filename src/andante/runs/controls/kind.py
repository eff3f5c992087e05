"""ControlKind: what a scenario says of a controller, and how the controller is made from it.

One file of this folder per kind, one line in `andante.runs.controls.registry`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.documents.settings import Settings
from andante.planning.planner import Planner
from andante.robots.robot import Robot
from andante.runs.controls.asked import NOTHING, Asked

if TYPE_CHECKING:
    from andante.planning.walk.planner import WalkPlanner


class ControlKind(Settings, ABC):
    """A kind of controller; its field ``type`` is the `Literal` of its name."""

    place: ClassVar[str] = "controller"
    tracked: ClassVar[bool] = False
    """Whether it needs motion capture, so that a robot without it gets it."""

    type: str
    """Kind of controller."""

    @abstractmethod
    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The controller that is described.

        Raises:
            AndanteError: It cannot be made for this robot, or in this world.
        """

    @property
    def sees_truth(self) -> bool:
        """Whether the controller sees what no robot measures, so that it runs in simulation only.

        Raises:
            AndanteError: What it names cannot be read.
        """
        return False

    @property
    def gets_up(self) -> bool:
        """Whether all that is asked is to get up, however the robot begins: then no fall counts before it stands."""
        return False

    def driven(self, robot: Robot) -> Robot:
        """The robot as this kind of controller drives it.

        Raises:
            AndanteError: It cannot drive this robot.
        """
        return robot

    def look_for_files(self) -> None:
        """See that the files that it names are there, before anything is run.

        Raises:
            AndanteError: One is not.
        """

    def binding_note(self, robot: str) -> str:
        """What a person should be told where this is of another robot than the one of a name; empty: nothing.

        Raises:
            AndanteError: What it names cannot be read.
        """
        return ""

    def steered_by_program(self) -> Self | None:
        """The same where it is told at every tick how fast to go, in place of a script; None: it is not steered."""
        return None

    def assumed(self, robot: Robot) -> tuple[str, ...]:
        """Topics of the robot's sources on which a run depends that were guessed or assumed, told beside its result."""
        return ()

    def planner(self, controller: Controller, world: WorldConfig) -> Planner[Any, Any] | None:
        """What thinks beside a controller of this kind in a world; None: nothing.

        Raises:
            AndanteError: It cannot be made.
        """
        return None

    def walk_planner(self, robot: Robot, world: WorldConfig) -> WalkPlanner | None:
        """What plans a whole walk over the world's terrain foot by foot, without walking it; None: this kind does not.

        Raises:
            AndanteError: The robot has other legs, there is no goal, or the terrain cannot be read.
        """
        return None

    def asked(self, robot: Robot) -> Asked:
        """What this part of the scenario asks of the robot, by which the run is judged.

        Raises:
            AndanteError: What it names cannot be read.
        """
        return NOTHING

    def anchored(self, folder: Path) -> Self:
        """The same with paths that exist in ``folder`` made absolute."""
        return self


def absolute(name: str, folder: Path, known: Container[str] = ()) -> str:
    """The path of a file that exists in a folder; any other name, and those that are known without a file, as it is."""
    path = folder / name
    return str(path.resolve()) if name not in known and path.exists() else name
