"""Comparing two runs: numbers side by side, events that only one has, and the first row that differs per channel."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.controller import ControlEvent
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.build import load_declared, picture_model
from andante.runs.errors import RunError
from andante.runs.evaluation.metrics import metrics_by_clock
from andante.runs.logs.log import ChannelRows
from andante.runs.logs.record import RunRecord
from andante.runs.reports.asked import Otherwise, asked_lines, asked_otherwise, asked_table
from andante.runs.reports.report import leg_rows, panels_of, replays_of, report_channels, write_page
from andante.runs.reports.units import unit_of
from andante.runs.tasks.registry import TASKS
from andante.version import __version__

_MOST_EVENTS = 3000
"""Events of a run that are compared."""
_MOST_NAMES = 6
"""Columns that are named of a row that differs."""
_MOST_TOLD = 2000
"""Events that a page tells."""


_FROM_ZERO = ("travel", "turn")
"""Metrics that lie around zero: a share of one that is nearly nothing says nothing. Tasks have some of their own."""
_SMALL = 0.3
"""Nearly nothing is less than this share of the other."""


class CompareError(RunError):
    """Two runs cannot be compared."""


@dataclass(frozen=True)
class Number:
    """One number of both runs."""

    name: str
    """Name of the metric."""
    first: Any
    """In the first run; None where it does not tell."""
    second: Any
    """In the second run."""

    @property
    def differs(self) -> bool:
        """Whether the two are not the same; two that are no number are."""
        return bool(self.first != self.second) and not (_is_nan(self.first) and _is_nan(self.second))

    @property
    def change(self) -> float | None:
        """Second less first, as share of the first; None where that is no finite number."""
        numbers = (self.first, self.second)
        if any(isinstance(each, (bool, str)) or each is None for each in numbers) or self.first == 0:
            return None
        if not all(map(math.isfinite, numbers)):
            return None
        small, large = sorted(map(abs, numbers))
        if self.name.startswith(_around_zero()) and (small < _SMALL * large or self.first * self.second < 0):
            # A share of what is nearly nothing says nothing.
            return None
        return float(self.second - self.first) / abs(float(self.first))

    @property
    def shown(self) -> tuple[str, str]:
        """Both for people, with their unit; angles in degrees."""
        return shown(self.first, self.name), shown(self.second, self.name)

    @property
    def percent(self) -> str:
        """The change in percent, for people; empty where there is as good as none."""
        return "" if self.change is None or abs(self.change) < 5e-4 else f"{100.0 * self.change:+.1f} %"


@dataclass(frozen=True)
class ChannelDifference:
    """Where the rows of one channel part."""

    channel: str
    """Name of the channel."""
    rows: tuple[int, int]
    """Number of rows of both runs; 0 where a run has no such channel."""
    tick: int | None
    """Index of the first row that differs; None where one run is the beginning of the other, or all is equal."""
    time: float | None
    """Its time in the first run [s]."""
    columns: tuple[str, ...] = ()
    """Columns that differ in it, the largest difference first."""
    largest: float = math.nan
    """The largest difference in it, in that column's unit."""
    common: int | None = None
    """Rows of the same moments, the ones that are compared where rows are of others, too; None: all are."""

    @property
    def equal(self) -> bool:
        """Whether all rows are the same."""
        return self.tick is None and self.rows[0] == self.rows[1] and self.common is None

    def __str__(self) -> str:
        if self.equal:
            return f"{self.channel}: equal, {self.rows[0]} rows"
        if self.common == 0:
            return f"{self.channel}: {self.rows[0]} and {self.rows[1]} rows, none of the same moment"
        apart = (
            ""
            if self.common is None
            else f"of {self.rows[0]} and {self.rows[1]} rows {self.common} are of the same moments, "
        )
        if self.tick is None and apart:
            return f"{self.channel}: {apart}and these are equal"
        if self.tick is None:
            return f"{self.channel}: equal as far as both go, {self.rows[0]} and {self.rows[1]} rows"
        named = ", ".join(self.columns[:_MOST_NAMES])
        more = f" and {len(self.columns) - _MOST_NAMES} more" if len(self.columns) > _MOST_NAMES else ""
        return f"{self.channel}: {apart}differs from row {self.tick} on, {self.time:.3f} s: {named}{more}"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two runs side by side."""

    runs: tuple[RunRecord, RunRecord]
    """The runs."""
    numbers: tuple[Number, ...]
    """Metrics of either run."""
    channels: tuple[ChannelDifference, ...]
    """Every channel of either run."""
    missing: tuple[ControlEvent, ...]
    """Events of the first run that the second has not."""
    added: tuple[ControlEvent, ...]
    """Events of the second run that the first has not."""
    asked: tuple[Otherwise, ...] = ()
    """What was asked in another way: fields of the scenario, the robot's model, versions."""

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """Which of both logs (A, B) is not complete, and why."""
        return tuple((mark, run.log.problem) for mark, run in zip("AB", self.runs, strict=True) if run.log.problem)

    @property
    def equal(self) -> bool:
        """Whether both runs recorded the same, row for row and event for event; a log that was cut may hide more."""
        rows = all(channel.equal for channel in self.channels)
        return rows and not self.missing and not self.added and not self.problems

    @property
    def first(self) -> ChannelDifference | None:
        """The channel that differs first; None where no row differs."""
        parting = [channel for channel in self.channels if channel.time is not None]
        return min(parting, key=lambda channel: channel.time or 0.0, default=None)

    def data(self) -> dict[str, Any]:
        """All of it as plain data for JSON."""
        return {
            "runs": [str(run.path) for run in self.runs],
            "equal": self.equal,
            "problems": dict(self.problems),
            "verdicts": [run.verdict for run in self.runs],
            "asked": {what: [one, other] for what, one, other in self.asked},
            "metrics": {number.name: [number.first, number.second] for number in self.numbers},
            "channels": [
                {
                    "channel": each.channel,
                    "rows": list(each.rows),
                    "common": each.common,
                    "equal": each.equal,
                    "row": each.tick,
                    "time": each.time,
                    "columns": list(each.columns),
                }
                for each in self.channels
            ],
            "missing": [[event.time, str(event.kind), event.text] for event in self.missing],
            "added": [[event.time, str(event.kind), event.text] for event in self.added],
        }

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def compare(first: Path | str, second: Path | str) -> Comparison:
    """Compare two runs of one robot, by their folders or logs, as far as these go.

    Raises:
        LogError: One of them cannot be read.
        CompareError: They are of different robots, or rows of a log are not in the order of their times.
    """
    runs = RunRecord.open(first), RunRecord.open(second)
    for run in runs:
        if any((np.diff(rows.nanoseconds) <= 0).any() for rows in run.log.channels.values()):
            raise CompareError("the log's rows are not in order", place=str(run.path), value=run.log.problem)
    # Logs that other programs have rewritten may not tell their robot.
    if runs[0].robot and runs[1].robot and runs[0].robot != runs[1].robot:
        raise CompareError(
            "the runs are of different robots", place=str(second), value=runs[1].robot, limit=repr(runs[0].robot)
        )
    numbers = runs[0].numbers(), runs[1].numbers()
    clocked = metrics_by_clock()
    names = [name for name in dict.fromkeys((*numbers[0], *numbers[1])) if name not in clocked]
    channels = dict.fromkeys((*runs[0].log.channels, *runs[1].log.channels))
    missing, added = _events(runs[0].log.events, runs[1].log.events)
    return Comparison(
        runs,
        tuple(Number(name, numbers[0].get(name), numbers[1].get(name)) for name in names),
        tuple(_channel(name, *(run.log.channels.get(name) for run in runs)) for name in channels),
        missing,
        added,
        asked_otherwise(runs[0].log, runs[1].log),
    )


