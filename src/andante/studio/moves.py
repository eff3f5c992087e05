"""What is dragged in all documents: inverse kinematics in a process of its own, made ready before the first drag."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from andante.studio.connected_page import Page
from andante.studio.dragging import dragged, warm
from andante.studio.jobs import Jobs, answered
from andante.studio.messages import Drag
from andante.studio.pools import one_process


class Moves:
    """The process that solves what is dragged, begun at its first use.

    Args:
        tell: Tells all pages something.
    """

    def __init__(self, tell: Callable[[dict[str, Any]], None]) -> None:
        self._tell = tell
        self._process: ProcessPoolExecutor | None = None
        self._preparing: set[asyncio.Future[None]] = set()
        self._jobs = Jobs()

    def state(self) -> dict[str, Any]:
        """Whether a drag is answered at once, as pages are told."""
        return {"type": "moves", "ready": not self._preparing}

    def prepare(self, robot: str) -> None:
        """Load and, where they were never used, compile what drags of a robot need; pages are told when it is done."""
        future = asyncio.get_running_loop().run_in_executor(self._begun(), warm, robot)
        self._preparing.add(future)
        future.add_done_callback(self._prepared)
        if len(self._preparing) == 1:
            self._tell(self.state())

    def drag(self, page: Page, robot: str, message: Drag) -> None:
        """Tell a page where a drag leads."""
        asked = message.model_dump(exclude={"do", "request"})
        self._jobs.begin(answered(page, message.request, "dragged", self._begun(), partial(dragged, robot, **asked)))

    def end(self) -> None:
        """End the process."""
        self._jobs.end()
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)

    def _begun(self) -> ProcessPoolExecutor:
        if self._process is None:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            self._process = one_process()
        return self._process

    def _prepared(self, future: asyncio.Future[None]) -> None:
        self._preparing.discard(future)
        # What went wrong is told by the drag that meets it.
        if not future.cancelled():
            future.exception()
        if not self._preparing:
            self._tell(self.state())
