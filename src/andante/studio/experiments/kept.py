"""What of experiments lies in a workspace: their documents, results that are whole or were cut off, and runs.

A result of the studio is the folder ``experiments/<name>-<n>`` with ``result.json``, which `andante bench --out` would
write, its journal while it is not whole, ``asked.json``, and ``page.html`` where a page was asked for. Results that
were made in the terminal are found wherever they lie in the workspace, and in its history.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from andante.documents.budget import budgeted
from andante.documents.files import MAX_BYTES, read_bytes, read_head
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.runs.logs.record import LOG
from andante.search.experiment.registry import load_experiment
from andante.search.history import SavedBench, found_bench, holds_bench, load_bench
from andante.search.suites.registry import suite_names, told
from andante.studio.errors import StudioError
from andante.studio.experiments.order import ExperimentOrder
from andante.studio.workspace import Workspace
from andante.version import __version__

FOLDER, RESULT, ASKED, PAGE = "experiments", "result.json", "asked.json", "page.html"
"""The folder of the studio's results, and its files."""
JOURNAL = f"{RESULT}.journal"
"""Trials of a result that is not whole; the name is that of the command's journal."""
_KEY = b'{"key": '
"""What the line of a trial in it begins with."""
LARGEST_PAGE = 100_000_000
"""Largest page that is kept and shown [bytes]."""
HISTORY = ".andante/history"
"""Where `andante bench --save` keeps results in the workspace."""
_MOST = 400
_HEAD = 4000
_FORMAT = re.compile(rb"^[\"']?format[\"']?\s*:\s*[\"']?andante\.experiment\b", re.MULTILINE)
_REASONS = 12
"""Trials of a cell whose reasons are told."""


def shelf(workspace: Workspace) -> dict[str, Any]:
    """Names of everything, plain data."""
    shipped = [{"name": name, "what": told(name), "where": "shipped"} for name in suite_names()]
    own = [
        {"name": name, "what": _question(workspace.folder / name), "where": "workspace"}
        for name in experiment_files(workspace)
    ]
    results = [_told(workspace, name) for name in result_names(workspace)]
    return {"experiments": [*shipped, *own], "results": results, "runs": run_names(workspace)}


def experiment_files(workspace: Workspace) -> list[str]:
    """Names of the experiments among the workspace's files."""
    found = []
    for name in workspace.files(frozenset({".yaml", ".yml"})):
        with suppress(DocumentError):
            if not name.startswith(("runs/", f"{FOLDER}/")) and _FORMAT.search(
                read_head(workspace.folder / name, _HEAD)
            ):
                found.append(name)
    return found


def _question(path: Path) -> str:
    """What an experiment of the workspace asks; why it cannot be read."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return _question_of(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=256)
def _question_of(path: Path, changed: int, size: int) -> str:
    try:
        return load_experiment(path).what
    except AndanteError as error:
        return f"cannot be read: {error}"


def result_names(workspace: Workspace) -> list[str]:
    """Names of the results: folders of the studio, files of the terminal, newest first in each."""
    files = [
        workspace.folder / name
        for name in workspace.files(frozenset({".json"}))
        if not name.startswith(f"{FOLDER}/") and Path(name).name not in ("metrics.json", ASKED)
    ]
    saved = islice(_entries(workspace.folder / HISTORY, "*.json"), _MOST)
    groups: tuple[Iterable[Path], ...] = (_folders(workspace), filter(_holds, files), saved)
    return [workspace.name(path) for group in groups for path in sorted(group, key=_newest)]


def run_names(workspace: Workspace) -> list[str]:
    """Names of the folders of runs."""
    logs = workspace.files(frozenset({Path(LOG).suffix}))
    return [str(Path(name).parent) for name in logs if Path(name).name == LOG and Path(name).parent != Path()][:_MOST]


def fresh_folder(workspace: Workspace, name: str) -> str:
    """Name of a folder for one more result."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "experiment"
    number = 1
    while (workspace.folder / FOLDER / f"{plain}-{number}").exists():
        number += 1
    return f"{FOLDER}/{plain}-{number}"


def result_path(workspace: Workspace, name: str) -> Path:
    """The file or folder of a result.

    Raises:
        StudioError: There is none of this name, or no more.
    """
    if name.startswith(f"{HISTORY}/"):
        path = workspace.folder / HISTORY / Path(name).name
        if path.name.startswith(".") or not path.resolve().is_relative_to(workspace.folder):
            raise StudioError("this file is outside the workspace and is not opened", value=name)
    else:
        path = workspace.path(name)
    if not path.exists():
        raise StudioError("there is no such result or run, or no more", value=name, remedy="look at the list again")
    return path


def load_result(workspace: Workspace, name: str) -> SavedBench:
    """A result that is whole.

    Raises:
        AndanteError: There is none, it was cut off, or cannot be read.
    """
    path = result_path(workspace, name)
    known: dict[str, str] = {}
    if path.is_dir():
        if not (path / RESULT).is_file():
            raise StudioError(
                _CUT if (path / JOURNAL).exists() else "holds no result", place=name, remedy="go on with it first"
            )
        version = _asked(path).get("andante")
        path = path / RESULT
        if isinstance(version, str):
            saved = datetime.fromtimestamp(_time(path), UTC).isoformat(timespec="seconds")
            known = {"andante": version, "saved": saved}
    if found_bench(str(path), path.parent) is None:
        raise StudioError("is no result of an experiment", place=name)
    return load_bench(path).model_copy(update=known)


_CUT = "was cut off before its end, and only trials are kept"


