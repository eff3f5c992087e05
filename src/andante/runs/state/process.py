"""What belongs to all of the process, and how users' code changes it: kept where the code has one of these names."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from andante.plugins.surroundings import go_to, set_filters, working_folder

Setting = tuple[frozenset[str], Callable[[], Any], Callable[[Any], object]]
"""Names by which it is reached; gives it; sets it."""


def _set_environment(kept: dict[str, str]) -> None:
    for name in os.environ.keys() - kept.keys():
        del os.environ[name]
    for name, value in kept.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def _set_handlers(kept: dict[int, Any]) -> None:
    # Handlers can be set in the main thread only, and those of code in C not at all.
    if threading.current_thread() is threading.main_thread():
        for number, handler in kept.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


def _levels() -> dict[str, int]:
    known = logging.Logger.manager.loggerDict
    return {"": logging.getLogger().level} | {
        name: each.level for name, each in known.items() if isinstance(each, logging.Logger)
    }


def _set_levels(kept: dict[str, int]) -> None:
    for name in _levels():
        logging.getLogger(name or None).setLevel(kept.get(name, logging.NOTSET))


def _setting(names: str, get: Callable[[], Any], put: Callable[[Any], object]) -> Setting:
    return frozenset(names.split()), get, put


_SETTINGS: tuple[Setting, ...] = (
    _setting("environ environb getenv putenv unsetenv", lambda: dict(os.environ), _set_environment),
    _setting("chdir fchdir getcwd cwd", working_folder, go_to),
    _setting("umask", _umask, os.umask),
    _setting("seterr", np.geterr, lambda kept: np.seterr(**kept)),
    _setting("set_printoptions", np.get_printoptions, lambda kept: np.set_printoptions(**kept)),
    _setting(
        "getcontext setcontext localcontext",
        lambda: decimal.getcontext().copy(),
        lambda kept: decimal.setcontext(kept.copy()),
    ),
    _setting("setrecursionlimit", sys.getrecursionlimit, sys.setrecursionlimit),
    _setting("setswitchinterval", sys.getswitchinterval, sys.setswitchinterval),
    _setting("setprofile", sys.getprofile, sys.setprofile),
    _setting("settrace", sys.gettrace, sys.settrace),
    _setting("set_threshold", gc.get_threshold, lambda kept: gc.set_threshold(*kept)),
    _setting("signal", _handlers, _set_handlers),
    _setting("setlocale", lambda: locale.setlocale(locale.LC_ALL), lambda kept: locale.setlocale(locale.LC_ALL, kept)),
    _setting("setdefaulttimeout", socket.getdefaulttimeout, socket.setdefaulttimeout),
    _setting("getLogger", _levels, _set_levels),
    _setting("simplefilter filterwarnings filters", lambda: list(warnings.filters), set_filters),
)


def keep_process(names: Collection[str]) -> list[Callable[[], None]]:
    """What puts back that which belongs to all of the process, and which code with these names may change."""
    return [_back(put, get()) for known, get, put in _SETTINGS if not known.isdisjoint(names)]


def _back(put: Callable[[Any], object], kept: Any) -> Callable[[], None]:
    def back() -> None:
        put(kept)

    return back
