"""Ablation: what each part of the engine is worth: everything against everything but that part, on the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from andante.control.keyframes.configuration import EngineConfig
from andante.search.bench import Row, rows_as_data, share_row
from andante.search.executor import run_trials
from andante.search.statistics import paired_difference, quantile, sign_test
from andante.search.suites.getup_faults import JOINT, Trouble
from andante.search.suites.getup_spread import StartName
from andante.search.suites.getup_trial import GetUp, Setup, run_trial

WITHOUT: Mapping[str, EngineConfig] = {
    "everything": EngineConfig(),
    "without waits": EngineConfig(waits=False),
    "without balance": EngineConfig(balance=False),
    "without compensation": EngineConfig(compensation=False),
    "without branches": EngineConfig(branches=False),
    "without pauses": EngineConfig(pauses=False),
}
"""The variants of the engine; each differs from everything by one part."""
_ALL = "everything"


@dataclass(frozen=True)
class Ablation:
    """First tries under one condition, per variant and seed."""

    start: StartName
    """How the robot lay."""
    trouble: Trouble | None
    """What was wrong with a joint; None: nothing."""
    trials: dict[str, tuple[GetUp, ...]]
    """Trials per variant, in the order of the seeds."""

    @property
    def text(self) -> str:
        """The condition in words."""
        return self.start if self.trouble is None else self.trouble.text

    def first(self, variant: str) -> list[bool]:
        """Whether each trial stood at the first try."""
        return [trial.first_try for trial in self.trials[variant]]


def run_ablations(
    setup: Setup, conditions: Sequence[tuple[StartName, Trouble | None]], first_seed: int, seeds: int, workers: int
) -> list[Ablation]:
    """First tries of all variants under each condition; start, engine, faults and tries of the setup are not used.

    Raises:
        AndanteError: The setup cannot be run.
    """
    tasks = []
    for start, trouble in conditions:
        faults = () if trouble is None else (trouble.fault(JOINT),)
        for engine in WITHOUT.values():
            cell = replace(setup, start=start, engine=engine, faults=faults, tries=1, ask_again=False)
            tasks += [(cell, seed) for seed in range(first_seed, first_seed + seeds)]
    trials = list(run_trials(_trial, tasks, workers))
    parts = [tuple(trials[i : i + seeds]) for i in range(0, len(trials), seeds)]
    n = len(WITHOUT)
    return [
        Ablation(start, trouble, dict(zip(WITHOUT, parts[i * n : (i + 1) * n], strict=True)))
        for i, (start, trouble) in enumerate(conditions)
    ]


def ablation_rows(ablations: Sequence[Ablation]) -> list[Row]:
    """First tries of each variant, and the differences to everything with their intervals."""
    rows = []
    for ablation in ablations:
        for variant in WITHOUT:
            rows.append(share_row(f"{ablation.text}: {variant}", ablation.first(variant)))
            if variant != _ALL:
                difference, interval = paired_difference(ablation.first(_ALL), ablation.first(variant))
                n = len(ablation.trials[_ALL])
                rows.append(Row(f"{ablation.text}: lost {variant}", difference, "share", "", None, n, interval))
    return rows


def ablation_text(ablations: Sequence[Ablation]) -> list[str]:
    """The table as lines; a part's worth is called shown only where the difference's interval leaves out zero."""
    lines = []
    for ablation in ablations:
        lines.append(f"{ablation.text}: first tries of {len(ablation.trials[_ALL])}")
        for variant in WITHOUT:
            first = ablation.first(variant)
            times = [trial.time for trial in ablation.trials[variant] if trial.first_try]
            line = f"  {variant:<22}{sum(first):>5}" + (f"  median {quantile(times, 0.5):.2f} s" if times else "")
            if variant != _ALL:
                worth = _worth(ablation, variant)
                low, high = worth["interval"]
                line += (
                    f"  lost {worth['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
                    f"  won {worth['won']}, lost {worth['lost']}  {worth['verdict']}"
                )
            lines.append(line)
    return lines


def ablation_data(ablations: Sequence[Ablation], rows: Sequence[Row], **about: Any) -> dict[str, Any]:
    """The JSON object: the differences with interval, exact test and verdict, and each seed's outcome."""
    cells = [
        {
            "start": ablation.start,
            "condition": ablation.text,
            "parts": {variant: _worth(ablation, variant) for variant in WITHOUT if variant != _ALL},
            "first_tries": {variant: ablation.first(variant) for variant in WITHOUT},
        }
        for ablation in ablations
    ]
    return rows_as_data("getup-ablation", rows, **about, cells=cells)


def _worth(ablation: Ablation, variant: str) -> dict[str, Any]:
    """What a part is worth: everything minus everything but it."""
    whole, less = ablation.first(_ALL), ablation.first(variant)
    difference, interval = paired_difference(whole, less)
    pairs = list(zip(whole, less, strict=True))
    won, lost = pairs.count((True, False)), pairs.count((False, True))
    verdict = "not shown"
    if interval[0] > 0.0 or interval[1] < 0.0:
        verdict = "shown to help" if difference > 0.0 else "shown to harm"
    return {
        "difference": difference,
        "interval": interval,
        "won": won,
        "lost": lost,
        "chance": min(1.0, 2.0 * sign_test(max(won, lost), min(won, lost))),
        "verdict": verdict,
    }


def _trial(task: tuple[Setup, int]) -> GetUp:
    return run_trial(*task)
