"""Names for arrays by their dimensions: numpy's type for the reader and the type checker, numba's for the compiler."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

Array1 = Annotated[NDArray[np.float64], 1]
"""Numbers in a row, contiguous."""
Array2 = Annotated[NDArray[np.float64], 2]
"""Numbers in two dimensions, contiguous in C's order."""
Array3 = Annotated[NDArray[np.float64], 3]
"""Numbers in three dimensions, contiguous in C's order."""
Index1 = Annotated[NDArray[np.int64], 1]
"""Whole numbers in a row, contiguous."""
Index2 = Annotated[NDArray[np.int64], 2]
"""Whole numbers in two dimensions, contiguous in C's order."""
Index3 = Annotated[NDArray[np.int64], 3]
"""Whole numbers in three dimensions, contiguous in C's order."""
Codes1 = Annotated[NDArray[np.uint8], 1]
"""Small codes in a row, contiguous."""
Codes3 = Annotated[NDArray[np.uint8], 3]
"""Small codes in three dimensions, contiguous in C's order."""
Flags1 = Annotated[NDArray[np.bool_], 1]
"""Flags in a row, contiguous."""
