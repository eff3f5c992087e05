"""`bench --save`, `bench history` and `bench compare`, as one types them."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace

import coin_suite
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from andante.cli.app import app
from andante.errors import AndanteError
from andante.search.experiment.registry import experiment_named
from andante.search.history import commit_here, kept, load_bench
from andante.search.suites import registry


@pytest.fixture(autouse=True)
def at_work(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.SUITES, "coin", "How often does a coin show heads?")
    monkeypatch.setitem(sys.modules, "andante.search.suites.coin", coin_suite)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def saved(library, *more):
    done = run("coin", "--library", library, "--seeds", 60, "--save", *more)
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.slow
def test_kept_results_are_listed_and_compared(at_work):
    saved("fair")
    done = saved("heavy")
    path = done.stdout.splitlines()[-1].removeprefix("kept: ")
    assert len(kept(at_work / ".andante/history")) == 2
    bench = load_bench(at_work / path)
    assert (bench.suite, bench.commit, len(bench.trials)) == ("coin", None, 60)
    assert bench.options["library"] == "heavy"
    assert bench.toolchain["numpy"]

    listed = run("history").stdout.splitlines()
    assert len(listed) == 4
    assert "heavy  60 trials" in listed[2] or "heavy  60 trials" in listed[0]
    assert listed[1].strip().startswith("good 0.")
    data = json.loads(run("history", "--json").stdout)["results"]
    assert sorted(each["options"]["library"] for each in data) == ["fair", "heavy"]

    by_library = {each["options"]["library"]: each["name"] for each in data}
    worse = run("compare", by_library["fair"], by_library["heavy"])
    assert worse.exit_code == 1
    assert worse.stdout.splitlines()[-1] == "WORSE: worse in thrown: time +0.4 s [+0.4, +0.4]"
    assert "library: fair; second: heavy" in worse.stdout
    better = run("compare", by_library["heavy"], by_library["fair"].rpartition("-")[2], "--json")
    assert better.exit_code == 0
    assert json.loads(better.stdout)["outcome"] == "better"


@pytest.mark.slow
def test_versions_are_compared_where_they_lie_and_drawn_on_one_page(at_work):
    done = run("compare", "fair", "heavy", "--suite", "coin", "--seeds", 100, "--early", "--page", "page.html")
    assert done.exit_code == 1, done.output
    assert "ended early: after 25 of 100 seeds" in done.stdout
    page = (at_work / "page.html").read_text(encoding="utf-8")
    assert page.count("<html") == 1
    assert "worse in thrown: time" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    same = run("compare", "fair", "fair", "--suite", "coin", "--seeds", 10, "--workers", 2)
    assert same.exit_code == 0
    assert same.stdout.splitlines()[-1].startswith("NO DIFFERENCE")
    # Without the number that differs nothing does.
    assert run("compare", "fair", "heavy", "--suite", "coin", "--only", "success").exit_code == 0


def test_what_both_versions_rest_on_is_told(at_work, monkeypatch):
    saved("fair")
    saved("heavy")
    told = [line for line in run("compare", "last~1", "last").stdout.splitlines() if line.startswith("evidence")]
    assert told == ["evidence: simulation"]
    for path, evidence in zip(kept(at_work / ".andante/history"), ("fake of the protocol", None), strict=True):
        data = json.loads(path.read_text(encoding="utf-8"))
        assert data["evidence"] == "simulation"
        path.write_text(json.dumps(data | {"evidence": evidence}), encoding="utf-8")
    told = run("compare", "last~1", "last").stdout
    assert "evidence: fake of the protocol; second: not kept by an earlier version" in told
    behind = experiment_named("getup").model_copy(update={"set": {"backend.type": "loop"}})
    monkeypatch.setattr(coin_suite, "SUITE", replace(coin_suite.SUITE, experiments=lambda options: [behind]))
    told = run("compare", "fair", "fair", "--suite", "coin", "--seeds", 2).stdout
    assert "evidence: fake of the protocol" in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fair", "hevy", "--suite", "coin"), "no such coin; got 'hevy'; did you mean 'heavy'?"),
        (("fair", "heavy", "--suite", "coins"), "there is no such suite; got 'coins'; did you mean 'coin'?"),
        (("fair", "heavy", "--suite", "coin", "--option", "tabel=ash"), "no such option of the suite; got 'tabel'"),
        (("fair", "heavy", "--suite", "coin", "--of-second", "table=ash"), "other conditions, table differs: no pairs"),
        (("fair", "heavy", "--suite", "coin", "--motion", "x"), "this suite plays no motion of one's choice"),
        (("fair", "heavy", "--suite", "coin", "--only", "tim"), "there is no such measure; got 'tim'"),
        (("fair", "heavy", "--suite", "coin", "--resume"), "there is no journal to go on with"),
        (("fair", "heavy", "--suite", "coin", "--page", "x.pdf"), "there is no such kind of picture"),
        (("fair", "heavy", "--suite", "coin", "--workers", "2", "--cluster", "local:2"), "has workers of its own"),
        (("nao", "nao", "--suite", "openr"), "does not bench one library or scenario"),
        (("last", "last~1"), "so many results are not kept"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(words, message):
    done = run("compare", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_results_that_do_not_belong_together_are_refused(at_work):
    saved("fair")
    saved("fair", "--table", "ash")
    assert "table differs" in run("compare", "last~1", "last").stderr
    saved("fair", "--table", "ash", "--first-seed", 1000)
    done = run("compare", "last~1", "last")
    assert done.exit_code == 2
    assert "no trial of the one has the same conditions and seed" in done.stderr or "table differs" in done.stderr
    assert "one is a result, the other is none" in run("compare", "last", "fair").stderr
    assert "results were made already" in run("compare", "last", "last", "--suite", "coin").stderr


def test_results_of_somebodys_own_experiment_ask_for_its_file(at_work):
    saved("fair")
    (file,) = kept(at_work / ".andante/history")
    text = file.read_text()
    file.write_text(text.replace('"suite": "coin"', '"suite": "floors"').replace('"suite":"coin"', '"suite":"floors"'))
    done = run("compare", "last", "last")
    assert done.exit_code == 2
    assert "got 'floors'; name the file of its experiment: --suite FILE.yaml" in done.stderr


@given(st.floats(0.0, 1.0), st.integers(0, 255))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_result_that_was_cut_or_spoilt_is_refused_by_name(at_work, share, byte):
    files = kept(at_work / ".andante/history")
    if not files:
        saved("fair")
        files = kept(at_work / ".andante/history")
    raw = files[0].read_bytes()
    place = int(share * (len(raw) - 3))
    for text in (raw[:place], raw[:place] + bytes([byte]) + raw[place + 1 :]):
        path = at_work / "spoilt.json"
        path.write_bytes(text)
        with contextlib.suppress(AndanteError):
            load_bench(path)
    path = at_work / "other.json"
    path.write_text('{"format": "else"}', encoding="utf-8")
    with pytest.raises(AndanteError, match="is no result of a bench; keep one with: andante bench SUITE --save"):
        load_bench(path)


def test_the_commit_is_that_of_the_folder_one_works_in(at_work):
    assert commit_here() is None
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    if shutil.which("git") is None:
        pytest.skip("needs git (apt install git)")
    subprocess.run(["git", "init", "-q"], check=True)
    (at_work / "x.yaml").write_text("a", encoding="utf-8")
    subprocess.run(["git", "add", "x.yaml"], check=True)
    subprocess.run(["git", *identity, "commit", "-qm", "Begin"], check=True)
    commit = commit_here()
    assert commit is not None
    assert len(commit) >= 12
    (at_work / "x.yaml").write_text("b", encoding="utf-8")
    assert commit_here() == commit + "+"


def test_an_interrupted_comparison_goes_on(at_work, monkeypatch):
    words = ("compare", "fair", "heavy", "--suite", "coin", "--seeds", 30, "--journal", "c.journal")
    whole = run(*words, "--json").stdout
    done = []

    def tired(library, seed):
        done.append(seed)
        if len(done) > 20:
            raise KeyboardInterrupt
        return coin_suite.throw(library, seed)

    monkeypatch.setattr(coin_suite, "SUITE", replace(coin_suite.SUITE, trial=tired))
    stopped = run(*words)
    assert stopped.exit_code == 2
    assert "interrupted; 20 results are kept, go on with --resume" in stopped.stderr
    monkeypatch.undo()
    monkeypatch.setitem(registry.SUITES, "coin", "")
    monkeypatch.setitem(sys.modules, "andante.search.suites.coin", coin_suite)
    monkeypatch.chdir(at_work)
    assert run(*words, "--resume", "--json").stdout == whole
    assert not (at_work / "c.journal").exists()


@pytest.mark.slow
def test_results_of_an_experiment_of_ones_own_are_listed(at_work):
    text = (
        "format: andante.experiment\nversion: 1\nname: leaning\nplay: {library: nao-basics, motions: [stand]}\n"
        "set: {timeout: 0.2, success.finishes: false}\nfigures: {feet: {metric: fell, is: false}}\n"
    )
    (at_work / "leaning.yaml").write_text(text, encoding="utf-8")
    assert run("leaning.yaml", "--seeds", 1, "--save").exit_code == 0
    saved("fair")
    for words in ((), ("--suite", "leaning"), ("--suite", "leaning.yaml")):
        listed = run("history", *words)
        assert listed.exit_code == 0, listed.output
        assert "leaning-" in listed.stdout
        assert ("coin-" in listed.stdout) == (not words)


def test_one_file_that_was_cut_costs_the_list_of_results_itself_only(at_work):
    saved("fair")
    saved("heavy")
    first = kept(at_work / ".andante/history")[0]
    first.write_bytes(first.read_bytes()[:900])
    listed = run("history")
    assert listed.exit_code == 0, listed.output
    assert listed.stdout.count("60 trials") == 1
    assert f"not read: .andante/history/{first.name}: is no whole result of a bench" in listed.stdout
    data = json.loads(run("history", "--json").stdout)
    assert (len(data["results"]), len(data["not_read"])) == (1, 1)


def test_an_experiment_is_no_version(at_work):
    """It was taken for a library, trial by trial."""
    (at_work / "floors.yaml").write_text("format: andante.experiment\nversion: 1\nname: floors\n")
    done = run("compare", "floors.yaml", "nao")
    assert done.exit_code == 2
    told = "this is an experiment, and no version that one benches; got 'floors.yaml'; compare two results of it"
    assert told in done.stderr
    assert "--suite floors.yaml" in done.stderr
