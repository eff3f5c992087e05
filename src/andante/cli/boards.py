"""`andante boards`: the kinds of boards, how hard one is, and its picture."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from andante.cli.output import Natural, Several, answer

_DIFFICULTY = 0.5


def boards(
    name: Annotated[str | None, typer.Argument()] = None,
    difficulty: float = _DIFFICULTY,
    seed: Natural = 0,
    robot: str | None = None,
    value: Annotated[Several, typer.Option("--set")] = None,
    draw: Path | None = None,
) -> None:
    """List the kinds of boards, or make one (or read a mesh, image, cloud or map), measure and draw it.

    Args:
        name: Kind of board, or a terrain file; default: list them.
        difficulty: 0 to 1.
        seed: Seed of the board.
        robot: Scale to this robot's legs; default: LittleDog's.
        value: NAME=NUMBER, a parameter of the board (7.5cm, 20deg), or NAME=VALUE, an option of the file
            (spacing=2cm, low=-10cm, holes=lowest); repeat.
        draw: Write a picture from above (PNG, SVG) here.
    """
    from andante.documents.typed import changed_by, named_values
    from andante.kinematics.reference_leg import REFERENCE_LEG
    from andante.pictures.figures import check_kind, save
    from andante.runs.idle_options import refuse_idle
    from andante.terrain.boards.make import BOARDS, make_board
    from andante.terrain.drawing import terrain_figure
    from andante.terrain.files.load import load_terrain
    from andante.terrain.files.options import FileOptions, names_file

    check_kind(draw)
    drawn: dict[str, object] = {
        "--difficulty": None if difficulty == _DIFFICULTY else difficulty,
        "--seed": seed or None,
        "--robot": robot,
    }
    if name is None:
        refuse_idle({**drawn, "--set": value or None, "--draw": draw}, "the list of boards")
        lines = []
        for each in BOARDS.values():
            ranges = ", ".join(f"{key} {low:.3g} to {high:.3g}" for key, (low, high) in each.parameters.items())
            lines.append(f"{each.name:<15} {each.what}{': ' + ranges if ranges else ''}")
        kinds = [{"name": each.name, "what": each.what, "ranges": each.parameters} for each in BOARDS.values()]
        answer({"boards": kinds}, lines)
        return
    if name not in BOARDS and names_file(name):
        refuse_idle(drawn, "a terrain file")
        terrain = load_terrain(Path(name), changed_by(FileOptions(), value or (), "--set"))
    else:
        values = named_values(value or (), "--set")
        terrain = make_board(name, difficulty, seed, leg_length=_leg(robot, REFERENCE_LEG), values=values)
    if draw is not None:
        save(terrain_figure(terrain), draw)
    facts = asdict(terrain.facts())
    data: dict[str, Any] = {
        "board": terrain.name,
        "values": dict(terrain.values),
        "extent": terrain.extent,
        "facts": facts,
        "spacing": terrain.map.spacing,
        "unknown": int((~terrain.map.known).sum()),
        "notes": list(terrain.notes),
    }
    data |= {"start": terrain.start, "goal": terrain.goal, "picture": str(draw) if draw else None}
    low_x, high_x, low_y, high_y = terrain.extent
    small, large = facts["roughness_small"] * 1e3, facts["roughness_large"] * 1e3
    nx, ny = terrain.heights.heights.shape
    lines = [
        f"{terrain.name}: {high_x - low_x:.2f} x {high_y - low_y:.2f} m, {nx} x {ny} nodes",
        *(f"  {key} {number:.4g}" for key, number in terrain.values.items()),
        f"  largest step {facts['largest_step'] * 1e3:.0f} mm, {100 * facts['steppable']:.0f} % steppable",
        f"  roughness {small:.1f} mm within 2 cm, {large:.1f} mm within 6 cm (of LittleDog's size)",
        *(f"  {line}" for line in terrain.map.way_lines([terrain.start, terrain.goal])),
        *(f"  {note}" for note in terrain.notes),
    ]
    answer(data, lines if draw is None else [*lines, f"picture: {draw}"])


def _leg(robot: str | None, reference: float) -> float:
    if robot is None:
        return reference
    from andante.kinematics.leg_table import LeggedBody
    from andante.robots.robot import Robot

    return LeggedBody.of(Robot.load(robot)).leg_length
