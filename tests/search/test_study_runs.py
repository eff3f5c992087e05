"""Studies that run: the same bytes on any executor and after any interruption; the best so far is never lost."""

from __future__ import annotations

import errno
import json
import math
import os
import signal
import sys
import time

import pytest
from by_command import begin, finish

from andante.cli.app import app
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.errors import RecordingError
from andante.runs.loop.tick import Observer
from andante.runs.motion_libraries import library_path, load_motions
from andante.runs.scenario_files import load_scenario
from andante.search.errors import SearchError
from andante.search.evaluation.loop import EvaluationLoop
from andante.search.executor import InProcess, Processes
from andante.search.experiment.observing import OBSERVERS, ObserverKind, TrialObserver
from andante.search.journal import StudyJournal
from andante.search.studies.document import Constraint, Study
from andante.search.studies.files import JOURNAL
from andante.search.studies.motion_figures import motion_figures
from andante.search.studies.optimise import BEST, PAGE, RESULT, SCENARIO, optimise
from andante.search.studies.problem import Problem
from andante.search.work import ExecutorError

STUDY = {
    "name": "quick",
    "experiment": "getup",
    "library": "nao",
    "robot": "nao",
    # How long it lies before is nothing to any of these tests, and is in every trial.
    "set": {"timeout": 0.2, "world.start.settle.duration": 0.2},
    "parameters": [
        {"path": "blocks.front_fold.keyframes[*].duration", "factor": [0.5, 2.0]},
        {"path": "blocks.front_fold.keyframes[0].joints.LHipPitch", "around": [-0.2, 0.1], "mirrored": True},
        {"path": "settings.safe_fall.head_stiffness", "range": [0.0, 1.0]},
    ],
    "objectives": [{"metric": "rise.mean", "weight": 1.0}, {"metric": "rise.best", "weight": 0.5}],
    "stages": [
        {"type": "sketch", "samples": 5, "best": 2, "seeds": 1},
        {"type": "polish", "population": 4, "generations": 3, "rotate": 2, "seeds": 2, "race": 1},
        {
            "type": "diversity",
            "measures": [["rise.best", 0.0, 0.2]],
            "cells": 4,
            "population": 3,
            "generations": 2,
            "seeds": 1,
        },
    ],
    "seeds": {"validation": {"first": 100000, "count": 2}, "verdict": {"first": 200000, "count": 2}},
}


def study(**changes):
    return Study.model_validate(STUDY | changes)


