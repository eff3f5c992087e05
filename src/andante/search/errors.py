"""What searches and suites refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
            value, limit = kept.get(name), str(asked.get(name))
            raise SearchError(what.format(name), place=place, value=value, limit=limit, remedy=remedy)
