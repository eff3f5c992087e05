"""What each foothold costs: a weighted sum of its features, in seconds of walking that a better one would be worth."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from andante.planning.course import PlanningError
from andante.planning.footsteps.features import NAMES, Features

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FootholdWeights:
    """Weight of each feature [s]; `learn_weights` finds them from ranked examples."""

    slope: float = 0.05
    """Slope of the ground."""
    roughness: float = 0.03
    """Unevenness under the foot."""
    bump: float = 0.1
    """Curvature of a bump."""
    hollow: float = 0.01
    """Curvature of a hollow."""
    edge: float = 0.12
    """Nearness of an edge."""
    spread: float = 0.04
    """Height difference around."""
    drop: float = 0.02
    """Depth of what lies beneath."""
    wall: float = 0.15
    """Height of a wall to which the knee points."""

    def __post_init__(self) -> None:
        for name in NAMES:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise PlanningError(f"the foothold weight {name} must not be below zero", value=value)

    @staticmethod
    def from_vector(values: Array) -> FootholdWeights:
        """Weights in the order of `NAMES`; below zero counts as zero."""
        if len(values) != len(fields(FootholdWeights)):
            raise PlanningError("one weight per feature is needed", value=len(values), limit=str(len(NAMES)))
        return FootholdWeights(*(max(float(value), 0.0) for value in values))

    @property
    def vector(self) -> Array:
        """The weights in the order of `NAMES`."""
        return np.array(astuple(self))


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
