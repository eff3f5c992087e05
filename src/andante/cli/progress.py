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
    """Gives a function that takes how many are done, of how many, and one that prints a note at once.

    The first call says where the work begins; rate and time left count from there.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with _bar(TextColumn(what), *columns) as bar:
        task = bar.add_task(what, total=None, rate="")
        line, begin, first = _lines(bar, what), time.monotonic(), -1

        def tell(done: int, total: int) -> None:
            nonlocal first
            first = done if first < 0 else first
            rate = (done - first) / max(time.monotonic() - begin, 1e-9)
            bar.update(task, completed=done, total=total, rate=f"{rate:.2f} per s" if rate else "")
            if rate:
                line(f"{done} of {total}, {rate:.2f} per s, {(total - done) / rate:.0f} s left")

        yield tell, lambda text: bar.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Shows that something takes its time, and how long already; gives a function that takes news of it."""
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(what), TimeElapsedColumn(), TextColumn("{task.fields[news]}"))
    with _bar(*columns) as bar:
        task, line = bar.add_task(what, total=None, news=""), _lines(bar, what)

        def tell(text: str) -> None:
            bar.update(task, news=text)
            line(text)

        yield tell


def tell_first_compile() -> None:
    """Say at once, before slow imports, that this command compiles kernels first where none has been compiled yet."""
    from andante.kernels.store import store

    if not store().names():
        print("andante: first use: kernels are compiled once, for about a minute", file=sys.stderr, flush=True)


def _lines(bar: Progress, what: str) -> Callable[[str], None]:
    """Prints a line where there is no bar, unless there was one a moment ago."""
    shown = time.monotonic()

    def line(text: str) -> None:
        nonlocal shown
        if bar.disable and time.monotonic() - shown >= PLAIN_INTERVAL:
            shown = time.monotonic()
            print(f"{what}: {text}", file=sys.stderr, flush=True)

    return line


def _bar(*columns: object) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)  # type: ignore[arg-type]
