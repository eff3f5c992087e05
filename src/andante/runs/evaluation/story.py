"""Story: a run told in a few lines, from its log: faults, motions, broken tries, the end."""

from __future__ import annotations

import math
from collections.abc import Iterable

from andante.control.controller import ControlEvent
from andante.control.events import TOLD, EventKind
from andante.plugins.answers import yes_or_no
from andante.runs.evaluation.fall_causes import FallCauses, fall_causes
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.moment import Moment
from andante.runs.tasks.asking import moments_told

_BROKEN = (EventKind.BREAK_UP, EventKind.FALL)
MOST_LINES = 24
"""A story is cut after so many moments; the report has them all."""


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


def story_of(run: FinishedRun, metrics: Metrics) -> tuple[tuple[Moment, ...], str]:
    """The story of a run: as one of its tasks tells it, else as its events do, with what its tasks saw beside.

    Returns:
        Its moments; what came first of its fall, see `FallCauses.first`: where a task tells the story, or nothing was
        seen, what counted as the fall. Empty: it did not fall, or something brought it down on purpose.
    """
    whole = _told_by_task(run, metrics)
    parts = run.tasks.ask("tell what it saw", lambda task: tuple(task.moments(run, metrics)), moments_told)
    seen = [moment for _, moments in parts for moment in moments]
    causes = _causes(run, metrics)
    first = "" if causes is None else (causes.first if whole is None else "") or metrics.fall_reason or ""
    if whole is None:
        known = {(round(moment.time, 3), _what(moment)) for moment in seen}
        own = () if causes is None else causes.moments
        # A task may have seen a touch already.
        more = (*_pushes(run), *(each for each in own if (round(each.time, 3), each.text) not in known))
        return story(run.log.events, (*seen, *more)), first
    told = tuple(sorted((*whole, *seen), key=lambda moment: moment.time)) if seen else tuple(whole)
    return told, first


def _what(moment: Moment) -> str:
    """What a moment tells, without the numbers in brackets behind it."""
    return moment.text.partition(" (")[0]


def _pushes(run: FinishedRun) -> Iterable[Moment]:
    """The pushes of the scenario, which no event tells of."""
    if run.truth is None:
        return
    for push in run.scenario.world.pushes:
        if push.time > run.outcome.time:
            continue
        vector = push.force or push.impulse or (0.0, 0.0, 0.0)
        strength, unit = math.hypot(*vector), "N s" if push.force is None else "N"
        body = push.body or run.parts.robot.base_body
        yield Moment(push.time, f"{body} is pushed by {strength:.3g} {unit} for {push.duration:g} s")


def causes_of_fall(run: FinishedRun, metrics: Metrics) -> Iterable[Moment]:
    """Why the robot fell, as far as the run's story has it: a task that tells its own does not."""
    if not metrics.fell or _told_by_task(run, metrics) is not None:
        return ()
    causes = _causes(run, metrics)
    return () if causes is None else causes.moments


def _causes(run: FinishedRun, metrics: Metrics) -> FallCauses | None:
    """Why the robot fell, see `fall_causes`; None: it did not, or something brought it down on purpose."""
    if not metrics.fell or metrics.fall_time is None:
        return None
    asks = run.tasks.ask("say whether it brings the robot down", lambda task: task.brings_down(run), yes_or_no)
    if any(down for _, down in asks):
        return None
    # One whose base is held has no way, and balances nothing.
    return FallCauses() if metrics.travel is None else fall_causes(run, metrics.fall_time)


def _told_by_task(run: FinishedRun, metrics: Metrics) -> tuple[Moment, ...] | None:
    """The story of a run as one of its tasks tells it; None: none does."""
    stories = run.tasks.ask("tell its story", lambda task: task.story(run, metrics), _whole)
    return next((tuple(told) for _, told in stories if told is not None), None)


def _whole(given: object) -> tuple[Moment, ...] | None:
    return None if given is None else moments_told(given)


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
