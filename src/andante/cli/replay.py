"""`andante replay`: the same controller on recorded sensors must give the same commands, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import Exit, command, emit


@command
def replay(
    log: Annotated[Path, typer.Argument(help="A log, or the folder of a run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Feed a log's sensors to a fresh controller and compare its commands with the recorded ones."""
    from andante.runs.replay import replay_log

    result = replay_log(log)
    verdict = "pass" if result.identical else "fail"
    if as_json:
        emit(
            {
                "verdict": verdict,
                "ticks": result.ticks,
                "mismatches": result.mismatch_count,
                "first": [str(mismatch) for mismatch in result.mismatches],
                "problem": result.problem,
            }
        )
    else:
        print(f"{log}: {result.ticks} ticks, {result.mismatch_count} commands differ: {verdict.upper()}")
        for mismatch in result.mismatches:
            print(f"  {mismatch}")
        if result.problem:
            print(f"  the log is not complete: {result.problem}")
    raise typer.Exit(Exit.GOOD if result.identical else Exit.FAILED)
