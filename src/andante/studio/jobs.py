"""Jobs of the server's loop: those that belong to one document end with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import BrokenExecutor, Executor
from typing import Any

from andante.errors import AndanteError
from andante.studio.connected_page import Page


class Jobs:
    """Tasks that are under way."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, job: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin one."""
        task = asyncio.get_running_loop().create_task(job)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def end(self) -> None:
        """End all."""
        for task in list(self._tasks):
            task.cancel()


async def answered(
    page: Page, request: int, kind: str, process: Executor, find: Callable[[], dict[str, Any]], /
) -> None:
    """Answer a page with what a process finds, or with why it finds nothing."""
    try:
        found = await asyncio.get_running_loop().run_in_executor(process, find)
    except (AndanteError, BrokenExecutor) as error:
        page.send({"type": "refused", "request": request, "text": str(error)})
    else:
        page.send({"type": kind, "request": request, **found})
