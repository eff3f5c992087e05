"""Memory: the walk through all that can be reached from some objects, keeping each.

Each object is kept in place: what refers to it, a view of an array or a function that remembers it, goes on seeing it.
Objects of Andante and of installed libraries are known. For users' there are three ways: they are kept, they are
declared fixed (`andante.runs.state.kept.FIXED`), or they are refused by the name of the attribute that leads to them.
"""

from __future__ import annotations

import _ctypes
import _io
import _random
import ctypes
import enum
import functools
import io
import itertools
import logging
import operator
import random
import re
import subprocess
import threading
import types
import weakref
from array import array
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from multiprocessing.connection import _ConnectionBase
from multiprocessing.process import BaseProcess
from pathlib import PurePath
from typing import Any

import mujoco
import numpy as np
from pydantic import BaseModel

from andante.robots.robot import Robot
from andante.runs.errors import SnapshotError
from andante.runs.state import code, containers, engines, fixed_kinds
from andante.runs.state.attributes import is_set, set_class, set_slots, set_table, table_of
from andante.runs.state.kept import FIXED, Kept, Part, refusal
from andante.runs.state.layout import hidden_in, slots_of
from andante.runs.state.library_names import keep_library_names
from andante.runs.state.owners import is_andantes, is_users
from andante.runs.state.process import keep_process
from andante.runs.state.threads import refuse_threads

_SIMPLE = frozenset(
    {*(type(None), bool, int, float, complex, str, bytes, range), types.EllipsisType, types.NotImplementedType}
)
"""Kinds that cannot change; their subclasses may have attributes."""


class _Fields(ctypes.Structure):
    _fields_ = (("one", ctypes.c_int),)


_FIELD: type = type(_Fields.one)
_TUPLE_FIELD: type = type(vars(namedtuple("_Named", ("one",)))["one"])
_FIXED = (
    *(enum.Enum, re.Pattern, re.Match, PurePath, date, time, timedelta, tzinfo, Decimal, np.dtype, types.CodeType),
    *(types.GetSetDescriptorType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GenericAlias),
    *(types.ClassMethodDescriptorType, types.MemberDescriptorType, types.UnionType, slice, Robot),
    *(operator.attrgetter, operator.itemgetter, operator.methodcaller, np.ufunc, _FIELD, _TUPLE_FIELD),
)
"""Kinds that do not change during a run, or are not part of its state."""
_GOING_ON = (threading.Thread, Executor, Future, io.IOBase)
"""Kinds that go on beside a run; this package's own are told when a run goes back, see ``after_restore``."""
_TOOLS = ("mujoco", "numba", "_thread", "mcap", "pydantic_core", "plotly", "matplotlib", "onnxruntime", "zstandard")
"""Packages whose other objects are views or tools without a state of their own."""
_NO_TOOLS = (mujoco.MjSpec,)
_BESIDE = (subprocess.Popen, BaseProcess, _ConnectionBase, threading.local, ctypes.CDLL)
_COMPILED_METHOD: type = type(np.random.Generator.random)
_REMEDIES: tuple[tuple[tuple[Any, ...] | Any, str], ...] = (
    (types.GeneratorType, "keep a number and compute the next value from it"),
    ((enumerate, zip, map, filter, itertools.count, itertools.cycle, reversed), "keep a number and count it yourself"),
    ((types.CoroutineType, types.AsyncGeneratorType), "write the steps out"),
    (io.IOBase, "read the file in the constructor and keep its content"),
    ((threading.Thread, Executor, Future, subprocess.Popen, BaseProcess, _ConnectionBase), "do the work in step"),
    (threading.local, "keep it in an attribute"),
    ((weakref.ProxyType, weakref.CallableProxyType), "take weakref.ref"),
)
_KNOWN: tuple[type, ...] = (
    *(int, float, complex, str, bytes, dict, list, set, frozenset, tuple, deque, OrderedDict, defaultdict, bytearray),
    *(array, np.ndarray, np.void, _random.Random, _io.StringIO, _io.BytesIO, weakref.ref, functools.partial, property),
    *(classmethod, staticmethod, type, types.SimpleNamespace, np.random.RandomState, np.random.Generator),
    *(_ctypes._SimpleCData, _ctypes.Structure, _ctypes.Union, _ctypes.Array, _ctypes._Pointer, types.ModuleType),
    *(BaseException, mujoco.MjModel, mujoco.MjData, types.FunctionType, types.MethodType, functools._lru_cache_wrapper),
)
"""Compiled classes whose content is kept by one of the functions below."""

