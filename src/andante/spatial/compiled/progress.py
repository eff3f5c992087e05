"""How compiling is told: a bar on a terminal's standard error, one line where that is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_EACH = 0.6
"""Processor time of a kernel with its share of starting [s]."""


@contextmanager
def shown(total: int, left: Callable[[], int], alone: bool) -> Iterator[Callable[[], None]]:
    """Say that kernels are compiled, and how many are left.

    Args:
        total: Kernels to compile.
        left: Tells how many still are.
        alone: Whether one process does it, not two.

    Yields:
        A function to call whenever one is done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    said = f"compiling {total} kernels once, about {_EACH * total * (1.0 if alone else 0.55):.0f} s"
    if not console.is_terminal:
        console.print(f"andante: {said}", soft_wrap=True)
    columns = (TextColumn(f"{said}:"), BarColumn(), TextColumn("{task.fields[left]} left"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("compile", total=total, left=total)

        def saved() -> None:
            rest = left()
            bar.update(task, completed=total - rest, left=rest)

        yield saved
