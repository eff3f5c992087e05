"""Snapshot: everything that a run has in memory, kept and put back byte for byte.

A snapshot walks through all objects that can be reached from a session (physics, servos, noise streams, controller,
guard, plans under way, recorder) and keeps the content of each one that can change, the generators of random numbers
that all programs share with it. Restoring puts each content back into the very same object. So whatever refers to it,
a view of an array or a function that remembers an object, goes on seeing what it saw; copies of objects would not. A
snapshot therefore belongs to its session and to no other. How the walk goes: `andante.runs.state`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NoReturn, Self

import numpy as np

from andante.runs.errors import SnapshotError
from andante.runs.state.kept import Part
from andante.runs.state.memory import Memory

__all__ = ["Memory", "Snapshot", "SnapshotError", "shared_generators"]


class OfOneProcess(ABC):
    """What is good only in the process that it was made in: a copy is itself, and no pickle is made of it."""

    @property
    @abstractmethod
    def elsewhere(self) -> str:
        """What to do in another process in place of it."""

    def __copy__(self) -> Self:
        """Itself: nothing of it changes."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Itself, as `__copy__`."""
        return self

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: another process has not the objects whose content it puts back.

        Raises:
            SnapshotError: Always.
        """
        what = "a snapshot cannot be pickled: it belongs to the process that it was taken in"
        raise SnapshotError(what, value=type(self).__name__, remedy=self.elsewhere)


class Snapshot(OfOneProcess):
    """What was in memory at one moment of a session; see `Session.snapshot`.

    Attributes:
        name: The run it was taken of.
        tick: Number of the tick that comes next.
        time: Time of the run then [s].
    """

    def __init__(self, owner: object, name: str, tick: int, time: float, roots: Iterable[Part]) -> None:
        self.name, self.tick, self.time = name, tick, time
        self._owner = owner
        self._memory = Memory((*roots, *shared_generators()))

    def restore(self, owner: object, name: str) -> None:
        """Put everything back.

        Raises:
            SnapshotError: The snapshot was taken of another session, or something of a user's code has changed in a
                way that cannot be undone; nothing has been changed.
        """
        if owner is not self._owner:
            raise SnapshotError(
                "a snapshot can be restored only in the session that it was taken of", value=self.name, limit=name
            )
        self._memory.restore()

    @property
    def elsewhere(self) -> str:
        """See `OfOneProcess`."""
        return f"run the same scenario with the same seed to tick {self.tick} there, and take one of it"

    def __repr__(self) -> str:
        return f"Snapshot({self.name!r}, tick {self.tick}, {self.time:.3f} s)"


def shared_generators() -> tuple[Part, ...]:
    """The generators behind ``random.random()`` and ``numpy.random.rand()``, which a controller may draw from."""
    # The one behind numpy's functions is the object whose methods they are.
    old: object = np.random.rand.__self__  # type: ignore[attr-defined]
    python: object = random.random.__self__  # type: ignore[attr-defined]
    return ("random", python), ("numpy.random", old)
