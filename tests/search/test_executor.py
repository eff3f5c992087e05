"""Executors: the same results at any number of workers, whatever dies, and errors that name their task."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

import pytest

from andante.errors import AndanteError
from andante.search.executor import MOST_DEATHS, ExecutorError, InProcess, Processes, executor_for, run_all

BOTH = pytest.mark.parametrize("executor", [InProcess(), Processes(2)], ids=["in process", "processes"])


def square(value: int) -> int:
    return value * value


def refuse(value: int) -> int:
    if value == 3:
        raise AndanteError("cannot be done", value=value, limit="other than 3")
    return value


def divide(value: int) -> float:
    return 1 / value


def die_once(place: str) -> str:
    """Kills its process at the first task whose file is not there yet."""
    path = Path(place)
    if path.name == "fatal":
        os.kill(os.getpid(), signal.SIGKILL)
    if not path.exists():
        path.write_text("met", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return path.read_text(encoding="utf-8")


def leave_a_file(number: int) -> str:
    """Leaves a file among those for a moment, as one who is killed; the second task never ends by itself."""
    path = tempfile.mkdtemp(prefix="left-")
    while number:
        time.sleep(0.01)
    return path


@BOTH
def test_results_keep_the_order_of_the_tasks(executor):
    assert run_all(square, range(17), executor) == [n * n for n in range(17)]
    assert run_all(square, [], executor) == []


def test_no_workers_is_refused():
    with pytest.raises(ExecutorError, match="at least one worker"):
        executor_for(0)


@BOTH
def test_what_is_drawn_may_depend_on_results(executor):
    wanted, seen = [1], []

    def draw() -> int | None:
        return wanted.pop() if wanted else None

    for number, result in executor.stream(square, draw):
        seen.append((number, result))
        if len(seen) < 4:
            wanted.append(result + 1)
    assert seen == [(0, 1), (1, 4), (2, 25), (3, 676)]


@BOTH
def test_an_error_names_its_task(executor):
    with pytest.raises(ExecutorError) as caught:
        run_all(refuse, range(5), executor)
    assert str(caught.value) == "3: cannot be done; got 3; limit: other than 3"


def test_a_bug_in_a_worker_comes_with_its_traceback():
    with pytest.raises(ZeroDivisionError) as caught:
        run_all(divide, [1, 0], Processes(2))
    assert "in divide" in caught.value.__notes__[0]


def test_the_task_of_a_worker_that_dies_runs_again(tmp_path):
    told: list[str] = []
    places = [str(tmp_path / name) for name in "abc"]
    (tmp_path / "b").write_text("there", encoding="utf-8")
    assert run_all(die_once, places, Processes(2, told.append)) == ["met", "there", "met"]
    assert sorted(told) == [f"{places[n]}: the worker died with exit code -9; the task runs again" for n in (0, 2)]


def test_a_task_that_kills_every_worker_is_given_up(tmp_path):
    with pytest.raises(ExecutorError) as caught:
        run_all(die_once, [str(tmp_path / "fatal")], Processes(1))
    assert str(caught.value) == f"{tmp_path}/fatal: the worker died with exit code -9, {MOST_DEATHS} times at this task"


def test_a_task_that_is_given_up_costs_no_other(tmp_path):
    """Both others are done and told, and then the bench ends with the task's name."""
    places = [str(tmp_path / name) for name in ("fatal", "a", "b")]
    for place in places[1:]:
        Path(place).write_text("there", encoding="utf-8")
    told: list[str] = []
    waiting, found = iter(places), []
    results = map(found.append, Processes(1, told.append).stream(die_once, lambda: next(waiting, None)))
    with pytest.raises(ExecutorError, match=f"{MOST_DEATHS} times at this task"):
        deque(results, maxlen=0)
    assert sorted(found) == [(1, "there"), (2, "there")]
    assert told[-1].endswith(f"{MOST_DEATHS} times at this task; it is given up, the others go on")


def test_workers_that_hang_are_dismissed_with_what_they_wrote_for_a_moment(tmp_path, monkeypatch):
    """A second Ctrl-C while they were told to end left them alive, and the interpreter waited for them without end."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tasks = iter((0, 1))
    results = Processes(2).stream(leave_a_file, lambda: next(tasks, None))
    number, place = next(results)
    assert (number, Path(place).is_dir()) == (0, True)
    workers = multiprocessing.active_children()
    # The second request comes while they are dismissed.
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    with suppress(KeyboardInterrupt):
        results.close()
        time.sleep(1.0)
    signal.signal(signal.SIGALRM, before)
    assert not any(each.is_alive() for each in workers)
    assert not list(tmp_path.iterdir())
