"""Cluster worker: how a worker of a cluster runs tasks under limits: in a process of its own, on its machine.

A worker cannot end what it is at itself. Whoever asked is far away, and sees neither its memory nor the time in which
others had its processor. So each worker of a cluster watches one process, as `executor.Processes` does anywhere else.
Whoever asked may be killed and dismiss nobody, so a process that is asked nothing more for a while ends by itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from andante.search.executor import Numbered, Processes
from andante.search.limits import Ended, TrialLimits
from andante.search.work import GivenUpError

IDLE = 60.0
"""A process that is asked nothing for so long is dismissed [s]; a later one loads robots and worlds anew."""


@dataclass(frozen=True)
class Done:
    """What came of a task."""

    result: Any = None
    ended: Ended | None = None
    """Why it was ended at a limit; None: it was not."""
    lost: GivenUpError | None = None
    """Why nobody tries it any more; None: it has a result, or was ended."""
    told: tuple[str, ...] = ()
    """What is to be told of it, in order."""


class Supervisor:
    """A process that runs tasks of one function, one at a time; it lasts until it is dismissed.

    Args:
        function: A module-level function.
        limits: What a task may take.

    Raises:
        ExecutorError: A limit of memory where the system does not tell how much is used.
    """

    def __init__(self, function: Callable[[Any], Any], limits: TrialLimits) -> None:
        self._function, self._told = function, list[str]()
        self._executor = Processes(1, self._told.append, limits)
        self._waiting: deque[Any] = deque()
        self._results: Numbered[Any] | None = None
        self.asked = 0
        """Tasks that were asked of it."""

    def do(self, task: Any) -> Done:
        """Run a task.

        Raises:
            ExecutorError: It raised an `AndanteError`; what else it raises comes through as well.
        """
        self._told.clear()
        self.asked += 1
        self._waiting.append(task)
        try:
            with _may_have_children():
                if self._results is None:
                    self._results = self._executor.stream(self._function, self._next, lambda task, ended: ended)
                _, result = next(self._results)
        except GivenUpError as error:
            self.dismiss()
            return Done(lost=error, told=tuple(self._told))
        except BaseException:
            self.dismiss()
            raise
        if isinstance(result, Ended):
            return Done(ended=result, told=tuple(self._told))
        return Done(result, told=tuple(self._told))

    def dismiss(self) -> None:
        """End the process; the next task has another one."""
        results, self._results = self._results, None
        self._waiting.clear()
        if results is not None:
            results.close()  # type: ignore[attr-defined]

    def _next(self) -> Any:
        return self._waiting.popleft() if self._waiting else None


_lock = threading.Lock()
"""A worker makes one task at a time whatever its threads, and nothing is dismissed meanwhile."""
_present: dict[str, Supervisor] = {}
"""The supervisor of the stream of tasks that this process works for, by the stream's name; at most one."""


_timers: list[threading.Timer] = []
"""What dismisses the process that is asked nothing more; at most one."""


def do(stream: str, function: Callable[[Any], Any], limits: TrialLimits, task: Any) -> Done:
    """Run a task of a stream under limits in a process that this one watches; see `Supervisor.do`."""
    with _lock:
        while _timers:
            _timers.pop().cancel()
        if stream not in _present:
            _dismiss_all()
            _present[stream] = Supervisor(function, limits)
        supervisor = _present[stream]
        try:
            return supervisor.do(task)
        finally:
            timer = threading.Timer(IDLE, _dismiss_idle, (stream, supervisor.asked))
            timer.daemon = True
            timer.start()
            _timers.append(timer)


def _dismiss_idle(stream: str, asked: int) -> None:
    """End the process of a stream that was asked nothing since."""
    with _lock:
        # One that was asked just now has waited for the lock.
        if stream in _present and _present[stream].asked == asked:
            _dismiss_all()


def dismiss(stream: str) -> None:
    """End the process of a stream, once it has done what it is at; without waiting for it."""

    def wait_and_dismiss() -> None:
        with _lock:
            if stream in _present:
                _dismiss_all()

    threading.Thread(target=wait_and_dismiss, name="andante-dismiss", daemon=True).start()


def _dismiss_all() -> None:
    while _present:
        _present.popitem()[1].dismiss()


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """Let this process start others although it is a daemon, as Dask's workers are.

    `multiprocessing` lets daemons have no children, since these would be left behind. These end with their parent.
    """
    config: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    daemon = config.get("daemon")
    config["daemon"] = False
    try:
        yield
    finally:
        config["daemon"] = daemon
