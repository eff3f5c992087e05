"""Snapshot: everything that a run has in memory, kept and put back byte for byte.

A snapshot walks through all objects that can be reached from a session (physics, servos, noise streams, controller,
guard, plans under way, recorder) and keeps the content of each one that can change. Restoring puts each content back
into the very same object. So whatever refers to it, a view of an array or a function that remembers an object, goes on
seeing what it saw; copies of objects would not. A snapshot therefore belongs to its session and to no other.

What cannot change is passed by: numbers, text, classes, frozen documents, robots, arrays that are not writeable. A
kind of object whose state cannot be read from outside (a running generator, an open file) is an error and not a guess.
"""

from __future__ import annotations

import enum
import functools
import io
import itertools
import operator
import re
import threading
import types
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from datetime import date, timedelta
from pathlib import PurePath
from typing import Any

import mujoco
import numpy as np
from pydantic import BaseModel

from andante.robots.robot import Robot
from andante.runs.errors import RunError

_FIXED = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    type,
    enum.Enum,
    re.Pattern,
    PurePath,
    date,
    timedelta,
    np.generic,
    np.dtype,
    types.ModuleType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.GetSetDescriptorType,
    types.MethodDescriptorType,
    types.CodeType,
    types.EllipsisType,
    types.NotImplementedType,
    types.GenericAlias,
    functools._lru_cache_wrapper,
    threading.Thread,
    Executor,
    Future,
    io.IOBase,
    Robot,
)
"""Kinds of objects that do not change during a run, or that are not part of its state."""
_FIXED_MODULES = ("mujoco", "numba", "_thread", "mcap", "pydantic_core", "numpy.random", "plotly", "matplotlib")
"""Packages whose other objects are views or tools without a state of their own."""


class SnapshotError(RunError):
    """Something cannot be kept, or a snapshot is of another session."""


Restore = Callable[[], None]


class Snapshot:
    """What was in memory at one moment of a session; see `Session.snapshot`.

    Attributes:
        name: The run it was taken of.
        tick: Number of the tick that comes next.
        time: Time of the run then [s].
    """

    def __init__(self, owner: object, name: str, tick: int, time: float, roots: Iterable[tuple[str, object]]) -> None:
        self.name, self.tick, self.time = name, tick, time
        self._owner = owner
        self._memory = Memory(roots)

    def restore(self, owner: object, name: str) -> None:
        """Put everything back.

        Raises:
            SnapshotError: The snapshot was taken of another session; nothing has been changed.
        """
        if owner is not self._owner:
            raise SnapshotError(
                "a snapshot can be restored only in the session that it was taken of", value=self.name, limit=name
            )
        self._memory.restore()

    def __repr__(self) -> str:
        return f"Snapshot({self.name!r}, tick {self.tick}, {self.time:.3f} s)"


