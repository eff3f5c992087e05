"""SettledWorld: a simulated world that remembers how each seed begins, so that a start is put back and not made again.

A robot that lies on the floor has been dropped and has come to rest before time 0. That costs as much as a second of a
run and is the same for every candidate. What is kept is everything that the world has in memory, byte for byte.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import count
from typing import ClassVar

from andante.backends.mujoco_world import MujocoWorld
from andante.runs.state.memory import Memory

MOST_STARTS = 64
"""Starts that the worlds of a process remember together, some 7 MB each; those that were used last stay."""
_NUMBERS = count()
_STARTS: OrderedDict[tuple[int, int], Memory] = OrderedDict()
"""Starts by the number of their world, and their seed."""


class SettledWorld(MujocoWorld):
    """A world like `MujocoWorld` that makes each start once."""

    snapshot_fixed: ClassVar[tuple[str, ...]] = ("_number",)

    def reset(self, seed: int) -> None:
        """See `MujocoWorld.reset`; the same bytes from the second time on."""
        key = (self.__dict__.setdefault("_number", next(_NUMBERS)), seed)
        kept = _STARTS.get(key)
        if kept is not None:
            _STARTS.move_to_end(key)
            kept.restore()
            return
        super().reset(seed)
        _STARTS[key] = Memory((("world", self),))
        while len(_STARTS) > MOST_STARTS:
            _STARTS.popitem(last=False)
