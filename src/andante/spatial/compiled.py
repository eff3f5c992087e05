"""The one decorator for loops that numpy cannot do fast: compiled by numba, kept on disk between runs.

Importing it costs the import of numba (half a second), so only files with such loops do, and those are imported where
they are needed.

Numba keeps compiled code until the file of the function changes; it does not see that a kernel which it calls from
another file has changed. Whoever edits such a kernel deletes the ``__pycache__`` folders of the rooms that call it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a function of numbers, arrays and named tuples; it follows numpy's rules of division by zero."""
    return cast(F, numba.njit(cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """As `kernel`, for small functions of hot loops that make no arrays, put into the code of who calls them.

    A call hands over every field of every array of a named tuple: a pass over four legs took 0.54 us with calls of such
    functions, 0.26 us without. And each mention of a field that is an array counts a reference up and down, which is
    left out here, since whoever calls holds them all: the test of a pose took 6.1 us with that and 2.9 us without.
    """
    return cast(F, numba.njit(cache=True, error_model="numpy", forceinline=True, _nrt=False)(function))
