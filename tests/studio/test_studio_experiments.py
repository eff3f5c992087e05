"""Experiments in the studio: run in a process under watch, cancelled, killed, gone on with; any two compared."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from experiment_client import EXPERIMENT, ExperimentClient
from served import COMMAND, Served, served
from studio_text import TEXT

from andante.search.journal import StudyJournal
from andante.studio.disk import Disk
from andante.studio.errors import StudioError
from andante.studio.experiments.comparing import compare_two
from andante.studio.experiments.kept import asked_text, look_at_result, order_of, shelf
from andante.studio.experiments.order import ExperimentOrder, checked, kind_of, look_at, typed
from andante.studio.experiments.process import ExperimentJob, run_experiment
from andante.studio.workspace import Workspace

FLOORS = "floors.yaml"


def filled(folder: Path) -> Path:
    """A folder with a motion and an experiment."""
    (folder / "wave.yaml").write_text(TEXT)
    (folder / FLOORS).write_text(EXPERIMENT)
    return folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The process of a run works in the workspace's folder; this one is given back its own.
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)


def made(place: Path, name: str, **given: object) -> Path:
    """A result."""
    job = ExperimentJob(ExperimentOrder(FLOORS, given), place, f"experiments/{name}")
    run_experiment(job, lambda word: None)
    return place / "experiments" / name


def bench(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, "bench", *words], cwd=place, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_record_is_that_of_the_command_byte_for_byte(place: Path) -> None:
    told: list[tuple[str, object]] = []
    order = ExperimentOrder(FLOORS, {"seeds": 2, "values": ["world.friction=0.5"]})
    run_experiment(ExperimentJob(order, place, "experiments/floors-1"), told.append)
    folder = place / "experiments" / "floors-1"
    assert sorted(path.name for path in folder.iterdir()) == ["asked.json", "result.json"]
    cells = told[0][1]
    assert [cell["total"] for cell in cells] == [2, 2]
    assert [word for word, _ in told] == ["cells", *["trial"] * 4]
    done = bench(place, *order.command("own.json").split()[2:])
    assert done.returncode == 1, done.stderr
    assert (place / "own.json").read_bytes() == (folder / "result.json").read_bytes()
    # The command compares what the studio has made.
    two = ["compare", "experiments/floors-1/result.json", "own.json", "--json"]
    done = bench(place, *two, "--suite", FLOORS)
    assert json.loads(done.stdout)["outcome"] == "no difference", done.stderr
    # An experiment that goes by no name is known by its file alone.
    assert "these results are of no suite that is known by name" in bench(place, *two).stdout
    assert "results were made already" in bench(place, *two, "--suite", "kick").stdout


def test_a_result_that_cells_share_counts_in_each(place: Path) -> None:
    folder = place / "experiments" / "cut"
    folder.mkdir(parents=True)
    keys = ['one "a"', "two", 'one "a"', 'one "a"']
    (folder / "asked.json").write_text(asked_text(ExperimentOrder(FLOORS, {"seeds": 1}), keys))
    journal = StudyJournal(folder / "result.json.journal", {"suite": "floors"})
    # What tells how many are asked for is no trial.
    journal.ask(dict.fromkeys(keys, "floors"))
    for kept, key in ((3, 'one "a"'), (4, "two")):
        journal.add(key, {"passed": True, "result": ", "})
        found = look_at_result(Workspace(place), "experiments/cut")
        assert (found["kept"], found["trials"]) == (kept, 4)
    journal.close()


@pytest.mark.slow
def test_what_was_cut_off_is_gone_on_with_and_is_the_same_as_what_was_not(place: Path) -> None:
    whole = made(place, "whole", seeds=2)

    class EnoughError(Exception):
        pass

    count = 0

    def two(word: tuple[str, object]) -> None:
        nonlocal count
        count += word[0] == "trial"
        if count == 2:
            raise EnoughError

    job = ExperimentJob(ExperimentOrder(FLOORS, {"seeds": 2}), place, "experiments/cut")
    with pytest.raises(EnoughError):
        run_experiment(job, two)
    workspace = Workspace(place)
    found = look_at_result(workspace, "experiments/cut")
    assert (found["whole"], found["kept"], found["trials"]) == (False, 2, 4)
    assert [each["state"] for each in shelf(workspace)["results"] if each["name"].endswith("cut")] == ["cut off"]
    with pytest.raises(StudioError, match="cut off before its end"):
        compare_two(place, "experiments/cut", "experiments/whole")
    again: list[tuple[str, object]] = []
    order = order_of(workspace, "experiments/cut")
    run_experiment(ExperimentJob(order, place, "experiments/cut", resume=True), again.append)
    assert sum(word == "trial" for word, _ in again) == 2
    assert (place / "experiments" / "cut" / "result.json").read_bytes() == (whole / "result.json").read_bytes()
    assert not (place / "experiments" / "cut" / "result.json.journal").exists()
    with pytest.raises(StudioError, match="is whole"):
        order_of(workspace, "experiments/cut")


@pytest.mark.slow
def test_two_results_are_compared_and_what_they_were_asked_differently_is_told(place: Path) -> None:
    made(place, "one", seeds=2)
    made(place, "two", seeds=3, values=["world.friction=0.05"])
    found = compare_two(place, "experiments/one", "experiments/two")
    assert found["kind"] == "results"
    assert found["against"] == []
    assert "4 trials in common, seeds 0 to 1; 2 only in the second" in found["seeds"]
    assert {each["measure"] for each in found["differences"]} == {"passed", "tilt"}
    assert {each["unit"] for each in found["differences"]} == {"", "deg"}
    assert ["seeds", "2", "3"] in found["asked"]
    assert [name for name, *_ in found["asked"]] == ["seeds", "values"]
    assert [each["good"] for each in found["verdicts"]] == [False, False]
    assert all("asked <= 0.001" in why for each in found["verdicts"] for why in each["reasons"])
    # No seed in common.
    made(place, "other", seeds=1, first_seed=50)
    found = compare_two(place, "experiments/one", "experiments/other")
    assert any("no trial" in text for text in found["against"])
    assert found["rows"][0]["sides"][1]["n"] == 1
    # Another task.
    done = bench(place, "motion", "--library", "wave.yaml", "--motion", "nod", "--seeds", "1", "--out", "own.json")
    assert done.returncode == 0, done.stderr
    found = compare_two(place, "experiments/one", "own.json")
    assert found["against"] == ["other task: the first is of floors, the second of motion"]
    assert [row["sides"][0] is None for row in found["rows"]].count(True) > 0
    # Its experiment is gone.
    (place / FLOORS).unlink()
    found = compare_two(place, "experiments/one", "experiments/two")
    assert any("is not there any more" in text for text in found["against"])


@pytest.mark.slow
def test_two_runs_are_compared_lanes_and_words(place: Path) -> None:
    run = [*COMMAND, "run", "wave.yaml/nod", "--no-report"]
    for name, more in (("a", ["--seed", "1"]), ("b", ["--seed", "2", "--set", "world.friction=0.2"])):
        subprocess.run([*run, *more, "--out", f"runs/{name}"], cwd=place, check=True, capture_output=True)
    assert shelf(Workspace(place))["runs"] == ["runs/a", "runs/b"]
    found = compare_two(place, "runs/a", "runs/b")
    assert [each["verdict"] for each in found["verdicts"]] == ["pass", "pass"]
    assert all(reason for each in found["verdicts"] for reason in each["reasons"])
    names = [name for name, *_ in found["asked"]]
    assert {"seed", "world.friction"} <= set(names)
    assert any(text.startswith("sensors: differs from row") for text in found["channels"])
    assert len(found["lanes"]) == 2
    assert found["robot"]["name"] == "nao"
    units = {name: first.split()[-1] for name, first, *_ in found["numbers"]}
    assert units["max_tilt"] == "deg"
    assert any("spread" in text for text in found["against"])
    made(place, "one", seeds=1)
    with pytest.raises(StudioError, match="only two of one kind"):
        compare_two(place, "runs/a", "experiments/one")
    shutil.rmtree(place / "runs" / "b")
    with pytest.raises(StudioError, match="no such result or run, or no more"):
        compare_two(place, "runs/a", "runs/b")


def test_an_order_is_checked_before_it_runs(place: Path) -> None:
    found = checked(ExperimentOrder(FLOORS, {"seeds": 5}), place)
    assert [(cell["name"], cell["trials"]) for cell in found["cells"]] == [("rough", 5), ("smooth", 5)]
    assert found["asked"] == ["passed >= 0.3", "tilt, largest <= 0.001 deg"]
    assert found["command"] == "andante bench floors.yaml --seeds 5 --out result.json"
    look = look_at("kick", place)
    assert {option["name"]: option["kind"] for option in look["options"]} == {
        "library": "text",
        "motion": "text",
        "foot": "text",
        "ball": "pair",
        "on_feet": "number",
        "distance": "number",
        "direction": "number",
        "time": "number",
    }
    assert next(option["legal"] for option in look["options"] if option["name"] == "foot") == ["right", "left"]
    assert look["text"].startswith("#")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"seeds": 0}, "greater than or equal to 1"),
        ({"values": ["world.frictoin=0.4"]}, "friction"),
        ({"values": ["world.friction=-1"]}, "friction"),
        ({"values": ["world.friction"]}, "PATH=VALUE"),
        ({"values": ["figures.nobody.at_least=1"]}, "no such figure"),
        ({"wrong": "1"}, "no such option"),
    ],
)
def test_what_is_not_legal_is_told_in_one_sentence(place: Path, given: dict[str, object], what: str) -> None:
    from andante.errors import AndanteError

    with pytest.raises(AndanteError, match=what) as told:
        checked(ExperimentOrder(FLOORS, given), place)
    assert "\n" not in str(told.value)


def test_typed_texts_become_what_options_take() -> None:
    from andante.search.suites.registry import load_suite

    suite = load_suite("kick")
    assert typed(suite, {"ball": "0.1, -0.05", "distance": "1.5", "foot": "", "library": None}) == {
        "ball": ("0.1", "-0.05"),
        "distance": "1.5",
    }
    assert kind_of(load_suite("motion").options.model_fields["motion"].annotation) == "texts"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no result of an experiment"),
        ('{"suite": "floors"', "no whole result"),
        ('{"suite": "floors", "rows": 3, "cells": []}', "no result of this version"),
        ('{"format": "andante.bench-result", "version": 7}', "no result of this version"),
        ('{"suite": "floors", "rows": [], "cells": [{"label": 3, "trials": [{"seed": "x"}]}]}', "no result of this"),
    ],
)
def test_a_torn_result_or_one_of_another_version_is_told(place: Path, text: str, what: str) -> None:
    from andante.errors import AndanteError

    folder = place / "experiments" / "torn-1"
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(text)
    with pytest.raises(AndanteError, match=what):
        look_at_result(Workspace(place), "experiments/torn-1")
    # The list still tells what there is.
    assert [each["name"] for each in shelf(Workspace(place))["results"]] == ["experiments/torn-1"]


def test_a_journal_without_what_was_asked_says_how_to_go_on(place: Path) -> None:
    folder = place / "experiments" / "lost-1"
    folder.mkdir(parents=True)
    (folder / "result.json.journal").write_text("{}\n")
    with pytest.raises(StudioError, match="--resume"):
        order_of(Workspace(place), "experiments/lost-1")
    (folder / "asked.json").write_text(asked_text(ExperimentOrder(FLOORS, {"seeds": 1}), ["a", "b"]))
    assert order_of(Workspace(place), "experiments/lost-1") == ExperimentOrder(FLOORS, {"seeds": 1})


def test_links_lead_nowhere_when_a_result_is_written(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    from andante.errors import AndanteError

    outside = tmp_path_factory.mktemp("outside")
    (place / "experiments").symlink_to(outside)
    with pytest.raises(AndanteError, match="link"):
        made(place, "floors-1", seeds=1)
    assert not any(outside.iterdir())
    # A journal that somebody has made a link of stays as it was.
    (place / "experiments").unlink()
    (place / "experiments").mkdir()
    secret = outside / "secret"
    secret.write_text("secret\n")
    from andante.studio.experiments.process import ToldJournal

    (place / "experiments" / "j").symlink_to(secret)
    with pytest.raises(AndanteError):
        ToldJournal(Disk(place.resolve()), place / "experiments" / "j", {}, False, (), lambda word: None)
    assert secret.read_text() == "secret\n"
    assert StudyJournal(place / "plain", {"a": 1}).results == {}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(filled(tmp_path_factory.mktemp("experiments"))) as studio:
        yield studio


@pytest.mark.slow
def test_a_run_is_cancelled_killed_begun_anew_and_seen_by_all_pages(running: Served) -> None:
    one, other = ExperimentClient(running), ExperimentClient(running)
    answer = one.ask(do="begin_experiment", experiment=FLOORS, seeds=400)
    assert answer["type"] == "begin_experiment", answer
    assert answer["trials"] == 800
    refused = other.ask(do="begin_experiment", experiment=FLOORS)
    assert "one experiment runs at a time" in refused["text"]

    def some(client: ExperimentClient, least: int) -> None:
        while client.run is None or sum(cell["done"] for cell in client.run["cells"]) < least:
            client.receive(120.0)

    some(other, 2)
    pid = worker(running)
    os.kill(pid, signal.SIGKILL)
    while not other.run["text"]:
        other.receive(120.0)
    assert "was killed" in other.run["text"]
    assert "begun anew (1 of 2 times)" in other.run["text"]
    # It goes on with what it has kept.
    while other.run["state"] != "going":
        other.receive(120.0)
    kept = sum(cell["done"] for cell in other.run["cells"])
    assert kept >= 2
    some(other, kept + 1)
    assert one.ask(do="cancel_experiment")["type"] == "cancel_experiment"
    assert one.until("cancelled")["text"].startswith("it was cancelled")
    result = one.ask(do="look_at_result", result=answer["result"])
    assert result["whole"] is False
    assert result["kept"] >= kept + 1
    assert one.ask(do="cancel_experiment")["text"] == "no experiment runs"
    # Its time is bounded.
    assert one.ask(do="resume_experiment", result=answer["result"], minutes=0.1)["type"] == "resume_experiment"
    one.run = None
    assert "its 0.1 min are over" in one.until("cancelled")["text"]
    shutil.rmtree(running.folder / answer["result"])
    assert "no more" in one.ask(do="look_at_result", result=answer["result"])["text"]
    assert "no more" in one.ask(do="resume_experiment", result=answer["result"])["text"]
    one.close()
    other.close()


def worker(studio: Served) -> int:
    """The process in which the experiment runs."""
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            status = (path.parent / "stat").read_text().rpartition(")")[2].split()
            if path.read_text().strip() == "studio-bench" and int(status[3]) == os.getsid(studio.process.pid):
                return int(path.parent.name)
        except OSError:
            continue
    raise AssertionError("no experiment runs")


@pytest.mark.slow
def test_bad_input_is_refused_with_one_sentence_where_it_happened(running: Served) -> None:
    client = ExperimentClient(running)
    for message, what in (
        ({"do": "look_at_experiment", "experiment": "nothing"}, "there is no such suite"),
        ({"do": "look_at_experiment", "experiment": "../secret.yaml"}, "outside the workspace"),
        ({"do": "look_at_experiment", "experiment": "gone.yaml"}, "no such experiment, or no more"),
        ({"do": "look_at_experiment", "experiment": "wave.yaml"}, "wave.yaml"),
        ({"do": "check_experiment", "experiment": "motion", "options": {"library": "/etc/hosts"}}, "outside"),
        ({"do": "check_experiment", "experiment": FLOORS, "seeds": 0}, "message is refused"),
        ({"do": "check_experiment", "experiment": FLOORS, "values": ["play.robot=../x.xml"]}, "outside"),
        ({"do": "check_experiment", "experiment": "boards", "options": {"robot": "gone.xml"}}, "no such"),
        ({"do": "look_at_result", "result": "experiments/nothing"}, "no such result or run, or no more"),
        ({"do": "look_at_result", "result": ".andante/history/../../../x.json"}, "no such result"),
        ({"do": "compare_results", "first": "wave.yaml", "second": FLOORS}, "no result of an experiment"),
        ({"do": "nonsense"}, "message is refused"),
    ):
        answer = client.ask(**message)
        assert answer["type"] == "refused", message
        assert what in answer["text"], (message, answer["text"])
        # A document tells all its mistakes, one a line.
        assert "\n" not in answer["text"] or message["experiment"] == "wave.yaml", answer["text"]
    client.close()


def test_own_experiments_say_what_they_ask_or_why_they_cannot_be_read(tmp_path: Path) -> None:
    text = (
        "format: andante.experiment\nversion: 1\nname: floors\nwhat: >\n  Does it stand\n  on ice?\nscenario: get-up\n"
        "figures: {on its feet: {metric: fell, is: false}}\n"
    )
    (tmp_path / "floors.yaml").write_text(text)
    (tmp_path / "torn.yaml").write_text("format: andante.experiment\nversion: 1\nwhat: [\n")
    told = {each["name"]: each["what"] for each in shelf(Workspace(tmp_path))["experiments"]}
    assert told["floors.yaml"].strip() == "Does it stand on ice?"
    assert told["torn.yaml"].startswith("cannot be read: ")
    (tmp_path / "floors.yaml").write_text(text.replace("on ice", "on carpet"))
    told = {each["name"]: each["what"] for each in shelf(Workspace(tmp_path))["experiments"]}
    assert told["floors.yaml"].strip() == "Does it stand on carpet?"
