"""The suite `boards`: does a robot cross boards it has never seen, how fast, and how safely?

A walk that does not arrive, or that breaks a declared limit, has the speed 0 in every mean. The programme's score is
the mean of the best two of three runs; it stands beside the plain mean, which leaves nothing out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from andante.documents.files import write_text
from andante.pictures.figures import check_kind, new_figure, save
from andante.pictures.style import GRID, INK, SERIES, drawn
from andante.runs.tasks.walk.task import WalkTask, changed
from andante.search.rows import Row, count_row, figure, rounded, share_row
from andante.search.statistics import quantile
from andante.search.suite import BenchReport, Case, Options, Seed, Suite, seeded
from andante.search.suites.boards_table import ROWS, BoardBars, TableRow, row_named
from andante.search.suites.boards_trial import BoardCase, BoardTrial, run_board
from andante.terrain.boards.make import SUITE as TEN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CENTIMETRES = 100.0
_LIST = "list"
_PLANNING, _REPLANNING = "planning, longest", "replanning, longest"
_COLUMNS = (
    ("mean", "cm/s", 7, 1, "speed, plain mean"),
    ("median", "cm/s", 8, 1, "speed, median"),
    ("best2/3", "cm/s", 9, 1, "programme score"),
    ("misses", "%", 8, 1, "missed footholds"),
    ("slip", "cm", 7, 1, "slip of all feet, mean"),
    ("margin", "mm", 8, 1, "margin, smallest"),
    ("energy", "J/m", 8, 0, "energy, mean"),
    ("plan", "s", 7, 2, _PLANNING),
    ("replan", "ms", 8, 0, _REPLANNING),
)
"""Columns for people: head, unit, width, digits after the point, figure."""
_ENDS = {
    "arrived": (SERIES[0], "o"),
    "fell": ("#c62a2f", "X"),
    "timeout": ("#e69f00", "s"),
    "off course": ("#aa4499", "D"),
    "gave up": ("#8c564b", "v"),
    "refused": ("#616e7c", "P"),
    "void": ("#000000", "*"),
}
"""Colour and shape by how a walk ended."""
_GOLDEN = 0.618
"""Walks of one board are spread upward by the golden ratio, so that dots of one speed lie apart."""


class BoardOptions(Options):
    """What the suite can be asked."""

    boards: str = "ten"
    """Kinds of boards or files with commas; ten: the ten."""
    row: str | None = None
    """A named row: walks, seeds and what is asked; list: all rows."""
    as_file: bool = False
    """Walk each board as a file of its heights, which says nothing else of it."""
    robot: str | None = None
    """Robot: name, pack, MJCF or URDF; default: LittleDog."""
    controller: str = "crawl"
    """auto, crawl, reactive-crawl or trot."""
    difficulty: float = 0.5
    """Difficulty of the board, 0 to 1."""
    values: Annotated[tuple[str, ...], Field(alias="set")] = ()
    """NAME=NUMBER, a parameter of the board (7.5cm, 20deg), or PATH=VALUE, of the scenario; repeat."""
    pose_noise: str | None = None
    """Noise of the motion capture: MM,DEG; default 3,0.5."""
    map_error: Annotated[float | None, Field(ge=0.0)] = None
    """Error of the planner's map [mm]."""
    map_correlation: Annotated[float | None, Field(ge=0.0)] = None
    """Length over which its neighbouring errors are alike; 0: each its own [mm]."""
    map_shift: Annotated[float | None, Field(ge=0.0)] = None
    """Error of the whole map's place, along x and along y [mm]."""
    map_window: Annotated[float | None, Field(gt=0.0)] = None
    """Side of the square around the robot that is known of the ground at a time [m]."""
    effort: Annotated[float | None, Field(ge=0.1, le=100.0)] = None
    """How many times the usual work to search for footsteps before refusing."""
    load: str | None = None
    """How servos are told what they carry: torque, position or none."""
    gains: str | None = None
    """One of the robot's sets of servo gains."""
    friction: Annotated[float | None, Field(ge=0.0)] = None
    """Friction coefficient; default 0.8."""
    payload: Annotated[float | None, Field(ge=0.0)] = None
    """Unknown mass on the robot [kg]."""
    torque: float | None = None
    """Torque limit of all joints [N m]."""
    speed_limit: float | None = None
    """Speed limit of all joints [rad/s]."""
    at_least: float | None = None
    """Share of arrivals asked, over all boards."""
    speed: float | None = None
    """Plain mean of the speed asked [cm/s]."""
    picture: Annotated[Path | None, Field(exclude=True)] = None
    """Write a picture of the boards' speeds (PNG, SVG)."""
    csv: Annotated[Path | None, Field(exclude=True)] = None
    """Write all walks here, one per line."""
    seeds: Annotated[int | None, Field(ge=1)] = None
    """Seeds per board; default: 3, or the row's."""
    first_seed: Seed = 0
    """First seed."""

    @property
    def chosen(self) -> TableRow:
        """The walks, how many seeds of each, and what is asked.

        Raises:
            AndanteError: There is no such row or board, or a number is not legal.
        """
        if self.row is not None:
            row = row_named(self.row)
            walks = row.walks_of(self.robot)
        else:
            names = TEN if self.boards == "ten" else [name.strip() for name in self.boards.split(",") if name.strip()]
            plain = WalkTask(difficulty=self.difficulty, robot=self.robot or "littledog", controller=self.controller)
            row, walks = TableRow("", {}, 3), {name: replace(plain, board=name) for name in names}
        numbers = (
            *("pose_noise", "map_error", "map_correlation", "map_shift", "map_window", "effort", "load", "gains"),
            *("friction", "payload", "torque", "speed_limit", "values"),
        )
        asked = replace(
            row.asked,
            at_least=row.asked.at_least if self.at_least is None else self.at_least,
            speed=row.asked.speed if self.speed is None else 0.01 * self.speed,
        )
        given = {name: getattr(self, name) for name in numbers}
        walks = {label: changed(task, given) for label, task in walks.items()}
        return replace(row, walks=walks, seeds=self.seeds or row.seeds, asked=asked)