def files(folder):
    return {name: (folder / name).read_bytes() for name in (JOURNAL, BEST, RESULT)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A study that nobody disturbs, and what it wrote."""
    folder = tmp_path_factory.mktemp("whole")
    result = optimise(study(), folder, InProcess(), pictures=False)
    return result, files(folder)


@pytest.mark.slow
def test_a_study_writes_a_motion_file_a_table_and_its_journal(whole, tmp_path):
    result, written = whole
    (tmp_path / "best.yaml").write_bytes(written[BEST])
    best = load_motions(tmp_path / "best.yaml")
    assert best.note.startswith("Found by andante optimise, study 'quick'")
    assert set(best.motions) == set(load_motions("nao").motions)
    data = json.loads(written[RESULT])
    names = [row["name"] for row in data["rows"]]
    assert names[:3] == ["success before", "success after", "success, difference"]
    assert "randomisation x 1.5" in names
    assert data["trials"] == result.trials
    assert data["archive"]
    keys = [json.loads(line).get("key") for line in written[JOURNAL].splitlines()[1:]]
    assert keys[0] == "start validation"
    assert keys[-6:] == ["verdict before", "verdict after", *(f"verdict {name}" for name in result.verdict.sensitivity)]


@pytest.mark.slow
def test_the_best_is_no_worse_than_the_start_on_the_validation_seeds(whole):
    result, _ = whole
    leaders = result.course.leaders
    assert leaders[0][3] == "start"
    assert [(share, value) for _, value, share, _ in leaders] == sorted(
        (share, value) for _, value, share, _ in leaders
    )


@pytest.mark.slow
def test_no_motion_that_breaks_a_constraint_becomes_the_result(tmp_path):
    robot = Robot.load("nao")
    longer = study(
        objectives=[{"metric": "motion.duration", "weight": 1.0}],
        stages=[{"type": "sketch", "samples": 8, "best": 4, "seeds": 1}],
    )
    problem = Problem(longer)
    played = problem.candidate(problem.space.start.tolist()).library
    most = motion_figures(played, robot)["duration"] + 1e-6
    bound = {"metric": "motion.duration", "at_most": most, "penalty": 1e-3}
    durations = {}
    for name, asked in (
        ("free", longer),
        ("bound", longer.model_copy(update={"constraints": (Constraint.model_validate(bound),)})),
    ):
        optimise(asked, tmp_path / name, InProcess(), pictures=False)
        durations[name] = motion_figures(load_motions(tmp_path / name / BEST, robot), robot)["duration"]
    start = motion_figures(load_motions("nao", robot), robot)["duration"]
    assert durations["bound"] <= start + 1e-6 < durations["free"]


@pytest.mark.slow
def test_two_workers_give_the_same_bytes(whole, tmp_path):
    optimise(study(), tmp_path, Processes(2), pictures=False)
    assert files(tmp_path) == whole[1]


@pytest.mark.slow
def test_a_journal_that_was_cut_anywhere_gives_the_same_bytes(whole, tmp_path):
    lines = whole[1][JOURNAL].splitlines(keepends=True)
    for number, kept in enumerate((1, len(lines) // 2, len(lines))):
        folder = tmp_path / str(number)
        folder.mkdir()
        torn = lines[kept][: len(lines[kept]) // 2] if kept < len(lines) else b""
        (folder / JOURNAL).write_bytes(b"".join(lines[:kept]) + torn)
        optimise(study(), folder, InProcess(), resume=True, pictures=False)
        assert files(folder) == whole[1]


@pytest.mark.slow
def test_a_folder_that_holds_a_study_is_not_begun_anew(whole, tmp_path):
    (tmp_path / JOURNAL).write_bytes(whole[1][JOURNAL])
    with pytest.raises(AndanteError, match="holds a study already"):
        optimise(study(), tmp_path, InProcess(), pictures=False)
    with pytest.raises(AndanteError, match="seed differs"):
        optimise(study(seed=1), tmp_path, InProcess(), resume=True, pictures=False)
    assert (tmp_path / JOURNAL).read_bytes() == whole[1][JOURNAL]


@pytest.mark.parametrize(("kind", "library"), [("polish", "cma"), ("rounds", "cma"), ("diversity", "ribs")])
def test_a_library_that_is_lacking_is_named_before_the_first_trial(kind, library, tmp_path, monkeypatch):
    """The stage's turn came after half a minute of trials, and the folder held a search that nobody had run."""
    monkeypatch.setitem(sys.modules, library, None)
    more = {"measures": [["rise.time", 0.0, 9.0]]} if kind == "diversity" else {}
    asked = Study.model_validate(STUDY | {"stages": [{"type": "sketch", "samples": 2}, {"type": kind} | more]})
    with pytest.raises(SearchError, match=rf"stages\[1\]: a stage of the type {kind} needs {library}, which"):
        optimise(asked, tmp_path / "out", InProcess())
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_not_resumed(tmp_path):
    with pytest.raises(AndanteError, match="is not there, so nothing can be resumed"):
        optimise(study(), tmp_path / "mistyped", InProcess(), resume=True, pictures=False)


class _Odd(TrialObserver, Observer):
    """Tells what its kind says of the seed."""

    def __init__(self, kind, seed):
        self._kind, self._seed = kind, seed

    def values(self):
        return {"number": self._kind.told(self._seed)}


class OddKind(ObserverKind):
    tells = ("number",)

    def told(self, seed):
        if self.mode == "broken" and seed == 1:
            raise RuntimeError("a defect in a user's observer")
        return math.nan if self.mode == "nan" and seed == 1 else float(seed % 7)

    mode: str = "nan"

    def observer(self, scenario, parts):
        return _Odd(self, scenario.seed)


@pytest.fixture
def odd():
    if "odd" not in OBSERVERS:
        OBSERVERS.register("odd", OddKind)


@pytest.mark.slow
def test_an_objective_that_is_no_number_is_named_and_the_best_stays(odd, tmp_path):
    asked = study(objectives=[{"metric": "odd.number", "weight": 1.0}])
    with pytest.raises(ExecutorError) as caught:
        optimise(asked, tmp_path, InProcess(), pictures=False)
    assert "an objective is no finite number" in str(caught.value)
    assert "odd.number, seed 1" in str(caught.value)
    assert load_motions(tmp_path / BEST).note.startswith("Found by andante optimise")
    good = study(objectives=[{"metric": "odd.number", "weight": 1.0, "missing": -1.0}])
    optimise(good, tmp_path / "good", InProcess(), pictures=False)


@pytest.mark.slow
def test_an_exception_in_one_evaluation_costs_that_one_only(odd, tmp_path):
    experiment = _experiment({"odd": {"mode": "broken"}})
    stages = [{"type": "sketch", "samples": 3, "best": 1, "seeds": 3}]
    asked = study(experiment=experiment, objectives=[{"metric": "odd.number", "weight": 1.0}], stages=stages)
    result = optimise(asked, tmp_path, InProcess(), pictures=False)
    assert result.course.lost
    assert "a defect in a user's observer" in result.course.why_lost
    assert json.loads((tmp_path / RESULT).read_text())["lost trials"] == result.course.lost


@pytest.mark.slow
def test_a_disk_that_is_full_is_no_fault_of_a_candidate(tmp_path, monkeypatch):
    asked = study(stages=[{"type": "sketch", "samples": 3, "best": 1, "seeds": 1}])
    trial, count = EvaluationLoop.trial, []

    def full(self, candidate, seed):
        count.append(seed)
        if len(count) > 3:
            raise RecordingError("the log cannot be written", place="log.mcap", value="No space left on device")
        return trial(self, candidate, seed)

    monkeypatch.setattr(EvaluationLoop, "trial", full)
    with pytest.raises(AndanteError, match="No space left on device"):
        optimise(asked, tmp_path, InProcess(), pictures=False)
    monkeypatch.setattr(EvaluationLoop, "trial", trial)
    result = optimise(asked, tmp_path, InProcess(), resume=True, pictures=False)
    assert result.course.lost == 0


@pytest.mark.slow
def test_a_metric_that_is_infinite_and_a_start_that_fails_once_leave_a_study_that_ends(odd, tmp_path, monkeypatch):
    told = OddKind.told
    monkeypatch.setattr(OddKind, "told", lambda self, seed: math.inf if seed == 200001 else told(self, seed))
    endless = [{"metric": "odd.number", "weight": 1.0, "missing": -1.0}]
    stages = [{"type": "sketch", "samples": 2, "best": 1, "seeds": 1}]
    optimise(study(objectives=endless, stages=stages), tmp_path / "infinite", InProcess(), pictures=False)
    (rows,) = [each["rows"] for each in [json.loads((tmp_path / "infinite" / RESULT).read_text())]]
    (after,) = [row for row in rows if row["name"] == "odd.number after, mean"]
    assert (after["value"], after["n"]) == (200000 % 7, 1)

    def broken(self, seed):
        if seed in (100001, 200001):
            raise RuntimeError("a defect in a user's observer")
        return 1.0

    monkeypatch.setattr(OddKind, "told", broken)
    result = optimise(study(objectives=endless, stages=stages), tmp_path / "failing", InProcess(), pictures=False)
    assert json.loads((tmp_path / "failing" / RESULT).read_text())["validation"]["value"] is None
    (lost,) = [row for row in result.rows if "could not be run" in row.name]
    assert (lost.value, lost.n) == (6.0, 12)


def _experiment(observers):
    from andante.search.experiment.registry import experiment_named

    found = experiment_named("getup")
    return found.model_copy(update={"observers": {**found.observers, **observers}}).model_dump(by_alias=True)


@pytest.mark.slow
def test_a_full_disk_stops_the_study_and_keeps_the_best(tmp_path, monkeypatch, capsys):
    from typer.testing import CliRunner

    from andante.documents.writer import save_document

    short = study(stages=[{"type": "sketch", "samples": 3, "best": 1, "seeds": 1}])
    save_document(short, tmp_path / "study.yaml")
    write, count = StudyJournal.add, []

    def full(self, key, result):
        count.append(key)
        if len(count) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, key, result)

    monkeypatch.setattr(StudyJournal, "add", full)
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["optimise", "study.yaml", "--no-pictures"])
    assert told.exit_code == 2
    assert "No space left on device" in told.output + told.stderr
    assert "the best so far is in studies/quick/best.yaml, go on with --resume" in told.output + told.stderr
    monkeypatch.setattr(StudyJournal, "add", write)
    again = CliRunner().invoke(app, ["optimise", "study.yaml", "--no-pictures", "--resume"])
    assert again.exit_code == 0, again.output


