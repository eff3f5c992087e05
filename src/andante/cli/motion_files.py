"""`andante check`, `fix` and `convert`: a motion library against its robot, retimed, in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.completion import formats, libraries, motions, robots
from andante.cli.output import Several, answer, asks_json

if TYPE_CHECKING:
    from andante.formats.report import ReadReport, TimeOf
    from andante.motions.editing.timing import Retiming
    from andante.motions.findings import Finding
    from andante.motions.library import MotionLibrary
    from andante.robots.robot import Robot
    from andante.runs.checks.physics_check import PhysicsRules

Source = Annotated[str, typer.Argument(autocompletion=libraries)]
Format = Annotated[str | None, typer.Option(autocompletion=formats)]
_SEEDS = 10
"""Runs per motion in physics, where nothing else is asked."""


def check(
    library: Source,
    robot: Annotated[str | None, typer.Option(autocompletion=robots)] = None,
    rules: str = "auto",
    physics: bool = False,
    seeds: Annotated[int | None, typer.Option(min=1, max=1000)] = None,
    rule: Several = None,
    strict: bool = False,
    time: str = "header",
    tolerance: Annotated[float, typer.Option(min=0.0)] = 0.01,
    every: Annotated[bool, typer.Option("--all")] = False,
) -> None:
    """Check a motion library: can it be played, and what to look at first; limits, speeds, collisions, balance.

    Args:
        library: Motion library: a shipped name, or a file or folder of any known format.
        robot: Robot name or file; default: the library's.
        rules: Rules: library, aibo (a small robot's design rules), or auto: aibo for an AIBO.
        physics: Run each motion in physics: does it fall, and does mending what is found change that?
        seeds: Runs per motion in physics; default: 10.
        rule: NAME=VALUE, another threshold of the rules (end_pass=8deg, duration_warn=4s); repeat.
        strict: Warnings fail too.
        time: What counts where a file's header and its poses disagree about the time: header or poses.
        tolerance: Share of a limit by which it may be missed without being listed.
        every: List every finding, in the order found, not only the causes that matter most.
    """
    from collections import Counter

    from andante.formats.report import ReadReport
    from andante.motions.assessment import assess
    from andante.motions.checks.choice import check as checked
    from andante.motions.checks.choice import rules_for
    from andante.motions.findings import SEVERITIES
    from andante.motions.judged import lines_of, load_record
    from andante.runs.idle_options import refuse_idle
    from andante.runs.motion_libraries import library_meant, read_for

    if not physics:
        refuse_idle({"--seeds": seeds}, "a check without --physics")
    count = _SEEDS if seeds is None else seeds
    report, path = ReadReport(time=time_of(time)), library_meant(library)
    document = read_for(path, robot, report)
    stood: dict[str, bool] | None = None
    notes: list[str] = []
    runs, played = "", None
    known: Robot | None = None
    if robot is None and lacks_model(document.robot, report.format):
        from andante.motions.checks.modelless import check_without_model

        if physics:
            from andante.robots.parts import RobotError

            what = "there is no model of this robot to run"
            raise RobotError(what, place=str(path), value=document.robot, remedy="give --robot")
        name, rules, findings = document.robot, "modelless", check_without_model(document)
    else:
        document, model, notes = robot_of(document, path, robot, report)
        name, known = model.name, model
        rules = rules_for(model, rules)
        findings = checked(document, model, rules=rules, changes=rule or ())
        if physics:
            from andante.runs.checks.mending import play_findings
            from andante.runs.checks.physics_check import PhysicsRules

            physical = PhysicsRules(seeds=tuple(range(count)))
            first = assess(findings, document, tolerance=tolerance).first
            found, stood = _in_physics(document, model, physical)
            played = play_findings(document, model, [cause.worst for cause in first], physical)
            runs = f"; {sum(stood.values())} of {len(stood)} motions that are to stand do in all of {count} runs"
            runs += " in physics each"
            findings = findings + found
    findings = report.findings() + findings
    assessment = assess(findings, document, tolerance=tolerance, physics=stood, played=played)
    found_by = Counter(finding.severity for finding in findings)
    counts = {severity: found_by[severity] for severity in SEVERITIES}
    failed = counts["error"] > 0 or (strict and counts["warning"] > 0)
    judged = lines_of(load_record(path), document, known)
    data: dict[str, Any] = {}
    if asks_json():
        data = {"file": library, "robot": name, "notes": notes, "rules": rules}
        data |= {"verdict": "fail" if failed else "pass", "counts": counts, "sentence": assessment.sentence}
        data |= {"first": [cause.as_dict() for cause in assessment.first], "blocked": list(assessment.blocked)}
        data |= {"findings": [finding.as_dict() for finding in findings], "judged": judged}
    told = f"{counts['error']} errors, {counts['warning']} warnings, {counts['info']} notes"
    lines = [*notes, f"{library}: {assessment.sentence}", *(map(str, findings) if every else assessment.lines), *judged]
    answer(data, [*lines, f"{library}: {told} by the rules {rules!r}{runs}"], not failed)


_TOLD = 3
"""So many remarks on limits a conversion tells one by one."""


def _in_physics(library: MotionLibrary, robot: Robot, rules: PhysicsRules) -> tuple[list[Finding], dict[str, bool]]:
    """What every motion does in physics: findings, and whether each that is to stand does in all of its runs."""
    from andante.cli.progress import counting
    from andante.motions.findings import by_severity
    from andante.motions.reached import off_feet
    from andante.runs.checks.physics_check import check_physics

    found: list[Finding] = []
    stood: dict[str, bool] = {}
    elsewhere = off_feet(library)
    with counting("motions in physics") as (tell, _):
        for done, motion in enumerate(library.motions):
            tell(done, len(library.motions))
            here = check_physics(library, robot, rules, [motion])
            if motion not in elsewhere:
                stood[motion] = all(finding.severity != "error" for finding in here)
            found += here
    return by_severity(found), stood


def lacks_model(robot: str, format: str) -> bool:
    """Whether files of a format name a robot that nobody has a model of, as Sony's name four and one is shipped.

    A team's files name robots that are at home with the team, or none. A document names one that can be loaded, so
    that another name there is an error.
    """
    from andante.formats.aibo.names import MODELLESS
    from andante.robots.register import ROBOTS

    return robot not in ROBOTS and (robot in MODELLESS or (format != "andante" and not Path(robot).suffix))


def time_of(word: str) -> TimeOf:
    """What counts of a file's header and poses, by a word.

    Raises:
        FormatError: The word is neither.
    """
    from andante.formats.report import FormatError

    for legal in _TIMES:
        if word == legal:
            return legal
    raise FormatError("either the header's time counts or the poses'", value=word, legal=_TIMES)


_TIMES: tuple[TimeOf, ...] = ("header", "poses")


def robot_of(
    library: MotionLibrary, file: Path, asked: str | None, report: ReadReport
) -> tuple[MotionLibrary, Robot, list[str]]:
    """A library bound to its robot, the robot, and what a person has to be told of the choice.

    The robot is the one that is asked for, else the one that the file names. A path by which the file gives its robot
    is seen from the file's folder. A file that cannot be bound is left as it is, and its checks tell.

    Args:
        library: The library as it was read.
        file: The file or folder that it comes from.
        asked: A robot's name or file; None: the library's.
        report: What reading it has told.

    Raises:
        RobotError: There is no such robot.
    """
    from andante.formats.registry import FORMATS
    from andante.motions.errors import MotionError
    from andante.robots.robot import Robot
    from andante.runs.motion_libraries import bind_library, by_name, robot_source

    robot = Robot.load(asked or robot_source(library.robot, file))
    if asked is None:
        note = f"{file} does not say which robot it is for; looked at with {robot.name!r}, give --robot for another"
        silent = not FORMATS[report.format].says_robot
        return by_name(library, robot), robot, [note] if silent else []
    try:
        bound = bind_library(library, file, robot, report)
    except MotionError:
        return library, robot, []
    return bound.library, robot, list(bound.notes)


def fix(
    library: Path,
    out: Annotated[Path, typer.Option("--out")],
    robot: str | None = None,
    motion: Several = None,
    start: str | None = None,
    share: float = 1.0,
    force: bool = False,
) -> None:
    """Retime motions to the robot's speed limits; postures and everything else stay.

    Args:
        library: Motion library: a file or folder of any known format.
        out: File to write; its name decides the format.
        robot: Robot name or file; default: the library's.
        motion: Motion to fix; repeat for several. Default: all.
        start: Posture before the motions; default: walk, else stand.
        share: Share of the speed limits that may be used.
        force: Replace existing files.
    """
    from andante.formats.registry import codec_for_writing, write
    from andante.formats.report import Losses, ReadReport
    from andante.motions.editing.timing import retime_motion
    from andante.runs.motion_libraries import read_for

    report = ReadReport()
    document, model, notes = robot_of(read_for(library, robot, report), library, robot, report)
    posture = start or next((name for name in ("walk", "stand") if name in model.postures), "zero")
    codec = codec_for_writing(out)
    # What is rounded to the target's grid when it is written must not become too fast again.
    tick = None if codec.time_grid is None else max(codec.time_grid, model.tick)
    changes: list[Retiming] = []
    for name in motion or list(document.motions):
        document, found = retime_motion(document, model, name, model.posture(posture), tick=tick, share=share)
        changes += found
    losses = Losses()
    files = write(document, out, codec.name, losses=losses, replace=force, robot=model, like=report)
    written = [str(file) for file in files]
    told = [{name: value for name, value in vars(each).items() if name != "limit"} for each in changes]
    data = {"file": str(out), "files": written, "losses": losses.texts, "changes": told, "notes": notes}
    lines = [*notes, *map(str, changes), *(f"not held by {codec.name}: {loss}" for loss in losses.texts)]
    answer(data, [*lines, f"{len(changes)} keyframes stretched; written to {', '.join(written)}"])


def convert(
    source: Source,
    target: Path,
    to: Format = None,
    from_: Annotated[str | None, typer.Option("--from", autocompletion=formats)] = None,
    robot: str = "",
    motion: Annotated[Several, typer.Option(autocompletion=motions)] = None,
    clip: bool = False,
    time: str = "header",
    force: bool = False,
) -> None:
    """Convert motions to another format; say what exceeds the robot's limits and what the format cannot hold.

    Args:
        source: File or folder to read, whose content decides the format, or a shipped library's name.
        target: File or folder to write; its name decides the format.
        to: Target format by name.
        from_: Source format by name.
        robot: Robot of a file that does not name its own.
        motion: Motion to write, where the source has several; repeat for more.
        clip: Bring targets inside the robot's joint limits.
        time: What counts where a file's header and its poses disagree about the time: header or poses.
        force: Replace existing files.
    """
    from andante.formats.registry import convert as convert_files
    from andante.runs.motion_libraries import library_meant

    path, names = library_meant(source), motion or ()
    report = convert_files(
        path,
        target,
        source_format=from_,
        target_format=to,
        robot=robot,
        motions=names,
        clip=clip,
        replace=force,
        time=time_of(time),
    )
    # A motion asks for the same at every conversion: one line of it is enough, and one slip of units more than that.
    known = report.excesses if len(report.excesses) > _TOLD else ()
    lines = [f"warning: {warning}" for warning in report.warnings if warning not in known]
    if known:
        lines.append(f"warning: {known[0]}; {len(known) - 1} more joints beyond a limit, see 'andante check {source}'")
    lines += [f"not held by {report.target_format}: {loss}" for loss in report.losses]
    lines.append(f"{source} ({report.source_format}) -> {target} ({report.target_format})")
    if report.target_files != (target,):
        lines += [f"written: {file}" for file in report.target_files]
    answer(report.as_dict(), lines)
