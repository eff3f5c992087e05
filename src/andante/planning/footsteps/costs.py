"""What each foothold costs: a weighted sum of its features, in seconds of walking that a better one would be worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import NonNegativeFixedTime
from andante.documents.settings import Settings
from andante.planning.course import PlanningError
from andante.planning.footsteps.features import NAMES, Features

Array = NDArray[np.float64]


class FootholdWeights(Settings):
    """Weight of each feature [s]; `learn_weights` finds them from ranked examples."""

    place: ClassVar[str] = "foothold weights"

    slope: NonNegativeFixedTime = 0.05
    """Slope of the ground [s]."""
    roughness: NonNegativeFixedTime = 0.03
    """Unevenness under the foot [s]."""
    bump: NonNegativeFixedTime = 0.1
    """Curvature of a bump [s]."""
    hollow: NonNegativeFixedTime = 0.01
    """Curvature of a hollow [s]."""
    edge: NonNegativeFixedTime = 0.12
    """Nearness of an edge [s]."""
    spread: NonNegativeFixedTime = 0.04
    """Height difference around [s]."""
    drop: NonNegativeFixedTime = 0.02
    """Depth of what lies beneath [s]."""
    wall: NonNegativeFixedTime = 0.15
    """Height of a wall to which the knee points [s]."""

    @staticmethod
    def from_vector(values: Array) -> FootholdWeights:
        """Weights in the order of `NAMES`; below zero counts as zero."""
        if len(values) != len(NAMES):
            raise PlanningError("one weight per feature is needed", value=len(values), limit=str(len(NAMES)))
        return FootholdWeights(**{name: max(float(value), 0.0) for name, value in zip(NAMES, values, strict=True)})

    @property
    def vector(self) -> Array:
        """The weights in the order of `NAMES`."""
        return np.array([getattr(self, name) for name in NAMES])


@dataclass(frozen=True, eq=False)
class FootholdCosts:
    """Cost of every node of a map as foothold [s]; infinite where no foot may stand."""

    front: Array
    """For a foot whose knee points backward, (nx, ny)."""
    hind: Array
    """For a foot whose knee points forward, (nx, ny)."""

    @staticmethod
    def of(features: Features, weights: FootholdWeights | None = None) -> FootholdCosts:
        """Costs of features."""
        vector = (weights or FootholdWeights()).vector
        return FootholdCosts(
            *(np.where(features.allowed, each @ vector, np.inf) for each in (features.front, features.hind))
        )
