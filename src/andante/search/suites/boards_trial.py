"""One walk of the suite `boards`, and what is kept of it."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.runs.tasks.walk.metrics import WalkMetrics
from andante.runs.tasks.walk.task import WalkTask
from andante.runs.tasks.walk.walker import as_walker, is_bare
from andante.search.errors import SearchError
from andante.search.experiment.trial import run_forgotten
from andante.terrain.files.save import save_heights

_KEPT = 6


@dataclass(frozen=True)
class BoardTrial:
    """One walk."""

    label: str
    """Name of the board, with its parameters where several of a kind are walked."""
    task: WalkTask
    """What was asked."""
    metrics: WalkMetrics
    """The numbers, without the single footfalls."""

    @property
    def speed(self) -> float:
        """Speed to the goal, 0 for a walk that did not count [m/s]."""
        return self.metrics.speed

    def data(self) -> dict[str, Any]:
        """The trial as plain data; times by the wall clock apart, since they differ from run to run."""
        values = asdict(self.metrics)
        del values["footfalls"]
        return {"board": self.label, "seed": self.task.seed} | {
            name: round(value, _KEPT) if isinstance(value, float) else value for name, value in values.items()
        }


@dataclass(frozen=True)
class BoardCase:
    """What is walked with every seed."""

    label: str
    """Name of the board, with its parameters where several of a kind are walked."""
    task: WalkTask
    """The walk."""
    as_file: bool = False
    """Whether the board is walked as a file of its heights: nothing but these is known of it then."""


def run_board(case: BoardCase, seed: int) -> BoardTrial:
    """Walk one board once; the log is thrown away.

    Raises:
        AndanteError: The walk cannot be made as asked.
    """
    label, task = case.label, replace(case.task, seed=seed)
    if task.controller == "crawl":
        _warm(task.robot)
    with _as_file(task) if case.as_file else _as_board(task) as walked:
        metrics = run_forgotten(walked.scenario()).metrics.walk
    if metrics is None:
        raise SearchError("the walk was over before it began: nothing was recorded", place=label, value=task.seed)
    return BoardTrial(label, task, replace(metrics, footfalls=()))


@contextmanager
def _as_board(task: WalkTask) -> Iterator[WalkTask]:
    yield task


@contextmanager
def _as_file(task: WalkTask) -> Iterator[WalkTask]:
    """The walk over a file of the heights of its board, which is there as long as the context."""
    robot = Robot.load(task.robot)
    terrain = task.choice(LeggedBody.of(as_walker(robot) if is_bare(robot) else robot).leg_length).load()
    with tempfile.TemporaryDirectory(prefix="andante-board-") as folder:
        path = Path(folder) / f"{terrain.name}.npz"
        save_heights(path, terrain.heights)
        start, goal = task.start or terrain.start, task.goal or terrain.goal
        yield replace(task, board=str(path), values={}, start=start, goal=goal)


@functools.cache
def _warm(robot: str) -> None:
    """Load compiled planning code once per process, so that the first walk's planning time is that of the others."""
    from andante.runs.tasks.walk.plan import warm_up

    model = Robot.load(robot)
    warm_up(as_walker(model) if is_bare(model) else model)
