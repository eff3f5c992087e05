"""Snapshots of users' controllers: each way to hold state is kept, declared fixed, or refused by name; none is lost."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

# They add their ways.
import state_ways_hidden  # noqa: F401
import state_ways_inside  # noqa: F401
import state_ways_language  # noqa: F401
import state_ways_libraries  # noqa: F401
import state_ways_outside  # noqa: F401
import state_ways_values  # noqa: F401
from state_ways import KEPT, WAYS

from andante.plugins.surroundings import undisturbed
from andante.runs.loop.snapshot import Memory, SnapshotError, shared_generators
from andante.runs.state.process import _SETTINGS


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """What a way changes for all of the process is put back."""
    back = [put for names, get, put in _SETTINGS for kept in [get()] for put in [functools.partial(put, kept)]]
    with undisturbed():
        yield
    for put in back:
        put()


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning", "ignore:unclosed", "ignore::ResourceWarning")
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow if "numba" in n else ()) for n in WAYS])
def test_what_a_controller_holds_goes_back_or_is_refused_by_name(name: str) -> None:
    make, expected = WAYS[name]
    controller = make()
    for _ in range(3):
        controller.step()
    told, first = "", []
    try:
        memory = Memory((("controller", controller), *shared_generators()))
        first += [controller.step() for _ in range(7)]
        for _ in range(2):
            memory.restore()
            assert [controller.step() for _ in range(7)] == first
    except SnapshotError as error:
        told = str(error)
    assert bool(told) == (expected != KEPT), told
    if told:
        assert told.startswith(("controller.", "CachedResults.first: "))
        assert all(part in told for part in ("cannot be kept", "got '", "snapshot_fixed"))
    else:
        assert len(set(first)) > 1


def test_the_place_of_what_is_refused_is_the_way_to_it() -> None:
    class Filter:
        def __init__(self) -> None:
            self._buffer = [0, 1, 2, itertools.count()]

    class Mine:
        def __init__(self) -> None:
            self.filter = Filter()

    with pytest.raises(SnapshotError) as told:
        Memory((("controller", Mine()),))
    assert str(told.value) == (
        "controller.filter._buffer[3]: this object's state cannot be kept; got 'itertools.count'; "
        "keep a number and count it yourself; or, where it does not change what the controller does, declare it: "
        "snapshot_fixed = (its name,) in its class"
    )


def test_nothing_is_put_back_where_something_cannot_be() -> None:
    class Mine:
        def __init__(self) -> None:
            self.count, self.cached = 0, functools.lru_cache(abs)
            self.cached(1)

    mine = Mine()
    memory = Memory((("controller", mine),))
    mine.count = 5
    mine.cached(2)
    with pytest.raises(SnapshotError, match=r"controller\.cached: .*its cache has taken in other results since"):
        memory.restore()
    assert mine.count == 5


def test_a_thread_of_its_own_is_refused_by_name() -> None:
    ended = threading.Event()

    def count() -> None:
        ended.wait()

    class Mine:
        def step(self) -> object:
            return count

    thread = threading.Thread(target=count, name="counting")
    thread.start()
    try:
        with pytest.raises(SnapshotError, match=r"thread 'counting', .*count: .*it goes on beside the run"):
            Memory((("controller", Mine()),))
    finally:
        ended.set()
        thread.join()
    # One that ended does nothing any more, and another's is none of the controller's.
    other = threading.Thread(target=threading.Event().wait, args=(0.5,), daemon=True)
    other.start()
    Memory((("controller", Mine()),))


def test_a_module_that_was_imported_since_stays() -> None:
    class Mine:
        def step(self) -> str:
            import xml.dom.minidom

            return xml.dom.minidom.__name__

    mine = Mine()
    for name in ("xml.dom.minidom", "xml.dom"):
        sys.modules.pop(name, None)
    vars(sys.modules.get("xml", sys)).pop("dom", None)
    memory = Memory((("controller", mine),))
    mine.step()
    memory.restore()
    assert mine.step() == "xml.dom.minidom"


def test_contents_can_be_compared() -> None:
    class Mine:
        def __init__(self) -> None:
            self.gains = {"a": [1.0, 2.0]}

    mine = Mine()
    before = Memory((("controller", mine),), told=True).contents
    mine.gains["a"][1] = 3.0
    after = Memory((("controller", mine),), told=True).contents
    assert {place for place in before if before[place] != after.get(place)} == {"controller.gains['a'][1]"}


def test_ways_are_many() -> None:
    assert len(WAYS) >= 140
