"""Random numbers in kernels, the same ones from the same seed on every machine: L'Ecuyer's MRG32k3a.

Source: P. L'Ecuyer, Good parameters and implementations for combined multiple recursive random number generators,
Operations Research 47(1), 1999. Numba's own generator is one per process, so that who else draws would decide plans.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import inlined, kernel
from andante.spatial.arrays import Index1

_M1, _M2 = 4294967087, 4294944443
_A12, _A13, _A21, _A23 = 1403580, 810728, 527612, 1370589


def seeded(*seed: int) -> Index1:
    """State of a generator, (6,), from seeds of at least zero."""
    words = np.random.SeedSequence(seed).generate_state(6).astype(np.int64)
    return np.concatenate([words[:3] % (_M1 - 1) + 1, words[3:] % (_M2 - 1) + 1])


@kernel
def uniform(state: Index1) -> float:
    """The next number between 0 and 1, both excluded."""
    first = (_A12 * state[1] - _A13 * state[0]) % _M1
    second = (_A21 * state[5] - _A23 * state[3]) % _M2
    state[0], state[1], state[2] = state[1], state[2], first
    state[3], state[4], state[5] = state[4], state[5], second
    difference = (first - second) % _M1
    return float((difference if difference > 0 else _M1) / (_M1 + 1.0))


@inlined
def between(state: Index1, low: float, high: float) -> float:
    """The next number between two."""
    return low + (high - low) * uniform(state)


@inlined
def whole(state: Index1, low: int, high: int) -> int:
    """The next whole number from ``low`` to ``high``, both included."""
    return low + int(uniform(state) * (high - low + 1))


@kernel
def lognormal(state: Index1, mean: float, deviation: float) -> float:
    """The next number of a lognormal distribution with this mean and standard deviation."""
    spread = math.log(1.0 + (deviation / mean) ** 2)
    normal = math.sqrt(-2.0 * math.log(uniform(state))) * math.cos(2.0 * math.pi * uniform(state))
    return math.exp(math.log(mean) - 0.5 * spread + math.sqrt(spread) * normal)
