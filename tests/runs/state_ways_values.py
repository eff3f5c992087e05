"""State in values: iterators, containers, objects of the standard library, arrays.

This module is a user's as far as a snapshot is concerned.
"""

# What users write is not always what one should write.
# ruff: noqa: RUF012
from __future__ import annotations

import array
import collections
import ctypes
import dataclasses
import enum
import functools
import io
import itertools
import queue
import random
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from state_ways import KEPT, REFUSED, way
from state_ways_language import Attribute


def _iterators() -> None:
    makers: dict[str, Callable[[], Any]] = {
        "count": itertools.count,
        "cycle": lambda: itertools.cycle([1, 2, 3, 4, 5, 6, 7, 8]),
        "enumerate": lambda: enumerate(range(1000)),
        "zip": lambda: zip(range(1000), range(1000), strict=True),
        "map": lambda: map(abs, range(1000)),
        "list_iterator": lambda: iter(list(range(1000))),
        "reversed": lambda: reversed(range(1000)),
        "chain": lambda: itertools.chain(range(9), range(1000)),
        "tee": lambda: itertools.tee(range(1000))[0],
    }
    for name, make in makers.items():

        class Iterator:
            def __init__(self, make: Callable[[], Any] = make) -> None:
                self.iterator = make()

            def step(self) -> float:
                value = next(self.iterator)
                return value if isinstance(value, int) else value[0]

        Iterator.__name__ = f"Iterator of {name}"
        way(REFUSED)(Iterator)

        class Bound(Iterator):
            def __init__(self, make: Callable[[], Any] = make) -> None:
                self.take = make().__next__

            def step(self) -> float:
                value = self.take()
                return value if isinstance(value, int) else value[0]

        Bound.__name__ = f"Bound next of {name}"
        way(REFUSED)(Bound)


_iterators()


