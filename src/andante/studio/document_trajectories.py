"""Trajectories of what the pages of a document show: sampled when a page asks, and after edits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.studio.connected_page import Jobs, Page
from andante.studio.document import OpenDocument
from andante.studio.processes import Helper
from andante.studio.reading import trajectory

_SOON = 0.04
"""Edits within this time are answered by one trajectory [s]."""


class DocumentTrajectories:
    """Sends each page the trajectory of what it shows.

    Args:
        document: The document.
        pages: Its pages, as they come and go.
        jobs: Runs what takes long.
        robot: Tells the robot and its name or file; no robot: nothing is sampled.
        helper: The process that samples what is long.
    """

    def __init__(
        self,
        document: OpenDocument,
        pages: Sequence[Page],
        jobs: Jobs,
        robot: Callable[[], tuple[Robot | None, str]],
        helper: Helper,
    ) -> None:
        self._document, self._pages, self._jobs, self._robot, self._helper = document, pages, jobs, robot, helper
        self._job: asyncio.Task[None] | None = None
        self._wanted = False

    def edited(self) -> None:
        """Sample anew for all pages, a moment after the last edit."""
        self._wanted = True
        if self._job is None or self._job.done():
            self._job = self._jobs.begin(self._sample_all())

    def show(self, page: Page, request: int) -> None:
        """Sample what a page has begun to show."""
        self._jobs.begin(self._sample(page, request))

    async def _sample_all(self) -> None:
        while self._wanted:
            await asyncio.sleep(_SOON)
            self._wanted = False
            for page in list(self._pages):
                await self._sample(page, 0)

    async def _sample(self, page: Page, request: int) -> None:
        """Send a page the trajectory of what it shows, or why there is none."""
        live, (robot, source) = self._document.live, self._robot()
        library, revision, shown = live.library, live.revision, page.show
        if library is None or robot is None or not any(shown):
            return
        where, how = (live.text, live.place, source), (revision, request)
        try:
            found = await asyncio.to_thread(trajectory, library, robot, shown, how, where, self._helper)
        except AndanteError as error:
            page.send({"type": "unsampled", "request": request, "revision": revision, "text": str(error)})
            return
        page.queue(found)