def programme_score(speeds: Sequence[float]) -> float | None:
    """Mean over groups of three runs in order of the mean of their best two [m/s]; None below three runs.

    One or two runs that are left over do not count.
    """
    groups = [sorted(speeds[at : at + 3]) for at in range(0, len(speeds) - 2, 3)]
    return sum(0.5 * (group[1] + group[2]) for group in groups) / len(groups) if groups else None


def board_rows(trials: Sequence[BoardTrial], asked: BoardBars | None = None) -> list[Row]:
    """The figures of every board, then those of all together."""
    asked = asked or BoardBars()
    rows = [row for label, own in _by_label(trials).items() for row in _rows_of(label, own, asked)]
    n = len(trials)
    rows.append(share_row("all boards: arrived", [t.metrics.arrived for t in trials], asked.at_least))
    speed = _CENTIMETRES * sum(trial.speed for trial in trials) / n
    bar = None if asked.speed is None else _CENTIMETRES * asked.speed
    rows.append(rounded("all boards: speed, plain mean", speed, "cm/s", n, at_least=bar))
    score = programme_score([trial.speed for trial in trials])
    if score is not None:
        rows.append(figure("all boards: programme score", _CENTIMETRES * score, "cm/s", n, digits=4))
    rows.append(count_row("all boards: void runs", sum(trial.metrics.end == "void" for trial in trials), n))
    return rows


def table(trials: Sequence[BoardTrial]) -> list[str]:
    """One line per board, for people."""
    heads = [f"{'board':<26}{'arrived':>9}", f"{'':<35}"]
    for head, unit, wide, *_ in _COLUMNS:
        heads = [heads[0] + f"{head:>{wide}}", heads[1] + f"{unit:>{wide}}"]
    return [*heads, *(_line(label, own) for label, own in _by_label(trials).items())]


def _by_label(trials: Sequence[BoardTrial]) -> dict[str, list[BoardTrial]]:
    found: dict[str, list[BoardTrial]] = {}
    for trial in trials:
        found.setdefault(trial.label, []).append(trial)
    return found


def failures(trials: Sequence[BoardTrial]) -> list[dict[str, Any]]:
    """Walks that did not arrive, with their reasons."""
    return [
        {"seed": trial.task.seed, "reasons": [f"{trial.label}: {trial.metrics.end}: {trial.metrics.reason}"]}
        for trial in trials
        if not trial.metrics.arrived
    ]


def csv_text(trials: Sequence[BoardTrial]) -> str:
    """All walks, one per line, with a header."""
    import csv
    import io

    text = io.StringIO()
    rows = [trial.data() for trial in trials]
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
    return text.getvalue()


def _rows_of(label: str, trials: Sequence[BoardTrial], asked: BoardBars) -> list[Row]:
    rows = [share_row(f"{label}: arrived", [trial.metrics.arrived for trial in trials], asked.each_at_least)]
    for name, (value, unit, n) in _figures(trials).items():
        if value is not None and name != _REPLANNING:
            bar = asked.planning if name == _PLANNING else None
            rows.append(rounded(f"{label}: {name}", value, unit, n, at_most=bar))
    return rows


def _figures(trials: Sequence[BoardTrial]) -> dict[str, tuple[float | None, str, int]]:
    """Figure, unit and number of walks by name; None where no walk tells."""
    metrics, speeds, n = [trial.metrics for trial in trials], [trial.speed for trial in trials], len(trials)
    good = [each for each in metrics if each.arrived]
    k, score = len(good), programme_score(speeds)
    misses, planned = sum(m.misses for m in metrics), sum(m.planned for m in metrics)
    return {
        "speed, plain mean": (_CENTIMETRES * sum(speeds) / n, "cm/s", n),
        "speed, median": (_CENTIMETRES * quantile(speeds, 0.5), "cm/s", n),
        "programme score": (None if score is None else _CENTIMETRES * score, "cm/s", n),
        "missed footholds": (misses / planned if planned else None, "share", n),
        "slip of all feet, mean": (_fold(_mean, [m.slip for m in good], _CENTIMETRES), "cm", k),
        "margin, smallest": (_fold(min, [m.margin for m in good], 1e3), "mm", k),
        "energy, mean": (_fold(_mean, [m.energy / m.way for m in good]), "J/m", k),
        "cost of transport, mean": (_fold(_mean, [m.transport for m in good]), "", k),
        "other parts touch, mean": (_fold(_mean, [sum(m.brushes.values()) for m in good]), "s", k),
        _PLANNING: (_fold(max, [m.planning for m in metrics]), "s", n),
        _REPLANNING: (_fold(max, [m.replanning for m in metrics], 1e3), "ms", n),
    }


