"""How generators of random numbers and the objects of compiled libraries are kept."""

from __future__ import annotations

import _random
import functools
import gc
import random
import threading
import types
from collections.abc import Iterator
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.runs.state.kept import Kept, Part, refusal

OPTIONS = (mujoco.MjOption, mujoco.MjStatistic, mujoco.MjvOption, mujoco.MjvCamera, mujoco.MjvPerturb)


def keep_random(place: str, thing: random.Random, users: bool) -> Kept:
    """Python's generator of random numbers."""
    if isinstance(thing, random.SystemRandom):
        raise refusal(place, thing, "its numbers come from the system", "take random.Random(seed)")
    kind: Any = random.Random if isinstance(thing, random.Random) else _random.Random
    state = kind.getstate(thing)
    return Kept((), partial(kind.setstate, thing, state), lambda: state)


def keep_generator(place: str, thing: np.random.Generator, users: bool) -> Kept:
    """numpy's generator: its state is its source's."""
    return Kept([(f"{place}.bit_generator", thing.bit_generator)])


def keep_source(place: str, thing: np.random.BitGenerator, users: bool) -> Kept:
    """A source of random bits; it can give what it gave, but not forget what it spawned."""
    state: Any = thing.state
    seeds = cast("Any", getattr(thing, "seed_seq", None))
    children = getattr(seeds, "n_children_spawned", 0)

    def doubt() -> str:
        return "" if getattr(seeds, "n_children_spawned", 0) == children else "it has spawned others since"

    return Kept((), partial(setattr, thing, "state", state), lambda: _plain(state), doubt)


def keep_old_generator(place: str, thing: np.random.RandomState, users: bool) -> Kept:
    """numpy's old generator."""
    state: Any = thing.get_state(legacy=False)
    return Kept((), partial(thing.set_state, state), lambda: _plain(state))


def keep_seeds(place: str, thing: np.random.SeedSequence, users: bool) -> Kept:
    """Seeds can be drawn, which cannot be undone."""
    children = thing.n_children_spawned

    def doubt() -> str:
        return "" if thing.n_children_spawned == children else "it has spawned others since"

    return Kept((), None, lambda: (repr(thing.entropy), thing.spawn_key, children), doubt)


_LARGE = 65_536
"""Size of an array from which on those that hold the same share one copy [bytes]."""
_COPIES: WeakKeyDictionary[mujoco.MjModel, dict[str, NDArray[Any]]] = WeakKeyDictionary()
"""The last copies of a model's large arrays, by their names."""


def keep_model(place: str, thing: mujoco.MjModel, users: bool) -> Kept:
    """Every array and option of a model; faults, floors and shapes are written into them.

    Large arrays are meshes and what is computed from them, 34 MB of a Unitree G1, which hardly ever change: a search
    keeps 64 starts, each of which took 33 MB with a copy of them.
    """
    arrays = [(array := getattr(thing, name), _copy(thing, name, array)) for name in _model_arrays()]

    def restore() -> None:
        for array, kept in arrays:
            np.copyto(array, kept)

    return Kept([(f"{place}.opt", thing.opt), (f"{place}.stat", thing.stat)], restore)


