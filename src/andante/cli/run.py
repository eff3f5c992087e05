"""`andante run`: a scenario, or a motion on a robot, through physics to a verdict."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.completion import libraries, motions, robots, scenarios
from andante.cli.output import Exit, command, emit, refuse
from andante.cli.progress import progress_bar

if TYPE_CHECKING:
    from andante.runs.execute import RunResult


@command
def run(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="Scenario (a shipped name or a file), or LIBRARY/MOTION; see `andante list`.", autocompletion=scenarios
        ),
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Robot: a name, pack, MJCF or URDF.", autocompletion=robots)] = None,
    library: Annotated[
        str | None, typer.Option(help="Motion library: a shipped name or a file.", autocompletion=libraries)
    ] = None,
    motion: Annotated[
        list[str] | None, typer.Option(help="Motion to play; repeat for several in order.", autocompletion=motions)
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random.")] = None,
    start: Annotated[
        str | None,
        typer.Option(help="Begin lying (front, back, left, right; it shall stand at the end) or in a posture."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for log, report and video; an earlier run in it is replaced.")
    ] = None,
    video: Annotated[
        bool | None, typer.Option("--video/--no-video", help="Make a video; default: as the scenario says.")
    ] = None,
    report: Annotated[
        bool | None, typer.Option("--report/--no-report", help="Write the HTML report; default: as the scenario says.")
    ] = None,
    allow_fall: Annotated[bool, typer.Option("--allow-fall", help="The motion may leave the feet (a dive).")] = False,
    real_time: Annotated[bool, typer.Option("--real-time", help="Keep to the wall clock.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a scenario, or motions of a library, in simulation; the verdict is the exit code."""
    from andante.runs.clock import RealTimeClock
    from andante.runs.execute import run_scenario
    from andante.runs.task import hint_of, scenario_of

    document = scenario_of(
        scenario,
        library=library,
        motion=motion or (),
        robot=robot,
        seed=seed,
        start=start,
        allow_fall=allow_fall,
        report=report,
        video=video,
    )
    hint = hint_of(document)
    if hint and not as_json:
        print(f"note: {hint}")
    on_verdict = None if as_json else partial(_judge, document.name, document.seed)
    with progress_bar() as progress:
        clock = RealTimeClock() if real_time else None
        result = run_scenario(document, out, clock=clock, progress=progress, on_verdict=on_verdict)
    if as_json:
        emit(result.data())
    else:
        _tell(result)
    if result.interrupted:
        refuse(f"interrupted; what was recorded is in {result.folder}", False)
    raise typer.Exit(Exit.GOOD if result.passed else Exit.FAILED)


def _judge(name: str, seed: int, result: RunResult) -> None:
    """The verdict, as soon as it is known."""
    metrics = result.metrics
    print(f"{name}, seed {seed}, in simulation: {result.verdict.upper()}")
    for reason in result.reasons:
        print(f"  {reason}")
    if len(result.story) > 1:
        print("  what happened:")
        for moment in result.story:
            print(f"  {moment}")
    speed = f", {metrics.real_time_factor:.0f} x real time" if metrics.real_time_factor else ""
    print(f"  {metrics.duration:.2f} s simulated{speed}; guard changed {metrics.guard_ticks} ticks", flush=True)


def _tell(result: RunResult) -> None:
    """What was made of it."""
    for note in result.notes:
        print(f"  note: {note}")
    for file in sorted(result.folder.iterdir()):
        print(f"  {file}")
