"""`andante bench fall`: how hard trunk and head hit the floor when a standing robot is pushed over."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.bench_output import AsJson, FirstSeed, Out, Seeds, Workers, show
from andante.cli.output import command


@command
def fall(
    library: Annotated[str, typer.Option(help="Motion library: a shipped name or a file or folder.")] = "nao",
    direction: Annotated[str, typer.Option(help="Where to: forward, backward, with commas.")] = "forward,backward",
    spread: Annotated[str, typer.Option(help="How harsh the world is: none, standard, noisy, wide.")] = "standard",
    contact_time: Annotated[
        float, typer.Option(min=0.004, max=0.05, help="Time constant of the contacts [s]; peak forces depend on it.")
    ] = 0.008,
    at_most: Annotated[
        float | None, typer.Option(help="Largest share of a limp fall's peak force on trunk and head.")
    ] = None,
    again: Annotated[float | None, typer.Option(help="Share asked to stand again by itself.")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How hard do trunk and head hit the floor, against a limp and a stiff fall after the same push?"""
    from andante.search.suites.fall import directions_of, fall_data, fall_rows, run_falls
    from andante.search.suites.fall_trial import Pushed, Way
    from andante.search.suites.getup import spread_named
    from andante.search.suites.getup_spread import SPREADS

    directions = directions_of(direction)
    pushed = Pushed(library, directions[0], Way.ENGINE, SPREADS[spread_named(spread)], contact_time)
    trials = run_falls(pushed, directions, first_seed, seeds, workers)
    rows = fall_rows(trials, at_most, again)
    about = {
        "library": library,
        "spread": spread,
        "contact_time": contact_time,
        "first_seed": first_seed,
        "seeds": seeds,
    }
    show(fall_data(trials, rows, **about), rows, out, as_json)
