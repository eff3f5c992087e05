"""One walk of the suite `boards`, and what is kept of it."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass, replace
from typing import Any

from andante.robots.robot import Robot
from andante.runs.walk.metrics import WalkMetrics
from andante.runs.walk.task import WalkTask
from andante.search.errors import SearchError
from andante.search.suites.motion import run_forgotten

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


def run_board(named: tuple[str, WalkTask], seed: int) -> BoardTrial:
    """Walk one board, by label, once; the log is thrown away.

    Raises:
        AndanteError: The walk cannot be made as asked.
    """
    label, task = named[0], replace(named[1], seed=seed)
    if task.controller == "crawl":
        _warm(task.robot)
    metrics = run_forgotten(task.scenario()).metrics.walk
    if metrics is None:
        raise SearchError("the walk was over before it began: nothing was recorded", place=label, value=task.seed)
    return BoardTrial(label, task, replace(metrics, footfalls=()))


@functools.cache
def _warm(robot: str) -> None:
    """Load compiled planning code once per process, so that the first walk's planning time is that of the others."""
    from andante.runs.walk.plan import warm_up
    from andante.runs.walk.walker import as_walker, is_bare

    model = Robot.load(robot)
    warm_up(as_walker(model) if is_bare(model) else model)
