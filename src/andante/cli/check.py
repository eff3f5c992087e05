"""`andante check`: a motion library against its robot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.output import Exit, command, emit, refuse

if TYPE_CHECKING:
    from andante.motions.findings import Finding
    from andante.motions.library import MotionLibrary
    from andante.robots.robot import Robot

RULES = ("auto", "library", "aibo")
"""Sets of rules; auto takes a small robot's design rules where the robot is an OPEN-R one."""


@command
def check(
    library: Annotated[Path, typer.Argument(help="Motion library: a file or folder of any known format.")],
    robot: Annotated[str | None, typer.Option(help="Robot name or file; default: the library's.")] = None,
    rules: Annotated[
        str, typer.Option(help="Rules: library, aibo (a small robot's design rules), or auto: aibo for an AIBO.")
    ] = "auto",
    physics: Annotated[bool, typer.Option("--physics", help="Run each motion in physics: does it fall?")] = False,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Runs per motion in physics.")] = 5,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    tolerance: Annotated[
        float, typer.Option(min=0.0, help="Share of a limit by which it may be missed without being listed.")
    ] = 0.01,
    every: Annotated[bool, typer.Option("--all", help="List every finding, in the order found.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a motion library: limits, speeds, self-collision, balance, reachability, contradictions."""
    from andante.cli.robot_choice import robot_of
    from andante.formats.registry import read
    from andante.motions.findings import summary

    if rules not in RULES:
        refuse(f"there are no such rules; got {rules!r}; legal: {', '.join(RULES)}", as_json)
    document, model, notes = robot_of(read(library), library, robot)
    if not as_json:
        for note in notes:
            print(note)
    if rules == "auto":
        rules = "aibo" if model.openr and "walk" in model.postures else "library"
    findings = _findings(document, model, rules)
    if physics:
        from andante.cli.progress import counting
        from andante.runs.physics_check import PhysicsRules, check_physics

        physical = PhysicsRules(seeds=tuple(range(seeds)))
        found: list[Finding] = []
        with counting("motions in physics") as (tell, _):
            for done, motion in enumerate(document.motions):
                tell(done, len(document.motions))
                found += check_physics(document, model, physical, [motion])
        findings = findings + sorted(found, key=lambda finding: ("error", "warning", "info").index(finding.severity))
    counts = {severity: sum(f.severity == severity for f in findings) for severity in ("error", "warning", "info")}
    failed = counts["error"] > 0 or (strict and counts["warning"] > 0)
    if as_json:
        emit(
            {
                "file": str(library),
                "robot": model.name,
                "notes": notes,
                "rules": rules,
                "verdict": "fail" if failed else "pass",
                "counts": counts,
                "findings": [finding.as_dict() for finding in findings],
            }
        )
    else:
        for line in findings if every else summary(findings, tolerance):
            print(line)
        told = f"{counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes"
        print(f"{library}: {told} by the rules {rules!r}")
    raise typer.Exit(Exit.FAILED if failed else Exit.GOOD)


def _findings(library: MotionLibrary, robot: Robot, rules: str) -> list[Finding]:
    if rules == "aibo":
        from andante.motions.checks.aibo import check_aibo

        return check_aibo(library, robot)
    from andante.motions.checks import check_library

    return check_library(library, robot)
