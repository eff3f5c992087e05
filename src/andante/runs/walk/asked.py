"""Walking what a task says, to a folder and a verdict."""

from __future__ import annotations

from pathlib import Path

from andante.runs.build import load_declared
from andante.runs.execute import RunResult, run_scenario
from andante.runs.quadruped.task import QuadrupedTask
from andante.runs.runner import Progress
from andante.runs.walk.plan import warm_up
from andante.runs.walk.task import WalkTask


def walk(
    task: WalkTask | QuadrupedTask,
    *,
    out: Path | str | None = None,
    report: bool = True,
    video: bool = False,
    progress: Progress | None = None,
) -> RunResult:
    """Walk over a board, or steered by a twist, in simulation, to a verdict.

    Args:
        task: The walk: a `WalkTask` for robots that place foot by foot, a `QuadrupedTask` for dynamic ones.
        out: Folder for log, numbers, pictures and report; None: a fresh one in ``runs``.
        report: Write the report and its pictures.
        video: Make a video.
        progress: Told the time reached and the time limit, both [s].

    Raises:
        AndanteError: Robot, board or a number is not legal, or the folder cannot be written.
    """
    scenario = task.scenario(report=report, video=video)
    if scenario.controller.type == "crawl":
        # The first plan in a process loads compiled code; that is no planning time.
        warm_up(load_declared(scenario))
    return run_scenario(scenario, None if out is None else Path(out), progress=progress)
