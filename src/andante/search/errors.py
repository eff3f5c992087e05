"""What searches and suites refuse."""

from __future__ import annotations

from andante.errors import AndanteError


class SearchError(AndanteError):
    """A search or benchmark suite is asked for something that it does not have."""
