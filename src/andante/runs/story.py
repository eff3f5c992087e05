"""Story: a run told in a few lines, from its log: faults, motions, broken tries, the end."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from andante.control.controller import ControlEvent
from andante.control.events import EventKind

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


@dataclass(frozen=True)
class Moment:
    """Something worth telling."""

    time: float
    """When [s]."""
    text: str
    """What."""

    def __str__(self) -> str:
        return f"{self.time:6.2f} s  {self.text}"


def story(events: Iterable[ControlEvent]) -> tuple[Moment, ...]:
    """What happened in a run, in order of time; at most `MOST_LINES` moments and one that counts the rest."""
    told: list[Moment] = []
    place = ""
    for event in sorted(events, key=lambda each: each.time):
        if event.kind is EventKind.KEYFRAME:
            place = event.text
        if event.kind not in TOLD or "forward" in event.data:
            # Speeds that are asked by hand change many times a second.
            continue
        told.append(Moment(event.time, _broken(event, place) if event.kind in _BROKEN else event.text))
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
