"""Footfalls: where feet came down, from the ground truth alone, and how far from the plan.

A foot carries while its force is above a threshold. It has come down where it carries again after it was in the air for
some ticks in a row; a foot that only chatters on its place makes no footfall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.runs.evaluation.balance import FootTrack
from andante.runs.evaluation.falls import runs_of

_SHORTEST_SWING = 0.05
"""A foot that is off the ground for less than this chatters [s]."""
STILL = 0.006
"""A foot that loses its load but stays so near chatters too, for LittleDog's size [m]."""
_SHORTEST_STANCE = 0.03
"""A touch shorter than this is a bump on the way, no footfall [s]."""


@dataclass(frozen=True)
class Footfall:
    """One foot came down."""

    leg: int
    """Row of the foot."""
    lift_off: float
    """When it had left the ground [s]."""
    time: float
    """When it carried again [s]."""
    place: tuple[float, float, float]
    """Where its centre was then, after it had come to rest [m]."""
    planned: tuple[float, float] | None = None
    """Where it should have come down, x and y [m]; None: nobody said."""

    @property
    def error(self) -> float | None:
        """Distance from the planned place, along the ground [m]."""
        if self.planned is None:
            return None
        return float(np.hypot(self.place[0] - self.planned[0], self.place[1] - self.planned[1]))


def footfalls(
    times: Vector,
    tracks: Sequence[FootTrack],
    threshold: float,
    events: Sequence[ControlEvent],
    names: Sequence[str],
    still: float = STILL,
) -> tuple[Footfall, ...]:
    """All footfalls of a run in order of time.

    Args:
        times: Moment of each row of the tracks, (n,) [s].
        tracks: Place and load of each foot.
        threshold: Force above which a foot carries [N].
        events: Events of the run; those of kind `EventKind.FOOTHOLD` tell where feet should come down.
        names: Name of each foot.
        still: A foot that stays within this of where it left the ground has not been in the air [m].
    """
    found = []
    for leg, track in enumerate(tracks):
        wishes = [
            event for event in events if event.kind is EventKind.FOOTHOLD and event.data.get("foot") == names[leg]
        ]
        stances = _stances(times, track.load > threshold, track.position, still)
        for (_, left), (landed, until) in pairwise(stances):
            # The foot still sinks and rolls in its first moments; where it stood is the middle of what came after.
            rest = slice(landed, min(until, landed + max(1, (until - landed) // 2)) + 1)
            x, y, z = np.median(track.position[rest], axis=0).tolist()
            planned = _wish(wishes, float(times[left]), float(times[landed]))
            found.append(Footfall(leg, float(times[left]), float(times[landed]), (x, y, z), planned))
    return tuple(sorted(found, key=lambda fall: (fall.time, fall.leg)))


def _stances(times: Vector, carries: NDArray[np.bool_], places: Vector, still: float) -> list[tuple[int, int]]:
    """First and last row of each time on the ground, chatter joined, bumps left out."""
    joined: list[tuple[int, int]] = []
    for start, end in runs_of(carries):
        left = joined[-1][1] if joined else 0
        short = times[start] - times[left] < _SHORTEST_SWING
        if joined and (short or np.linalg.norm(places[left : start + 1] - places[left], axis=1).max() < still):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    last = len(times) - 1
    return [(a, b) for a, b in joined if times[b] - times[a] >= _SHORTEST_STANCE or b == last]


def _wish(wishes: Sequence[ControlEvent], left: float, landed: float) -> tuple[float, float] | None:
    """The place told last before the foot came down, and not before the step before."""
    told = [event for event in wishes if event.time <= landed + 1e-9 and event.time >= left - 0.5]
    if not told:
        return None
    return float(told[-1].data["x"]), float(told[-1].data["y"])
