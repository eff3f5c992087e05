"""The Dask executor: the same bytes as one process, whatever dies; one message for a cluster that cannot be used."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import sys
import time
from collections import deque
from functools import partial
from pathlib import Path

import pytest
import toy_suite
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.runs.motion_libraries import library_path
from andante.search import toolchain as versions
from andante.search.cluster import Cluster, ClusterError
from andante.search.executor import InProcess, run_all
from andante.search.limits import TrialLimits
from andante.search.studies.document import Study
from andante.search.studies.optimise import optimise
from andante.search.suites import registry
from andante.search.work import ExecutorError

OPTIONS = toy_suite.DiceOptions(sides=(6, 20), seeds=8)


def square(value: int) -> int:
    return value * value


def refuse(value: int) -> int:
    if value == 3:
        raise AndanteError("cannot be done", value=value, limit="other than 3")
    return value


def note_and_wait(task: tuple[str, int]) -> int:
    """Notes that it was begun, and by whom; task 5 takes a minute when it is begun for the first time."""
    folder, number = task
    path = Path(folder) / str(number)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    first = len(path.read_text(encoding="utf-8").splitlines()) == 1
    time.sleep(60.0 if number == 5 and first else 0.2)
    return number


def kill(task: tuple[str, int]) -> int:
    """Task 1 kills whoever is at it."""
    if task[1] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return task[1]


def stay_or_eat(value: int) -> int:
    """Never ends for 3, and takes memory without end for 4."""
    hold = []
    while value in (3, 4):
        hold.extend([bytearray(20_000_000)] if value == 4 else [])
    return value


def pid(value: int) -> tuple[int, int]:
    """Who is at it, and whose child that is."""
    return os.getpid(), os.getppid()


@pytest.fixture(scope="module")
def address():
    distributed = pytest.importorskip("distributed", reason="needs Dask distributed (pip install 'andante[cluster]')")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([before] if before else [])])
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0, silence_logs=50
    )
    yield cluster.scheduler_address
    cluster.close(timeout=30)
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_as_one_process(address):
    with Cluster(address) as cluster:
        found = toy_suite.SUITE.run(OPTIONS, cluster)
        assert run_all(square, range(30), cluster) == [n * n for n in range(30)]
        assert run_all(square, [], cluster) == []
    assert json.dumps(found.data()) == json.dumps(toy_suite.SUITE.run(OPTIONS, InProcess()).data())


@pytest.mark.slow
def test_what_is_drawn_may_depend_on_results(address):
    wanted, seen = [1], []
    with Cluster(address) as cluster:
        for number, result in cluster.stream(square, lambda: wanted.pop() if wanted else None):
            seen.append((number, result))
            if len(seen) < 4:
                wanted.append(result + 1)
    assert seen == [(0, 1), (1, 4), (2, 25), (3, 676)]


def test_an_error_names_its_task(address):
    with Cluster(address) as cluster, pytest.raises(ExecutorError) as caught:
        run_all(refuse, range(5), cluster)
    assert str(caught.value) == "3: cannot be done; got 3; limit: other than 3"


@pytest.mark.slow
def test_the_job_of_a_worker_that_is_killed_runs_again_and_no_other(address, tmp_path):
    told: list[str] = []
    waiting = iter([(str(tmp_path), number) for number in range(12)])
    found: list[tuple[int, int]] = []
    killed = False
    with Cluster(address, told=told.append) as cluster:
        for number, result in cluster.stream(note_and_wait, lambda: next(waiting, None)):
            found.append((number, result))
            noted = (tmp_path / "5").read_text(encoding="utf-8") if (tmp_path / "5").exists() else ""
            if noted and not killed:
                os.kill(int(noted), signal.SIGKILL)
                killed = True
    assert sorted(found) == [(number, number) for number in range(12)]
    begun_twice = [path.name for path in tmp_path.iterdir() if len(path.read_text(encoding="utf-8").splitlines()) > 1]
    assert begun_twice == ["5"]
    assert len(told) == 1
    assert "died; the task runs again" in told[0]


@pytest.mark.slow
def test_a_job_that_kills_three_workers_costs_no_other(address, tmp_path):
    told: list[str] = []
    waiting = iter([(str(tmp_path), number) for number in range(4)])
    found = []
    with Cluster(address, told=told.append) as cluster:
        numbers = map(found.append, cluster.stream(kill, lambda: next(waiting, None)))
        with pytest.raises(ExecutorError, match="3 times at this task"):
            deque(numbers, maxlen=0)
    assert sorted(found) == [(0, 0), (2, 2), (3, 3)]
    deaths = [text for text in told if "died" in text]
    assert len(deaths) == 3
    assert all(text.startswith(f"('{tmp_path}', 1)") for text in deaths)
    assert deaths[-1].endswith("3 times at this task; it is given up, the others go on")


@pytest.mark.slow
@pytest.mark.long
def test_a_task_without_end_and_one_of_all_memory_are_ended_where_they_run(address):
    told: list[str] = []
    tasks = iter([1, 3, 4, 5, 6])
    limits = TrialLimits(seconds=2.0, memory=0.6e9)
    with Cluster(address, told=told.append, limits=limits) as cluster:
        before = cluster.workers()
        drawn = partial(next, tasks, None)
        found = dict(cluster.stream(stay_or_eat, drawn, lambda task, ended: (task, ended.memory)))
        assert set(before) <= set(cluster.workers())
    assert found == {0: 1, 1: (3, False), 2: (4, True), 3: 5, 4: 6}
    large = "4: ended at more than 0.6 GB of memory, the limit of a trial"
    assert sorted(told) == [
        "3: ended after 2 s, the limit of a trial; the others go on",
        f"{large}; the others go on",
        f"{large}; the task runs again in a fresh process",
    ]


@pytest.mark.slow
def test_under_limits_a_task_that_kills_its_process_costs_no_other_and_no_worker(address, tmp_path):
    told: list[str] = []
    found = []
    waiting = iter([(str(tmp_path), number) for number in range(4)])
    with Cluster(address, told=told.append, limits=TrialLimits(seconds=30.0)) as cluster:
        before = cluster.workers()
        numbers = map(found.append, cluster.stream(kill, lambda: next(waiting, None)))
        with pytest.raises(ExecutorError, match=r"the worker died with exit code -9, 3 times at this task"):
            deque(numbers, maxlen=0)
        assert set(before) <= set(cluster.workers())
    assert sorted(found) == [(0, 0), (2, 2), (3, 3)]
    assert len(told) == 3
    assert told[-1].endswith("3 times at this task; it is given up, the others go on")


@pytest.mark.slow
def test_processes_that_ran_trials_under_limits_end_with_their_bench(address):
    with Cluster(address, limits=TrialLimits(seconds=30.0)) as cluster:
        made = list(cluster.stream(pid, partial(next, iter(range(4)), None)))
        children = {child: parent for _, (child, parent) in made}
        assert set(children.values()) <= set(cluster._client.run(os.getpid).values())
        until = time.monotonic() + 20.0
        while any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < until, children
            time.sleep(0.05)


def hears(value: int) -> bool:
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows holds no signals back")
def test_workers_that_are_begun_here_are_deaf_to_the_keyboard():
    """Each ended by a traceback of its own at Ctrl-C, among which the command's message was lost."""
    with Cluster("local:2") as cluster:
        assert run_all(hears, range(4), cluster) == [False] * 4
    assert hears(0)


