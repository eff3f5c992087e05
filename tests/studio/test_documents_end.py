"""A studio that ends lets all its documents end at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from andante.studio.access import Access
from andante.studio.server import Studio
from andante.studio.workspace import Workspace


class MeetingRoom:
    """A document whose end comes when that of another has begun."""

    def __init__(self, begun: asyncio.Event, other: asyncio.Event) -> None:
        self._begun, self._other = begun, other

    async def end(self) -> None:
        self._begun.set()
        await self._other.wait()


def test_no_document_waits_for_the_end_of_another(tmp_path: Path) -> None:
    """A studio of twenty documents that were played took as many seconds to end."""

    async def ending() -> Studio:
        studio = Studio(Workspace(tmp_path), Access("127.0.0.1", 1))
        one, two = asyncio.Event(), asyncio.Event()
        studio.rooms |= {Path("one.yaml"): MeetingRoom(one, two), Path("two.yaml"): MeetingRoom(two, one)}
        await asyncio.wait_for(studio.close(), 20.0)
        return studio

    assert not asyncio.run(ending()).rooms
