"""State in what the language has: attributes, closures, defaults, globals, classes.

This module is a user's as far as a snapshot is concerned.
"""

# What users write is not always what one should write.
# ruff: noqa: B006, RUF012
from __future__ import annotations

import sys
import types
from typing import Any

from state_ways import KEPT, REFUSED, way


@way(KEPT)
class Attribute:
    def __init__(self) -> None:
        self.count = 0

    def step(self) -> float:
        self.count += 1
        return self.count


@way(KEPT)
class Slots:
    __slots__ = ("__hidden", "_count")

    def __init__(self) -> None:
        self._count, self.__hidden = 0, 0

    def step(self) -> float:
        self._count += 1
        self.__hidden += 2
        return self._count + self.__hidden


class _Base:
    __slots__ = ("x",)


@way(KEPT)
class ShadowedSlots(_Base):
    __slots__ = ("x", "y")

    def step(self) -> float:
        below: Any = _Base.__dict__["x"]
        count = (below.__get__(self) if _has(below, self) else 0) + 1
        below.__set__(self, count)
        return count


def _has(slot: Any, thing: object) -> bool:
    try:
        slot.__get__(thing)
    except AttributeError:
        return False
    return True


@way(KEPT)
class Mangled:
    def __init__(self) -> None:
        self.__count = 0

    def step(self) -> float:
        self.__count += 1
        return self.__count


def _property() -> property:
    held = [0]

    def get(_: object) -> int:
        held[0] += 1
        return held[0]

    return property(get)


@way(KEPT)
class PropertyOverClosure:
    count = _property()

    def step(self) -> float:
        return self.count


@way(KEPT)
class Cells:
    def __init__(self) -> None:
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return count

        self.step = tick


@way(KEPT)
class MutableDefault:
    def step(self, held: list[int] = [0], *, more: dict[str, int] = {"a": 0}) -> float:
        held[0] += 1
        more["a"] += 1
        return held[0] + more["a"]


@way(KEPT)
class ReplacedDefaults:
    def _next(self, count: int = 0) -> int:
        return count + 1

    def step(self) -> float:
        value = self._next()
        type(self)._next.__defaults__ = (value,)
        return value


def _counter() -> int:
    _counter.count = getattr(_counter, "count", 0) + 1  # type: ignore[attr-defined]
    return _counter.count  # type: ignore[attr-defined,no-any-return]


@way(KEPT)
class FunctionAttribute:
    def step(self) -> float:
        return _counter()


COUNT = 0
TABLE: dict[str, int] = {}


@way(KEPT)
class ModuleGlobal:
    def step(self) -> float:
        global COUNT
        COUNT += 1
        return COUNT


@way(KEPT)
class ModuleGlobalThroughFunctions:
    def step(self) -> float:
        return _deeper()


def _deeper() -> int:
    TABLE["n"] = TABLE.get("n", 0) + 1
    return TABLE["n"]


@way(KEPT)
class NewGlobal:
    def step(self) -> float:
        globals()["LATER"] = globals().get("LATER", 0) + 1
        return globals()["LATER"]


@way(KEPT)
class OtherModule:
    def step(self) -> float:
        other.count = getattr(other, "count", 0) + 1
        return other.count


other: Any = types.ModuleType("my_gains")
sys.modules["my_gains"] = other


@way(KEPT)
class ClassAttribute:
    count = 0

    def step(self) -> float:
        type(self).count += 1
        return type(self).count


@way(KEPT)
class InheritedClassList(ClassAttribute):
    held: list[int] = []

    def step(self) -> float:
        self.held.append(1)
        return len(self.held)


class _Meta(type):
    total = 0


@way(KEPT)
class Metaclass(metaclass=_Meta):
    def step(self) -> float:
        _Meta.total += 1
        return type(self).total


@way(KEPT)
class ClassMethodState:
    seen = 0

    @classmethod
    def step(cls) -> float:
        cls.seen += 1
        return cls.seen


class _Descriptor:
    def __init__(self) -> None:
        self.held: dict[int, int] = {}

    def __get__(self, owner: object, kind: type | None = None) -> int:
        self.held[id(owner)] = self.held.get(id(owner), 0) + 1
        return self.held[id(owner)]


@way(KEPT)
class DescriptorState:
    count = _Descriptor()

    def step(self) -> float:
        return self.count


@way(REFUSED)
class Generator:
    def __init__(self) -> None:
        self.numbers = (i for i in range(1000))

    def step(self) -> float:
        return next(self.numbers)
