"""`andante show`: what a motion, library, scenario, run, robot, board or format is."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.completion import motions
from andante.cli.output import command, emit


@command
def show(
    thing: Annotated[
        str,
        typer.Argument(
            help="A motion (MOTION or LIBRARY/MOTION), a library, scenario, robot, board or format by name; or a file,"
            " or the folder of a run.",
            autocompletion=motions,
        ),
    ],
    motion: Annotated[str | None, typer.Option(help="This motion of a library file.", autocompletion=motions)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what something is: the keyframes of a motion, what a scenario asks, how a run went."""
    from andante.runs.shown import look_up

    found = look_up(thing, motion)
    if as_json:
        emit({"found": [{"kind": each.kind, "name": each.name, **each.data} for each in found]})
        return
    for number, each in enumerate(found):
        if number:
            print()
        for line in each.lines:
            print(line)
    for each in found[1:]:
        print(f"({thing!r} is a {found[0].kind} and a {each.kind})")
