"""Kernels that every run calls: as Python at first, compiled once that is worth it.

Their arguments must always have the types that their annotations name: once compiled, numba no longer looks at them,
which takes a third of a call.

Loading the first kernel imports numba, which takes a third of a second in every process; a short run is over by then.
So such a kernel runs as the Python that it is written in until it has been called some hundred times, or until some
other kernel has imported numba. Both give the same numbers to the last bit.

As Python it is given views of its arrays' memory in place of the arrays: one number of a view is Python's own, with
which it counts three times as fast as with numpy's. So such a kernel takes numbers one by one (``array[i, j]``, not
``array[i]`` or ``array *= 2``), sees to it that nothing is divided by zero, and keeps of whole numbers what 64 bits
hold.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np

from andante.kernels.errors import KernelError
from andante.kernels.names import named
from andante.kernels.waiting import load_numba, make_with_numba, numba_is_loaded

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
PYTHON_CALLS = 500
"""Calls of each kernel as Python: so many ticks of a run take half a millisecond longer each than compiled, together
about what loading numba and their kernels takes. Whatever the length of a run, it takes at most twice the best way."""
ALL: list[LazyEntry] = []
"""All such kernels."""
_ARRAY = np.ndarray
_SEEN = frozenset(np.dtype(kind).char for kind in (np.float64, np.int64, np.int32, np.bool_))
"""Kinds of numbers that are Python's own when taken from a view."""
_python_calls = [PYTHON_CALLS]
"""Calls as Python of a kernel that is made now."""


class Lazy(Protocol[P, R]):
    """What calls such a kernel sees: a function, and in ``now`` the quickest way to call it."""

    @property
    def now(self) -> Callable[P, R]:
        """What to call now, without keeping it: the kernel's machine code, once there is any."""

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Call the kernel."""


class LazyEntry:
    """An entry that runs as Python at first.

    Args:
        function: The kernel's function.

    Raises:
        KernelError: It is a kernel already.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if hasattr(function, "py_func"):
            inner = function.py_func
            raise KernelError("the kernel is decorated twice", place=f"{inner.__module__}.{inner.__qualname__}")
        self.py_func = function
        self._made: Any = None
        self.entry: Callable[..., Any] = self._first
        """The kernel, once numba is there."""
        self.now: Callable[..., Any] = self
        """What to call now: this, as long as calls as Python are left, then its machine code."""
        self.left = _python_calls[0]
        """Calls as Python that are left."""
        if not self.left:
            self.compile()
        self._python: Callable[..., Any] | None = None
        self._by_numpy = False
        ALL.append(self)
        make_with_numba(self)

    def make(self) -> None:
        """Make the kernel."""
        from andante.kernels.ahead import LAZY
        from andante.kernels.entries import Entry

        self._made = Entry(self.py_func)
        self._enter(self._typed)
        LAZY.add(self._made.name)

    def _first(self, *arguments: Any) -> Any:
        load_numba()
        return self.entry(*arguments)

    def _typed(self, *arguments: Any) -> Any:
        """Let numba find or make the code for these types, which is called as it is from now on."""
        result = self._made(*arguments)
        self._enter(next(iter(self._made.overloads.values())).entry_point)
        return result

    def _enter(self, entry: Callable[..., Any]) -> None:
        self.entry = entry
        if not self.left:
            self.now = entry

    def compile(self) -> None:
        """Call it compiled from now on."""
        self.left, self.now = 0, self.entry

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        if self.left:
            if not numba_is_loaded():
                self.left -= 1
                return self.as_python(*arguments)
            self.compile()
        return self.entry(*arguments)

    def as_python(self, *arguments: Any) -> Any:
        """The same as Python."""
        if self._python is None:
            self._python = _plain(self.py_func)
            self._by_numpy = _counts_with_numpy(self.py_func)
        views = [item.data if type(item) is _ARRAY and item.dtype.char in _SEEN else item for item in arguments]
        if not self._by_numpy:
            return self._python(*views)
        # Numba says nothing of overflows either.
        with np.errstate(all="ignore"):
            return self._python(*views)


def compile_all() -> None:
    """Call all compiled from now on: what begins now goes on for long.

    Numba is imported at once, so that processes that are forked from this one share its memory.
    """
    _python_calls[0] = 0
    load_numba()
    for each in ALL:
        each.compile()


def _counts_with_numpy(function: Callable[..., Any]) -> bool:
    """Whether a kernel, or one that it calls, counts with numpy's numbers as Python too."""
    others = (value.py_func for _, value in named(function) if hasattr(value, "py_func"))
    return "np" in function.__code__.co_names or any(map(_counts_with_numpy, others))


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel's function that calls other kernels as Python."""
    others = {name: _plain(value.py_func) for name, value in named(function) if hasattr(value, "py_func")}
    return types.FunctionType(function.__code__, {**function.__globals__, **others}, function.__name__)
