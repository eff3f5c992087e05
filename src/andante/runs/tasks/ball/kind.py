"""BallTask: a ball in the world, and what must become of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from andante.runs.evaluation.criterion import Criterion
from andante.runs.tasks.ball.track import BallTrack, ball_of
from andante.runs.tasks.kind import CommonTask

if TYPE_CHECKING:
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics

_NAMES = ("speed", "direction", "distance", "reach", "speed_at_end")


class BallTask(CommonTask):
    """A ball; what is asked of it is the scenario's ``success.ball``."""

    after: ClassVar[str] = "worst_tracking_joint"
    units: ClassVar[Mapping[str, str]] = {
        "ball_speed.*": "m/s",
        "ball_direction": "deg",
        "ball_(distance|reach)": "m",
    }
    around_zero: ClassVar[tuple[str, ...]] = ("ball_direction",)

    type: Literal["ball"] = "ball"
    """Kind of task."""

    @classmethod
    def names(cls) -> Mapping[str, object]:
        """A field for each number."""
        return {f"ball_{name}": float for name in _NAMES}

    def measure(self, run: FinishedRun) -> BallTrack | None:
        """How fast, whither and how far the ball went."""
        ball = run.scenario.world.ball
        return None if run.truth is None else ball_of(run.truth, 0.0 if ball is None else ball.deceleration)

    def entries(self, block: BallTrack | None) -> Mapping[str, object]:
        """A field for each number; null where there is no ball."""
        return {f"ball_{name}": None if block is None else getattr(block, name) for name in _NAMES}

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """How far, in which direction and how fast it goes."""
        goal, ball = run.scenario.success.ball, metrics.block(self.type)
        if goal is None:
            return
        if ball is None:
            yield Criterion("ball", False, "there is no ball in the ground truth")
            return
        towards = "" if ball.rested else f" towards {math.degrees(ball.direction):.0f} deg"
        if goal.min_reach is not None:
            text = (
                f"the ball reaches {ball.reach:.2f} m (limit {goal.min_reach:.2f} m), at up to"
                f" {ball.speed:.2f} m/s{towards}"
            )
            yield Criterion("ball", ball.reach >= goal.min_reach, text, goal.min_reach, ball.reach, "m")
        if goal.direction is not None:
            low, high = (math.degrees(bound) for bound in goal.direction)
            asked = f"{low:.0f} to {high:.0f} deg"
            if ball.rested:
                text = f"the ball does not move (asked: towards {asked})"
                yield Criterion("ball", False, text, asked, "does not move")
            else:
                direction = math.degrees(ball.direction)
                text = f"the ball goes towards {direction:.0f} deg (asked: {asked})"
                yield Criterion("ball", low <= direction <= high, text, asked, direction, "deg")
        if goal.max_speed_at_end is not None:
            speed, most = ball.speed_at_end, goal.max_speed_at_end
            text = f"the ball moves at {speed:.2f} m/s at the end (limit {most:.2f} m/s)"
            yield Criterion("ball", speed <= most, text, most, speed, "m/s")
