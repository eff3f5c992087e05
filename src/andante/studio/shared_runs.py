"""A run that is shared, by its folder, by its scenario or by its log alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from andante.runs.execute import SCENARIO
from andante.runs.logs.log import Log
from andante.runs.logs.record import LOG, METRICS, logged_scenario, told_below
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import load_scenario
from andante.studio.errors import StudioError


@dataclass(frozen=True)
class SharedRun:
    """What there is of a run."""

    scenario: Scenario
    """What was asked."""
    log: Path | None
    """Its log; None: there is none."""
    numbers: Path | None
    """Its verdict and numbers; None: there are none."""


def shared_run(path: Path) -> SharedRun:
    """What there is of a run.

    Args:
        path: Its folder, its scenario, or its log, also where that lies alone.

    Raises:
        AndanteError: There is no such run, or it does not say its scenario.
    """
    if path.is_dir():
        if not (path / SCENARIO).is_file():
            what, below = "is no folder of a run: it has no scenario", told_below(path, SCENARIO)
            raise StudioError(what, place=str(path), value=SCENARIO, remedy=below)
        path = path / SCENARIO
    if path.suffix.lower() == ".mcap":
        if not (path.name == LOG and (path.parent / SCENARIO).is_file()):
            if not path.exists():
                raise StudioError("does not exist", place=str(path))
            return SharedRun(logged_scenario(Log.open(path), path), path, None)
        path = path.parent / SCENARIO
    if path.name != SCENARIO:
        return SharedRun(load_scenario(path), None, None)
    log, numbers = (path.parent / name for name in (LOG, METRICS))
    return SharedRun(load_scenario(path), log if log.is_file() else None, numbers if numbers.is_file() else None)
