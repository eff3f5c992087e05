"""The reading budget: what one reading of a file may cost in time and memory, whatever is in the file.

Every function by which a file comes in is `budgeted`. While it runs, its processor time and the growth of this
process's memory are watched from beside, and both may grow with the bytes that `read_bytes` and `read_text` hand out.
Beyond them the reading is ended wherever it is, with one message. So no reader has to remember to look at a clock.
Readers keep limits of their own (bytes, items, depth), which end a hostile file long before; the budget stands behind
all of them, also behind the ones that nobody has thought of.

Work in compiled libraries that takes long in one call (MuJoCo, numpy) cannot be ended from beside. It is bounded by
what is handed to it: see `andante.robots.model_budget` and the limits of terrain files.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from andante.documents.memory import resident
from andante.documents.problems import DocumentError
from andante.errors import AndanteError, middle_out

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class ReadingBudget:
    """What one reading may cost."""

    seconds: float = 4.0
    """Processor time before any byte is counted: modules are imported, small files read [s]."""
    seconds_per_byte: float = 2e-6
    """Processor time for each byte; a library of 10,000 keyframes in YAML takes 0.45e-6 on two old cores [s]."""
    memory: int = 250_000_000
    """Growth of the process's memory before any byte is counted [bytes]."""
    memory_per_byte: float = 60.0
    """Growth of memory for each byte; the same library takes 40."""


USUAL = ReadingBudget()
"""For what is read by Python: documents, motions, logs, numbers."""
MODELS = ReadingBudget(seconds=12.0, memory=1_000_000_000)
"""For what MuJoCo compiles and kernels look at, some of them for the first time: robots, terrain."""

_LEAST = 32_768
"""Bytes from which a reading is watched: a reading of fewer ends soon, even one that goes through all pairs of them."""
_LOOK = 0.02
"""Time between two looks [s]."""


class _Ended(BaseException):
    """Ends a reading from beside. Only here is it raised and caught."""


class _Reading:
    """One reading under way."""

    def __init__(self, budget: ReadingBudget) -> None:
        self._budget = budget
        self._clock = _thread_clock(threading.get_ident())
        self._thread = threading.get_ident()
        self._begun, self._memory = self._clock(), 0
        self._over = threading.Event()
        self._watch: threading.Thread | None = None
        self.size = 0
        """Bytes handed out."""
        self.spent = ""
        """What there was too much of, and its limit; empty: nothing."""

    def took(self, size: int) -> None:
        """Count bytes that the reading was given."""
        self.size += size
        if self._watch is None and self.size >= _LEAST and sys.platform != "emscripten":
            self._memory = resident()
            self._watch = threading.Thread(target=self._look, name="andante-reading", daemon=True)
            self._watch.start()

    def close(self) -> None:
        """Look no more. Whatever was raised from beside has arrived when this returns."""
        self._over.set()
        if self._watch is not None:
            self._watch.join()
            for _ in range(1000):  # A thread takes what is raised from beside at the next turn of a loop.
                pass

    def refusal(self, place: str, error: type[AndanteError]) -> AndanteError:
        """The error of a reading that was ended."""
        what, _, limit = self.spent.partition("|")
        return error(
            f"takes too much {what} to read and was given up",
            place=place,
            value=f"{self.size} bytes",
            limit=limit,
            remedy="is this really such a file? Divide one that is honest and large",
        )

    def _look(self) -> None:
        budget = self._budget
        while not self._over.wait(_LOOK):
            seconds = budget.seconds + budget.seconds_per_byte * self.size
            memory = budget.memory + budget.memory_per_byte * self.size
            if self._clock() - self._begun > seconds:
                self.spent = f"time|{seconds:.1f} s of processor time"
            elif resident() - self._memory > memory:
                self.spent = f"memory|{memory / 1e6:.0f} MB"
            else:
                continue
            raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
            raise_in(ctypes.c_ulong(self._thread), ctypes.py_object(_Ended))
            return


_current: ContextVar[_Reading | None] = ContextVar("andante_reading", default=None)


def took(size: int) -> None:
    """Count bytes that were read, or text that was given, for the reading under way."""
    reading = _current.get()
    if reading is not None:
        reading.took(size)


def under_budget() -> bool:
    """Whether a reading is under way here."""
    return _current.get() is not None


def budgeted(
    budget: ReadingBudget = USUAL, *, place: str = "path", error: type[AndanteError] = DocumentError
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function read under a budget; inside of another reading that one's holds.

    Args:
        budget: What it may cost.
        place: The parameter that names the file, for the message.
        error: Class of the errors.

    Returns:
        The decorator. The function raises ``error`` where the reading costs too much or something in the file is
        nested too deeply.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        position = list(inspect.signature(function).parameters).index(place)

        @functools.wraps(function)
        def reads(*args: P.args, **kwargs: P.kwargs) -> R:
            outer = _current.get() is not None
            where = _place(kwargs.get(place, args[position] if len(args) > position else ""))
            try:
                if outer:
                    return function(*args, **kwargs)
                return _within(budget, lambda: function(*args, **kwargs), where, error)
            except RecursionError:
                raise error("is nested too deeply", place=where) from None
            except MemoryError:
                raise error("takes too much memory to read", place=where) from None

        return reads

    return decorate


def _within(budget: ReadingBudget, read: Callable[[], R], place: str, error: type[AndanteError]) -> R:
    reading = _Reading(budget)
    token = _current.set(reading)
    try:
        try:
            return read()
        finally:
            reading.close()
    except _Ended:
        reading.close()
        raise reading.refusal(place, error) from None
    finally:
        _current.reset(token)


def _place(value: object) -> str:
    """The name of a file; a document may be given as a text, which is no name."""
    text = str(value)
    return "<text>" if "\n" in text else middle_out(text)


def _thread_clock(thread: int) -> Callable[[], float]:
    """Processor time of a thread [s]; that of the process where the system does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return functools.partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
