"""AskedMap: what a walk asks its robot to be shown of the ground, in a few words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from andante.errors import AndanteError


class AskedMapError(AndanteError):
    """A map is asked for that cannot be made."""


@dataclass(frozen=True)
class AskedMap:
    """A survey of the ground with errors, or a file in its place.

    Raises:
        AskedMapError: A number is no error, or errors are alike that are not there.
    """

    error: float = 0.0
    """Standard deviation of each height [m]."""
    correlation: float = 0.0
    """Length over which neighbouring errors are alike; 0: each its own [m]."""
    registration: float = 0.0
    """Standard deviation of the whole map's place, along x and along y [m]."""
    file: str | None = None
    """A terrain file that is all that is known of the ground; None: a survey of the terrain."""
    seed: int = 0
    """Decides the errors."""

    def __post_init__(self) -> None:
        for name, value in (("error", self.error), ("correlation", self.correlation), ("shift", self.registration)):
            if not (math.isfinite(value) and value >= 0.0):
                raise AskedMapError("must be a number of at least zero", place=f"map_{name}", value=value)
        if self.correlation > 0.0 and self.error == 0.0:
            raise AskedMapError(
                "a map without errors has none that are alike",
                place="map_correlation",
                value=self.correlation,
                remedy="give map_error too",
            )

    @property
    def plain(self) -> bool:
        """Whether it is a survey without errors."""
        return not (self.error or self.registration or self.file)

    def settings(self, scale: float = 1.0) -> dict[str, Any]:
        """The map of a scenario's controller; empty: a survey without errors.

        Args:
            scale: Factor on the errors' lengths, where they are told for a robot of another size.
        """
        if self.plain:
            return {}
        return {
            "noise": self.error * scale,
            "correlation": self.correlation * scale,
            "registration": self.registration * scale,
            "seed": self.seed,
            "terrain": None if self.file is None else {"file": self.file},
        }
