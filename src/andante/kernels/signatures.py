"""The types that a kernel is compiled for, read from its annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
from numba import from_dtype, types

from andante.kernels.errors import KernelError
from andante.kernels.held import READ_ONLY

_NUMBERS = {float: types.float64, int: types.int64, bool: types.boolean}


def signature_of(function: Callable[..., object]) -> tuple[types.Type, ...]:
    """The types of a function's arguments, as numba sees them.

    Args:
        function: Its arguments are annotated with float, int, bool, an array of `andante.spatial.arrays` or a named
            tuple of these.

    Raises:
        KernelError: An annotation does not name one type, as an array of any dimension does.
    """
    hints = get_type_hints(function, include_extras=True)
    place = f"{function.__module__}.{function.__qualname__}"
    return tuple(_numba_type(hints.get(name), f"{place}({name})") for name in inspect.signature(function).parameters)


def _numba_type(hint: Any, place: str) -> types.Type:
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if get_origin(hint) is Annotated:
        array, dimensions, *marks = get_args(hint)
        kind = from_dtype(np.dtype(_scalar(array)))
        return types.Array(kind, dimensions, "C", readonly=READ_ONLY in marks)
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        fields = get_type_hints(hint, include_extras=True)
        return types.BaseTuple.from_types([_numba_type(fields[name], f"{place}.{name}") for name in hint._fields], hint)
    raise KernelError(
        "the annotation names no one type to compile for",
        place=place,
        value=hint,
        limit="float, int, bool, an array of andante.spatial.arrays, or a named tuple of these",
    )


def _scalar(array: Any) -> Any:
    """The kind of numbers in ``NDArray[...]``: an array's shape and dtype up to numpy 2.4, then a name for them."""
    given = get_args(array)
    return given[0] if len(given) == 1 else get_args(given[1])[0]
