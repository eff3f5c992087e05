"""Ctrl-C and requests to terminate: each is answered, also where code on the way swallows the exception that it is.

A compiled library may take it for an error of its own, and a finalizer drops it: the command would go on as if nobody
had asked. So it is raised again while nobody is about to answer it.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

_SAME = 1.0
"""Requests within this time are one [s]: a terminal and whoever started the command in it often send one each."""
_LOOK = 0.1
"""How often it is looked whether a request is on its way [s]."""
_LOST = 3
"""In so many looks one after the other a request that was swallowed is nowhere to be seen."""


class _Requests:
    """Requests to end, from the first to the answer."""

    def __init__(self) -> None:
        self.heard = False
        """Whether there was one."""
        self._last = -_SAME
        self._again = False
        self._over = threading.Event()

    def begin(self) -> None:
        """Listen for a new command."""
        self.heard = self._again = False
        self._last, self._over = -_SAME, threading.Event()

    def end(self) -> None:
        """Nothing is raised again from now on."""
        self._over.set()

    def answer(self, number: int, frame: object = None) -> None:
        """What Python calls for a signal.

        Raises:
            KeyboardInterrupt: It is no repetition.
        """
        again, self._again, now = self._again, False, time.monotonic()
        if not again and now - self._last < _SAME:
            return
        first, self.heard, self._last = not self.heard, True, now
        if first:
            # What libraries say of what they have swallowed.
            warnings.filterwarnings("ignore", message=f"(?s).*{KeyboardInterrupt.__name__}")
            if not self._over.is_set():
                watch = threading.Thread(target=self._watch, args=(number, self._over), name="andante-asked")
                watch.daemon = True
                watch.start()
        raise KeyboardInterrupt

    def _watch(self, number: int, over: threading.Event) -> None:
        main, unseen = threading.main_thread().ident, 0
        while not over.wait(_LOOK):
            unseen = 0 if _on_its_way(sys._current_exceptions().get(main or 0)) else unseen + 1
            if unseen >= _LOST:
                unseen, self._again = 0, True
                if hasattr(signal, "pthread_kill"):
                    # It wakes a thread that sleeps, too.
                    signal.pthread_kill(main or 0, number)
                else:
                    _thread.interrupt_main(signal.Signals(number))


_REQUESTS = _Requests()


def _on_its_way(handled: Any) -> bool:
    """Whether a thread that handles this is about to answer a request: in 3.11 there are type, value and traceback."""
    return _holds_interrupt(handled[1] if isinstance(handled, tuple) else handled)


def _holds_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is what an exception comes from: compiled libraries wrap it into exceptions of their own.

    Some of them tell it by their text alone.
    """
    return _holds_interrupt(error) or hides_request(error)


def hides_request(error: BaseException | None) -> bool:
    """Whether the text of an exception is all that tells of a request."""
    return _REQUESTS.heard and KeyboardInterrupt.__name__ in str(error)


def raise_swallowed() -> None:
    """See that nobody takes what was done for whole after a request of which nothing came.

    Raises:
        KeyboardInterrupt: There was a request.
    """
    if _REQUESTS.heard:
        raise KeyboardInterrupt


@contextlib.contextmanager
def heard(*, to_the_end: bool = False) -> Iterator[None]:
    """Answer Ctrl-C and a request to terminate by one `KeyboardInterrupt`, where nobody else answers them.

    Args:
        to_the_end: The process ends with what is done: a repetition that comes afterwards is one, too.
    """
    mine: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        found = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
        mine = {number: before for number, before in found.items() if signal.getsignal(number) is before}
    if not mine:
        yield
        return
    _REQUESTS.begin()
    if to_the_end:
        # What is registered first comes last.
        atexit.register(_deaf, tuple(mine))
    unraisable = sys.unraisablehook
    for number in mine:
        signal.signal(number, _REQUESTS.answer)
    sys.unraisablehook = _told_but_requests
    try:
        yield
    finally:
        _REQUESTS.end()
        if not (to_the_end and _REQUESTS.heard):
            _REQUESTS.heard, sys.unraisablehook = False, unraisable
            for number, before in mine.items():
                signal.signal(number, before)


def _deaf(numbers: tuple[signal.Signals, ...]) -> None:
    """Let no repetition of a request that was answered end the process in its last moment, when Python hears none."""
    if _REQUESTS.heard and threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)


def _told_but_requests(about: Any) -> None:
    """Tell of what a finalizer raised, but of requests, which are raised again."""
    if not isinstance(about.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(about)


def forget_at_exit() -> None:
    """Let the exit code be the one that is given: Python keeps in mind that an interrupt struck in code from a text.

    Classes are made of such texts. It would end ``python -m andante`` by the signal, whatever was answered meanwhile.
    """
    exec("")
