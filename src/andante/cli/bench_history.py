"""`andante bench history`: results that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from andante.cli.output import command, emit

_ROWS = 3
"""Figures of a result that are shown."""


@command
def history(
    suite: Annotated[str | None, typer.Option(help="Only results of this suite.")] = None,
    folder: Annotated[Path, typer.Option("--history", help="Folder of the history.")] = Path(".andante/history"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Results that were kept with --save, oldest first."""
    from andante.search.history import kept, load_bench
    from andante.search.suites.registry import load_suite

    if suite is not None:
        load_suite(suite)
    found = [(path, load_bench(path)) for path in kept(folder)]
    results = [(path, bench) for path, bench in found if suite in (None, bench.suite)]
    if as_json:
        emit({"results": [_data(path, bench) for path, bench in results]})
        return
    if not results:
        print(f"nothing is kept in {folder}; keep a result with: andante bench SUITE --save")
    for path, bench in results:
        subject = str(bench.options.get(load_suite(bench.suite).subject, ""))
        figures = [f"{row.name} {row.value:.4g} {row.unit}".rstrip() for row in bench.rows[:_ROWS]]
        print(f"{path.stem}  {bench.commit or 'no commit':<13}  {subject}  {len(bench.trials)} trials")
        print(f"    {'; '.join(figures)}")


def _data(path: Path, bench: Any) -> dict[str, Any]:
    data: dict[str, Any] = bench.model_dump(mode="json", exclude={"trials", "format", "version"})
    return {"name": path.stem, "file": str(path), **data, "trials": len(bench.trials)}
