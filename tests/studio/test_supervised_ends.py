"""A process beside the server that is stopped hears of it and ends by itself, and nobody waits until it is killed."""

from __future__ import annotations

import threading
from multiprocessing.connection import Connection
from pathlib import Path

from andante.studio.processes import relay
from andante.studio.supervised import HelperLimits, SupervisedProcess


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