@pytest.mark.slow
def test_the_budget_ends_the_search_but_not_the_verdict(tmp_path):
    result = optimise(study(budget={"evaluations": 8}), tmp_path, InProcess(), pictures=False)
    assert len(result.verdict.after) == 2
    keys = [json.loads(line).get("key") for line in (tmp_path / JOURNAL).read_bytes().splitlines()[1:]]
    assert not any("polish" in key for key in keys)


def test_show_tells_parameters_and_budget_and_runs_nothing(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from andante.documents.writer import save_document

    save_document(study(), tmp_path / "study.yaml")
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["optimise", "study.yaml", "--show"])
    assert told.exit_code == 0, told.output
    assert "blocks.front_fold.keyframes[0].joints.LHipPitch" in told.output
    assert "budget 100000 trials" in told.output
    assert "seeds of verdict: 200000 to 200001" in told.output
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_study_that_was_killed_or_interrupted_goes_on_to_the_same_bytes(how, whole, tmp_path):
    from andante.documents.writer import save_document

    save_document(study(), tmp_path / "study.yaml")
    words = ("optimise", "study.yaml", "--no-pictures", "--out", "out")
    process = begin(tmp_path, *words)
    journal, end = tmp_path / "out" / JOURNAL, time.monotonic() + 240
    while process.poll() is None and time.monotonic() < end:
        if journal.exists() and journal.read_bytes().count(b"\n") >= 4:
            break
        time.sleep(0.002)
    assert process.poll() is None, process.communicate()
    os.kill(process.pid, how)
    _, told = process.communicate()
    if how is signal.SIGINT:
        assert "interrupted; the best so far is in out/best.yaml, go on with --resume" in told
    assert load_motions(tmp_path / "out" / BEST).note.startswith("Found by andante optimise")
    code, _, err = finish(begin(tmp_path, *words, "--resume"))
    assert code == 0, err
    assert files(tmp_path / "out") == whole[1]


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bytes(whole, tmp_path):
    pytest.importorskip("distributed", reason="needs Dask distributed (pip install 'andante[cluster]')")
    from andante.search.cluster import Cluster

    with Cluster("local:1") as cluster:
        optimise(study(), tmp_path, cluster, pictures=False)
    assert files(tmp_path) == whole[1]


