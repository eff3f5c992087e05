"""Marks: what a motion document has no field for, kept in its notes as `kind {json}` so that a file can be rebuilt.

A mark is one line of a note; people may write other lines around it. A mark that somebody has broken is an ordinary
line again.
"""

from __future__ import annotations

import json
from typing import Any

_MAX_MARK = 100_000


def with_mark(note: str, kind: str, data: dict[str, Any]) -> str:
    """Return a note with a mark of a kind added; unchanged where there is nothing to say."""
    if not data:
        return note
    line = f"{kind} {json.dumps(data, ensure_ascii=True, allow_nan=False)}"
    return f"{note}\n{line}" if note else line


def take_mark(note: str, kind: str) -> tuple[dict[str, Any], str]:
    """Return the mark of a kind ({} where there is none) and the note without it."""
    found: dict[str, Any] = {}
    rest = []
    for line in note.split("\n") if note else []:
        data = None if found else _parsed(line, kind)
        if data is None:
            rest.append(line)
        else:
            found = data
    return found, "\n".join(rest)


def _parsed(line: str, kind: str) -> dict[str, Any] | None:
    if not line.startswith(f"{kind} {{") or len(line) > _MAX_MARK:
        return None
    try:
        data = json.loads(line[len(kind) + 1 :])
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
