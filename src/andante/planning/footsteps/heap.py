"""The queue of the footstep search: a binary heap of node numbers in a fixed array, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.spatial.compiled import inlined

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@inlined
def push(heap: Index, order: Array, size: int, node: int) -> int:
    """Add a node; the size of the heap then."""
    at = size
    heap[at] = node
    while at > 0:
        above = (at - 1) // 2
        if order[heap[above]] <= order[heap[at]]:
            break
        heap[above], heap[at] = heap[at], heap[above]
        at = above
    return size + 1


@inlined
def pop(heap: Index, order: Array, size: int) -> int:
    """Move the first to the end of the heap, which is then one shorter; its size then."""
    size -= 1
    heap[0], heap[size] = heap[size], heap[0]
    at = 0
    while True:
        least, left = at, 2 * at + 1
        for child in (left, left + 1):
            if child < size and order[heap[child]] < order[heap[least]]:
                least = child
        if least == at:
            return size
        heap[at], heap[least] = heap[least], heap[at]
        at = least
