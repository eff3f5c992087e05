"""SteeredTask: a robot that is told how fast or how far to go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from andante.motions.library import PostureKind
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.end_posture import EndPosture
from andante.runs.evaluation.moment import Moment
from andante.runs.tasks.kind import CommonTask, plain
from andante.runs.tasks.steered.metrics import STILL, SteeredMetrics, measure_steered, stands_still

if TYPE_CHECKING:
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics

_TOLD = ("steered.criteria", "steered.moments")
"""What is told elsewhere than among the numbers."""


class SteeredTask(CommonTask):
    """Speeds, a way or a place that are asked; how near the robot comes to them is for ``success.steering``."""

    block: ClassVar[Any] = SteeredMetrics
    after: ClassVar[str] = "walk"
    units: ClassVar[Mapping[str, str]] = {
        r"steered\.(asked|reached)\.[xy]": "m/s",
        r"steered\.(asked|reached)\.z": "rad/s",
        r"steered\.touched\..*": "s",
        r"steered\.height": "m",
    }
    around_zero: ClassVar[tuple[str, ...]] = ("steered.reached",)

    type: Literal["steered"] = "steered"
    """Kind of task."""

    def measure(self, run: FinishedRun) -> SteeredMetrics | None:
        """What was asked and what was reached."""
        return measure_steered(run)

    def entries(self, block: SteeredMetrics | None) -> Mapping[str, object]:
        """One field; null where nothing is asked."""
        return {self.type: plain(block)}

    def numbers(self, block: SteeredMetrics | None) -> Mapping[str, object]:
        """All but the criteria and the moments."""
        return {name: value for name, value in super().numbers(block).items() if name not in _TOLD}

    def end_posture(self, run: FinishedRun) -> EndPosture | None:
        """A robot that is told to stand at last stands still; as low as it walks, at least.

        A walk over a terrain judges its end itself, whether its goal is the terrain's or was named.
        """
        success = run.scenario.success
        goal, upright = success.steering, success.upright
        if goal is None or success.walk is not None or not stands_still(run, goal):
            return None
        lower = upright.but(height_share=min(upright.height_share, goal.stands_share))
        return EndPosture(PostureKind.STAND, lower, STILL)

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """Each thing that was asked, and what was reached."""
        block = metrics.block(self.type)
        return () if block is None else block.criteria

    def moments(self, run: FinishedRun, metrics: Metrics) -> Iterable[Moment]:
        """Touches, stops and tilts; of a walk over a terrain its own story tells them."""
        block = metrics.block(self.type)
        if block is None or run.scenario.success.walk is not None:
            return ()
        return [Moment(time, text) for time, text in block.moments]
