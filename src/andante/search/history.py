"""History: results of benches that were kept, every trial of them, to look back and to compare with.

One JSON file per bench in a folder beside the motions that were benched, so that it can go into the same repository. A
file holds what the bench was asked, on what it ran, its figures, and plain data of every result.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from andante.documents.budget import budgeted
from andante.documents.files import read_head, read_text, write_text
from andante.documents.json_data import parse_json_data
from andante.documents.leaves import differing
from andante.documents.problems import DocumentError
from andante.search.errors import SearchError
from andante.search.rows import Row
from andante.search.suite import BenchReport, Case, Options, Suite
from andante.search.toolchain import toolchain
from andante.version import __version__

FORMAT = "andante.bench-result"
MOST_BYTES = 512 * 1024 * 1024
"""Larger files are refused."""
_GIT_TIMEOUT = 10.0
_KEEP = "keep one with: andante bench SUITE --save"
UNKNOWN = "unknown"
"""What the object of ``--out`` does not say: when it was made, and by which version."""
_HEAD = 200
_OBJECT = re.compile(r'\A\s*\{\s*"suite":')


class SavedTrial(BaseModel):
    """One result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: str
    """Which results it belongs to."""
    seed: int
    """Its seed."""
    result: Any
    """Plain data."""


class SavedBench(BaseModel):
    """A bench that was kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["andante.bench-result"]
    """Names the kind of file."""
    version: Literal[1]
    """Version of the format."""
    saved: str
    """When, UTC."""
    suite: str
    """Its suite."""
    andante: str
    """Andante's version."""
    toolchain: dict[str, str]
    """Versions that decide results."""
    commit: str | None
    """Commit of the repository in which it was made; ``+`` after it: with changes. None: no repository."""
    options: dict[str, Any]
    """What it was asked."""
    input: dict[str, str]
    """SHA-256 of the files that it read."""
    document: dict[str, Any] = Field(default_factory=dict)
    """What decides the trials in the experiment's document, without what is as usual; empty: an earlier version kept
    them, or there is none."""
    evidence: str | None = None
    """What the results rest on, see `andante.runs.backends.kind.EVIDENCE`; None: an earlier version kept them."""
    passed: bool
    """No figure missed what was asked."""
    rows: list[Row]
    """The figures."""
    trials: list[SavedTrial]
    """Every result, in the order of the cases."""


def refuse_unwritable(folder: Path) -> None:
    """See that a bench can be kept in a folder, which need not be there, before its trials are made.

    Raises:
        SearchError: It cannot.
    """
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise SearchError("is no folder, so nothing can be kept in it", place=str(there))
    if not os.access(there, os.W_OK | os.X_OK):
        what, remedy = "cannot be written to, so nothing can be kept in it", "name another one with --history"
        raise SearchError(what, place=str(there), remedy=remedy)


def save_bench(
    folder: Path,
    suite: Suite[Any, Any, Any],
    options: Options,
    cases: Sequence[Case[Any]],
    found: Mapping[str, Any],
    report: BenchReport,
) -> Path:
    """Keep a bench; returns the new file.

    Raises:
        DocumentError: The file cannot be written.
        OSError: The folder cannot be made.
    """
    about, now = suite.about(options), datetime.now(UTC)
    data = {
        "format": FORMAT,
        "version": 1,
        "saved": now.isoformat(timespec="seconds"),
        "suite": suite.name,
        "andante": __version__,
        "toolchain": toolchain(),
        "commit": commit_here(),
        "options": about["option"],
        "input": about["input"],
        "document": dict(suite.conditions),
        "evidence": report.evidence,
        "passed": report.passed,
        "rows": [asdict(row) for row in report.rows],
    }
    # One trial per line: two results differ in lines that can be read.
    head = json.dumps(data, indent=1)[: -len("\n}")]
    trials = [json.dumps({"group": c.group, "seed": c.seed, "result": found[c.key]}, sort_keys=True) for c in cases]
    text = head + ',\n "trials": [\n' + ",\n".join(trials) + "\n]}\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    path = folder / f"{suite.name}-{now:%Y%m%d-%H%M%S}-{digest}.json"
    folder.mkdir(parents=True, exist_ok=True)
    write_text(path, text, follow=False)
    return path


