"""Where maps come from while a robot walks: one map for the whole way, or a window that moves with the robot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import TerrainError


class MapSource(Protocol):
    """Tells what is known of the ground while a robot is at a place."""

    @property
    def grows(self) -> bool:
        """Whether more is known later, from another place."""
        ...

    def around(self, x: float, y: float) -> ElevationMap:
        """What is known from a place [m].

        Raises:
            TerrainError: The place is off all that can be known.
        """
        ...


@dataclass(frozen=True)
class WholeMap:
    """One map for the whole way."""

    known: ElevationMap
    """The map."""

    @property
    def grows(self) -> bool:
        """No: it is all there."""
        return False

    def around(self, x: float, y: float) -> ElevationMap:
        """The map, from everywhere."""
        return self.known


@dataclass(frozen=True)
class MovingWindow:
    """A square window of a survey that moves with the robot: what is outside is not known yet, or no longer.

    Raises:
        TerrainError: A side that is not above zero or not finite.
    """

    survey: ElevationMap
    """What the sensors of the robot would see, piece by piece."""
    side: float
    """Side of the window [m]; it lies along the map's axes with the robot in its middle."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.side) and self.side >= 2.0 * self.survey.spacing):
            raise TerrainError(
                "a window of a map has a side", value=self.side, limit=f"at least {2.0 * self.survey.spacing:g} m"
            )

    @property
    def grows(self) -> bool:
        """Yes, as the robot goes on."""
        return True

    def around(self, x: float, y: float) -> ElevationMap:
        """The part of the survey within the window around a place [m].

        Raises:
            TerrainError: The survey has nothing there.
        """
        survey, half = self.survey, 0.5 * self.side
        low = np.floor((np.array([x, y]) - half - survey.origin) / survey.spacing + 1e-9).astype(np.int64)
        high = np.ceil((np.array([x, y]) + half - survey.origin) / survey.spacing - 1e-9).astype(np.int64)
        low, high = np.maximum(low, 0), np.minimum(high + 1, survey.heights.shape)
        if (high - low < 2).any():
            raise TerrainError(
                "the survey shows nothing around the robot", value=(x, y), limit=f"extent {survey.extent} m"
            )
        part = slice(low[0], high[0]), slice(low[1], high[1])
        origin = np.array(survey.origin) + low * survey.spacing
        variance = None if survey.variance is None else survey.variance[part]
        return ElevationMap(survey.heights[part], (float(origin[0]), float(origin[1])), survey.spacing, variance)
