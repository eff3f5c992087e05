"""Verdict: pass or fail, and why, in sentences for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from andante.control.events import EventKind
from andante.motions.library import PostureKind
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.falls import why_not_standing
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.standing import Upright
from andante.runs.evaluation.story import restarts
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.loop.outcome import Ending
from andante.runs.scenario import BallGoal, Scenario
from andante.runs.tasks.walk.goal import WalkGoal
from andante.runs.tasks.walk.steered_metrics import STILL, end_speed, stands_still

_RESTARTS = 3
"""Restarts that are told one by one."""


@dataclass(frozen=True)
class Verdict:
    """Whether a run did what its scenario asks."""

    verdict: Literal["pass", "fail"]
    """pass: everything asked holds; fail: something does not."""
    reasons: tuple[str, ...]
    """What failed; for a pass, what was asked and held. Restarts that nobody asked for stand behind either."""
    criteria: tuple[Criterion, ...] = ()
    """Everything that was asked, beside what was reached."""

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
    run: FinishedRun | None = None,
) -> Verdict:
    """The verdict of a run; one that was interrupted or stopped fails, whatever else holds.

    Args:
        scenario: What was asked.
        log: What was recorded.
        metrics: The numbers.
        ending: Why the run ended.
        standing_height: Height of the base that standing is measured by; None: that at the start [m].
        stopped: Why the robot was stopped; empty where it was not.
        run: The run, with what its controller asks of the robot; None: nothing but the scenario's criteria is asked.
    """
    if ending is Ending.INTERRUPTED:
        text = f"interrupted after {metrics.duration:.2f} s"
        return Verdict("fail", (text,), (Criterion("finishes", False, text),))
    criteria = [Criterion("goes on", False, f"the robot was stopped: {stopped}")] if stopped else []
    criteria += _ends_in_time(scenario, log, metrics, ending)
    if asks_no_fall(scenario, run):
        told = "did not fall" if metrics.fell is False else _fall_text(metrics)
        criteria.append(Criterion("no fall", metrics.fell is False, told))
    if run is not None and metrics.steered is not None:
        criteria += metrics.steered.criteria
    criteria += _at_end(scenario, log, metrics, standing_height, run)
    criteria += _limits(scenario, metrics)
    if scenario.success.walk is not None:
        criteria += [Criterion("walk", holds, text) for holds, text in _walk_texts(scenario.success.walk, metrics)]
    if scenario.success.ball is not None:
        criteria += [Criterion("ball", holds, text) for holds, text in _ball_texts(scenario.success.ball, metrics)]
    if run is not None and asks_no_fall(scenario, run):
        criteria += _follows(scenario, metrics, run)
    failed = [each.text for each in criteria if not each.passed]
    anew = _restart_texts(log)
    reasons = (*(failed or [each.text for each in criteria]), *anew)
    return Verdict("fail" if failed else "pass", reasons, tuple(criteria))


def asks_no_fall(scenario: Scenario, run: FinishedRun | None = None) -> bool:
    """Whether a fall counts against a run: as the scenario says, else where it begins and stays on its feet."""
    asked = scenario.success.no_fall
    if asked is not None:
        return asked
    return not scenario.starts_lying and not (run is not None and run.lies_down)


def _ends_in_time(scenario: Scenario, log: Log, metrics: Metrics, ending: Ending) -> list[Criterion]:
    if not scenario.success.finishes:
        return []
    if metrics.finished:
        text = f"finished after {metrics.done_at or 0.0:.2f} s"
    elif ending is Ending.FAILED:
        text = f"gave up after {metrics.duration:.2f} s{_why(log)}"
    elif ending in (Ending.STOPPED, Ending.BROKEN):
        text = f"broken off after {metrics.duration:.2f} s"
    else:
        text = f"not finished after {metrics.duration:.2f} s (limit {scenario.timeout:.2f} s)"
    reached = metrics.duration if metrics.done_at is None else metrics.done_at
    return [Criterion("finishes", metrics.finished, text, scenario.timeout, reached, "s")]


def _at_end(
    scenario: Scenario, log: Log, metrics: Metrics, standing_height: float | None, run: FinishedRun | None
) -> list[Criterion]:
    """How the robot is at the end: as the scenario, the steering or the name of the last motion asks."""
    success, truth = scenario.success, log.channels.get("truth")
    kind = PostureKind.UNKNOWN if run is None or not success.posture_at_end else run.end_posture
    may_lie = success.no_fall is False and kind is PostureKind.STAND
    still = run is not None and success.steering is not None and stands_still(run, success.steering)
    if still or success.stands_at_end or (kind is PostureKind.STAND and not may_lie):
        rule = success.upright
        if still and success.steering is not None and not success.stands_at_end:
            # Who walks stands as low as it walks.
            rule = rule.but(height_share=min(rule.height_share, success.steering.stands_share))
        missing = "there is no ground truth" if truth is None else _missing(truth, rule, standing_height, run)
        height, tilt = metrics.final_height or 0.0, math.degrees(metrics.final_tilt or 0.0)
        now = f"base {height:.3f} m high, torso tilted {tilt:.1f} deg"
        if run is not None and still and not missing:
            speed = end_speed(run, success.upright.hold)
            missing = f"it moved at {speed:.3f} m/s (limit {STILL:g} m/s)" if speed > STILL else ""
        text = f"does not stand at the end: {missing}" if missing else f"stands at the end: {now}"
        return [Criterion("posture at the end", not missing, text, "stands", missing or "stands")]
    if kind in (PostureKind.UNKNOWN, PostureKind.STAND) or run is None or truth is None:
        return []
    wrong, how = run.why_not(kind)
    verb = {PostureKind.SIT: "sit", PostureKind.LIE: "lie", PostureKind.DOWN: "lie"}[kind]
    text = f"does not {verb} at the end: {wrong}" if wrong else f"{verb}s at the end: {how}"
    return [Criterion("posture at the end", not wrong, text, f"{verb}s", wrong or f"{verb}s")]


def _missing(truth: ChannelRows, rule: Upright, standing: float | None, run: FinishedRun | None) -> str:
    tilts, heights = (None, None) if run is None or not len(truth.rows) else run.posture
    return why_not_standing(truth, rule, standing, tilts, heights)


def _follows(scenario: Scenario, metrics: Metrics, run: FinishedRun) -> list[Criterion]:
    """Whether joints came where the motions told them to be; told only where one did not."""
    limit, off, asked = scenario.success.max_astray, metrics.astray, run.parts.asked
    if limit is None or off is None or off <= limit or asked.ends is None or "*" in asked.may_touch:
        return []
    far, most = math.degrees(off), math.degrees(limit)
    text = f"{metrics.astray_joint} stayed {far:.0f} deg from where it was told to be (limit {most:.0f} deg)"
    return [Criterion("joints follow", False, text, most, far, "deg")]


def _limits(scenario: Scenario, metrics: Metrics) -> list[Criterion]:
    """Largest values of the run against the scenario's limits."""
    success, found = scenario.success, list[Criterion]()

    def ask(name: str, limit: float, value: float, text: str, unit: str = "") -> None:
        found.append(Criterion(name, value <= limit, text, limit, value, unit))

    if success.max_tilt is not None:
        tilt, limit = math.degrees(_known(metrics.max_tilt)), math.degrees(success.max_tilt)
        ask("tilt", limit, tilt, f"the torso tilted up to {tilt:.1f} deg (limit {limit:.3g} deg)", "deg")
    if success.max_torque_ratio is not None:
        ratio, limit = _known(metrics.peak_effort_ratio), success.max_torque_ratio
        joint = metrics.peak_effort_joint
        ask("torque", limit, ratio, f"torque up to {ratio:.2f} of the published effort at {joint} (asked: {limit:g})")
    if success.max_tracking_error is not None:
        error, limit = math.degrees(_known(metrics.tracking_error)), math.degrees(success.max_tracking_error)
        ask("tracking", limit, error, f"tracking error {error:.2f} deg (limit {limit:.3g} deg)", "deg")
    if success.min_forward is not None:
        way = metrics.travel[0] if metrics.travel is not None else -math.inf
        text = f"came {way:.2f} m forward (limit {success.min_forward:.2f} m)"
        found.append(Criterion("way", way >= success.min_forward, text, success.min_forward, way, "m"))
    return found


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
