"""Trials: the same results in the same order at any number of workers."""

from __future__ import annotations

import pytest

from andante.search.executor import ExecutorError, run_trials
from andante.search.suites.motion import motion_rows, motion_trials_scenario, run_seeds


def square(value: int) -> int:
    return value * value


def test_results_keep_the_order_of_the_tasks():
    tasks = list(range(17))
    assert list(run_trials(square, tasks, 1)) == list(run_trials(square, tasks, 2)) == [n * n for n in tasks]


def test_no_workers_is_refused():
    with pytest.raises(ExecutorError, match="at least one worker"):
        list(run_trials(square, [1], 0))


def test_the_motion_suite_does_not_depend_on_the_number_of_workers():
    scenario = motion_trials_scenario("nao", "nao-basics", ("stand",))
    one, two = (run_seeds(scenario, 40, 3, workers) for workers in (1, 2))
    steady = [[(t.seed, t.passed, t.metrics.energy, t.metrics.final_height) for t in trials] for trials in (one, two)]
    assert steady[0] == steady[1]
    rows = {row.name: row for row in motion_rows(one, asked=0.9)}
    assert rows["passed"].value == 1.0
    assert rows["passed"].ok is True
    assert rows["passed"].interval[0] < 0.9, "three seeds must not look like proof"
