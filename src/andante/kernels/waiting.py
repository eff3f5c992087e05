"""Kernels before numba is there: importing it takes a fifth of a second, which a run of few kernels does not need.

Until something must be compiled or loaded, a decorated function is kept as it is. `load_numba` imports numba and makes
the dispatchers of all; what is decorated afterwards has its own at once.
"""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable
from typing import Any, Protocol

from andante.kernels.errors import KernelError

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")
"""Whether all kernels run as Python, by numba's own setting."""


class Pending(Protocol):
    """What waits for numba."""

    def make(self) -> None:
        """Make the dispatcher."""


class _State:
    def __init__(self) -> None:
        self.lock, self.loaded = threading.RLock(), False
        self.pending: list[Pending] = []


_STATE = _State()


def load_numba() -> None:
    """Import numba and make the dispatchers of all kernels that wait for it."""
    if _STATE.loaded and not _STATE.pending:
        return
    with _STATE.lock:
        if not _STATE.loaded:
            _import_numba()
        _STATE.loaded = True
        while _STATE.pending:
            _STATE.pending.pop(0).make()


def _import_numba() -> None:
    """Import numba without what only its compiler needs: loaded machine code does without."""
    importlib.import_module("numba")


def prepare_to_compile(context: Any) -> None:
    """Let numba's compiler learn all that it can compile, without SciPy's linear algebra.

    Numba imports that only to see whether it is there, and a requirement of Andante is. Machine code that multiplies
    matrices imports it when it first does.

    Args:
        context: Numba's target.
    """
    # What kernels make of addresses; loaded machine code has it in.
    importlib.import_module("andante.kernels.held_views")
    linalg: Any = importlib.import_module("numba.np.linalg")
    check, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        context.refresh()
    finally:
        linalg.ensure_blas = check


def numba_is_loaded() -> bool:
    """Whether numba is there."""
    return _STATE.loaded


def make_with_numba(kernel: Pending) -> None:
    """Let a kernel be made when numba is needed; now where it is there."""
    with _STATE.lock:
        _STATE.pending.append(kernel)
        if _STATE.loaded:
            load_numba()


class PendingKernel:
    """An inner kernel without its dispatcher, which takes its place in its module once numba is there.

    A module that imported it before keeps this stand-in, which numba reads as the kernel itself.

    Args:
        function: The kernel's function.
        options: How it is compiled.

    Raises:
        KernelError: It is a kernel already.
    """

    def __init__(self, function: Callable[..., Any], **options: object) -> None:
        self.py_func, self._options = function, options
        self._made: Any = None
        functools.update_wrapper(self, function)
        if hasattr(function, "py_func"):
            raise KernelError("the kernel is decorated twice", place=f"{function.__module__}.{function.__qualname__}")
        make_with_numba(self)

    def make(self) -> None:
        """Make the dispatcher, and put it where this stands."""
        # By name: what makes dispatchers asks here what waits, so neither can import the other.
        maker = importlib.import_module(f"{__package__}.dispatchers")
        self._made = made = maker.Inner(self.py_func, **self._options)
        space, name = self.py_func.__globals__, self.py_func.__name__
        if space.get(name) is self:
            space[name] = made

    @property
    def kernel(self) -> Any:
        """The kernel, for which numba is imported where it is not yet."""
        load_numba()
        if self._made is None:
            raise KernelError("the kernel could not be made", place=f"{self.__module__}.{self.py_func.__name__}")
        return self._made

    @property
    def _numba_type_(self) -> Any:
        return self.kernel._numba_type_

    def __call__(self, *arguments: object, **named: object) -> Any:
        """Refuse, as the kernel does."""
        return self.kernel(*arguments, **named)

    def __reduce__(self) -> Any:
        return self.kernel.__reduce__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.kernel, name)
