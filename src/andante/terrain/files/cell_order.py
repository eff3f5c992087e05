"""The points of a cloud in the order of their cells, and of their heights within each."""

from __future__ import annotations

import numpy as np

from andante.spatial.arrays import Array, Index

_BITS = 32


def by_cells(numbers: Index, values: Array) -> Index:
    """The order (n,) by numbers, and of those alike by values, as of `np.lexsort` but three times as fast.

    Args:
        numbers: Numbers of cells, at least 0 and below 2**31, (n,).
        values: Values of less than 2**32 points, (n,).
    """
    zeros = values[values == 0.0]
    if np.signbit(zeros).any() and not np.signbit(zeros).all():
        # Both zeros are alike, and the order in which they stand tells which comes first.
        return np.asarray(np.lexsort((values, numbers)))
    # Numbers and ranks in one: their sort is many times faster than one of pairs.
    order = np.argsort(values)
    keys = (numbers[order].astype(np.int64) << _BITS) | np.arange(len(values))
    keys.sort()
    return np.asarray(order[keys & ((1 << _BITS) - 1)])
