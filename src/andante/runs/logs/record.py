"""RunRecord: what a run left behind, read back from its folder or from its log alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.runs.errors import LogError, refused
from andante.runs.logs.log import Log
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import read_scenario

LOG, METRICS = "log.mcap", "metrics.json"
_MOST_NAMED = 10
"""Most runs below a folder that are named."""
ROBOT_TABLE = "robot"
"""Table of a log's metadata with the robot's ``digest``; logs of earlier versions have none."""


def told_below(folder: Path, file: str) -> str:
    """A remedy that names the runs below a folder, by a file that each has; empty: there are none."""
    below = sorted(each.parent.name for each in folder.glob(f"*/{file}"))[:_MOST_NAMED]
    return f"runs are below it: {', '.join(below)}" if below else ""


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run's log and, where its folder has them, its verdict and its numbers."""

    path: Path
    """The folder, or the log."""
    log: Log
    """What was recorded."""
    result: Mapping[str, Any]
    """What ``metrics.json`` says; empty for a log without one beside it."""

    @staticmethod
    @budgeted(error=LogError)
    def open(path: Path | str) -> RunRecord:
        """Read a run's folder, or a log.

        Raises:
            LogError: There is no log, or it or the numbers beside it cannot be read.
        """
        path = Path(path)
        file = RunRecord.file_of(path)
        numbers = file.with_name(METRICS)
        own = file.name == LOG and numbers.is_file()
        return RunRecord(path, Log.open(file), result_of(numbers) if own else {})

    @staticmethod
    def file_of(path: Path) -> Path:
        """The log of a run's folder; a file as it is.

        Raises:
            LogError: The folder has no log; runs below it are named.
        """
        if not path.is_dir():
            return path
        file = path / LOG
        if not file.is_file():
            with refused(LogError, "the folder cannot be looked into", path):
                below = told_below(path, LOG)
            raise LogError("is no folder of a run: it has no log", place=str(path), value=LOG, remedy=below)
        return file

    def __repr__(self) -> str:
        judged = f", {self.verdict.upper()}" if self.verdict else ""
        return f"<RunRecord {self.path}: {self.name}, robot {self.robot}, {self.duration:.2f} s{judged}>"

    @property
    def robot(self) -> str:
        """Name of the robot; empty where the log does not say."""
        return self.log.metadata.get("run", {}).get("robot", "")

    @property
    def name(self) -> str:
        """Name of the scenario and seed."""
        run = self.log.metadata.get("run", {})
        return f"{run.get('scenario', self.path.name)}, seed {run.get('seed', 'unknown')}"

    @property
    def verdict(self) -> str:
        """pass or fail; empty where nobody judged."""
        return str(self.result.get("verdict", ""))

    @property
    def duration(self) -> float:
        """Time from the first to the last recorded row [s]."""
        ends = [float(rows.times[-1]) for rows in self.log.channels.values() if len(rows.times)]
        return max(ends, default=0.0)

    @property
    def scenario(self) -> Scenario:
        """What was run.

        Raises:
            LogError: The log does not say.
            DocumentError: What it says is no scenario of this version.
        """
        return logged_scenario(self.log, self.path)

    def numbers(self) -> dict[str, Any]:
        """All metrics by name, parts of a mapping as ``walk.NAME``; without long lists and tables."""
        found: dict[str, Any] = {}
        waiting = [*reversed((self.result.get("metrics") or {}).items())]
        while waiting:
            key, each = waiting.pop()
            if isinstance(each, dict):
                waiting += [(f"{key}.{inner}", part) for inner, part in reversed(each.items())]
            elif isinstance(each, (int, float, str, bool)) or each is None:
                found[key] = each
            elif isinstance(each, list) and len(each) <= 3 and all(isinstance(x, (int, float)) for x in each):
                found |= {f"{key}.{axis}": x for axis, x in zip("xyz", each, strict=False)}
        return found


@budgeted(error=LogError)
def result_of(path: Path) -> dict[str, Any]:
    """A run's verdict, its reasons and numbers, from its ``metrics.json``.

    Raises:
        LogError: The file cannot be read, or holds something else.
    """
    try:
        data = parse_json_data(read_text(path), str(path), finite=False)
    except DocumentError as error:
        raise LogError(
            f"the numbers of the run cannot be read: {error.what}", place=str(path), limit=error.limit
        ) from None
    if not (isinstance(data, dict) and isinstance(data.get("metrics"), dict)):
        raise LogError("are not the numbers of a run", place=str(path))
    reasons = data.get("reasons", [])
    if not isinstance(data.get("verdict", ""), str) or not isinstance(reasons, list):
        raise LogError("are not the numbers of a run: a verdict is a text, reasons are a list", place=str(path))
    return data | {"reasons": [str(reason) for reason in reasons]}


def logged_scenario(log: Log, path: Path) -> Scenario:
    """The scenario that a log tells, read from this path.

    Raises:
        LogError: The log does not say.
        DocumentError: What it says is no scenario of this version.
    """
    text = log.metadata.get("scenario", {}).get("text")
    if text is None:
        raise LogError("the log does not hold the scenario of its run", place=str(path))
    return read_scenario(text, f"{path} (scenario)")


def read_log(path: Path | str) -> Log:
    """Read the log of a run, by the run's folder or the log's file; complete or cut off anywhere.

    Raises:
        LogError: It cannot be read or was not written by Andante.
    """
    return RunRecord.open(path).log
