"""The suite `getup`: does a lying robot stand up, at which try, how fast, how gently, and where does it fail?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from andante.pictures.figures import check_kind, save
from andante.search.measures import Measure
from andante.search.rows import Row, figure, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Suite, seeded
from andante.search.suites.getup_ablation import ablation_cases, ablation_report
from andante.search.suites.getup_faults import fault_cases, fault_report
from andante.search.suites.getup_options import ABOUT, PARTS, GetUpOptions
from andante.search.suites.getup_spread import StartName
from andante.search.suites.getup_trial import GetUp, Setup, run_trial

WITHIN = 3
"""Tries that count for the second success rate."""
_PAIRS_SHOWN = 5


GetUps = tuple[StartName, Sequence[GetUp]]
"""A start and its trials."""
_figure = partial(figure, digits=6)


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
        _figure(f"{start}: peak torque, median", quantile([t.torque for t in trials], 0.5), "servo limit", n),
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


def _cases(options: GetUpOptions) -> Sequence[Case[Setup]]:
    check_kind(options.picture)
    setup = options.setup
    if options.faults:
        return fault_cases(options)
    if options.ablate:
        return ablation_cases(options)
    cells = [(start, replace(setup, start=start)) for start in options.starts]
    return seeded(cells, options.first_seed, options.seeds)


def _report(options: GetUpOptions, results: Mapping[str, Sequence[GetUp]]) -> BenchReport:
    if options.faults:
        return fault_report(options, results)
    if options.ablate:
        return ablation_report(options, results)
    failures = [
        {
            "seed": trial.seed,
            "reasons": [f"{start}: {s.block}[{s.keyframe}] at {s.time:.2f} s: {s.why}" for s in trial.stops],
        }
        for start, trials in results.items()
        for trial in trials
        if trial.stops
    ]
    about = {
        **options.about(*ABOUT),
        "engine": options.about(*PARTS),
        "cells": [cell_data(*cell) for cell in results.items()],
        "failures": failures,
    }
    rows = [row for cell in results.items() for row in cell_rows(*cell, options.asked)]
    files = {} if options.picture is None else {options.picture: partial(_draw, options, results)}
    return BenchReport("getup", rows, about, files=files)


def _draw(options: GetUpOptions, results: Mapping[str, Sequence[GetUp]], path: Path) -> None:
    from andante.search.suites.getup_picture import failure_figure

    title = f"Get-ups of {options.library}, spread {options.spread}"
    save(failure_figure(title, [(start, results[start]) for start in options.starts]), path)


MEASURES = (
    Measure("success", "", lambda trial: trial.first_try, "more", succeeds=True),
    Measure("time", "s", lambda trial: trial.time if trial.first_try else None, "less", 0.03),
    Measure("torque", "servo limit", lambda trial: trial.torque, "less", 0.02),
    Measure("saturated", "share", lambda trial: trial.saturated, "less", 0.005),
    Measure("touching", "time", lambda trial: trial.touching, "less", 0.01),
    Measure("hardest", "N", lambda trial: trial.hardest, "less", 5.0),
    Measure("lean", "deg", lambda trial: math.degrees(trial.lean) if trial.first_try else None, "less", 0.5),
)
"""What two libraries or engines are compared by: first tries; time to stand, peak torque, time at torque limits,
touching itself and how hard, and how far from upright it ends. The least differences that matter are judgements: 30 ms
are 1 % of a get-up, 5 N a tenth of the robot's weight."""
SUITE = Suite(
    "getup",
    GetUpOptions,
    GetUp,
    _cases,
    run_trial,
    _report,
    measures=MEASURES,
    subject="library",
    conditions=("spread", "fault", "faults", "ablate", "at", "lasting", "tries"),
)
"""The suite."""
