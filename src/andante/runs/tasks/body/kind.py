"""BodyTask: what a scenario's success criteria ask of any robot's body."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.posture import posture_criterion
from andante.runs.tasks.kind import CommonTask

if TYPE_CHECKING:
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics


class BodyTask(CommonTask):
    """The posture at the end, tilt, torques, tracking and way."""

    type: Literal["body"] = "body"
    """Kind of task."""

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """How the robot is at the end, and the largest values of the run against the scenario's limits."""
        posture = posture_criterion(run, metrics)
        if posture is not None:
            yield posture
        success = run.scenario.success
        if success.max_tilt is not None:
            tilt, limit = _degrees(metrics.max_tilt), math.degrees(success.max_tilt)
            yield _kept("tilt", "the torso tilted up to {:.1f} deg (limit {:.3g} deg)", limit, tilt, "deg")
        if success.max_torque_ratio is not None:
            text = f"torque up to {{:.2f}} of the published effort at {metrics.peak_effort_joint} (asked: {{:g}})"
            yield _kept("torque", text, success.max_torque_ratio, metrics.peak_effort_ratio)
        if success.max_tracking_error is not None:
            error, limit = _degrees(metrics.tracking_error), math.degrees(success.max_tracking_error)
            yield _kept("tracking", "tracking error {:.2f} deg (limit {:.3g} deg)", limit, error, "deg")
        if success.min_forward is not None:
            way = None if metrics.travel is None else metrics.travel[0]
            came = "nothing tells how far it came" if way is None else f"came {way:.2f} m"
            # A robot that looks elsewhere at first goes forward in another direction.
            along = " along x" if run.scenario.world.start.yaw else ""
            text = f"{came} forward{along} (limit {success.min_forward:.2f} m)"
            good = way is not None and way >= success.min_forward
            yield Criterion("way", good, text, success.min_forward, "" if way is None else way, "m")


def _kept(name: str, text: str, limit: float, reached: float | None, unit: str = "") -> Criterion:
    """Whether a largest value keeps its limit; what nothing tells does not.

    Args:
        name: Name of the criterion.
        text: Sentence with places for what was reached and the limit.
        limit: The limit.
        reached: What was reached; None: nothing tells.
        unit: Unit of both.
    """
    if reached is None:
        told = f"nothing tells the {name} (limit {limit:.3g}{f' {unit}' if unit else ''})"
        return Criterion(name, False, told, limit, "", unit)
    return Criterion(name, reached <= limit, text.format(reached, limit), limit, reached, unit)


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else math.degrees(angle)
