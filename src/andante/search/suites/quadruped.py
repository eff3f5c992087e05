"""The suite `quadruped`: how a dynamic quadruped walks, what it withstands, and what its control takes.

Every figure is measured from ground truth by an observer of the session. Largest errors are those of the worst seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from andante.runs.tasks.quadruped.metrics import QuadrupedMetrics
from andante.search.rows import Row, count_row, rounded, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Count, Options, Seed, Suite, names_of
from andante.search.suites.quadruped_costs import SolverFigures
from andante.search.suites.quadruped_tables import TABLES, Ask, ConditionBars, RunCondition, Touching
from andante.search.suites.quadruped_trial import QuadrupedResult, QuadrupedSetup, run_quadruped

_LIST = "list"
_UNITS = ("m/s", "m/s", "rad/s")
_AXES = ("forward", "lateral", "turn")
_DEGREES = 180.0 / math.pi
_HEAD = 2
"""Lines above the first condition; a table of clocks has no others."""


class QuadrupedOptions(Options):
    """What the suite can be asked."""

    table: str = "speed"
    """Tables with commas; list: all tables."""
    robot: str = "spirit40"
    """Robot: name, pack, MJCF or URDF."""
    robots: str = ""
    """Robots of the table robots, with commas; default: the robot."""
    seconds: Annotated[float, Field(gt=0.0, le=600.0)] = 10.0
    """How long a steady twist is asked [s]; three times as long on the way with turns."""
    phases: Count = 8
    """Phases of the gait at which pushes come."""
    minutes: Annotated[float, Field(gt=0.0, le=30.0)] = 1.0
    """How long the run is over which the process may not grow [min]."""
    clock: bool = False
    """Tell times by the clock in every table; they are others in every run."""
    seeds: Annotated[int | None, Field(ge=1)] = None
    """Seeds of each condition; default: the table's."""
    first_seed: Seed = 0
    """First seed."""

    @property
    def chosen(self) -> dict[str, tuple[int, list[RunCondition]]]:
        """Seeds and conditions by table.

        Raises:
            SearchError: There is no such table.
        """
        robots = tuple(name.strip() for name in (self.robots or self.robot).split(",") if name.strip())
        ask = Ask(self.robot, robots, self.seconds, self.phases, self.minutes, self.clock)
        found = {}
        for name in names_of(self.table, TABLES, "--table"):
            table = TABLES[name]
            found[name] = (self.seeds or table.seeds, list(table.conditions(ask)))
        return found


def condition_rows(
    label: str, results: Sequence[QuadrupedResult], asked: ConditionBars, far: float | None = None
) -> list[Row]:
    """The figures of one condition; where some fall, errors are those of the runs that did not.

    Args:
        label: Its heading.
        results: Its runs.
        asked: What is asked.
        far: The robot has come across beyond this x [m].
    """
    rows: list[Row] = []

    def add(name: str, value: float, unit: str, n: int, **limit: float | None) -> None:
        rows.append(rounded(f"{label}: {name}", value, unit, n, **limit))  # type: ignore[arg-type]

    walked = [each for each in results if each.metrics is not None]
    if walked:
        rows.append(share_row(f"{label}: stays upright", [each.upright for each in walked], asked.upright))
    if asked.recovered is not None or any(each.push is not None for each in walked):
        rows.append(share_row(f"{label}: recovers", [each.recovered for each in walked], asked.recovered))
    if far is not None:
        across = [each.upright and each.place[0] > far for each in walked]
        rows.append(share_row(f"{label}: comes across", across, asked.crossed))
    good = [each.metrics for each in walked if each.metrics is not None and each.upright]
    n = len(good)
    if good:
        axis = asked.axis
        unit, name = _UNITS[axis], _AXES[axis]
        add(f"{name}, mean", sum(m.mean[axis] for m in good) / n, unit, n)
        add(f"{name}, largest error of the mean", max(abs(m.along(axis)) for m in good), unit, n, at_most=asked.mean)
        if asked.share is not None:
            share = max(abs(m.along(axis)) / abs(m.asked[axis]) for m in good)
            add(f"{name}, largest error of the mean over what is asked", share, "share", n, at_most=asked.share)
        if asked.height is not None:
            off = max(abs(r.metrics.height - r.standing) for r in walked if r.metrics is not None and r.upright)
            add("height off standing, largest", off, "m", n, at_most=asked.height)
        add(f"{name}, largest rms error", max(m.rms[axis] for m in good), unit, n, at_most=asked.rms)
        if asked.drift is not None:
            add("drift, largest", max(m.drift for m in good), "m", n, at_most=asked.drift)
        slope = walked[0].slope
        if slope or asked.pitch is not None:
            off = max(abs(m.mean_pitch + math.atan(slope)) for m in good)
            add("mean pitch off the slope, largest", off, "rad", n, at_most=asked.pitch)
        add("roll, largest", max(m.roll for m in good), "rad", n)
        add("pitch off its mean, largest", max(m.pitch for m in good), "rad", n)
        worst = max(m.estimate_rms for m in good)
        add("estimated velocity, largest rms error", worst, "m/s", n, at_most=asked.estimate_rms)
        if drifts := _drifts(good):
            add("estimated position, largest drift over the way", max(drifts), "share", n, at_most=asked.estimate_share)
        add("torque at its limit, mean", sum(m.torque_full for m in good) / n, "share", n)
        add("speed above its limit, mean", sum(m.speed_full for m in good) / n, "share", n)
        add("time in the air, shortest", min(m.airtime for m in good), "s", n, at_least=asked.airtime)
        add("touches itself, longest", max(m.itself for m in good), "s", n)
        add("lowest foot", min(m.lowest for m in good), "m", n, at_least=asked.lowest)
    if walked:
        runs = [each.metrics for each in walked if each.metrics is not None]
        rows += _touches(label, runs, asked)
        add("forces not found, mean", sum(each.unsolved for each in runs) / len(runs), "", len(runs))
        add("force beyond its limits, largest", max(e.excess for e in walked), "N", len(walked), at_most=asked.excess)
    rows += _clocks(label, results, asked)
    return rows


