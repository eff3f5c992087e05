"""`andante bench getup`: does a robot that lies stand up, with which parts of the engine, and with which faults?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.bench_output import AsJson, FirstSeed, Out, Seeds, Workers, show
from andante.cli.output import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from andante.search.bench import Row
    from andante.search.suites.getup_spread import StartName
    from andante.search.suites.getup_trial import Setup

    Shown = tuple[dict[str, Any], Sequence[Row], Sequence[str]]


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
    pauses: Annotated[bool, typer.Option(help="Pauses of a keyframe while the hip yaw pitch lags.")] = True,
    faults: Annotated[
        bool, typer.Option("--faults", help="The fault table: the hip yaw pitch locks or runs dry, four engines.")
    ] = False,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="What waits, balance, compensation, branches and pauses are worth each.")
    ] = False,
    at: Annotated[
        list[str] | None,
        typer.Option(help="With --faults or --ablate: where the joint locks, as start:block[keyframe]; repeat."),
    ] = None,
    lasting: Annotated[
        list[float] | None, typer.Option(min=0.01, help="With --faults or --ablate: for how long [s]; repeat.")
    ] = None,
    tries: Annotated[int, typer.Option(min=1, help="Tries before a trial counts as failed.")] = 3,
    asked: Annotated[
        float | None,
        typer.Option(help="First-try share (--faults: share in every cell) below which the exit code is 1."),
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Write a picture of where tries fail (PNG, SVG).")] = None,
    seeds: Seeds = 20,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Does a NAO that lies on the floor stand up?"""
    from andante.control.keyframes.configuration import EngineConfig
    from andante.search.errors import SearchError
    from andante.search.suites.getup import spread_named, starts_of
    from andante.search.suites.getup_spread import SPREADS
    from andante.search.suites.getup_trial import Setup

    engine = EngineConfig(
        compensation=compensation, balance=balance, waits=waits, branches=branches, break_up=break_up, pauses=pauses
    )
    starts = starts_of(start)
    setup = Setup(library, starts[0], SPREADS[spread_named(spread)], engine, tries=tries)
    if faults and ablate:
        raise SearchError("--faults and --ablate are two tables", remedy="ask for one at a time")
    if (faults or ablate) and (engine != EngineConfig() or picture is not None):
        raise SearchError("a table has its own variants of the engine, and no picture", remedy="leave the others out")
    if (at or lasting) and not (faults or ablate):
        raise SearchError("--at and --lasting belong to a table", remedy="add --faults or --ablate")
    if faults:
        shown = _faults(setup, at or (), lasting, asked, (first_seed, seeds, workers))
    elif ablate:
        shown = _ablate(setup, starts, at or (), lasting, (first_seed, seeds, workers))
    else:
        shown = _plain(setup, starts, asked, picture, (first_seed, seeds, workers))
    show(shown[0], shown[1], out, as_json, shown[2])


def _about(setup: Setup, sample: tuple[int, int, int]) -> dict[str, Any]:
    return {
        "library": setup.library,
        "spread": setup.spread.name,
        "first_seed": sample[0],
        "seeds": sample[1],
        "tries": setup.tries,
    }


def _plain(
    setup: Setup,
    starts: tuple[StartName, ...],
    asked: float | None,
    picture: Path | None,
    sample: tuple[int, int, int],
) -> Shown:
    """Success, times, loads and failures of one engine."""
    from andante.pictures.figures import check_kind, save
    from andante.search.bench import rows_as_data
    from andante.search.suites.getup import cell_data, cell_rows, run_cells
    from andante.search.suites.getup_picture import failure_figure

    check_kind(picture)
    cells = run_cells(setup, starts, *sample)
    rows = [row for name, trials in cells for row in cell_rows(name, trials, asked)]
    names = ("compensation", "balance", "waits", "branches", "break_up", "pauses")
    if picture is not None:
        title = f"Get-ups of {setup.library}, spread {setup.spread.name}"
        save(failure_figure(title, cells), picture)
    stopped: list[dict[str, Any]] = [
        {
            "seed": trial.seed,
            "reasons": [f"{name}: {s.block}[{s.keyframe}] at {s.time:.2f} s: {s.why}" for s in trial.stops],
        }
        for name, trials in cells
        for trial in trials
        if trial.stops
    ]
    data = rows_as_data(
        "getup",
        rows,
        **_about(setup, sample),
        engine={name: getattr(setup.engine, name) for name in names},
        cells=[cell_data(*cell) for cell in cells],
        failures=stopped,
    )
    return data, rows, ()


def _faults(
    setup: Setup, at: Sequence[str], lasting: Sequence[float] | None, asked: float | None, sample: tuple[int, int, int]
) -> Shown:
    """The fault table; where places are named, dry friction is left out."""
    from andante.search.suites.getup_faults import (
        DURATIONS,
        FRICTIONS,
        fault_data,
        fault_rows,
        fault_text,
        run_faults,
        troubles,
    )

    wanted = troubles(setup.library, at, lasting or DURATIONS, () if at else FRICTIONS)
    cells = run_faults(setup, wanted, *sample)
    rows = fault_rows(cells, asked)
    return fault_data(cells, rows, **_about(setup, sample)), rows, fault_text(cells)


def _ablate(
    setup: Setup,
    starts: tuple[StartName, ...],
    at: Sequence[str],
    lasting: Sequence[float] | None,
    sample: tuple[int, int, int],
) -> Shown:
    """The ablations, of each start as it is and of each place where the joint locks."""
    from andante.search.suites.getup_ablation import ablation_data, ablation_rows, ablation_text, run_ablations
    from andante.search.suites.getup_faults import troubles

    locked = troubles(setup.library, at, lasting or (0.6,), ()) if at else []
    conditions = [*((start, None) for start in starts), *((trouble.start, trouble) for trouble in locked)]
    ablations = run_ablations(setup, conditions, *sample)
    rows = ablation_rows(ablations)
    return ablation_data(ablations, rows, **_about(setup, sample)), rows, ablation_text(ablations)
