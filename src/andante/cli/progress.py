"""Progress on standard error: bars on a terminal; elsewhere plain lines, far apart, for long work only."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

PLAIN_INTERVAL = 30.0
"""Time between two plain lines, and before the first [s]."""
_TERMINALS = ("TTY_COMPATIBLE", "FORCE_COLOR")
"""With one of these variables, rich may take for a terminal what is none."""


@contextmanager
def progress_bar() -> Iterator[Callable[[float, float], None]]:
    """Gives a function that takes the time reached and the time limit [s] and moves the bar."""
    text = "{task.completed:.1f} of at most {task.total:.0f} s"
    with _bar(lambda rich: (rich.TextColumn("running"), rich.BarColumn(), rich.TextColumn(text))) as bar:
        task = bar.add_task("run", total=1.0, visible=False)

        def update(time: float, limit: float) -> None:
            bar.update(task, completed=time, total=limit, visible=True)

        yield update


@contextmanager
def counting(what: str) -> Iterator[tuple[Callable[[int, int], None], Callable[[str], None]]]:
    """Gives a function that takes how many are done, of how many, and one that prints a note at once.

    The first call says where the work begins; rate and time left count from there.
    """

    def columns(rich: Any) -> Sequence[Any]:
        rate = rich.TextColumn("{task.fields[rate]}")
        return rich.TextColumn(what), rich.BarColumn(), rich.MofNCompleteColumn(), rate, rich.TimeRemainingColumn()

    with _bar(columns) as bar:
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

    def columns(rich: Any) -> Sequence[Any]:
        news = rich.TextColumn("{task.fields[news]}")
        return rich.SpinnerColumn(), rich.TextColumn(what), rich.TimeElapsedColumn(), news

    with _bar(columns) as bar:
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


class _NoBar:
    """Takes the place of a bar where there is no terminal: rich takes 0.02 s to import."""

    disable = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    @property
    def console(self) -> Console:
        """What notes are printed on."""
        from rich.console import Console

        return Console(stderr=True)

    def add_task(self, what: str, **_: object) -> Any:
        """Nothing."""

    def update(self, task: Any, **_: object) -> None:
        """Nothing."""


def _lines(bar: Progress | _NoBar, what: str) -> Callable[[str], None]:
    """Prints a line where there is no bar, unless there was one a moment ago."""
    shown = time.monotonic()

    def line(text: str) -> None:
        nonlocal shown
        if bar.disable and time.monotonic() - shown >= PLAIN_INTERVAL:
            shown = time.monotonic()
            print(f"{what}: {text}", file=sys.stderr, flush=True)

    return line


def _bar(columns: Callable[[Any], Sequence[Any]]) -> Progress | _NoBar:
    """A bar with the columns that are made of the module `rich.progress`, which shows itself on a terminal only."""
    if not sys.stderr.isatty() and not any(name in os.environ for name in _TERMINALS):
        return _NoBar()
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    return progress.Progress(*columns(progress), console=console, transient=True, disable=not console.is_terminal)
