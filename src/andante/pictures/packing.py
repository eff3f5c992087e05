"""Arrays and scripts inside a page: deflated and in base64, which every current browser unpacks by itself.

Numbers of one column differ little from row to row; their bytes are sorted by significance first, since the upper ones
then repeat and deflate well.
"""

from __future__ import annotations

import base64
import zlib

import numpy as np
from numpy.typing import NDArray

_LEVEL = 6


def packed(raw: bytes) -> str:
    """Bytes, deflated (RFC 1950) and in base64."""
    return base64.b64encode(zlib.compress(raw, _LEVEL)).decode()


def packed_array(values: NDArray[np.generic]) -> str:
    """An array in row order, its bytes sorted by significance: first all first bytes, then all second ones."""
    flat = np.ascontiguousarray(values)
    planes = flat.view(np.uint8).reshape(-1, flat.dtype.itemsize).T
    return packed(planes.tobytes())
