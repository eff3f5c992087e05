"""`andante fix`: stretch a motion library's keyframes until no joint is faster than it can be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.output import Exit, command, emit

if TYPE_CHECKING:
    from andante.motions.editing import Retiming


@command
def fix(
    library: Annotated[Path, typer.Argument(help="Motion library: a file or folder of any known format.")],
    out: Annotated[Path, typer.Option("--out", help="File to write; its name decides the format.")],
    robot: Annotated[str | None, typer.Option(help="Robot name or file; default: the library's.")] = None,
    motion: Annotated[list[str] | None, typer.Option(help="Motion to fix; repeat for several. Default: all.")] = None,
    start: Annotated[str | None, typer.Option(help="Posture before the motions; default: walk, else stand.")] = None,
    share: Annotated[float, typer.Option(help="Share of the speed limits that may be used.")] = 1.0,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Retime motions to the robot's speed limits; postures and everything else stay."""
    from andante.formats.registry import codec_for_writing, read
    from andante.formats.report import Losses
    from andante.motions.editing import retime_motion
    from andante.robots.robot import Robot

    document = read(library)
    model = Robot.load(robot or document.robot)
    posture = start or next((name for name in ("walk", "stand") if name in model.postures), "zero")
    codec = codec_for_writing(out)
    # What is rounded to the target's grid when it is written must not become too fast again.
    tick = None if codec.time_grid is None else max(codec.time_grid, model.tick)
    changes: list[Retiming] = []
    for name in motion or list(document.motions):
        document, found = retime_motion(document, model, name, model.posture(posture), tick=tick, share=share)
        changes += found
    losses = Losses()
    written = codec.write(document, out, losses, replace=force)
    if as_json:
        emit(
            {
                "file": str(out),
                "files": [str(file) for file in written],
                "losses": losses.texts,
                "changes": [
                    {"place": c.place, "joint": c.joint, "before": c.before, "after": c.after, "speed": c.speed}
                    for c in changes
                ],
            }
        )
    else:
        for change in changes:
            print(change)
        for loss in losses.texts:
            print(f"not held by the target format: {loss}")
        print(f"{len(changes)} keyframes stretched; written to {', '.join(map(str, written))}")
    raise typer.Exit(Exit.GOOD)
