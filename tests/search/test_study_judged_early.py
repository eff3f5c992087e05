"""A study that is judged before its search has ended says so; one that goes on afterwards claims no untouched seeds."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from by_command import begin, finish
from typer.testing import CliRunner

from andante.cli.app import app
from andante.documents.writer import save_document
from andante.errors import AndanteError
from andante.runs.motion_libraries import load_motions
from andante.search.executor import InProcess, Processes
from andante.search.studies.document import Study
from andante.search.studies.driving import Driver, SearchEnded
from andante.search.studies.files import JOURNAL
from andante.search.studies.optimise import BEST, PAGE, RESULT, optimise
from andante.search.studies.problem import Problem
from andante.search.studies.progress import PROGRESS, look, read_progress
from andante.search.studies.stages import most_of_stages

STUDY = Study.model_validate(
    {
        "name": "hasty",
        "experiment": "getup",
        "library": "nao",
        "robot": "nao",
        "set": {"timeout": 0.2, "world.start.settle.duration": 0.2},
        "parameters": [{"path": "blocks.front_fold.keyframes[*].duration", "factor": [0.5, 2.0]}],
        "objectives": [{"metric": "motion.duration", "weight": -1.0}, {"metric": "rise.mean", "weight": 1.0}],
        "stages": [
            {"type": "sketch", "samples": 30, "best": 2, "seeds": 1},
            {"type": "polish", "population": 4, "generations": 4, "rotate": 1, "seeds": 2, "race": 1},
        ],
        "seeds": {"validation": {"first": 100000, "count": 2}, "verdict": {"first": 200000, "count": 2}},
        # More time than it ever takes: one that was used up is written into what it tells of its progress.
        "budget": {"seconds": 1000.0},
    }
)


def cut(whole, folder, lines):
    """A folder with the first lines of a journal, as a kill leaves it."""
    folder.mkdir()
    kept = whole.splitlines(keepends=True)[:lines]
    (folder / JOURNAL).write_bytes(b"".join(kept))
    return folder


def result_of(folder):
    return json.loads((folder / RESULT).read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What a study writes that nobody disturbs."""
    folder = tmp_path_factory.mktemp("whole")
    optimise(STUDY, folder, InProcess(), pictures=False)
    return {name: (folder / name).read_bytes() for name in (JOURNAL, BEST, RESULT, PROGRESS)}


@pytest.fixture(scope="module")
def judged(whole, tmp_path_factory):
    """A study that was killed in its polishing, and judged."""
    folder = cut(whole[JOURNAL], tmp_path_factory.mktemp("judged") / "hasty", 9)
    optimise(STUDY, folder, InProcess(), judge=True, pictures=False)
    return folder


@pytest.mark.slow
def test_a_study_that_ran_to_its_end_says_nothing_of_an_early_one(whole):
    told = json.loads(whole[RESULT])
    assert (told["ended by hand after"], told["earlier verdicts"]) == (None, [])
    assert not any("by hand" in note or "untouched" in note for note in told["notes"])


@pytest.mark.slow
def test_a_study_that_is_judged_early_says_after_how_many_trials_and_judges_its_best(whole, judged):
    told, lines = result_of(judged), (judged / JOURNAL).read_bytes().splitlines()
    # The start, thirty samples in two batches, two again, two validated, the first generation in two and validated.
    searched = 2 + 30 + 2 + 4 + 4 + 2 + 4
    assert told["ended by hand after"] == searched
    assert told["notes"][0].startswith(f"the search was ended by hand after {searched} of at most 86 trials")
    keys = [json.loads(line)["key"] for line in lines[1:]]
    assert lines[:9] == whole[JOURNAL].splitlines()[:9]
    assert keys[8:10] == ["verdict before", f"verdict at {searched} after"]
    space = Problem(STUDY).space
    found, best = load_motions(judged / BEST).blocks["front_fold"], told["point"]
    values = [value for each, at in zip(space.parameters, best, strict=True) for value in each.values(at)]
    assert [frame.duration for frame in found.keyframes] == pytest.approx(values, abs=1e-9)
    (after,) = [row for row in told["rows"] if row["name"] == "success after"]
    assert after["n"] == 2


@pytest.mark.slow
def test_the_verdict_of_an_early_end_has_the_same_bytes_wherever_it_was_cut(judged, tmp_path):
    written, journal = (judged / RESULT).read_bytes(), (judged / JOURNAL).read_bytes()
    for number in (10, 11, journal.count(b"\n")):
        folder = cut(journal, tmp_path / str(number), number)
        optimise(STUDY, folder, Processes(2), judge=True, pictures=False)
        assert (folder / RESULT).read_bytes() == written
        assert (folder / JOURNAL).read_bytes() == journal
        assert (folder / BEST).read_bytes() == (judged / BEST).read_bytes()


@pytest.mark.slow
def test_a_search_that_goes_on_after_its_verdict_finds_the_same_and_claims_no_untouched_seeds(whole, judged, tmp_path):
    journal = (judged / JOURNAL).read_bytes()
    folder = cut(journal, tmp_path / "on", journal.count(b"\n"))
    optimise(STUDY, folder, InProcess(), resume=True)
    told, undisturbed = result_of(folder), json.loads(whole[RESULT])
    share = sum(each[1] for each in result_of(judged)["verdict"]["after"]) / 2
    assert told["earlier verdicts"] == [{"trials": 48, "share": share}]
    assert "not untouched" in told["notes"][0]
    assert "untouched seeds" not in (folder / PAGE).read_text().replace("not untouched", "")
    # The verdict chose nothing: all else is what a search finds that was never judged.
    for data in (told, undisturbed):
        data.pop("earlier verdicts"), data.pop("notes")
    assert told == undisturbed
    assert (folder / BEST).read_bytes() == whole[BEST]


