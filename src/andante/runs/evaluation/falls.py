"""Falls and standing, judged from ground truth only.

Tilt is the angle between the torso's up axis and the vertical. With u the up axis in the world, the truth's angles are
pitch = atan2(-u_x, u_z) and roll = asin(u_y), hence u_z = cos(pitch) cos(roll) and tilt = acos(u_z).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.backends.backend import Backend
from andante.robots.records import Layout, Record, Vector
from andante.runs.evaluation.standing import Standing, Upright
from andante.runs.logs.log import ChannelRows
from andante.runs.loop.tick import Observer
from andante.runs.scenario import FallRule

_LEANS = 0.5
"""A robot does not stand on its feet alone that touches the ground with something else for this share of the end."""


@dataclass(frozen=True)
class Fall:
    """The first fall of a run."""

    time: float
    """When its condition began to hold [s]."""
    reason: str
    """What was seen, as a clause."""


def tilt_of(truth: ChannelRows) -> Vector:
    """Angle between the torso's up axis and the vertical, (n,) [rad]."""
    up = np.cos(truth["pitch"][:, 0]) * np.cos(truth["roll"][:, 0])
    tilt: Vector = np.arccos(np.clip(up, -1.0, 1.0))
    return tilt


def first_standing(truth: ChannelRows, rule: Upright, standing: float) -> float | None:
    """The first moment [s] from which a robot that begins on the floor stands for the rule's hold, or None.

    Args:
        truth: Ground truth.
        rule: What counts as standing.
        standing: Height of the base that ``rule.height_share`` refers to [m].
    """
    needed = Standing.by(rule, standing)
    holds = (tilt_of(truth) <= needed.tilt) & (truth["base_height"][:, 0] >= needed.height)
    hold = round(rule.hold * 1e9)
    times = truth.nanoseconds
    return next((float(truth.times[a]) for a, b in runs_of(holds) if times[b] - times[a] >= hold), None)


def first_fall(
    truth: ChannelRows, rule: FallRule, since: float = -math.inf, touching: NDArray[np.bool_] | None = None
) -> Fall | None:
    """The first moment from which one of the rule's conditions holds for its persistence, or None.

    A condition that holds until the log's end counts only if it has lasted long enough by then.

    Args:
        truth: Ground truth.
        rule: What counts as a fall.
        since: Nothing before this moment counts [s]: a robot that gets up falls only once it has stood.
        touching: When something touched the ground that may not, (n,); None: when anything but a foot did.
    """
    times = truth.times
    conditions: list[tuple[NDArray[np.bool_], str]] = []
    if rule.tilt is not None:
        text = f"the torso tilted more than {np.degrees(rule.tilt):.3g} deg"
        conditions.append((tilt_of(truth) > rule.tilt, text))
    if rule.height is not None:
        conditions.append((truth["base_height"][:, 0] < rule.height, f"the base came below {rule.height:.3g} m"))
    if rule.contact:
        others = truth["other_contacts"][:, 0] > 0.0 if touching is None else touching
        conditions.append((others, "something other than a foot touched the ground"))
    falls = [
        Fall(float(times[start]), text)
        for holds, text in conditions
        for start, end in runs_of(holds & (times >= since))
        if truth.nanoseconds[end] - truth.nanoseconds[start] >= round(rule.persistence * 1e9)
    ]
    return min(falls, key=lambda fall: fall.time) if falls else None


class FallWatch(Observer):
    """Ends a run some time after the robot has fallen, see `FallRule.stop_after`: lying about shows nothing more.

    Args:
        rule: What counts as a fall.
        rises: The robot begins on the floor: what counts as standing, and the height that it refers to [m]. Falls count
            from the first moment at which it stands.
    """

    def __init__(self, rule: FallRule, rises: tuple[Upright, float] | None = None) -> None:
        self._rule, self._rises = rule, rises
        self._since, self._stood = math.inf, rises is None
        self._layout: Layout | None = None
        self._places: list[int] = []

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._since, self._stood = math.inf, self._rises is None

    def over(self, backend: Backend) -> bool:
        """Whether nothing more can be seen."""
        truth = backend.truth()
        return truth is not None and self.ended(truth)

    def ended(self, truth: Record) -> bool:
        """Whether by this ground truth nothing more can be seen: the robot has lain long enough."""
        rule = self._rule
        if truth.layout is not self._layout:
            self._layout = truth.layout
            self._places = [truth.layout.slices[name].start for name in ("time", "pitch", "roll", "base_height")]
        time, pitch, roll, height = map(truth.vector.item, self._places)
        up = math.cos(pitch) * math.cos(roll)
        tilted = rule.tilt is not None and up < math.cos(rule.tilt)
        if self._rises is not None and not self._stood:
            self._stood = Standing.by(*self._rises).holds(up, height)
        low = rule.height is not None and height < rule.height
        if not (self._stood and (tilted or low)):
            self._since = math.inf
            return False
        self._since = min(self._since, time)
        return rule.stop_after is not None and time - self._since >= rule.persistence + rule.stop_after


def runs_of(holds: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each run of True values."""
    edges = np.diff(np.concatenate(([0], holds.astype(np.int8), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def spans_of(times: Vector, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Begin and end of each run of True values [s]; it ends at the first False one."""
    last = len(times) - 1
    return [(float(times[start]), float(times[min(end + 1, last)])) for start, end in runs_of(holds)]


def why_not_standing(
    truth: ChannelRows,
    rule: Upright,
    standing: float | None = None,
    tilts: Vector | None = None,
    heights: Vector | None = None,
) -> str:
    """What is missing to stand during the last part of the run; empty where it stands.

    Args:
        truth: Ground truth.
        rule: What counts as standing.
        standing: Height of the base that ``rule.height_share`` refers to; None: that at the start [m].
        tilts: Tilt of the torso against what it stands on, (n,); None: against the vertical [rad].
        heights: Height of the base over that, (n,); None: over the ground below the base [m].
    """
    times = truth.times
    if len(times) == 0:
        return "nothing was recorded"
    last = times >= times[-1] - rule.hold - 1e-9
    heights = truth["base_height"][:, 0] if heights is None else heights
    tilt = float((tilt_of(truth) if tilts is None else tilts)[last].max())
    height = float(heights[last].min())
    needed = Standing.by(rule, float(truth["base_height"][0, 0]) if standing is None else standing)
    if tilt > needed.tilt:
        return f"the torso tilted {np.degrees(tilt):.1f} deg at the end (limit {np.degrees(rule.tilt):.3g} deg)"
    if height < needed.height:
        return f"the base was {height:.3f} m high at the end (limit {needed.height:.3f} m)"
    if (truth["other_contacts"][last, 0] > 0.0).mean() > _LEANS:
        return "something other than a foot touched the ground at the end"
    return ""
