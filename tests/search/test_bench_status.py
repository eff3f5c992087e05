"""How far a bench is, by its journal alone: while it runs, when it was ended, where the journal is broken or old."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace

import coin_suite
import pytest
import toy_suite
from typer.testing import CliRunner

from andante.cli.app import app
from andante.search.errors import SearchError
from andante.search.executor import InProcess
from andante.search.journal import StudyJournal
from andante.search.limits import Ended
from andante.search.progress import look
from andante.search.suites import registry
from andante.search.versions import compare_now

COIN, OPTIONS = coin_suite.SUITE, coin_suite.CoinOptions(seeds=40)


class Some(InProcess):
    """Makes some results, as a bench that was ended by somebody."""

    def __init__(self, most):
        self.most = most

    def stream(self, function, draw, instead=None):
        for number, result in super().stream(function, draw):
            if number == self.most:
                raise KeyboardInterrupt
            yield number, result


@pytest.fixture
def clock(monkeypatch):
    """Time in steps of two seconds."""
    times = iter(range(1000, 1_000_000, 2))
    monkeypatch.setattr("andante.search.journal.time.time", lambda: float(next(times)))


def begun(path, most, *, resume=False, suite=COIN, options=OPTIONS):
    """A journal that a bench was ended with after so many results; it is still held."""
    journal = StudyJournal(path, suite.about(options), resume=resume)
    with pytest.raises(KeyboardInterrupt):
        suite.run(options, Some(most), journal)
    return journal


def status(*words):
    done = CliRunner().invoke(app, ["bench", *map(str, words), "--status"])
    return done.exit_code, (done.stdout or done.stderr).splitlines()


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files as POSIX has them")
def test_a_bench_that_runs_tells_trials_successes_pace_and_time_left(tmp_path, clock):
    path = tmp_path / "r.json.journal"
    journal = begun(path, 10)
    before = path.read_bytes()
    found = look(path)
    assert (found.runs, found.made, found.asked, found.waiting, found.suite) == (True, 10, 40, 30, "coin")
    # One result each two seconds.
    assert (found.rate, found.left) == (0.5, 60.0)
    (case,) = found.cases
    good = sum(coin_suite.throw("fair", seed).good for seed in range(10))
    assert (case.case, case.judged, case.good) == ("thrown", 10, good)
    assert found.rows[0].interval == pytest.approx(found.data()["cases"][0]["interval"])
    code, lines = status(path)
    assert (code, lines[0]) == (0, "bench coin: runs")
    assert lines[1].startswith("10 of 40 trials, the last one ")
    assert lines[2].split()[:4] == ["thrown", f"{good / 10:g}", "share", "n=10"]
    assert lines[3] == "next: 30 trials, 60 s at this rate"
    assert len(lines) == 4
    assert path.read_bytes() == before
    journal.close()


@pytest.mark.skipif(os.name != "posix", reason="needs locks of files as POSIX has them")
def test_a_clock_that_is_set_back_tells_no_pace(tmp_path, monkeypatch):
    """It was ten thousand trials per second, and no time left."""
    times = iter([5000.0, *map(float, range(1000, 2000, 2))])
    monkeypatch.setattr("andante.search.journal.time.time", lambda: next(times))
    path = tmp_path / "r.json.journal"
    begun(path, 10).close()
    found = look(path)
    assert (found.made, found.rate, found.left) == (10, 0.0, None)
    assert status(path)[1][1].startswith("10 of 40 trials, the last one ")
    assert "per s" not in "".join(status(path)[1])


def test_a_bench_that_was_ended_says_so_and_its_pace_counts_from_where_it_was_gone_on_with(tmp_path, clock):
    path = tmp_path / "r.json.journal"
    begun(path, 10).close()
    assert status(path)[1][0] == "bench coin: does not run: it was ended before its end"
    assert status(path)[1][-1] == "go on with --resume"
    begun(path, 5, resume=True).close()
    found = look(path)
    assert (found.made, found.asked, found.lately, found.rate) == (15, 40, 5, 0.5)


def test_one_that_is_written_and_one_that_is_broken_are_told(tmp_path):
    path = tmp_path / "r.json.journal"
    begun(path, 4).close()
    whole = path.read_bytes()
    for cut in range(whole.rindex(b'{"key"') + 1, len(whole), 40):
        path.write_bytes(whole[:cut])
        assert (look(path).made, look(path).unread) == (3, ())
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"ke\n', b'"word"\n', *lines[4:]]))
    assert (look(path).made, look(path).unread) == (3, (4, 5))
    assert "line 4 and 1 more is broken: delete it, what it told is made again" in status(path)[1]
    for text in (b"", b'{"format": "andante.ben', b"no journal\n"):
        path.write_bytes(text)
        with pytest.raises(SearchError, match="is no journal of a bench"):
            look(path)


def test_a_journal_of_an_earlier_version_tells_what_it_can(tmp_path):
    path = tmp_path / "r.json.journal"
    about = {"format": "andante.bench-journal", "version": 1, "andante": "0.0.9", "suite": "kick", "option": {}}
    results = [{"key": str(number), "result": {"passed": number > 0}} for number in range(4)]
    path.write_text("".join(json.dumps(each) + "\n" for each in (about, *results)))
    code, lines = status(path)
    assert (code, lines[1]) == (0, "4 trials; an earlier version's journal does not tell how many are asked for")
    assert lines[2].split()[:4] == ["success", "0.75", "share", "n=4"]
    assert lines[-1].startswith("only what began it goes on with it: andante 0.0.9, ")
    assert look(path).left is None


def test_a_trial_that_was_ended_is_told_and_no_success(tmp_path):
    class Ending(InProcess):
        def stream(self, function, draw, instead=None):
            for number, case in enumerate(iter(draw, None)):
                if number == 3:
                    raise KeyboardInterrupt
                yield number, function(case) if number else instead(case, Ended("ended after 5 s", 5.0))

    path = tmp_path / "r.json.journal"
    suite = replace(COIN, ended=lambda setup, seed, why: coin_suite.Throw(False, 0.0))
    journal = StudyJournal(path, suite.about(OPTIONS))
    with pytest.raises(KeyboardInterrupt):
        suite.run(OPTIONS, Ending(), journal)
    journal.close()
    (case,) = look(path).cases
    assert (case.made, case.ended, case.judged, case.good, look(path).waiting) == (2, 1, 3, 2, 37)
    assert "1 more were ended at a limit: no success; --resume tries them again" in status(path)[1]
    resumed = StudyJournal(path, suite.about(OPTIONS), resume=True)
    suite.run(OPTIONS, InProcess(), resumed)
    resumed.close()
    (case,) = look(path).cases
    assert (case.made, case.ended) == (40, 0)
    assert "next: its results are told and written; all trials are made" in status(path)[1]


def test_of_two_versions_that_are_compared_each_is_a_case(tmp_path):
    path = tmp_path / "c.journal"
    journal = StudyJournal(path, {"suite": "compare coin"})
    heavy = coin_suite.CoinOptions(seeds=40, library="heavy")
    with pytest.raises(KeyboardInterrupt):
        compare_now(COIN, OPTIONS, heavy, Some(50), journal=journal)
    journal.close()
    found = look(path)
    assert [(each.case, each.asked, each.made) for each in found.cases] == [
        ("first: thrown", 40, 40),
        ("second: thrown", 40, 10),
    ]
    assert status("compare", "a", "b", "--journal", path)[1][0].startswith("bench compare coin: ")


def test_the_command_finds_the_journal_and_what_came_of_it(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.SUITES, "dice", "How often does a die show enough?")
    monkeypatch.setitem(sys.modules, "andante.search.suites.dice", toy_suite)
    out, asked = tmp_path / "dice.json", toy_suite.DiceOptions(seeds=3)
    words = ("dice", "--seeds", "3", "--out", out)
    assert "is not there: no bench has begun it, or it went with its end" in status(*words)[1][0]
    begun(tmp_path / "dice.json.journal", 2, suite=toy_suite.SUITE, options=asked).close()
    code, lines = status(*words)
    # Whether a die has shown enough is of its report, and no success.
    assert (code, lines[2]) == (0, "next: 1 trials, 0 s at this rate")
    told = CliRunner().invoke(app, ["bench", str(out) + ".journal", "--status", "--json"])
    assert json.loads(told.stdout)["cases"] == [
        {
            "case": "d6",
            "asked": 3,
            "made": 2,
            "ended": 0,
            "judged": 0,
            "good": 0,
            "share": None,
            "interval": None,
        }
    ]
    assert CliRunner().invoke(app, ["bench", *map(str, words), "--resume"]).exit_code == 0
    for again in (words, (f"{out}.journal",)):
        assert status(*again) == (0, [f"bench dice: done, its results are in {out}"])
    assert status("dice") == (
        2,
        ["andante: --status: a bench is looked at by its journal; name --out or --journal as it has"],
    )
    assert "ask for one of the two" in status(*words, "--resume")[1][0]
    journal = tmp_path / "mine"
    begun(journal, 1, suite=toy_suite.SUITE, options=asked).close()
    refused = CliRunner().invoke(app, ["bench", str(journal)])
    assert (refused.exit_code, "is the journal of a bench, and no suite; --status tells" in refused.stderr) == (2, True)
    out.write_text("[]")
    assert "holds no results of a bench" in status(*words)[1][0]


def test_the_journal_of_a_study_is_asked_for_by_its_own_command(tmp_path):
    (tmp_path / "journal.jsonl").write_text('{"format": "andante.bench-journal", "version": 1, "study": {}}\n')
    assert (
        f"of a study, not of a bench; ask: andante optimise {tmp_path} --status"
        in status(tmp_path / "journal.jsonl")[1][0]
    )
