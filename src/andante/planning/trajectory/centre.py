"""The centre of mass whose zero moment point runs where it is wanted: one tridiagonal solve for the whole walk.

The zero moment point of a point mass at height h over the support is p = c - h c'' / (g + z''). With central
differences that is one linear equation per sample, c given at both ends (Kajita et al., ICRA 2003, solve it by preview
control; over a known walk the boundary value problem is exact and takes a millisecond).
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, kernel
from andante.spatial.arrays import Array, Array1, Array2, Index
from andante.spatial.gravity import GRAVITY


@entry
def centre_path(
    zmp: Array2, height: Array1, period: float, first: Array1, velocity: Array1, last: Array1, mend: int, com: Array2
) -> None:
    """Solve for the horizontal path of the centre of mass.

    So that it starts with a given velocity the zero moment point is shifted, at first in full, fading until ``mend``.

    Args:
        zmp: Wanted zero moment point, (n, 2) [m]; gets the one that the result has.
        height: Height of the centre of mass over the support, times g / (g + z''), (n,) [m].
        period: Time between samples [s].
        first: Where it starts, (2,) [m].
        velocity: With what velocity, (2,) [m/s].
        last: Where it ends, (2,) [m].
        mend: Sample from which the zero moment point is as wanted.
        com: Gets the path, (n, 2) [m].
    """
    count = len(zmp)
    rows = np.empty((count, 3))
    for j in range(count):
        rows[j, 0], rows[j, 1] = zmp[j, 0], zmp[j, 1]
        rows[j, 2] = min(1.0, max(0.0, 1.5 * (1.0 - j / mend)))
    stiff = height / (GRAVITY * period * period)
    for column in range(2):
        rows[0, column], rows[count - 1, column] = first[column], last[column]
    rows[0, 2] = rows[count - 1, 2] = 0.0
    _tridiagonal(stiff, rows)
    for column in range(2):
        # Half a period of the acceleration that the first zero moment point gives belongs to the first step.
        bent = 0.5 * (first[column] - zmp[0, column]) / stiff[0]
        missing = first[column] + velocity[column] * period + bent - rows[1, column]
        share = missing / rows[1, 2]
        for j in range(count):
            com[j, column] = rows[j, column] + share * rows[j, 2]
        for j in range(1, count - 1):
            zmp[j, column] = com[j, column] - stiff[j] * (
                com[j + 1, column] - 2.0 * com[j, column] + com[j - 1, column]
            )


@kernel
def _tridiagonal(stiff: Array, rows: Array) -> None:
    """Solve -k x(j-1) + (1 + 2k) x(j) - k x(j+1) = rows(j) in place; first and last row are given (Thomas)."""
    count, width = rows.shape
    ratio = np.zeros(count)
    for j in range(1, count - 1):
        size = 1.0 + 2.0 * stiff[j] - stiff[j] * ratio[j - 1]
        ratio[j] = stiff[j] / size
        for column in range(width):
            rows[j, column] = (rows[j, column] + stiff[j] * rows[j - 1, column]) / size
    for j in range(count - 2, 0, -1):
        for column in range(width):
            rows[j, column] += ratio[j] * rows[j + 1, column]


@entry
def smooth_path(values: Array2, rates: Array1, period: float, constant: float) -> None:
    """Smooth columns of values in place; ends stay, and the path starts with given rates.

    The filter is the exponential one, run forwards and backwards, twice: it does not overshoot.

    Args:
        values: One row per sample, (n, m).
        rates: Their rates at the first sample, (m,) [1/s].
        period: Time between samples [s].
        constant: Its time constant [s].
    """
    count, width = values.shape
    stiff = np.full(count, (constant / period) ** 2)
    for _ in range(2):
        _tridiagonal(stiff, values)
    for column in range(width):
        missing = rates[column] - (values[1, column] - values[0, column]) / period
        for j in range(1, count - 1):
            time = j * period
            values[j, column] += missing * time * math.exp(-(time - period) / (1.5 * constant))


@entry
def zmp_heights(z: Array1, support: Array1, period: float, height: Array1) -> None:
    """Height over the support times g / (g + z''), (n,) [m], of a centre of mass at heights z."""
    count = len(z)
    for j in range(count):
        i = min(max(j, 1), count - 2)
        up = (z[i + 1] - 2.0 * z[i] + z[i - 1]) / (period * period)
        # A body that falls freely has no zero moment point; half of gravity is far from where a walk may be.
        height[j] = (z[j] - support[j]) * GRAVITY / max(GRAVITY + up, 0.5 * GRAVITY)


def along_knots(knots: Index, values: Array) -> Array:
    """Values (k, m) at samples ``knots`` (k,), straight between them: (last knot + 1, m)."""
    samples = np.arange(int(knots[-1]) + 1)
    return np.stack([np.interp(samples, knots, column) for column in values.T], axis=-1)
