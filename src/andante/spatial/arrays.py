"""Names for arrays, of any shape and by their dimensions: for the reader, the type checker and numba's compiler."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Numbers in any shape; an argument of a kernel that Python calls says its dimensions, as below."""
Index = NDArray[np.int64]
"""Whole numbers in any shape."""
Flags = NDArray[np.bool_]
"""Flags in any shape."""
Array1 = Annotated[Array, 1]
"""Numbers in a row, contiguous."""
Array2 = Annotated[Array, 2]
"""Numbers in two dimensions, contiguous in C's order."""
Array3 = Annotated[Array, 3]
"""Numbers in three dimensions, contiguous in C's order."""
Index1 = Annotated[Index, 1]
"""Whole numbers in a row, contiguous."""
Index2 = Annotated[Index, 2]
"""Whole numbers in two dimensions, contiguous in C's order."""
Index3 = Annotated[Index, 3]
"""Whole numbers in three dimensions, contiguous in C's order."""
Counts1 = Annotated[NDArray[np.int32], 1]
"""MuJoCo's whole numbers in a row, contiguous."""
Shorts1 = Annotated[NDArray[np.int16], 1]
"""Short whole numbers in a row, contiguous."""
Codes1 = Annotated[NDArray[np.uint8], 1]
"""Small codes in a row, contiguous."""
Codes3 = Annotated[NDArray[np.uint8], 3]
"""Small codes in three dimensions, contiguous in C's order."""
Flags1 = Annotated[Flags, 1]
"""Flags in a row, contiguous."""
Flags2 = Annotated[Flags, 2]
"""Flags in two dimensions, contiguous in C's order."""
