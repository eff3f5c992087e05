"""What is kept of one object: how it is put back, what it refers to, and its content for comparing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from andante.runs.errors import SnapshotError

Part = tuple[str, object]
"""A place, for messages, and what is there."""
FIXED = "snapshot_fixed"
"""Attribute of a class that names attributes which do not belong to a run's state; of a function: True."""
DECLARE = f"where it does not change what the controller does, declare it: {FIXED} = (its name,) in its class"


@dataclass(slots=True)
class Kept:
    """One object at the moment of a snapshot."""

    parts: Sequence[Part] = ()
    """What it refers to."""
    restore: Callable[[], None] | None = None
    """Puts its own content back; None: it has none, or one that cannot change."""
    content: Callable[[], object] | None = None
    """Gives its own content where that is no reference, as something that can be compared; None: it has none."""
    doubt: Callable[[], str] | None = None
    """Says, before anything is put back, why this cannot be; empty: it can."""
    names: frozenset[str] = frozenset()
    """Of users' code: all names that it has."""
    libraries: Sequence[object] = ()
    """Of users' code: modules, classes and functions of libraries that it has."""


def refusal(place: str, thing: object, why: str = "", remedy: str = "") -> SnapshotError:
    """The error of an object whose state cannot be kept."""
    kind = type(thing)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return SnapshotError(
        f"this object's state cannot be kept{': ' if why else ''}{why}",
        place=place,
        value=name,
        remedy=f"{remedy}; or, {DECLARE}" if remedy else DECLARE,
    )
