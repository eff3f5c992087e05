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
from andante.runs.log import ChannelRows
from andante.runs.scenario import FallRule, Upright
from andante.runs.tick import Observer
from andante.runs.walk.goal import Course


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
    holds = (tilt_of(truth) <= rule.tilt) & (truth["base_height"][:, 0] >= _needed_height(rule, standing))
    hold = round(rule.hold * 1e9)
    times = truth.nanoseconds
    return next((float(truth.times[a]) for a, b in runs_of(holds) if times[b] - times[a] >= hold), None)


def first_fall(truth: ChannelRows, rule: FallRule, since: float = -math.inf) -> Fall | None:
    """The first moment from which one of the rule's conditions holds for its persistence, or None.

    A condition that holds until the log's end counts only if it has lasted long enough by then.

    Args:
        truth: Ground truth.
        rule: What counts as a fall.
        since: Nothing before this moment counts [s]: a robot that gets up falls only once it has stood.
    """
    times = truth.times
    conditions: list[tuple[NDArray[np.bool_], str]] = []
    if rule.tilt is not None:
        text = f"the torso tilted more than {np.degrees(rule.tilt):.3g} deg"
        conditions.append((tilt_of(truth) > rule.tilt, text))
    if rule.height is not None:
        conditions.append((truth["base_height"][:, 0] < rule.height, f"the base came below {rule.height:.3g} m"))
    if rule.contact:
        conditions.append((truth["other_contacts"][:, 0] > 0.0, "something other than a foot touched the ground"))
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
            upright, standing = self._rises
            self._stood = up >= math.cos(upright.tilt) and height >= _needed_height(upright, standing)
        low = rule.height is not None and height < rule.height
        if not (self._stood and (tilted or low)):
            self._since = math.inf
            return False
        self._since = min(self._since, time)
        return rule.stop_after is not None and time - self._since >= rule.persistence + rule.stop_after


class WalkWatch(FallWatch):
    """Ends a walk some time after the robot arrived, left the course or fell, whatever the controller thinks.

    Args:
        course: What is asked of the walk.
        rule: What counts as a fall.
    """

    def __init__(self, course: Course, rule: FallRule) -> None:
        super().__init__(rule)
        self._course, self._over_since = course, math.inf

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        super().begin(backend)
        self._over_since = math.inf

    def ended(self, truth: Record) -> bool:
        """Whether by this ground truth nothing more can change how the walk ended."""
        course, linger = self._course, self._course.goal.linger
        ahead, aside = course.along(truth["com"][None])
        time = float(truth["time"][0])
        if ahead[0] >= course.arrival or abs(aside[0]) > course.aside:
            self._over_since = min(self._over_since, time)
        lingered = linger is not None and time - self._over_since >= linger
        return super().ended(truth) or lingered


def _needed_height(rule: Upright, standing: float) -> float:
    """Smallest height of the base of a robot that stands [m]."""
    return rule.height if rule.height is not None else rule.height_share * standing


def runs_of(holds: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last index of each run of True values."""
    edges = np.diff(np.concatenate(([0], holds.astype(np.int8), [0])))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return [(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def spans_of(times: Vector, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Begin and end of each run of True values [s]; it ends at the first False one."""
    last = len(times) - 1
    return [(float(times[start]), float(times[min(end + 1, last)])) for start, end in runs_of(holds)]


def why_not_standing(truth: ChannelRows, rule: Upright, standing: float | None = None) -> str:
    """What is missing to stand during the last part of the run; empty where it stands.

    Args:
        truth: Ground truth.
        rule: What counts as standing.
        standing: Height of the base that ``rule.height_share`` refers to; None: that at the start [m].
    """
    times = truth.times
    if len(times) == 0:
        return "nothing was recorded"
    last = times >= times[-1] - rule.hold - 1e-9
    tilt = float(tilt_of(truth)[last].max())
    height = float(truth["base_height"][last, 0].min())
    reference = float(truth["base_height"][0, 0]) if standing is None else standing
    needed = _needed_height(rule, reference)
    if tilt > rule.tilt:
        return f"the torso tilted {np.degrees(tilt):.1f} deg at the end (limit {np.degrees(rule.tilt):.3g} deg)"
    if height < needed:
        return f"the base was {height:.3f} m high at the end (limit {needed:.3f} m)"
    return ""