@pytest.mark.slow
def test_nothing_is_judged_where_there_is_no_study_nor_a_best_nor_an_end_of_the_search(whole, tmp_path):
    from andante.runs.logs.folder import claimed

    with pytest.raises(AndanteError, match="mistyped: holds no study, so nothing can be judged; name the folder"):
        optimise(STUDY, tmp_path / "mistyped", InProcess(), judge=True, pictures=False)
    assert not (tmp_path / "mistyped").exists()
    with pytest.raises(AndanteError, match="nothing has been found yet that could be judged"):
        optimise(STUDY, cut(whole[JOURNAL], tmp_path / "empty", 1), InProcess(), judge=True, pictures=False)
    folder = cut(whole[JOURNAL], tmp_path / "runs", 5)
    with claimed(folder), pytest.raises(AndanteError, match="the search in this folder still goes on; end it with"):
        optimise(STUDY, folder, InProcess(), judge=True, pictures=False)


@pytest.mark.slow
def test_time_that_was_up_before_a_kill_does_not_leave_out_what_was_found(whole, tmp_path):
    """A resumed search ended at its first batch, and its best with it."""
    lines = whole[JOURNAL]
    folder = cut(lines, tmp_path / "killed", 9)
    (folder / PROGRESS).write_bytes(whole[PROGRESS])
    read_progress(folder).but(seconds=1001.0).write(folder)
    told = optimise(STUDY, folder, InProcess(), resume=True, pictures=False)
    keys = [json.loads(line)["key"] for line in (folder / JOURNAL).read_bytes().splitlines()[1:]]
    assert keys[:8] == [json.loads(line)["key"] for line in lines.splitlines()[1:9]]
    assert keys[8:10] == ["out of time", "verdict before"]
    assert told.trials > 48


@pytest.mark.slow
def test_a_verdict_on_many_seeds_is_work_for_all_workers():
    seeds = STUDY.seeds.model_copy(update={"verdict": STUDY.seeds.verdict.model_copy(update={"count": 12})})
    many = STUDY.model_copy(update={"seeds": seeds})
    problem, sizes = Problem(many), []

    class Counting(InProcess):
        def stream(self, function, draw, instead=None):
            def noted():
                task = draw()
                sizes.append(0 if task is None else len(task.seeds))
                return task

            return super().stream(function, noted, instead)

    from andante.search.studies.driving import keep_problem
    from andante.search.studies.verdict import judging

    keep_problem("hasty", problem)
    start = tuple(problem.space.start.tolist())
    verdict = Driver(many, "hasty").run(judging(many, start, start, motions=False), Counting())
    apart = Driver(many, "hasty", apart=True).run(judging(many, start, start, motions=False), InProcess())
    assert sizes[:4] == [10, 2, 10, 2]
    assert verdict.data() == apart.data()


def test_a_search_is_ended_where_its_journal_ends():
    def asking():
        try:
            yield from ()
            raise SearchEnded
        except SearchEnded:
            return "ended"

    assert Driver(STUDY, "hasty", ends=True).run(asking(), InProcess()) == "ended"


@pytest.mark.slow
def test_stages_make_no_more_trials_than_they_are_said_to(whole):
    told = json.loads(whole[RESULT])
    assert told["trials"] - 2 * 6 <= most_of_stages(STUDY.stages, 2) == 2 + 30 + 2 + 4 + 4 * (4 * 2 + 4)


@pytest.mark.slow
def test_ctrl_c_then_judge_then_a_look_by_command(tmp_path):
    long = STUDY.model_copy(update={"stages": (STUDY.stages[0].model_copy(update={"samples": 5000}),)})
    save_document(long, tmp_path / "study.yaml")
    words = ("optimise", "study.yaml", "--no-pictures", "--out", "out", "--workers", "2")
    process = begin(tmp_path, *words)
    progress, end = tmp_path / "out" / PROGRESS, time.monotonic() + 240
    while process.poll() is None and not progress.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()
    before = sorted(path.name for path in (tmp_path / "out").iterdir())
    found = look(tmp_path / "out")
    assert found.runs
    assert next(iter(found.lines())) == "study hasty: runs"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == before
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate()
    assert "go on with --resume, or judge it with --judge" in told
    code, out, err = finish(begin(tmp_path, *words, "--judge"))
    assert code == 0, err
    assert "the search was ended by hand after" in out
    after = look(tmp_path / "out")
    assert (after.runs, after.progress.state, after.progress.judged) == (False, "done", after.progress.verdict)


@pytest.mark.slow
def test_a_look_at_a_folder_tells_what_is_next(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["optimise", "nowhere", "--status", "--out", "out"])
    assert told.exit_code == 2
    folder = cut(whole[JOURNAL], tmp_path / "out", 9)
    told = CliRunner().invoke(app, ["optimise", "out", "--status"])
    assert (told.exit_code, told.stdout) == (0, "out: does not run; not a batch is done yet\n")
    optimise(STUDY, folder, InProcess(), resume=True, pictures=False)
    told = CliRunner().invoke(app, ["optimise", "out", "--status"])
    assert told.stdout.startswith("study hasty: done\n78 of at most 86 trials, last batch verdict randomisation x 2,")
    (folder / PROGRESS).write_text('{"study": "hasty"}')
    told = CliRunner().invoke(app, ["optimise", "out", "--status"])
    assert "does not say how far a study is: state: Field required" in told.output
