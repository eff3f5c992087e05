"""State inside of what cannot change itself: errors, slices, methods with arguments, names of functions and classes.

This module is a user's as far as a snapshot is concerned.
"""

from __future__ import annotations

import datetime
import operator
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from state_ways import KEPT, way
from state_ways_language import Attribute


def _append(held: list[int]) -> int:
    held[0] += 1
    return held[0]


class _Zone(datetime.tzinfo):
    count = 0

    def utcoffset(self, _: datetime.datetime | None) -> datetime.timedelta:
        self.count += 1
        return datetime.timedelta(minutes=self.count)


class _Counts:
    def __getitem__(self, key: Any) -> float:
        return float(key.step())


def _ticking() -> Callable[[object], int]:
    held = [0]
    return lambda _: _append(held)


def _with_list() -> Any:
    def said() -> None:
        return None

    return types.FunctionType(said.__code__.replace(co_consts=([0],)), {})  # type: ignore[arg-type]


def _holders() -> None:
    ways: dict[str, tuple[Callable[[], Any], Callable[[Any], float]]] = {
        "slice": (lambda: slice([0]), lambda c: _append(c.stop)),
        "alias with a list": (lambda: types.GenericAlias(list, ([0],)), lambda c: _append(c.__args__[0])),
        "item getter": (lambda: operator.itemgetter(Attribute()), lambda c: c(_Counts())),
        "method caller": (lambda: operator.methodcaller("__getitem__", Attribute()), lambda c: c(_Counts())),
        "function for arrays": (lambda: np.frompyfunc(_ticking(), 1, 1), lambda c: float(c(0))),
        "words of a dtype": (lambda: np.dtype("f8", metadata={"n": [0]}), lambda c: _append(c.metadata["n"])),
        "zone of a time": (
            lambda: datetime.datetime(2020, 1, 1, tzinfo=_Zone()),
            lambda c: c.utcoffset().total_seconds(),
        ),
        "constant of a function": (_with_list, lambda c: _append(c.__code__.co_consts[0])),
        "lock taken several times": (threading.RLock, lambda c: _taken(c)),
        "cause": (lambda: _raised(ValueError(), __cause__=ValueError(0)), lambda c: _again(c.__cause__)),
        "context": (lambda: _raised(ValueError(), __context__=ValueError(0)), _replace_context),
        "value of an end": (lambda: StopIteration(0), lambda c: _more(c, "value")),
        "number of an error": (lambda: OSError(1, "a"), lambda c: _more(c, "errno")),
        "place of an error": (lambda: UnicodeDecodeError("a", b"a" * 100, 0, 1, "x"), lambda c: _more(c, "start")),
        "notes of an error": (ValueError, lambda c: c.add_note("a") or len(c.__notes__)),
        "variables of a traceback": (_traced, lambda c: _append(c.__traceback__.tb_next.tb_frame.f_locals["held"])),
    }
    for name, (make, advance) in ways.items():

        class Holder:
            def __init__(self, make: Any = make, step_of: Any = advance) -> None:
                self.held, self.step_of = make(), step_of

            def step(self) -> float:
                return float(self.step_of(self.held))

        Holder.__name__ = name
        way(KEPT)(Holder)


def _taken(lock: Any) -> int:
    lock.acquire()
    return int(repr(lock).split("count=")[1].split()[0])


def _raised(error: Exception, **fields: Any) -> Exception:
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def _again(error: Any) -> int:
    error.args = (error.args[0] + 1,)
    return int(error.args[0])


def _replace_context(error: Any) -> int:
    error.__context__ = ValueError(error.__context__.args[0] + 1)
    return int(error.__context__.args[0])


def _more(thing: Any, name: str) -> int:
    setattr(thing, name, getattr(thing, name) + 1)
    return int(getattr(thing, name))


def _fail() -> None:
    held = [0]
    raise ValueError(len(held))


def _traced() -> Exception:
    try:
        _fail()
    except ValueError as error:
        return error
    raise AssertionError


_holders()


class _Left:
    def value(self) -> int:
        return 1


class _Right:
    def value(self) -> int:
        return 2


class _Below(_Left):
    pass


@way(KEPT)
class ExchangedBases:
    def step(self) -> float:
        _Below.__bases__ = (_Right,) if _Below.__bases__ == (_Left,) else (_Left,)
        return _Below().value()


@way(KEPT)
class NamesOfAClass:
    def step(self) -> float:
        kind: Any = type(self)
        kind.__name__ += "a"
        kind.__qualname__ += "b"
        kind.__doc__ = (kind.__doc__ or "") + "c"
        kind.__annotations__["n"] = kind.__annotations__.get("n", 0) + 1
        return len(kind.__name__ + kind.__qualname__ + kind.__doc__) + float(kind.__annotations__["n"])


@way(KEPT)
class NamesOfAFunction:
    @property
    def said(self) -> int:
        return 0

    def step(self) -> float:
        function: Any = type(self).step
        function.__name__ += "a"
        function.__doc__ = (function.__doc__ or "") + "b"
        function.__annotations__["n"] = function.__annotations__.get("n", 0) + 1
        told: Any = vars(type(self))["said"]
        told.__doc__ = (told.__doc__ or "") + "c"
        return len(function.__name__ + function.__doc__ + told.__doc__) + float(function.__annotations__["n"])
