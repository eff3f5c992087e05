"""The suite `motion`: does a motion finish without a fall, over seeds that draw friction and sensor noise?"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.runs.execute import run_scenario
from andante.runs.metrics import Metrics
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import FRICTION, motion_scenario, validated
from andante.search.bench import Row, share_row
from andante.search.executor import run_trials
from andante.search.statistics import quantile


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
    """The numbers."""


def motion_trials_scenario(
    robot: str,
    library: str,
    motions: tuple[str, ...],
    friction: tuple[float, float] = FRICTION,
    start: str | None = None,
) -> Scenario:
    """The scenario whose seeds the suite runs.

    Raises:
        ScenarioError: A value is not legal in a scenario.
    """
    data: dict[str, Any] = motion_scenario(robot, library, motions).model_dump()
    data["world"]["friction"] = friction
    if start is not None:
        data["world"]["start"]["posture"] = start
    return validated(data)


def run_seeds(scenario: Scenario, first_seed: int, seeds: int, workers: int) -> list[Trial]:
    """Run ``seeds`` seeds from ``first_seed`` on; no reports, no videos, logs thrown away.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    data = scenario.model_dump()
    data["recording"] |= {"report": False, "video": False}
    bare = validated(data)
    return list(run_trials(_trial, [(bare, seed) for seed in range(first_seed, first_seed + seeds)], workers))


def motion_rows(trials: list[Trial], asked: float | None = None) -> list[Row]:
    """Success with its interval, falls, duration."""
    durations = [trial.metrics.done_at for trial in trials if trial.metrics.done_at is not None]
    rows = [
        share_row("passed", [trial.passed for trial in trials], asked),
        share_row("without a fall", [trial.metrics.fell is False for trial in trials]),
    ]
    if durations:
        rows.append(Row("time to done, median", quantile(durations, 0.5), "s", "", None, len(durations)))
        rows.append(Row("time to done, largest", max(durations), "s", "", None, len(durations)))
    return rows


def travel_rows(trials: list[Trial]) -> list[Row]:
    """How far and how fast the base came, and how far off its course; speeds over the time to done."""
    ways = [(*t.metrics.travel, t.metrics.done_at) for t in trials if t.metrics.travel and t.metrics.done_at]
    if not ways:
        return []
    speeds, asides = [x / time for x, _, time in ways], [abs(y) for _, y, _ in ways]
    return [
        Row("way forward, least", min(x for x, _, _ in ways), "m", "", None, len(ways)),
        Row("speed forward, median", quantile(speeds, 0.5), "m/s", "", None, len(ways)),
        Row("way aside, median", quantile(asides, 0.5), "m", "", None, len(ways)),
        Row("way aside, largest", max(asides), "m", "", None, len(ways)),
    ]


def _trial(task: tuple[Scenario, int]) -> Trial:
    scenario, seed = task
    with tempfile.TemporaryDirectory(prefix="andante-") as folder:
        result = run_scenario(scenario, Path(folder), seed=seed)
    return Trial(seed, result.passed, result.reasons, result.metrics)
