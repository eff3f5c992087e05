"""`andante list`: what there is to run, show, check and convert."""

from __future__ import annotations

from typing import Annotated

import typer

from andante.cli.completion import kinds
from andante.cli.output import command, emit


@command
def listing(
    kind: Annotated[
        list[str] | None,
        typer.Argument(
            help="robots, scenarios, libraries, motions, boards, formats; default: all.", autocompletion=kinds
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List robots, scenarios, motion libraries, motions, boards and file formats."""
    from dataclasses import asdict

    from andante.runs.catalog import catalog

    entries = catalog(kind or ())
    if as_json:
        emit({"entries": [asdict(entry) for entry in entries]})
        return
    width = max(len(entry.name) for entry in entries) + 2
    before = ""
    for entry in entries:
        if entry.kind != before:
            print(f"{chr(10) if before else ''}{_HEADINGS[entry.kind]}")
            before = entry.kind
        print(f"  {entry.name:<{width}}{entry.what}")


_HEADINGS = {
    "robot": "robots (andante show ROBOT; --robot ROBOT)",
    "scenario": "scenarios (andante run SCENARIO)",
    "library": "motion libraries (andante check LIBRARY; --library LIBRARY)",
    "motion": "motions (andante run LIBRARY/MOTION, or --library LIBRARY --motion MOTION)",
    "board": "boards, with their parameters (andante walk --board BOARD)",
    "format": "motion file formats (andante convert SOURCE TARGET --to FORMAT)",
}
