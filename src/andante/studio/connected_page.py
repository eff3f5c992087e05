"""One connected page: what waits to be sent to it, and the jobs of the server's loop that answer it."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from andante.errors import AndanteError

Answer = TypeVar("Answer")
_WAITING = 4000
"""Messages that may wait for one page; a page that takes none for so long is let go."""


class Page:
    """One connected page: what waits to be sent to it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.show: tuple[str, str] = ("", "")
        self._waiting: deque[str | bytes] = deque()
        self._pose: bytes | None = None
        self._wake = asyncio.Event()
        self.lost = False
        self.noted: Callable[[dict[str, Any]], None] | None = None
        """Called with what this page alone is told."""

    def send(self, data: dict[str, Any]) -> None:
        """Queue a message."""
        self.queue(json.dumps(data, allow_nan=False))
        if self.noted is not None:
            self.noted(data)

    def queue(self, message: str | bytes) -> None:
        """Queue an encoded message."""
        if len(self._waiting) >= _WAITING:
            self.lost = True
        else:
            self._waiting.append(message)
        self._wake.set()

    def pose(self, message: bytes) -> None:
        """Show a pose; one that was not sent yet is forgotten."""
        self._pose = message
        self._wake.set()

    async def next(self) -> list[str | bytes]:
        """What is to be sent, the pose last."""
        await self._wake.wait()
        self._wake.clear()
        found = list(self._waiting)
        self._waiting.clear()
        if self._pose is not None:
            found.append(self._pose)
            self._pose = None
        return found


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


async def in_thread(function: Callable[..., Answer], *arguments: Any) -> Answer:
    """What a function answers that runs in a thread; who is cancelled meanwhile waits for its end first.

    A write that has begun must not go on beside what comes after it.
    """
    task = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def answered(
    page: Page, request: int, kind: str, ask: Callable[..., Awaitable[dict[str, Any]]], /, *arguments: Any
) -> None:
    """Answer a page with what is found, as by a helper, or with why nothing is."""
    try:
        found = await ask(*arguments)
    except AndanteError as error:
        page.send({"type": "refused", "request": request, "text": str(error)})
    else:
        page.send({"type": kind, "request": request, **found})
