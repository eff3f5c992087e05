"""`andante plan`: the plan of a walk, its picture and its footsteps, without walking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.completion import boards
from andante.cli.output import Exit, command, emit
from andante.cli.progress import tell_first_compile, waiting
from andante.cli.walk_options import (
    Difficulty,
    Effort,
    Goal,
    MapCorrelation,
    MapError,
    MapShift,
    Robot,
    SpeedLimit,
    Start,
    Torque,
    Values,
)


@command
def plan(
    robot: Robot = "littledog",
    board: Annotated[
        str, typer.Option(help="Kind of board (see `andante boards`), or a terrain file.", autocompletion=boards)
    ] = "rocks",
    difficulty: Difficulty = 0.5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of board and map errors.")] = 0,
    value: Values = None,
    start: Start = None,
    goal: Goal = None,
    map_error: MapError = 0.0,
    map_correlation: MapCorrelation = 0.0,
    map_shift: MapShift = 0.0,
    effort: Effort = 1.0,
    torque: Torque = None,
    speed_limit: SpeedLimit = None,
    draw: Annotated[
        Path | None, typer.Option(help="Write a picture (PNG, SVG): footsteps, heights, margins, gait.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the footsteps here (JSON).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Plan a walk over a board: footsteps, speed and times, or why there is no way; then the exit code is 1."""
    import json

    tell_first_compile()
    from andante.documents.files import write_text
    from andante.pictures.figures import check_kind, save
    from andante.runs.walk.changes import changed
    from andante.runs.walk.pictures import walk_figure
    from andante.runs.walk.plan import plan as plan_walk
    from andante.runs.walk.task import WalkTask
    from andante.runs.walk.trace import trace_of_plan

    check_kind(draw)
    task = WalkTask(board=board, difficulty=difficulty, seed=seed, robot=robot)
    task = changed(
        task,
        start=start,
        goal=goal,
        map_error=map_error,
        map_correlation=map_correlation,
        map_shift=map_shift,
        effort=effort,
        torque=torque,
        speed_limit=speed_limit,
        values=value or (),
    )
    with waiting("planning"):
        made = plan_walk(task)
    data = made.data()
    if out is not None:
        write_text(out, json.dumps(data, indent=2, allow_nan=False) + "\n", follow=False)
    title = f"{made.robot.name} on {made.terrain.name}, difficulty {difficulty:g}, seed {seed}"
    if draw is not None and made.plan is not None:
        planned = f"{title}: planned, {100.0 * made.speed:.1f} cm/s"
        save(walk_figure(trace_of_plan(planned, made.plan, made.robot, made.terrain)), draw)
    if as_json:
        emit(data)
    elif made.plan is None:
        print(f"{title}: refused after {made.spent:.2f} s")
        print(f"  {made.answer.reason}")
    else:
        times = made.answer.times
        print(f"{title}: {len(made.plan.swings)} steps in {made.plan.duration:.2f} s, {100.0 * made.speed:.1f} cm/s")
        if not made.answer.whole:
            print(f"  a part of the way, at whose end it looks again; none leads to the goal: {made.answer.reason}")
        print(f"  given by the attempt: {made.answer.attempt}")
        print(f"  smallest margin {1e3 * data['margin']:.1f} mm, smallest angle to a limit {data['slack']:.3f} rad")
        print(f"  planned in {times.whole:.2f} s: footsteps {times.footsteps:.2f}, poses {times.stances:.2f}", end="")
        print(f", trajectory {times.trajectory:.2f} s")
        for name, path in (("picture", draw), ("footsteps", out)):
            if path is not None:
                print(f"{name}: {path}")
    raise typer.Exit(Exit.GOOD if made.answer.whole else Exit.FAILED)
