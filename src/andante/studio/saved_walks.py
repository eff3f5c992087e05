"""Walks that are kept in the workspace: scenario, log and verdict in a folder each, to be opened in the lanes again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes
from andante.documents.json_data import parse_json_data
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.execute import SCENARIO
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG
from andante.runs.scenario_files import load_scenario
from andante.runs.tasks.walk.task import FLOOR
from andante.studio.errors import StudioError
from andante.studio.lanes import Rows, rows_of_log
from andante.studio.workspace import Workspace
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.height_map import HeightMap
from andante.terrain.terrain import Terrain

WALKS = "walks"
"""Folder of the workspace in which they are kept."""
VERDICT = "verdict.json"
"""How a walk was judged, beside its log."""
LARGEST = 400_000_000
"""Largest log that is kept or opened [bytes]."""
_SIDE = 15.0
"""Half the side of the floor that is drawn [m]."""


@dataclass(frozen=True, eq=False)
class SavedWalk:
    """A walk that was read."""

    robot: Robot
    """Its robot."""
    terrain: Terrain
    """Its ground."""
    rows: Rows
    """Its ticks as the lanes have them, see `andante.studio.lanes.lane_row`."""
    verdict: dict[str, Any]
    """How it was judged; empty where nobody knows."""


def level_floor() -> Terrain:
    """The level floor as it is drawn."""
    level = HeightMap(np.zeros((2, 2)), (-_SIDE, -_SIDE), 2.0 * _SIDE)
    return Terrain(FLOOR, level, ElevationMap.of(level))


def saved_walks(workspace: Workspace) -> list[str]:
    """Names of the walks that are kept, in order."""
    folder = workspace.folder / WALKS
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(each.name for each in found if (each / SCENARIO).is_file() and (each / LOG).is_file())


def save_walk(workspace: Workspace, run: Path, name: str, verdict: dict[str, Any], *, overwrite: bool = False) -> bool:
    """Keep a walk that has ended.

    Args:
        workspace: Where it is kept.
        run: The folder in which it was made.
        name: What it is called from now on.
        verdict: How it was judged.
        overwrite: Whether another one of this name may go.

    Returns:
        Whether it is kept; False: there is one of this name.

    Raises:
        AndanteError: Its log is too large, its board is not saved, or nothing can be written there.
    """
    terrain = load_scenario(run / SCENARIO).world.terrain
    if terrain is not None and terrain.file is not None and Path(terrain.file).parent == run:
        raise StudioError("the walk's board is not saved, and the next walk replaces it", remedy="save the board first")
    folder, disk = workspace.path(f"{WALKS}/{name}"), workspace.disk
    if folder.exists() and not overwrite:
        return False
    # All is read before anything is written.
    parts = {each: disk.read(run / each, LARGEST) for each in (SCENARIO, LOG)}
    disk.folders(folder)
    for each, raw in parts.items():
        if raw is None:
            raise StudioError("the walk is too large to be kept", value=each, limit=f"{LARGEST / 1e6:g} MB")
        disk.write(folder / each, raw)
    disk.write(folder / VERDICT, json.dumps(verdict).encode())
    return True


@budgeted(place="workspace")
def open_walk(workspace: Workspace, name: str) -> SavedWalk:
    """A walk that was kept.

    Raises:
        AndanteError: There is none of this name, or it cannot be read.
    """
    if name not in saved_walks(workspace):
        raise StudioError("no walk of this name is kept", value=name, legal=saved_walks(workspace))
    folder = workspace.path(f"{WALKS}/{name}")
    scenario = load_scenario(folder / SCENARIO)
    robot = load_declared(scenario)
    terrain = level_floor() if scenario.world.terrain is None else scenario.world.terrain.load()
    verdict = {}
    if (folder / VERDICT).is_file():
        verdict = dict(parse_json_data(read_bytes(folder / VERDICT), str(folder / VERDICT), finite=False))
    return SavedWalk(robot, terrain, rows_of_log(Log.open(folder / LOG)), verdict)