@pytest.mark.slow
def test_an_error_names_its_task_under_limits_too(address):
    with (
        Cluster(address, limits=TrialLimits(seconds=30.0)) as cluster,
        pytest.raises(ExecutorError, match=r"^3: cannot be done; got 3; limit: other than 3"),
    ):
        run_all(refuse, range(5), cluster)


def test_other_versions_are_refused_with_both_named(address):
    ours = versions.toolchain() | {"numpy": "1.0", "Python": "3.99.0"}
    with pytest.raises(ClusterError) as caught, Cluster(address, ours=ours):
        pass
    text = str(caught.value)
    real = versions.toolchain()
    assert "a worker has other versions: " in text
    assert f"numpy {real['numpy']} there, 1.0 here" in text
    assert f"Python {real['Python']} there, 3.99.0 here" in text
    assert "mujoco" not in text


def test_files_that_are_not_the_same_are_refused(address, tmp_path):
    path = tmp_path / "library.yaml"
    path.write_text("a", encoding="utf-8")
    good = {str(path): versions.content(path)}
    with Cluster(address, good) as cluster:
        assert len(cluster.fitting()) >= 1
    with pytest.raises(ClusterError, match=r"library.yaml is not there, or is another file"):
        Cluster(address, {str(path): hashlib.sha256(b"b").hexdigest()}).__enter__()


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_refused_in_time():
    pytest.importorskip("distributed", reason="needs Dask distributed (pip install 'andante[cluster]')")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(ClusterError, match="no cluster answers there within 1 s; is `dask scheduler` running"):
        Cluster(f"tcp://127.0.0.1:{port}", timeout=1.0).__enter__()
    assert time.monotonic() - began < 60.0


