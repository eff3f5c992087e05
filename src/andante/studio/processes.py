"""Processes beside the server, which end with it.

One kind is talked to over a pipe: begun at the first word, begun anew where it ended. The other answers one question at
a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from andante.studio.errors import StudioError


class TalkingProcess:
    """A process of its own.

    Args:
        serve: What it does with its end of the pipe; answers are pairs of a kind and data.
        name: Its name.
        heard: Called in the server's loop with every answer.
    """

    def __init__(self, serve: Callable[[Connection], None], name: str, heard: Callable[[str, Any], None]) -> None:
        self._serve, self._name, self._heard = serve, name, heard
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    @property
    def begun(self) -> bool:
        """Whether it was begun and not stopped."""
        return self._pipe is not None

    def send(self, *message: Any) -> None:
        """Send a message with what belongs to it.

        Raises:
            StudioError: The process has ended meanwhile; the next message begins another.
        """
        if self._pipe is None or self._process is None or not self._process.is_alive():
            self._start()
        try:
            if self._pipe is not None:
                self._pipe.send(message)
        except OSError as error:
            self.stop()
            raise StudioError("the simulation has ended; play again", value=str(error)) from None

    def stop(self) -> None:
        """End it."""
        pipe, self._pipe = self._pipe, None
        process, self._process = self._process, None
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
        if process is not None:
            process.join(1.0)
            if process.is_alive():
                process.kill()

    def _start(self) -> None:
        self.stop()
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=self._serve, args=(theirs,), daemon=True, name=self._name)
        process.start()
        theirs.close()
        self._process, self._pipe = process, ours
        loop = asyncio.get_running_loop()
        threading.Thread(target=_relay, args=(ours, loop, self._heard), daemon=True).start()


def _relay(pipe: Connection, loop: asyncio.AbstractEventLoop, heard: Callable[[str, Any], None]) -> None:
    """Carry what the process says into the server's loop (in a thread of its own)."""
    while True:
        try:
            kind, data = pipe.recv()
        except (EOFError, OSError, TypeError):
            return
        try:
            loop.call_soon_threadsafe(heard, kind, data)
        except RuntimeError:
            return


def one_process() -> ProcessPoolExecutor:
    """One process, begun at the first question."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process as soon as the one that began it is gone.

    Workers of an executor wait for questions forever: a killed server would leave its own behind, 200 MB each.
    """
    # Ctrl-C in the terminal reaches this process too; it ends without a word, whatever it is at.
    signal.signal(signal.SIGINT, lambda *_: os._exit(1))
    threading.Thread(target=_watch, daemon=True, name="parent").start()


def _watch() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
