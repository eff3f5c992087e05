"""A trial that never ends, or takes all memory, is ended by its name and costs no other; an honest one never is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest
import toy_suite
from by_command import begin, finish

import andante
from andante.search.errors import SearchError
from andante.search.executor import InProcess, Processes, executor_for, run_all
from andante.search.experiment.page import write_page
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.suite import suite_of
from andante.search.experiment.trial import ended_trial
from andante.search.journal import StudyJournal
from andante.search.limits import LOOK, Ended, TrialLimits, TrialWatch
from andante.search.studies.conditions import AS_STATED
from andante.search.studies.driving import EvaluationTask, lost_evaluation
from andante.search.suite import HowToRun, read_options
from andante.search.work import ExecutorError

SHORT = TrialLimits(seconds=1.0)
STUCK = '''
import time
from andante.extend import ObserverKind, TrialObserver

class Stuck(TrialObserver):
    def __init__(self, seed, mode):
        self.seed, self.mode, self.hold = seed, mode, []

    def see(self, tick):
        if self.seed % 4 == 3:
            while self.mode == "loop":
                pass
            while self.mode == "eat":
                self.hold.append(bytearray(50_000_000))
            if self.mode == "sleep":
                time.sleep(1e6)

    def values(self):
        return {"seed": float(self.seed)}

class StuckKind(ObserverKind):
    """Waits for ever at one seed of four."""
    tells = ("seed",)
    mode: str = "loop"
    wider: bool = True
    """Also where seeds draw more than the experiment says."""

    def observer(self, scenario, parts):
        as_stated = scenario.world.start.noise_scale == 1.0
        return Stuck(scenario.seed, self.mode if self.wider or as_stated else "")
'''
EXPERIMENT = """
format: andante.experiment
version: 1
name: stands
play: {library: nao-basics, motions: [stand]}
set: {timeout: 0.2}
observers: {stuck: {mode: MODE}}
figures:
  passed: {metric: passed}
  seed, mean: {metric: stuck.seed, statistic: mean}
