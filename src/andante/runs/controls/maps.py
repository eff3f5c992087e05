"""MapSettings: what a planner, an estimator or a controller is told of the ground, and how that was measured.

The one place of the rooms above the simulated worlds where a world's terrain becomes a map. Everything that walks by a
map gets it from here; the ground itself is for the physics, and for who judges a run.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from andante.backends.terrain import TerrainChoice
from andante.backends.world import WorldConfig
from andante.documents.quantities import Length
from andante.runs.controls.kind import absolute
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import TerrainError
from andante.terrain.map_source import MapSource, MovingWindow, WholeMap
from andante.terrain.survey import SurveyErrors, survey

_AROUND = 0.25
"""A robot that sets out knows something of the ground as near as this [m]."""
_LEVEL, _SPACING = 4.0, 0.01
"""Half the side of the level map where the world has no terrain, and its spacing [m]."""


class MapSettings(SurveyErrors):
    """Which map is given, how it was measured, and what its reader makes of it."""

    place: ClassVar[str] = "map"

    terrain: TerrainChoice | None = None
    """What the map shows: a file that was measured or drawn, or a board. None: a survey of the world's own terrain."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Decides the errors."""
    median: Annotated[int, Field(ge=1, le=15)] | None = None
    """Side of the square of nodes whose median the planner takes, odd; it keeps edges and averages errors. 1: none;
    None: 5 where nodes have errors of their own, else 1."""

    @model_validator(mode="after")
    def _has_middle(self) -> Self:
        if self.median is not None and self.median % 2 == 0:
            raise ValueError("a median is taken over an odd number of nodes")
        return self

    def anchored(self, folder: Path) -> Self:
        """The same with the file's path made absolute where it exists in ``folder``."""
        if self.terrain is None or self.terrain.file is None:
            return self
        file = absolute(self.terrain.file, folder)
        return self.model_copy(update={"terrain": self.terrain.model_copy(update={"file": file})})

    def seen(self, ground: ElevationMap) -> ElevationMap:
        """The ground after this survey."""
        from scipy import ndimage

        errors = SurveyErrors.of(self)
        seen = ground if errors == SurveyErrors() else survey(ground, errors, self.seed)
        side = self.median or (5 if self.noise > 0.0 else 1)
        if side == 1:
            return seen
        heights = ndimage.median_filter(seen.filled("nearest").heights, side, mode="nearest")
        return ElevationMap(np.where(seen.known, heights, np.nan), seen.origin, seen.spacing, seen.variance)

    def known(self, world: WorldConfig) -> ElevationMap | None:
        """All that is known of a world's ground; None: it is level, and no map is given.

        Raises:
            TerrainError: The terrain cannot be read.
        """
        choice = self.terrain or world.terrain
        if choice is None:
            return None
        return _surveyed(choice.model_dump_json(), choice.version, self.model_dump_json())

    def underfoot(self, world: WorldConfig) -> ElevationMap | None:
        """The same as `known`, for who sets out at once.

        Raises:
            TerrainError: As `known`; the start is off the map, or nothing around it is known.
        """
        known = self.known(world)
        if known is None:
            return None
        start = world.start.x, world.start.y
        if not known.covers(start):
            raise TerrainError("the start is off the map", place="controller.map", value=start, limit=str(known.extent))
        x, y = np.meshgrid(known.x, known.y, indexing="ij")
        if not known.known[np.hypot(x - start[0], y - start[1]) <= max(_AROUND, known.spacing)].any():
            raise TerrainError(
                f"the map knows no height within {_AROUND:g} m of the start",
                place="controller.map",
                value=start,
                limit=f"{known.known.mean():.0%} of it is known; {known.nearest_known(start)}",
            )
        return known


class MovingMapSettings(MapSettings):
    """The same for a planner that can plan as it goes."""

    window: Annotated[Length, Field(gt=0.0)] | None = None
    """Side of the square around the robot, along the map's axes, that is known at a time; the rest is seen as the robot
    goes on, and what lies behind is forgotten. None: all is known from the start [m]."""

    def source(self, world: WorldConfig) -> MapSource:
        """Where a planner gets its maps; level ground where the world has no terrain.

        Raises:
            TerrainError: The terrain cannot be read.
        """
        known = self.known(world) or level_map()
        return WholeMap(known) if self.window is None else MovingWindow(known, self.window)


def level_map() -> ElevationMap:
    """The map of a level floor."""
    count = round(2.0 * _LEVEL / _SPACING) + 1
    return ElevationMap(np.zeros((count, count)), (-_LEVEL, -_LEVEL), _SPACING)


@functools.lru_cache(maxsize=8)
def _surveyed(terrain: str, _: tuple[int, ...], settings: str) -> ElevationMap:
    chosen = MovingMapSettings.model_validate_json(settings)
    return chosen.seen(TerrainChoice.model_validate_json(terrain).load().map)
