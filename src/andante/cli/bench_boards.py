"""`andante bench boards`: does a robot cross boards that it has never seen, how fast, and how safely?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.bench_output import AsJson, FirstSeed, Out, Workers, show
from andante.cli.output import command
from andante.cli.walk_options import Controller, Difficulty, Values, changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from andante.runs.walk.task import WalkTask


@command
def boards(
    board: Annotated[str, typer.Option("--boards", help="Kinds of boards or files with commas; ten: the ten.")] = "ten",
    row: Annotated[
        str | None, typer.Option(help="A named row: walks, seeds and what is asked; list: all rows.")
    ] = None,
    robot: Annotated[str | None, typer.Option(help="Robot: name, pack, MJCF or URDF; default: LittleDog.")] = None,
    controller: Controller = "crawl",
    difficulty: Difficulty = 0.5,
    value: Values = None,
    pose_noise: Annotated[str | None, typer.Option(help="Noise of the motion capture: MM,DEG; default 3,0.5.")] = None,
    map_error: Annotated[float | None, typer.Option(min=0.0, help="Error of the planner's map [mm].")] = None,
    friction: Annotated[float | None, typer.Option(min=0.0, help="Friction coefficient; default 0.8.")] = None,
    payload: Annotated[float | None, typer.Option(min=0.0, help="Unknown mass on the robot [kg].")] = None,
    torque: Annotated[float | None, typer.Option(help="Torque limit of all joints [N m].")] = None,
    speed_limit: Annotated[float | None, typer.Option(help="Speed limit of all joints [rad/s].")] = None,
    at_least: Annotated[float | None, typer.Option(help="Share of arrivals asked, over all boards.")] = None,
    speed: Annotated[float | None, typer.Option(help="Plain mean of the speed asked [cm/s].")] = None,
    picture: Annotated[Path | None, typer.Option(help="Write a picture of the boards' speeds (PNG, SVG).")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write all walks here, one per line.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds per board; default: 3, or the row's.")] = None,
    first_seed: FirstSeed = 0,
    workers: Workers = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Success, speed, missed footholds, slip, margin, energy and planning time over many boards and seeds."""
    from andante.pictures.figures import check_kind, save
    from andante.search.bench import rows_as_data
    from andante.search.suites import boards as suite
    from andante.search.suites.boards_table import ROWS, row_named
    from andante.search.suites.boards_trial import run_boards

    if row == "list":
        for name, each in ROWS.items():
            print(f"{name:<16}{each.what}; {each.seeds} seeds; asked: {each.asked.text}")
        return
    check_kind(picture)
    walks: Mapping[str, WalkTask]
    if row is not None:
        named = row_named(row)
        walks, count, asked = named.walks_of(robot), seeds or named.seeds, named.asked
    else:
        walks, count, asked = _walks(board, difficulty, robot, controller), seeds or 3, suite.Asked()
    asked = replace(
        asked,
        at_least=asked.at_least if at_least is None else at_least,
        speed=asked.speed if speed is None else 0.01 * speed,
    )
    tasks = [
        (
            label,
            changed(
                task,
                pose_noise=pose_noise,
                map_error=map_error,
                friction=friction,
                payload=payload,
                torque=torque,
                speed_limit=speed_limit,
                values=value,
            ),
        )
        for label, task in walks.items()
    ]
    trials = run_boards(tasks, first_seed, count, workers)
    rows = suite.board_rows(trials, asked)
    if picture is not None:
        from andante.search.suites.boards_picture import boards_figure

        save(boards_figure(trials), picture)
    if csv is not None:
        csv.write_text(suite.csv_text(trials), encoding="utf-8")
    about = {"row": row, "boards": [label for label, _ in tasks], "first_seed": first_seed, "seeds": count}
    runs = [trial.data() for trial in trials]
    data = rows_as_data("boards", rows, **about, runs=runs, failures=suite.failures(trials))
    shown = [each for each in rows if each.asked or each.name.startswith("all boards")]
    show(data, shown, out, as_json, ["", *suite.table(trials), "", "All results in simulation."])


def _walks(boards: str, difficulty: float, robot: str | None, controller: str) -> dict[str, WalkTask]:
    from andante.runs.walk.task import WalkTask
    from andante.terrain.boards.make import SUITE

    names = SUITE if boards == "ten" else tuple(name.strip() for name in boards.split(",") if name.strip())
    return {
        name: WalkTask(board=name, difficulty=difficulty, robot=robot or "littledog", controller=controller)
        for name in names
    }