@budgeted()
def load_bench(path: Path) -> SavedBench:
    """Read a bench that was kept, or the object that ``--out`` and ``--json`` give of an experiment.

    Raises:
        SearchError: The file is none, or was cut.
        DocumentError: It cannot be read.
    """
    text = read_text(path, max_bytes=MOST_BYTES)
    try:
        data = parse_json_data(text, str(path), finite=False)
        if isinstance(data, dict) and _is_object(data):
            data = _of_object(data)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise SearchError("is no result of a bench", place=str(path), remedy=_KEEP)
        return SavedBench.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = f"{path}: {'.'.join(map(str, first['loc']))}"
        raise SearchError(f"is no result of this version: {first['msg']}", place=place) from None
    except DocumentError as error:
        raise SearchError(f"is no whole result of a bench: {error.what}", place=str(path)) from None


def kept(folder: Path) -> list[Path]:
    """Files of all benches that were kept there, oldest first; none where there is no such folder."""
    return sorted(folder.glob("*.json"), key=lambda path: (_moment(path), _written(path), path.name))


def found_bench(name: str, folder: Path) -> Path | None:
    """The file of a result that was kept; None: the name means none.

    Args:
        name: A path, a name in the history, its last six letters, or ``last``, ``last~1`` and so on.
        folder: The history.

    Raises:
        SearchError: There are not so many.
        DocumentError: The file cannot be read.
    """
    path = Path(name)
    if path.is_file():
        return path if path.suffix == ".json" and holds_bench(path) else None
    files = kept(folder)
    first, _, back = name.partition("~")
    if first == "last" and (not back or back.isdecimal()):
        number = int(back or 0)
        if number >= len(files):
            raise SearchError("so many results are not kept", place=str(folder), value=name, remedy=_KEEP)
        return files[-1 - number]
    return next((each for each in files if name in (each.stem, each.stem.rpartition("-")[2])), None)


def differing_conditions(first: SavedBench, second: SavedBench) -> dict[str, str]:
    """In what the documents of two results differ that decides their trials, in words by path; where both tell it.

    Files of one name in two folders count as alike: a repository stands elsewhere on another computer.
    """
    if not first.document or not second.document:
        return {}
    return {
        f"experiment: {path}": f"{ours}; second: {theirs}"
        for path, (ours, theirs) in differing(first.document, second.document).items()
    }


def _written(path: Path) -> int:
    """When a file was written [ns], for those of one second; 0 where it is gone."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def holds_bench(path: Path) -> bool:
    """Whether a file begins as one that was kept, or as the object of ``--out``.

    Raises:
        DocumentError: It cannot be read.
    """
    begin = read_head(path, _HEAD).decode("utf-8", "replace")
    return f'"{FORMAT}"' in begin or _OBJECT.match(begin) is not None


def _is_object(data: Mapping[str, Any]) -> bool:
    """Whether this is the object of an experiment's bench, see `andante.search.suite.BenchReport.data`."""
    return "format" not in data and isinstance(data.get("suite"), str) and isinstance(data.get("cells"), list)


def _of_object(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a bench that was kept; `SavedBench` refuses what does not fit."""
    own = ("suite", "evidence", "experiment", "document", "cells", "failures", "rows")
    rows, cells = data.get("rows"), [cell for cell in data["cells"] if isinstance(cell, dict)]
    known = rows if isinstance(rows, list) else []
    trials = [(cell.get("label"), trial) for cell in cells for trial in _list(cell.get("trials"))]
    return {
        "format": FORMAT,
        "version": 1,
        "saved": UNKNOWN,
        "suite": data["suite"],
        "evidence": data.get("evidence"),
        "andante": UNKNOWN,
        "toolchain": {},
        "commit": None,
        "options": {name: value for name, value in data.items() if name not in own},
        "input": {},
        "document": data.get("document", {}),
        "passed": not any(isinstance(row, dict) and row.get("ok") is False for row in known),
        "rows": rows,
        "trials": [
            {"group": label, "seed": trial.get("seed") if isinstance(trial, dict) else None, "result": trial}
            for label, trial in trials
        ],
    }


def _list(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def commit_here() -> str | None:
    """The commit of the repository of this folder, ``+`` where files were changed since; None where there is none."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=_GIT_TIMEOUT)
    return done.stdout.strip()


def _moment(path: Path) -> str:
    """Date and time in the name of a file, which begins with its suite."""
    return "-".join(path.stem.split("-")[-3:-1])