def lines_of(comparison: Comparison) -> list[str]:
    """A comparison in lines for people: what is the same is left out."""
    first, second = comparison.runs
    lines = [f"A: {first.path} ({first.name}): {first.verdict.upper() or 'not judged'}"]
    lines.append(f"B: {second.path} ({second.name}): {second.verdict.upper() or 'not judged'}")
    lines += [f"the log of {mark} is not complete: {problem}" for mark, problem in comparison.problems]
    if comparison.equal:
        lines.append("every row and every event is the same")
    lines += asked_lines(comparison.asked)
    differing = [number for number in comparison.numbers if number.differs]
    if differing:
        lines.append(f"{'metric':<28}{'A':>18}{'B':>18}")
    for number in differing:
        change = f"  {number.percent}".rstrip()
        one, other = number.shown
        lines.append(f"{number.name:<28}{one:>18}{other:>18}{change}")
    lines += [str(channel) for channel in comparison.channels if not channel.equal]
    for mark, events in (("only in A", comparison.missing), ("only in B", comparison.added)):
        lines += [f"{mark}: {event.time:.3f} s {event.kind}: {event.text}" for event in events[:20]]
        if len(events) > 20:
            lines.append(f"{mark}: {len(events) - 20} more events")
    return lines


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _around_zero() -> tuple[str, ...]:
    return (*_FROM_ZERO, *(name for kind in TASKS.kinds.values() for name in kind.around_zero))


def shown(value: Any, name: str = "") -> str:
    """A metric's value for people, with the unit of its name."""
    if value is None:
        return "not known"
    if isinstance(value, (bool, str)):
        return str(value)
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinite" if value > 0 else "minus infinite"
    unit = unit_of(name)
    if unit == "deg":
        value = math.degrees(value)
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".rstrip()


