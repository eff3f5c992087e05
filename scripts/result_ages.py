"""Whether the code that a figure depends on has changed since it was measured.

A record names paths with git's hash of their content, so that nothing but the commit at hand is needed to compare: a
shallow clone does, and commits may be rebased. How many commits changed the code is told where the history is there.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from result_records import Record, ResultsError, Section

DIGITS = 12
"""Digits kept of a hash."""


@dataclass(frozen=True)
class Age:
    """The age of one figure."""

    changed: tuple[str, ...]
    """Paths whose content is not what was measured; empty where the figure is current."""
    commits: int | None
    """Commits that changed them since; None where the history at hand does not say."""

    def __str__(self) -> str:
        if not self.changed:
            return "current"
        count = "" if self.commits is None else f" by {self.commits} commit{'' if self.commits == 1 else 's'}"
        return f"changed since{count}: {', '.join(self.changed)}"


def run_git(root: Path, *words: str, given: str = "") -> str:
    """What a git command prints.

    Raises:
        ResultsError: No git, or it refuses.
    """
    try:
        done = subprocess.run(("git", "-C", root, *words), input=given, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise ResultsError("git is not there, so that ages cannot be told") from None
    except subprocess.CalledProcessError as error:
        raise ResultsError(f"git refuses `git {' '.join(words)}`: {error.stderr.strip()}") from None
    return done.stdout


def hash_paths(root: Path, paths: Iterable[str], commit: str = "HEAD") -> dict[str, str]:
    """Git's hash of the content of each path at a commit; paths that are not there are left out."""
    asked = sorted(set(paths))
    found = run_git(root, "cat-file", "--batch-check", given="".join(f"{commit}:{path}\n" for path in asked))
    answers = zip(asked, found.splitlines(), strict=True)
    return {path: line.split()[0][:DIGITS] for path, line in answers if not line.endswith(("missing", "ambiguous"))}


def hash_code(root: Path, paths: Sequence[str], commit: str) -> dict[str, str]:
    """The same for a record that is made now.

    Raises:
        ResultsError: A path that the commit does not have, or changes of it that no commit has.
    """
    found = hash_paths(root, paths, commit)
    if lacking := sorted(set(paths) - set(found)):
        raise ResultsError("the commit has no such path", value=lacking[0], place=commit)
    if paths and commit == "HEAD" and (changes := run_git(root, "status", "--porcelain", "--", *paths).split("\n")[0]):
        remedy = "commit it first, or name the commit that was measured by --commit"
        raise ResultsError("the code that the figure depends on is not committed", value=changes.strip(), remedy=remedy)
    return {path: found[path] for path in paths}


def find_ages(root: Path, sections: Sequence[Section]) -> dict[tuple[int, str], Age]:
    """The age of every row that was measured, by issue and name.

    Raises:
        ResultsError: No repository of git.
    """
    records = {(each.number, name): row for each in sections for name, row in each.rows.items() if row.code}
    now = hash_paths(root, (path for row in records.values() for path in row.code))
    changed = {key: _changed(row, now) for key, row in records.items()}
    history = History.read(root, (_since(records[key]) for key, paths in changed.items() if paths))
    return {key: Age(paths, history.count(_since(records[key]), paths)) for key, paths in changed.items()}


def _changed(row: Record, now: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(path for path, known in row.code.items() if now.get(path) != known)


def _since(row: Record) -> str:
    """The commit at which the figure was last known to be of its code."""
    return row.kept.partition(":")[0] or row.commit


@dataclass(frozen=True)
class History:
    """The commits that led to the one at hand, read once: rows are hundreds, and git takes long to be asked."""

    parents: Mapping[str, Sequence[str]]
    """Parents of each commit."""
    files: Mapping[str, frozenset[str]]
    """What each commit changed, files and their folders; a merge what is otherwise than in all of its parents."""
    named: Mapping[str, str]
    """The commit of each name that records give one; those that are not there are left out."""

    @staticmethod
    def read(root: Path, names: Iterable[str]) -> History:
        """The history that a repository has, and which of its commits are named.

        Raises:
            ResultsError: No repository of git.
        """
        asked = sorted(set(names))
        if not asked:
            return History({}, {}, {})
        found = run_git(root, "cat-file", "--batch-check", given="".join(f"{name}^{{commit}}\n" for name in asked))
        answers = zip(asked, (line.split() for line in found.splitlines()), strict=True)
        told = run_git(root, "-c", "core.quotePath=false", "log", "-c", "--format=%x01%H %P", "--name-only", "HEAD")
        parents: dict[str, Sequence[str]] = {}
        files: dict[str, frozenset[str]] = {}
        for entry in told.split("\x01")[1:]:
            head, *paths = entry.splitlines()
            commit, *above = head.split()
            parents[commit] = above
            files[commit] = frozenset(part for path in filter(None, paths) for part in _parts(path))
        return History(parents, files, {name: words[0] for name, words in answers if words[1:2] == ["commit"]})

    def count(self, since: str, paths: Sequence[str]) -> int | None:
        """How many commits after one changed any of the paths; None: it does not belong to this history."""
        if not paths:
            return 0
        start = self.named.get(since)
        if start not in self.parents:
            return None
        before = self._ancestors(str(start))
        return sum(1 for commit, files in self.files.items() if commit not in before and not files.isdisjoint(paths))

    def _ancestors(self, commit: str) -> set[str]:
        """A commit and all before it."""
        found, waiting = set[str](), [commit]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.parents.get(one, ())
        return found


def _parts(path: str) -> Iterator[str]:
    """A file's path and the folders that it is in."""
    yield path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
