"""The suite `quadruped`: how a dynamic quadruped walks, what it withstands, and what its control takes.

Every figure is measured from ground truth by an observer of the session. Largest errors are those of the worst seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from andante.search.rows import Row, count_row, figure, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Count, Options, Seed, Suite, names_of
from andante.search.suites.quadruped_costs import SolverFigures
from andante.search.suites.quadruped_tables import TABLES, Ask, Asked, Condition, Touching
from andante.search.suites.quadruped_trial import QuadrupedResult, QuadrupedSetup, run_quadruped

_LIST = "list"
_UNITS = ("m/s", "m/s", "rad/s")
_AXES = ("forward", "lateral", "turn")
_figure = partial(figure, digits=6)
_COLUMNS = (
    ("upright", "", 9),
    ("mean", "", 8),
    ("error", "", 8),
    ("rms", "", 7),
    ("drift", "cm", 7),
    ("roll", "deg", 6),
    ("pitch", "deg", 6),
    ("torque", "%", 8),
    ("speed", "%", 7),
    ("touch", "s", 7),
    ("itself", "s", 7),
    ("air", "s", 7),
    ("foot", "cm", 7),
    ("est", "m/s", 7),
    ("est", "%", 6),
    ("guard", "", 7),
    ("fail", "", 6),
)
"""Columns for people: head, unit, width."""
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
    def chosen(self) -> dict[str, tuple[int, list[Condition]]]:
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


def condition_rows(label: str, results: Sequence[QuadrupedResult], asked: Asked, far: float | None = None) -> list[Row]:
    """The figures of one condition; where some fall, errors are those of the runs that did not.

    Args:
        label: Its heading.
        results: Its runs.
        asked: What is asked.
        far: The robot has come across beyond this x [m].
    """
    rows: list[Row] = []

    def add(name: str, value: float, unit: str, n: int, **limit: float | None) -> None:
        rows.append(_figure(f"{label}: {name}", value, unit, n, **limit))  # type: ignore[arg-type]

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
        add(f"{name}, largest rms error", max(m.rms[axis] for m in good), unit, n, at_most=asked.rms)
        if asked.drift is not None:
            add("drift, largest", max(m.drift for m in good), "m", n, at_most=asked.drift)
        slope = walked[0].slope
        if slope or asked.pitch is not None:
            off = max(abs(m.mean_pitch + math.atan(slope)) for m in good)
            add("mean pitch off the slope, largest", off, "rad", n, at_most=asked.pitch)
        add("roll, largest", max(m.roll for m in good), "rad", n)
        add("pitch off its mean, largest", max(m.pitch for m in good), "rad", n)
        add(
            "estimated velocity, largest rms error",
            max(m.estimate_rms for m in good),
            "m/s",
            n,
            at_most=asked.estimate_rms,
        )
        drifts = [m.estimate_share for m in good if math.isfinite(m.estimate_share)]
        if drifts:
            add("estimated position, largest drift over the way", max(drifts), "share", n, at_most=asked.estimate_share)
        add("torque at its limit, mean", sum(m.torque_full for m in good) / n, "share", n)
        add("speed above its limit, mean", sum(m.speed_full for m in good) / n, "share", n)
        add("time in the air, shortest", min(m.airtime for m in good), "s", n, at_least=asked.airtime)
        add("touches itself, longest", max(m.itself for m in good), "s", n)
        add("lowest foot", min(m.lowest for m in good), "m", n, at_least=asked.lowest)
    if walked:
        rows += _touches(label, walked, asked)
        add("forces not found, mean", sum(_of(e).unsolved for e in walked) / len(walked), "", len(walked))
        add("force beyond its limits, largest", max(e.excess for e in walked), "N", len(walked), at_most=asked.excess)
    rows += _clocks(label, results, asked)
    return rows


def table_lines(label: str, conditions: Mapping[str, tuple[Asked, Sequence[QuadrupedResult]]]) -> list[str]:
    """One line per condition, for people."""
    head, units = f"{label:<24}", f"{'':<24}"
    for name, unit, wide in _COLUMNS:
        head, units = head + f"{name:>{wide}}", units + f"{unit:>{wide}}"
    lines = [head, units]
    for name, (asked, results) in conditions.items():
        walked = [_of(each) for each in results if each.metrics is not None]
        if not walked:
            continue
        good = [each for each in walked if each.upright] or walked
        axis, degrees = asked.axis, 180.0 / math.pi
        drifts = [m.estimate_share for m in good if math.isfinite(m.estimate_share)]
        values = (
            f"{sum(each.upright for each in walked)}/{len(walked)}",
            f"{sum(m.mean[axis] for m in good) / len(good):.3f}",
            f"{max((m.along(axis) for m in good), key=abs):+.3f}",
            f"{max(m.rms[axis] for m in good):.3f}",
            f"{100.0 * max(m.drift for m in good):.1f}" if not any(good[0].asked) else "-",
            f"{degrees * max(m.roll for m in good):.1f}",
            f"{degrees * max(m.pitch for m in good):.1f}",
            f"{100.0 * sum(m.torque_full for m in good) / len(good):.2f}",
            f"{100.0 * sum(m.speed_full for m in good) / len(good):.2f}",
            f"{max(sum(m.touches.values()) for m in good):.2f}",
            f"{max(m.itself for m in good):.2f}",
            f"{max(m.airtime for m in good):.3f}",
            f"{100.0 * min(m.lowest for m in good):.1f}",
            f"{max(m.estimate_rms for m in good):.3f}",
            f"{100.0 * max(drifts):.1f}" if drifts else "-",
            f"{sum(m.guard for m in good) / len(good):.0f}",
            f"{sum(m.unsolved for m in walked)}",
        )
        cells = (f"{value:>{wide}}" for value, (_, _, wide) in zip(values, _COLUMNS, strict=True))
        lines.append(f"{name:<24}" + "".join(cells))
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


def _of(result: QuadrupedResult) -> Any:
    return result.metrics


def _touches(label: str, results: Sequence[QuadrupedResult], asked: Asked) -> list[Row]:
    """Runs in which calf, and thigh or trunk, touch the ground."""
    calf = sum(_of(each).touches["calf"] > 0.0 for each in results)
    body = sum(_of(each).touches["thigh"] + _of(each).touches["trunk"] > 0.0 for each in results)
    rows = []
    for name, count, strict in (
        ("runs in which a calf touches", calf, asked.clean is Touching.ANYTHING),
        ("runs in which thigh or trunk touches", body, asked.clean is not None),
    ):
        n = len(results)
        title = f"{label}: {name}"
        rows.append(count_row(title, count, n) if strict else _figure(title, float(count), "", n))
    return rows


def _clocks(label: str, results: Sequence[QuadrupedResult], asked: Asked) -> list[Row]:
    """Times by the clock and growth, where they were measured."""
    rows = []
    timings = [each.timings for each in results if each.timings is not None]
    n = len(timings)
    if timings:
        solves = [each.solve for each in timings]
        rows += [
            _figure(f"{label}: solve, median, wall", 1e3 * quantile([each[0] for each in solves], 0.5), "ms", n),
            _figure(f"{label}: solve, 95 %, wall, largest", 1e3 * max(each[1] for each in solves), "ms", n),
            _figure(f"{label}: plan, median, processor", 1e3 * quantile([t.plan[0] for t in timings], 0.5), "ms", n),
            _figure(f"{label}: plan, 95 %, processor, largest", 1e3 * max(t.plan[1] for t in timings), "ms", n),
            _figure(f"{label}: plans", float(sum(each.solves for each in timings)), "", n),
        ]
    for each in results:
        if each.growth is not None:
            rows += [
                _figure(f"{label}: run over processor time", each.growth.speed, "", 1, at_least=asked.speed),
                _figure(f"{label}: growth of memory", each.growth.memory, "kB/min", 1, at_most=asked.growth),
                _figure(f"{label}: growth of objects", each.growth.objects, "1/min", 1),
            ]
        rows += _solvers(label, each.solvers, asked)
    return rows


def _solvers(label: str, solvers: Sequence[SolverFigures], asked: Asked) -> list[Row]:
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
        limits = (median, high) if first else (None, None)
        for what, value, limit in (("median", each.median, limits[0]), ("95 %", each.high, limits[1])):
            most = None if limit is None else 1e3 * limit
            rows.append(_figure(f"{name}, {what}, processor", 1e3 * value, "ms", n, at_most=most))
        if not first:
            rows.append(
                _figure(f"{name} over online", each.median / online.median, "", n, at_least=faster.get(each.name))
            )
        if math.isfinite(each.cost):
            rows.append(_figure(f"{name}, cost over the converged", each.cost, "", n))
        rows.append(_figure(f"{name}, without a solution", float(each.unsolved), "", n))
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
