"""Rows of a benchmark as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from andante.search.rows import Row

_SHORTEST = 28
"""Width of the column of rows' names, at least."""


def row_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Rows of a benchmark as a table: figure, trials, interval and whether what was asked is met."""
    width = max([_SHORTEST, *(len(row.name) + 1 for row in rows)])
    for row in rows:
        interval = f"  [{row.interval[0]:.3f}, {row.interval[1]:.3f}]" if row.interval else ""
        asked = f"  asked {row.asked}: {'met' if row.ok else 'MISSED'}" if row.asked else ""
        yield f"{row.name:<{width}}{row.value:>9.4g} {row.unit:<6} n={row.n}{interval}{asked}"
