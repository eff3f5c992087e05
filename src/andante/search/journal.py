"""Journal: results of a bench, written as they come, so that an interrupted one goes on where it was.

A text file of JSON lines. The first says what is benched: suite, options, version, and what its input files held; every
other line is one result under the key of its case, or a note for those who look how far it is. A line that was cut by a
kill is dropped.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes, read_head
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.runs.logs.folder import held, locked
from andante.search.errors import SearchError, refuse_another
from andante.search.files_inside import files_inside
from andante.search.toolchain import SOURCE, content

FORMAT = "andante.bench-journal"
RUNS_ON = "on"
"""What of a journal's first line tells the versions that results depend on."""
_CODE = f"{RUNS_ON} {SOURCE}"
ASKED, ENDED, AT = "asked", "ended", "at"
"""What notes hold: how many trials are asked for by case, the case of a trial that was ended, and when (since 1970)."""
_HEAD = json.dumps({"format": FORMAT})[:-1].encode()
"""What every journal begins with."""
_TAKEN, _WAIT = "another bench writes into this journal", "wait for its end, or name another file"
_TRIES, _PAUSE = 5, 0.02
"""So often a journal is asked for, and time between: who looks how far a bench is holds it for a moment [s]."""
MOST_BYTES = 512 * 1024 * 1024
"""Largest journal that is read; 10,000 trials take some 10 MB."""


def open_journal(path: Path, resume: bool) -> IO[bytes]:
    """The file of a journal, open for more; a new one where none is gone on with."""
    # Unbuffered, and one call per line: what was added is in the file whatever happens to this process.
    return path.open("r+b" if resume else "xb", buffering=0)


