"""`andante compare`: two runs of one robot side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import Exit, command, emit


@command
def compare(
    first: Annotated[Path, typer.Argument(help="Folder or log of a run.")],
    second: Annotated[Path, typer.Argument(help="Folder or log of another run.")],
    out: Annotated[
        Path | None, typer.Option(help="Write a page (HTML) with the plots and replays of both runs here.")
    ] = None,
    same: Annotated[bool, typer.Option("--same", help="Fail where anything recorded differs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare two runs: metrics side by side, events, and the first row that differs in each channel."""
    from andante.runs.compare import compare as compared
    from andante.runs.compare import lines_of

    found = compared(first, second)
    if out is not None:
        from andante.runs.compare_page import write_comparison

        write_comparison(found, out)
    if as_json:
        emit(found.data() | {"page": None if out is None else str(out)})
    else:
        for line in lines_of(found):
            print(line)
        if out is not None:
            print(f"page: {out}")
    raise typer.Exit(Exit.FAILED if same and not found.equal else Exit.GOOD)
