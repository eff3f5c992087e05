"""`andante run`: a scenario, or a motion on a robot, through physics to a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.output import Exit, command, emit, refuse
from andante.cli.progress import progress_bar

if TYPE_CHECKING:
    from andante.runs.execute import RunResult


@command
def run(
    scenario: Annotated[str | None, typer.Argument(help="Scenario: a shipped name or a file.")] = None,
    robot: Annotated[str | None, typer.Option(help="Robot: a name, pack, MJCF or URDF.")] = None,
    library: Annotated[str | None, typer.Option(help="Motion library: a shipped name or a file.")] = None,
    motion: Annotated[list[str] | None, typer.Option(help="Motion to play; repeat for several in order.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything random.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for log, report and video.")] = None,
    video: Annotated[bool, typer.Option("--video/--no-video", help="Make a video.")] = True,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write the HTML report.")] = True,
    allow_fall: Annotated[bool, typer.Option("--allow-fall", help="The motion may leave the feet (a dive).")] = False,
    real_time: Annotated[bool, typer.Option("--real-time", help="Keep to the wall clock.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a scenario, or motions of a library, in simulation; the verdict is the exit code."""
    from andante.runs.clock import RealTimeClock
    from andante.runs.execute import run_scenario
    from andante.runs.scenario_files import Overrides, load_scenario, motion_scenario, overridden

    motions = tuple(motion or ())
    if scenario is not None:
        document = load_scenario(scenario)
    elif motions and library is not None:
        document = motion_scenario(robot or "nao", library, motions)
    else:
        refuse("name a scenario, or give --library and --motion", as_json)
    document = overridden(
        document,
        Overrides(
            robot=robot,
            library=library,
            motions=motions or None,
            seed=seed,
            video=None if video else False,
            report=None if report else False,
            allow_fall=allow_fall,
        ),
    )
    with progress_bar() as progress:
        result = run_scenario(document, out, clock=RealTimeClock() if real_time else None, progress=progress)
    if as_json:
        emit(result.data())
    else:
        _tell(document.name, document.seed, result)
    if result.interrupted:
        refuse(f"interrupted; what was recorded is in {result.folder}", False)
    raise typer.Exit(Exit.GOOD if result.passed else Exit.FAILED)


def _tell(name: str, seed: int, result: RunResult) -> None:
    metrics = result.metrics
    print(f"{name}, seed {seed}, in simulation: {result.verdict.upper()}")
    for reason in result.reasons:
        print(f"  {reason}")
    if len(result.story) > 1:
        print("  what happened:")
        for moment in result.story:
            print(f"  {moment}")
    for note in result.notes:
        print(f"  note: {note}")
    speed = f", {metrics.real_time_factor:.0f} x real time" if metrics.real_time_factor else ""
    print(f"  {metrics.duration:.2f} s simulated{speed}; guard changed {metrics.guard_ticks} ticks")
    for file in sorted(result.folder.iterdir()):
        print(f"  {file}")
