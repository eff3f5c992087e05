"""`andante check`: a motion library against its robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.cli.output import Exit, command, emit


@command
def check(
    library: Annotated[Path, typer.Argument(help="Motion library: a file or folder of any known format.")],
    robot: Annotated[str | None, typer.Option(help="Robot name or file; default: the library's.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a motion library: limits, speeds, self-collision, balance, reachability, contradictions."""
    from andante.formats.registry import read
    from andante.motions.checks import check_library
    from andante.robots.robot import Robot

    document = read(library)
    findings = check_library(document, Robot.load(robot or document.robot))
    counts = {severity: sum(f.severity == severity for f in findings) for severity in ("error", "warning", "info")}
    failed = counts["error"] > 0 or (strict and counts["warning"] > 0)
    if as_json:
        emit(
            {
                "file": str(library),
                "verdict": "fail" if failed else "pass",
                "counts": counts,
                "findings": [finding.as_dict() for finding in findings],
            }
        )
    else:
        for finding in findings:
            print(finding)
        print(f"{library}: {counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes")
    raise typer.Exit(Exit.FAILED if failed else Exit.GOOD)
