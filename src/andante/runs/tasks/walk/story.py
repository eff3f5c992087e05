"""The story of a walk: when it set out, where it was slow, what went wrong on the way, and how it ended."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from andante.control.controller import ControlEvent
from andante.control.events import TOLD, TROUBLES, EventKind
from andante.errors import shorten
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.moment import Moment
from andante.runs.evaluation.story import MOST_LINES
from andante.runs.logs.log import Log
from andante.runs.tasks.walk.goal import WalkCourse
from andante.runs.tasks.walk.metrics import WalkMetrics, pauses_of

WALK_TOLD = frozenset((*TOLD, EventKind.NOT_REPLANNED)) - {EventKind.ARRIVED}
"""What a walk's story tells; its end is told by what was measured."""
_AGAIN = 1.0
"""Events of one text that follow each other this closely are told once [s]."""
_SHORT = 70
"""Causes are cut to so many letters; they stand in full beside."""
_BEFORE = 1.0
"""What happened this long before a fall may be its cause [s]."""


def walk_story(run: FinishedRun, course: WalkCourse, walk: WalkMetrics) -> tuple[Moment, ...]:
    """What happened, in order of time; at most `MOST_LINES` moments and one that counts the rest."""
    log, truth = run.log, run.log.rows("truth")
    ahead, _ = course.along(truth["com"])

    def place(time: float) -> float:
        return float(np.interp(time, truth.times, ahead))

    told = [
        Moment(first, f"{text} (at {place(first):.2f} m{f', {count} times' if count > 1 else ''})")
        for first, text, count in group_events(log.events)
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


def group_events(events: Iterable[ControlEvent]) -> list[tuple[float, str, int]]:
    """Time of the first [s], text and number of events that tell the same, one soon after the other."""
    found, last = list[tuple[float, str, int]](), dict[str, tuple[int, float]]()
    for event in events:
        if event.kind not in WALK_TOLD:
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
