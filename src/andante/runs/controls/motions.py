"""The part of a scenario that plays motions of a library through the keyframe engine, and what others have of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.errors import AndanteError
from andante.motions.editing.binding import bind, unlike_note
from andante.motions.errors import MotionError
from andante.motions.fitting import fitting
from andante.motions.library import UNKNOWN_ROBOT, MotionLibrary
from andante.motions.posture_kind import MotionEnds, dives, ends_of, own_name
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.runs.controls.asked import NOTHING, Asked
from andante.runs.controls.kind import ControlKind
from andante.runs.errors import ScenarioError
from andante.runs.motion_libraries import (
    anchored_library,
    bind_file,
    library_path,
    read_for,
    robot_said,
    robot_source,
    shipped_libraries,
)

if TYPE_CHECKING:
    from andante.formats.report import ReadReport


class MotionControl(ControlKind):
    """A controller that plays motions of a library."""

    library: str
    """Name of a shipped motion library, or the path of a file in any known format, seen from the scenario's file."""
    motions: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Motions in the order of playing, from the start; each begins when the one before is done."""
    _held: MotionLibrary | None = PrivateAttr(default=None)

    def holding(self, library: MotionLibrary) -> Self:
        """The same that plays motions from memory in place of its file's: those of a search, which have no file.

        Args:
            library: Motions that are bound to the robot and fit it.
        """
        found = self.model_copy()
        found._held = library
        return found

    def anchored(self, folder: Path) -> Self:
        """The same with the library's path made absolute where it exists in ``folder``."""
        return self.model_copy(update={"library": anchored_library(self.library, folder)})

    def look_for_files(self) -> None:
        """See that the library is there.

        Raises:
            AndanteError: It is not.
        """
        library_path(self.library)

    def binding_note(self, robot: str) -> str:
        """That motions of one robot's file are played by another.

        Raises:
            AndanteError: The motion library cannot be read.
        """
        if self.library == robot:
            return ""
        from andante.formats.report import ReadReport

        file, report = library_path(self.library), ReadReport()
        library = read_for(file, robot, report)
        called = library.robot
        if called in (UNKNOWN_ROBOT, robot) or robot_source(called, file) == robot:
            return ""
        if robot not in ROBOTS and called not in ROBOTS:
            # Only the model's file tells whether it is the robot of this name.
            return ""
        if self.library in shipped_libraries():
            own = f" (there is a library {robot!r})" if robot in shipped_libraries() else ""
            told = f"library {self.library!r} is for robot {called!r}; {robot} takes its angles as they are{own}"
        else:
            told = f"{robot_said(called, file, report)}; its motions are bound to {robot}, whose joints it names"
        return "; ".join((told, *_unlike(library, robot, robot_source(called, file), report)))

    def asked(self, robot: Robot) -> Asked:
        """The postures in which the motions begin and end, and what may touch the ground meanwhile.

        Raises:
            AndanteError: The library cannot be read.
        """
        return asked_of(self.loaded(robot), self.motions)

    def loaded(self, robot: Robot) -> MotionLibrary:
        """The library, bound to the robot.

        Raises:
            ScenarioError: There is none, or it is for another robot, whose joints this one has not.
            AndanteError: It cannot be read.
        """
        if self._held is not None:
            return self._held
        try:
            return bind_file(library_path(self.library), robot).library
        except MotionError as error:
            limit = f"robot {robot.name!r}"
            what = "the motion library is for another robot"
            raise ScenarioError(what, place=self.library, limit=limit, remedy=str(error)) from error


def _unlike(library: MotionLibrary, robot: str, source: str, report: ReadReport) -> Iterator[str]:
    """What does not fit where a library of the robot of ``source`` is played by another one."""
    from andante.formats.registry import FORMATS

    try:
        bound = bind(library, robot)
    except AndanteError:
        # It cannot be played at all, which its run tells.
        return
    if bound.dropped:
        yield f"left out, for it has no such joints: {', '.join(bound.dropped)}"
    note = unlike_note(source, bound) if FORMATS[report.format].says_robot else ""
    if note:
        yield note


def asked_of(library: MotionLibrary, motions: Sequence[str]) -> Asked:
    """What playing these motions one after another asks; motions that the library lacks ask nothing."""
    known = [name for name in motions if name in library.motions]
    if not known:
        return NOTHING
    told = [ends_of(library, name) for name in known]
    touching = [name for motion in known for name in library.motions[motion].may_touch]
    if not all(each.upright for each in told):
        touching.append("*")
    ends = MotionEnds(told[0].start, told[-1].end, told[0].declared)
    return Asked(ends=ends, may_touch=tuple(touching), may_fall=any(dives(own_name(library, name)) for name in known))


class KeyframeControl(KeyframeEngineSettings, MotionControl):
    """The keyframe engine plays motions of a library, one after another."""

    place: ClassVar[str] = "controller"

    type: Literal["keyframes"] = "keyframes"
    """Kind of controller."""
    get_up: bool = False
    """Get up by whatever motion fits; done when the robot stands. Give this or ``motions``."""
    mirror: bool = False
    """Exchange left and right."""
    tries: Annotated[int, Field(ge=1, le=100)] | None = None
    """Tries before the robot asks for help; None: as the library says."""

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        if bool(self.motions) == self.get_up:
            raise ValueError("give either motions or get_up")
        return self

    @property
    def gets_up(self) -> bool:
        """Whether it gets up by whatever motion fits."""
        return self.get_up

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The engine with its playlist.

        Raises:
            AndanteError: The library cannot be read, does not fit the robot or lacks a motion.
        """
        from andante.control.keyframes.engine import Playlist

        played = (self.recover_motion, self.stand_motion) if self.get_up else self.motions
        library = self.loaded(robot)
        if self._held is None:
            library = fitting(library, robot, played)
        if self.tries is not None:
            settings = library.settings.model_copy(update={"max_tries": self.tries})
            library = library.model_copy(update={"settings": settings})
        wanted = (None,) if self.get_up else self.motions
        requests = [MotionRequest(motion, self.mirror) for motion in wanted]
        return Playlist(robot, library, requests, KeyframeEngineSettings.of(self), ahead=self._held is None)
