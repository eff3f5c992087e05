"""`andante run`: a scenario, or a motion on a robot, through physics to a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.asking import asking
from andante.cli.completion import libraries, motions, robots, scenarios
from andante.cli.output import Exit, Several, answer, asks_json, refuse
from andante.cli.progress import progress_bar

if TYPE_CHECKING:
    from andante.runs.execute import RunResult
    from andante.runs.scenario import Scenario


@dataclass(frozen=True)
class RunOptions:
    """What is run, and how.

    Args:
        scenario: Scenario (a shipped name or a file), LIBRARY/MOTION, or LIBRARY/get-up for
            whatever motion fits; see `andante list`.
        robot: Robot: a name, pack, MJCF, URDF or SDF.
        library: Motion library: a shipped name or a file.
        motion: Motion to play; repeat for several in order.
        backend: What is moved: KIND, KIND=ADDRESS as udp=192.168.1.5:9870, or a YAML file with its settings; see
            `andante hardware list`.
        seed: Seed of everything random.
        start: Begin lying (front, back, left, right; it shall stand at the end) or in a posture.
        values: PATH=VALUE: change a value of the scenario, as controller.local.nmpc.weights[3]=60 or
            world.friction=0.4; repeat. See `andante params`.
        out: Folder for log, report and video; an earlier run in it is replaced.
        video: Make a video; default: as the scenario says.
        report: Write the HTML report; default: as the scenario says.
        allow_fall: The motion may leave the feet (a dive).
        real_time: Keep to the wall clock.
        twins: Run it in other settings of the solver, too, and tell which give another verdict.
    """

    scenario: Annotated[str | None, typer.Argument(autocompletion=scenarios)] = None
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None
    library: Annotated[str | None, typer.Option(autocompletion=libraries)] = None
    motion: Annotated[Several, typer.Option(autocompletion=motions)] = None
    backend: str | None = None
    seed: Annotated[int | None, typer.Option(min=0)] = None
    start: str | None = None
    values: Annotated[Several, typer.Option("--set")] = None
    out: Path | None = None
    video: Annotated[bool | None, typer.Option()] = None
    report: Annotated[bool | None, typer.Option()] = None
    allow_fall: bool = False
    real_time: bool = False
    twins: bool = False


@asking(RunOptions)
def run(asked: RunOptions) -> None:
    """Run a scenario, or motions of a library, in simulation; the verdict is the exit code."""
    given = dict(vars(asked))
    what, motion, settings = given.pop("scenario"), given.pop("motion") or (), given.pop("values") or ()
    run_with(what=what, motion=motion, settings=settings, **given)


def run_with(out: Path | None, *, real_time: bool = False, twins: bool = False, **asked: Any) -> None:
    """Run what `scenario_of` makes of what is asked, tell it, and leave with its verdict."""
    from andante.runs.execute import run_scenario
    from andante.runs.loop.clock import RealTimeClock
    from andante.runs.task import binding_note, hint_of, scenario_of

    document = scenario_of(**asked)
    if not asks_json():
        for told in filter(None, (binding_note(document), hint_of(document))):
            print(f"note: {told}")
    on_verdict = None if asks_json() else partial(judged, document.name, document.seed)
    with progress_bar() as progress:
        clock = RealTimeClock() if real_time else None
        result = run_scenario(document, out, clock=clock, progress=progress, on_verdict=on_verdict)
    held = _held(document, result) if twins else {}
    answer(result.data() | held, made_of(result))
    leave(result)


def judged(name: str, seed: int, result: RunResult) -> None:
    """The verdict, as soon as it is known."""
    metrics = result.metrics
    print(f"{name}, seed {seed}, {where(result)}: {result.verdict.upper()}")
    for reason in result.reasons:
        print(f"  {reason}")
    # One moment says no more than the verdict, unless that asks for a cause.
    if len(result.story) > (1 if result.verdict == "pass" else 0):
        print("  what happened:")
        for moment in result.story:
            print(f"  {moment}")
    factor = metrics.real_time_factor or 0.0
    # Slower than real time is what some ask about: "0 x" would tell nothing.
    speed = f", {factor:.{0 if factor >= 1.0 else 2}f} x real time" if factor else ""
    made = "simulated" if result.evidence.startswith("simulation") else "recorded"
    print(f"  {metrics.duration:.2f} s {made}{speed}; guard changed {metrics.guard_ticks} ticks", flush=True)


def where(result: RunResult) -> str:
    """What a result rests on, for people."""
    if result.evidence.startswith("simulation"):
        return f"in {result.evidence}"
    return "on the robot" if result.evidence == "robot" else f"by {result.evidence}"


def _held(document: Scenario, result: RunResult) -> dict[str, Any]:
    """What the twins say of a run; told, and given as plain data."""
    from andante.search.judging.judging import differing_twins

    differing, asked = differing_twins(document, result.passed)
    if not asks_json():
        others = f", not in {', '.join(differing)}" if differing else ""
        print(f"  the verdict holds in {asked - len(differing)} of {asked} other settings of the solver{others}")
    return {"twins": {"asked": asked, "differing": differing}}


def made_of(result: RunResult) -> Iterator[str]:
    """What was made of a run: its notes and files."""
    yield from (f"  note: {note}" for note in result.notes)
    yield from (f"  {file}" for file in sorted(result.folder.iterdir()))


def leave(result: RunResult) -> None:
    """Leave with the verdict of a run as exit code."""
    if result.interrupted:
        refuse(f"interrupted; what was recorded is in {result.folder}", False)
    if not result.passed:
        raise typer.Exit(Exit.FAILED)
