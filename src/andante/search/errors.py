"""What searches and suites refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from andante.documents.leaves import differing
from andante.errors import AndanteError


class SearchError(AndanteError):
    """A search or benchmark suite is asked for something that it does not have."""


def refuse_another(
    what: str,
    kept: Mapping[str, Any],
    asked: Mapping[str, Any],
    names: Iterable[str] | None = None,
    *,
    place: str = "",
    remedy: str = "",
) -> None:
    """Refuse what was kept of another bench or search than the one that is asked for.

    Args:
        what: The message, with ``{}`` for the name of what differs.
        kept: What it was about.
        asked: What it must be about.
        names: Names that count; None: all.
        place: Where it was kept.
        remedy: What to do about it.

    Raises:
        SearchError: The two differ in something that counts; the first is named.
    """
    for name in {**asked, **kept} if names is None else names:
        if kept.get(name) != asked.get(name):
            path, value, limit = _first_apart(name, kept.get(name), asked.get(name))
            raise SearchError(what.format(path), place=place, value=value, limit=str(limit), remedy=remedy)


def _first_apart(name: str, kept: Any, asked: Any) -> tuple[str, Any, Any]:
    """The first value in which nested ones differ, with its path; a list of numbers is told as a whole."""
    if not (_nested(kept) and _nested(asked)):
        return name, kept, asked
    path, apart = next(iter(differing(kept, asked).items()), ("", (kept, asked)))
    ours, theirs = ("nothing" if each is None else each for each in apart)
    return name + (path if path[:1] in ("", "[") else f".{path}"), ours, theirs


def _nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
