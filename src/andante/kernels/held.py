"""Arrays that stay where they are, handed to kernels all at once by their addresses.

Numba takes 65 ns to take an array of a call apart, and a call in every physics step has eleven of them. A kernel that
is given `HeldArrays.table` in their place makes its arrays of it by `floats1` and the others; who holds the table holds
the memory of all of them.
"""

from __future__ import annotations

import ctypes
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from andante.kernels.errors import KernelError

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

READ_ONLY = "read-only"
"""Mark of an argument's type, as numba has another type for arrays that nobody writes."""
Table = Annotated[NDArray[np.int64], 1, READ_ONLY]
"""A table as an argument of a kernel: `HeldArrays.table`."""
ENTRY = 3
"""Numbers of a table for each array: its address and its shape, of at most two dimensions."""
_KINDS = (np.float64, np.int64, np.int32, np.bool_)


class HeldArrays:
    """Arrays and the table of their addresses.

    Args:
        arrays: Contiguous arrays of at most two dimensions that keep their memory: nobody resizes them.

    Raises:
        KernelError: An array of another kind.
    """

    __slots__ = ("arrays", "table")

    def __init__(self, *arrays: NDArray[np.generic]) -> None:
        raw = (ctypes.c_int64 * (ENTRY * len(arrays)))()
        for number, array in enumerate(arrays):
            if not array.flags.c_contiguous or not 1 <= array.ndim <= ENTRY - 1 or array.dtype.type not in _KINDS:
                raise KernelError(
                    "such an array cannot be handed over by its address", place=f"array {number}",
                    value=f"{array.dtype} {array.shape}", limit="contiguous, one or two dimensions, of numbers",
                )  # fmt: skip
            raw[ENTRY * number : ENTRY * number + 1 + array.ndim] = [array.ctypes.data, *array.shape]
        # The table's memory is this object, which holds the arrays, and views of them for kernels as Python.
        raw.arrays, raw.views = arrays, [array.data for array in arrays]  # type: ignore[attr-defined]
        self.arrays = arrays
        """The arrays."""
        self.table: Index = np.frombuffer(memoryview(raw), np.int64)
        """Address and shape of each, (3 n,)."""
        self.table.flags.writeable = False

    def __reduce__(self) -> tuple[type[HeldArrays], tuple[NDArray[np.generic], ...]]:
        """A copy holds copies, at addresses of their own."""
        return HeldArrays, self.arrays


def floats1(table: Index, number: int) -> Floats:
    """The array of a number of a table: numbers in a row."""
    array: Floats = _at(table, number)
    return array


def floats2(table: Index, number: int) -> Floats:
    """The array of a number of a table: numbers in two dimensions."""
    array: Floats = _at(table, number)
    return array


def index1(table: Index, number: int) -> Index:
    """The array of a number of a table: whole numbers in a row."""
    array: Index = _at(table, number)
    return array


def index2(table: Index, number: int) -> Index:
    """The array of a number of a table: whole numbers in two dimensions."""
    array: Index = _at(table, number)
    return array


def counts1(table: Index, number: int) -> NDArray[np.int32]:
    """The array of a number of a table: MuJoCo's whole numbers in a row."""
    array: NDArray[np.int32] = _at(table, number)
    return array


def flags1(table: Index, number: int) -> NDArray[np.bool_]:
    """The array of a number of a table: flags in a row."""
    array: NDArray[np.bool_] = _at(table, number)
    return array


def flags2(table: Index, number: int) -> NDArray[np.bool_]:
    """The array of a number of a table: flags in two dimensions."""
    array: NDArray[np.bool_] = _at(table, number)
    return array


def _at(table: Index, number: int) -> Any:
    """What `andante.kernels.held_views` lets compiled kernels do by the addresses, as Python: the array itself.

    Who is given a view of the table (`andante.kernels.lazy`) gets a view of the array.
    """
    if isinstance(table, memoryview):
        seen: Any = table.obj
        return seen.base.obj.views[number]
    memory: Any = table.base
    return memory.obj.arrays[number]
