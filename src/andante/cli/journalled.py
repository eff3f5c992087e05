"""What the commands that bench have in common: what is done survives an interrupt, where there is a journal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.cli.output import interrupted, refuse

if TYPE_CHECKING:
    from andante.search.journal import Journal
    from andante.search.suite import HowToRun


@contextmanager
def journalled(
    how: HowToRun, path: Path | None, about: Mapping[str, Any], options: str, lost: str = ""
) -> Iterator[Journal | None]:
    """The journal of a bench; it goes when all is done, and stays where the bench was interrupted.

    Args:
        how: Whether to go on with it.
        path: Its file; None: there is none.
        about: What is benched.
        options: The options that name its file.
        lost: What is said of an interrupt without a journal.

    Raises:
        SearchError: It cannot be begun, or gone on with.
        Exit: The bench was interrupted, and that is told.
    """
    from andante.search.errors import SearchError
    from andante.search.journal import Journal

    if how.resume and path is None:
        raise SearchError("there is no journal to go on with", remedy=f"name {options} as before")
    journal = None if path is None else Journal(path, about, resume=how.resume)
    try:
        yield journal
    except BaseException as error:
        if not interrupted(error):
            raise
        kept = lost if journal is None else f"; {len(journal.results)} results are kept, go on with --resume"
        refuse(f"interrupted{kept}", how.as_json)
    finally:
        if journal is not None:
            journal.close()
    if journal is not None:
        journal.remove()
