"""Kinds that cannot change themselves, but may hold what does: slices, aliases, functions made of arguments, errors."""

from __future__ import annotations

import datetime
import gc
import logging
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.runs.state.kept import Kept, Part
from andante.runs.state.owners import is_users

_HOLDS = (
    *(slice, types.GenericAlias, types.UnionType, operator.attrgetter, operator.itemgetter, operator.methodcaller),
    np.ufunc,
)
"""Kinds whose references the collector of garbage tells."""
_OF_LOGGING = ("parent", "manager", "root", "handlers", "_cache")
_STANDARD = ("name", "level", "propagate", "disabled", "filters", *_OF_LOGGING)


def held_by(place: str, thing: Any) -> list[Part]:
    """What an object of a fixed kind refers to; empty: nothing that changes."""
    if isinstance(thing, _HOLDS):
        return [(f"{place}[{i}]", each) for i, each in enumerate(gc.get_referents(thing)) if not isinstance(each, type)]
    if isinstance(thing, (datetime.datetime, datetime.time)):
        return [] if thing.tzinfo is None else [(f"{place}.tzinfo", thing.tzinfo)]
    if isinstance(thing, np.dtype):
        return [] if thing.metadata is None else [(f"{place}.metadata", thing.metadata)]
    return []


def keep_logger(place: str, thing: logging.Logger, users: bool) -> Kept:
    """Level and attributes of a logger; where it writes to is no part of a run."""
    if not users:
        return Kept()
    table = vars(thing)
    kept = {name: value for name, value in table.items() if name not in _OF_LOGGING}

    def restore() -> None:
        for name in table.keys() - kept.keys() - set(_OF_LOGGING):
            del table[name]
        table.update(kept)
        # What it decided by another level is forgotten.
        thing.setLevel(thing.level)

    return Kept([(f"{place}.{name}", value) for name, value in kept.items() if name not in _STANDARD], restore)


def keep_rlock(place: str, thing: Any, users: bool) -> Kept:
    """How often this thread holds a lock that it may take several times."""
    if not users:
        return Kept()

    def held() -> int:
        if not thing._is_owned():
            return 0
        state = thing._release_save()
        thing._acquire_restore(state)
        return int(state[0])

    before = held()

    def restore() -> None:
        for _ in range(held() - before):
            thing.release()
        while held() < before and thing.acquire(blocking=False):
            pass

    return Kept((), restore, lambda: before)


def keep_exception(place: str, thing: BaseException, users: bool) -> Kept:
    """What an exception was made with, what it came from and what its kind has beside; its attributes as of any."""
    fields: list[tuple[str, Any, object]] = []
    for kind in type(thing).__mro__:
        if kind.__module__ != "builtins":
            continue
        for name, field in vars(kind).items():
            if isinstance(field, (types.MemberDescriptorType, types.GetSetDescriptorType)) and name != "__dict__":
                try:
                    fields.append((name, field, field.__get__(thing)))
                except (AttributeError, TypeError):
                    continue
    # To set what it came from sets whether that is shown.
    fields.sort(key=lambda each: each[0] == "__suppress_context__")

    def restore() -> None:
        for _, field, value in fields:
            try:
                if field.__get__(thing) is not value:
                    field.__set__(thing, value)
            except (AttributeError, TypeError):
                continue

    return Kept([(f"{place}.{name}", value) for name, _, value in fields], restore)


def keep_traceback(place: str, thing: types.TracebackType, users: bool) -> Kept:
    """The variables of users' functions that an exception came through: they live as long as it does."""
    parts: list[Part] = [] if thing.tb_next is None else [(place, thing.tb_next)]
    frame, after = thing.tb_frame, thing.tb_next
    if is_users(str(frame.f_globals.get("__name__", ""))):
        parts += [(f"{place} {name}", value) for name, value in dict(frame.f_locals).items()]

    def restore() -> None:
        if thing.tb_next is not after:
            thing.tb_next = after

    return Kept(parts, restore)


def names_of_class(kind: type) -> Callable[[], None]:
    """What gives a user's class its bases and its names back."""
    bases, name, path = kind.__bases__, kind.__name__, kind.__qualname__

    def restore() -> None:
        if kind.__bases__ != bases:
            kind.__bases__ = bases
        if (kind.__name__, kind.__qualname__) != (name, path):
            kind.__name__, kind.__qualname__ = name, path

    return restore