_WHOLE = frozenset(
    {*(dict, list, set, frozenset, tuple, deque, OrderedDict, defaultdict, bytearray, array, memoryview, np.ndarray)}
    | {types.FunctionType, types.MethodType, types.CellType, types.MappingProxyType, types.BuiltinFunctionType}
    | {types.MethodWrapperType, property, classmethod, staticmethod, types.ModuleType, functools._lru_cache_wrapper}
    | {np.void, np.random.Generator, np.random.RandomState, np.random.SeedSequence, mujoco.MjModel, mujoco.MjData}
    | {
        *engines.OPTIONS,
        engines.LOCK,
        types.TracebackType,
        logging.Logger,
        type(threading.RLock()),
        weakref.ref,
        io.StringIO,
        io.BytesIO,
        _random.Random,
    }
)
"""Kinds of which the rules below keep all there is; their subclasses may have attributes beside."""
_Rule = tuple[type | tuple[type, ...], containers.Keep]
_RULES: tuple[_Rule, ...] = (
    (dict, containers.keep_dict),
    ((list, deque), containers.keep_list),
    (np.ndarray, containers.keep_array),
    ((tuple, frozenset), containers.keep_items),
    (set, containers.keep_set),
    (types.FunctionType, code.keep_function),
    (types.MethodType, code.keep_method),
    (types.CellType, code.keep_cell),
    (type, code.keep_class),
    ((bytearray, array), containers.keep_bytes),
    (np.random.Generator, engines.keep_generator),
    (np.random.BitGenerator, engines.keep_source),
    (np.random.RandomState, engines.keep_old_generator),
    (np.random.SeedSequence, engines.keep_seeds),
    ((random.Random, _random.Random), engines.keep_random),
    (mujoco.MjModel, engines.keep_model),
    (mujoco.MjData, engines.keep_data),
    (engines.OPTIONS, engines.keep_options),
    (np.void, containers.keep_record),
    (types.MappingProxyType, containers.keep_view),
    (memoryview, containers.keep_memoryview),
    ((io.StringIO, io.BytesIO), containers.keep_stream),
    (
        (ctypes._SimpleCData, ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._Pointer),
        containers.keep_ctypes,
    ),
    (weakref.ref, containers.keep_reference),
    (BaseException, fixed_kinds.keep_exception),
    (types.TracebackType, fixed_kinds.keep_traceback),
    (logging.Logger, fixed_kinds.keep_logger),
    (type(threading.RLock()), fixed_kinds.keep_rlock),
    ((types.BuiltinFunctionType, types.MethodWrapperType, _COMPILED_METHOD), code.keep_compiled),
    ((property, classmethod, staticmethod), code.keep_wrapper),
    (functools.partial, code.keep_partial),
    (functools._lru_cache_wrapper, engines.keep_cache),
    (types.ModuleType, code.keep_module),
    (engines.LOCK, engines.keep_lock),
)


class Memory:
    """The contents of all changeable objects that can be reached from some roots.

    Args:
        roots: Names, for messages, and objects.
        told: Whether the content of each place is taken down as well, so that two of them can be compared.

    Raises:
        SnapshotError: The state of an object cannot be kept.
    """

    def __init__(self, roots: Iterable[Part], *, told: bool = False) -> None:
        self._restores: list[Callable[[], None]] = []
        self._doubts: list[tuple[str, object, Callable[[], str]]] = []
        self._after: list[Callable[[], None]] = []
        self._seen: dict[int, object] = {}
        self.contents: dict[str, object] = {}
        """What was told, by place."""
        waiting: deque[tuple[str, Any, bool]] = deque((place, thing, False) for place, thing in reversed(tuple(roots)))
        names: set[str] = set()
        libraries: dict[int, object] = {}
        while waiting:
            place, thing, users = waiting.pop()
            kind = type(thing)
            if kind in _SIMPLE or (issubclass(kind, np.generic) and not issubclass(kind, np.void)):
                if told:
                    self.contents[place] = thing if kind in _SIMPLE else repr(thing)
                continue
            if id(thing) in self._seen:
                continue
            self._seen[id(thing)] = thing
            users = is_users(kind.__module__) or (users and not is_andantes(kind.__module__))
            if issubclass(kind, type) or kind is types.FunctionType:
                users = is_users(code.home(thing))
            elif users and code.is_librarys(thing):
                continue
            if issubclass(kind, _FIXED) and is_users(kind.__module__) and hasattr(kind, "__dict__"):
                # What it is does not change, but a user's class may have attributes beside.
                waiting.extend((*part, users) for part in self._beside(place, thing))
            if users and issubclass(kind, _FIXED):
                waiting.extend((*part, users) for part in fixed_kinds.held_by(place, thing))
            if issubclass(kind, _FIXED) or (not users and issubclass(kind, _GOING_ON)):
                continue
            for kept in self._kept(place, thing, kind, users):
                if kept.restore is not None:
                    self._restores.append(kept.restore)
                if kept.doubt is not None:
                    self._doubts.append((place, thing, kept.doubt))
                if told and kept.content is not None:
                    self.contents[place] = kept.content()
                waiting.extend((*part, users) for part in kept.parts)
                names |= kept.names
                libraries.update((id(each), each) for each in kept.libraries)
        refuse_threads(self._seen)
        if names:
            # What one function of a user's is given by another may be anything of a library.
            self._restores += [keep_library_names(names, libraries.values()), *keep_process(names)]

    def restore(self) -> None:
        """Put all contents back; can be done any number of times.

        Raises:
            SnapshotError: Something has changed in a way that cannot be undone; nothing was put back.
        """
        for place, thing, doubt in self._doubts:
            if why := doubt():
                raise refusal(place, thing, why)
        for restore in self._restores:
            restore()
        for after in self._after:
            after()

    def _kept(self, place: str, thing: Any, kind: type, users: bool) -> Iterable[Kept]:
        """Everything that is kept of an object: the content of its kind, its attributes, its class."""
        if users:
            _look(place, thing, kind)
        rule = next((keep for kinds, keep in _RULES if issubclass(kind, kinds)), None)
        if rule is not None:
            kept = rule(place, thing, users)
            whole = kind in _WHOLE or issubclass(kind, type)
            return (kept,) if whole else (kept, *self._attributes(place, thing, users))
        if not users and _has_no_state(thing, kind):
            return ()
        numba = _of_numba(kind)
        if numba is not None:
            return (numba(place, thing, users),)
        if users and kind.__module__.startswith(_TOOLS) and not issubclass(kind, _NO_TOOLS):
            return ()
        return self._attributes(place, thing, users)

    def _beside(self, place: str, thing: Any) -> list[Part]:
        """Attributes of an object of a user's class whose kind is fixed, as of a member of an enum."""
        table = table_of(thing)
        if table is None:
            return []
        content = dict(table)
        self._restores.append(functools.partial(set_table, table, content, frozenset()))
        return [(f"{place}.{name}", value) for name, value in content.items()]

    def _attributes(self, place: str, thing: Any, users: bool) -> Iterable[Kept]:
        """Attributes and slots of an object, and its class where that is a user's."""
        kind = type(thing)
        fixed = _declared(kind)
        table = table_of(thing)
        if table is None and kind.__dictoffset__ and users and is_users(kind.__module__):
            raise refusal(place, thing, "its class hides its attributes", "leave __dict__ to Python")
        slots = [(name, slot) for name, slot in slots_of(thing) if name not in fixed]
        ruled = any(issubclass(kind, kinds) for kinds, _ in _RULES)
        if table is None and not slots and not ruled and not (users and hidden_in(kind, _KNOWN) is None):
            raise _refused(place, thing)
        found: list[Part] = []
        if slots:
            kept = [(name, slot, slot.__get__(thing)) for name, slot in slots if is_set(slot, thing)]
            found += [(f"{place}.{name}", value) for name, _, value in kept]
            self._restores.append(functools.partial(set_slots, thing, slots, kept))
        if isinstance(table, dict):
            content = {name: value for name, value in table.items() if name not in fixed}
            found += [(f"{place}.{name}", value) for name, value in content.items()]
            self._restores.append(functools.partial(set_table, table, content, fixed))
        if users and is_users(kind.__module__):
            found.append((kind.__qualname__, kind))
            # Objects may change their class, as machines of states do.
            self._restores.append(functools.partial(set_class, thing, kind))
        after = getattr(kind, "after_restore", None)
        if callable(after):
            self._after.append(functools.partial(after, thing))
        return (Kept(found),)


