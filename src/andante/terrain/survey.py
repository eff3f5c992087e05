"""Survey: the map that a planner gets, which is never quite the ground that the feet meet."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from andante.documents.quantities import NonNegative, NonNegativeAngle, NonNegativeLength
from andante.documents.settings import Settings
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap


class SurveyErrors(Settings):
    """How a map was measured; everything is drawn from a seed, standard deviations unless said otherwise."""

    place: ClassVar[str] = "survey"

    noise: NonNegativeLength = 0.0
    """Error of each height [m]."""
    correlation: NonNegativeLength = 0.0
    """Length over which neighbouring errors are alike [m]; 0: each node on its own."""
    registration: NonNegativeLength = 0.0
    """Shift of the whole map along x and along y [m]."""
    height: NonNegativeLength = 0.0
    """Shift of the whole map along z [m]."""
    yaw: NonNegativeAngle = 0.0
    """Turn of the whole map about its middle [rad]."""
    drift: NonNegative = 0.0
    """Stretch along x, shear along y and tilt along x, each as a share of the way from the map's first x."""


def survey(ground: ElevationMap, errors: SurveyErrors, seed: int) -> ElevationMap:
    """The map that a survey of the ground gives; places beyond the ground's rim repeat its outermost nodes.

    Without errors it equals the ground. What is unknown there is unknown here, as far as the map is shifted and turned
    farther on. The variance is that of the ground: nobody knows how large the errors are.
    """
    from scipy import ndimage

    rng = np.random.default_rng(np.random.SeedSequence((seed, 0x5EED)))
    shift = rng.standard_normal(2) * errors.registration
    lift, turn = rng.standard_normal(2) * (errors.height, errors.yaw)
    stretch, shear, tilt = rng.standard_normal(3) * errors.drift
    white = rng.standard_normal(ground.heights.shape)
    x, y = np.meshgrid(ground.x, ground.y, indexing="ij")
    middle_x, middle_y = 0.5 * (x[0, 0] + x[-1, -1]), 0.5 * (y[0, 0] + y[-1, -1])
    way = x - x[0, 0]
    c, s = math.cos(turn), math.sin(turn)
    seen_x = middle_x + c * (x - middle_x) - s * (y - middle_y) + shift[0] + stretch * way
    seen_y = middle_y + s * (x - middle_x) + c * (y - middle_y) + shift[1] + shear * way
    seen = np.stack([seen_x, seen_y], axis=-1)
    heights = ground.filled("nearest").nearest(seen) + lift + tilt * way
    if errors.noise > 0.0:
        if errors.correlation > 0.0:
            white = ndimage.gaussian_filter(white, errors.correlation / ground.spacing, mode="wrap")
            white /= max(float(white.std()), 1e-12)
        heights = heights + errors.noise * white
    i, j = ground.nodes(seen)
    known = ground.known[i, j]
    variance: Array | None = None if ground.variance is None else np.where(known, ground.variance[i, j], np.nan)
    return ElevationMap(np.where(known, heights, np.nan), ground.origin, ground.spacing, variance)
