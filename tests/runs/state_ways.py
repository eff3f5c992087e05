"""Ways in which a user's controller may hold state: what gives an object whose ``step`` counts, and the outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KEPT, REFUSED = "kept", "refused"
WAYS: dict[str, tuple[Callable[[], Any], str]] = {}


def way(expected: str) -> Callable[[Any], Any]:
    """Register a class (or a function that gives an object with ``step``)."""

    def register(made: Any) -> Any:
        WAYS[made.__name__] = (made, expected)
        return made

    return register
