"""Ablation: what each part of the engine is worth: everything against everything but that part, on the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.search.rows import Row, figure, share_row
from andante.search.statistics import paired_difference, quantile, sign_test
from andante.search.suite import BenchReport, Case
from andante.search.suites.getup_faults import EVERYTHING, Trouble, pair_data, troubles, variant_cases
from andante.search.suites.getup_options import ABOUT, GetUpOptions
from andante.search.suites.getup_spread import StartName
from andante.search.suites.getup_trial import GetUp, Setup

LOCKED = 0.6
"""How long the joint locks where nothing else is asked [s]."""
WITHOUT: Mapping[str, KeyframeEngineSettings] = {
    EVERYTHING: KeyframeEngineSettings(),
    "without waits": KeyframeEngineSettings(waits=False),
    "without balance": KeyframeEngineSettings(balance=False),
    "without compensation": KeyframeEngineSettings(compensation=False),
    "without branches": KeyframeEngineSettings(branches=False),
    "without pauses": KeyframeEngineSettings(pauses=False),
}
"""The variants of the engine; each differs from everything by one part."""


@dataclass(frozen=True)
class Ablation:
    """First tries under one condition, per variant and seed."""

    start: StartName
    """How the robot lay."""
    trouble: Trouble | None
    """What was wrong with a joint; None: nothing."""
    trials: Mapping[str, Sequence[GetUp]]
    """Trials per variant, in the order of the seeds."""

    @property
    def text(self) -> str:
        """The condition in words."""
        return self.start if self.trouble is None else self.trouble.text

    def first(self, variant: str) -> list[bool]:
        """Whether each trial stood at the first try."""
        return [trial.first_try for trial in self.trials[variant]]


def ablation_cases(options: GetUpOptions) -> list[Case[Setup]]:
    """First tries of all variants under each condition: each start as it is, each place where the joint locks.

    Raises:
        AndanteError: A place or an option is not legal.
    """
    conditions = [(each.text, each.start, each.trouble) for each in _conditions(options)]
    return variant_cases(options, conditions, WITHOUT)


def ablation_report(options: GetUpOptions, results: Mapping[str, Sequence[GetUp]]) -> BenchReport:
    """The table: the differences with interval, exact test and verdict, and each seed's outcome."""
    ablations = [
        replace(each, trials={variant: results[f"{each.text}, {variant}"] for variant in WITHOUT})
        for each in _conditions(options)
    ]
    cells = [
        {
            "start": each.start,
            "condition": each.text,
            "parts": {variant: _worth(each, variant) for variant in WITHOUT if variant != EVERYTHING},
            "first_tries": {variant: each.first(variant) for variant in WITHOUT},
        }
        for each in ablations
    ]
    about = {**options.about(*ABOUT), "cells": cells}
    return BenchReport("getup-ablation", ablation_rows(ablations), about, ablation_text(ablations))


def ablation_rows(ablations: Sequence[Ablation]) -> list[Row]:
    """First tries of each variant, and the differences to everything with their intervals."""
    rows = []
    for ablation in ablations:
        for variant in WITHOUT:
            rows.append(share_row(f"{ablation.text}: {variant}", ablation.first(variant)))
            if variant != EVERYTHING:
                difference, interval = paired_difference(ablation.first(EVERYTHING), ablation.first(variant))
                n = len(ablation.trials[EVERYTHING])
                rows.append(figure(f"{ablation.text}: lost {variant}", difference, "share", n, interval=interval))
    return rows


def ablation_text(ablations: Sequence[Ablation]) -> list[str]:
    """The table as lines; a part's worth is called shown only where the difference's interval leaves out zero."""
    lines = []
    for ablation in ablations:
        lines.append(f"{ablation.text}: first tries of {len(ablation.trials[EVERYTHING])}")
        for variant in WITHOUT:
            first = ablation.first(variant)
            times = [trial.time for trial in ablation.trials[variant] if trial.first_try]
            line = f"  {variant:<22}{sum(first):>5}" + (f"  median {quantile(times, 0.5):.2f} s" if times else "")
            if variant != EVERYTHING:
                worth = _worth(ablation, variant)
                low, high = worth["interval"]
                line += (
                    f"  lost {worth['difference']:+.3f} [{low:+.3f}, {high:+.3f}]"
                    f"  won {worth['won']}, lost {worth['lost']}  {worth['verdict']}"
                )
            lines.append(line)
    return lines


def _conditions(options: GetUpOptions) -> list[Ablation]:
    """All conditions, without trials."""
    locked = troubles(options.library, options.at, options.lasting or (LOCKED,), ()) if options.at else []
    found = [Ablation(start, None, {}) for start in options.starts]
    return found + [Ablation(trouble.start, trouble, {}) for trouble in locked]


def _worth(ablation: Ablation, variant: str) -> dict[str, Any]:
    """What a part is worth: everything minus everything but it."""
    worth = pair_data(ablation.first(EVERYTHING), ablation.first(variant))
    (low, high), pairs = worth["interval"], (worth["won"], worth["lost"])
    verdict = "not shown"
    if low > 0.0 or high < 0.0:
        verdict = "shown to help" if worth["difference"] > 0.0 else "shown to harm"
    return {**worth, "chance": min(1.0, 2.0 * sign_test(max(pairs), min(pairs))), "verdict": verdict}
