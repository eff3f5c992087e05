"""Suites: any order of completion and any interruption give the same bytes, and a new one is one file and one line."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import sys
from dataclasses import replace

import pytest
import toy_suite
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_suite import SUITE, DiceOptions, Throw
from typer.testing import CliRunner

from andante.cli.app import app
from andante.cli.bench_kept import journalled
from andante.search.errors import SearchError
from andante.search.executor import InProcess, Processes
from andante.search.journal import StudyJournal
from andante.search.suite import Case, HowToRun, read_options
from andante.search.suites import registry
from andante.search.work import GivenUpError

OPTIONS = DiceOptions(sides=(6, 20), seeds=5)


class Shuffled:
    """Gives results in another order than that of the tasks, and may stop at some."""

    def __init__(self, order, most=10**6):
        self.order, self.most = order, most

    def stream(self, function, draw, instead=None):
        tasks = []
        while (task := draw()) is not None:
            tasks.append(task)
        numbers = sorted(range(len(tasks)), key=lambda number: self.order[number])
        for number in numbers[: self.most]:
            yield number, function(tasks[number])
        if self.most < len(tasks):
            raise KeyboardInterrupt


def text(report):
    return json.dumps(report.data())


@pytest.mark.slow
@given(st.permutations(range(10)), st.permutations(range(10)), st.integers(0, 10))
@settings(max_examples=60, deadline=None)
def test_any_order_and_any_interruption_give_the_same_bytes(tmp_path_factory, first, second, most):
    wanted = text(SUITE.run(OPTIONS, InProcess()))
    assert text(SUITE.run(OPTIONS, Shuffled(first))) == wanted
    path = tmp_path_factory.mktemp("journal") / "dice.journal"
    journal = StudyJournal(path, SUITE.about(OPTIONS))
    told = []
    if most < 10:
        with pytest.raises(KeyboardInterrupt):
            SUITE.run(OPTIONS, Shuffled(first, most), journal)
        journal.close()
        if most:
            # A kill may cut the last line.
            path.write_bytes(path.read_bytes() + b'{"key": "12')
        journal = StudyJournal(path, SUITE.about(OPTIONS), resume=most > 0)
        assert len(journal.results) == most
        report = SUITE.run(OPTIONS, Shuffled(second), journal, lambda done, total: told.append((done, total)))
        assert told == [(done, 10) for done in range(most, 11)]
    else:
        report = SUITE.run(OPTIONS, Shuffled(second), journal)
    assert text(report) == wanted
    journal.remove()
    assert not path.exists()


@pytest.mark.slow
def test_processes_give_the_same_bytes_as_one():
    assert text(SUITE.run(OPTIONS, Processes(2))) == text(SUITE.run(OPTIONS, InProcess()))


def test_results_that_were_kept_are_those_that_were_made_to_the_bit(tmp_path):
    results = []
    suite = replace(SUITE, report=lambda options, found: results.append(found) or SUITE.report(options, found))
    path = tmp_path / "dice.journal"
    for resume in (False, True):
        journal = StudyJournal(path, suite.about(OPTIONS), resume=resume)
        suite.run(OPTIONS, InProcess(), journal)
        journal.close()
    assert results[0] == results[1]
    assert results[0]["d6"][0] == Throw(
        results[0]["d6"][0].shown, results[0]["d6"][0].shown / 3, (results[0]["d6"][0].shown / 7, math.inf)
    )


def test_keys_tell_trials_by_their_content_alone():
    assert Case("a", {"x": 1.0, "y": (2,)}, 3).key == Case("b", {"y": [2], "x": 1.0}, 3).key
    different = {Case("a", setup, seed).key for setup in ({"x": 1}, {"x": 2}, {"y": 1}, math.inf) for seed in (0, 1)}
    assert len(different) == 8
    # The same in another process, on another day: SHA-256 of the plain data.
    assert Case("", (1.5, "x"), 7).key == hashlib.sha256(b'[[1.5, "x"], 7]').hexdigest()[:32]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": 6}, "belongs to another bench, option seeds differs; got 5; limit: 6; ask for the same"),
        ({"sides": (6,)}, "belongs to another bench, option sides differs; got [6, 20]; limit: [6]"),
    ],
)
def test_a_journal_of_other_options_is_refused_and_untouched(tmp_path, change, message):
    path = tmp_path / "dice.journal"
    journal = StudyJournal(path, SUITE.about(OPTIONS))
    SUITE.run(OPTIONS, InProcess(), journal)
    journal.close()
    before = path.read_bytes()
    with pytest.raises(SearchError) as caught:
        StudyJournal(path, SUITE.about(OPTIONS.model_copy(update=change)), resume=True)
    assert message in str(caught.value)
    assert path.read_bytes() == before


def test_a_journal_of_another_version_or_changed_input_is_refused(tmp_path):
    path, library = tmp_path / "dice.journal", tmp_path / "library.yaml"
    about = SUITE.about(OPTIONS)
    for key, other, name in (
        ("andante", "0.0.0", "andante"),
        ("suite", "coins", "suite"),
        ("input", {str(library): "1"}, f"input {library}"),
    ):
        journal = StudyJournal(path, about | {key: other})
        journal.add("k", 1)
        journal.close()
        with pytest.raises(SearchError, match=f"belongs to another bench, {name} differs"):
            StudyJournal(path, about, resume=True)
        path.unlink()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("what is this\n", ":1: is no line of a bench journal; got"),
        ('{"format": "andante.kick-search"}\n', ":1: is no line of a bench journal; got 'andante.kick-search'"),
        (None, "is not there, so nothing can be resumed; leave --resume out"),
    ],
)
def test_what_is_no_journal_is_refused_and_untouched(tmp_path, text, message):
    path = tmp_path / "dice.journal"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(SearchError) as caught:
        StudyJournal(path, SUITE.about(OPTIONS), resume=True)
    assert message in str(caught.value)
    assert not path.exists() or path.read_text(encoding="utf-8") == text


def test_an_interrupted_bench_is_not_overwritten(tmp_path):
    path = tmp_path / "dice.journal"
    journal = StudyJournal(path, SUITE.about(OPTIONS))
    journal.add("k", 1)
    journal.close()
    with pytest.raises(SearchError, match="holds the results of an interrupted bench; go on with --resume, or delete"):
        StudyJournal(path, SUITE.about(OPTIONS))


@pytest.mark.parametrize(("kept", "told"), [(2, "2 results are kept, go on with --resume"), (0, "no result is kept")])
def test_an_interrupt_says_go_on_only_where_something_is_kept(kept, told, tmp_path, capsys):
    path = tmp_path / "dice.journal"

    def stopped() -> None:
        with journalled(HowToRun(), path, lambda: SUITE.about(OPTIONS), "--out") as journal:
            for key in range(kept):
                journal.add(str(key), 1)
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit):
        stopped()
    assert capsys.readouterr().err == f"andante: interrupted; {told}\n"
    assert path.exists() == bool(kept)


def test_a_task_that_is_given_up_leaves_what_was_made_and_says_so(tmp_path, capsys):
    path = tmp_path / "dice.journal"

    def died() -> None:
        with journalled(HowToRun(), path, lambda: SUITE.about(OPTIONS), "--out") as journal:
            journal.add("one", 1)
            raise GivenUpError("the worker died with exit code -9, 3 times at this task", place="seed 1")

    with pytest.raises(typer.Exit):
        died()
    told = "seed 1: the worker died with exit code -9, 3 times at this task; 1 results are kept, go on with --resume"
    assert capsys.readouterr().err == f"andante: {told}\n"
    assert path.exists()


class Nearly(io.FileIO):
    """Takes five bytes at a time, as a disk that is nearly full may."""

    def write(self, data):
        return super().write(data[:5])


def test_a_line_that_is_taken_in_parts_is_kept_whole(tmp_path):
    path = tmp_path / "dice.journal"
    journal = StudyJournal(path, SUITE.about(OPTIONS), opened=lambda path, resume: Nearly(path, "x"))
    journal.add("k", 1)
    journal.close()
    assert StudyJournal(path, SUITE.about(OPTIONS), resume=True).results == {"k": 1}


def test_a_new_suite_is_one_file_and_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.SUITES, "dice", "How often does a die show enough?")
    monkeypatch.setitem(sys.modules, "andante.search.suites.dice", toy_suite)
    run = CliRunner().invoke
    out, table = tmp_path / "dice.json", tmp_path / "throws.txt"
    words = ["bench", "dice", "--sides", "6", "--sides", "20", "--seeds", "5"]
    done = run(app, [*words, "--out", str(out), "--table", str(table)])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("d6")
    assert out.read_text() == json.dumps(SUITE.run(OPTIONS, InProcess()).data(), indent=2) + "\n"
    assert table.exists()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["dice.json", "throws.txt"]
    told = run(app, ["bench", "dice", "--help"]).stdout
    assert "What it must show. [default: 2; 1<=x<=100]" in " ".join(told.split())
    assert "How often does a die" in run(app, ["bench", "--help"]).stdout
    for bad, message in (
        (["--least", "0"], "--least"),
        (["--sides", "0"], "andante: d0, seed 0: such a die does not roll; got 0; limit: >= 1"),
        (["--resume"], "andante: there is no journal to go on with; name --out or --journal as before"),
        (["--sides", "x"], "--sides"),
    ):
        refused = run(app, ["bench", "dice", *bad])
        assert refused.exit_code == 2
        assert message in refused.stderr


def test_seeds_that_no_scenario_may_have_are_refused_before_the_first_trial():
    last = 2**32 - 1
    assert [case.seed for case in SUITE.cases(DiceOptions(first_seed=last - 1, seeds=2))] == [last - 1, last]
    with pytest.raises(SearchError, match=f"d6, seed {last + 1}: a seed is too large.*limit: {last}"):
        SUITE.cases(DiceOptions(first_seed=last - 1, seeds=3))
    with pytest.raises(SearchError, match=r"--first-seed: .*4294967295"):
        read_options(DiceOptions, {"first_seed": last + 1})


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files as POSIX has them")
def test_a_bench_that_runs_is_not_gone_on_with(tmp_path):
    """Two that went on with one journal wrote over each other's lines, and the file was lost."""
    path = tmp_path / "dice.journal"
    first = StudyJournal(path, SUITE.about(OPTIONS))
    first.add("one", 1)
    before = path.read_bytes()
    with pytest.raises(SearchError, match="another bench writes into this journal"):
        StudyJournal(path, SUITE.about(OPTIONS), resume=True)
    first.add("two", 2)
    assert path.read_bytes().startswith(before)
    first.close()
    second = StudyJournal(path, SUITE.about(OPTIONS), resume=True)
    assert second.results == {"one": 1, "two": 2}
    second.close()


@pytest.mark.parametrize("end", [b"", b'{"key": "x", "res', b"\x00\x00\x00"])
def test_a_journal_that_was_cut_at_any_byte_loses_no_whole_line(tmp_path, end):
    path = tmp_path / "dice.journal"
    about = SUITE.about(OPTIONS)
    journal = StudyJournal(path, about)
    journal.add("one", 1)
    journal.add("two", 2)
    journal.close()
    whole = path.read_bytes()
    lengths = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    # A kill cuts what was written, a crash leaves zeros; of a first line no other is begun behind it.
    for cut in range(lengths[0] if b"key" in end else 0, len(whole), 7):
        path.write_bytes(whole[:cut] + end)
        again = StudyJournal(path, about, resume=True)
        assert len(again.results) == max(sum(length <= cut for length in lengths) - 1, 0)
        again.add("three", 3)
        again._file.close()
        assert StudyJournal(path, about, resume=True).results.keys() >= {"three"}
