"""Kernels: loops that numpy cannot do fast, compiled by numba, kept on disk between runs (``docs/kernels.md``).

`entry` decorates those that Python calls, `kernel` and `inlined` those that kernels call. Decorating an `entry` imports
numba (a fifth of a second), so files with one are imported where they are needed; the others wait until numba must be
there (`andante.kernels.waiting`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from andante.kernels.lazy import Lazy, LazyEntry
from andante.kernels.waiting import PLAIN, PendingKernel, load_numba, numba_is_loaded

F = TypeVar("F", bound=Callable[..., object])
P = ParamSpec("P")
R = TypeVar("R")


def entry(function: F) -> F:
    """Compile a function of numbers, arrays and named tuples; Python and other kernels may call it.

    It follows numpy's rules of division by zero. Its annotations name the dimensions of arrays
    (`andante.spatial.arrays`), so that it can be compiled before anyone calls it; other arrays are compiled for when
    they come.
    """
    return _plain(function) if PLAIN else _entry(function)


def lazy_entry(function: Callable[P, R]) -> Lazy[P, R]:
    """As `entry`, for what every run calls: as Python at first (`andante.kernels.lazy`), and compiled alone."""
    return cast(Lazy[P, R], _plain(function) if PLAIN else LazyEntry(function))


def inlined_entry(function: F) -> F:
    """As `inlined`, for those that Python calls too."""
    return _plain(function) if PLAIN else _entry(function, forceinline=True, _nrt=False)


def kernel(function: F) -> F:
    """As `entry`, for functions that only kernels call, which spares the code that takes Python's objects apart.

    Raises:
        KernelError: When Python calls it.
    """
    return _plain(function) if PLAIN else _inner(function)


def inlined(function: F) -> F:
    """As `kernel`, for small functions of hot loops that make no arrays, put into the code of who calls them.

    A call hands over every field of every array of a named tuple: a pass over four legs took 0.54 us with calls of such
    functions, 0.26 us without. And each mention of a field that is an array counts a reference up and down, which is
    left out here, since whoever calls holds them all: the test of a pose took 6.1 us with that and 2.9 us without.
    """
    return _plain(function) if PLAIN else _inner(function, forceinline=True, _nrt=False)


def _entry(function: F, **options: object) -> F:
    from andante.kernels.entries import Entry

    load_numba()
    return cast(F, Entry(function, **options))


def _inner(function: F, **options: object) -> F:
    waiting = PendingKernel(function, **options)
    return cast(F, waiting.kernel if numba_is_loaded() else waiting)


def _plain(function: F) -> F:
    """A kernel where numba is switched off: the Python function, which is its own Python function."""
    function.__dict__["py_func"] = function.__dict__["now"] = function
    return function