def _containers() -> None:
    steps: dict[str, tuple[Callable[[], Any], Callable[[Any], float]]] = {
        "deque": (lambda: collections.deque([1, 2, 3], maxlen=3), lambda c: (c.append(c[0] + c[-1]), c[-1])[1]),
        "defaultdict": (lambda: collections.defaultdict(int), lambda c: c.__setitem__("a", c["a"] + 1) or c["a"]),
        "OrderedDict": (
            lambda: collections.OrderedDict.fromkeys("abcd", 1),
            lambda c: (c.move_to_end(next(iter(c))), ord(next(iter(c))))[1],
        ),
        "Counter": (collections.Counter, lambda c: (c.update("ab"), c["a"])[1]),
        "ChainMap": (lambda: collections.ChainMap({"a": 0}), lambda c: c.update(a=c["a"] + 1) or c["a"]),
        "array": (lambda: array.array("d", [0.0]), lambda c: c.__setitem__(0, c[0] + 1) or c[0]),
        "bytearray": (lambda: bytearray(b"\0" * 4), lambda c: (c.append(c[-1] + 1), len(c))[1]),
        "memoryview": (lambda: memoryview(bytearray(4)), lambda c: c.__setitem__(0, c[0] + 1) or c[0]),
        "set": (set, lambda c: (c.add(len(c)), len(c))[1]),
        "SimpleNamespace": (lambda: types.SimpleNamespace(n=0), lambda c: setattr(c, "n", c.n + 1) or c.n),
        "queue": (lambda: queue.Queue(), lambda c: (c.put(1), c.qsize())[1]),
        "object array": (lambda: _objects(), lambda c: _grow(c)),
        "structured array": (lambda: np.zeros(2, [("a", "f8"), ("b", "i4")]), lambda c: _field(c)),
        "one record": (lambda: np.zeros(2, [("a", "f8")])[0], lambda c: c.__setitem__("a", c["a"] + 1) or c["a"]),
        "masked array": (lambda: np.ma.masked_array([1.0, 2.0], [0, 1]), lambda c: _unmask(c)),
        "matrix of scalars": (lambda: np.zeros((2, 2)), lambda c: c.__iadd__(1.0)[0, 0]),
        "array of no dimension": (lambda: np.array(0.0), lambda c: float(c.__iadd__(1.0))),
        "StringIO": (io.StringIO, lambda c: (c.write("ab"), c.tell() + len(c.getvalue()))[1]),
        "BytesIO": (io.BytesIO, lambda c: (c.write(b"ab"), c.tell() + len(c.getvalue()))[1]),
        "random.Random": (lambda: random.Random(3), lambda c: c.gauss(0, 1)),
        "np Generator": (lambda: np.random.default_rng(3), lambda c: c.random()),
        "np RandomState": (lambda: np.random.RandomState(3), lambda c: c.randn()),
        "np MT19937": (lambda: np.random.MT19937(3), lambda c: int(c.random_raw())),
        "bound random": (lambda: random.Random(3).random, lambda c: c()),
        "bound np random": (lambda: np.random.default_rng(3).random, lambda c: c()),
        "partial": (lambda: functools.partial(_add, [0]), lambda c: c()),
        "wrapped": (lambda: functools.wraps(_add)(lambda held=[0]: _add(held)), lambda c: c()),
        "ctypes number": (lambda: ctypes.c_int(0), lambda c: setattr(c, "value", c.value + 1) or c.value),
        "ctypes array": (lambda: (ctypes.c_double * 3)(), lambda c: c.__setitem__(1, c[1] + 1) or c[1]),
        "ctypes structure": (lambda: _Pair(), lambda c: setattr(c, "a", c.a + 1) or c.a),
        "ctypes pointer": (lambda: ctypes.pointer(ctypes.c_int(0)), lambda c: _point(c)),
        "array over ctypes": (
            lambda: np.ctypeslib.as_array((ctypes.c_double * 3)()),
            lambda c: c.__iadd__(1.0)[0],
        ),
        "lock": (lambda: [threading.Lock(), 0], lambda c: c.__setitem__(1, c[1] + 1) or c[1]),
        "event": (lambda: threading.Event(), lambda c: _toggle(c)),
        "exception": (lambda: ValueError(0), lambda c: setattr(c, "args", (c.args[0] + 1,)) or c.args[0]),
        "weak reference": (lambda: (_A0, weakref.ref(_A0)), lambda c: c[1]().step()),
        "weak dictionary": (lambda: _Weak(), lambda c: c.step()),
        "nested tuple": (lambda: ((([0],),),), lambda c: (c[0][0][0].append(1), len(c[0][0][0]))[1]),
        "key with state": (lambda: {_Key(): 1}, lambda c: next(iter(c)).step()),
        "cyclic": (lambda: _cycle(), lambda c: (c[0].append(1), len(c[0]))[1]),
        "frozen dataclass": (lambda: _Frozen([0]), lambda c: (c.held.append(1), len(c.held))[1]),
        "frozen with slots": (lambda: _FrozenSlots([0]), lambda c: object.__setattr__(c, "n", c.n + 1) or c.n),
        "enum with a list": (lambda: _Mode.A, lambda c: (c.value.append(1), len(c.value))[1]),
    }
    for name, (make, advance) in steps.items():

        class Holder:
            def __init__(self, make: Any = make, step_of: Any = advance) -> None:
                self.held, self.step_of = make(), step_of

            def step(self) -> float:
                return self.step_of(self.held)

        Holder.__name__ = name
        way(KEPT)(Holder)


def _objects() -> Any:
    held = np.empty(2, dtype=object)
    held[:] = [[1], [2]]
    return held


def _grow(held: Any) -> int:
    held[1].append(3)
    held[0] = held[0] + [1]
    return len(held[0]) + 10 * len(held[1])


def _field(held: Any) -> float:
    held["a"][0] += 1.5
    held["b"][1] += 2
    return float(held["a"][0] + held["b"][1])


def _unmask(held: Any) -> float:
    held.mask = ~held.mask
    return float(held.sum())


def _add(held: list[int]) -> int:
    held[0] += 1
    return held[0]


def _point(held: Any) -> int:
    held.contents.value += 1
    return int(held.contents.value)


def _toggle(held: threading.Event) -> float:
    held.clear() if held.is_set() else held.set()
    return float(held.is_set())


