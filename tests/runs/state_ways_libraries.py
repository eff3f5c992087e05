"""State outside of all that a user's controller holds: names in libraries, and what belongs to all of the process.

This module is a user's as far as a snapshot is concerned.
"""

from __future__ import annotations

import builtins
import collections
import copyreg
import decimal
import gc
import json
import linecache
import logging
import os
import signal
import socket
import statistics
import sys
import tempfile
import warnings
from typing import Any

import numpy as np
from state_ways import KEPT, way

_BUILTINS: Any = builtins
_NUMPY: Any = np
_STATISTICS: Any = statistics
_DUMPS: Any = json.dumps
_DICT: Any = collections.UserDict


def _counted(space: Any) -> int:
    space._of_a_run = getattr(space, "_of_a_run", 0) + 1
    count: int = space._of_a_run
    return count


@way(KEPT)
class NameInBuiltins:
    def step(self) -> float:
        return _counted(_BUILTINS)


@way(KEPT)
class NameInNumpy:
    def step(self) -> float:
        return _counted(_NUMPY)


@way(KEPT)
class NameInALibraryByText:
    def step(self) -> float:
        module: Any = __import__("statistics")
        module._another = getattr(module, "_another", 0) + 1
        return float(module._another)


@way(KEPT)
class AttributeOfALibrarysClass:
    def step(self) -> float:
        return _counted(_DICT)


@way(KEPT)
class AttributeOfALibrarysFunction:
    def step(self) -> float:
        return _counted(_DUMPS)


@way(KEPT)
class NameInAndante:
    def step(self) -> float:
        import andante.spatial as own

        return _counted(own)


@way(KEPT)
class ReplacedFunctionOfALibrary:
    def step(self) -> float:
        count = getattr(_STATISTICS.fmean, "count", 0) + 1

        def other(_: object) -> float:
            return 0.0

        other.count = count  # type: ignore[attr-defined]
        _STATISTICS.fmean = other
        return float(count)


@way(KEPT)
class ListOfALibrary:
    def step(self) -> float:
        sys.path.append("/nowhere")
        return len(sys.path)


@way(KEPT)
class TableOfALibrary:
    def step(self) -> float:
        linecache.cache[f"of a run {len(linecache.cache)}"] = ()  # type: ignore[assignment]
        copyreg.dispatch_table[type("Kind", (), {})] = lambda _: ""
        return len(linecache.cache) + len(copyreg.dispatch_table)


@way(KEPT)
class Environment:
    def step(self) -> float:
        os.environ["OF_A_RUN"] = str(int(os.environ.get("OF_A_RUN", "0")) + 1)
        return float(os.environ["OF_A_RUN"])


@way(KEPT)
class Folder:
    def __init__(self) -> None:
        self.other = tempfile.gettempdir()

    def step(self) -> float:
        os.chdir("/" if os.getcwd() != "/" else self.other)
        return len(os.getcwd())


@way(KEPT)
class MaskOfFiles:
    def step(self) -> float:
        before = os.umask(0)
        os.umask(before ^ 0o1)
        return before


@way(KEPT)
class ErrorsOfNumpy:
    def step(self) -> float:
        np.seterr(divide="ignore" if np.geterr()["divide"] != "ignore" else "warn")
        return len(np.geterr()["divide"])


@way(KEPT)
class PrintingOfNumpy:
    def step(self) -> float:
        np.set_printoptions(precision=np.get_printoptions()["precision"] + 1)
        return float(np.get_printoptions()["precision"])


@way(KEPT)
class DigitsOfDecimals:
    def step(self) -> float:
        decimal.getcontext().prec += 1
        return decimal.getcontext().prec


@way(KEPT)
class LimitsOfTheInterpreter:
    def step(self) -> float:
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        sys.setswitchinterval(sys.getswitchinterval() + 0.001)
        gc.set_threshold(gc.get_threshold()[0] + 1)
        return sys.getrecursionlimit() + gc.get_threshold()[0] + round(sys.getswitchinterval(), 4)


@way(KEPT)
class HandlerOfASignal:
    def step(self) -> float:
        def handler(*_: object) -> None:
            pass

        handler.count = getattr(signal.getsignal(signal.SIGUSR2), "count", 0) + 1  # type: ignore[attr-defined]
        signal.signal(signal.SIGUSR2, handler)
        return float(handler.count)  # type: ignore[attr-defined]


@way(KEPT)
class TimeOfSockets:
    def step(self) -> float:
        socket.setdefaulttimeout((socket.getdefaulttimeout() or 0.0) + 1.0)
        return socket.getdefaulttimeout() or 0.0


@way(KEPT)
class FiltersOfWarnings:
    def step(self) -> float:
        warnings.filterwarnings("ignore", message=f"of a run {len(warnings.filters)}")
        return len(warnings.filters)


@way(KEPT)
class LevelOfALogger:
    def step(self) -> float:
        logger = logging.getLogger("of a run")
        logger.setLevel(logger.level + 1)
        return logger.level


@way(KEPT)
class HeldLogger:
    def __init__(self) -> None:
        self.log: Any = logging.getLogger("held by a run")

    def step(self) -> float:
        self.log.setLevel(self.log.level + 1)
        return float(self.log.level + _counted(self.log))
