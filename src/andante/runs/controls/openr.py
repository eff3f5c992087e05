"""OpenRControl: the part of a scenario that plays motions through the OPEN-R player."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.openr.settings import FixedTiming, PlayerSettings, TimedCommand
from andante.robots.robot import Robot
from andante.runs.controls.motions import MotionControl


class OpenRControl(PlayerSettings, MotionControl):
    """The OPEN-R player plays motions of a library, one after another or as commands."""

    place: ClassVar[str] = "controller"

    type: Literal["openr"]
    """Kind of controller."""
    commands: Annotated[tuple[TimedCommand, ...], Field(max_length=1000)] = ()
    """Commands given during the run."""
    ids: dict[int, str] | None = None
    """Motion by command id; None: those of the Eagle Knights."""
    stops: tuple[int, ...] | None = None
    """Ids that stop whatever runs; None: 601."""
    counted: dict[int, FixedTiming] = Field(default_factory=dict)
    """Commands that are played with the seed's counted timing."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The player.

        Raises:
            AndanteError: The library cannot be read, or robot, library and settings do not fit.
        """
        from andante.control.openr.dispatcher import EAGLE_KNIGHTS, CommandTable
        from andante.control.openr.player import OpenRPlayer

        library = self.loaded(robot)
        table = CommandTable(
            motions=EAGLE_KNIGHTS.motions if self.ids is None else self.ids,
            stops=EAGLE_KNIGHTS.stops if self.stops is None else frozenset(self.stops),
            reserved={} if self.ids is not None else EAGLE_KNIGHTS.reserved,
            counted=self.counted,
        )
        for number, motion in (self.ids or {}).items():
            if motion not in library.motions:
                raise ControlError(
                    "a command id stands for a motion that the library lacks",
                    place=f"controller.ids.{number}",
                    value=motion,
                    legal=library.motions,
                )
        return OpenRPlayer(robot, library, self.motions, self.commands, table, PlayerSettings.of(self))