def _copy(model: mujoco.MjModel, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """A copy of one of a model's arrays, which nobody writes into; of a large one the last that is the same, byte for
    byte."""
    if array.nbytes < _LARGE:
        return array.copy()
    copies = _COPIES.setdefault(model, {})
    kept = copies.get(name)
    if kept is None or not np.array_equal(_bytes(kept), _bytes(array)):
        kept = copies[name] = array.copy()
    return kept


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def keep_options(place: str, thing: Any, users: bool) -> Kept:
    """The numbers of one of MuJoCo's small structures."""
    kept = {}
    for name in dir(thing):
        if not name.startswith("_") and not callable(value := getattr(thing, name)):
            kept[name] = value.copy() if isinstance(value, np.ndarray) else value

    def restore() -> None:
        for name, value in kept.items():
            if isinstance(value, np.ndarray):
                np.copyto(getattr(thing, name), value)
            elif getattr(thing, name) != value:
                setattr(thing, name, value)

    return Kept((), restore, lambda: _plain(kept))


def keep_data(place: str, thing: mujoco.MjData, users: bool) -> Kept:
    """The state of a model."""
    kept = mujoco.MjData(thing.model)
    mujoco.mj_copyData(kept, thing.model, thing)

    def content() -> object:
        return float(kept.time), kept.qpos.tobytes(), kept.qvel.tobytes(), kept.ctrl.tobytes()

    return Kept([(f"{place}.model", thing.model)], partial(mujoco.mj_copyData, thing, thing.model, kept), content)


def keep_lock(place: str, thing: Any, users: bool) -> Kept:
    """Whether a lock is held."""
    held = thing.locked()

    def restore() -> None:
        if held != thing.locked():
            if held:
                thing.acquire(blocking=False)
            else:
                thing.release()

    return Kept((), restore, lambda: held)


def keep_cache(place: str, thing: Any, users: bool) -> Kept:
    """A cache of results can be emptied, but nothing can be taken out of it or put into it."""
    parts: list[Part] = [(f"{place} (the cached function)", thing.__wrapped__)]
    if not users:
        return Kept()
    # What it has given may be changed by whoever has it.
    parts += [(f"{place} (a cached result)", each) for each in _results(thing)]
    before = thing.cache_info()

    def doubt() -> str:
        same = thing.cache_info().misses == before.misses and thing.cache_info().currsize == before.currsize
        return "" if same or before.currsize == 0 else "its cache has taken in other results since; keep a dict"

    def restore() -> None:
        if thing.cache_info().currsize != before.currsize:
            thing.cache_clear()

    return Kept(parts, restore, lambda: before.currsize, doubt)


def _results(cache: Any) -> Iterator[object]:
    """What a cache has given, and its keys: those of an unlimited one stand in its table, of others beside it."""
    unlimited = cache.cache_parameters()["maxsize"] is None
    for each in gc.get_referents(cache):
        if each is vars(cache) or type(each) is object or isinstance(each, (type, types.FunctionType)):
            continue
        if type(each) is not dict:
            yield each
        elif unlimited:
            yield from each.values()
        elif not any(type(link).__name__ == "_lru_list_elem" for link in each.values()):
            yield each


def keep_kernel(place: str, thing: Any, users: bool) -> Kept:
    """A compiled function of numba: what it holds is constant, but for numbers that it draws by itself."""
    if "random" in thing.py_func.__code__.co_names:
        raise refusal(
            place,
            thing,
            "compiled code draws random numbers where nobody sees them",
            "draw them outside, and pass them",
        )
    return Kept()


def keep_numba_list(place: str, thing: Any, users: bool) -> Kept:
    """numba's typed list."""
    items = list(thing) if len(thing) else []

    def restore() -> None:
        thing.clear() if len(thing) else None
        for item in items:
            thing.append(item)

    return Kept([(f"{place}[{i}]", item) for i, item in enumerate(items)], restore, lambda: len(items))


def keep_numba_dict(place: str, thing: Any, users: bool) -> Kept:
    """numba's typed dictionary."""
    items = list(thing.items()) if len(thing) else []

    def restore() -> None:
        thing.clear() if len(thing) else None
        for key, value in items:
            thing[key] = value

    return Kept([(f"{place}[{key!r}]", value) for key, value in items], restore, lambda: len(items))


def keep_jitclass(place: str, thing: Any, users: bool) -> Kept:
    """The fields of an object of a compiled class of numba."""
    names = list(type(thing)._numba_type_.struct)
    private = [name for name in names if name.startswith("__") or not hasattr(type(thing), name)]
    if private:
        raise refusal(f"{place}.{private[0]}", thing, "a field that begins with two underscores cannot be read")
    kept = [(name, getattr(thing, name)) for name in names]

    def restore() -> None:
        for name, value in kept:
            setattr(thing, name, value)

    return Kept([(f"{place}.{name}", value) for name, value in kept], restore)


@functools.lru_cache(maxsize=1)
def _model_arrays() -> tuple[str, ...]:
    """Names of the arrays of every model."""
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    return tuple(
        name for name in dir(model) if not name.startswith("_") and isinstance(getattr(model, name), np.ndarray)
    )


def _plain(state: Any) -> Any:
    """A state of dictionaries and arrays as something that can be compared."""
    if isinstance(state, dict):
        return tuple((key, _plain(value)) for key, value in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else repr(state)


LOCK = type(threading.Lock())
