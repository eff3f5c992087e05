"""SettledWorld: a simulated world that remembers how each seed begins, so that a start is put back and not made again.

A robot that lies on the floor has been dropped and has come to rest before time 0. That costs as much as a second of a
run and is the same for every candidate. What is kept is everything that the world has in memory, byte for byte.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import ClassVar

from andante.backends.mujoco_world import MujocoWorld
from andante.runs.state.memory import Memory

MOST_STARTS = 128
"""Starts that one world remembers; those that were used last stay."""


class SettledWorld(MujocoWorld):
    """A world like `MujocoWorld` that makes each start once."""

    snapshot_fixed: ClassVar[tuple[str, ...]] = ("_starts",)

    def reset(self, seed: int) -> None:
        """See `MujocoWorld.reset`; the same bytes from the second time on."""
        starts: OrderedDict[int, Memory] = self.__dict__.setdefault("_starts", OrderedDict())
        kept = starts.get(seed)
        if kept is not None:
            starts.move_to_end(seed)
            kept.restore()
            return
        super().reset(seed)
        starts[seed] = Memory((("world", self),))
        while len(starts) > MOST_STARTS:
            starts.popitem(last=False)