@pytest.mark.parametrize("text", ["host", "tcp://host", "local:0", "local:x", "http://host:1", "tcp://a b:1", ""])
def test_what_is_no_address_is_refused(text):
    pytest.importorskip("distributed", reason="needs Dask distributed (pip install 'andante[cluster]')")
    with pytest.raises(ClusterError, match="is no address of a cluster"):
        Cluster(text).__enter__()


def test_the_command_says_in_one_line_what_is_missing(monkeypatch):
    monkeypatch.setitem(registry.SUITES, "dice", "")
    monkeypatch.setitem(sys.modules, "andante.search.suites.dice", toy_suite)
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = CliRunner().invoke(app, ["bench", "dice", "--cluster", "local:2"])
    assert done.exit_code == 2
    assert done.stderr == "andante: a cluster needs Dask distributed; install it with: pip install 'andante[cluster]'\n"


@pytest.mark.slow
def test_a_worker_that_has_loaded_other_code_than_its_files_now_hold_tells_what_it_runs(monkeypatch):
    # Found by a plug-in that was edited while a worker lived: its old code went on, in silence.
    versions.loaded_toolchain.cache_clear()
    monkeypatch.setattr(versions, "plug_ins", lambda: {"plug-in mine": "0.1 aaaaaaaa"})
    first, _, _ = versions.about_here({})
    monkeypatch.setattr(versions, "plug_ins", lambda: {"plug-in mine": "0.1 bbbbbbbb"})
    later, _, _ = versions.about_here({})
    assert later == first
    assert versions.toolchain()["plug-in mine"] == "0.1 bbbbbbbb"
    versions.loaded_toolchain.cache_clear()


@pytest.mark.slow
def test_a_living_worker_tries_a_study_again_whose_motion_file_was_edited(address, tmp_path):
    # The worker kept the study's problem by the study's text, which names the file and does not hold it.
    library = tmp_path / "mine.yaml"
    study = Study.model_validate(
        {
            "name": "brief",
            "library": str(library),
            "motion": "sit_down",
            "set": {"timeout": 0.1},
            "parameters": [{"path": "blocks.*.keyframes[*].duration", "factor": [0.9, 1.1]}],
            "objectives": [{"metric": "motion.duration", "weight": -1.0}],
            "stages": [{"type": "sketch", "samples": 2, "best": 1, "seeds": 1}],
            "seeds": {"validation": {"first": 100000, "count": 1}, "verdict": {"first": 200000, "count": 1}},
        }
    )
    text = library_path("nao-basics").read_text(encoding="utf-8")
    before = []
    for folder, words in (("one", text), ("two", text.replace("duration: 600", "duration: 900"))):
        library.write_text(words, encoding="utf-8")
        with Cluster(address) as cluster:
            result = optimise(study, tmp_path / folder, cluster, pictures=False)
        before.append({row.name: row.value for row in result.rows}["motion.duration before, mean"])
    assert before[1] == pytest.approx(before[0] + 0.3)
