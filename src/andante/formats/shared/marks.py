"""Marks: what a motion document has no field for, kept as a line `kind {json}` of a note to rebuild the file from.

People may write other lines around a mark. A mark that somebody has broken is an ordinary line again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from andante.formats.errors import FormatError

MAX_MARK = 16_000_000
"""Longest mark that is read or written [characters]."""

_KIND = re.compile(r"([a-z][a-z0-9-]*) \{")


def with_mark(note: str, kind: str, data: Mapping[str, Any]) -> str:
    """Return a note with a mark of a kind added; unchanged where there is nothing to say.

    Raises:
        FormatError: There is too much to say.
    """
    if not data:
        return note
    line = f"{kind} {json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(',', ':'))}"
    if len(line) > MAX_MARK:
        raise FormatError(
            f"the file has more that only {kind} files hold than can be kept beside its motion",
            value=f"{len(line)} characters",
            limit=f"{MAX_MARK}",
        )
    return f"{note}\n{line}" if note else line


def take_mark(note: str, kind: str) -> tuple[dict[str, Any], str]:
    """Return the mark of a kind ({} where there is none) and the note without it."""
    if kind not in note:
        return {}, note
    found: dict[str, Any] = {}
    rest = []
    for line in note.split("\n"):
        data = None if found else _parsed(line, kind)
        if data is None:
            rest.append(line)
        else:
            found = data
    return found, "\n".join(rest)


def all_marks(note: str) -> tuple[list[tuple[str, dict[str, Any]]], str]:
    """Return all marks of a note with their kinds, and the note without them."""
    found: list[tuple[str, dict[str, Any]]] = []
    rest = []
    for line in note.split("\n"):
        match = _KIND.match(line)
        data = _parsed(line, match.group(1)) if match else None
        if match is None or data is None:
            rest.append(line)
        else:
            found.append((match.group(1), data))
    return found, "\n".join(rest)


def _parsed(line: str, kind: str) -> dict[str, Any] | None:
    if not line.startswith(f"{kind} {{") or len(line) > MAX_MARK:
        return None
    try:
        data = json.loads(line[len(kind) + 1 :], parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> float:
    raise ValueError(constant)
