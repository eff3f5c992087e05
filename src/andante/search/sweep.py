"""A sweep: one scenario over many seeds, with the share that passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.runs.evaluation.metrics import Metrics
from andante.runs.logs.log import pandas_of
from andante.runs.scenario import Scenario
from andante.runs.task import scenario_of
from andante.search.executor import executor_for, run_all
from andante.search.experiment.trial import run_forgotten
from andante.search.statistics import wilson
from andante.search.suite import LAST_SEED
from andante.search.work import ExecutorError

if TYPE_CHECKING:
    import pandas


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


@dataclass(frozen=True)
class Sweep:
    """The trials of a scenario."""

    scenario: Scenario
    """What was run."""
    trials: tuple[Trial, ...]
    """A trial per seed, in the order of the seeds."""

    @property
    def passed(self) -> int:
        """Number of trials that passed."""
        return sum(trial.passed for trial in self.trials)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share that passes (Wilson)."""
        return wilson(self.passed, len(self.trials))

    def frame(self) -> pandas.DataFrame:
        """Seeds, verdicts and metrics as a table with a row per trial.

        Raises:
            LogError: pandas is not installed.
        """
        rows = [
            {"seed": trial.seed, "passed": trial.passed, "reasons": "; ".join(trial.reasons)} | trial.metrics.data()
            for trial in self.trials
        ]
        return pandas_of().DataFrame(rows).set_index("seed")

    def __repr__(self) -> str:
        share, low, high = (100.0 * each for each in (self.passed / len(self.trials), *self.interval))
        failed = [str(trial.seed) for trial in self.trials if not trial.passed]
        named = f"; failed: seeds {', '.join(failed[:20])}{' and more' * (len(failed) > 20)}" if failed else ""
        told = f"<Sweep {self.scenario.name}: {self.passed} of {len(self.trials)} passed, {share:.0f} %"
        return f"{told} (95 % interval {low:.0f} to {high:.0f} %){named}>"


def sweep(
    what: str | Path | Scenario,
    seeds: Iterable[int],
    *,
    workers: int = 1,
    start: str | None = None,
    told: Callable[[str], None] = lambda text: None,
) -> Sweep:
    """Run a scenario once for each seed; the same seeds give the same trials at any number of workers.

    Args:
        what: A scenario, the name or file of one, or ``LIBRARY/MOTION`` of a shipped library.
        seeds: Seeds, whole numbers of Python or numpy, each one run.
        workers: Processes that share the work.
        start: How the runs begin, see `andante.runs.scenario_files.start_data`.
        told: Is told of a worker that died; its trial runs again.

    Raises:
        ExecutorError: No seeds, one that is none, fewer than one worker, or a trial cannot be run.
        AndanteError: Something does not exist, does not fit or is not legal.
    """
    scenario = scenario_of(what, start=start, report=False, video=False)
    numbers = _seeds_of(seeds)
    if not numbers:
        raise ExecutorError("a sweep needs at least one seed", place="seeds")
    return Sweep(scenario, tuple(run_all(partial(run_seed, scenario), numbers, executor_for(workers, told))))


def _seeds_of(given: object) -> list[int]:
    # A text is several letters to Python, and a scenario's copy takes what it is given unseen.
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ExecutorError("a sweep takes several seeds", place="seeds", value=given, remedy="range(20), or [3]")
    seeds = []
    for place, each in enumerate(given):
        seed = int(each) if isinstance(each, int | float | np.integer | np.floating) and each == each // 1 else -1
        if not 0 <= seed <= LAST_SEED:
            limit = f"a whole number, 0 to {LAST_SEED}"
            raise ExecutorError("is no seed", place=f"seeds[{place}]", value=each, limit=limit)
        seeds.append(seed)
    return seeds


def run_seed(scenario: Scenario, seed: int) -> Trial:
    """Run one seed; the log is thrown away.

    Raises:
        AndanteError: The scenario cannot be run.
    """
    result = run_forgotten(scenario.model_copy(update={"seed": seed}))
    return Trial(seed, result.passed, result.reasons, replace(result.metrics, real_time_factor=None))
