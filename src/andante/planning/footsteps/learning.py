"""Weights of foothold features from examples: of two footholds, somebody says which is the better one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.planning.course import PlanningError
from andante.planning.footsteps.costs import FootholdWeights
from andante.planning.footsteps.features import NAMES

Array = NDArray[np.float64]


def learn_weights(
    better: ArrayLike, worse: ArrayLike, *, margin: float = 0.02, strictness: float = 100.0
) -> FootholdWeights:
    """Weights under which each better foothold costs less than the worse one it was compared with.

    A convex problem of largest margin, as in Ratliff, Bagnell and Zinkevich (ICML 2006): small weights, and a penalty
    on the square of what each pair falls short of the margin. None is below zero.

    Args:
        better: Features of the better foothold of each pair, (n, 8) in the order of `NAMES`.
        worse: Features of the worse one, (n, 8).
        margin: Difference of cost that a pair should have [s].
        strictness: Weight of what pairs fall short, against the size of the weights.

    Raises:
        PlanningError: Wrong shapes, values that are not finite, no pair, or a margin that is not above zero.
    """
    from scipy.optimize import minimize

    good, bad = np.asarray(better, dtype=np.float64), np.asarray(worse, dtype=np.float64)
    if good.ndim != 2 or good.shape != bad.shape or good.shape[1] != len(NAMES) or not len(good):
        raise PlanningError(
            "examples are pairs of rows of features", value=[good.shape, bad.shape], limit=f"twice (n, {len(NAMES)})"
        )
    if not (np.isfinite(good).all() and np.isfinite(bad).all()):
        raise PlanningError("features of an example must be finite")
    for name, value in (("margin", margin), ("strictness", strictness)):
        if not (math.isfinite(value) and value > 0.0):
            raise PlanningError(f"the {name} must be above zero", value=value)
    # In units of the margin the problem has the same shape whatever the margin is.
    difference = bad - good

    def loss(weights: Array) -> tuple[float, Array]:
        short = np.maximum(1.0 - difference @ weights, 0.0)
        value = 0.5 * float(weights @ weights) + strictness * float(np.mean(short**2))
        return value, weights - 2.0 * strictness * (short @ difference) / len(difference)

    start = np.full(len(NAMES), 0.1)
    found = minimize(loss, start, jac=True, bounds=[(0.0, None)] * len(NAMES), method="L-BFGS-B")
    return FootholdWeights.from_vector(margin * found.x)
