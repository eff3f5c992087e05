"""`andante bench SUITE`: many seeds, a table with intervals, JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.bench_fall import fall
from andante.cli.bench_getup import getup
from andante.cli.bench_output import AsJson, FirstSeed, Out, Seeds, Workers, show
from andante.cli.output import command

app = typer.Typer(help="Benchmark suites over many seeds.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _suites() -> None:
    """Benchmark suites over many seeds."""


@app.command("motion")
@command
def motion(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file.")],
    motion: Annotated[list[str], typer.Option(help="Motion to play; repeat for several in order.")],
    robot: Annotated[str, typer.Option(help="Robot: a name, pack, MJCF or URDF.")] = "nao",
    friction: Annotated[tuple[float, float], typer.Option(help="Range of the floor's friction.")] = (0.5, 0.9),
    start: Annotated[str | None, typer.Option(help="Named start posture.")] = None,
    asked: Annotated[float | None, typer.Option(help="Share of passes below which the exit code is 1.")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 1000,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Does a motion finish without a fall, over friction and sensor noise?"""
    from andante.search.bench import rows_as_data
    from andante.search.suites.motion import motion_rows, motion_trials_scenario, run_seeds

    scenario = motion_trials_scenario(robot, library, tuple(motion), friction, start)
    trials = run_seeds(scenario, first_seed, seeds, workers)
    rows = motion_rows(trials, asked)
    failures = [{"seed": t.seed, "reasons": list(t.reasons)} for t in trials if not t.passed]
    about = {"library": library, "motions": motion, "robot": robot, "first_seed": first_seed, "seeds": seeds}
    lines = [f"seed {t.seed}: {'; '.join(t.reasons)}" for t in trials if not t.passed]
    show(rows_as_data("motion", rows, **about, failures=failures), rows, out, as_json, lines)


app.command("getup")(getup)
app.command("fall")(fall)
