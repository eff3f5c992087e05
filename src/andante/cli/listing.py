"""`andante list` and `andante show`: what there is to run, check and convert, and what one thing of it is."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import Annotated

import typer

from andante.cli.completion import kinds, motions, robots
from andante.cli.output import answer


def listing(kind: Annotated[list[str] | None, typer.Argument(autocompletion=kinds)] = None) -> None:
    """List what goes by a name: robots, scenarios, motions, boards, formats, checks, controllers and so on.

    Args:
        kind: robots, scenarios, libraries, motions, boards, formats, checks, controllers, backends, tasks, experiments;
            default: all.
    """
    from andante.runs.reports.shown import catalog

    entries = catalog(kind or ())
    width = max((len(entry.name) for entry in entries), default=0) + 2
    lines: list[str] = []
    for name, group in groupby(entries, attrgetter("kind")):
        lines += [*([""] if lines else []), _HEADINGS[name], *(f"  {each.name:<{width}}{each.what}" for each in group)]
    answer({"entries": [asdict(entry) for entry in entries]}, lines)


_HEADINGS = {
    "robot": "robots (andante show ROBOT; --robot ROBOT)",
    "scenario": "scenarios (andante run SCENARIO)",
    "library": "motion libraries (andante check LIBRARY; --library LIBRARY)",
    "motion": "motions (andante run LIBRARY/MOTION, or --library LIBRARY --motion MOTION)",
    "board": "boards, with their parameters (andante walk --board BOARD)",
    "format": "motion file formats (andante convert SOURCE TARGET --to FORMAT)",
    "check": "checks of motions (andante check LIBRARY)",
    "controller": "kinds of controllers (controller: {type: KIND} in a scenario; andante params KIND)",
    "backend": "kinds of backends (backend: {type: KIND} in a scenario)",
    "task": "kinds of tasks (tasks: [{type: KIND}] in a scenario)",
    "experiment": "experiments (andante bench EXPERIMENT)",
}


def show(
    thing: Annotated[str, typer.Argument(autocompletion=motions)],
    motion: Annotated[str | None, typer.Option(autocompletion=motions)] = None,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
) -> None:
    """Show what something is: the keyframes of a motion, what a scenario asks, how a run went.

    Args:
        thing: A motion (MOTION or LIBRARY/MOTION), a library, scenario, robot, board or whatever else goes by
            a name; or a file, or the folder of a run.
        motion: This motion of a library file.
        robot: Robot name or file to which the motions are bound; default: they stay as their file has them.
    """
    from andante.runs.reports.shown import look_up

    found = look_up(thing, motion, robot)
    lines = list(found[0].lines)
    for each in found[1:]:
        lines += ["", *each.lines]
    lines += [f"({thing!r} is a {found[0].kind} and a {each.kind})" for each in found[1:]]
    answer({"found": [{"kind": each.kind, "name": each.name, **each.data} for each in found]}, lines)