def _line(label: str, trials: Sequence[BoardTrial]) -> str:
    figures, text = _figures(trials), f"{sum(trial.metrics.arrived for trial in trials)}/{len(trials)}"
    line = f"{label:<26}{text:>9}"
    for _, unit, wide, digits, name in _COLUMNS:
        value = figures[name][0]
        scale = 100.0 if unit == "%" else 1.0
        line += f"{'-':>{wide}}" if value is None else f"{scale * value:>{wide}.{digits}f}"
    return line


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _fold(how: Callable[[list[float]], float], values: Sequence[float | None], factor: float = 1.0) -> float | None:
    known = [value for value in values if value is not None]
    return factor * how(known) if known else None


def _cases(options: BoardOptions) -> list[Case[BoardCase]]:
    check_kind(options.picture)
    chosen = options.chosen
    # A walk that makes no scenario is told before the first of many is walked.
    for task in chosen.walks.values():
        replace(task, seed=options.first_seed).scenario()
    walks = [(label, BoardCase(label, task, options.as_file)) for label, task in chosen.walks.items()]
    return seeded(walks, options.first_seed, chosen.seeds)


def _report(options: BoardOptions, results: Mapping[str, Sequence[BoardTrial]]) -> BenchReport:
    chosen, trials = options.chosen, [trial for each in results.values() for trial in each]
    rows = board_rows(trials, chosen.asked)
    about: dict[str, Any] = {
        "row": options.row,
        "as_file": options.as_file,
        "boards": list(chosen.walks),
        "first_seed": options.first_seed,
        "seeds": chosen.seeds,
    }
    about |= {"runs": [trial.data() for trial in trials], "failures": failures(trials)}
    files: dict[Path, Callable[[Path], object]] = {}
    if options.picture is not None:
        files[options.picture] = lambda path: save(boards_figure(trials), path)
    if options.csv is not None:
        files[options.csv] = lambda path: write_text(path, csv_text(trials), follow=False)
    shown = [each for each in rows if each.asked or each.name.startswith("all boards")]
    return BenchReport("boards", rows, about, ["", *table(trials), "", "All results in simulation."], shown, files)


@drawn
def boards_figure(trials: Sequence[BoardTrial]) -> Figure:
    """One row per board: a dot per walk, at its speed and shaped by its end, and a bar at the plain mean."""
    boards = _by_label(trials)
    figure = new_figure(12.0, 1.7 + 0.42 * len(boards), "Speed of every walk, by board")
    axes = figure.subplots()
    spots: dict[str, list[tuple[float, float]]] = {}
    for level, own in enumerate(boards.values()):
        for number, trial in enumerate(own):
            spread = 0.6 * ((number * _GOLDEN) % 1.0 - 0.5)
            spots.setdefault(trial.metrics.end, []).append((100.0 * trial.speed, level + spread))
        mean = 100.0 * sum(trial.speed for trial in own) / len(own)
        axes.plot([mean, mean], [level - 0.38, level + 0.38], color=INK, linewidth=3.0, solid_capstyle="butt")
        ends = Counter[str](trial.metrics.end for trial in own)
        arrived = f"{ends.pop('arrived', 0)} of {len(own)} arrived"
        told = [arrived, *(f"{ends[end]} {end}" for end in _ENDS if ends[end])]
        axes.annotate(
            ", ".join(told), (1.01, level), xycoords=("axes fraction", "data"), verticalalignment="center", fontsize=9.0
        )
    for end, (colour, shape) in _ENDS.items():
        if end in spots:
            axes.plot(*zip(*spots[end], strict=True), shape, color=colour, alpha=0.65, label=end, markeredgewidth=0.0)
    axes.plot([], [], color=INK, linewidth=3.0, label="plain mean, walks that failed count as 0")
    axes.set(xlabel="speed to the goal [cm/s]", ylim=(len(boards) - 0.5, -0.5))
    axes.set_xlim(left=min(-0.3, axes.get_xlim()[0]), right=max(20.0, axes.get_xlim()[1]))
    axes.set_yticks(range(len(boards)), list(boards))
    axes.grid(color=GRID, axis="y", linewidth=0.4)
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=8)
    return figure


def _listing(options: BoardOptions) -> list[str]:
    if options.row != _LIST:
        return []
    return [f"{name:<16}{each.what}; {each.seeds} seeds; asked: {each.asked.text}" for name, each in ROWS.items()]


SUITE = Suite("boards", BoardOptions, BoardTrial, _cases, run_board, _report, _listing)
"""The suite."""
