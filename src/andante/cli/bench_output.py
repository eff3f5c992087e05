"""What the benchmark commands share: their options, and how rows are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.output import Exit, emit

if TYPE_CHECKING:
    from andante.search.bench import Row

Seeds = Annotated[int, typer.Option(min=1, help="Number of seeds.")]
FirstSeed = Annotated[int, typer.Option(min=0, help="First seed.")]
Workers = Annotated[int, typer.Option(min=1, help="Processes; results do not depend on it.")]
Out = Annotated[Path | None, typer.Option(help="Write the JSON object here too.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
_SHORTEST = 28


def show(
    data: dict[str, Any], rows: Sequence[Row], out: Path | None, as_json: bool, details: Sequence[str] = ()
) -> None:
    """Print and write rows, a table's lines and failures; leave with 1 where a row misses what was asked."""
    import json

    if out is not None:
        out.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    if as_json:
        emit(data)
    else:
        width = max(_SHORTEST, *(len(row.name) + 1 for row in rows))
        for row in rows:
            interval = f"  [{row.interval[0]:.3f}, {row.interval[1]:.3f}]" if row.interval else ""
            asked = f"  asked {row.asked}: {'met' if row.ok else 'MISSED'}" if row.asked else ""
            print(f"{row.name:<{width}}{row.value:>9.4g} {row.unit:<6} n={row.n}{interval}{asked}")
        for line in details:
            print(line)
        for failure in data.get("failures", []):
            print(f"seed {failure['seed']}: {'; '.join(failure['reasons'])}")
    raise typer.Exit(Exit.FAILED if any(row.ok is False for row in rows) else Exit.GOOD)