class Memory:
    """The contents of all changeable objects that can be reached from some roots.

    Args:
        roots: Names, for messages, and objects.

    Raises:
        SnapshotError: The state of an object cannot be read.
    """

    def __init__(self, roots: Iterable[tuple[str, object]]) -> None:
        self._restores: list[Restore] = []
        self._seen: dict[int, object] = {}
        self._after: list[Callable[[], None]] = []
        waiting: deque[tuple[str, object]] = deque(roots)
        while waiting:
            place, thing = waiting.pop()
            if isinstance(thing, _FIXED) or id(thing) in self._seen:
                continue
            self._seen[id(thing)] = thing
            waiting.extend((place + suffix, part) for suffix, part in self._keep(place, thing))

    def restore(self) -> None:
        """Put all contents back; can be done any number of times."""
        for restore in self._restores:
            restore()
        for after in self._after:
            after()

    def _keep(self, place: str, thing: Any) -> Iterable[tuple[str, object]]:
        """Keep the content of one object; gives what it refers to, each with the end of its place."""
        if isinstance(thing, np.ndarray):
            return self._keep_array(thing)
        if isinstance(thing, mujoco.MjModel):
            self._keep_model(thing)
            return ()
        if isinstance(thing, mujoco.MjData):
            self._keep_data(thing)
            return [(".model", thing.model)]
        if isinstance(thing, np.random.Generator):
            source = thing.bit_generator
            self._restores.append(functools.partial(setattr, source, "state", source.state))
            return ()
        if isinstance(thing, dict | OrderedDict | defaultdict):
            content = dict(thing)
            self._restores.append(functools.partial(_refill, thing, content))
            return [(f"[{key!r}]", value) for key, value in content.items()]
        if isinstance(thing, bytearray | array):
            self._restores.append(functools.partial(operator.setitem, thing, slice(None), thing[:]))
            return ()
        if isinstance(thing, list | deque):
            items = list(thing)
            self._restores.append(functools.partial(_set_items, thing, items))
            return [(f"[{i}]", item) for i, item in enumerate(items)]
        if isinstance(thing, set):
            members = list(thing)
            self._restores.append(functools.partial(_refill, thing, members))
            return [("{}", member) for member in members]
        if isinstance(thing, tuple | frozenset):
            return [(f"[{i}]", item) for i, item in enumerate(thing)]
        if isinstance(thing, types.MappingProxyType):
            return [(f"[{key!r}]", value) for key, value in thing.items()]
        if isinstance(thing, itertools.count):
            raise self._refusal(place, thing)
        return self._keep_function(place, thing)

    def _keep_function(self, place: str, thing: Any) -> Iterable[tuple[str, object]]:
        if isinstance(thing, types.FunctionType):
            cells = thing.__closure__ or ()
            return [("()", thing.__defaults__), *(("()", cell) for cell in cells)]
        if isinstance(thing, types.CellType):
            content = thing.cell_contents
            self._restores.append(functools.partial(setattr, thing, "cell_contents", content))
            return [("", content)]
        if isinstance(thing, types.MethodType):
            return [("", thing.__self__)]
        if isinstance(thing, functools.partial):
            return [("()", thing.func), ("()", thing.args), ("()", thing.keywords)]
        if isinstance(thing, BaseModel) and thing.model_config.get("frozen"):
            return ()
        if isinstance(thing, property | classmethod | staticmethod) or type(thing).__module__.startswith(
            _FIXED_MODULES
        ):
            return ()
        return self._keep_attributes(place, thing)

    def _keep_attributes(self, place: str, thing: Any) -> Iterable[tuple[str, object]]:
        found: list[tuple[str, object]] = []
        names = [
            name
            for base in type(thing).__mro__
            for name in _names(base.__dict__.get("__slots__", ()))
            if name not in ("__dict__", "__weakref__")
        ]
        table = getattr(thing, "__dict__", None)
        if table is None and not names:
            raise self._refusal(place, thing)
        if names:
            slots = [(name, getattr(thing, name)) for name in names if hasattr(thing, name)]
            self._restores.append(functools.partial(_set_slots, thing, names, slots))
            found += [(f".{name}", value) for name, value in slots]
        if table is not None:
            content = dict(table)
            self._restores.append(functools.partial(_refill, table, content))
            found += [(f".{name}", value) for name, value in content.items()]
        after = getattr(thing, "after_restore", None)
        if callable(after):
            self._after.append(after)
        return found

    def _keep_array(self, array: np.ndarray[Any, Any]) -> Iterable[tuple[str, object]]:
        if array.dtype == object:
            items = array.copy()
            self._restores.append(functools.partial(np.copyto, array, items))
            return [("[]", item) for item in items.ravel().tolist()]
        if array.flags.writeable:
            self._restores.append(functools.partial(np.copyto, array, array.copy()))
        return [("", array.base)] if isinstance(array.base, np.ndarray) else ()

    def _keep_model(self, model: mujoco.MjModel) -> None:
        """Keep every array and every option of a model; faults, floors and shapes are written into them."""
        for name in _model_arrays():
            self._keep_array(getattr(model, name))
        for name in dir(model.opt):
            if not name.startswith("_") and not callable(value := getattr(model.opt, name)):
                kept = value.copy() if isinstance(value, np.ndarray) else value
                self._restores.append(functools.partial(setattr, model.opt, name, kept))

    def _keep_data(self, data: mujoco.MjData) -> None:
        kept = mujoco.MjData(data.model)
        mujoco.mj_copyData(kept, data.model, data)
        self._restores.append(functools.partial(mujoco.mj_copyData, data, data.model, kept))

    def _refusal(self, place: str, thing: object) -> SnapshotError:
        return SnapshotError("this object's state cannot be kept", place=place, value=type(thing).__name__)


@functools.lru_cache(maxsize=1)
def _model_arrays() -> tuple[str, ...]:
    """Names of the arrays of every model."""
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    return tuple(
        name for name in dir(model) if not name.startswith("_") and isinstance(getattr(model, name), np.ndarray)
    )


def _names(slots: str | Iterable[str]) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _refill(held: dict[Any, Any] | set[Any], content: Iterable[Any]) -> None:
    held.clear()
    held.update(content)


def _set_items(items: list[Any] | deque[Any], content: list[Any]) -> None:
    items.clear()
    items.extend(content)


def _set_slots(thing: object, names: list[str], content: list[tuple[str, object]]) -> None:
    held = dict(content)
    for name in names:
        if name in held:
            object.__setattr__(thing, name, held[name])
        elif hasattr(thing, name):
            object.__delattr__(thing, name)
