"""The suite `getup`: does a lying robot stand up, at which try, how fast, how gently, and where does it fail?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from andante.search.bench import Row, share_row
from andante.search.errors import SearchError
from andante.search.executor import run_trials
from andante.search.statistics import quantile
from andante.search.suites.getup_spread import LYING, SPREADS, StartName
from andante.search.suites.getup_trial import GetUp, Setup, run_trial

WITHIN = 3
"""Tries that count for the second success rate."""
_PAIRS_SHOWN = 5


def starts_of(text: str) -> tuple[StartName, ...]:
    """The starts of a comma-separated list.

    Raises:
        SearchError: An unknown or repeated start.
    """
    wanted = [each.strip() for each in text.split(",")]
    found: tuple[StartName, ...] = tuple(name for word in wanted for name in LYING if name == word)
    if len(found) != len(wanted) or len(set(found)) != len(found):
        raise SearchError("no such list of starts", place="start", value=text, legal=tuple(LYING))
    return found


def spread_named(name: str) -> str:
    """The name of a known spread.

    Raises:
        SearchError: There is none of that name.
    """
    if name not in SPREADS:
        raise SearchError("no such spread", place="spread", value=name, legal=tuple(SPREADS))
    return name


def run_cells(setup: Setup, starts: Sequence[StartName], first_seed: int, seeds: int, workers: int) -> list[GetUps]:
    """Run ``seeds`` seeds from ``first_seed`` on for each start; the results do not depend on ``workers``.

    Raises:
        AndanteError: The setup cannot be run.
    """
    tasks = [(replace(setup, start=start), seed) for start in starts for seed in range(first_seed, first_seed + seeds)]
    results = list(run_trials(_trial, tasks, workers))
    return [(start, results[i * seeds : (i + 1) * seeds]) for i, start in enumerate(starts)]


GetUps = tuple[StartName, list[GetUp]]
"""A start and its trials."""


def cell_rows(start: str, trials: Sequence[GetUp], asked: float | None = None) -> list[Row]:
    """The figures of one start."""
    first = [trial.first_try for trial in trials]
    rows = [
        share_row(f"{start}: first try", first, asked),
        share_row(f"{start}: within {WITHIN} tries", [trial.stood and trial.tries <= WITHIN for trial in trials]),
    ]
    times = [trial.time for trial in trials if trial.first_try]
    if times:
        rows += [
            _figure(f"{start}: time to stand, median", quantile(times, 0.5), "s", len(times)),
            _figure(f"{start}: time to stand, 95 %", quantile(times, 0.95), "s", len(times)),
        ]
    n = len(trials)
    return [
        *rows,
        _figure(f"{start}: waiting for conditions", _waiting(trials), "time", n),
        share_row(f"{start}: with a restart", [trial.restarts > 0 for trial in trials]),
        share_row(f"{start}: needless restarts", [trial.needless is True for trial in trials]),
        _figure(f"{start}: peak torque, median", quantile([t.torque for t in trials], 0.5), "limit", n),
        _figure(f"{start}: time at torque limit", sum(t.saturated for t in trials) / n, "share", n),
        _figure(f"{start}: peak speed, median", quantile([t.speed for t in trials], 0.5), "limit", n),
        _figure(f"{start}: touching itself", sum(t.touching for t in trials) / n, "time", n),
        _figure(f"{start}: hardest touch, median", quantile([t.hardest for t in trials], 0.5), "N", n),
    ]


def causes(trials: Sequence[GetUp]) -> list[dict[str, Any]]:
    """Where tries ended, most frequent keyframe first."""
    stops = [(stop.block, stop.keyframe, stop.why) for trial in trials for stop in trial.stops]
    return [
        {"block": block, "keyframe": keyframe, "why": why, "times": times}
        for (block, keyframe, why), times in sorted(Counter(stops).items(), key=lambda item: (-item[1], item[0]))
    ]


def cell_data(start: str, trials: Sequence[GetUp]) -> dict[str, Any]:
    """Everything about one start as plain data."""
    pairs: Counter[str] = Counter()
    for trial in trials:
        pairs.update(trial.touches)
    return {
        "start": start,
        "causes": causes(trials),
        "touches": [{"pair": pair, "ticks": n} for pair, n in sorted(pairs.items(), key=lambda p: (-p[1], p[0]))][
            :_PAIRS_SHOWN
        ],
        "trials": [{key: value for key, value in asdict(trial).items() if key != "touches"} for trial in trials],
    }


def _waiting(trials: Sequence[GetUp]) -> float:
    """Share of the time to stand, or to the end, that all trials together spent waiting."""
    return sum(trial.waited for trial in trials) / max(sum(trial.time for trial in trials), 1e-9)


def _figure(name: str, value: float, unit: str, n: int) -> Row:
    return Row(name, round(value, 6), unit, "", None, n)


def _trial(task: tuple[Setup, int]) -> GetUp:
    return run_trial(*task)
