"""A progress bar on standard error; nothing is shown where standard error is no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar() -> Iterator[Callable[[float, float], None]]:
    """Gives a function that takes the time reached and the time limit [s] and moves the bar."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    text = TextColumn("{task.completed:.1f} of at most {task.total:.0f} s")
    console = Console(stderr=True)
    columns = (TextColumn("running"), BarColumn(), text)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("run", total=1.0, visible=False)

        def update(time: float, limit: float) -> None:
            bar.update(task, completed=time, total=limit, visible=True)

        yield update
