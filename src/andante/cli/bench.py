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