"""


def stay(value: int) -> int:
    """Never ends for the threes."""
    while value % 10 == 3:
        pass
    return value


def eat(value: int) -> int:
    """Takes memory without end for the threes."""
    hold = []
    while value == 3:
        hold.append(bytearray(20_000_000))
    return value


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_task_that_never_ends_is_ended_by_name_and_costs_no_other(workers):
    told: list[str] = []
    executor = executor_for(workers, told.append, SHORT)
    tasks = iter([1, 3, 5, 7])
    found = dict(executor.stream(stay, lambda: next(tasks, None), lambda task, ended: f"{task} {ended.why}"))
    why = "ended after 1 s, the limit of a trial"
    assert found == {0: 1, 1: f"3 {why}", 2: 5, 3: 7}
    assert told == [f"3: {why}; the others go on"]


@pytest.mark.slow
def test_a_task_for_which_nothing_stands_is_raised_when_the_others_are_done():
    tasks, found = iter([3, 1, 2]), []
    results = map(found.append, Processes(1, limits=SHORT).stream(stay, lambda: next(tasks, None)))
    with pytest.raises(ExecutorError, match=r"^3: ended after 1 s, the limit of a trial$"):
        deque(results, maxlen=0)
    assert found == [(1, 1), (2, 2)]


@pytest.mark.slow
def test_a_task_that_takes_all_memory_is_ended_after_a_second_try_in_a_fresh_process():
    told: list[str] = []
    tasks = iter([1, 3, 5])
    executor = Processes(1, told.append, TrialLimits(memory=0.5e9))
    found = dict(executor.stream(eat, lambda: next(tasks, None), lambda task, ended: ended.memory))
    assert found == {0: 1, 1: True, 2: 5}
    assert [text.partition("trial; ")[2] for text in told] == [
        "the task runs again in a fresh process",
        "the others go on",
    ]


@pytest.mark.slow
def test_time_in_which_others_had_the_processor_is_not_the_trials():
    """Of three busy processes on one processor each gets a third of the time, and this third is what counts."""
    code = "import os, time; os.sched_setaffinity(0, {0})\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    try:
        time.sleep(0.5)
        watch, since = TrialWatch(busy[0].pid), time.monotonic()
        used = cpu(busy[0].pid)
        for _ in range(12):
            time.sleep(LOOK)
            assert watch.over(TrialLimits(seconds=100.0)) is None
        passed, used = time.monotonic() - since, cpu(busy[0].pid) - used
        assert watch.seconds < 0.75 * passed
        assert abs(watch.seconds - used) < 0.15 * passed
    finally:
        for each in busy:
            each.kill()
            each.wait()


def cpu(pid):
    return 1e-9 * int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def test_a_pause_of_the_process_that_watches_is_not_the_trials():
    """As with Ctrl-Z, or a laptop that sleeps: what passes between two looks counts at most a second."""
    watch = TrialWatch(os.getpid())
    watch._last -= 3600.0
    assert watch.over(TrialLimits(seconds=30.0)) is None
    assert watch.seconds <= 4 * LOOK


@pytest.mark.slow
def test_a_trial_that_waits_takes_time(monkeypatch):
    since = time.monotonic()
    with pytest.raises(ExecutorError, match="ended after 1 s"):
        run_all(sleep, [1000.0], Processes(1, limits=SHORT))
    assert time.monotonic() - since < 60.0


def test_nothing_is_ended_without_a_limit():
    assert isinstance(executor_for(1), InProcess)
    assert not TrialLimits()
    assert not HowToRun().limits
    assert HowToRun(trial_memory=2.0).limits == TrialLimits(memory=2e9)


@pytest.mark.parametrize(
    ("name", "value"), [("trial_limit", 0.5), ("trial_limit", float("nan")), ("trial_memory", 0.1), ("trial_limit", -1)]
)
def test_limits_that_would_end_honest_trials_are_refused(name, value):
    with pytest.raises(SearchError, match=f"--{name.replace('_', '-')}"):
        read_options(HowToRun, {name: value})


def test_a_limit_of_memory_is_refused_where_the_system_tells_none(monkeypatch):
    monkeypatch.setattr("andante.search.limits._memory", lambda pid: 0.0)
    with pytest.raises(ExecutorError) as error:
        Processes(2, limits=TrialLimits(seconds=60.0, memory=4e9))
    assert str(error.value) == (
        "this system does not tell how much memory a process uses, so that none can be ended by it; got '4 GB';"
        " leave the limit of memory out (--trial-memory); that of time holds"
    )
    Processes(2, limits=TrialLimits(seconds=60.0))


def test_the_journal_of_a_bench_keeps_no_trial_that_was_ended(tmp_path):
    """Whoever goes on gives it another try, perhaps with a longer limit."""
    suite = suite_of(experiment_named("motion"))
    options = read_options(suite.options, {"library": "nao-basics", "motion": ("stand",), "seeds": 2, "first_seed": 40})

    class Ending:
        def stream(self, function, draw, instead=None):
            for number, case in enumerate(iter(draw, None)):
                yield number, function(case) if number else instead(case, Ended("ended after 5 s", 5.0))

    journal = StudyJournal(tmp_path / "j", {})
    report = suite.run(options, Ending(), journal)
    assert len(journal.results) == 1
    assert report.about["failures"][0] == {"seed": 40, "reasons": ["ended after 5 s"]}
    assert report.text[-1].startswith("1 of the trials ended by a limit")
    journal.close()
    assert toy_suite.SUITE.ended is None


def test_limits_of_a_call_are_those_of_the_command(monkeypatch):
    from andante.search.experiment import suite as module

    class Told(InProcess):
        def stream(self, function, draw, instead=None):
            for number, case in enumerate(iter(draw, None)):
                yield number, instead(case, Ended("ended after 5 s", 5.0))

    asked = []
    monkeypatch.setattr(module, "executor_for", lambda *given, **named: asked.append((given, named)) or Told())
    experiment = experiment_named("fall")
    report = andante.bench(experiment, workers=2, trial_limit=5.0, trial_memory=2.0, seeds=1)
    assert asked == [((2,), {"limits": TrialLimits(5.0, 2e9)})]
    assert report.about["failures"][0]["reasons"][0].endswith("ended after 5 s")
    with pytest.raises(SearchError, match=r"--trial-limit: Input should .* equal to 1; got 0\.5"):
        andante.bench(experiment, trial_limit=0.5)


@pytest.mark.slow
# That a call has the command's limits, and that these end a trial, is shown quicker above.
@pytest.mark.night
def test_a_call_ends_a_trial_that_waits_for_ever(place):
    (place / "stands.yaml").write_text(EXPERIMENT.replace("MODE", "sleep"))
    (place / "call.py").write_text(
        "import andante\n"
        "if __name__ == '__main__':\n"
        "    report = andante.bench('stands.yaml', seeds=2, first_seed=2, trial_limit=8.0)\n"
        "    print(report.about['failures'][-1], report.passed)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place / "site"), os.environ.get("PYTHONPATH", "")])}
    words = [sys.executable, "call.py"]
    done = subprocess.run(words, cwd=place, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.stdout == "{'seed': 3, 'reasons': ['ended after 8 s, the limit of a trial']} True\n", done.stderr


def test_no_picture_is_drawn_of_a_trial_that_never_ends(tmp_path, monkeypatch):
    from andante.search import film_strip
    from andante.search.experiment.cases import groups_of

    experiment = experiment_named("fall")
    groups = groups_of(experiment)[:1]
    setup, seeds = groups[0].setup, []
    results = {groups[0].name: [ended_trial(setup, 1, "ended after 5 s")]}
    monkeypatch.setattr(film_strip, "film_strip", lambda setup, seed: seeds.append(seed))
    write_page(
        tmp_path / "p.html", experiment=experiment, groups=groups, results=results, rows=[], asked={"failures": []}
    )
    assert seeds == []
    assert "Seed 1: ended after 5 s" in (tmp_path / "p.html").read_text()


def test_a_candidate_of_a_study_loses_the_trial_that_was_ended():
    from andante.search.studies.document import Study

    task = EvaluationTask(Study(), "name", (0.5,), (7,), AS_STATED)
    lost, seconds = lost_evaluation(task, Ended("ended after 5 s", 5.0))
    assert (lost, seconds) == ([[None, False, {}, "seed 7: ended after 5 s"]], 5.0)


def run(folder, *words):
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")]),
    }
    return finish(begin(folder, *words, env=environment))


@pytest.fixture
def place(tmp_path):
    """A folder with an installed package whose observer waits for ever at one seed of four."""
    (tmp_path / "site" / "andante_stuck-1.0.dist-info").mkdir(parents=True)
    (tmp_path / "site" / "andante_stuck.py").write_text(STUCK)
    info = tmp_path / "site" / "andante_stuck-1.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: andante_stuck\nVersion: 1.0\nRequires-Dist: andante\n")
    (info / "entry_points.txt").write_text("[andante.observers]\nstuck = andante_stuck:StuckKind\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "workers"),
    # Loops and waits are told apart by the first tests of this file; here it is the table that counts.
    [
        pytest.param("loop", ("--workers", "1"), marks=pytest.mark.night),
        ("sleep", ("--workers", "2")),
        # A wait leaves the processor to the other tests, a loop takes all of it until the limit and once more.
        ("sleep", ("--cluster", "local:2")),
        pytest.param("loop", ("--cluster", "local:2"), marks=pytest.mark.night),
    ],
)
def test_a_bench_ends_with_a_table_that_names_the_trial(place, mode, workers):
    (place / "stands.yaml").write_text(EXPERIMENT.replace("MODE", mode))
    words = ("bench", "stands.yaml", "--seeds", "5", *workers, "--trial-limit", "8", "--out", "r.json")
    code, _, err = run(place, *words)
    assert code == 0, err
    assert "seed 3: ended after 8 s, the limit of a trial; the others go on" in err
    told = json.loads((place / "r.json").read_text())
    rows = {row["name"]: (row["value"], row["n"]) for row in told["rows"]}
    assert rows["seed, mean"] == ((0 + 1 + 2 + 4) / 4, 4)
    assert rows["passed"][1] == 5
    (ended,) = [trial for trial in told["cells"][0]["trials"] if "ended" in trial["metrics"]]
    assert (ended["seed"], ended["passed"]) == (3, False)


@pytest.mark.slow
def test_a_study_goes_on_past_a_candidate_that_never_ends_and_replays_without_it(place):
    study = """