def _look(place: str, thing: Any, kind: type) -> None:
    """Refuse what belongs to a user and goes on beside the run, or holds what cannot be seen.

    Raises:
        SnapshotError: Its state cannot be kept.
    """
    if issubclass(kind, (*_GOING_ON, *_BESIDE)) and not issubclass(kind, (io.StringIO, io.BytesIO)):
        if any(thing is stream for stream in code.standard_streams()):
            return
        raise _refused(place, thing)
    if kind.__module__.startswith(_TOOLS) and not issubclass(kind, _NO_TOOLS):
        return
    if any(issubclass(kind, kinds) for kinds, _ in _RULES) and not is_users(kind.__module__):
        return
    hidden = hidden_in(kind, _KNOWN)
    if hidden is not None and not any(issubclass(hidden, kinds) for kinds, _ in _RULES):
        raise _refused(place, thing)


def _refused(place: str, thing: object) -> SnapshotError:
    remedy = next((remedy for kinds, remedy in _REMEDIES if isinstance(thing, kinds)), "")
    return refusal(place, thing, "", remedy)


def _has_no_state(thing: Any, kind: type) -> bool:
    """Whether one of Andante's or a library's objects is a view or a tool, a compiled function, or frozen."""
    frozen = issubclass(kind, BaseModel) and bool(thing.model_config.get("frozen"))
    kernel = any(each.__module__ == "numba.core.dispatcher" for each in kind.__mro__)
    return frozen or kernel or kind.__module__.startswith(_TOOLS)


def _of_numba(kind: type) -> containers.Keep | None:
    """How a container or a compiled class of numba is kept; numba itself is not loaded for that."""
    if kind.__module__ == "numba.typed.typedlist":
        return engines.keep_numba_list
    if any(each.__module__ == "numba.core.dispatcher" for each in kind.__mro__):
        return engines.keep_kernel
    if kind.__module__ == "numba.typed.typeddict":
        return engines.keep_numba_dict
    return engines.keep_jitclass if hasattr(kind, "_numba_type_") else None


def _declared(kind: type) -> frozenset[str]:
    """Names of attributes that a class, or one that it is made from, declares as no part of a run's state."""
    named = [vars(each).get(FIXED, ()) for each in kind.__mro__]
    return frozenset(name for names in named for name in ((names,) if isinstance(names, str) else names))
