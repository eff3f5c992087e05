"""The single values of plain data by path: in what two documents differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any


def leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All values of nested mappings and lists with their paths; what is empty counts as a value.

    Args:
        data: Plain data.
        path: Where it is.
    """
    if not isinstance(data, (dict, list)) or not data:
        yield path, data
        return
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        step = f"[{name}]" if isinstance(data, list) else f".{name}" if path else str(name)
        yield from leaves(value, path + step)


def differing(first: Any, second: Any) -> dict[str, tuple[Any, Any]]:
    """In what two documents differ, by path; a value that one does not have is None there.

    Files of one name in two folders count as alike: a repository stands elsewhere on another computer.
    """
    ours, theirs = dict(leaves(first)), dict(leaves(second))
    return {
        path: (ours.get(path), theirs.get(path))
        for path in dict.fromkeys([*ours, *theirs])
        if _alike(ours.get(path)) != _alike(theirs.get(path))
    }


def _alike(value: Any) -> Any:
    return PurePath(value).name if isinstance(value, str) and PurePath(value).is_absolute() else value
