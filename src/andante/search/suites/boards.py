"""The suite `boards`: the experiment of that name over boards by name or file, and walks as their options say."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from andante.documents.files import write_text
from andante.documents.paths import by_path
from andante.kinematics.leg_table import LeggedBody
from andante.pictures.figures import check_kind, save
from andante.robots.robot import Robot
from andante.runs.idle_options import refuse_idle
from andante.runs.tasks.walk.plan import warm_up
from andante.runs.tasks.walk.task import WalkTask, walk_fields
from andante.runs.tasks.walk.walker import as_walker, is_bare
from andante.search.errors import SearchError
from andante.search.experiment.cases import groups_of, table_of, with_changes
from andante.search.experiment.document import Axis, Experiment, Variant
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import cases_of, listing_of, report_of, suite_of, with_values
from andante.search.experiment.trial import ENDED, TrialResult, TrialSetup, ended_trial, run_trial
from andante.search.scratch import in_folder
from andante.search.suite import BenchReport, Case, Options, Seed, Suite, names_of
from andante.search.suites.boards_picture import boards_figure
from andante.terrain.boards.make import SUITE as TEN
from andante.terrain.files.save import save_heights

EXPERIMENT = EXPERIMENTS["boards"]
_BARS = {
    "at_least": "figures.'all boards: arrived'.at_least",
    "speed": "figures.'all boards: speed, plain mean'.at_least",
}
"""What options ask for."""
_USUAL = {"walk.difficulty": 0.5, "walk.controller": "crawl"}
"""How boards are walked that no row names."""
_KEPT = 6
"""Digits after the point of a number in the CSV file."""


class BoardOptions(Options):
    """What the suite can be asked."""

    boards: str | None = None
    """Kinds of boards or files with commas; ten: the ten; default: ten, or the row's."""
    row: str | None = None
    """A named row: walks, seeds and what is asked; list: all rows."""
    as_file: bool = False
    """Walk each board as a file of its heights, which says nothing else of it."""
    robot: str | None = None
    """Robot: name, pack, MJCF or URDF; default: LittleDog."""
    controller: str | None = None
    """auto, crawl, reactive-crawl or trot; default: crawl, or the row's."""
    difficulty: float | None = None
    """Difficulty of the board, 0 to 1; default: 0.5, or the row's."""
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


def asked(options: BoardOptions) -> Experiment:
    """The row, or the boards, with what the options change of every walk.

    Raises:
        AndanteError: There is no such row or board, or a number is not legal.
    """
    if options.row is not None:
        refuse_idle({"--boards": options.boards}, "a row, which names its boards")
        (row,) = names_of(options.row, EXPERIMENT.tables, "--row")
        part = table_of(EXPERIMENT, row, options.robot)
    else:
        boards = options.boards or "ten"
        names = TEN if boards == "ten" else [name.strip() for name in boards.split(",") if name.strip()]
        axis = Axis(variants={name: Variant(set={"walk.board": name}) for name in names})
        part = with_changes(EXPERIMENT.but(axes={"board": axis}, tables={}), _USUAL)
    given = options.model_dump(exclude={"boards", "speed"})
    axes = {name: axis.but(variants=_changed(axis.variants, given)) for name, axis in part.axes.items()}
    bars = {path: getattr(options, name) for name, path in _BARS.items() if getattr(options, name) is not None}
    part = with_changes(part.but(axes=axes), bars)
    pairs = [pair for pair in options.values if by_path(pair)]
    return with_values(part, pairs) if pairs else part


def _changed(variants: Mapping[str, Variant], given: Mapping[str, Any]) -> dict[str, Variant]:
    """Walks with what was asked for, in the command line's units."""
    found = {}
    for label, each in variants.items():
        fields = walk_fields({**given, "board": each.set["walk.board"]})
        values = {f"walk.values.{name}": value for name, value in fields.pop("values", {}).items()}
        fields.pop("settings", None)
        own = {f"walk.{name}": value for name, value in fields.items()}
        found[label] = each.but(set={**each.set, **own, **values})
    return found


