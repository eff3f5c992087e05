"""Watched: an executor that gives no result of files which were changed meanwhile.

A bench of hours is made while people go on with their work. Trials read their files when they begin, so that from a
change on a table would be about two motions, and a journal would hold both under the digest of one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from andante.search.errors import SearchError
from andante.search.executor import Executor, Instead, Numbered, closed
from andante.search.toolchain import content, toolchain
from andante.search.work import Draw

Task = TypeVar("Task")
Result = TypeVar("Result")
_Look = tuple[tuple[str, int, int, int], ...]


class Watched:
    """Runs tasks by another executor, as long as the files that they read stay as they were.

    Args:
        inner: What runs the tasks.
        inputs: SHA-256 of each file and folder by name; see `andante.search.journal.fingerprints`.
        told: Is told at the end of code that was changed meanwhile.
    """

    def __init__(
        self, inner: Executor, inputs: Mapping[str, str], told: Callable[[str], None] = lambda text: None
    ) -> None:
        self._inner, self._inputs, self._told = inner, dict(inputs), told
        self._looks = {name: _look(Path(name)) for name in inputs}
        self._code: dict[str, str] | None = None

    def stream(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result] = None
    ) -> Numbered[Result]:
        """See `Executor.stream`.

        Raises:
            SearchError: A file was changed or is gone.
        """
        results = self._inner.stream(function, draw, instead)
        if self._code is None:
            # Its thousand files are looked at while other processes are at their first tasks.
            self._code = toolchain()
        return self._checked(results)

    def _checked(self, results: Numbered[Result]) -> Numbered[Result]:
        with closed(results) as given:
            for each in given:
                self.check()
                yield each

    def check(self) -> None:
        """See whether all files are what they were.

        Raises:
            SearchError: One is not, or is gone.
        """
        for name, look in self._looks.items():
            now = _look(Path(name))
            if now == look:
                continue
            if not now or content(Path(name)) != self._inputs[name]:
                raise SearchError(
                    "was changed while trials that read it were made" if now else "is gone, and trials read it",
                    place=name,
                    remedy="put it back as it was and go on with --resume, or begin anew",
                )
            self._looks[name] = now

    def tell_code(self) -> None:
        """Tell what code was changed: whoever loaded it before went on with the old one."""
        if self._code is None:
            return
        now = toolchain()
        for name in sorted(name for name in {**self._code, **now} if now.get(name) != self._code.get(name)):
            self._told(f"note: {name} was changed meanwhile; processes that had loaded it went on with the old one")


def _look(path: Path) -> _Look:
    """Name, number, size and time of a file, or of all files of a folder; empty: it is not there."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    found = []
    for file in files:
        try:
            stat = os.stat(file)
        except OSError:
            continue
        found.append((str(file), stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return tuple(found)
