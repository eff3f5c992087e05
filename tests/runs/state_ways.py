"""Ways in which a user's controller may hold state: each gives an object whose ``step`` counts, and what is expected.

This module is a user's as far as a snapshot is concerned.
"""

# What users write is not always what one should write.
# ruff: noqa: B006, B019, RUF012, NPY002, SIM115
from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import dataclasses
import enum
import functools
import io
import itertools
import os
import queue
import random
import socket
import subprocess
import sys
import threading
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

KEPT, REFUSED = "kept", "refused"
WAYS: dict[str, tuple[Callable[[], Any], str]] = {}


def way(expected: str) -> Callable[[Any], Any]:
    """Register a class (or a function that gives an object with ``step``)."""

    def register(made: Any) -> Any:
        WAYS[made.__name__] = (made, expected)
        return made

    return register


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


@way(KEPT)
class GlobalRandom:
    def step(self) -> float:
        return random.random()


@way(KEPT)
class GlobalNumpyRandom:
    def step(self) -> float:
        return float(np.random.rand())


@way(REFUSED)
class SystemRandom:
    def __init__(self) -> None:
        self.random = random.SystemRandom()

    def step(self) -> float:
        return self.random.random()


@way(REFUSED)
class SpawningGenerator:
    def __init__(self) -> None:
        self.random = np.random.default_rng(1)

    def step(self) -> float:
        return float(self.random.spawn(1)[0].random())


@way(REFUSED)
class CachedResults:
    def __init__(self) -> None:
        self.seen = 0
        self.first(0)

    @functools.lru_cache(maxsize=8)
    def first(self, key: int) -> int:
        self.seen += 1
        return self.seen

    def step(self) -> float:
        self.seen += 1
        return self.first(self.seen % 5)


@way(KEPT)
class CachedProperty:
    def __init__(self) -> None:
        self.count = 0

    @functools.cached_property
    def gain(self) -> int:
        return self.count

    def step(self) -> float:
        self.count += 1
        if self.count % 3 == 0:
            self.__dict__.pop("gain", None)
        return self.gain


class _Reader:
    made: Any = None

    def __init__(self) -> None:
        self.file = type(self).made()

    def step(self) -> float:
        return 0.0


def _outside() -> None:
    makers: dict[str, Callable[[], Any]] = {
        "open file": lambda: Path(__file__).open("rb"),
        "open text file": lambda: Path(__file__).open(),
        "socket": lambda: socket.socket(),
        "thread": lambda: threading.Thread(target=print),
        "thread local": threading.local,
        "context variable": lambda: contextvars.ContextVar("a"),
        "coroutine": lambda: _pending(),
        "process": lambda: subprocess.Popen(["true"]),
        "weak proxy": lambda: weakref.proxy(_A0),
        "C library": lambda: ctypes.CDLL(None),
        "python object in ctypes": lambda: ctypes.py_object([1]),
        "directory entries": lambda: os.scandir("."),
        "pipe of processes": lambda: __import__("multiprocessing").Pipe()[0],
        "simple queue": queue.SimpleQueue,
        "sqlite": lambda: __import__("sqlite3").connect(":memory:"),
        "mmap": lambda: __import__("mmap").mmap(-1, 16),
        "frame": sys._getframe,
        "hash under way": lambda: __import__("hashlib").sha256(),
        "compressor": lambda: __import__("zlib").compressobj(),
    }
    for name, make in makers.items():
        holder = type(name, (_Reader,), {"made": staticmethod(make), "__module__": __name__})
        way(REFUSED)(holder)


async def _pending() -> None:
    pass


_outside()


def _physics(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        import mujoco

        model = mujoco.MjModel.from_xml_string(
            "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
        )

        class Physics:
            def __init__(self) -> None:
                self.model, self.data = model, mujoco.MjData(model)
                self.options = mujoco.MjOption()
                self.view = self.data.qpos

            def step(self) -> float:
                if kind == "model":
                    self.model.opt.gravity[2] -= 0.1
                    self.model.body_mass[1] += 0.1
                    return float(self.model.opt.gravity[2] - self.model.body_mass[1])
                if kind == "options":
                    self.options.timestep += 0.001
                    return float(self.options.timestep)
                mujoco.mj_step(self.model, self.data)
                self.view[0] += 1.0
                return float(self.data.qpos[2] + self.data.qpos[0])

        return Physics()

    return make


for each in ("model", "data", "options"):
    WAYS[f"MuJoCo {each}"] = (_physics(each), KEPT)


def _numba(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        from numba import float64, typed
        from numba.experimental import jitclass

        class Holder:
            def __init__(self) -> None:
                if kind == "list":
                    self.held = typed.List([0.0, 1.0])
                elif kind == "dict":
                    self.held = typed.Dict()
                    self.held["a"] = 0.0
                else:
                    self.held = jitclass([("a", float64), ("v", float64[:])])(_Compiled)()

            def step(self) -> float:
                if kind == "list":
                    self.held.append(self.held[-1] + 1.0)
                    return self.held[-1] + len(self.held)
                if kind == "dict":
                    self.held["a"] += 1.0
                    return self.held["a"]
                self.held.a += 1.0
                self.held.v[0] += 1.0
                return self.held.a + self.held.v[0]

        return Holder()

    return make


class _Compiled:
    def __init__(self) -> None:
        self.a = 0.0
        self.v = np.zeros(2)


for each in ("list", "dict", "class"):
    WAYS[f"numba {each}"] = (_numba(each), KEPT)


@way(KEPT)
class Logger:
    def __init__(self) -> None:
        import logging

        self.log, self.out = logging.getLogger("mine"), sys.stderr
        self.count = 0

    def step(self) -> float:
        self.count += 1
        return self.count


@way(KEPT)
class DeclaredFixed:
    snapshot_fixed = ("picture",)

    def __init__(self) -> None:
        self.picture = iter(range(1000))
        self.count = 0

    def step(self) -> float:
        next(self.picture)
        self.count += 1
        return self.count


@way(KEPT)
class Splines:
    def __init__(self) -> None:
        from scipy.interpolate import CubicSpline

        self.spline = CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])

    def step(self) -> float:
        self.spline.c *= 0.9
        return float(self.spline(0.5))


def _rotations() -> Any:
    from scipy.spatial.transform import Rotation

    class Holder:
        def __init__(self) -> None:
            self.attitude = Rotation.from_euler("z", 0.0)

        def step(self) -> float:
            self.attitude = Rotation.from_euler("z", 0.1) * self.attitude
            return float(self.attitude.as_euler("zyx")[0])

    return Holder()


WAYS["scipy rotation"] = (_rotations, KEPT)
