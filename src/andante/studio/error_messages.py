"""What a page is told of an error."""

from __future__ import annotations

import logging
from typing import Any

from andante.errors import AndanteError
from andante.studio.errors import NotKeptError
from andante.studio.supervised import said

_log = logging.getLogger(__name__)


def refusal(error: Exception, request: int) -> dict[str, Any]:
    """The answer to a request that failed; what nobody foresaw is logged, too."""
    if isinstance(error, AndanteError):
        told = describe_error(error)
    elif isinstance(error, OSError):
        told = {"text": error.strerror or str(error)}
    else:
        _log.error("a page's request", exc_info=error)
        told = {"text": str(said(error))}
    return {"type": "refused", "request": request, **told}


def describe_error(error: AndanteError) -> dict[str, Any]:
    """What a page is told of an error: its text, for a form the place and the text without it, whether to try again."""
    bare = AndanteError(error.what, value=error.value, limit=error.limit, legal=error.legal, remedy=error.remedy)
    return {
        "text": str(error),
        "place": error.place[:500],
        "what": str(bare),
        "again": isinstance(error, NotKeptError),
    }
