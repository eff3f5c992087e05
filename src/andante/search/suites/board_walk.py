"""One walk of the suite `boards`: a trial of its experiment, with planning code that is compiled before."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.runs.tasks.walk.plan import warm_up
from andante.runs.tasks.walk.task import WalkTask
from andante.runs.tasks.walk.walker import as_walker, is_bare
from andante.search.errors import SearchError
from andante.search.experiment.trial import TrialResult, TrialSetup, run_trial
from andante.terrain.files.save import save_heights


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
    with _as_file(replace(task, seed=seed)) if setup.as_file else _as_board(task) as walked:
        result = run_trial(replace(setup.trial, base=walked), seed)
    walk = result.metrics["walk"]
    if walk is None:
        raise SearchError("the walk was over before it began: nothing was recorded", place=task.board, value=seed)
    kept = {name: value for name, value in walk.items() if name != "footfalls"}
    return replace(result, metrics=result.metrics | {"walk": kept})


@contextmanager
def _as_board(task: WalkTask) -> Iterator[WalkTask]:
    yield task


@contextmanager
def _as_file(task: WalkTask) -> Iterator[WalkTask]:
    """The walk over a file of the heights of its board, which is there as long as the context."""
    terrain = task.choice(LeggedBody.of(_walker(task.robot)).leg_length).load()
    with tempfile.TemporaryDirectory(prefix="andante-board-") as folder:
        path = Path(folder) / f"{terrain.name}.npz"
        save_heights(path, terrain.heights)
        start, goal = task.start or terrain.start, task.goal or terrain.goal
        yield replace(task, board=str(path), values={}, start=start, goal=goal)


def _walker(robot: str) -> Robot:
    model = Robot.load(robot)
    return as_walker(model) if is_bare(model) else model


@functools.cache
def _warm(robot: str) -> None:
    """Load compiled planning code once per process, so that the first walk's planning time is that of the others."""
    warm_up(_walker(robot))