format: andante.study
version: 1
name: stuck
experiment:
  name: stands
  play: {library: nao-basics, motions: [stand]}
  # Each trial that never ends costs its whole limit: those of the verdict in harder worlds are like the two as stated.
  observers: {stuck: {mode: sleep, wider: false}}
  figures: {passed: {metric: passed}}
  set: {timeout: 0.1}
parameters: [{path: "world.slope", range: [0.0, 0.1]}]
objectives: [{metric: stuck.seed, weight: 1.0}]
stages: [{type: sketch, samples: 2, best: 1, seeds: 1}]
seeds: {training: {first: 3, count: 4}, validation: {first: 100, count: 2}, verdict: {first: 200, count: 2}}
"""
    (place / "study.yaml").write_text(study)
    words = ("optimise", "study.yaml", "--no-pictures", "--out", "out")
    code, _, err = run(place, *words, "--trial-limit", "4")
    assert code == 2
    assert "none of the trials of a generation could be run" in err
    assert "seed 3: ended after 4 s, the limit of a trial" in err
    (place / "study.yaml").write_text(
        study.replace("first: 3, count: 4", "first: 4, count: 4").replace("first: 200", "first: 203")
    )
    code, out, err = run(place, *words[:-1], "two", "--trial-limit", "4")
    assert code == 0, err
    assert "of these trials, could not be run and count as no success" in out
    written = (place / "two" / "study.json").read_bytes()
    # What the journal has costs no time again.
    since = time.monotonic()
    assert run(place, *words[:-1], "two", "--resume")[0] == 0
    assert time.monotonic() - since < 60.0
    assert (place / "two" / "study.json").read_bytes() == written
