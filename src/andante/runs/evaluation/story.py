"""Story: a run told in a few lines, from its log: faults, motions, broken tries, the end.

Of a walk: when it set out, where it was slow, what went wrong on the way, and how it ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.errors import shorten
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.logs.log import Log
from andante.runs.tasks.walk.goal import Course
from andante.runs.tasks.walk.metrics import WalkMetrics, pauses_of

TROUBLES = (
    *(EventKind.HELP, EventKind.BREAK_OFF, EventKind.REACH, EventKind.SLIP, EventKind.STUMBLE),
    *(EventKind.NO_GROUND, EventKind.SWITCH, EventKind.SHIFT_LATE),
    *(EventKind.PARTIAL_PLAN, EventKind.UNSOLVED, EventKind.UNSAFE_FOOTHOLD),
)
"""What goes wrong on a walk."""
TOLD = (
    *(
        EventKind.FAULT,
        EventKind.FAULT_OVER,
        EventKind.SENSOR,
        EventKind.SENSOR_OVER,
        EventKind.STOP,
        EventKind.MOTION,
        EventKind.BREAK_UP,
        EventKind.FALL,
        EventKind.HEAD_TOUCH,
    ),
    *(EventKind.WALK, EventKind.ARRIVED, EventKind.GAIT, EventKind.STEER, *TROUBLES),
)
"""What a story tells; the rest is in the log."""
_BROKEN = (EventKind.BREAK_UP, EventKind.FALL)
MOST_LINES = 24
"""A story is cut after so many moments; the report has them all."""
_TOLD = frozenset((*TOLD, EventKind.NOT_REPLANNED)) - {EventKind.ARRIVED}
"""What a walk's story tells; its end is told by what was measured."""
_AGAIN = 1.0
"""Events of one text that follow each other this closely are told once [s]."""
_SHORT = 70
"""Causes are cut to so many letters; they stand in full beside."""
_BEFORE = 1.0
"""What happened this long before a fall may be its cause [s]."""


@dataclass(frozen=True)
class Moment:
    """Something worth telling."""

    time: float
    """When [s]."""
    text: str
    """What."""

    def __str__(self) -> str:
        return f"{self.time:6.2f} s  {self.text}"


def story(events: Iterable[ControlEvent], seen: Iterable[Moment] = ()) -> tuple[Moment, ...]:
    """What happened in a run, in order of time; at most `MOST_LINES` moments and one that counts the rest.

    Args:
        events: What was told.
        seen: What else was seen in the ground truth.
    """
    told: list[Moment] = []
    place = ""
    for event in sorted(events, key=lambda each: each.time):
        if event.kind is EventKind.KEYFRAME:
            place = event.text
        if event.kind not in TOLD or "forward" in event.data:
            # Speeds that are asked by hand change many times a second.
            continue
        told.append(Moment(event.time, _broken(event, place) if event.kind in _BROKEN else event.text))
    told = sorted((*told, *seen), key=lambda moment: moment.time)
    if len(told) > MOST_LINES:
        rest = len(told) - MOST_LINES
        told = [*told[:MOST_LINES], Moment(told[MOST_LINES].time, f"and {rest} more, see report.html")]
    return tuple(told)


def restarts(events: Iterable[ControlEvent]) -> tuple[Moment, ...]:
    """Where a motion was given up or replaced and another one began: what nobody had asked for."""
    found: list[Moment] = []
    place, broken = "", None
    for event in sorted(events, key=lambda each: each.time):
        if event.kind is EventKind.KEYFRAME:
            place = event.text
        elif event.kind in _BROKEN:
            broken = Moment(event.time, _broken(event, place))
        elif event.kind is EventKind.BRANCH and "replaces" in event.text:
            found.append(Moment(event.time, f"in {place}: {event.text}"))
        elif event.kind is EventKind.MOTION and broken is not None:
            found.append(broken)
            broken = None
    return tuple(found)


def _broken(event: ControlEvent, place: str) -> str:
    """Where and how a motion ended before its end."""
    lean = [
        f"{name} {math.degrees(float(event.data[name])):.0f} deg" for name in ("pitch", "roll") if name in event.data
    ]
    return f"in {place}: {event.text} ({', '.join(lean)})" if place and lean else event.text


def walk_story(run: FinishedRun, course: Course, walk: WalkMetrics) -> tuple[Moment, ...]:
    """What happened, in order of time; at most `MOST_LINES` moments and one that counts the rest."""
    log, truth = run.log, run.log.rows("truth")
    ahead, _ = course.along(truth["com"])

    def place(time: float) -> float:
        return float(np.interp(time, truth.times, ahead))

    told = [
        Moment(first, f"{text} (at {place(first):.2f} m{f', {count} times' if count > 1 else ''})")
        for first, text, count in _grouped(log.events)
    ]
    for begin, end in pauses_of(truth, course):
        if begin >= walk.waited and begin < walk.waited + walk.time:
            why = _causes(log, begin - 0.2, end)
            told.append(Moment(begin, f"slow for {end - begin:.1f} s at {place(begin):.2f} m{why}"))
    for fall in walk.footfalls:
        if fall.error is not None and fall.error > course.miss:
            name = run.parts.robot.feet[fall.leg].name
            told.append(Moment(fall.time, f"{name} came down {100.0 * fall.error:.1f} cm from its foothold"))
    if walk.brushes:
        parts = ", ".join(f"{name} {time:.2f} s" for name, time in walk.brushes.items())
        told.append(Moment(float(truth.times[-1]), f"touched the ground in all: {parts}"))
    told.append(_ending(log, walk))
    told.sort(key=lambda moment: moment.time)
    if len(told) > MOST_LINES:
        rest = len(told) - MOST_LINES
        told = [*told[: MOST_LINES - 1], Moment(told[MOST_LINES - 1].time, f"and {rest} more, see report"), told[-1]]
    return tuple(told)


def _grouped(events: Iterable[ControlEvent]) -> list[tuple[float, str, int]]:
    """Time of the first [s], text and number of events that tell the same, one soon after the other."""
    found, last = list[tuple[float, str, int]](), dict[str, tuple[int, float]]()
    for event in events:
        if event.kind not in _TOLD:
            continue
        at, before = last.get(event.text, (-1, -math.inf))
        if event.time - before <= _AGAIN:
            first, text, count = found[at]
            found[at] = first, text, count + 1
        else:
            at = len(found)
            found.append((event.time, event.text, 1))
        last[event.text] = at, event.time
    return found


def _causes(log: Log, begin: float, end: float) -> str:
    """What the controller said in a time, as a clause."""
    said = [
        shorten(event.text, _SHORT) for event in log.events if event.kind in TROUBLES and begin <= event.time <= end
    ]
    return f": {', then '.join(dict.fromkeys(said))}" if said else ""


def _ending(log: Log, walk: WalkMetrics) -> Moment:
    end = walk.waited + walk.time
    if walk.arrived:
        return Moment(
            end, f"arrived: {walk.way:.2f} m in {walk.time + walk.overtime:.2f} s, {100.0 * walk.speed:.1f} cm/s"
        )
    if walk.end == "fell":
        fallen = float(log.rows("truth").times[-1])
        why = _causes(log, fallen - _BEFORE - 0.3, fallen) or ": nothing was noticed before"
        return Moment(fallen, f"{walk.reason}{why}")
    return Moment(max(end, float(log.rows("truth").times[-1])), f"{walk.end}: {shorten(walk.reason, 2 * _SHORT)}")
