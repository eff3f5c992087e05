"""The suite `scenario`: does a scenario pass, over seeds, and how far does the robot come?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario
from andante.search.rows import Row, figure
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Positional, Seed, SeededOptions, Suite, seeded
from andante.search.suites.motion import MEASURES, Trial, bare, failures, motion_rows, run_seed


class ScenarioOptions(SeededOptions):
    """What the suite can be asked."""

    subject = "scenario"

    scenario: Annotated[str, Positional()]
    """Scenario: a shipped name or a file."""
    asked: float | None = None
    """Share of passes below which the exit code is 1."""
    first_seed: Seed = 1000
    """First seed."""


def travel_rows(trials: Sequence[Trial]) -> list[Row]:
    """How far and how fast the base came, and how far off its course; speeds over the time to done."""
    ways = [(*t.metrics.travel, t.metrics.done_at) for t in trials if t.metrics.travel and t.metrics.done_at]
    if not ways:
        return []
    speeds, asides = [x / time for x, _, time in ways], [abs(y) for _, y, _ in ways]
    return [
        figure("way forward, least", min(x for x, _, _ in ways), "m", len(ways)),
        figure("speed forward, median", quantile(speeds, 0.5), "m/s", len(ways)),
        figure("way aside, median", quantile(asides, 0.5), "m", len(ways)),
        figure("way aside, largest", max(asides), "m", len(ways)),
    ]


def _cases(options: ScenarioOptions) -> list[Case[Scenario]]:
    return seeded([("", bare(load_scenario(options.scenario)))], options.first_seed, options.seeds)


def _report(options: ScenarioOptions, results: Mapping[str, Sequence[Trial]]) -> BenchReport:
    trials = results[""]
    about = options.about("scenario", "first_seed", "seeds") | {"failures": failures(results)}
    return BenchReport("scenario", motion_rows(trials, options.asked) + travel_rows(trials), about)


SUITE = Suite("scenario", ScenarioOptions, Trial, _cases, run_seed, _report, measures=MEASURES)
"""The suite."""
