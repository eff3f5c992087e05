"""The two filters of a complementary velocity: of a place through G(s) s, of an acceleration through (1 - G(s)) / s.

G is a low pass of second order, w^2 / (s^2 + 2 z w s + w^2). The two add up to the velocity itself whatever w and z: of
a place p with acceleration p'', s G p + (1 - G) / s p'' = s p. They are kept as their two states and stepped by the
trapezoidal rule, which gives Tustin's coefficients where steps are equal and allows any step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_SAME = 1e-9
"""Difference of two steps that rounding makes [s]."""


class LowPass:
    """The part common to both: states x and x' of x'' = w^2 (u - x) - 2 z w x', for three axes at once.

    Args:
        cutoff: Corner w [rad/s].
        damping: z; sqrt(1/2) gives Butterworth's.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._square, self._twice = cutoff * cutoff, 2.0 * damping * cutoff
        self._step, self._matrix, self._push = math.nan, np.empty((2, 2)), np.empty((2, 1))
        self.begin(np.zeros(3), np.zeros(3), np.zeros(3))

    def begin(self, state: Array, rate: Array, value: Array) -> None:
        """Begin with states x and x' and input u, (3,) each."""
        self._states: Array = np.stack([state, rate])
        self._value: Array = np.array(value)

    def step(self, value: Array, step: float) -> Array:
        """States x and x' (2, 3) after ``step`` [s], in which the input went on a line to ``value`` (3,)."""
        if not abs(step - self._step) < _SAME:
            self._design(step)
        self._states = self._matrix @ self._states + self._push * (self._value + value)
        self._value = np.array(value)
        return self._states

    def _design(self, step: float) -> None:
        half = 0.5 * step
        a, b = half * self._square, half * self._twice
        # (1 - h A)^-1 (1 + h A) with A = [[0, 1], [-w^2, -2 z w]] and h half the step.
        size = 1.0 + b + half * a
        self._matrix = np.array([[1.0 + b - half * a, 2.0 * half], [-2.0 * a, 1.0 - b - half * a]]) / size
        self._push = np.array([[half * a], [a]]) / size
        self._step = step


class PlaceToVelocity:
    """s G(s): velocity of a place, without what is faster than the cut-off.

    Args:
        cutoff: Corner [rad/s].
        damping: Of the corner.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._low, self._lag = LowPass(cutoff, damping), 2.0 * damping / cutoff

    def begin(self, place: Array, velocity: Array) -> None:
        """Begin as if the place (3,) had gone at this velocity (3,) for ever."""
        # On a ramp x follows u by the time 2 z / w.
        self._low.begin(place - self._lag * velocity, velocity, place)

    def step(self, place: Array, step: float) -> Array:
        """Velocity (3,) after ``step`` [s] in which the place went to ``place`` (3,)."""
        return np.asarray(self._low.step(place, step)[1])


class ForceToVelocity:
    """(1 - G(s)) / s: the fast part of a velocity, from an acceleration; a constant one gives 2 z / w times itself.

    Args:
        cutoff: Corner [rad/s].
        damping: Of the corner.
    """

    def __init__(self, cutoff: float, damping: float) -> None:
        self._low = LowPass(cutoff, damping)
        self._share, self._lag = 1.0 / (cutoff * cutoff), 2.0 * damping / cutoff

    def begin(self) -> None:
        """Begin at rest."""
        self._low.begin(np.zeros(3), np.zeros(3), np.zeros(3))

    def step(self, acceleration: Array, step: float) -> Array:
        """Fast part of the velocity (3,) after ``step`` [s] in which the acceleration went to ``acceleration`` (3,)."""
        state, rate = self._low.step(acceleration, step)
        # (s + 2 z w) / (s^2 + 2 z w s + w^2), in terms of x = w^2 / (...).
        return np.asarray(self._share * rate + self._lag * state)
