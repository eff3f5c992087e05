"""Whether the code that a figure depends on has changed since it was measured.

A record names paths with git's hash of their content, so that nothing but the commit at hand is needed to compare: a
shallow clone does, and commits may be rebased. How many commits changed the code is told where the history is there.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    if commit == "HEAD" and (changes := run_git(root, "status", "--porcelain", "--", *paths).split("\n")[0]):
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
    return {key: _age(root, row, now) for key, row in records.items()}


def _age(root: Path, row: Record, now: Mapping[str, str]) -> Age:
    changed = tuple(path for path, known in row.code.items() if now.get(path) != known)
    since = row.kept.partition(":")[0] or row.commit
    return Age(changed, _commits_since(root, since, changed) if changed else 0)


@lru_cache(maxsize=1024)
def _commits_since(root: Path, commit: str, paths: tuple[str, ...]) -> int | None:
    try:
        run_git(root, "merge-base", "--is-ancestor", commit, "HEAD")
    except ResultsError:
        return None
    return int(run_git(root, "rev-list", "--count", f"{commit}..HEAD", "--", *paths))
