"""Options that change nothing are refused: who gave one meant something by it."""

from __future__ import annotations

from collections.abc import Mapping

from andante.errors import AndanteError


class IdleOptionError(AndanteError):
    """An option was given that means nothing here."""


def refuse_idle(given: Mapping[str, object], who: str) -> None:
    """Refuse options that change nothing.

    Args:
        given: Options by name, None where one was not given.
        who: What they mean nothing to.

    Raises:
        IdleOptionError: One was given.
    """
    for name, value in given.items():
        if value is not None:
            raise IdleOptionError(f"means nothing to {who}", place=name, value=value)
