"""Catalog: what comes with Andante and can be named: robots, scenarios, libraries, motions, boards, formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from andante.runs.errors import RunError
from andante.runs.motion_libraries import load_motions, shipped_libraries
from andante.runs.scenario_files import load_scenario, shipped_scenarios


class CatalogError(RunError):
    """There is no such kind of thing."""


@dataclass(frozen=True)
class Entry:
    """One thing that a command or a scenario can name."""

    kind: str
    """robot, scenario, library, motion, board or format."""
    name: str
    """Its name; a motion's is ``LIBRARY/MOTION``."""
    what: str
    """What it is, in a line."""

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def catalog(kinds: Sequence[str] = ()) -> tuple[Entry, ...]:
    """What there is of some kinds, in the order of the kinds, by name.

    Args:
        kinds: Names of kinds, singular or plural; none: all.

    Raises:
        CatalogError: There is no such kind.
    """
    wanted = [_kind(kind) for kind in kinds] or list(KINDS)
    return tuple(Entry(kind, name, what) for kind in dict.fromkeys(wanted) for name, what in KINDS[kind]())


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
    from andante.robots.loader import shipped_robots
    from andante.robots.robot import Robot

    for name in shipped_robots():
        robot = Robot.load(name)
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
        library = load_motions(name)
        yield name, f"for {library.robot}, motions: {len(library.motions)}"


def _motions() -> Iterator[tuple[str, str]]:
    from andante.motions.wording import duration_of

    for name in shipped_libraries():
        library = load_motions(name)
        for motion in library.motions:
            yield f"{name}/{motion}", f"{library.robot}, {duration_of(library, motion):.2f} s"


def _boards() -> Iterator[tuple[str, str]]:
    from andante.terrain.boards.make import KINDS as BOARDS

    for board in BOARDS.values():
        ranges = ", ".join(
            f"{key} {low:.3g}" + (f" to {high:.3g}" if high != low else "") for key, (low, high) in board.ranges.items()
        )
        yield board.name, f"{board.what}{': ' + ranges if ranges else ''}"


def _formats() -> Iterator[tuple[str, str]]:
    from andante.formats.registry import codecs

    for name, codec in codecs().items():
        yield name, f"{codec.title} ({', '.join(codec.suffixes) or 'a folder'})"


KINDS: Mapping[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "robot": _robots,
    "scenario": _scenarios,
    "library": _libraries,
    "motion": _motions,
    "board": _boards,
    "format": _formats,
}
"""The kinds of things, and what gives name and description of each thing of a kind."""
