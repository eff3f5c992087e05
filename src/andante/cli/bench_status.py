"""`--status` of a bench: how far it is, from any terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from andante.cli.output import answer

if TYPE_CHECKING:
    from andante.search.suite import HowToRun

_SUFFIX = ".journal"
"""What is behind the name of the results in the name of their journal, where nobody names another."""


def tell_status(journal: Path | None, out: Path | None, options: str, *, resume: bool = False) -> None:
    """Tell how far a bench is, by its journal; where that is gone with the end of the bench, by its results.

    Args:
        journal: The journal; None: the bench keeps none.
        out: Where its results are written.
        options: The options that name its file.
        resume: Whether it is to be gone on with as well.

    Raises:
        SearchError: There is neither, or the journal is none.
    """
    from andante.search.errors import SearchError
    from andante.search.progress import look, suite_of_results

    if resume:
        raise SearchError("ask for one of the two", place="--status", value="--resume")
    if journal is None:
        raise SearchError("a bench is looked at by its journal", place="--status", remedy=f"name {options} as it has")
    if not journal.exists() and out is not None and out.exists():
        suite = suite_of_results(out)
        answer({"done": True, "suite": suite, "results": str(out)}, [f"bench {suite}: done, its results are in {out}"])
        return
    if not journal.exists():
        raise SearchError("is not there: no bench has begun it, or it went with its end", place=str(journal))
    found = look(journal)
    from andante.search.rows import row_lines

    answer(found.data(), [*found.head(), *row_lines(found.rows), *found.foot()])


def journal_of(how: HowToRun) -> Path | None:
    """The journal of a bench: the one that is named, or the one beside its results."""
    return how.journal or (how.out and how.out.with_name(f"{how.out.name}{_SUFFIX}"))


def results_of(journal: Path) -> Path | None:
    """Where the results of a journal are that was not named; None: it was."""
    return journal.with_suffix("") if journal.suffix == _SUFFIX else None


def names_journal(path: Path) -> bool:
    """Whether what is given in place of a suite is a journal, or was one until its bench was done."""
    if path.suffix == _SUFFIX or not path.is_file():
        return path.suffix == _SUFFIX
    from andante.search.journal import is_journal

    return is_journal(path)
