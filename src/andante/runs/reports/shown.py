"""What can be named, and what a name or a path stands for, in lines for people and as plain data.

The catalog is what goes by a name, of Andante and of installed packages: robots, scenarios, libraries, motions, boards,
formats, checks, kinds of controllers, backends and tasks, experiments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.documents.files import read_head
from andante.errors import AndanteError, nearest_name
from andante.motions.errors import motion_of
from andante.motions.judged import lines_of, load_record
from andante.motions.library import MotionLibrary
from andante.motions.wording import duration_of, motion_lines
from andante.plugins.errors import PluginError
from andante.plugins.kinds import register_of, summary
from andante.robots.parts import MissingModelError
from andante.robots.register import MANIFEST, MODEL_SUFFIXES, PACK_FILE, ROBOTS
from andante.robots.robot import Robot
from andante.runs.errors import LogError, RunError
from andante.runs.evaluation.story import story
from andante.runs.logs.record import LOG, RunRecord
from andante.runs.motion_libraries import (
    bind_file,
    library_path,
    load_motions,
    named_motion,
    robot_source,
    shipped_libraries,
    shipped_motions,
)
from andante.runs.reports.compare import shown
from andante.runs.reports.units import unit_of
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario, scenario_text, shipped_scenarios

if TYPE_CHECKING:
    from andante.formats.codec import MotionFileCodec
    from andante.formats.report import UnknownFormatError
    from andante.terrain.boards.course import BoardKind


_NAMED = 5
"""Most runs of a folder that are named."""


class CatalogError(RunError):
    """There is no such kind of thing."""


@dataclass(frozen=True)
class CatalogEntry:
    """One thing that a command or a scenario can name."""

    kind: str
    """robot, scenario, library, motion, board, format, check, controller, backend, task or experiment."""
    name: str
    """Its name; a motion's is ``LIBRARY/MOTION``."""
    what: str
    """What it is, in a line."""

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def catalog(kinds: Sequence[str] = ()) -> tuple[CatalogEntry, ...]:
    """What there is of some kinds, in the order of the kinds, by name.

    Args:
        kinds: Names of kinds, singular or plural; none: all.

    Raises:
        CatalogError: There is no such kind.
    """
    wanted = [_kind(kind) for kind in kinds] or list(KINDS)
    return tuple(CatalogEntry(kind, name, what) for kind in dict.fromkeys(wanted) for name, what in KINDS[kind]())


def _kind(name: str) -> str:
    singular = {"libraries": "library"}.get(name, name.removesuffix("s"))
    if singular not in KINDS:
        legal = [*KINDS, "libraries", *(f"{kind}s" for kind in KINDS if kind != "library")]
        raise CatalogError(
            "there is no such kind of thing",
            value=name,
            legal=legal,
            remedy=f"what is in a file or folder: andante show {name}" if Path(name).exists() else "",
        )
    return singular


def _robots() -> Iterator[tuple[str, str]]:
    for name in ROBOTS:
        try:
            robot = Robot.load(name)
        except (PluginError, MissingModelError) as error:
            yield name, f"cannot be used: {error}"
            continue
        mass = float(robot.model.body_mass.sum())
        yield name, f"{robot.title}: {len(robot.joints)} joints, {mass:.3f} kg"


def _scenarios() -> Iterator[tuple[str, str]]:
    for name in shipped_scenarios():
        scenario = load_scenario(name)
        start = scenario.world.start.lying
        where = f", from lying {start}" if start is not None else ""
        yield name, f"{scenario.robot}, {scenario.controller.type}{where}"


def _libraries() -> Iterator[tuple[str, str]]:
    for name in shipped_libraries():
        library = shipped_motions(name)
        yield name, f"for {library.robot}, motions: {len(library.motions)}"


def _motions() -> Iterator[tuple[str, str]]:
    for name in shipped_libraries():
        library = shipped_motions(name)
        for motion in library.motions:
            yield f"{name}/{motion}", f"{library.robot}, {duration_of(library, motion):.2f} s"


def _board(board: BoardKind) -> str:
    ranges = ", ".join(
        f"{key} {low:.3g}" + (f" to {high:.3g}" if high != low else "") for key, (low, high) in board.parameters.items()
    )
    return f"{board.what}{': ' + ranges if ranges else ''}"


def _format(codec: MotionFileCodec) -> str:
    return f"{codec.title} ({', '.join(codec.suffixes) or 'a folder'})"


_REGISTERED: Mapping[str, Callable[[Any], str]] = {
    "board": _board,
    "format": _format,
    **dict.fromkeys(("check", "controller", "backend", "task", "experiment"), summary),
}
"""Kinds of which a line is all that is told, and what gives it; their registers may stand in rooms above this one."""


