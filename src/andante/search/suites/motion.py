"""The suite `motion`: does a motion finish without a fall, over seeds that draw friction and sensor noise?"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from andante.runs.evaluation.metrics import Metrics
from andante.runs.execute import RunResult, run_scenario
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import FRICTION, motion_scenario, validated
from andante.search.comparison import Measure
from andante.search.rows import Row, figure, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Seed, SeededOptions, Suite, seeded


class MotionOptions(SeededOptions):
    """What the suite can be asked."""

    subject = "library"
    conditions = ("robot", "friction", "start")

    library: str
    """Motion library: a shipped name or a file."""
    motion: Annotated[tuple[str, ...], Field(min_length=1)]
    """Motion to play; repeat for several in order."""
    robot: str = "nao"
    """Robot: a name, pack, MJCF or URDF."""
    friction: tuple[float, float] = FRICTION
    """Range of the floor's friction."""
    start: str | None = None
    """Named start posture."""
    asked: float | None = None
    """Share of passes below which the exit code is 1."""
    first_seed: Seed = 1000
    """First seed."""


@dataclass(frozen=True)
class Trial:
    """One run's outcome."""

    seed: int
    """Seed of the run."""
    passed: bool
    """The verdict."""
    reasons: tuple[str, ...]
    """Why."""
    metrics: Metrics
    """The numbers, without those of the wall clock."""


def bare(scenario: Scenario) -> Scenario:
    """The scenario without report and video."""
    data = scenario.model_dump()
    data["recording"] |= {"report": False, "video": False}
    return validated(data)


def run_seed(scenario: Scenario, seed: int) -> Trial:
    """Run one seed; the log is thrown away.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    result = run_forgotten(scenario, seed)
    return Trial(seed, result.passed, result.reasons, replace(result.metrics, real_time_factor=None))


def run_forgotten(scenario: Scenario, seed: int | None = None) -> RunResult:
    """Run a scenario, with its own seed where none is given; the log is thrown away.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="andante-") as folder:
        result = run_scenario(scenario, Path(folder), seed=seed)
    if result.interrupted:
        # The runner ends such a run in good order; the bench that it belongs to ends too.
        raise KeyboardInterrupt
    return result


def motion_rows(trials: Sequence[Trial], asked: float | None = None) -> list[Row]:
    """Success with its interval, falls, duration."""
    durations = [trial.metrics.done_at for trial in trials if trial.metrics.done_at is not None]
    rows = [
        share_row("passed", [trial.passed for trial in trials], asked),
        share_row("without a fall", [trial.metrics.fell is False for trial in trials]),
    ]
    if durations:
        rows.append(figure("time to done, median", quantile(durations, 0.5), "s", len(durations)))
        rows.append(figure("time to done, largest", max(durations), "s", len(durations)))
    return rows


def failures(trials: Mapping[str, Sequence[Trial]]) -> list[dict[str, Any]]:
    """Trials that missed what the scenario asks, with their reasons; the group stands before each, if it has a name."""
    return [
        {"seed": trial.seed, "reasons": [f"{group}: {reason}" if group else reason for reason in trial.reasons]}
        for group, each in trials.items()
        for trial in each
        if not trial.passed
    ]


def _cases(options: MotionOptions) -> list[Case[Scenario]]:
    data: dict[str, Any] = motion_scenario(options.robot, options.library, options.motion).model_dump()
    data["world"]["friction"] = options.friction
    if options.start is not None:
        data["world"]["start"]["posture"] = options.start
    return seeded([("", bare(validated(data)))], options.first_seed, options.seeds)


def _report(options: MotionOptions, results: Mapping[str, Sequence[Trial]]) -> BenchReport:
    about = {"library": options.library, "motions": options.motion, **options.about("robot", "first_seed", "seeds")}
    about["failures"] = failures(results)
    return BenchReport("motion", motion_rows(results[""], options.asked), about)


def _degrees(angle: float | None) -> float | None:
    return None if angle is None else math.degrees(angle)


MEASURES = (
    Measure("success", "", lambda trial: trial.passed, "more", succeeds=True),
    Measure("time", "s", lambda trial: trial.metrics.done_at if trial.passed else None, "less", 0.03),
    Measure("torque", "servo limit", lambda trial: trial.metrics.peak_torque_ratio, "less", 0.02),
    Measure("energy", "J", lambda trial: trial.metrics.energy if trial.passed else None, "less", 1.0),
    Measure("tilt", "deg", lambda trial: _degrees(trial.metrics.max_tilt), "less", 1.0),
    Measure("lean", "deg", lambda trial: _degrees(trial.metrics.final_tilt) if trial.passed else None, "less", 0.5),
    Measure("slip", "m", lambda trial: trial.metrics.slip, "less", 0.005),
)
"""What two versions of a run are compared by; the least differences that matter are judgements."""
SUITE = Suite("motion", MotionOptions, Trial, _cases, run_seed, _report, measures=MEASURES)
"""The suite."""
