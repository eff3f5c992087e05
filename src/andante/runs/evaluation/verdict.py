"""Verdict: pass or fail, and why, in sentences for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from andante.control.events import EventKind
from andante.control.interventions import Intervention
from andante.control.sensor_parts import Failure
from andante.plugins.answers import yes_or_no
from andante.plugins.register import PROGRAM, SHIPPED
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.story import restarts
from andante.runs.logs.log import Log
from andante.runs.loop.outcome import Ending
from andante.runs.tasks.asking import criteria_told

_UNWATCHED = "nobody watched whether it fell or how it ended: the robot measures no orientation"
_NOTHING = "nothing was asked of this run"
_CONTRADICTED = 3
"""Sensors that were contradicted are told one by one up to so many."""
_RESTARTS = 3
"""Restarts that are told one by one."""


@dataclass(frozen=True)
class Verdict:
    """Whether a run did what its scenario asks."""

    verdict: Literal["pass", "fail"]
    """pass: everything asked holds; fail: something does not."""
    reasons: tuple[str, ...]
    """What failed; for a pass, what was asked and held. Sensors that contradicted each other, and
    restarts that nobody asked for, stand behind either."""
    criteria: tuple[Criterion, ...] = ()
    """Everything that was asked, beside what was reached."""

    @property
    def passed(self) -> bool:
        """True for a pass."""
        return self.verdict == "pass"


def judge(run: FinishedRun, metrics: Metrics) -> Verdict:
    """The verdict of a run; one that was interrupted or stopped fails, whatever else holds."""
    ending, stopped = run.outcome.ending, run.outcome.reason
    if ending is Ending.INTERRUPTED:
        text = f"interrupted after {metrics.duration:.2f} s{f'; {stopped}' if stopped else ''}"
        return Verdict("fail", (text,), (Criterion("finishes", False, text),))
    what = "the link was lost" if ending is Ending.LOST else "the robot was stopped"
    # What comes with Andante is known by its class; whose another one is, its name and package tell.
    plugged = run.outcome.error is not None and CONTROLLERS.source(run.scenario.controller.type) != SHIPPED
    whose = f"; {_controller_of(run)}" if plugged else ""
    criteria = [Criterion("goes on", False, f"{what}: {stopped}{whose}")] if stopped else []
    criteria += [*_finite_commands(run), *_ends_in_time(run, metrics)]
    blind = run.unwatched
    if asks_no_fall(run) and not (blind and run.scenario.success.no_fall is None):
        criteria.append(Criterion("no fall", metrics.fell is False, _fall_text(metrics)))
    for _, asked in run.tasks.ask("be judged", lambda task: tuple(task.criteria(run, metrics)), criteria_told):
        criteria += asked
    criteria += [Criterion(f"task {name}", False, problem) for name, problem in run.tasks.problems.items()]
    failed = [each.text for each in criteria if not each.passed]
    anew = [*_contradicted(run.log), *_restart_texts(run.log)]
    reasons = (*(failed or [each.text for each in criteria] or [_NOTHING]), *([_UNWATCHED] if blind else []), *anew)
    return Verdict("fail" if failed else "pass", reasons, tuple(criteria))


def asks_no_fall(run: FinishedRun) -> bool:
    """Whether a fall counts against a run: as the scenario says, else where it begins and stays on its feet."""
    asked = run.scenario.success.no_fall
    if asked is not None:
        return asked
    asks = run.tasks.ask("say whether it brings the robot down", lambda t: t.brings_down(run), yes_or_no)
    down = [falls for _, falls in asks]
    return not run.scenario.starts_lying and not any(down)


def _finite_commands(run: FinishedRun) -> list[Criterion]:
    """Whether the controller gave finite numbers; told only where it did not."""
    for event in run.log.events:
        if event.kind is EventKind.GUARD and event.data.get("limit") == Intervention.NOT_FINITE:
            where = event.data.get("joint", "all joints")
            text = f"{_controller_of(run)} asked for what is no finite number at {where}"
            # The guard held what was asked before.
            return [Criterion("commands", False, f"{text}, first after {event.time:.2f} s")]
    return []


def _controller_of(run: FinishedRun) -> str:
    """The controller by the name that the scenario gives it, and by who brings it."""
    name = run.scenario.controller.type
    source = CONTROLLERS.source(name)
    of = {SHIPPED: "", PROGRAM: " of the running program"}.get(source, f" of {source}")
    return f"controller {name!r}{of}"


def _ends_in_time(run: FinishedRun, metrics: Metrics) -> list[Criterion]:
    scenario, ending = run.scenario, run.outcome.ending
    if not scenario.success.finishes:
        return []
    if metrics.finished:
        text = f"finished after {metrics.done_at or 0.0:.2f} s"
    elif ending is Ending.FAILED:
        said = [str(event.data.get("why", event.text)) for event in run.log.events if event.kind is EventKind.HELP]
        text = f"gave up after {metrics.duration:.2f} s{f': {said[-1]}' if said else ''}"
    elif ending is Ending.LOST:
        text = f"lost after {metrics.duration:.2f} s"
    elif ending in (Ending.STOPPED, Ending.BROKEN):
        text = f"broken off after {metrics.duration:.2f} s"
    else:
        text = f"not finished after {metrics.duration:.2f} s (limit {scenario.timeout:.2f} s)"
        restless = [event.text for event in run.log.events if event.kind is EventKind.RESTLESS]
        text += f": {restless[-1]}" if restless else ""
    reached = metrics.duration if metrics.done_at is None else metrics.done_at
    return [Criterion("finishes", metrics.finished, text, scenario.timeout, reached, "s")]


def _contradicted(log: Log) -> list[str]:
    """Sensors that contradicted each other: whatever was reached, and whatever was blamed, was by wrong readings."""
    found = [e for e in log.events if e.kind is EventKind.SENSOR and e.data.get("failure") == Failure.CONTRADICTED]
    texts = [f"{event.text} (from {event.time:.2f} s on)" for event in found[:_CONTRADICTED]]
    return texts if len(found) <= _CONTRADICTED else [*texts, f"and {len(found) - _CONTRADICTED} more sensors"]


def _restart_texts(log: Log) -> list[str]:
    """Restarts that nobody asked for: a run that needed them is another run than one that did not."""
    found = restarts(log.events)
    texts = [f"began anew after {moment.time:.2f} s: {moment.text}" for moment in found[:_RESTARTS]]
    return texts if len(found) <= _RESTARTS else [*texts, f"and {len(found) - _RESTARTS} more times"]


def _fall_text(metrics: Metrics) -> str:
    if metrics.fell is None:
        return "there is no ground truth to tell whether it fell"
    if metrics.fell:
        return f"fell after {metrics.fall_time or 0.0:.2f} s: {metrics.fall_reason}"
    return "did not fall, as observed by its own IMU" if metrics.observed else "did not fall"
