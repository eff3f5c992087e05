"""Progress on standard error: bars on a terminal; elsewhere plain lines, far apart, for long work only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PLAIN_INTERVAL = 30.0
"""Time between two plain lines, and before the first [s]."""


@contextmanager
def progress_bar() -> Iterator[Callable[[float, float], None]]:
    """Gives a function that takes the time reached and the time limit [s] and moves the bar."""
    from rich.progress import BarColumn, TextColumn

    text = TextColumn("{task.completed:.1f} of at most {task.total:.0f} s")
    with _bar(TextColumn("running"), BarColumn(), text) as bar:
        task = bar.add_task("run", total=1.0, visible=False)

        def update(time: float, limit: float) -> None:
            bar.update(task, completed=time, total=limit, visible=True)

        yield update


@contextmanager
def counting(what: str) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """Gives a function that takes how many are done, of how many, and one that prints a note.

    The first call says where the work begins; rate and time left count from there.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    pace = TextColumn("{task.fields[pace]}")
    with _bar(TextColumn(what), BarColumn(), MofNCompleteColumn(), pace, TimeRemainingColumn()) as bar:
        task = bar.add_task(what, total=None, pace="")
        begin = shown = time.monotonic()
        first: int | None = None

        def tell(done: int, total: int) -> None:
            nonlocal first, shown
            first = done if first is None else first
            now = time.monotonic()
            rate = (done - first) / max(now - begin, 1e-9)
            pace = f"{rate:.2f} per s" if done > first else ""
            bar.update(task, completed=done, total=total, pace=pace)
            if bar.disable and done > first and now - shown >= PLAIN_INTERVAL:
                shown = now
                left = f", {(total - done) / rate:.0f} s left"
                print(f"{what}: {done} of {total}, {pace}{left}", file=sys.stderr, flush=True)

        def note(text: str) -> None:
            bar.console.print(text, markup=False, highlight=False)

        yield tell, note


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Shows on a terminal that something takes its time, and how long already."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _bar(SpinnerColumn(), TextColumn(what), TimeElapsedColumn()) as bar:
        bar.add_task(what, total=None)
        yield


def _bar(*columns: object) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)  # type: ignore[arg-type]
