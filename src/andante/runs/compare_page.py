"""The page of a comparison: the plots of both runs in one, numbers side by side, one replay with both robots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.build import load_declared, picture_model
from andante.runs.compare import Comparison, shown
from andante.runs.log import ChannelRows
from andante.runs.record import RunRecord
from andante.runs.report import leg_rows, panels_of, replays_of, report_channels, write_page
from andante.version import __version__

if TYPE_CHECKING:
    from andante.control.controller import ControlEvent

_MOST_EVENTS = 2000


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write the page of a comparison.

    Args:
        comparison: The comparison.
        path: The HTML file; overwritten.

    Raises:
        AndanteError: The robot of the runs cannot be loaded any more, or the file cannot be written.
    """
    first, second = comparison.runs
    robot, scenes, notes = _scenes(comparison.runs)
    channels = {**_named(first, ""), **_named(second, "B ")}
    panels = [
        (title, [each for name in names for each in (name, f"B {name}")])
        for title, names in panels_of(robot, first.log.channels)
    ]
    data = {
        "name": f"{first.name} and {second.name}",
        "verdict": "same" if comparison.equal else "different",
        "reasons": [*map(str, (each for each in comparison.channels if not each.equal)), *notes][:8],
        "summary": f"A, solid: {first.path}; B, dashed: {second.path}",
        "duration": max(first.duration, second.duration),
        "metrics": {},
        "cards": [],
        "channels": report_channels(channels),
        "replays": scenes,
        "bands": [],
        "events": _events(comparison),
        "panels": panels,
        "legs": leg_rows(robot),
        "tables": [("Numbers", ("metric", "A", "B", "change"), _numbers(comparison))],
        "pictures": [],
        "scenario": "",
        "footer": f"Andante {__version__}.",
    }
    write_page(path, f"{first.path.name} and {second.path.name}", data)


def _scenes(runs: tuple[RunRecord, RunRecord]) -> tuple[Robot, list[dict[str, Any]], list[str]]:
    """The robot, the replays in the world of the first run, and what could not be shown."""
    scenario = runs[0].scenario
    robot = load_declared(scenario)
    try:
        model = picture_model(robot, scenario.world, scenario.seed)
        return robot, replays_of([run.log for run in runs], robot, model), []
    except AndanteError as error:
        return robot, [], [f"no replay: {error}"]


def _named(run: RunRecord, mark: str) -> Mapping[str, ChannelRows]:
    return {f"{mark}{name}": rows for name, rows in run.log.channels.items()}


def _numbers(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    def change(value: float | None) -> str:
        return "" if value is None or abs(value) < 5e-4 else f"{100.0 * value:+.1f} %"

    return [
        (number.name, shown(number.first), shown(number.second), change(number.change))
        for number in comparison.numbers
        if number.first is not None or number.second is not None
    ]


def _events(comparison: Comparison) -> list[tuple[float, str, str]]:
    """Events that only one run has, in order of time."""

    def lines(mark: str, events: tuple[ControlEvent, ...]) -> list[tuple[float, str, str]]:
        return [(round(event.time, 6), f"only {mark}", f"{event.kind}: {event.text}") for event in events]

    found = lines("A", comparison.missing) + lines("B", comparison.added)
    return sorted(found)[:_MOST_EVENTS]