@pytest.mark.slow
def test_the_page_shows_table_course_and_changes(tmp_path):
    short = study(stages=[{"type": "sketch", "samples": 3, "best": 1, "seeds": 1}])
    optimise(short, tmp_path, InProcess())
    page = (tmp_path / PAGE).read_text()
    assert "success after" in page
    assert "objective over trials" in page


@pytest.mark.slow
def test_what_belongs_to_the_scenario_is_kept_beside_the_motion_file(tmp_path):
    changes = [{"path": "world.command_delay", "range": [0, 4]}, STUDY["parameters"][0]]
    asked = study(
        parameters=changes,
        set={**STUDY["set"], "world.command_delay": 2},
        stages=[{"type": "sketch", "samples": 4, "best": 1, "seeds": 1}],
        objectives=[{"metric": "motion.duration", "weight": 1.0}],
    )
    result = optimise(asked, tmp_path, InProcess(), pictures=False)
    assert result.course.lost == 0
    scenario = load_scenario(tmp_path / SCENARIO)
    delay = Problem(asked).space.parameters[0].values(result.leader.point[0])
    assert result.leader.stage != "start"
    assert (scenario.world.command_delay,) == delay
    assert scenario.controller.library == str(tmp_path / BEST)


@pytest.mark.slow
def test_a_study_goes_on_only_with_the_files_that_it_began_with(tmp_path):
    library, scenario = tmp_path / "mine.yaml", tmp_path / "stands.yaml"
    library.write_bytes(library_path("nao-basics").read_bytes())
    text = (
        "format: andante.scenario\nversion: 1\nname: stands\nrobot: nao\ntimeout: 0.1\n"
        "controller: {type: keyframes, library: mine.yaml, motions: [stand]}\n"
    )
    scenario.write_text(text, encoding="utf-8")
    asked = Study.model_validate(
        {
            "scenario": str(scenario),
            "parameters": [{"path": "world.slope", "range": [0.0, 0.1]}],
            "objectives": [{"metric": "max_tilt", "weight": -1.0}],
            "stages": [{"type": "sketch", "samples": 2, "best": 1, "seeds": 1}],
            "seeds": STUDY["seeds"],
        }
    )
    optimise(asked, tmp_path / "out", InProcess(), pictures=False)
    for file in (library, scenario):
        before = file.read_bytes()
        file.write_bytes(before + b"# changed\n")
        with pytest.raises(AndanteError, match=rf"input .*{file.name} differs"):
            optimise(asked, tmp_path / "out", InProcess(), resume=True, pictures=False)
        file.write_bytes(before)
    optimise(asked, tmp_path / "out", InProcess(), resume=True, pictures=False)
