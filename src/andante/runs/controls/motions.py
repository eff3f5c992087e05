"""MotionControl: what kinds of controllers have in common that play motions of a library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field

from andante.motions.editing.binding import bind
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind, absolute
from andante.runs.errors import ScenarioError
from andante.runs.library_robot import by_own_name
from andante.runs.motion_libraries import NAMELESS, library_path, load_motions


class MotionControl(ControlKind):
    """A controller that plays motions of a library."""

    library: str
    """Name of a shipped motion library, or the path of a file in any known format, seen from the scenario's file."""
    motions: Annotated[tuple[str, ...], Field(max_length=1000)] = ()
    """Motions in the order of playing, from the start; each begins when the one before is done."""

    def anchored(self, folder: Path) -> Self:
        """The same with the library's path made absolute where it exists in ``folder``."""
        return self.model_copy(update={"library": absolute(self.library, folder)})

    def loaded(self, robot: Robot) -> MotionLibrary:
        """The library.

        Raises:
            ScenarioError: There is none, or it is for another robot.
            AndanteError: It cannot be read.
        """
        library = load_motions(self.library)
        if robot.aliases and Path(self.library).suffix.lower() in NAMELESS:
            # The scenario names both; the file does not say which robot it is for.
            library = bind(library, robot).library
        if library.robot != robot.name:
            library = by_own_name(library, library_path(self.library))
        if library.robot != robot.name:
            raise ScenarioError(
                "the motion library is for another robot",
                place=self.library,
                value=library.robot,
                limit=f"robot {robot.name!r}",
            )
        return library
