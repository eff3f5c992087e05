"""Kernels that every run calls: as Python at first, compiled once that is worth it.

Their arguments must always have the types that their annotations name: once compiled, numba no longer looks at them,
which takes a third of a call.

Loading the first kernel imports numba, which takes a third of a second in every process; a short run is over by then.
So such a kernel runs as the Python that it is written in until it has been called some thousand times, or until some
other kernel has imported numba. Both give the same numbers to the last bit.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from andante.kernels.errors import KernelError
from andante.kernels.names import named
from andante.kernels.waiting import load_numba, make_with_numba, numba_is_loaded

T = TypeVar("T")
PYTHON_CALLS = 2000
"""Calls of each kernel as Python; a call takes 0.1 ms longer than compiled."""
ALL: list[LazyEntry] = []
"""All such kernels."""
_python_calls = [PYTHON_CALLS]
"""Calls as Python of a kernel that is made now."""


class LazyEntry:
    """An entry that runs as Python at first.

    Args:
        function: The kernel's function.

    Raises:
        KernelError: It is a kernel already.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if hasattr(function, "py_func"):
            raise KernelError("the kernel is decorated twice", place=f"{function.__module__}.{function.__qualname__}")
        self.py_func = function
        self._made: Any = None
        self.entry: Callable[..., Any] = self._first
        """The kernel, once numba is there."""
        self.left = _python_calls[0]
        """Calls as Python that are left."""
        self._python: Callable[..., Any] | None = None
        ALL.append(self)
        make_with_numba(self)

    def make(self) -> None:
        """Make the kernel."""
        from andante.kernels.ahead import LAZY
        from andante.kernels.entries import Entry

        self._made = Entry(self.py_func)
        self.entry = self._typed
        LAZY.add(self._made.name)

    def _first(self, *arguments: Any) -> Any:
        load_numba()
        return self.entry(*arguments)

    def _typed(self, *arguments: Any) -> Any:
        """Let numba find or make the code for these types, which is called as it is from now on."""
        result = self._made(*arguments)
        self.entry = next(iter(self._made.overloads.values())).entry_point
        return result

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        if self.left:
            if not numba_is_loaded():
                self.left -= 1
                return self.as_python(*arguments)
            self.left = 0
        return self.entry(*arguments)

    def as_python(self, *arguments: Any) -> Any:
        """The same as Python."""
        if self._python is None:
            self._python = _plain(self.py_func)
        # Numba says nothing of overflows either.
        with np.errstate(all="ignore"):
            return self._python(*arguments)


def ready(kernel: Callable[..., T]) -> Callable[..., T]:
    """What to call in a loop in place of a lazy entry: its machine code, once there is any."""
    return cast("Callable[..., T]", kernel.entry) if isinstance(kernel, LazyEntry) and not kernel.left else kernel


def compile_all() -> None:
    """Call all compiled from now on: what begins now goes on for long."""
    _python_calls[0] = 0
    for each in ALL:
        each.left = 0


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel's function that calls other kernels as Python."""
    others = {name: _plain(value.py_func) for name, value in named(function) if hasattr(value, "py_func")}
    return types.FunctionType(function.__code__, {**function.__globals__, **others}, function.__name__)