@dataclass(frozen=True)
class BoardSetup:
    """What is walked with every seed; picklable."""

    trial: TrialSetup
    """The walk."""
    as_file: bool = False
    """Whether the board is walked as a file of its heights: nothing but these is known of it then."""


def run_board(setup: BoardSetup, seed: int) -> TrialResult:
    """Walk one board once; what is kept has no single footfalls.

    Raises:
        AndanteError: The walk cannot be made as asked.
    """
    task = setup.trial.base
    if not isinstance(task, WalkTask):
        raise SearchError("is no walk", value=type(task).__name__)
    if task.controller == "crawl":
        _warm(task.robot)
    if setup.as_file:
        seeded = replace(task, seed=seed)
        result = in_folder(
            "andante-board-", lambda folder: run_trial(replace(setup.trial, base=_as_file(seeded, folder)), seed)
        )
    else:
        result = run_trial(replace(setup.trial, base=task), seed)
    walk = result.metrics["walk"]
    if walk is None:
        raise SearchError("the walk was over before it began: nothing was recorded", place=task.board, value=seed)
    kept = {name: value for name, value in walk.items() if name != "footfalls"}
    return replace(result, metrics=result.metrics | {"walk": kept})


def _as_file(task: WalkTask, folder: Path) -> WalkTask:
    """The walk over a file of the heights of its board, which is written into a folder."""
    terrain = task.choice(LeggedBody.of(_walker(task.robot)).leg_length).load()
    path = folder / f"{terrain.name}.npz"
    save_heights(path, terrain.heights)
    start, goal = task.start or terrain.start, task.goal or terrain.goal
    return replace(task, board=str(path), values={}, start=start, goal=goal)


def _walker(robot: str) -> Robot:
    model = Robot.load(robot)
    return as_walker(model) if is_bare(model) else model


@functools.cache
def _warm(robot: str) -> None:
    """Load compiled planning code once per process, so that the first walk's planning time is that of the others."""
    warm_up(_walker(robot))


def csv_text(boards: Mapping[str, Sequence[TrialResult]]) -> str:
    """All walks, one per line, with a header; one that was ended at a limit has that as its end, and no number."""
    text = io.StringIO()
    rows = [{"board": label, "seed": trial.seed, **_told(trial)} for label, own in boards.items() for trial in own]
    # A walk that was ended has fewer columns than one that was walked to its end.
    columns: list[str] = max((list(row) for row in rows), key=len, default=[])
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def _told(trial: TrialResult) -> Mapping[str, Any]:
    if ENDED in trial.metrics:
        return {"end": "ended", "reason": trial.metrics[ENDED]}
    walk: Mapping[str, Any] = trial.metrics["walk"]
    return walk


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _KEPT)
    return "" if value is None else tuple(value) if isinstance(value, list) else value


def _cases(options: BoardOptions) -> list[Case[BoardSetup]]:
    check_kind(options.picture)
    return [
        Case(each.group, BoardSetup(each.setup, options.as_file), each.seed)
        for each in cases_of([asked(options)], options)
    ]


def _report(options: BoardOptions, results: Mapping[str, Sequence[TrialResult]]) -> BenchReport:
    part = asked(options)
    boards = {group.title: results[group.name] for group in groups_of(part)}
    files: dict[Path, Callable[[Path], object]] = {}
    if options.picture is not None:
        files[options.picture] = lambda path: save(boards_figure(boards), path)
    if options.csv is not None:
        files[options.csv] = lambda path: write_text(path, csv_text(boards), follow=False)
    report = report_of([part], options, results)
    return replace(report, files={**report.files, **files})


SUITE = Suite(
    EXPERIMENT.name,
    BoardOptions,
    TrialResult,
    _cases,
    run_board,
    _report,
    lambda options: listing_of(EXPERIMENT, options.row),
    document=suite_of(EXPERIMENT).document,
    experiments=lambda options: [asked(options)],
    ended=lambda setup, seed, why: ended_trial(setup.trial, seed, why),
)
"""The suite."""