def look_at_result(workspace: Workspace, name: str) -> dict[str, Any]:
    """What a page is shown of a result, plain data.

    Raises:
        AndanteError: There is none, or it cannot be read.
    """
    path = result_path(workspace, name)
    asked = _asked(path) if path.is_dir() else {}
    if path.is_dir() and not (path / RESULT).is_file() and (path / JOURNAL).is_file():
        return {
            "result": name,
            "whole": False,
            "experiment": asked.get("experiment", ""),
            "kept": _kept_trials(path / JOURNAL, asked.get("shared")),
            "trials": asked.get("trials"),
            "given": asked.get("given", {}),
        }
    bench = load_result(workspace, name)
    groups: dict[str, list[Any]] = {}
    for trial in bench.trials:
        groups.setdefault(trial.group, []).append(trial)
    return {
        "result": name,
        "whole": True,
        "experiment": asked.get("experiment", bench.suite),
        "suite": bench.suite,
        "evidence": bench.evidence or "not kept by an earlier version",
        "saved": bench.saved,
        "andante": bench.andante,
        "given": {n: v for n, v in bench.options.items() if v not in (None, [], "", ())},
        "passed": bench.passed,
        "rows": [vars(row) for row in bench.rows],
        "cells": [_cell(group, trials) for group, trials in groups.items()],
        "page": path.is_dir() and (path / PAGE).is_file(),
    }


def order_of(workspace: Workspace, name: str) -> ExperimentOrder:
    """What a result that was cut off was asked.

    Raises:
        AndanteError: There is none, or it does not tell.
    """
    path = result_path(workspace, name)
    if not (path / JOURNAL).is_file():
        raise StudioError("is whole, or keeps no trial to go on with", place=name, remedy="begin it anew")
    asked = _asked(path)
    if not isinstance(asked.get("experiment"), str) or not isinstance(asked.get("given"), dict):
        remedy = "go on in the terminal: andante bench … --out RESULT --resume"
        raise StudioError(f"does not tell what was asked ({ASKED})", place=name, remedy=remedy)
    return ExperimentOrder(asked["experiment"], asked["given"], bool(asked.get("page")))


def asked_text(order: ExperimentOrder, keys: Sequence[str]) -> str:
    """What ``asked.json`` says.

    Args:
        order: What is run.
        keys: Under which key the result of each trial is kept; cells may share one.
    """
    data: dict[str, Any] = {"experiment": order.experiment, "given": dict(order.given), "page": order.page}
    shared = {key: count for key, count in Counter(keys).items() if count > 1}
    return json.dumps({**data, "trials": len(keys), "shared": shared, "andante": __version__}, indent=2) + "\n"


def _cell(name: str, trials: list[Any]) -> dict[str, Any]:
    """One cell of a result: how many of its trials passed, and why others did not."""
    results = [each.result if isinstance(each.result, dict) else {} for each in trials]
    counts = Counter(str(result.get("passed")) for result in results)
    bad = [
        {"seed": trial.seed, "reasons": [str(why) for why in result.get("reasons") or ()]}
        for trial, result in zip(trials, results, strict=True)
        if result.get("passed") is False
    ]
    told = {
        "name": name,
        "done": len(trials),
        "total": len(trials),
        "passed": counts["True"],
        "failed": counts["False"],
    }
    return told | {"bad": bad[:_REASONS], "seeds": [min(t.seed for t in trials), max(t.seed for t in trials)]}


def _told(workspace: Workspace, name: str) -> dict[str, Any]:
    """A result in the list: what state it is in, without reading it."""
    path = workspace.folder / name
    state = "cut off" if path.is_dir() and not (path / RESULT).is_file() else "whole"
    where = "studio" if name.startswith(f"{FOLDER}/") else "history" if name.startswith(HISTORY) else "file"
    return {"name": name, "state": state, "where": where, "time": _time(path)}


def _folders(workspace: Workspace) -> list[Path]:
    found = islice(_entries(workspace.folder / FOLDER, "*"), _MOST)
    return [path for path in found if path.is_dir() and any((path / each).is_file() for each in (RESULT, JOURNAL))]


def _entries(folder: Path, pattern: str) -> Iterator[Path]:
    with suppress(OSError):
        yield from (each for each in folder.glob(pattern) if not each.name.startswith(".") and not each.is_symlink())


def _holds(path: Path) -> bool:
    try:
        return holds_bench(path)
    except AndanteError:
        return False


def _newest(path: Path) -> tuple[float, str]:
    return -_time(path), str(path)


def _time(path: Path) -> float:
    """When a result was written, seconds since 1970; 0 where it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


@budgeted(place="folder")
def _asked(folder: Path) -> dict[str, Any]:
    try:
        data = parse_json_data(read_bytes(folder / ASKED, max_bytes=MAX_BYTES), str(folder / ASKED))
    except DocumentError:
        return {}
    return data if isinstance(data, dict) else {}


@budgeted(place="journal")
def _kept_trials(journal: Path, shared: Any) -> int:
    """How many trials a journal keeps; a result that cells share counts in each."""
    try:
        lines = read_bytes(journal, max_bytes=512 * 1024 * 1024).split(b"\n")[1:-1]
    except DocumentError:
        return 0
    # Other lines tell how many trials are asked for, or of one that was ended at a limit.
    lines = [line for line in lines if line.startswith(_KEY)]
    if not isinstance(shared, dict) or not shared:
        return len(lines)
    counts = {json.dumps(key).encode(): count for key, count in shared.items() if isinstance(count, int)}
    return sum(counts.get(line[len(_KEY) : line.find(b', "result": ')], 1) for line in lines)
