"""What numba makes of `andante.kernels.held`: arrays at addresses, without looking at any object of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import carray, types
from numba.extending import intrinsic, overload

from andante.kernels import held

_ENTRY = held.ENTRY


@intrinsic  # type: ignore[untyped-decorator]
def _memory(typing_context: Any, address: Any) -> Any:
    """A number as the address that it is."""

    def pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), pointer


def _row(kind: type[np.generic]) -> Callable[[Any, Any], Any]:
    # Numba compares the names of both functions' arguments, and their annotations.
    def view(table, number):  # type: ignore[no-untyped-def]
        return lambda table, number: carray(_memory(table[_ENTRY * number]), (table[_ENTRY * number + 1],), kind)

    return view


def _rows(kind: type[np.generic]) -> Callable[[Any, Any], Any]:
    def view(table, number):  # type: ignore[no-untyped-def]
        return lambda table, number: carray(
            _memory(table[_ENTRY * number]), (table[_ENTRY * number + 1], table[_ENTRY * number + 2]), kind
        )

    return view


overload(held.floats1)(_row(np.float64))
overload(held.floats2)(_rows(np.float64))
overload(held.index1)(_row(np.int64))
overload(held.index2)(_rows(np.int64))
overload(held.counts1)(_row(np.int32))
overload(held.flags1)(_row(np.bool_))
