"""OpenRControl: the part of a scenario that plays motions through the OPEN-R player."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from andante.control.controller import ControlError, Controller
from andante.control.openr.dispatcher import EAGLE_KNIGHTS, CommandTable
from andante.control.openr.playback import CountedTiming
from andante.control.openr.player import OpenRPlayer, PlayerConfig, TimedCommand
from andante.documents.quantities import Duration, Number, Seconds
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Given(_Part):
    """A command given during the run."""

    time: Annotated[Seconds, Field(ge=0.0)]
    """When [s]."""
    command: Annotated[int, Field(ge=0)]
    """Its id."""


class Counted(_Part):
    """The seed's counted timing for one command."""

    switches: Annotated[tuple[int, ...], Field(min_length=1)]
    """Calls at which the motion's keyframes are set, rising from 1."""
    finish: int
    """Call at which the motion is over."""


class OpenRControl(_Part):
    """The OPEN-R player plays motions of a library, one after another or as commands."""

    type: Literal["openr"]
    """Kind of controller."""
    library: str
    """Name of a shipped motion library, or the path of a file in any known format, seen from the scenario's file."""
    motions: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Motions in the order of playing, from the start."""
    commands: Annotated[tuple[Given, ...], Field(max_length=1000)] = ()
    """Commands given during the run."""
    ids: dict[int, str] | None = None
    """Motion by command id; None: those of the Eagle Knights."""
    stops: tuple[int, ...] | None = None
    """Ids that stop whatever runs; None: 601."""
    counted: dict[int, Counted] = Field(default_factory=dict)
    """Commands that are played with the seed's counted timing."""
    frames: Annotated[int, Field(ge=1, le=16)] = 4
    """Frames of 8 ms per command vector."""
    buffers: Annotated[int, Field(ge=2, le=64)] = 2
    """Buffers of the sender."""
    queue: Annotated[int, Field(ge=0, le=1000)] = 1
    """Motions that may wait while one runs."""
    stop_time: Duration = PlayerConfig.stop_time
    """Time in which a stop brings all joints to rest [s]."""
    stiffness: Annotated[Number, Field(gt=0.0, le=1.0)] = PlayerConfig.stiffness
    """Share of the servos' gains."""
    retime: bool = True
    """Stretch keyframes in which a joint would be faster than its limit."""


def openr_player(control: OpenRControl, robot: Robot, library: MotionLibrary) -> Controller:
    """The player that a scenario describes.

    Raises:
        ControlError: Robot, library and settings do not fit.
    """
    table = CommandTable(
        motions=EAGLE_KNIGHTS.motions if control.ids is None else control.ids,
        stops=EAGLE_KNIGHTS.stops if control.stops is None else frozenset(control.stops),
        reserved={} if control.ids is not None else EAGLE_KNIGHTS.reserved,
        counted={key: CountedTiming(entry.switches, entry.finish) for key, entry in control.counted.items()},
    )
    for number, motion in (control.ids or {}).items():
        if motion not in library.motions:
            raise ControlError(
                "a command id stands for a motion that the library lacks",
                place=f"controller.ids.{number}",
                value=motion,
                legal=library.motions,
            )
    config = PlayerConfig(
        frames=control.frames,
        buffers=control.buffers,
        queue=control.queue,
        stop_time=control.stop_time,
        stiffness=control.stiffness,
        retime=control.retime,
    )
    script = [TimedCommand(entry.time, entry.command) for entry in control.commands]
    return OpenRPlayer(robot, library, control.motions, script, table, config)