def _worst(values: Iterable[float], scale: float = 1.0, digits: int = 2) -> str:
    return f"{scale * max(values):.{digits}f}"


def _average(values: Sequence[float], scale: float = 1.0, digits: int = 2) -> str:
    return f"{scale * sum(values) / len(values):.{digits}f}"


_COLUMNS: tuple[tuple[str, str, int, Callable[[Sequence[QuadrupedMetrics], int], str]], ...] = (
    ("mean", "", 8, lambda runs, axis: _average([m.mean[axis] for m in runs], digits=3)),
    ("error", "", 8, lambda runs, axis: f"{max((m.along(axis) for m in runs), key=abs):+.3f}"),
    ("rms", "", 7, lambda runs, axis: _worst((m.rms[axis] for m in runs), digits=3)),
    ("drift", "cm", 7, lambda runs, _: "-" if any(runs[0].asked) else _worst((m.drift for m in runs), 100.0, 1)),
    ("roll", "deg", 6, lambda runs, _: _worst((m.roll for m in runs), _DEGREES, 1)),
    ("pitch", "deg", 6, lambda runs, _: _worst((m.pitch for m in runs), _DEGREES, 1)),
    ("torque", "%", 8, lambda runs, _: _average([m.torque_full for m in runs], 100.0)),
    ("speed", "%", 7, lambda runs, _: _average([m.speed_full for m in runs], 100.0)),
    ("touch", "s", 7, lambda runs, _: _worst(sum(m.touches.values()) for m in runs)),
    ("itself", "s", 7, lambda runs, _: _worst(m.itself for m in runs)),
    ("air", "s", 7, lambda runs, _: _worst((m.airtime for m in runs), digits=3)),
    ("foot", "cm", 7, lambda runs, _: f"{100.0 * min(m.lowest for m in runs):.1f}"),
    ("est", "m/s", 7, lambda runs, _: _worst((m.estimate_rms for m in runs), digits=3)),
    ("est", "%", 6, lambda runs, _: _worst(_drifts(runs), 100.0, 1) if _drifts(runs) else "-"),
    ("guard", "", 7, lambda runs, _: _average([m.guard for m in runs], digits=0)),
)
"""Columns for people: head, unit, width, and what stands there for the runs that did not fall and the axis judged."""


def table_lines(label: str, conditions: Mapping[str, tuple[ConditionBars, Sequence[QuadrupedResult]]]) -> list[str]:
    """One line per condition, for people."""
    heads = [("upright", "", 9), *(column[:3] for column in _COLUMNS), ("fail", "", 6)]
    lines = [
        f"{label:<24}" + "".join(f"{name:>{wide}}" for name, _, wide in heads),
        f"{'':<24}" + "".join(f"{unit:>{wide}}" for _, unit, wide in heads),
    ]
    for name, (asked, results) in conditions.items():
        walked = [each.metrics for each in results if each.metrics is not None]
        if walked:
            good = [each for each in walked if each.upright]
            told = "".join(f"{text(good or walked, asked.axis):>{wide}}" for *_, wide, text in _COLUMNS)
            upright, unsolved = f"{len(good)}/{len(walked)}", sum(m.unsolved for m in walked)
            lines.append(f"{name:<24}{upright:>9}{told}{unsolved:>6}")
    return lines


def failures(label: str, results: Sequence[QuadrupedResult]) -> list[dict[str, Any]]:
    """Runs that fell, gave up or did not go on as asked after a push, with their causes."""
    found = []
    for each in results:
        metrics = each.metrics
        if metrics is None or (metrics.upright and (each.push is None or each.recovered)):
            continue
        why = metrics.cause or f"at the end {metrics.end_speed:.2f} m/s off what was asked"
        what = label if each.label == label else f"{label}, {each.label}"
        found.append({"seed": each.seed, "reasons": [f"{what}: {why}"]})
    return found


def _drifts(runs: Sequence[QuadrupedMetrics]) -> list[float]:
    return [each.estimate_share for each in runs if math.isfinite(each.estimate_share)]


