"""`andante bench SUITE`: many seeds, a table with intervals, JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.bench_boards import boards
from andante.cli.bench_fall import fall
from andante.cli.bench_getup import getup
from andante.cli.bench_kick import kick
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
    from andante.runs.motion_libraries import load_motions
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


app.command("getup")(getup)
app.command("fall")(fall)
app.command("kick")(kick)
app.command("boards")(boards)
