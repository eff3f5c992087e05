"""In what two runs were asked otherwise: their scenarios, the robot's model, and the programs that they ran with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from andante.documents.budget import budgeted
from andante.documents.leaves import differing
from andante.documents.problems import DocumentError
from andante.documents.yaml_tree import parse_tree
from andante.errors import shorten
from andante.runs.errors import LogError
from andante.runs.logs.log import Log
from andante.runs.logs.record import ROBOT_TABLE

_ASIDE = ("format", "version", "units", "name", "note", "seed", "recording")
"""What decides nothing of a run, or is told with its name."""

_MOST = 12
"""Differences that a list for people tells."""

Otherwise = tuple[str, Any, Any]
"""What, and how it is in the first run and in the second; None where one does not say."""


def asked_otherwise(first: Log, second: Log) -> tuple[Otherwise, ...]:
    """All that two runs were asked, or made with, in another way; what one log does not tell at all is left out."""
    found: list[Otherwise] = []
    ours, theirs = (each.metadata.get("scenario", {}).get("text") for each in (first, second))
    if ours is not None and theirs is not None:
        one, other = _plain(ours), _plain(theirs)
        found += [(path, *values) for path, values in differing(one, other).items()]
    ours, theirs = (each.metadata.get(ROBOT_TABLE, {}).get("digest") for each in (first, second))
    if None not in (ours, theirs) and ours != theirs:
        found.append(("robot's model, digest", ours, theirs))
    made = tuple(each.metadata.get("versions", {}) for each in (first, second))
    if all(made):
        found += [(f"version of {name}", *values) for name, values in differing(*made).items()]
    return tuple(found)


def asked_lines(asked: Sequence[Otherwise]) -> list[str]:
    """Such differences in lines for people."""
    lines = [f"  {what}: A {_said(one)}, B {_said(other)}" for what, one, other in asked[:_MOST]]
    if len(asked) > _MOST:
        lines.append(f"  and {len(asked) - _MOST} more")
    return ["asked in another way:", *lines] if lines else []


def asked_table(asked: Sequence[Otherwise]) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Such differences as a table of a page; none where there are none."""
    rows: list[tuple[str, ...]] = [(what, _said(one), _said(other)) for what, one, other in asked]
    return [("Asked in another way", ("what", "A", "B"), rows)] if rows else []


def _said(value: object) -> str:
    return "as usual" if value is None else shorten(str(value), 80)


@budgeted(place="text", error=LogError)
def _plain(text: str) -> Any:
    """A scenario's fields as plain data, of whatever version it is; one that is no YAML counts as one value."""
    try:
        data = parse_tree(text, "scenario").data
    except DocumentError:
        return {"scenario": text}
    return {name: value for name, value in data.items() if name not in _ASIDE} if isinstance(data, dict) else data
