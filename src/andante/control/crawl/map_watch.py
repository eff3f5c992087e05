"""MapWatch: whether feet find the ground where the map by which the walk was planned has it.

A map that is mirrored, shifted, turned or in another unit makes plans that look sound. Feet are the first that know.
What they find counts against all heights that the map has around a place, so an edge beside it is no error of it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from andante.control.crawl.feet import CrawlFoot
from andante.control.crawl.settings import CrawlSettings
from andante.control.estimation.estimator import BodyState
from andante.control.events import EventKind
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap

_SAID = -1
"""In place of a count: of this swing, or this time on the ground, all is said."""
_SURE = 2
"""Ticks for which a foot must touch."""
_BESIDE = 0.4
"""How far from its place it may be, as a share of a miss that is tolerated."""
_LEAN = math.radians(4.0)
"""A body that leans more from its plan may be about to fall: what its feet touch then tells little [rad]."""
_EACH = 2
"""So many footfalls of each foot are remembered."""
_WORSE = 1.5
"""It is told again where a foot is off by so many times what was told last."""


class MapWatch:
    """Compares where feet touch with a map.

    Args:
        names: Names of the feet.
        radius: Their radii, (nl,) [m].
        settings: The settings, for this robot's size.
        tell: Takes events.
    """

    def __init__(self, names: Sequence[str], radius: Array, settings: CrawlSettings, tell: Callable[..., None]) -> None:
        self.settings, self._names, self._radius, self._tell = settings, tuple(names), radius, tell
        self.reset()

    def reset(self) -> None:
        """Forget the map, and what was found."""
        self._known: ElevationMap | None = None
        self._touched = np.zeros(len(self._names), dtype=np.int64)
        self._swings = np.full(len(self._names), -1)
        self._off, self._worst = 0, 0.0
        self._footfalls: deque[bool] = deque(maxlen=_EACH * len(self._names))
        self.misfit = ""
        """Why the walk shall end, as the map does not fit; empty: it need not."""

    def use(self, known: ElevationMap | None) -> None:
        """Go on with the map of a new plan; None: that of the last one. Where feet stand counts anew."""
        self._known = known or self._known
        self._touched[:] = 0
        self._footfalls.clear()

    def rest(self, feet: Sequence[CrawlFoot], state: BodyState) -> None:
        """The robot stands still after a walk that was broken off: all feet that touch tell of the ground."""
        for leg, foot in enumerate(feet):
            if state.contact[leg] and foot.trusted:
                self._judge(leg, state.feet[leg], lost=False, swings=False)

    def compare(self, feet: Sequence[CrawlFoot], state: BodyState, offset: Array, lean: Array) -> None:
        """One tick: look at each foot that has just come to stand, or that finds no ground.

        Args:
            feet: The feet.
            state: Where they are.
            offset: How far the body is from its plan, (3,) [m].
            lean: How it is turned from there, (3,) [rad].
        """
        if self._known is None:
            return
        for leg, foot in enumerate(feet):
            lost, touches = foot.stand.reported, bool(state.contact[leg])
            if foot.swing != self._swings[leg]:
                self._swings[leg], self._touched[leg] = foot.swing, 0
            if foot.swing >= 0 and not foot.flight.left:
                # It has not left the ground yet.
                continue
            if self._touched[leg] == _SAID:
                continue
            self._touched[leg] = self._touched[leg] + 1 if lost or touches else 0
            if lost or self._touched[leg] >= _SURE:
                self._touched[leg] = _SAID
                if foot.trusted and self._calm(offset, lean):
                    self._count(self._judge(leg, state.feet[leg], lost=lost, swings=foot.swing >= 0), leg, state)

    def _count(self, off: float | None, leg: int, state: BodyState) -> None:
        """Remember a footfall, and find out whether the map fits at all; None: it tells nothing."""
        if off is None:
            return
        settings, footfalls = self.settings, self._footfalls
        footfalls.append(off > settings.map_error)
        if settings.misfit == "go-on" or not footfalls[-1] or sum(footfalls) < settings.misfits or self.misfit:
            return
        x, y = state.feet[leg, :2].tolist()
        self.misfit = (
            f"the map does not fit: {sum(footfalls)} of the last {len(footfalls)} footfalls found the ground elsewhere"
            f" (limit {settings.misfits}), {self._names[leg]} {1e3 * off:.0f} mm off at x {x:.3f}, y {y:.3f} m"
            f" (limit {1e3 * settings.map_error:.0f} mm); execution.misfit: go-on walks on"
        )

    def _calm(self, offset: Array, lean: Array) -> bool:
        """Whether the body is near its plan, so that what its feet touch tells of the ground."""
        return float(np.linalg.norm(lean)) < _LEAN and float(np.linalg.norm(offset)) < 0.5 * self.settings.lost_way

    def _judge(self, leg: int, place: Array, *, lost: bool, swings: bool) -> float | None:
        """Tell of a foot's centre (3,) [m] that the map does not have there; gives how far off it is [m].

        None: it tells nothing of the ground.

        Args:
            leg: Row of the foot.
            place: Where it is.
            lost: It has no ground under it.
            swings: It is on its way.
        """
        known, slack, radius = self._known, _BESIDE * self.settings.tolerated_miss, float(self._radius[leg])
        if known is None or not bool(known.covers(place[:2])):
            return None
        near, wide = (_heights(known, place, reach) for reach in (slack, slack + radius))
        if not len(near):
            return None
        found, here = float(place[2]) - radius, float(near[0])
        above, below = found - float(wide.max()), float(near.min()) - found
        name, (x, y) = self._names[leg], place[:2].tolist()
        if swings:
            # It need not be the ground: a shank on an edge shakes the foot, and feet meet.
            if above > self.settings.map_error:
                most = f"the map has nothing above {1e3 * float(wide.max()):.0f} mm there"
                text = f"{name} hits something at {1e3 * found:.0f} mm, {most} (x {x:.3f}, y {y:.3f} m)"
                self._tell(EventKind.STUMBLE, text, foot=name, x=x, y=y)
            return None
        off = below if lost else max(above, below)
        if off <= self.settings.map_error:
            return off
        self._off += 1
        if off <= _WORSE * self._worst:
            return off
        self._worst = off
        what = "finds no ground down to" if lost else "touches at"
        text = (
            f"the ground is not where the map has it: {name} {what} {1e3 * found:.0f} mm, the map has "
            f"{1e3 * here:.0f} mm there (x {x:.3f}, y {y:.3f} m; {1e3 * off:.0f} mm off what it has around, limit "
            f"{1e3 * self.settings.map_error:.0f} mm)"
        )
        self._tell(EventKind.MAP, text, foot=name, x=x, y=y, found=found, map=here, off=off, count=self._off)
        return off


def _heights(known: ElevationMap, place: Array, reach: float) -> Array:
    """The known heights within a reach of a place, that of the nearest node first; empty: none is known, or not it."""
    i, j = (int(each) for each in known.nodes(place[:2]))
    if not np.isfinite(known.heights[i, j]):
        return np.zeros(0)
    reach += 0.5 * known.spacing
    count = math.ceil(reach / known.spacing)
    rows = slice(max(i - count, 0), i + count + 1)
    columns = slice(max(j - count, 0), j + count + 1)
    x, y = known.x[rows] - place[0], known.y[columns] - place[1]
    heights = known.heights[rows, columns][np.hypot(x[:, None], y[None, :]) <= reach]
    return np.concatenate([[known.heights[i, j]], heights[np.isfinite(heights)]])
