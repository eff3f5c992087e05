"""The checks of one open document: findings a moment after each edit, proofs in physics when a page asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from typing import Any

from andante.errors import AndanteError
from andante.studio.checking import findings_of, proof_of
from andante.studio.connected_page import Page
from andante.studio.document import OpenDocument
from andante.studio.jobs import Jobs, answered
from andante.studio.messages import CheckPhysics

_IDLE = 0.35
"""Time without an edit after which the checks begin [s]."""


class DocumentChecks:
    """What is found in one document.

    Args:
        document: The document.
        process: The process that checks.
        source: Name or file of the document's robot.
        tell: Tells all pages of the document something.
    """

    def __init__(
        self,
        document: OpenDocument,
        process: Executor,
        source: Callable[[], str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._document, self._process, self._source, self._tell = document, process, source, tell
        self._jobs = Jobs()
        self._check: asyncio.Task[None] | None = None
        self._findings: dict[str, Any] | None = None

    def enter(self, page: Page) -> None:
        """Tell one more page what is found; look for it where nobody has."""
        if self._findings is not None:
            page.send(self._findings)
        else:
            self._check_soon()

    def edited(self) -> None:
        """Check anew, a moment after the last edit."""
        self._findings = None
        self._check_soon()

    def prove(self, page: Page, message: CheckPhysics) -> None:
        """Run a motion in physics, and tell the page that has asked."""
        library = self._document.live.library
        if library is None:
            page.send({"type": "refused", "request": message.request, "text": "the document has a mistake"})
            return
        find = partial(proof_of, library, self._source(), message.motion, message.seeds)
        self._jobs.begin(answered(page, message.request, "proof", self._process, find))

    def end(self) -> None:
        """Check no more."""
        self._jobs.end()

    def _check_soon(self) -> None:
        if self._check is not None and not self._check.done():
            self._check.cancel()
        self._check = self._jobs.begin(self._check_later())

    async def _check_later(self) -> None:
        await asyncio.sleep(_IDLE)
        live = self._document.live
        library, revision = live.library, live.revision
        if library is None:
            return
        self._tell({"type": "checking", "revision": revision})
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._process, findings_of, library, self._source())
        except (AndanteError, BrokenExecutor) as error:
            found = {"findings": [], "count": 0, "text": str(error)}
        if revision == live.revision:
            self._findings = {"type": "findings", "revision": revision, **found}
            self._tell(self._findings)
