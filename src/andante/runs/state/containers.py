"""How containers, arrays and buffers are kept: their content is put back into the very same object."""

from __future__ import annotations

import ctypes
import hashlib
import io
import types
import weakref
from array import array
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.runs.state.kept import Kept, Part, refusal

_BASES = (np.ndarray, bytearray, array, memoryview, ctypes.Array, ctypes.Structure)
"""What an array may be a view of that others may change as well; its own content is kept whatever it is a view of."""
Keep = Callable[[str, Any, bool], Kept]
"""Keeps the content of an object at a place; the last argument says whether it belongs to users' code."""


def keep_dict(place: str, thing: dict[Any, Any], users: bool) -> Kept:
    """Entries in their order; a subclass's own methods are passed by."""
    held: Any = OrderedDict if isinstance(thing, OrderedDict) else dict
    content = list(held.items(thing))
    parts: list[Part] = [(f"{place}[{_key(key)}]", value) for key, value in content]
    # A key of text has no state; telling so at once spares half of the walk.
    parts += [(f"{place} (key {_key(key)})", key) for key, _ in content if type(key) is not str]
    factory = getattr(thing, "default_factory", None) if isinstance(thing, defaultdict) else None

    def restore() -> None:
        held.clear(thing)
        for key, value in content:
            held.__setitem__(thing, key, value)
        if isinstance(thing, defaultdict):
            thing.default_factory = factory

    if factory is not None:
        parts.append((f"{place}.default_factory", factory))
    return Kept(parts, restore, lambda: tuple(_key(key) for key, _ in content))


def keep_list(place: str, thing: list[Any] | deque[Any], users: bool) -> Kept:
    """Items in their order."""
    held: Any = deque if isinstance(thing, deque) else list
    items = list(held.__iter__(thing))

    def restore() -> None:
        held.clear(thing)
        held.extend(thing, items)

    return Kept([(f"{place}[{i}]", item) for i, item in enumerate(items)], restore, lambda: len(items))


def keep_set(place: str, thing: set[Any], users: bool) -> Kept:
    """Members. Their order depends on how they came; where it would come out otherwise, a user's set is refused.

    One of this package is only asked for what it holds.
    """
    members = list(set.__iter__(thing))

    def restore() -> None:
        set.clear(thing)
        set.update(thing, members)

    if users:
        again: set[Any] = set()
        again.update(members)
        if any(one is not other for one, other in zip(members, again, strict=True)) or (
            set.__sizeof__(again) != set.__sizeof__(thing)
        ):
            raise refusal(place, thing, "the order of its members hangs on its past", "keep a dict, or sort it")
    return Kept([(f"{place}{{}}", member) for member in members], restore, lambda: sorted(map(_key, members)))


def keep_items(place: str, thing: tuple[Any, ...] | frozenset[Any], users: bool) -> Kept:
    """What a container that cannot change itself refers to."""
    return Kept([(f"{place}[{i}]", item) for i, item in enumerate(thing)], None, lambda: len(thing))


def keep_view(place: str, thing: types.MappingProxyType[Any, Any], users: bool) -> Kept:
    """What a read-only view shows."""
    return Kept([(f"{place}[{_key(key)}]", value) for key, value in thing.items()])


def keep_bytes(place: str, thing: bytearray | array[Any], users: bool) -> Kept:
    """Bytes and numbers."""
    kept: Any = bytes(thing) if isinstance(thing, bytearray) else array(thing.typecode, thing)

    def restore() -> None:
        if bytes(thing) != bytes(kept):
            thing[:] = kept

    return Kept((), restore, lambda: bytes(kept))


def keep_memoryview(place: str, thing: memoryview, users: bool) -> Kept:
    """What it is a view of; where that is of a kind that is not known, the bytes that it shows."""
    if isinstance(thing.obj, (bytes, *_BASES)):
        return Kept([(f"{place}.obj", thing.obj)])
    if thing.readonly or not thing.c_contiguous:
        return Kept()
    flat, raw = thing.cast("B"), thing.tobytes()
    return Kept((), lambda: flat.__setitem__(slice(None), raw), lambda: raw)


