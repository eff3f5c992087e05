"""OpenRControl: motions of a library, played as an AIBO's OPEN-R plays them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.openr.settings import FixedTiming, PlayerSettings, TimedCommand
from andante.motions.library import MotionLibrary
from andante.motions.posture_ways import posture_after, way_to
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
        settings, start = PlayerSettings.of(self), world.start.posture
        posture = start if isinstance(start, str) else None
        _check_ways(library, self.motions, posture)
        return OpenRPlayer(robot, library, self.motions, self.commands, table, settings, posture)


def _check_ways(library: MotionLibrary, motions: Sequence[str], posture: str | None) -> None:
    """Refuse motions one after another of which one begins in a posture that nothing leads to."""
    for motion in motions:
        if motion in library.motions:
            way_to(library, motion, posture)
            posture = posture_after(library, motion, posture)