def _registered(kind: str) -> Iterator[tuple[str, str]]:
    """Name and description of each thing of a register; of a plug-in's that cannot be used, why."""
    register, what = register_of(f"{kind}s"), _REGISTERED[kind]
    for name in register:
        try:
            yield name, what(register[name]) or f"of {register.source(name)}"
        except PluginError as error:
            yield name, f"cannot be used: {error}"


KINDS: Mapping[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "robot": _robots,
    "scenario": _scenarios,
    "library": _libraries,
    "motion": _motions,
    **{kind: partial(_registered, kind) for kind in _REGISTERED},
}
"""The kinds of things, and what gives name and description of each thing of a kind."""


class ShowError(RunError):
    """A name stands for nothing that can be shown."""


@dataclass(frozen=True)
class Shown:
    """One thing that a name stands for."""

    kind: str
    """As `Entry.kind`, or run."""
    name: str
    """Its name."""
    lines: tuple[str, ...]
    """What it is, for people."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """What it is, for programs."""


def look_up(name: str, motion: str | None = None, robot: str | None = None) -> tuple[Shown, ...]:
    """Everything that a name or a path stands for; several things may have one name.

    Args:
        name: A name out of the catalog, a motion of a library, or a path.
        motion: A motion of the library ``name``.
        robot: A robot by name or file to which motions are bound; None: they are shown as their file has them.

    Raises:
        ShowError: It stands for nothing.
        AndanteError: What it stands for cannot be read.
    """
    if motion is not None:
        return (_motion(load_motions(name, robot), name, motion, robot),)
    if robot is not None:
        named = named_motion(name)
        if named is not None:
            return (_motion(load_motions(named[0], robot), *named, robot),)
        return (_library(load_motions(name, robot), name, robot),)
    path = Path(name)
    if path.exists() and (path.is_file() or path.is_absolute() or len(path.parts) > 1 or _is_run(path)):
        return (_of_path(path),)
    found = tuple(_named(name))
    if not found:
        if path.exists():
            return (_of_path(path),)
        names = [entry.name for entry in catalog([kind for kind in KINDS if kind != "robot"])]
        raise ShowError(
            "there is nothing of this name, and no file or folder",
            value=name,
            # A hundred names help nobody who is not near one of them.
            legal=names if nearest_name(name, names) else (),
            remedy="see `andante list`, or give a path",
        )
    return found


def _named(name: str) -> Iterator[Shown]:
    if name in ROBOTS:
        yield _robot(name)
    if name in shipped_scenarios():
        yield _scenario(load_scenario(name))
    if name in shipped_libraries():
        yield _library(shipped_motions(name), name)
    yield from _motions_of(name)
    for kind in _REGISTERED:
        if name in register_of(f"{kind}s"):
            yield _entry(kind, name)


def _motions_of(name: str) -> Iterator[Shown]:
    named = named_motion(name)
    if named is not None:
        library, motion = named
        yield _motion(load_motions(library), library, motion)
        return
    for shipped in shipped_libraries():
        motions = shipped_motions(shipped)
        if name in motions.motions:
            yield _motion(motions, shipped, name)


def _of_path(path: Path) -> Shown:
    """What a file or folder holds: a run, a log, a scenario, a robot, a terrain or motions."""
    if _is_run(path) or path.suffix == ".mcap":
        try:
            return _run(RunRecord.open(path))
        except LogError as error:
            try:
                # What other programs have recorded may be motions.
                return _library(load_motions(str(path)), str(path))
            except AndanteError:
                raise error from None
    head = read_head(path, 20_000).decode("utf-8", errors="replace") if path.is_file() else ""
    if "andante.scenario" in head:
        return _scenario(load_scenario(path))
    model = path.suffix.lower() in MODEL_SUFFIXES and any(root in head for root in ("<mujoco", "<robot", "<sdf"))
    if model or any((path / each).is_file() for each in (PACK_FILE, MANIFEST)) or "andante.robot" in head:
        return _robot(str(path))
    from andante.formats.report import UnknownFormatError

    try:
        return _library(load_motions(str(path)), str(path))
    except UnknownFormatError as error:
        raise _nothing_known(path, error) from error


def _nothing_known(path: Path, error: UnknownFormatError) -> ShowError:
    """What was looked for in a file or folder that holds nothing of it."""
    if path.is_dir():
        runs = [str(each) for each in sorted(path.iterdir()) if _is_run(each)][:_NAMED]
        return ShowError(
            "the folder holds neither a run nor a robot nor motions",
            place=str(path),
            limit=f"a run has {LOG}, a robot {PACK_FILE} or {MANIFEST}, motions files of a format that is read",
            remedy=f"runs are below it: {', '.join(runs)}" if runs else "",
        )
    return ShowError(
        "the file is neither a log nor a scenario nor a robot nor motions",
        place=str(path),
        limit=f"a log ends in .mcap, a robot in {', '.join(MODEL_SUFFIXES)}",
        legal=error.legal,
        remedy=error.remedy,
    )


def _is_run(path: Path) -> bool:
    return path.is_dir() and (path / LOG).is_file()


def _robot(name: str) -> Shown:
    robot = Robot.load(name)
    mass = float(robot.model.body_mass.sum())
    lines = [
        f"robot {robot.name}: {robot.title}, {len(robot.joints)} joints, {mass:.3f} kg,"
        f" tick {1e3 * robot.tick:g} ms (all of it: andante robots {name})",
        f"  feet: {', '.join(foot.name for foot in robot.feet) or 'none'}",
        f"  postures: {', '.join(sorted(robot.postures)) or 'none'}",
        f"  groups: {', '.join(robot.groups) or 'none'}",
    ]
    data = {"title": robot.title, "mass": mass, "joints": list(robot.joint_names), "postures": sorted(robot.postures)}
    return Shown("robot", robot.name, tuple(lines), data)


def _scenario(scenario: Scenario) -> Shown:
    start = scenario.world.start
    how = f"lying ({start.lying})" if start.lying else f"in posture {start.posture or 'stand'}"
    lines = [
        f"scenario {scenario.name}: {scenario.robot}, {scenario.controller.type}, begins {how}, seed {scenario.seed},"
        f" at most {scenario.timeout:g} s"
    ]
    lines += [f"  {line}" for line in scenario_text(scenario).splitlines()]
    return Shown("scenario", scenario.name, tuple(lines), {"scenario": scenario.model_dump(mode="json")})


def _judged(library: MotionLibrary, name: str, robot: str | None, motion: str | None = None) -> list[str]:
    """What the record beside a motion file says of it, or of one of its motions."""
    path = library_path(name)
    record = load_record(path)
    if motion is not None:
        record = record.but(judgements=tuple(each for each in record.judgements if each.motion == motion))
    if not record.judgements:
        return []
    try:
        known: Robot | None = Robot.load(robot or robot_source(library.robot, path))
    except AndanteError:
        known = None
    # Digests are of the motions bound to their robot, as they were judged.
    bound = library if known is None else bind_file(path, known).library
    return lines_of(record, bound, known)


def _library(library: MotionLibrary, name: str, robot: str | None = None) -> Shown:
    lines = [f"library {name}, robot {library.robot}: {len(library.motions)} motions, {len(library.blocks)} blocks"]
    lines += [f"  {library.note}"] if library.note else []
    width = max((len(motion) for motion in library.motions), default=0) + 2
    for motion, entry in library.motions.items():
        lines.append(f"  {motion:<{width}}{duration_of(library, motion):6.2f} s  {entry.note}".rstrip())
    times = {motion: duration_of(library, motion) for motion in library.motions}
    judged = _judged(library, name, robot)
    lines += [f"  {line}" for line in judged]
    return Shown("library", name, tuple(lines), {"robot": library.robot, "motions": times, "judged": judged})


def _motion(library: MotionLibrary, name: str, motion: str, robot: str | None = None) -> Shown:
    document = motion_of(library, motion)
    blocks = {block: library.blocks[block].model_dump(mode="json") for block in document.blocks}
    data = {"library": name, "robot": library.robot, "duration": duration_of(library, motion)}
    judged = _judged(library, name, robot, motion)
    data |= {"motion": document.model_dump(mode="json"), "blocks": blocks, "judged": judged}
    lines = (*motion_lines(library, motion), *(f"  {line}" for line in judged))
    return Shown("motion", f"{name}/{motion}", lines, data)


def _entry(kind: str, name: str) -> Shown:
    entry = next(entry for entry in catalog([kind]) if entry.name == name)
    return Shown(kind, name, (f"{kind} {entry}",), {"what": entry.what})


def _run(record: RunRecord) -> Shown:
    judged = f": {record.verdict.upper()}" if record.verdict else ""
    versions = record.log.metadata.get("versions", {})
    rows = ", ".join(f"{name} {len(channel.rows)}" for name, channel in record.log.channels.items())
    lines = [
        f"run of {record.name}, robot {record.robot or 'unknown'}, {record.duration:.2f} s{judged}",
        *(f"  {reason}" for reason in record.result.get("reasons", ())),
        *(f"  {moment}" for moment in story(record.log.events)),
        f"  rows: {rows}; {len(record.log.events)} events; Andante {versions.get('andante', 'of unknown version')}",
    ]
    if record.log.problem:
        lines.append(f"  the log is not complete: {record.log.problem}")
    numbers = record.numbers()
    lines += [f"  {name:<28}{_readable(name, value)}" for name, value in numbers.items() if value is not None]
    data = {"robot": record.robot, "verdict": record.verdict, "duration": record.duration, "metrics": numbers}
    return Shown("run", record.name, tuple(lines), data | {"problem": record.log.problem})


def _readable(name: str, value: Any) -> str:
    """A metric for people: angles in degrees, all else in SI units."""
    if unit_of(name) == "deg" and isinstance(value, float) and math.isfinite(value):
        return f"{math.degrees(value):.3g} deg"
    return shown(value)
