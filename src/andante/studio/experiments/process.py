"""An experiment in a process of its own: the same trials, journal and record as `andante bench NAME --out`."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes
from andante.search.executor import InProcess
from andante.search.journal import MOST_BYTES, StudyJournal
from andante.search.suite import Case
from andante.studio.disk import Disk
from andante.studio.experiments.kept import ASKED, JOURNAL, LARGEST_PAGE, PAGE, RESULT, asked_text
from andante.studio.experiments.order import ExperimentOrder, cases_of
from andante.studio.supervised import said
from andante.studio.workspace import Workspace

_HEARD = 30.0
"""The last word is heard within this time [s]."""
Tell = Callable[[tuple[str, Any]], object]


@dataclass(frozen=True)
class ExperimentJob:
    """What the process is to do."""

    order: ExperimentOrder
    """What is run."""
    workspace: Path
    """The workspace's folder, in which it is run."""
    folder: str
    """Name of the result's folder in the workspace."""
    resume: bool = False
    """Go on with what the folder keeps."""


class ToldJournal(StudyJournal):
    """A journal that tells of each trial.

    Args:
        disk: Where it is written.
        path: Its file.
        about: What is benched, see `andante.search.suite.Suite.about`.
        resume: Go on with a file that is there.
        cases: The trials.
        tell: Is told of the cells first, then of each trial.
    """

    def __init__(
        self, disk: Disk, path: Path, about: dict[str, Any], resume: bool, cases: Sequence[Case[Any]], tell: Tell
    ) -> None:
        self._disk, self._tell = disk, tell
        self._groups: dict[str, list[Case[Any]]] = {}
        for case in cases:
            self._groups.setdefault(case.key, []).append(case)
        super().__init__(path, about, resume=resume, opened=self._opened)
        cells: dict[str, dict[str, Any]] = {}
        for case in cases:
            cell = cells.setdefault(case.group, {"name": case.group, "total": 0, "done": 0, "passed": 0, "failed": 0})
            cell["total"] += 1
            if case.key in self.results:
                _count(cell, self.results[case.key])
        tell(("cells", list(cells.values())))

    def add(self, key: str, result: Any, note: Mapping[str, Any] | None = None) -> None:
        """Keep one result, and tell of it."""
        super().add(key, result, note)
        for case in self._groups.get(key, ()):
            told: dict[str, Any] = {"passed": None, "reasons": []}
            if isinstance(result, dict):
                told = {"passed": result.get("passed"), "reasons": [str(each) for each in result.get("reasons") or ()]}
            self._tell(("trial", {"cell": case.group, "seed": case.seed, **told}))

    def _opened(self, path: Path, resume: bool) -> IO[bytes]:
        """No file that exists is opened for writing, see `andante.studio.disk`: a copy of it takes its name."""
        if not resume:
            return FileIO(self._disk.create(path), "r+")
        return FileIO(self._disk.begin(path, self._disk.read(path, MOST_BYTES) or b""), "r+")


def _count(cell: dict[str, Any], result: Any) -> None:
    passed = result.get("passed") if isinstance(result, dict) else None
    cell["done"] += 1
    cell["passed"] += passed is True
    cell["failed"] += passed is False


def serve(pipe: Connection) -> None:
    """Run what comes over the pipe; what is heard after it, or its end, breaks the run off in good order."""
    job: ExperimentJob = pipe.recv()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_listen, args=(pipe,), daemon=True, name="asked").start()
    try:
        try:
            word: tuple[str, Any] = ("done", run_experiment(job, pipe.send))
        except OSError as error:
            word = ("failed", error.strerror or str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, who looks on is told
            word = ("failed", str(said(error)))
        pipe.send(word)
        # Who ends before the last word is heard would be taken for one that has met with an accident.
        time.sleep(_HEARD)
    except (KeyboardInterrupt, OSError):
        return


def run_experiment(job: ExperimentJob, tell: Tell) -> dict[str, Any]:
    """Run it and write its record; what is done is kept in the journal whatever ends it.

    Returns:
        Whether no figure misses what was asked.

    Raises:
        AndanteError: It cannot be run as asked, or not written.
        KeyboardInterrupt: Somebody breaks it off.
    """
    os.chdir(job.workspace)
    disk = Workspace(job.workspace).disk
    folder = job.workspace / job.folder
    suite = job.order.suite()
    with tempfile.TemporaryDirectory(prefix="andante-page-") as made:
        page = Path(made) / PAGE if job.order.page else None
        options = job.order.options(suite, page)
        cases = cases_of(suite, options)
        disk.folders(folder)
        disk.write(folder / ASKED, asked_text(job.order, [case.key for case in cases]).encode())
        journal = ToldJournal(disk, folder / JOURNAL, suite.about(options), job.resume, cases, tell)
        try:
            found = suite.made(cases, InProcess(), journal)
            report = suite.report(options, suite.merged(cases, found))
            if page is not None and page in report.files:
                tell(("page", None))
                report.files[page](page)
                disk.write(folder / PAGE, _read_page(page))
            text = json.dumps(report.data(), indent=2, allow_nan=False) + "\n"
            disk.write(folder / RESULT, text.encode())
        finally:
            journal.close()
        disk.remove(folder / JOURNAL)
    return {"passed": report.passed}


@budgeted()
def _read_page(path: Path) -> bytes:
    return read_bytes(path, max_bytes=LARGEST_PAGE)


def _listen(pipe: Connection) -> None:
    """Wait for a word, or for the end of the pipe (in a thread of its own)."""
    with suppress(EOFError, OSError):
        pipe.recv()
    os.kill(os.getpid(), signal.SIGTERM)
