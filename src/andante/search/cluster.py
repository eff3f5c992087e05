"""Executor over a Dask cluster: workers on any number of machines, or a few that are started here.

Each task is one Dask job, bound to one worker that has no other one, because worlds and engines of a process are used
again from trial to trial, and so that it is known which job a worker died at. That job runs again; results are taken by
the number of their task, so that none is lost or doubled. Before the first job every worker must have the versions and
input files of this process; one that joins later without them gets no work.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import re
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import TracebackType
from typing import Any, TypeVar

from andante.errors import shorten
from andante.search import cluster_worker
from andante.search import toolchain as versions
from andante.search.executor import Instead, Numbered, attempt, begin_tracker
from andante.search.held_signals import signals_held
from andante.search.limits import UNLIMITED, TrialLimits
from andante.search.work import Draw, ExecutorError, GivenUpError, Work

Task = TypeVar("Task")
Result = TypeVar("Result")

TIMEOUT = 10.0
"""How long the scheduler may take to answer, and the first worker to be there [s]."""
_ALONE = 60.0
"""A cluster that has lost all workers for so long is given up [s]."""
_SETTLED = 1.0
"""A worker that joins later gets work after so long [s]."""
_LOOK = 2.0
"""How often a quiet cluster is looked at [s]."""
_LOCAL = re.compile(r"local:([1-9]\d{0,2})")
_one_at_a_time = threading.Lock()


class ClusterError(ExecutorError):
    """A cluster cannot be reached, or cannot be used as it is."""


class Cluster:
    """Runs tasks on a Dask cluster; a context manager, which connects and leaves.

    Args:
        address: ``tcp://host:port`` of a scheduler, or ``local:N`` for N processes that are started here.
        inputs: SHA-256 by name of the files that tasks read; they must be the same everywhere.
        told: Is told of workers that died, and of what is odd about the cluster.
        timeout: How long to wait for the scheduler and the first worker [s].
        ours: Versions that every worker must have; default: those of this process.
        limits: What a task may take. With any, each worker has a process of its own run its tasks, and ends it.

    Raises:
        ClusterError: On entering: the cluster is not there, has no worker, or other versions or files; Dask is missing.
    """

    def __init__(
        self,
        address: str,
        inputs: Mapping[str, str] | None = None,
        told: Callable[[str], None] = lambda text: None,
        timeout: float = TIMEOUT,
        ours: Mapping[str, str] | None = None,
        limits: TrialLimits = UNLIMITED,
    ) -> None:
        self._ours = dict(versions.toolchain() if ours is None else ours)
        self._address, self._inputs, self._told, self._timeout = address, dict(inputs or {}), told, timeout
        self.limits = limits
        """What a task may take."""
        self._client: Any = None
        self._local: Any = None
        self._size = 0
        """Workers that are started here."""
        self._unfit: dict[str, str] = {}
        """Why a worker gets no work, by address; empty: it does."""
        self._seen: dict[str, float] = {}
        """When each worker was seen first [s]."""
        self._processors: set[str] = set()

    def __enter__(self) -> Cluster:
        try:
            import distributed
        except ImportError:
            remedy = "install it with: pip install 'andante[cluster]'"
            raise ClusterError("a cluster needs Dask distributed", remedy=remedy) from None
        # Dask tells its own troubles in its own words; what matters is told here.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._connect(distributed)
            self._check()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def workers(self) -> dict[str, int]:
        """Threads of each worker by its address."""
        found: dict[str, int] = self._client.nthreads()
        return dict(sorted(found.items()))

    def stream(
        self, function: Callable[[Task], Result], draw: Draw[Task], instead: Instead[Task, Result] = None
    ) -> Numbered[Result]:
        """See `Executor.stream`."""
        self._prepare(function)
        run = _Run(self, function, draw, instead)
        try:
            yield from run.results()
        finally:
            run.end()

    def _connect(self, distributed: Any) -> None:
        address = self._address
        if number := _LOCAL.fullmatch(address):
            self._size = int(number[1])
            # As with workers of one's own, the parent alone answers the keyboard: what its thread begins, and processes
            # that this thread begins, are deaf to it. A cluster that is half there cannot be left in order, either.
            begin_tracker()
            with signals_held(signal.SIGINT):
                self._local = distributed.LocalCluster(
                    n_workers=self._size,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address=None,
                    memory_limit=0,
                    silence_logs=logging.CRITICAL,
                )
            address = self._local.scheduler_address
        elif not re.fullmatch(r"(tcp|tls|ucx|ws|wss)://[^/\s]+:\d+", address):
            raise ClusterError("is no address of a cluster", value=address, limit="tcp://host:port, or local:N")
        try:
            self._client = distributed.Client(address, timeout=self._timeout, set_as_default=False)
            self._client.wait_for_workers(1, timeout=self._timeout)
        except (OSError, ValueError) as error:
            if self._client is None or not isinstance(error, TimeoutError):
                told, remedy = "no cluster answers there within", "is `dask scheduler` running, and its port open?"
                remedy += f" ({type(error).__name__})"
            else:
                told = "the cluster has had no worker for"
                remedy = f"start some on any machine: dask worker {self._address} --nworkers auto --nthreads 1"
            raise ClusterError(f"{told} {self._timeout:g} s", place=self._address, remedy=remedy) from None

    def fitting(self) -> list[str]:
        """Workers that are there and have the versions and files of this process; one that has not is told once.

        Raises:
            OSError: The scheduler is gone.
        """
        workers = self.workers()
        now = time.monotonic()
        # Dask's nanny starts a worker anew that dies, but not one that dies while it starts: it is left alone so long.
        new = [worker for worker in workers if now - self._seen.setdefault(worker, now) >= _SETTLED]
        if new := [worker for worker in new if worker not in self._unfit]:
            self._unfit |= self._ask(new)
            for worker in new:
                if self._unfit.get(worker):
                    self._told(f"{worker}: {self._unfit[worker]}; it gets no work")
        return [worker for worker in workers if self._unfit.get(worker) == ""]

    def start_again(self) -> None:
        """Start what is missing of the workers here: Dask does so, but not for one that died while it started."""
        if self._local is not None:
            self._local.scale(self._size)

    def _check(self) -> None:
        """Refuse a cluster of which a worker does not fit, before anything is sent to it."""
        workers = self.workers()
        self._unfit = self._ask(list(workers))
        for worker, message in self._unfit.items():
            if message:
                raise ClusterError(message, place=worker, remedy="install the same on both, and start the worker anew")
        if threaded := [worker for worker, threads in workers.items() if threads > 1]:
            text = "makes one trial at a time whatever its threads; start workers with --nthreads 1"
            self._told(f"{threaded[0]}: a worker {text}, as many as there are cores")

    def _ask(self, workers: list[str]) -> dict[str, str]:
        """Why workers cannot take part, by address; empty: they can. One that dies while it is asked is left out."""
        import cloudpickle

        found = {}
        # Sent as they are, because a worker may have no Andante, or another.
        cloudpickle.register_pickle_by_value(versions)
        try:
            answers = self._client.run(versions.about_here, self._inputs, workers=workers, on_error="return")
        finally:
            cloudpickle.unregister_pickle_by_value(versions)
        for worker, answer in sorted(answers.items()):
            if isinstance(answer, OSError):
                continue
            if isinstance(answer, BaseException):
                found[worker] = f"the worker cannot be asked for its versions: {answer}"
                continue
            theirs, files, processor = answer
            found[worker] = _difference(self._ours, theirs, files)
            if processor not in (versions.processor(), *self._processors):
                self._processors.add(processor)
                text = f"{worker}: another processor ({processor}) than this machine's"
                self._told(f"{text}: its results may differ from those made here in the last digits, and so in all")
        return found

    def _prepare(self, function: Callable[[Any], Any]) -> None:
        """Let one worker of each machine compile the kernels that are missing there, while the others wait."""
        hosts = {worker.rpartition(":")[0]: worker for worker in self.fitting()}
        asked = [self._client.submit(_compile, function, workers=[each], pure=False) for each in hosts.values()]
        for each in asked:
            each.result()

    def _leave(self) -> None:
        for each in (self._client, self._local):
            if each is not None:
                # Whoever does not answer any more is left to itself; what was started here ends with this process.
                with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                    each.close(timeout=TIMEOUT)
        self._client = self._local = None


@dataclass(frozen=True)
class _Job:
    """A task that a worker is at."""

    job: tuple[int, Any]
    """Number and task."""
    worker: str
    future: Any


class _Run:
    """One stream of tasks; what happens comes through one queue, so that threads share nothing else.

    Each job is bound to one worker, which has no other one: so it is known which job a worker died at.
    """

    def __init__(
        self, cluster: Cluster, function: Callable[[Any], Any], draw: Draw[Any], instead: Instead[Any, Any]
    ) -> None:
        self._cluster, self._client, self._told = cluster, cluster._client, cluster._told
        self._work, self._instead, self._limits = Work(draw, self._told), instead, cluster.limits
        self._name = f"andante-{uuid.uuid4().hex}"
        self._job = partial(_job, function)
        if self._limits:
            self._job = partial(cluster_worker.do, self._name, function, self._limits)
        self._news: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._jobs: dict[str, _Job] = {}
        """What is under way, by key."""
        self._missed: set[str] = set()
        self._submitted = count()

    def results(self) -> Iterator[tuple[int, Any]]:
        """Number and result of each task as they come."""
        self._client.subscribe_topic("all", lambda event: self._news.put(("cluster", event[1])))
        workers, alone = self._look(), 0.0
        while True:
            busy = {job.worker for job in self._jobs.values()}
            for worker in [each for each in workers if each not in busy]:
                if (job := self._work.next()) is None:
                    break
                self._submit(job, worker)
            if not self._jobs:
                if workers or (job := self._work.next()) is None:
                    break
                self._work.back(job)
            try:
                kind, news = self._news.get(timeout=_LOOK)
            except queue.Empty:
                workers = self._look()
                if not workers and alone == 0.0:
                    self._told(f"no worker is left; waiting {_ALONE:g} s for one")
                alone = 0.0 if workers else alone + _LOOK
                if alone > _ALONE / 4:
                    self._cluster.start_again()
                if alone > _ALONE:
                    raise ClusterError(f"the cluster has had no worker for {_ALONE:g} s") from None
                continue
            if kind == "cluster":
                self._follow(news)
                workers = self._look()
            elif news in self._jobs and (answer := self._taken(news)):
                yield answer
        self._work.end()

    def end(self) -> None:
        """Leave nothing on the cluster."""
        for job in self._jobs.values():
            job.future.cancel()
        self._jobs.clear()
        self._client.unsubscribe_topic("all")
        if self._limits:
            # Their processes hold robots and worlds. A worker that does not answer is gone, and its process with it.
            with contextlib.suppress(OSError, TimeoutError, RuntimeError):
                self._client.run(cluster_worker.dismiss, self._name, on_error="ignore")

    def _submit(self, job: tuple[int, Any], worker: str) -> None:
        key = f"{self._name}-{next(self._submitted)}"
        future = self._client.submit(self._job, job[1], key=key, workers=[worker], pure=False)
        self._jobs[key] = _Job(job, worker, future)
        future.add_done_callback(lambda future: self._news.put(("done", future.key)))

    def _look(self) -> list[str]:
        """Workers that are there and fit; jobs of others go back, at once or at the second look."""
        try:
            workers = self._cluster.fitting()
        except OSError:
            raise ClusterError("the scheduler is gone") from None
        missed = {key for key, job in self._jobs.items() if job.worker not in workers}
        for key in missed & self._missed:
            self._back(key)
        self._missed = missed
        return workers

    def _follow(self, event: Any) -> None:
        """Take back the job of a worker that is gone, and count its death for it if it did not leave in good order."""
        if not isinstance(event, Mapping) or event.get("action") != "remove-worker":
            return
        for key in [key for key, job in self._jobs.items() if job.worker == event.get("worker")]:
            at_it = key in (event.get("processing-tasks") or ()) and not event.get("expected")
            self._back(key, f"the worker {event.get('worker')} died" if at_it else "")

    def _back(self, key: str, death: str = "") -> None:
        """Let a task run again, unless it died too often."""
        gone = self._jobs.pop(key)
        gone.future.cancel()
        self._work.back(gone.job, death)

    def _taken(self, key: str) -> tuple[int, Any] | None:
        """Number and result of a job that is done; None where its worker is gone with it.

        Raises:
            ClusterError: The job is gone, with the scheduler or by somebody's hand.
        """
        from distributed import KilledWorker

        job = self._jobs[key]
        try:
            result = job.future.result(timeout=TIMEOUT)
        except TimeoutError:
            # Its worker died after it was done, or the way is slow; `_look` finds out which.
            self._news.put(("done", key))
            return None
        except KilledWorker:
            # A scheduler that forgives no death.
            self._back(key, f"the worker {job.worker} died")
            return None
        except CancelledError:
            raise ClusterError("the scheduler is gone, or has dropped a job of this bench") from None
        del self._jobs[key]
        return (
            (job.job[0], result) if not isinstance(result, cluster_worker.Done) else self._supervised(job.job, result)
        )

    def _supervised(self, job: tuple[int, Any], done: cluster_worker.Done) -> tuple[int, Any] | None:
        """Number and result of a task that was done under limits; None where it is given up."""
        number, task = job
        for text in done.told:
            self._told(text)
        if done.lost is not None:
            self._work.give_up(done.lost)
        elif done.ended is None:
            return number, done.result
        elif self._instead is not None:
            return number, self._instead(task, done.ended)
        else:
            self._work.give_up(GivenUpError(done.ended.why, place=shorten(str(task))))
        return None


def _job(function: Callable[[Any], Any], task: Any) -> Any:
    """What a worker does for a task; trials of one process share worlds, so that there is one at a time."""
    with _one_at_a_time:
        return attempt(function, task)


def _difference(ours: Mapping[str, str], theirs: Mapping[str, str], files: list[str]) -> str:
    """In which versions or files a worker differs, in words; empty: in none."""
    differing = [name for name in ours if theirs.get(name) != ours[name]]
    if differing:
        parts = (f"{name} {theirs.get(name, versions.MISSING)} there, {ours[name]} here" for name in differing)
        return f"a worker has other versions: {'; '.join(parts)}"
    return f"{files[0]} is not there, or is another file" if files else ""


def _compile(function: Callable[[Any], Any]) -> int:
    """Compile the kernels of all modules that the function needs and that are not on this machine's disk."""
    from andante.kernels.ahead import build_all

    return build_all()
