"""Processes beside the server that are stopped hear of it and end by themselves, each beside the others."""

from __future__ import annotations

import asyncio
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from andante.studio.access import Access
from andante.studio.processes import relay
from andante.studio.server import Studio
from andante.studio.supervised import HelperLimits, SupervisedProcess
from andante.studio.workspace import Workspace


def listen(pipe: Connection) -> None:
    """Say hello, wait for words until the pipe closes, and leave a note of having seen that."""
    pipe.send(("hello", None))
    place = pipe.recv()
    try:
        pipe.recv()
    except EOFError:
        Path(place).write_text("the pipe has closed")


def test_a_process_to_which_a_thread_listens_is_told_that_it_is_stopped(tmp_path: Path) -> None:
    """The thread's reading kept the pipe open: the process was killed a second later, in the middle of its log."""
    ended: list[str] = []
    process = SupervisedProcess("listens", listen, HelperLimits(), lambda _, why: ended.append(why))
    said = threading.Event()
    thread = threading.Thread(target=relay, args=(process.pipe, lambda *_: said.set()), daemon=True)
    thread.start()
    assert said.wait(60.0)
    process.pipe.send(str(tmp_path / "note"))
    process.stop(15.0)
    assert (tmp_path / "note").read_text() == "the pipe has closed"
    thread.join(15.0)
    assert not thread.is_alive()
    # Who stops it needs no telling.
    assert ended == []


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
