"""Executors: many independent tasks, in this process or over several, behind one interface.

Results come as they are done. Who needs them in the order of the tasks sorts them by number, so that no output depends
on the number of workers.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar

from andante.errors import AndanteError, shorten
from andante.plugins.raised import ASKED_TO_END, described
from andante.search.copies import threads_beside, unwarned
from andante.search.held_signals import signals_held
from andante.search.limits import LOOK, UNLIMITED, Ended, TrialLimits, TrialWatch, tells_memory
from andante.search.scratch import revive
from andante.search.work import Draw, ExecutorError, Known, Task, Work

Result = TypeVar("Result")
Numbered = Iterator[tuple[int, Result]]
"""Results with the numbers of their tasks."""
Instead = Callable[[Task, Ended], Result] | None
"""Makes the result of a task that was ended at a limit; None: it is given up as one whose worker died too often."""

_GRACE = 0.5
"""Workers that are told to end are killed after this time [s]; nobody waits for what they were at."""
_PR_SET_PDEATHSIG = 1
"""Number of the request in Linux, `prctl(2)`."""


class Executor(Protocol):
    """Whatever runs tasks."""

    def stream(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result] = None
    ) -> Numbered[Result]:
        """Yield each task's number and result as they come; numbers count the tasks as they are drawn, from 0.

        Where other processes run them, the first are under way when this returns.

        Args:
            function: A module-level function; it and the tasks must be picklable where other processes run them.
            draw: The next task; None: no more for now (it is asked again after the next result). It is asked after
                each result; one that is `Known` may be asked before.
            instead: Makes the result of a task that was ended at a limit, where the executor has any.

        Raises:
            ExecutorError: A task raised an `AndanteError` (the message names the task). Or its worker died too often:
                that is told at once and raised once all other tasks are done, so that it costs no other result.
        """
        ...


class InProcess:
    """Runs one task after the other in this process, which can end none of them at a limit."""

    def stream(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result] = None
    ) -> Numbered[Result]:
        """See `Executor.stream`."""
        for number, task in enumerate(iter(draw, None)):
            yield number, attempt(function, task)


@dataclass(frozen=True)
class _Answer:
    """What came of a task."""

    result: Any = None
    error: Exception | None = None
    trace: str = ""


@dataclass(eq=False)
class _Worker:
    """A process and the task that it is at."""

    process: BaseProcess
    pipe: Connection
    job: Any = None
    """Number and task; None: idle."""
    last: Any = None
    """The task that it was at last."""
    watch: TrialWatch | None = None
    """What the task has taken; None: it has not begun, since the process still loads what it needs."""
    ready: bool = False
    """Whether the process takes tasks by now."""


class Processes:
    """Runs tasks in processes of their own; a task whose worker dies runs again, one that takes too much is ended.

    Args:
        workers: Number of processes.
        told: Is told of every worker that died, and of every task that was ended.
        limits: What a task may take.

    Raises:
        ExecutorError: Fewer than one worker, or a limit of memory where the system does not tell how much is used.
    """

    def __init__(
        self, workers: int, told: Callable[[str], None] = lambda text: None, limits: TrialLimits = UNLIMITED
    ) -> None:
        if workers < 1:
            raise ExecutorError("at least one worker is needed", value=workers, limit=">= 1")
        if limits.memory is not None and not tells_memory():
            what = "this system does not tell how much memory a process uses, so that none can be ended by it"
            remedy = "leave the limit of memory out (--trial-memory); that of time holds"
            raise ExecutorError(what, value=f"{limits.memory / 1e9:g} GB", remedy=remedy)
        self._workers, self._told, self._limits = workers, told, limits

    def stream(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result] = None
    ) -> Numbered[Result]:
        """See `Executor.stream`."""
        results = self._results(function, draw, instead)
        next(results)
        return results

    def _results(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result]
    ) -> Iterator[Any]:
        """Nothing once the first tasks are under way, then the results."""
        workers: list[_Worker] = []
        work = Work(draw, self._told)
        with _scratch() as scratch:
            try:
                self._hand_out(function, work, workers, scratch)
                yield None
                yield from self._collected(function, work, workers, scratch, instead)
            finally:
                _stop(*workers)

    def _hand_out(
        self, function: Callable[[Task], Result], work: Work[Task], workers: list[_Worker], scratch: str | None
    ) -> list[_Worker]:
        """Give a task to everyone who has none, as long as there are any; returns who has one."""
        while len(busy := [each for each in workers if each.job]) < self._workers:
            idle = next((each for each in workers if not each.job), None)
            job = work.after(None if idle is None else idle.last)
            if job is None:
                break
            if idle is None:
                workers.append(idle := _start(function, [each.pipe for each in workers], scratch))
            _send(idle, job)
        return busy

    def _collected(
        self,
        function: Callable[[Task], Result],
        work: Work[Task],
        workers: list[_Worker],
        scratch: str | None,
        instead: Instead[Task, Result],
    ) -> Numbered[Result]:
        while True:
            if not (busy := self._hand_out(function, work, workers, scratch)):
                work.end()
                return
            ready = wait([each.pipe for each in busy], LOOK if self._limits else None)
            for worker in busy:
                if worker.pipe not in ready:
                    ended = worker.watch and worker.watch.over(self._limits)
                    if ended:
                        job = worker.job
                        workers.remove(worker)
                        _stop(worker)
                        if work.ended(job, ended, raised=instead is None) and instead is not None:
                            yield job[0], instead(job[1], ended)
                    continue
                try:
                    answer: _Answer | None = worker.pipe.recv()
                except (EOFError, OSError):
                    job, worker.job = worker.job, None
                    workers.remove(worker)
                    _stop(worker)
                    work.back(job, f"the worker died with exit code {worker.process.exitcode}")
                    continue
                if answer is None:
                    worker.ready, worker.watch = True, TrialWatch(worker.process.pid or 0)
                    continue
                job, worker.job, worker.watch = worker.job, None, None
                if answer.error is not None:
                    if not isinstance(answer.error, AndanteError):
                        answer.error.add_note(f"in a worker, at {job[1]}:\n{answer.trace}")
                    raise answer.error
                if work.known and (following := work.after(job[1])):
                    # It need not wait until its last result is worked on.
                    _send(worker, following)
                yield job[0], answer.result


def executor_for(
    workers: int, told: Callable[[str], None] = lambda text: None, limits: TrialLimits = UNLIMITED
) -> Executor:
    """The executor of this many processes; one worker is this process, unless there are limits that it must watch.

    Raises:
        ExecutorError: Fewer than one worker.
    """
    return InProcess() if workers == 1 and not limits else Processes(workers, told, limits)


def run_all(function: Callable[[Task], Result], tasks: Sequence[Task], executor: Executor) -> list[Result]:
    """``function(task)`` for each task, in the order of the tasks.

    Raises:
        ExecutorError: See `Executor.stream`.
    """
    results = dict(executor.stream(function, Known(tasks)))
    return [results[number] for number in range(len(tasks))]


@contextlib.contextmanager
def closed(results: Numbered[Result]) -> Iterator[Numbered[Result]]:
    """Let a stream end here, with its workers, whatever comes between two of its results.

    Else it ends when nobody holds it any more: later than who asked for its end is told, and where nothing is raised.
    """
    try:
        yield results
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()


def attempt(function: Callable[[Task], Result], task: Task) -> Result:
    """The result of a task.

    Raises:
        ExecutorError: The task raised an `AndanteError` or wanted to end the program; the message names the task.
    """
    revive()
    try:
        return function(task)
    except AndanteError as error:
        raise ExecutorError(str(error), place=shorten(str(task))) from error
    except (Exception, *ASKED_TO_END):
        raise
    except BaseException as error:
        what = f"code that was run wants to end the program: {described(error)}"
        raise ExecutorError(what, place=shorten(str(task))) from error


def _forks() -> bool:
    """Whether a worker may begin as a copy of this process, which spares it a second of imports.

    Threads and OpenGL do not survive being copied; where there are any, workers are spawned. So they are on macOS,
    whose own libraries have threads (docs of `multiprocessing`).
    """
    possible = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    return possible and not any(name.startswith("OpenGL") for name in sys.modules) and threads_beside() == 0


@contextlib.contextmanager
def _scratch() -> Iterator[str | None]:
    """A folder for what workers write for a moment: who is killed removes nothing, so that their parent does.

    None where there is no room for one.
    """
    folder = None
    with contextlib.suppress(OSError):
        folder = tempfile.mkdtemp(prefix="andante-")
    try:
        yield folder
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _start(function: Callable[[Task], Result], others: Sequence[Connection], scratch: str | None) -> _Worker:
    forks = _forks()
    context: Any = multiprocessing.get_context("fork" if forks else "spawn")
    ours, theirs = context.Pipe()
    # A copy of this process holds its ends of all pipes; while it does, nobody at the other ends learns of its death.
    inherited = [ours, *others] if forks else []
    process = context.Process(
        target=_answer_tasks, args=(theirs, partial(attempt, function), inherited, scratch), daemon=True
    )
    # An interrupt from the keyboard reaches all processes of the terminal. The parent alone answers it; what is blocked
    # here stays blocked in the child. A copy would answer its dismissal as the parent, until it has taken that over.
    if not forks:
        begin_tracker()
    with signals_held(signal.SIGINT, *((signal.SIGTERM,) if forks else ())), unwarned():
        process.start()
    # With this end closed here, a dead worker is the end of its pipe.
    theirs.close()
    return _Worker(process, ours)


def _send(worker: _Worker, job: tuple[int, Any]) -> None:
    worker.job, worker.last = job, job[1]
    worker.watch = TrialWatch(worker.process.pid or 0) if worker.ready else None
    # One that died while it was idle is known of when its pipe is read.
    with contextlib.suppress(OSError):
        worker.pipe.send(job[1])


def begin_tracker() -> None:
    """Begin the helper of `multiprocessing` that spawned processes need: its beginning lets signals through again."""
    if sys.platform != "win32":
        resource_tracker.ensure_running()


def _stop(*workers: _Worker) -> None:
    # A second Ctrl-C must leave none of them behind: the interpreter would wait for them without end.
    with signals_held(signal.SIGINT, signal.SIGTERM):
        for worker in workers:
            worker.pipe.close()
            worker.process.terminate()
        end = time.monotonic() + _GRACE
        for worker in workers:
            worker.process.join(max(0.0, end - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _answer_tasks(
    pipe: Connection, function: Callable[[Any], Any], inherited: Sequence[Connection], scratch: str | None
) -> None:
    """Answer each task until the parent is gone."""
    # How the parent answers is not for its workers: they are dismissed by this signal.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    else:
        # What could not be held back by the parent is not heard here.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The parent tells of a crash, once.
    faulthandler.disable()
    end_with_parent()
    tempfile.tempdir = scratch
    # What trials print is no answer of the command.
    sys.stdout = sys.stderr
    for each in inherited:
        each.close()
    with contextlib.suppress(OSError):
        # From here on time is that of tasks.
        pipe.send(None)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = _Answer(function(task))
        except KeyboardInterrupt:
            # The parent has dismissed this worker: runs end by SIGTERM as by Ctrl-C, and nobody waits for the answer.
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
            answer = _Answer(error=error, trace=traceback.format_exc())
        try:
            pipe.send(answer)
        except OSError:
            return


def end_with_parent() -> None:
    """Let this process, a child of `multiprocessing`, be killed at once when its parent is gone, whatever it is at.

    The parent may be killed, or ended by a signal that nobody handles (SIGTERM, a terminal that is closed): it then
    tells nobody. The child learns of it by the end of the pipe that all processes of `multiprocessing` have to theirs.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    if sys.platform == "linux":
        # The system does it even while compiled code lets no thread of Python run. It counts the thread that hired as
        # the parent; a hirer waits for its workers before it ends.
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent.pid:
            os.kill(os.getpid(), signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent.sentinel,), name="andante-parent", daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
