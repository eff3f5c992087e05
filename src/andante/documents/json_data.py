"""JSON as plain data, with a bound on how much of it there is before anything is made of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from andante.documents.problems import DocumentError

MAX_ITEMS = 1_000_000
"""Most values of one text that are read; a bench of 10,000 trials has 0.3 million."""
MAX_DEPTH = 64
"""Deepest nesting that is read."""

_MARKS = (",", ":", "[", "{")


def parse_json_data(text: str | bytes, place: str, *, items: int = MAX_ITEMS, finite: bool = True) -> Any:
    """The plain data of a JSON text (UTF-8).

    Args:
        text: The text.
        place: Its file, for messages.
        items: Most values that are read.
        finite: Refuse NaN and infinities, which JSON does not have and Python writes.

    Raises:
        DocumentError: No JSON, too many values, nested too deeply, a number that has too many digits, or is not finite
            where that is refused.
    """
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        # Every value but the first stands behind one of these. Python would make an object of each: a text of 20 MB
        # of empty lists would take a gigabyte.
        if sum(map(text.count, _MARKS)) > items:
            raise DocumentError("has too many values", place=place, limit=f"{items}")
        data = json.loads(text, parse_constant=_refused if finite else None)
        if not _shallow(data):
            raise RecursionError
    except RecursionError:
        raise DocumentError("is nested too deeply", place=place, limit=f"{MAX_DEPTH} levels") from None
    except ValueError as error:
        raise DocumentError(f"is no JSON: {error}", place=place) from None
    return data


def finite_data(data: Any) -> Any:
    """Plain data that JSON has words for: NaN and infinities, which it has none for, as Python writes them in text."""
    if isinstance(data, float) and not math.isfinite(data):
        return "NaN" if math.isnan(data) else "Infinity" if data > 0.0 else "-Infinity"
    if isinstance(data, Mapping):
        return {key: finite_data(value) for key, value in data.items()}
    return [finite_data(value) for value in data] if isinstance(data, (list, tuple)) else data


def _shallow(data: Any) -> bool:
    """Whether data is nested no deeper than `MAX_DEPTH`."""
    level = [data]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for each in level
            if isinstance(each, (dict, list))
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return True
    return False


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")