def keep_array(place: str, thing: np.ndarray[Any, Any], users: bool) -> Kept:
    """Numbers or references, and the array that it is a view of."""
    parts: list[Part] = []
    base = thing.base
    if isinstance(base, _BASES if users else np.ndarray):
        parts.append((f"{place}.base", base))
    if thing.dtype.hasobject:
        parts += _references(place, thing)
    elif not thing.flags.writeable and not (users and thing.flags.owndata):
        return Kept(parts)
    plain = thing.view(np.ndarray)
    kept, shape, kind, writeable = plain.copy(), thing.shape, thing.dtype, thing.flags.writeable

    def doubt() -> str:
        same = thing.shape == shape and thing.dtype == kind
        return "" if same else f"it has another shape or kind now: {thing.shape}"

    def restore() -> None:
        if thing.flags.owndata and not thing.flags.writeable and (writeable or plain.tobytes() != kept.tobytes()):
            thing.flags.writeable = True
        if thing.flags.writeable:
            np.copyto(plain if plain.flags.writeable else thing.view(np.ndarray), kept)
            if not writeable:
                thing.flags.writeable = False

    content = None if thing.dtype.hasobject else lambda: hashlib.sha256(kept.tobytes()).hexdigest()
    return Kept(parts, restore, content, doubt if users else None)


def _references(place: str, thing: np.ndarray[Any, Any]) -> list[Part]:
    if thing.dtype.names is None:
        return [(f"{place}[{i}]", item) for i, item in enumerate(thing.ravel().tolist())]
    return [part for name in thing.dtype.names for part in _references(f"{place}[{name!r}]", thing[name]) if name]


def keep_record(place: str, thing: np.void, users: bool) -> Kept:
    """One row of a structured array, which is a view of it."""
    base = thing.base
    if isinstance(base, np.ndarray):
        return Kept([(f"{place}.base", base)])
    kept = thing.copy()

    def restore() -> None:
        for name in kept.dtype.names or ():
            thing[name] = kept[name]

    return Kept((), restore, kept.tobytes)


def keep_stream(place: str, thing: io.StringIO | io.BytesIO, users: bool) -> Kept:
    """Text or bytes in memory, and the place in them."""
    if thing.closed:
        return Kept()
    kind: Any = io.StringIO if isinstance(thing, io.StringIO) else io.BytesIO
    state = kind.__getstate__(thing)

    def restore() -> None:
        kind.__setstate__(thing, (*state[:-1], None))

    return Kept((), restore, lambda: state[:-1])


def keep_ctypes(place: str, thing: Any, users: bool) -> Kept:
    """The bytes of a structure, union, array, number or pointer, what it points to and what it keeps alive."""
    if isinstance(thing, ctypes.py_object):
        raise refusal(place, thing, remedy="hold the object itself")
    size, address = ctypes.sizeof(thing), ctypes.addressof(thing)
    raw = ctypes.string_at(address, size)
    parts: list[Part] = [(f"{place} (kept alive)", thing._objects), (f"{place}.base", thing._b_base_)]
    if isinstance(thing, ctypes._Pointer) and thing:
        parts.append((f"{place}.contents", thing.contents))

    def restore() -> None:
        ctypes.memmove(address, raw, size)

    return Kept(parts, restore, lambda: raw)


def keep_reference(place: str, thing: weakref.ref[Any], users: bool) -> Kept:
    """What a weak reference leads to; the snapshot keeps it alive."""
    return Kept([(f"{place}()", weakref.ref.__call__(thing))])


def _key(key: object) -> str:
    return repr(key) if isinstance(key, (str, bytes, int, float, bool, type(None), tuple)) else type(key).__qualname__
