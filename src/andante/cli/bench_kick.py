"""`andante bench kick`: how far and straight a NAO kicks, how long it takes, and whether it falls."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from andante.cli.bench_output import AsJson, FirstSeed, Out, Seeds, Workers, show
from andante.cli.output import command


@command
def kick(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file.")] = "nao",
    motion: Annotated[str, typer.Option(help="A kick with the right foot.")] = "kick_right",
    foot: Annotated[str, typer.Option(help="Foot that kicks: right, left (mirrored), with commas.")] = "right",
    ball: Annotated[
        tuple[float, float] | None, typer.Option(help="Where the ball lies for the right foot, x and y [m].")
    ] = None,
    on_feet: Annotated[float, typer.Option(help="Share asked without a fall.")] = 0.97,
    distance: Annotated[float, typer.Option(help="Median distance asked [m].")] = 2.0,
    direction: Annotated[float, typer.Option(help="Largest median error of the direction [deg].")] = 8.0,
    time: Annotated[float, typer.Option(help="Largest median time from stand to stand [s].")] = 2.5,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How far and straight does a NAO kick a ball, how long does it take, and does it fall?"""
    from andante.search.bench import rows_as_data
    from andante.search.suites import kick as suite

    asked = suite.Asked(on_feet, distance, math.radians(direction), time)
    cells = suite.run_feet(library, motion, suite.feet_of(foot), first_seed, seeds, workers, ball)
    rows = [row for cell in cells for row in suite.kick_rows(cell, asked)]
    about = {"library": library, "motion": motion, "first_seed": first_seed, "seeds": seeds}
    data = rows_as_data(
        "kick", rows, **about, cells=[suite.cell_data(cell) for cell in cells], failures=suite.failures(cells)
    )
    show(data, rows, out, as_json)
