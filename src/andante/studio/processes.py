"""Processes beside the server, which end with it and are begun anew where they end.

A talking process is talked to over a pipe: begun at the first word. A helper answers one question at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from andante.studio.errors import HelperLostError
from andante.studio.supervised import HelperLimits, SupervisedProcess, said

Answer = TypeVar("Answer")
DONE = "done"
"""What a talking process says when it has done a message."""
_PING = 5.0
"""Time between two questions whether a talking process still listens [s]."""


class TalkingProcess:
    """A process of its own.

    Args:
        serve: What it does with its end of the pipe; answers are pairs of a kind and data.
        name: Its name.
        what: What people call it.
        heard: Called in the server's loop with every answer.
        lost: Called there with a sentence when it has ended without being stopped; the next message begins another.
        limits: What it may take.
        begin_from: How it begins, see `SupervisedProcess`.
    """

    def __init__(
        self,
        serve: Callable[[Connection], None],
        name: str,
        what: str,
        heard: Callable[[str, Any], None],
        lost: Callable[[str], None],
        limits: HelperLimits | None = None,
        begin_from: str = "",
    ) -> None:
        self._serve, self._name, self._what, self._heard, self._lost = serve, name, what, heard, lost
        self._begin_from = begin_from
        self._limits = HelperLimits(seconds=300.0, memory=8e9) if limits is None else limits
        self._process: SupervisedProcess | None = None
        self._words: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._due = 0

    @property
    def begun(self) -> bool:
        """Whether it was begun and not stopped."""
        return self._process is not None

    def send(self, *message: Any) -> None:
        """Send a message with what belongs to it."""
        process = self._process
        if process is not None and not process.alive:
            self._ended(process, process.why())
        if self._process is None:
            self._start()
        self._put(message)

    def stop(self, wait: float = 1.0) -> None:
        """End it; ``wait`` so long for it to end by itself [s]."""
        self._leave_process(wait)

    def _leave_process(self, wait: float = 1.0) -> None:
        process, self._process = self._process, None
        self._words.put(None)
        if process is not None:
            process.stop(wait)

    def _put(self, message: Any) -> None:
        """Hand something to the thread that writes: a process that does not read must not hold up the server."""
        if self._process is not None:
            if self._due == 0:
                self._process.owe()
            self._due += 1
            self._words.put(message)

    def _start(self) -> None:
        self._leave_process()
        self._talk_to(self._made(asyncio.get_running_loop()))

    def _made(self, loop: asyncio.AbstractEventLoop) -> SupervisedProcess:
        """Another process, which tells the loop when it has ended; a thread may make it."""
        ended = partial(in_loop, loop, self._ended)
        return SupervisedProcess(self._name, self._serve, self._limits, ended, self._begin_from)

    def _talk_to(self, process: SupervisedProcess) -> None:
        """Talk to this process from now on (in the server's loop)."""
        loop = asyncio.get_running_loop()
        self._words, self._due, self._process = queue.SimpleQueue(), 0, process
        threading.Thread(target=_write, args=(process.pipe, self._words), daemon=True).start()
        hear = partial(in_loop, loop, self._hear, process)
        threading.Thread(target=relay, args=(process.pipe, hear), daemon=True).start()
        loop.call_later(_PING, self._ping, process)

    def _ping(self, process: SupervisedProcess) -> None:
        if self._process is process and process.alive:
            self._put(())
            asyncio.get_running_loop().call_later(_PING, self._ping, process)

    def _hear(self, process: SupervisedProcess, kind: str, data: Any) -> None:
        if self._process is not process:
            return
        if kind == DONE:
            self._due -= 1
            process.paid()
            if self._due:
                process.owe()
        else:
            self._heard(kind, data)

    def _ended(self, process: SupervisedProcess, why: str) -> None:
        if self._process is process:
            self.stop()
            self._lost(f"{self._what} has ended: {why}; it begins anew when it is asked again")


class Helper:
    """A process that answers one question at a time.

    Args:
        name: Its name.
        what: What people call it.
        lost: Called in the server's loop with a sentence when it has ended without being stopped.
        limits: What it may take.
        begin_from: How it begins, see `SupervisedProcess`.
    """

    def __init__(
        self,
        name: str,
        what: str,
        lost: Callable[[str], None] | None = None,
        limits: HelperLimits | None = None,
        begin_from: str = "",
    ) -> None:
        self._name, self._what, self._lost, self._begin_from = name, what, lost, begin_from
        self._limits = HelperLimits() if limits is None else limits
        self._process: SupervisedProcess | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"andante-studio-{name}")
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(self) -> None:
        """Tell of its end in the loop that runs."""
        self._loop = asyncio.get_running_loop()

    async def ask(self, function: Callable[..., Answer], *arguments: Any, seconds: float | None = None) -> Answer:
        """What a function of a module answers.

        Args:
            function: The function.
            arguments: Its arguments.
            seconds: Time for the answer [s]; None: the helper's.

        Raises:
            AndanteError: What the function raises.
            HelperLostError: The process has ended; the next question begins another.
        """
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(
            self._thread, partial(self.answer, function, *arguments, seconds=seconds)
        )

    def wait(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        """The same, for a thread that can wait.

        Raises:
            AndanteError: What the function raises.
            HelperLostError: The process has ended; the next question begins another.
        """
        try:
            answer = self._thread.submit(partial(self.answer, function, *arguments))
        except RuntimeError:
            raise HelperLostError(f"{self._what} has ended: the studio ends") from None
        return answer.result()

    def answer(self, function: Callable[..., Answer], *arguments: Any, seconds: float | None = None) -> Answer:
        """The same, for the one thread that asks."""
        process = self._process
        if process is None or not process.alive:
            process = self._process = SupervisedProcess(
                f"studio-{self._name}", serve_questions, self._limits, self._ended, self._begin_from
            )
        process.owe(seconds)
        try:
            process.pipe.send((function, arguments))
            good, found = process.pipe.recv()
        except (EOFError, OSError, TypeError):
            # A closed pipe is read as None: the server ends.
            raise HelperLostError(f"{self._what} has ended: {process.why()}; it is begun anew") from None
        finally:
            process.paid()
        if good:
            return found  # type: ignore[no-any-return]
        raise found

    def end(self) -> None:
        """End it."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        process, self._process = self._process, None
        if process is not None:
            process.stop(0.0)

    def _ended(self, _: SupervisedProcess, why: str) -> None:
        if self._lost is not None and self._loop is not None:
            in_loop(self._loop, self._lost, f"{self._what} has ended: {why}; it is begun anew")


def serve_questions(pipe: Connection) -> None:
    """What a helper does: answers until the pipe closes."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            function, arguments = pipe.recv()
            try:
                answer = True, function(*arguments)
            except Exception as error:  # noqa: BLE001 - whatever it is, who has asked is told
                answer = False, said(error)
            pipe.send(answer)


def _write(pipe: Connection, words: queue.SimpleQueue[Any]) -> None:
    """Carry what the server says to the process (in a thread of its own)."""
    while (word := words.get()) is not None:
        try:
            pipe.send(word)
        except (OSError, ValueError, TypeError):
            return


def relay(pipe: Connection, heard: Callable[[str, Any], None]) -> None:
    """Carry what the process says into the server's loop (in a thread of its own)."""
    while True:
        try:
            kind, data = pipe.recv()
        except (EOFError, OSError, TypeError):
            return
        heard(kind, data)


def in_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Call something in the server's loop, from another thread; a loop that has ended calls nothing."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)
