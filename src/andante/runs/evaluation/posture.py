"""The posture at the end: which is asked, and whether the robot has it."""

from __future__ import annotations

import math

import numpy as np

from andante.backends.model_builder import held
from andante.motions.library import PostureKind
from andante.runs.backends.kind import EVIDENCE
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.end_posture import EndPosture
from andante.runs.evaluation.falls import why_not_standing
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.evaluation.standing import Upright
from andante.runs.tasks.asking import end_posture_told

_VERBS = {PostureKind.SIT: "sit", PostureKind.LIE: "lie", PostureKind.DOWN: "lie"}


def asked_posture(run: FinishedRun) -> EndPosture | None:
    """The posture that is asked at the end: by the scenario, else by the first of its tasks that says one."""
    asked = run.tasks.ask("say how the robot ends", lambda task: task.end_posture(run), end_posture_told)
    said = (answer for _, answer in asked)
    first = next((answer for answer in said if answer is not None), None)
    if run.scenario.success.stands_at_end:
        return EndPosture(PostureKind.STAND, None, None if first is None else first.most_speed)
    return first


def posture_criterion(run: FinishedRun, metrics: Metrics) -> Criterion | None:
    """Whether the robot is at the end as it was asked to be; None: nothing is asked."""
    asked = asked_posture(run)
    if asked is None:
        return None
    truth = run.log.channels.get("truth")
    if asked.kind is PostureKind.STAND:
        rule = asked.rule or run.scenario.success.upright
        own = run.scenario.moved.source in EVIDENCE[1:]
        if truth is None and own and metrics.observed and metrics.final_tilt is not None:
            return _observed(metrics.final_tilt, rule)
        if run.unwatched and not run.scenario.success.stands_at_end:
            return None
        missing = "there is no ground truth" if truth is None else _missing(run, rule)
        height, tilt = metrics.final_height or 0.0, math.degrees(metrics.final_tilt or 0.0)
        now = f"base {height:.3f} m high, torso tilted {tilt:.1f} deg"
        missing = missing or _moved(run, asked)
        text = f"does not stand at the end: {missing}" if missing else f"stands at the end: {now}"
        return Criterion("posture at the end", not missing, text, "stands", missing or "stands")
    if truth is None:
        return None
    wrong, how = run.why_not(asked.kind)
    wrong = wrong or _moved(run, asked)
    verb = _VERBS[asked.kind]
    text = f"does not {verb} at the end: {wrong}" if wrong else f"{verb}s at the end: {how}"
    return Criterion("posture at the end", not wrong, text, f"{verb}s", wrong or f"{verb}s")


def _observed(tilt: float, rule: Upright) -> Criterion:
    """What a robot's own IMU tells when it begins to be let go of; nobody knows how high it stands."""
    good, now = tilt <= rule.tilt, f"torso tilted {math.degrees(tilt):.1f} deg when it was let go of, by its own IMU"
    text = f"was upright: {now}" if good else f"was not upright: {now} (limit {math.degrees(rule.tilt):.0f} deg)"
    return Criterion("posture at the end", good, text, "stands", now)


def _missing(run: FinishedRun, rule: Upright) -> str:
    truth = run.log.rows("truth")
    tilts, heights = run.posture if len(truth.rows) else (None, None)
    return why_not_standing(truth, rule, run.parts.standing_height, tilts, heights)


def _moved(run: FinishedRun, asked: EndPosture) -> str:
    """How fast it moved at the end where that is too fast; empty: it was not."""
    if asked.most_speed is None or held(run.parts.robot, run.scenario.world):
        return ""
    speed = end_speed(run, run.scenario.success.upright.hold)
    return f"it moved at {speed:.3f} m/s (limit {asked.most_speed:g} m/s)" if speed > asked.most_speed else ""


def end_speed(run: FinishedRun, hold: float) -> float:
    """Mean speed of the base in the plane over the last part of a run [m/s]."""
    truth = run.log.rows("truth")
    first = int(np.searchsorted(truth.times, truth.times[-1] - hold - 1e-9))
    span = float(truth.times[-1] - truth.times[first])
    way = float(np.linalg.norm(truth["qpos"][-1, :2] - truth["qpos"][first, :2]))
    return way / span if span > 0.0 else 0.0
