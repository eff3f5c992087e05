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
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType

import numpy as np

from andante.plugins.errors import ReplacedError
from andante.plugins.raised import ASKED_TO_END

_SHARED: tuple[ModuleType, ...] = (builtins, math, json, np, np.linalg)
"""Libraries whose functions everything here computes with."""
_NO_NUMBERS = ("builtins.print", "builtins.input", "builtins.breakpoint", "builtins.help")
"""What people replace by prettier ones; nothing is computed with them."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Go on afterwards in the same folder, locale and errors of numpy, with the same filters of warnings.

    A process that the code inside forks ends here: it would do a second time what follows.

    Raises:
        ReplacedError: The code has replaced functions of a library that all others use. They are put back, but what was
            computed meanwhile is not to be believed.
    """
    process, folder = os.getpid(), working_folder()
    language, depth = locale.setlocale(locale.LC_ALL), sys.getrecursionlimit()
    filters = list(warnings.filters)
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
            os._exit(0)
        go_to(folder)
        locale.setlocale(locale.LC_ALL, language)
        if sys.getrecursionlimit() < depth:
            sys.setrecursionlimit(depth)
        set_filters(filters)
        replaced = [f"{module.__name__}.{name}" for module, kept in shared for name in _replaced(module, kept)]
        replaced = [name for name in replaced if name not in _NO_NUMBERS]
        if replaced and not isinstance(raised, (*ASKED_TO_END, GeneratorExit)):
            raise ReplacedError(
                "the code that was run has replaced functions which all of this process uses; they are put back",
                value=", ".join(replaced[:5]),
                remedy="give functions of your own names of your own",
            ) from raised


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
