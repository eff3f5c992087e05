"""Refuse a change of the package that says nothing to its users.

    python scripts/changelog_gate.py origin/main

A change under ``src`` needs a new line in ``CHANGELOG.md`` under "Unreleased". What nobody notices says so by
a line ``Changelog: none`` in a commit message. Exit codes: 0 good, 1 the line is missing, 2 git failed.
"""

from __future__ import annotations

import re
import subprocess
import sys


def unreleased(text: str) -> set[str]:
    """The lines of a changelog that stand under "Unreleased"."""
    section = re.search(r"^## Unreleased$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return {line for line in (section.group(1) if section else "").splitlines() if line.strip()}


def missing(changed: list[str], before: str, after: str, messages: str) -> str:
    """What is wrong with a change, as a sentence; empty where nothing is.

    Args:
        changed: Paths that the change touches.
        before: The changelog without the change.
        after: The changelog with it.
        messages: All commit messages of the change.
    """
    if not any(path.startswith("src/") for path in changed):
        return ""
    if unreleased(after) - unreleased(before) or re.search(r"^Changelog: none$", messages, re.MULTILINE):
        return ""
    return (
        "the change touches src and says nothing in CHANGELOG.md under 'Unreleased'; "
        "add a line, or write 'Changelog: none' into a commit message where users notice nothing"
    )


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), check=True, capture_output=True, text=True).stdout


def main(words: list[str]) -> int:
    """See the module."""
    if len(words) != 1:
        print("changelog: name the branch that the change goes into, such as origin/main", file=sys.stderr)
        return 2
    try:
        base = _git("merge-base", words[0], "HEAD").strip()
        changed = _git("diff", "--name-only", base, "HEAD").split()
        before, after = _git("show", f"{base}:CHANGELOG.md"), _git("show", "HEAD:CHANGELOG.md")
        messages = _git("log", "--format=%B", f"{base}..HEAD")
    except subprocess.CalledProcessError as error:
        print(f"changelog: git failed: {error.stderr.strip()}", file=sys.stderr)
        return 2
    problem = missing(changed, before, after, messages)
    if problem:
        print(f"changelog: {problem}", file=sys.stderr)
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
