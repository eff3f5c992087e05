"""Ways to hold state that hide it: caches of what changes, attributes of fixed kinds, classes that are changed."""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from state_ways import KEPT, REFUSED, WAYS, way


@way(KEPT)
class CacheOfWhatChanges:
    @functools.lru_cache(maxsize=None)  # noqa: B019, UP033
    def table(self) -> list[int]:
        return [0]

    def step(self) -> float:
        held = self.table()
        held[0] += 1
        return held[0]


@functools.lru_cache(maxsize=4)
def _listed(_: int) -> list[int]:
    return []


@way(KEPT)
class SmallCacheOfWhatChanges:
    def step(self) -> float:
        held = _listed(1)
        held.append(1)
        return len(held)


class _State(enum.Enum):
    A = 0
    B = 1


@way(KEPT)
class AttributeOfAMember:
    def __init__(self) -> None:
        self.state = _State.A

    def step(self) -> float:
        self.state = _State.B if self.state is _State.A else _State.A
        _State.A.visits = getattr(_State.A, "visits", 0) + 1  # type: ignore[attr-defined]
        return float(_State.A.visits + 100 * self.state.value)  # type: ignore[attr-defined]


def _fixed_kinds() -> None:
    makers: dict[str, Callable[[type], Any]] = {
        "datetime": lambda kind: kind(2020, 1, 1),
        "Decimal": lambda kind: kind(1),
        "PurePosixPath": lambda kind: kind("."),
    }
    for base in (datetime.datetime, decimal.Decimal, PurePosixPath):
        inner = type(base.__name__, (base,), {"__module__": __name__})

        class Holder:
            def __init__(self, inner: type = inner, make: Any = makers[base.__name__]) -> None:
                self.held = make(inner)
                self.held.count = 0

            def step(self) -> float:
                self.held.count += 1
                return float(self.held.count)

        Holder.__name__ = f"attribute of a fixed kind, {base.__name__}"
        way(KEPT)(Holder)


_fixed_kinds()


@way(KEPT)
class StateByClass:
    def step(self) -> float:
        self.__class__ = _OtherState
        return 1.0


class _OtherState(StateByClass):
    def step(self) -> float:
        self.__class__ = StateByClass  # type: ignore[assignment]
        return 2.0


@way(KEPT)
class NameByText:
    def step(self) -> float:
        module, name = sys.modules[__name__], "_by" + "_text"
        setattr(module, name, getattr(module, name, 0) + 1)
        return float(getattr(module, name))


@way(KEPT)
class NameByImport:
    def step(self) -> float:
        module, name = importlib.import_module(__name__), "_by" + "_import"
        setattr(module, name, getattr(module, name, 0) + 1)
        return float(getattr(module, name))


@way(KEPT)
class TableBehindAnswers:
    def __init__(self) -> None:
        object.__setattr__(self, "table", {"count": 0})

    def __getattr__(self, name: str) -> Any:
        return self.table[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self.table[name] = value

    def step(self) -> float:
        self.count += 1
        return float(self.count)


@way(KEPT)
class LyingAnswers:
    def __init__(self) -> None:
        self.count = 0

    def __getattribute__(self, name: str) -> Any:
        return {} if name == "__dict__" else object.__getattribute__(self, name)

    def step(self) -> float:
        self.count += 1
        return float(self.count)


class _Hidden:
    __dict__ = property(lambda self: {})

    def step(self) -> float:
        object.__setattr__(self, "count", getattr(self, "count", 0) + 1)
        return float(self.count)  # type: ignore[attr-defined]


@way(REFUSED)
class HiddenAttributes:
    def __init__(self) -> None:
        self.held = _Hidden()

    def step(self) -> float:
        return self.held.step()


@way(KEPT)
class ReplacedPartial:
    def __init__(self) -> None:
        self.held = functools.partial(int, 0)

    def step(self) -> float:
        value = self.held() + 1
        self.held.__setstate__((int, (value,), {}, {}))  # type: ignore[attr-defined]
        return value


@way(KEPT)
class EmptiedCell:
    def __init__(self) -> None:
        count = 5

        def take() -> int:
            nonlocal count
            try:
                value = count
                del count
            except NameError:
                value = 0
                count = 7  # noqa: F841
            return value

        self.take = take

    def step(self) -> float:
        return self.take()


def _one() -> int:
    return 1


def _two() -> int:
    return 2


@way(KEPT)
class ExchangedCode:
    def step(self) -> float:
        _one.__code__, _two.__code__ = _two.__code__, _one.__code__
        return _one()


def _draw(_: float) -> float:
    return np.random.random()  # noqa: NPY002


def _add(value: float) -> float:
    return value + 1.0


class _Compiled:
    def __init__(self, function: Any) -> None:
        import numba

        self.compiled, self.value = numba.njit(function), 0.0

    def step(self) -> float:
        self.value = self.compiled(self.value)
        return self.value


WAYS["numba kernel"] = (lambda: _Compiled(_add), KEPT)
WAYS["numba kernel that draws"] = (lambda: _Compiled(_draw), REFUSED)