class StudyJournal:
    """Results by key in a file that is open for more.

    Args:
        path: The file.
        about: What is benched, plain data.
        resume: Go on with a file that is there; else there must be none.
        opened: Opens the file, unbuffered.

    Raises:
        SearchError: A file where there must be none, none where there must be one, one of another bench, or one into
            which another process writes; it cannot be written.
        OSError: The file cannot be opened.
    """

    def __init__(
        self,
        path: Path,
        about: Mapping[str, Any],
        *,
        resume: bool = False,
        opened: Callable[[Path, bool], IO[bytes]] = open_journal,
    ) -> None:
        self.path = path
        self.results: dict[str, Any] = {}
        """Plain data of the results by key."""
        self._asked: set[str] = set()
        _refuse_unfit(path, resume)
        try:
            self._file = opened(path, resume)
        except FileExistsError:
            # Another one has begun it since, or it is a link that leads nowhere.
            _refuse_unfit(path, resume)
            raise
        try:
            if not _mine(self._file):
                raise SearchError(_TAKEN, place=str(path), remedy=_WAIT)
            if not self._there():
                raise SearchError("is gone: the bench that wrote it has ended", place=str(path))
            whole = self._read(path, json.loads(json.dumps(about))) if resume else 0
            self._file.truncate(whole)
            self._file.seek(whole)
            if not whole:
                try:
                    self._write({"format": FORMAT, "version": 1} | dict(about))
                except SearchError:
                    # What has not begun is nothing to go on with.
                    self._unlink()
                    raise
        except BaseException:
            self._file.close()
            raise

    def add(self, key: str, result: Any, note: Mapping[str, Any] | None = None) -> None:
        """Keep one result, plain data.

        Args:
            key: Its key.
            result: The result.
            note: More for those who look how far the bench is.

        Raises:
            SearchError: There is no room for it, or the file's disk is gone.
        """
        self._write({"key": key, "result": result} | dict(note or {}))
        self.results[key] = result

    def ask(self, trials: Mapping[str, str]) -> None:
        """Note how many trials are asked for by case, beside those that were before since the journal was opened.

        Args:
            trials: Names of the cases by key of the trial.

        Raises:
            SearchError: See `add`.
        """
        asked = Counter(case for key, case in trials.items() if key not in self._asked)
        if asked or not self._asked:
            self._write({ASKED: dict(asked), "more": bool(self._asked), AT: now()})
        self._asked.update(trials)

    def note_ended(self, case: str) -> None:
        """Note a trial that was ended at a limit: it is no result, and whoever goes on tries it again.

        Raises:
            SearchError: See `add`.
        """
        self._write({ENDED: case, AT: now()})

    def close(self) -> None:
        """Leave the file as it is; one without a result goes."""
        if not self.results:
            self._unlink()
        self._file.close()

    def remove(self) -> None:
        """Delete the file and close it: its results are where they belong."""
        self._unlink()
        self._file.close()

    def _unlink(self) -> None:
        """Delete the file while nobody else can have it; another one that has come into its place stays."""
        if self._file.closed or not self._there():
            return
        if os.name != "posix":
            # There a file that is open cannot be deleted.
            self._file.close()
        self.path.unlink(missing_ok=True)

    def _there(self) -> bool:
        """Whether the path still leads to the file that is open."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except OSError:
            return False

    def _write(self, data: Mapping[str, Any]) -> None:
        line = memoryview(json.dumps(data).encode() + b"\n")
        # A disk that is nearly full takes a part of it, and says so only of the rest.
        try:
            while line:
                line = line[self._file.write(line) or 0 :]
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            raise SearchError(what, place=str(self.path)) from error

    @budgeted(error=SearchError)
    def _read(self, path: Path, about: dict[str, Any]) -> int:
        """Take over the whole lines; returns their length [bytes]."""
        raw = read_bytes(path, max_bytes=MOST_BYTES)
        whole = raw.rfind(b"\n") + 1
        if not whole and not _begins(raw):
            raise SearchError("is no bench journal", place=str(path), remedy="name another file; it is untouched")
        for number, line in enumerate(raw[:whole].splitlines(), start=1):
            place = f"{self.path}:{number}"
            try:
                data = journal_line(line, place)
                if number == 1:
                    if data["format"] != FORMAT:
                        raise ValueError(data["format"])
                elif ASKED not in data and ENDED not in data:
                    self.results[str(data["key"])] = data["result"]
            except (DocumentError, ValueError, KeyError, TypeError) as error:
                remedy = "delete this line: what it told is made again" if number > 1 else ""
                raise SearchError(
                    "is no line of a bench journal", place=place, value=str(error), remedy=remedy
                ) from None
            if number == 1:
                _refuse_another_bench(_flat(data), _flat({"format": FORMAT, "version": 1, **about}), str(self.path))
        return whole


def journal_line(line: bytes, place: str) -> dict[str, Any]:
    """What a line of a journal holds.

    Raises:
        DocumentError: It is no JSON.
        ValueError: It is no object.
    """
    data = parse_json_data(line, place, finite=False)
    if not isinstance(data, dict):
        raise ValueError(type(data).__name__)
    return data


def now() -> float:
    """Seconds since 1970."""
    return round(time.time(), 3)


def is_journal(path: Path) -> bool:
    """Whether a file begins as a journal does."""
    try:
        return path.is_file() and read_head(path, len(_HEAD)) == _HEAD
    except (OSError, DocumentError):
        return False


def _refuse_unfit(path: Path, resume: bool) -> None:
    """Refuse a path at which no journal can be begun, or gone on with.

    Raises:
        SearchError: So it is.
    """
    if not path.exists():
        if resume:
            raise SearchError("is not there, so nothing can be resumed", place=str(path), remedy="leave --resume out")
        return
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is a device or a pipe"
        raise SearchError(f"{what}, and a journal is a file", place=str(path), remedy="name another one")
    if not resume:
        if held(path):
            # Two that write into one file write over each other.
            raise SearchError(_TAKEN, place=str(path), remedy=_WAIT)
        if not _begins(read_head(path, len(_HEAD))):
            raise SearchError("is there already, and is no journal", place=str(path), remedy="name another file")
        remedy = "go on with --resume, or delete it to begin anew"
        raise SearchError("holds the results of an interrupted bench", place=str(path), remedy=remedy)


def _mine(file: IO[bytes]) -> bool:
    """Keep others out of the file; False where another bench writes into it."""
    for _ in range(_TRIES):
        if locked(file.fileno()):
            return True
        time.sleep(_PAUSE)
    return False


def _begins(raw: bytes) -> bool:
    """Whether bytes may be the first line of a journal, cut by a kill or by a crash, which leaves zeros."""
    told = raw.rstrip(b"\x00")
    return _HEAD.startswith(told) or told.startswith(_HEAD)


def _refuse_another_bench(kept: Mapping[str, Any], asked: Mapping[str, Any], place: str) -> None:
    what, remedy = "belongs to another bench, {} differs", "ask for the same, or name another file; it is untouched"
    # A journal of an earlier version does not tell what it ran on.
    names = [each for each in {**asked, **kept} if each in kept or not each.startswith(f"{RUNS_ON} ")]
    refuse_another(what, kept, asked, [each for each in names if each != _CODE], place=place, remedy=remedy)
    if _CODE in names:
        # Nobody can ask for another code as for another option.
        what = "was made by other code of Andante, and results of both would stand in one table"
        remedy = "go back to that code, or begin anew with another file; it is untouched"
        refuse_another(what, kept, asked, [_CODE], place=place, remedy=remedy)


def fingerprints(texts: Iterable[str]) -> dict[str, str]:
    """SHA-256 of what each text names, where it names a file or folder; several names stand with commas.

    Files that such a file names count as well; see `files_inside`.
    """
    names = {part.strip() for text in texts for part in text.split(",")} - {""}
    given = {name for name in names if Path(name).is_file() or Path(name).is_dir()}
    inside = {str(each) for name in given for each in files_inside(Path(name))}
    return {name: content(Path(name)) for name in sorted(given | inside)}


def _flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """Nested names with dots."""
    found: dict[str, Any] = {}
    for name, value in data.items():
        found |= {f"{name} {each}": v for each, v in value.items()} if isinstance(value, dict) else {name: value}
    return found
