"""Many independent trials over processes; the order of results never depends on the number of workers."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import TypeVar

from andante.errors import AndanteError

Task = TypeVar("Task")
Result = TypeVar("Result")


class ExecutorError(AndanteError):
    """Trials cannot be distributed as asked."""


def run_trials(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int = 1) -> Iterator[Result]:
    """Yield ``function(task)`` for each task in the order of the tasks.

    Args:
        function: A module-level function; it and the tasks must be picklable where workers > 1.
        tasks: What to do.
        workers: Number of processes; 1 runs in this process.

    Raises:
        ExecutorError: Fewer than one worker.
    """
    if workers < 1:
        raise ExecutorError("at least one worker is needed", value=workers, limit=">= 1")
    if workers == 1 or len(tasks) <= 1:
        yield from map(function, tasks)
        return
    # Spawned, not forked: a forked child would share the parent's OpenGL and thread state.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context) as pool:
        results: Iterable[Result] = pool.map(function, tasks, chunksize=max(1, len(tasks) // (workers * 8)))
        yield from results


def run_drawn(
    function: Callable[[Task], Result], draw: Callable[[], Task | None], workers: int = 1
) -> Iterator[Result]:
    """Yield results as they come; whenever a worker is free, the next task is drawn, until there is none.

    Args:
        function: A module-level function; it and the tasks must be picklable where workers > 1.
        draw: The next task; None: no more for now (it is asked again after the next result).
        workers: Number of processes; 1 runs in this process.

    Raises:
        ExecutorError: Fewer than one worker.
    """
    if workers < 1:
        raise ExecutorError("at least one worker is needed", value=workers, limit=">= 1")
    if workers == 1:
        while (task := draw()) is not None:
            yield function(task)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running: set[Future[Result]] = set()
        while True:
            while len(running) < workers and (task := draw()) is not None:
                running.add(pool.submit(function, task))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
