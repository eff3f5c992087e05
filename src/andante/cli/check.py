"""`andante check`: a motion library against its robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from andante.cli.completion import libraries, robots
from andante.cli.output import Exit, command, emit

if TYPE_CHECKING:
    from andante.formats.report import ReadReport
    from andante.motions.findings import Finding


@command
def check(
    library: Annotated[
        str,
        typer.Argument(
            help="Motion library: a shipped name, or a file or folder of any known format.", autocompletion=libraries
        ),
    ],
    robot: Annotated[
        str | None, typer.Option(help="Robot name or file; default: the library's.", autocompletion=robots)
    ] = None,
    rules: Annotated[
        str, typer.Option(help="Rules: library, aibo (a small robot's design rules), or auto: aibo for an AIBO.")
    ] = "auto",
    physics: Annotated[bool, typer.Option("--physics", help="Run each motion in physics: does it fall?")] = False,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Runs per motion in physics.")] = 5,
    rule: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE, another threshold of the rules (end_pass=8deg, duration_warn=4s); repeat."),
    ] = None,
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
    from andante.formats.report import ReadReport
    from andante.motions.checks.choice import check as checked
    from andante.motions.checks.choice import rules_for
    from andante.motions.findings import summary
    from andante.runs.motion_libraries import library_path

    report, path = ReadReport(), library_path(library)
    document, model, notes = robot_of(read(path, report=report), path, robot)
    if not as_json:
        for note in notes:
            print(note)
    rules = rules_for(model, rules)
    findings = _told(report) + checked(document, model, rules=rules, changes=rule or ())
    if physics:
        from andante.cli.progress import counting
        from andante.runs.physics_check import PhysicsRules, check_physics

        physical = PhysicsRules(seeds=tuple(range(seeds)))
        found: list[Finding] = []
        good = 0
        with counting("motions in physics") as (tell, _):
            for done, motion in enumerate(document.motions):
                tell(done, len(document.motions))
                here = check_physics(document, model, physical, [motion])
                good += all(finding.severity != "error" for finding in here)
                found += here
        runs = f"{good} of {len(document.motions)} motions stand in all of {seeds} runs in physics each"
        findings = findings + sorted(found, key=lambda finding: ("error", "warning", "info").index(finding.severity))
    counts = {severity: sum(f.severity == severity for f in findings) for severity in ("error", "warning", "info")}
    failed = counts["error"] > 0 or (strict and counts["warning"] > 0)
    if as_json:
        emit(
            {
                "file": library,
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
        print(f"{library}: {told} by the rules {rules!r}" + (f"; {runs}" if physics else ""))
    raise typer.Exit(Exit.FAILED if failed else Exit.GOOD)


def _told(report: ReadReport) -> list[Finding]:
    """What reading had to say: errors where something could not be read, else notes."""
    from andante.motions.findings import Finding

    damaged = set(report.damaged)
    return [
        Finding("reading", "error" if told in damaged else "info", told.place, told.text)
        for told in sorted(report.warnings, key=lambda remark: remark not in damaged)
    ]
