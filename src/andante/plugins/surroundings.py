"""What code of others changes for all of the process: it is put back when that code has been run.

A folder that was changed would send results to another place, strict errors of numpy would end Andante's own pictures,
and a function of a library that was replaced would compute other numbers in every later run.
"""

from __future__ import annotations

import builtins
import json
import locale
import math
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import numpy as np

from andante.plugins.errors import ReplacedError
from andante.plugins.raised import ASKED_TO_END

_SHARED: tuple[ModuleType, ...] = (builtins, math, json, np, np.linalg)
"""Libraries whose functions everything here computes with."""
_NO_NUMBERS = ("builtins.print", "builtins.input", "builtins.breakpoint", "builtins.help")
"""What people replace by prettier ones; nothing is computed with them."""


class _Leave:
    """The way out of a process past Python, `os._exit`: shut while code of others runs in any thread of it."""

    def __init__(self) -> None:
        self._way, self._inside, self._lock = os._exit, 0, threading.Lock()
        self._process = os.getpid()

    def shut(self) -> Callable[[int], object]:
        """Refuse this process the way out; returns the way."""
        with self._lock:
            if not self._inside:
                self._way, self._process = os._exit, os.getpid()
                os._exit = self._refuse  # type: ignore[assignment]
            self._inside += 1
            return self._way

    def open(self) -> None:
        """Let it go again, where nobody else keeps it shut."""
        with self._lock:
            self._inside -= 1
            if not self._inside:
                os._exit = self._way

    def _refuse(self, status: int = 0) -> None:
        # A process that was forked meanwhile may end as it likes.
        if os.getpid() != self._process:
            self._way(status)
        raise SystemExit(f"os._exit({status})")


_LEAVE = _Leave()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Go on afterwards in the same folder, locale and errors of numpy, with the same filters of warnings and streams.

    Ctrl-C and a request to terminate mean what they meant: a library that takes them would leave a run that nobody
    can end.

    A process that the code inside forks ends here: it would do a second time what follows. One that asks the system to
    end this process, past Python, is refused by `SystemExit`: a command would end by its code without a word.

    Raises:
        ReplacedError: The code has replaced functions of a library that all others use. They are put back, but what was
            computed meanwhile is not to be believed.
    """
    process, folder = os.getpid(), working_folder()
    leave = _LEAVE.shut()
    language, depth = locale.setlocale(locale.LC_ALL), sys.getrecursionlimit()
    filters, handlers, streams = list(warnings.filters), _handlers(), _streams()
    shared = [(module, dict(vars(module))) for module in _SHARED]
    raised: BaseException | None = None
    try:
        with np.errstate(), np.printoptions():
            try:
                yield
            except BaseException as error:
                raised = error
                raise
    finally:
        if os.getpid() != process:
            leave(0)
        _LEAVE.open()
        go_to(folder)
        locale.setlocale(locale.LC_ALL, language)
        if sys.getrecursionlimit() < depth:
            sys.setrecursionlimit(depth)
        set_filters(filters)
        for name, stream in streams.items():
            # A command would say nothing any more.
            setattr(sys, name, stream)
        for number, handler in handlers.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)
        replaced = [f"{module.__name__}.{name}" for module, kept in shared for name in _replaced(module, kept)]
        replaced = [name for name in replaced if name not in _NO_NUMBERS]
        if replaced and not isinstance(raised, (*ASKED_TO_END, GeneratorExit)):
            raise ReplacedError(
                "the code that was run has replaced functions which all of this process uses; they are put back",
                value=", ".join(replaced[:5]),
                remedy="give functions of your own names of your own",
            ) from raised


def _handlers() -> dict[int, Any]:
    """Who answers Ctrl-C and a request to terminate; nobody where they cannot be set: beside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    found = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    # A library in C may have taken them; what it has set, Python cannot set again.
    return {number: handler for number, handler in found.items() if handler is not None}


def _streams() -> dict[str, Any]:
    """What is printed to; beside the main thread nothing: another thread may lead it elsewhere meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {"stdout": sys.stdout, "stderr": sys.stderr}


def _replaced(module: ModuleType, kept: dict[str, object]) -> list[str]:
    """Names of a library that have another value than before, or none any more; they get it back."""
    now = vars(module)
    if len(now) == len(kept) and all(a is b for a, b in zip(now.values(), kept.values(), strict=True)):
        return []
    missing = object()
    names = [name for name, value in kept.items() if now.get(name, missing) is not value and name[:1] != "_"]
    for name in names:
        setattr(module, name, kept[name])
    return names


def set_filters(kept: Sequence[object]) -> None:
    """Let these filters of warnings hold again."""
    if warnings.filters != kept:
        # The interpreter learns of the change by this.
        with warnings.catch_warnings():
            warnings.resetwarnings()
        warnings.filters[:] = kept  # type: ignore[index]


def working_folder() -> str | None:
    """The folder that this process is in; None where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def go_to(folder: str | None) -> None:
    """Go back to a folder, where it is known and still there."""
    if folder is not None and working_folder() != folder:
        with suppress(OSError):
            os.chdir(folder)
