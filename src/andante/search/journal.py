"""Journal: results of a bench, written as they come, so that an interrupted one goes on where it was.

A text file of JSON lines. The first says what is benched: suite, options, version, and what its input files held; every
other line is one result under the key of its case. A line that was cut by a kill is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from andante.documents.budget import budgeted
from andante.documents.files import read_bytes
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError
from andante.runs.logs.folder import locked
from andante.search.errors import SearchError, refuse_another
from andante.search.files_inside import files_inside
from andante.search.toolchain import SOURCE, content

FORMAT = "andante.bench-journal"
RUNS_ON = "on"
"""What of a journal's first line tells the versions that results depend on."""
_CODE = f"{RUNS_ON} {SOURCE}"
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
        if path.exists() and not resume:
            remedy = "go on with --resume, or delete it to begin anew"
            raise SearchError("holds the results of an interrupted bench", place=str(path), remedy=remedy)
        if resume and not path.exists():
            raise SearchError("is not there, so nothing can be resumed", place=str(path), remedy="leave --resume out")
        self._file = opened(path, resume)
        try:
            if not locked(self._file.fileno()):
                # Two that write into one file write over each other.
                remedy = "wait for its end, or name another file"
                raise SearchError("another bench writes into this journal", place=str(path), remedy=remedy)
            whole = self._read(path, json.loads(json.dumps(about))) if resume else 0
            self._file.truncate(whole)
            self._file.seek(whole)
            if not whole:
                self._write({"format": FORMAT, "version": 1} | dict(about))
        except BaseException:
            self._file.close()
            raise

    def add(self, key: str, result: Any) -> None:
        """Keep one result, plain data.

        Raises:
            SearchError: There is no room for it, or the file's disk is gone.
        """
        self._write({"key": key, "result": result})
        self.results[key] = result

    def close(self) -> None:
        """Leave the file as it is; one without a result goes."""
        self._file.close()
        if not self.results:
            self.path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Close and delete the file: its results are where they belong."""
        self.close()
        self.path.unlink(missing_ok=True)

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
        for number, line in enumerate(raw[:whole].splitlines(), start=1):
            place = f"{self.path}:{number}"
            try:
                data = parse_json_data(line, place, finite=False)
                if number > 1:
                    self.results[str(data["key"])] = data["result"]
                elif data["format"] != FORMAT:
                    raise ValueError(data["format"])
            except (DocumentError, ValueError, KeyError, TypeError) as error:
                remedy = "delete this line: what it told is made again" if number > 1 else ""
                raise SearchError(
                    "is no line of a bench journal", place=place, value=str(error), remedy=remedy
                ) from None
            if number == 1:
                _refuse_another_bench(_flat(data), _flat({"format": FORMAT, "version": 1, **about}), str(self.path))
        return whole


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
