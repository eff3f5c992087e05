"""Kernels: loops that numpy cannot do fast, compiled by numba, kept on disk between runs (``docs/kernels.md``).

`entry` decorates those that Python calls, `kernel` and `inlined` those that kernels call. Importing this costs the
import of numba (half a second), so only files with such loops do, and those are imported where they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba.core import config

from andante.kernels.ahead import APART
from andante.kernels.dispatchers import Inner
from andante.kernels.entries import Entry
from andante.kernels.lazy import Apart

F = TypeVar("F", bound=Callable[..., object])


def entry(function: F) -> F:
    """Compile a function of numbers, arrays and named tuples; Python and other kernels may call it.

    It follows numpy's rules of division by zero. Its annotations name the dimensions of arrays
    (`andante.spatial.arrays`), so that it can be compiled before anyone calls it; other arrays are compiled for when
    they come.
    """
    return _plain(function) if config.DISABLE_JIT else cast(F, Entry(function))


def apart(function: F) -> F:
    """As `entry`, for what every run calls: as Python at first (`andante.kernels.lazy`), and compiled alone."""
    if config.DISABLE_JIT:
        return _plain(function)
    made = Entry(function)
    APART.add(made.name)
    return cast(F, Apart(made))


def inlined_entry(function: F) -> F:
    """As `inlined`, for those that Python calls too."""
    return _plain(function) if config.DISABLE_JIT else cast(F, Entry(function, forceinline=True, _nrt=False))


def kernel(function: F) -> F:
    """As `entry`, for functions that only kernels call, which spares the code that takes Python's objects apart.

    Raises:
        KernelError: When Python calls it.
    """
    return _plain(function) if config.DISABLE_JIT else cast(F, Inner(function))


def inlined(function: F) -> F:
    """As `kernel`, for small functions of hot loops that make no arrays, put into the code of who calls them.

    A call hands over every field of every array of a named tuple: a pass over four legs took 0.54 us with calls of such
    functions, 0.26 us without. And each mention of a field that is an array counts a reference up and down, which is
    left out here, since whoever calls holds them all: the test of a pose took 6.1 us with that and 2.9 us without.
    """
    return _plain(function) if config.DISABLE_JIT else cast(F, Inner(function, forceinline=True, _nrt=False))


def _plain(function: F) -> F:
    """A kernel where numba is switched off: the Python function, which is its own Python function."""
    function.__dict__["py_func"] = function
    return function
