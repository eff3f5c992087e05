"""The suite `getup`: does a lying robot stand up, at which try, how fast, how gently, and where does it fail?"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from andante.pictures.figures import check_kind, new_figure, save
from andante.pictures.style import SERIES, drawn
from andante.search.comparison import Measure
from andante.search.rows import Row, rounded, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Suite, seeded
from andante.search.suites.getup_ablation import ablation_cases, ablation_report
from andante.search.suites.getup_faults import fault_cases, fault_report
from andante.search.suites.getup_options import ABOUT, PARTS, GetUpOptions
from andante.search.suites.getup_spread import StartName
from andante.search.suites.getup_trial import GetUp, Setup, Stop, run_trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WITHIN = 3
"""Tries that count for the second success rate."""
_PAIRS_SHOWN = 5
_COLOURS = dict(zip(("front", "back", "left", "right"), SERIES, strict=False))
_NO_BLOCK = "before the first keyframe"
_REASON = 60
"""Letters of a reason that are shown."""


GetUps = tuple[StartName, Sequence[GetUp]]
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
            rounded(f"{start}: time to stand, median", quantile(times, 0.5), "s", len(times)),
            rounded(f"{start}: time to stand, 95 %", quantile(times, 0.95), "s", len(times)),
        ]
    n = len(trials)
    return [
        *rows,
        rounded(f"{start}: waiting for conditions", _waiting(trials), "time", n),
        share_row(f"{start}: with a restart", [trial.restarts > 0 for trial in trials]),
        share_row(f"{start}: needless restarts", [trial.needless is True for trial in trials]),
        rounded(f"{start}: peak torque, median", quantile([t.torque for t in trials], 0.5), "servo limit", n),
        rounded(f"{start}: time at torque limit", sum(t.saturated for t in trials) / n, "share", n),
        rounded(f"{start}: peak speed, median", quantile([t.speed for t in trials], 0.5), "limit", n),
        rounded(f"{start}: touching itself", sum(t.touching for t in trials) / n, "time", n),
        rounded(f"{start}: hardest touch, median", quantile([t.hardest for t in trials], 0.5), "N", n),
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
    title, cells = f"Get-ups of {options.library}, spread {options.spread}", list(results.items())
    files = {} if options.picture is None else {options.picture: lambda path: save(failure_figure(title, cells), path)}
    return BenchReport("getup", rows, about, files=files)


@drawn
def failure_figure(title: str, cells: Sequence[tuple[str, Sequence[GetUp]]]) -> Figure:
    """Where and when tries ended; it depends on the trials alone."""
    stops = [(start, stop) for start, trials in cells for trial in trials for stop in trial.stops]
    places = _places([stop for _, stop in stops])
    figure = new_figure(14.0, max(4.6, 2.2 + 0.34 * len(places)), title)
    labels = {
        start: f"{start}: {sum(t.first_try for t in trials)} of {len(trials)} at the first try, "
        f"{sum(t.stood for t in trials)} in the end"
        for start, trials in cells
    }
    bars, scatter = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    _bars(bars, places, stops)
    for start, label in labels.items():
        own = [stop for each, stop in stops if each == start]
        pitches = [min(180.0, max(-180.0, math.degrees(stop.pitch))) for stop in own]
        scatter.plot(
            [stop.time for stop in own],
            pitches,
            "o",
            color=_COLOURS[start],
            alpha=0.6,
            markeredgewidth=0.0,
            label=label,
        )
    scatter.set(title="Torso when a try ended", xlabel="time [s]", ylabel="pitch [deg]", ylim=(-190.0, 190.0))
    scatter.set_xlim(0.0, max([1.0, *(1.05 * stop.time for _, stop in stops)]))
    scatter.set_yticks(range(-180, 181, 60))
    figure.legend(loc="outside lower center", ncols=2)
    if not stops:
        bars.text(0.5, 0.5, "No try failed.", transform=bars.transAxes, horizontalalignment="center")
    return figure


def _bars(axes: Axes, places: list[str], stops: Sequence[tuple[str, Stop]]) -> None:
    """One row per keyframe: a bar of stops per start, their number and the usual reason."""
    axes.set(title="Tries that ended in keyframe", xlabel="tries")
    axes.set_yticks(range(len(places)), places)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    most = max((sum(_place(stop) == place for _, stop in stops) for place in places), default=1)
    axes.set_xlim(0.0, 1.9 * most)
    axes.set_xticks(range(0, most + 1, max(1, math.ceil(most / 8))))
    for level, place in enumerate(places):
        here = [(start, stop) for start, stop in stops if _place(stop) == place]
        counts, left = Counter(start for start, _ in here), 0
        for start in _COLOURS:
            axes.barh(level, counts[start], 0.7, left=left, color=_COLOURS[start])
            left += counts[start]
        usual, times = Counter(stop.why for _, stop in here).most_common(1)[0]
        words = f"{left}: {'' if times == left else f'{times} x '}{textwrap.shorten(usual, _REASON, placeholder='...')}"
        axes.text(left + 0.02 * most, level, words, verticalalignment="center", fontsize=8.5)


def _place(stop: Stop) -> str:
    return f"{stop.block}[{stop.keyframe}]" if stop.block else _NO_BLOCK


def _places(stops: Sequence[Stop]) -> list[str]:
    """Keyframes in the order in which get-ups reach them: by the median time of their stops."""
    times: dict[str, list[float]] = {}
    for stop in stops:
        times.setdefault(_place(stop), []).append(stop.time)
    return sorted(times, key=lambda place: (sorted(times[place])[len(times[place]) // 2], place))


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
SUITE = Suite("getup", GetUpOptions, GetUp, _cases, run_trial, _report, measures=MEASURES)
"""The suite."""