def _channel(name: str, first: ChannelRows | None, second: ChannelRows | None) -> ChannelDifference:
    counts = 0 if first is None else len(first.rows), 0 if second is None else len(second.rows)
    if first is None or second is None:
        return ChannelDifference(name, counts, None, None)
    if first.layout.columns != second.layout.columns:
        others = set(first.layout.columns) ^ set(second.layout.columns)
        own = tuple(column for column in (*first.layout.columns, *second.layout.columns) if column in others)
        return ChannelDifference(name, counts, 0, float(first.times[0]) if counts[0] else 0.0, own)
    common = min(counts)
    here = there = np.arange(common)
    shared: int | None = None
    if (first.nanoseconds[:common] != second.nanoseconds[:common]).any():
        # Rows were lost, or are of another rate: those of the same moments are compared.
        _, here, there = np.intersect1d(first.nanoseconds, second.nanoseconds, assume_unique=True, return_indices=True)
        shared = len(here)
    one, other = first.rows[here], second.rows[there]
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    parted = ~same.all(axis=1)
    if not parted.any():
        return ChannelDifference(name, counts, None, None, common=shared)
    row = int(np.argmax(parted))
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.where(same[row], 0.0, np.abs(one[row] - other[row]))
    gaps = np.where(np.isnan(gaps), np.inf, gaps)
    order = [int(index) for index in np.argsort(-gaps, kind="stable") if not same[row, index]]
    return ChannelDifference(
        name,
        counts,
        int(here[row]),
        float(first.times[here[row]]),
        tuple(first.layout.columns[index] for index in order),
        float(gaps[order[0]]),
        shared,
    )


def _events(
    first: tuple[ControlEvent, ...], second: tuple[ControlEvent, ...]
) -> tuple[tuple[ControlEvent, ...], tuple[ControlEvent, ...]]:
    """What only one of two runs tells, by kind and text and in order; times may differ."""
    one, other = first[:_MOST_EVENTS], second[:_MOST_EVENTS]
    matcher = difflib.SequenceMatcher(None, [_key(event) for event in one], [_key(event) for event in other], False)
    missing: list[ControlEvent] = []
    added: list[ControlEvent] = []
    for what, begin, end, start, stop in matcher.get_opcodes():
        if what != "equal":
            missing += one[begin:end]
            added += other[start:stop]
    return tuple(missing), tuple(added)


def _key(event: ControlEvent) -> tuple[str, str]:
    return str(event.kind), event.text


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write the page of a comparison.

    Args:
        comparison: The comparison.
        path: The HTML file; overwritten.

    Raises:
        AndanteError: The robot of the runs cannot be loaded any more, or the file cannot be written.
    """
    first, second = comparison.runs
    robot, scenes, notes = _scenes(comparison.runs)
    channels = {**first.log.channels, **{f"B {name}": rows for name, rows in second.log.channels.items()}}
    panels = [
        (title, [each for name in names for each in (name, f"B {name}")])
        for title, names in panels_of(robot, first.log.channels)
    ]
    numbers = [
        (number.name, *number.shown, number.percent)
        for number in comparison.numbers
        if number.first is not None or number.second is not None
    ]
    data = {
        "name": f"{first.name} and {second.name}",
        "verdict": "same" if comparison.equal else "different",
        "reasons": [
            *(f"the log of {mark} is not complete: {problem}" for mark, problem in comparison.problems),
            *map(str, (each for each in comparison.channels if not each.equal)),
            *notes,
        ][:8],
        "summary": f"A, solid: {first.path}; B, dashed: {second.path}",
        "duration": max(first.duration, second.duration),
        "metrics": {},
        "cards": [],
        "channels": report_channels(channels),
        "replays": scenes,
        "bands": [],
        "events": _told(comparison),
        "panels": panels,
        "legs": leg_rows(robot),
        "tables": [*asked_table(comparison.asked), ("Numbers", ("metric", "A", "B", "change"), numbers)],
        "pictures": [],
        "scenario": "",
        "footer": f"Andante {__version__}.",
    }
    write_page(path, f"{first.path.name} and {second.path.name}", data)


def _scenes(runs: tuple[RunRecord, RunRecord]) -> tuple[Robot, list[dict[str, Any]], list[str]]:
    """The robot, the replays in the world of the first run, and what could not be shown."""
    scenario = runs[0].scenario
    robot = load_declared(scenario)
    try:
        model = picture_model(robot, scenario.world, scenario.seed, drawn=True)
        return robot, replays_of([run.log for run in runs], robot, model), []
    except AndanteError as error:
        return robot, [], [f"no replay: {error}"]


def _told(comparison: Comparison) -> list[tuple[float, str, str]]:
    """Events that only one run has, in order of time."""

    found = [
        (round(event.time, 6), f"only {mark}", f"{event.kind}: {event.text}")
        for mark, events in (("A", comparison.missing), ("B", comparison.added))
        for event in events
    ]
    return sorted(found)[:_MOST_TOLD]