_A0 = Attribute()


class _Weak:
    def __init__(self) -> None:
        self.owner = Attribute()
        self.held: Any = weakref.WeakKeyDictionary({self.owner: 0})
        self.others: Any = weakref.WeakValueDictionary({"a": self.owner})

    def step(self) -> float:
        self.held[self.owner] += 1
        return self.held[self.owner] + self.others["a"].step()


class _Key:
    def __init__(self) -> None:
        self.n = 0

    def step(self) -> float:
        self.n += 1
        return self.n


def _cycle() -> list[Any]:
    held: list[Any] = [[]]
    held.append(held)
    return held


@dataclasses.dataclass(frozen=True)
class _Frozen:
    held: list[int]


@dataclasses.dataclass(frozen=True)
class _FrozenSlots:
    __slots__ = ("held", "n")
    held: list[int]

    def __init__(self, held: list[int]) -> None:
        object.__setattr__(self, "held", held)
        object.__setattr__(self, "n", 0)


class _Mode(enum.Enum):
    A = [0]


class _Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_int), ("b", ctypes.c_double))


_containers()


def _subclasses() -> None:
    bases: tuple[Any, ...] = (dict, list, set, collections.deque, int, str, float, tuple, bytes, frozenset, bytearray)
    for base in (*bases, collections.OrderedDict, collections.Counter, random.Random, io.BytesIO, io.StringIO):
        inner = type(f"My{base.__name__}", (base,), {"__module__": __name__})

        class Holder:
            def __init__(self, inner: Any = inner) -> None:
                self.held = inner()
                self.held.count = 0

            def step(self) -> float:
                self.held.count += 1
                return self.held.count

        Holder.__name__ = f"attribute of a subclass of {base.__name__}"
        way(KEPT)(Holder)

    class MyArray(np.ndarray):
        pass

    class ArrayAttribute:
        def __init__(self) -> None:
            self.held: Any = np.zeros(3).view(MyArray)
            self.held.count = 0

        def step(self) -> float:
            self.held.count += 1
            self.held += 1.0
            return self.held.count + float(self.held[0])

    way(KEPT)(ArrayAttribute)


_subclasses()


class _Blocked(dict):  # type: ignore[type-arg]
    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, 2 * value)

    def items(self) -> Any:
        return ()

    def clear(self) -> None:
        raise RuntimeError

    def update(self, *_: Any, **__: Any) -> None:
        raise RuntimeError


@way(KEPT)
class DictWithOwnMethods:
    def __init__(self) -> None:
        self.held = _Blocked()
        dict.__setitem__(self.held, "a", 0)

    def step(self) -> float:
        dict.__setitem__(self.held, "a", self.held["a"] + 1)
        return self.held["a"]


class _Named(NamedTuple):
    held: list[int]


@way(KEPT)
class NamedFields:
    def __init__(self) -> None:
        self.named = _Named([0])

    def step(self) -> float:
        self.named.held[0] += 1
        return self.named.held[0]


@way(KEPT)
class LyingKind:
    """Says to be of a kind that cannot change."""

    def __init__(self) -> None:
        self.count = 0

    @property
    def __class__(self) -> type:
        return int

    def step(self) -> float:
        self.count += 1
        return self.count


@way(KEPT)
class SharedArray:
    """Two attributes, one array, and views of it."""

    def __init__(self) -> None:
        self.one = np.zeros(4)
        self.two, self.view = self.one, self.one[1:3]

    def step(self) -> float:
        self.one += 1.0
        self.view *= 2.0
        return float(self.two.sum() + (self.two is self.one))


@way(KEPT)
class FrozenArrayMadeWriteable:
    def __init__(self) -> None:
        self.held = np.zeros(3)
        self.held.flags.writeable = False

    def step(self) -> float:
        self.held.flags.writeable = True
        self.held += 1.0
        self.held.flags.writeable = False
        return float(self.held[0])


@way(REFUSED)
class ResizedArray:
    def __init__(self) -> None:
        self.held = np.zeros(1)

    def step(self) -> float:
        self.held.resize(self.held.size + 1, refcheck=False)
        return self.held.size
