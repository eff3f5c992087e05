"""Verdict: pass or fail, and why, in sentences for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from andante.control.events import EventKind
from andante.runs.falls import why_not_standing
from andante.runs.log import Log
from andante.runs.metrics import Metrics
from andante.runs.outcome import Ending
from andante.runs.scenario import BallGoal, Scenario
from andante.runs.story import restarts
from andante.runs.walk.goal import WalkGoal

_RESTARTS = 3
"""Restarts that are told one by one."""


@dataclass(frozen=True)
class Verdict:
    """Whether a run did what its scenario asks."""

    verdict: Literal["pass", "fail"]
    """pass: everything asked holds; fail: something does not."""
    reasons: tuple[str, ...]
    """What failed; for a pass, what was asked and held. Restarts that nobody asked for stand behind either."""

    @property
    def passed(self) -> bool:
        """True for a pass."""
        return self.verdict == "pass"


def judge(
    scenario: Scenario,
    log: Log,
    metrics: Metrics,
    ending: Ending,
    standing_height: float | None = None,
    stopped: str = "",
) -> Verdict:
    """The verdict of a run; one that was interrupted or stopped fails, whatever else holds.

    Args:
        scenario: What was asked.
        log: What was recorded.
        metrics: The numbers.
        ending: Why the run ended.
        standing_height: Height of the base that standing is measured by; None: that at the start [m].
        stopped: Why the robot was stopped; empty where it was not.
    """
    if ending is Ending.INTERRUPTED:
        return Verdict("fail", (f"interrupted after {metrics.duration:.2f} s",))
    success = scenario.success
    held: list[str] = []
    failed: list[str] = [f"the robot was stopped: {stopped}"] if stopped else []

    def ask(holds: bool, good: str, bad: str) -> None:
        (held if holds else failed).append(good if holds else bad)

    if success.finishes:
        ask(
            metrics.finished,
            f"finished after {metrics.done_at or 0.0:.2f} s",
            f"gave up after {metrics.duration:.2f} s{_why(log)}"
            if ending is Ending.FAILED
            else f"broken off after {metrics.duration:.2f} s"
            if ending in (Ending.STOPPED, Ending.BROKEN)
            else f"not finished after {metrics.duration:.2f} s (limit {scenario.timeout:.2f} s)",
        )
    if success.no_fall if success.no_fall is not None else not scenario.starts_lying:
        ask(metrics.fell is False, "did not fall", _fall_text(metrics))
    if success.stands_at_end:
        truth = log.channels.get("truth")
        missing = (
            why_not_standing(truth, success.upright, standing_height)
            if truth is not None
            else "there is no ground truth"
        )
        height = metrics.final_height or 0.0
        tilt = math.degrees(metrics.final_tilt or 0.0)
        ask(
            not missing,
            f"stands at the end: base {height:.3f} m high, torso tilted {tilt:.1f} deg",
            f"does not stand at the end: {missing}",
        )
    if success.max_tilt is not None:
        tilt, limit = math.degrees(_known(metrics.max_tilt)), math.degrees(success.max_tilt)
        text = f"the torso tilted up to {tilt:.1f} deg (limit {limit:.3g} deg)"
        ask(tilt <= limit, text, text)
    if success.max_torque_ratio is not None:
        ratio, limit = _known(metrics.peak_effort_ratio), success.max_torque_ratio
        text = f"torque up to {ratio:.2f} of the published effort at {metrics.peak_effort_joint} (asked: {limit:g})"
        ask(ratio <= limit, text, text)
    if success.max_tracking_error is not None:
        error, limit = math.degrees(_known(metrics.tracking_error)), math.degrees(success.max_tracking_error)
        text = f"tracking error {error:.2f} deg (limit {limit:.3g} deg)"
        ask(error <= limit, text, text)
    if success.min_forward is not None:
        way = metrics.travel[0] if metrics.travel is not None else -math.inf
        text = f"came {way:.2f} m forward (limit {success.min_forward:.2f} m)"
        ask(way >= success.min_forward, text, text)
    if success.walk is not None:
        for holds, text in _walk_texts(success.walk, metrics):
            ask(holds, text, text)
    if success.ball is not None:
        for holds, text in _ball_texts(success.ball, metrics):
            ask(holds, text, text)
    anew = _restart_texts(log)
    return Verdict("fail", (*failed, *anew)) if failed else Verdict("pass", (*held, *anew))


def _why(log: Log) -> str:
    """What the controller said when it gave up, as the end of a sentence."""
    calls = [str(event.data.get("why", event.text)) for event in log.events if event.kind is EventKind.HELP]
    return f": {calls[-1]}" if calls else ""


def _restart_texts(log: Log) -> list[str]:
    """Restarts that nobody asked for: a run that needed them is another run than one that did not."""
    found = restarts(log.events)
    texts = [f"began anew after {moment.time:.2f} s: {moment.text}" for moment in found[:_RESTARTS]]
    return texts if len(found) <= _RESTARTS else [*texts, f"and {len(found) - _RESTARTS} more times"]


def _fall_text(metrics: Metrics) -> str:
    if metrics.fell is None:
        return "there is no ground truth to tell whether it fell"
    return f"fell after {metrics.fall_time or 0.0:.2f} s: {metrics.fall_reason}"


def _walk_texts(goal: WalkGoal, metrics: Metrics) -> list[tuple[bool, str]]:
    """What is asked of a walk: whether it holds, and how it is told."""
    walk = metrics.walk
    if walk is None:
        return [(False, "there is no ground truth to measure the walk")]
    if not walk.arrived:
        return [(False, f"{walk.end}: {walk.reason}" if walk.end == "void" else walk.reason)]
    speed = f"{100.0 * walk.speed:.1f} cm/s"
    texts = [(True, f"arrived after {walk.time + walk.overtime:.2f} s: {walk.way:.2f} m at {speed}")]
    if goal.min_speed is not None:
        texts.append((walk.speed >= goal.min_speed, f"walked at {speed} (limit {100.0 * goal.min_speed:.1f} cm/s)"))
    return texts


def _ball_texts(goal: BallGoal, metrics: Metrics) -> list[tuple[bool, str]]:
    """What is asked of the ball: whether it holds, and how it is told."""
    if metrics.ball_reach is None or metrics.ball_direction is None:
        return [(False, "there is no ball in the ground truth")]
    direction, texts = math.degrees(metrics.ball_direction), []
    if goal.min_reach is not None:
        text = (
            f"the ball reaches {metrics.ball_reach:.2f} m (limit {goal.min_reach:.2f} m), at up to"
            f" {metrics.ball_speed or 0.0:.2f} m/s towards {direction:.0f} deg"
        )
        texts.append((metrics.ball_reach >= goal.min_reach, text))
    if goal.direction is not None:
        low, high = (math.degrees(bound) for bound in goal.direction)
        text = f"the ball goes towards {direction:.0f} deg (asked: {low:.0f} to {high:.0f} deg)"
        texts.append((low <= direction <= high, text))
    if goal.max_speed_at_end is not None:
        speed = _known(metrics.ball_speed_at_end)
        text = f"the ball moves at {speed:.2f} m/s at the end (limit {goal.max_speed_at_end:.2f} m/s)"
        texts.append((speed <= goal.max_speed_at_end, text))
    return texts


def _known(value: float | None) -> float:
    """A number that no limit accepts where nothing is known."""
    return math.inf if value is None else value
