"""Executors: the same results at any number of workers, whatever dies, and errors that name their task."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest

from andante.errors import AndanteError
from andante.search.executor import InProcess, Processes, closed, executor_for, run_all
from andante.search.work import MOST_DEATHS, ExecutorError, Known

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


def write_down(place: str) -> str:
    """Notes that it was here."""
    Path(place).write_text("here", encoding="utf-8")
    return place


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


@pytest.mark.slow
def test_the_task_of_a_worker_that_dies_runs_again(tmp_path):
    told: list[str] = []
    places = [str(tmp_path / name) for name in "abc"]
    (tmp_path / "b").write_text("there", encoding="utf-8")
    assert run_all(die_once, places, Processes(2, told.append)) == ["met", "there", "met"]
    assert sorted(told) == [f"{places[n]}: the worker died with exit code -9; the task runs again" for n in (0, 2)]


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up(tmp_path):
    with pytest.raises(ExecutorError) as caught:
        run_all(die_once, [str(tmp_path / "fatal")], Processes(1))
    assert str(caught.value) == f"{tmp_path}/fatal: the worker died with exit code -9, {MOST_DEATHS} times at this task"


@pytest.mark.slow
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


@pytest.mark.slow
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


def appeared(path: Path) -> bool:
    """Whether a file is there, or comes within some seconds."""
    end = time.monotonic() + 20.0
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return path.exists()


def test_the_first_tasks_are_under_way_before_a_result_is_asked_for(tmp_path):
    places = [str(tmp_path / name) for name in ("one", "two", "three")]
    results = Processes(2).stream(write_down, Known(places))
    assert appeared(tmp_path / "one")
    assert appeared(tmp_path / "two")
    assert not (tmp_path / "three").exists()
    assert dict(results) == dict(enumerate(places))


@pytest.mark.parametrize("known", [True, False])
def test_a_worker_waits_for_what_comes_of_its_result_only_where_tasks_depend_on_it(tmp_path, known):
    places = [str(tmp_path / name) for name in ("one", "two")]
    waiting = iter(places)
    results = Processes(1).stream(write_down, Known(places) if known else lambda: next(waiting, None))
    assert next(results) == (0, places[0])
    if known:
        assert appeared(tmp_path / "two")
    else:
        time.sleep(0.3)
        assert not (tmp_path / "two").exists()
    assert list(results) == [(1, places[1])]


def test_workers_end_where_nobody_asks_for_results(tmp_path):
    before = set(multiprocessing.active_children())
    results = Processes(2).stream(write_down, Known([str(tmp_path / "one"), str(tmp_path / "two")]))
    assert len(set(multiprocessing.active_children()) - before) == 2
    del results
    assert not set(multiprocessing.active_children()) - before


def test_workers_have_ended_when_somebody_learns_of_what_came_between_two_results(tmp_path):
    """They ended when nobody held the stream any more: one that was stopped held the program back without end."""
    before = set(multiprocessing.active_children())

    def search() -> None:
        with closed(Processes(2).stream(square, Known(range(5)))) as results:
            for _ in results:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as held:
        search()
    assert held.tb is not None
    assert not set(multiprocessing.active_children()) - before


@pytest.mark.skipif(sys.platform != "linux", reason="workers are copies on Linux alone")
def test_a_worker_that_is_dismissed_before_it_has_begun_says_nothing():
    """A copy of a command answered its dismissal as the command, by a traceback."""
    code = f"""
import signal, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_executor
from andante.search import executor
def asked(*_):
    raise KeyboardInterrupt
begins = executor._answer_tasks
def late(*given):
    time.sleep(0.3)
    begins(*given)
executor._answer_tasks = late
signal.signal(signal.SIGTERM, asked)
results = test_executor.Processes(1).stream(test_executor.square, test_executor.Known(range(2)))
time.sleep(0.1)
results.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_who_has_prepared_for_a_kind_of_task_goes_on_with_it():
    known = Known([*("a1", "a2", "a3"), *("b1", "b2", "b3", "b4"), "c1"], lambda task: task[0])
    first, second = known.after(None), known.after(None)
    assert (first, second) == ("b1", "a1")
    order = [first, second, *(known.after(last) for last in (first, second, "b2", "b3"))]
    assert order == ["b1", "a1", "b2", "a2", "b3", "b4"]
    # Of b there is nothing left: it takes what most is left of.
    assert [known.after("b4"), known.after("a2"), known.after("c1")] == ["a3", "c1", None]
    assert known.drawn == [*order, "a3", "c1"]


def test_one_process_takes_tasks_in_their_order():
    known = Known(["a1", "b1", "b2", "a2"], lambda task: task[0])
    assert list(InProcess().stream(str.upper, known)) == list(enumerate(["A1", "A2", "B1", "B2"]))
    assert known.drawn == ["a1", "a2", "b1", "b2"]


def place_and_process(task: str) -> tuple[str, int]:
    time.sleep(0.05)
    return task, os.getpid()


def test_two_workers_share_two_groups():
    tasks = [f"{group}{number}" for group in "ab" for number in range(6)]
    known = Known(tasks, lambda task: task[0])
    found = dict(Processes(2).stream(place_and_process, known))
    assert {number: task for number, (task, _) in found.items()} == dict(enumerate(known.drawn))
    assert sorted(known.drawn) == tasks
    at = {pid: [task[0] for task, own in found.values() if own == pid] for _, pid in found.values()}
    assert sorted(groups[0] for groups in at.values()) == ["a", "b"]
    # Who has come to the end of one helps with the other.
    assert all(sum(one != two for one, two in pairwise(groups)) <= 1 for groups in at.values())


def held(task: int) -> tuple[bool, bool]:
    """Whether this process is a copy of one that has put something there, and whether it hears Ctrl-C."""
    time.sleep(0.05)
    hears = hasattr(signal, "pthread_sigmask") and signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return hasattr(multiprocessing, "put_there"), hears


@pytest.mark.parametrize(
    ("begin", "copies"),
    [
        ("pass", True),
        ("a = numpy.ones((700, 700)); a @ a", True),
        ("threading.Thread(target=end.wait).start()", False),
        ("_thread.start_new_thread(end.wait, ())", False),
        ("beside()", False),
    ],
    ids=["alone", "OpenBLAS", "threading", "_thread", "library"],
)
def test_workers_are_copies_where_no_thread_is_in_the_way(begin, copies):
    code = f"""
import sys, threading, multiprocessing, _thread, ctypes
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy, mujoco, test_executor
multiprocessing.put_there = True

def beside():
    # Of a library in C, that Python knows nothing of: it waits for itself.
    number, wait = ctypes.c_ulong(), ctypes.CDLL(None).pause
    ctypes.CDLL(None).pthread_create(ctypes.byref(number), None, ctypes.cast(wait, ctypes.c_void_p), None)

if __name__ == "__main__":
    end = threading.Event()
    {begin}
    print(test_executor.run_all(test_executor.held, range(3), test_executor.Processes(2)))
    end.set()
"""
    script = ["-W", "error::DeprecationWarning", "-c", code]
    done = subprocess.run([sys.executable, *script], capture_output=True, text=True, timeout=120)
    assert not done.stderr
    # A script that is spawned is imported anew, `-c` is not.
    assert done.stdout.strip() == str([(sys.platform == "linux" and copies, False)] * 3)