def _touches(label: str, runs: Sequence[QuadrupedMetrics], asked: ConditionBars) -> list[Row]:
    """Runs in which calf, and thigh or trunk, touch the ground."""
    calf = sum(each.touches["calf"] > 0.0 for each in runs)
    body = sum(each.touches["thigh"] + each.touches["trunk"] > 0.0 for each in runs)
    rows = []
    for name, count, strict in (
        ("a calf", calf, asked.clean is Touching.ANYTHING),
        ("thigh or trunk", body, asked.clean is not None),
    ):
        title, n = f"{label}: runs in which {name} touches", len(runs)
        rows.append(count_row(title, count, n) if strict else rounded(title, float(count), "", n))
    return rows


def _clocks(label: str, results: Sequence[QuadrupedResult], asked: ConditionBars) -> list[Row]:
    """Times by the clock and growth, where they were measured."""
    rows = []
    timings = [each.timings for each in results if each.timings is not None]
    n = len(timings)
    if timings:
        solves = [each.solve for each in timings]
        rows += [
            rounded(f"{label}: solve, median, wall", 1e3 * quantile([each[0] for each in solves], 0.5), "ms", n),
            rounded(f"{label}: solve, 95 %, wall, largest", 1e3 * max(each[1] for each in solves), "ms", n),
            rounded(f"{label}: plan, median, processor", 1e3 * quantile([t.plan[0] for t in timings], 0.5), "ms", n),
            rounded(f"{label}: plan, 95 %, processor, largest", 1e3 * max(t.plan[1] for t in timings), "ms", n),
            rounded(f"{label}: plans", float(sum(each.solves for each in timings)), "", n),
        ]
    for each in results:
        if each.growth is not None:
            rows += [
                rounded(f"{label}: run over processor time", each.growth.speed, "", 1, at_least=asked.speed),
                rounded(f"{label}: growth of memory", each.growth.memory, "kB/min", 1, at_most=asked.growth),
                rounded(f"{label}: growth of objects", each.growth.objects, "1/min", 1),
            ]
        rows += _solvers(label, each.solvers, asked)
    return rows


def _solvers(label: str, solvers: Sequence[SolverFigures], asked: ConditionBars) -> list[Row]:
    """Times of the solvers on the same problems by the processor's clock, and how many times the online one's."""
    rows: list[Row] = []
    if not solvers:
        return rows
    online = solvers[0]
    median, high = asked.solve or (None, None)
    faster = dict(asked.faster)
    for each in solvers:
        first = each is online
        n, name = each.problems, f"{label}: {each.name}"
        for what, value, limit in (("median", each.median, median), ("95 %", each.high, high)):
            most = None if limit is None or not first else 1e3 * limit
            rows.append(rounded(f"{name}, {what}, processor", 1e3 * value, "ms", n, at_most=most))
        if not first:
            times = each.median / online.median
            rows.append(rounded(f"{name} over online", times, "", n, at_least=faster.get(each.name)))
        if math.isfinite(each.cost):
            rows.append(rounded(f"{name}, cost over the converged", each.cost, "", n))
        rows.append(rounded(f"{name}, without a solution", float(each.unsolved), "", n))
    return rows


def _cases(options: QuadrupedOptions) -> list[Case[QuadrupedSetup]]:
    cases = []
    for seeds, conditions in options.chosen.values():
        for condition in conditions:
            # A run that makes no scenario is told before the first of many.
            for setup in condition.setups:
                setup.scenario(options.first_seed)
            cases += [
                Case(condition.label, setup, seed)
                for seed in range(options.first_seed, options.first_seed + seeds)
                for setup in condition.setups
            ]
    return cases


def _report(options: QuadrupedOptions, results: Mapping[str, Sequence[QuadrupedResult]]) -> BenchReport:
    rows: list[Row] = []
    text: list[str] = []
    fallen: list[dict[str, Any]] = []
    runs: dict[str, Any] = {}
    for name, (_, conditions) in options.chosen.items():
        for each in conditions:
            rows += condition_rows(each.label, results[each.label], each.asked, each.far)
            fallen += failures(each.label, results[each.label])
            runs[each.label] = [result.data() for result in results[each.label]]
        lines = table_lines(name, {each.label: (each.asked, results[each.label]) for each in conditions})
        if len(lines) > _HEAD:
            text += ["", *lines]
    about = options.about("table", "robot", "robots", "seconds", "phases", "first_seed", "seeds")
    about |= {"runs": runs, "failures": fallen}
    shown = [row for row in rows if row.asked or row.unit in ("ms", "kB/min")]
    return BenchReport("quadruped", rows, about, [*text, "", "All results in simulation."], shown)


def _listing(options: QuadrupedOptions) -> list[str]:
    if options.table != _LIST:
        return []
    return [f"{name:<12}{table.what}; {table.seeds} seeds" for name, table in TABLES.items()]


SUITE = Suite("quadruped", QuadrupedOptions, QuadrupedResult, _cases, run_quadruped, _report, _listing)
"""The suite."""
