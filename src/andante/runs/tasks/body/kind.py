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
            tilt, limit = math.degrees(_known(metrics.max_tilt)), math.degrees(success.max_tilt)
            text = f"the torso tilted up to {tilt:.1f} deg (limit {limit:.3g} deg)"
            yield Criterion("tilt", tilt <= limit, text, limit, tilt, "deg")
        if success.max_torque_ratio is not None:
            ratio, limit = _known(metrics.peak_effort_ratio), success.max_torque_ratio
            text = f"torque up to {ratio:.2f} of the published effort at {metrics.peak_effort_joint} (asked: {limit:g})"
            yield Criterion("torque", ratio <= limit, text, limit, ratio)
        if success.max_tracking_error is not None:
            error, limit = math.degrees(_known(metrics.tracking_error)), math.degrees(success.max_tracking_error)
            text = f"tracking error {error:.2f} deg (limit {limit:.3g} deg)"
            yield Criterion("tracking", error <= limit, text, limit, error, "deg")
        if success.min_forward is not None:
            way = metrics.travel[0] if metrics.travel is not None else -math.inf
            came = "nothing tells how far it came" if metrics.travel is None else f"came {way:.2f} m"
            # A robot that looks elsewhere at first goes forward in another direction.
            along = " along x" if run.scenario.world.start.yaw else ""
            text = f"{came} forward{along} (limit {success.min_forward:.2f} m)"
            yield Criterion("way", way >= success.min_forward, text, success.min_forward, way, "m")


def _known(value: float | None) -> float:
    """A number that no limit accepts where nothing is known."""
    return math.inf if value is None else value
