"""`andante bench SUITE`: many seeds, a table with intervals, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import Exit, command, emit

if TYPE_CHECKING:
    from andante.search.bench import Row

app = typer.Typer(help="Benchmark suites over many seeds.", no_args_is_help=True, rich_markup_mode=None)

Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds.")]
FirstSeed = Annotated[int, typer.Option(min=0, help="First seed.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes; results do not depend on it.")]
Out = Annotated[Path | None, typer.Option(help="Write the JSON object here too.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


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
    show(rows_as_data("motion", rows, **about, failures=failures), rows, out, as_json)


@app.command("scenario")
@command
def scenario(
    scenario: Annotated[str, typer.Argument(help="Scenario: a shipped name or a file.")],
    asked: Annotated[float | None, typer.Option(help="Share of passes below which the exit code is 1.")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 1000,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Does a scenario pass, over seeds?"""
    from andante.runs.scenario_files import load_scenario
    from andante.search.bench import rows_as_data
    from andante.search.suites.motion import motion_rows, run_seeds, travel_rows

    trials = run_seeds(load_scenario(scenario), first_seed, seeds, workers)
    rows = motion_rows(trials, asked) + travel_rows(trials)
    failures = [{"seed": t.seed, "reasons": list(t.reasons)} for t in trials if not t.passed]
    about = {"scenario": scenario, "first_seed": first_seed, "seeds": seeds}
    show(rows_as_data("scenario", rows, **about, failures=failures), rows, out, as_json)


@app.command("getup")
@command
def getup(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file or folder.")] = "nao",
    start: Annotated[
        str, typer.Option(help="How the robot lies: front, back, left, right, with commas.")
    ] = "front,back",
    spread: Annotated[str, typer.Option(help="How harsh the world is: none, standard, noisy, wide.")] = "standard",
    compensation: Annotated[bool, typer.Option(help="Stuck-joint compensation.")] = True,
    balance: Annotated[bool, typer.Option(help="Balancer.")] = True,
    waits: Annotated[bool, typer.Option(help="Waiting for conditions.")] = True,
    branches: Annotated[bool, typer.Option(help="Branches.")] = True,
    break_up: Annotated[bool, typer.Option(help="Break-up when the torso leaves its window.")] = True,
    tries: Annotated[int, typer.Option(min=1, help="Tries before a trial counts as failed.")] = 3,
    asked: Annotated[float | None, typer.Option(help="First-try share below which the exit code is 1.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Write a picture of where tries fail (SVG).")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Does a NAO that lies on the floor stand up?"""
    from andante.control.keyframes.configuration import EngineConfig
    from andante.search.bench import rows_as_data
    from andante.search.suites.getup import cell_data, cell_rows, run_cells, spread_named, starts_of
    from andante.search.suites.getup_picture import failure_picture
    from andante.search.suites.getup_spread import SPREADS
    from andante.search.suites.getup_trial import Setup

    engine = EngineConfig(compensation=compensation, balance=balance, waits=waits, branches=branches, break_up=break_up)
    starts = starts_of(start)
    setup = Setup(library, starts[0], SPREADS[spread_named(spread)], engine, tries=tries)
    cells = run_cells(setup, starts, first_seed, seeds, workers)
    rows = [row for name, trials in cells for row in cell_rows(name, trials, asked)]
    about = {"library": library, "spread": spread, "first_seed": first_seed, "seeds": seeds, "tries": tries}
    parts = {name: getattr(engine, name) for name in ("compensation", "balance", "waits", "branches", "break_up")}
    if picture is not None:
        picture.write_text(failure_picture(f"Get-ups of {library}, spread {spread}", cells), encoding="utf-8")
    stopped = [
        {
            "seed": trial.seed,
            "reasons": [f"{name}: {s.block}[{s.keyframe}] at {s.time:.2f} s: {s.why}" for s in trial.stops],
        }
        for name, trials in cells
        for trial in trials
        if trial.stops
    ]
    data = rows_as_data(
        "getup", rows, **about, engine=parts, cells=[cell_data(*cell) for cell in cells], failures=stopped
    )
    show(data, rows, out, as_json)


@app.command("aibo")
@command
def aibo(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file.")] = "ers7",
    motion: Annotated[list[str] | None, typer.Option(help="Motion; repeat for several. Default: all.")] = None,
    friction: Annotated[tuple[float, float], typer.Option(help="Range of the floor's friction.")] = (0.5, 0.9),
    asked: Annotated[float | None, typer.Option(help="Share below which the exit code is 1.")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Do an AIBO's motions stay on their feet, pass their checks, and kick the ball?"""
    from andante.search.bench import rows_as_data
    from andante.search.suites import aibo as suite

    measured = suite.measure_motions(library, motion or (), first_seed, seeds, workers, friction)
    rows = suite.rows(measured, asked)
    about = {"library": library, "friction": friction, "first_seed": first_seed, "seeds": seeds}
    data = rows_as_data(
        "aibo", rows, **about, motions=[suite.data_of(each) for each in measured], failures=suite.failures(measured)
    )
    show(data, rows, out, as_json)


@app.command("openr")
@command
def openr(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file.")] = "ers7",
    motion: Annotated[list[str] | None, typer.Option(help="Motion; repeat for several. Default: all.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Stop at every tick (1), every second (2), ...")] = 1,
    physics: Annotated[bool, typer.Option("--physics", help="Stop in physics too: does it fall?")] = False,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Is a stop obeyed at every tick of a motion, and is the stream the same for 1, 4 and 16 frames?"""
    from andante.robots.robot import Robot
    from andante.runs.build import load_motions
    from andante.search.bench import rows_as_data
    from andante.search.suites import openr as suite

    stops = suite.sweep(library, motion or (), workers, every)
    document = load_motions(library)
    unequal = suite.unequal_streams(document, Robot.load(document.robot), motion or ())
    halts = suite.halts(library, motion or (), every, workers) if physics else []
    rows = suite.rows(stops, unequal) + (suite.halt_rows(halts) if halts else [])
    falls = [suite.data_of(halt) for halt in halts if halt.fell]
    about = {"library": library, "every": every, "unequal": unequal, "falls": falls}
    show(rows_as_data("openr", rows, **about, stops=[suite.data_of(each) for each in stops]), rows, out, as_json)


def show(data: dict[str, Any], rows: list[Row], out: Path | None, as_json: bool) -> None:
    """Print and write a benchmark's rows; leave with 1 where a row misses what was asked."""
    import json

    if out is not None:
        out.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    if as_json:
        emit(data)
    else:
        for row in rows:
            interval = f"  [{row.interval[0]:.3f}, {row.interval[1]:.3f}]" if row.interval else ""
            asked = f"  asked {row.asked}: {'met' if row.ok else 'MISSED'}" if row.asked else ""
            print(f"{row.name:<28}{row.value:>9.4g} {row.unit:<6} n={row.n}{interval}{asked}")
        for failure in data.get("failures", []):
            print(f"seed {failure['seed']}: {'; '.join(failure['reasons'])}")
    raise typer.Exit(Exit.FAILED if any(row.ok is False for row in rows) else Exit.GOOD)
