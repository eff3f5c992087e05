"""The best of a study: kept at any moment, also while a journal is gone through and when a budget ends the search."""

from __future__ import annotations

import errno
import json

import pytest

from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.motions.keyframe import Keyframe
from andante.motions.library import Block, Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.search.executor import InProcess
from andante.search.studies.asking import Batch
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.files import JOURNAL
from andante.search.studies.motion_figures import motion_figures
from andante.search.studies.optimise import BEST, RESULT, optimise
from andante.search.studies.problem import Evaluation
from andante.search.studies.solving import StagedSearch
from andante.search.studies.space import NumberPlace, SearchedNumber
from andante.search.studies.verdict import StudyVerdict

STUDY = {
    "name": "short",
    "experiment": "getup",
    "library": "nao",
    "robot": "nao",
    "set": {"timeout": 0.2, "world.start.settle.duration": 0.2},
    "parameters": [{"path": "blocks.front_fold.keyframes[*].duration", "factor": [0.5, 2.0]}],
    "objectives": [{"metric": "rise.mean", "weight": 1.0}, {"metric": "motion.duration", "weight": -1.0}],
    "stages": [{"type": "sketch", "samples": 6, "best": 2, "seeds": 1}],
    "seeds": {"validation": {"first": 100000, "count": 2}, "verdict": {"first": 200000, "count": 2}},
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a study that nobody disturbed and that found something better than its start."""
    folder = tmp_path_factory.mktemp("whole")
    assert optimise(Study.model_validate(STUDY), folder, InProcess(), pictures=False).leader.stage != "start"
    return folder


@pytest.mark.parametrize(
    "stage",
    [
        {"type": "polish", "population": 8, "generations": 40, "rotate": 5, "seeds": 2, "race": 0},
        {"type": "rounds", "rounds": 6, "population": 8, "generations": 40, "rotate": 5, "seeds": 2, "race": 0},
    ],
)
@pytest.mark.parametrize("trials", [17, 33, 60])
def test_what_a_budget_ends_is_compared_with_the_best_so_far(stage, trials):
    study = Study.model_validate(
        {
            "stages": [stage],
            "objectives": [{"metric": "passed", "weight": 1}],
            "budget": {"evaluations": trials},
            "seeds": {"validation": {"first": 100000, "count": 1}},
        }
    )
    place = NumberPlace("scenario", ("controller", "pause_time"), 0.5)
    numbers = [SearchedNumber((place,), "range", 0.0, 1.0)] * 2
    search = StagedSearch(
        study, (0.5, 0.5), Conditions(), over=lambda share: search.trials >= share * trials, numbers=numbers
    )
    asking = search.solve()
    try:
        batch = next(asking)
        while True:
            assert isinstance(batch, Batch)
            batch = asking.send([[Evaluation(sum(p), False) for _ in batch.seeds] for p in batch.points])
    except StopIteration:
        pass
    assert search.trials < trials + 8 * 2 + 2

    assert sum(search.leader.point) > 1.0
    assert search.leader.stage != "start"


@pytest.mark.slow
def test_a_resumed_study_never_puts_its_start_in_place_of_its_best(whole, tmp_path):
    for name in (JOURNAL, BEST):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    seen = []

    def killed(progress):
        seen.append((tmp_path / BEST).read_bytes())
        if "again" in progress.batch:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False, tell=killed)
    assert seen
    assert {*seen, (tmp_path / BEST).read_bytes()} == {(whole / BEST).read_bytes()}


@pytest.mark.slow
def test_the_best_that_a_journal_leads_to_is_written_where_it_was_not(whole, tmp_path):
    lines = (whole / JOURNAL).read_bytes().splitlines(keepends=True)
    # Killed between the line that brought a new best and its file.
    kept = next(at for at, line in enumerate(lines) if b'"verdict before"' in line)
    (tmp_path / JOURNAL).write_bytes(b"".join(lines[:kept]))
    (tmp_path / BEST).write_text("an earlier best\n", encoding="utf-8")

    def killed(progress):
        if progress.batch == "verdict before":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False, tell=killed)
    assert (tmp_path / BEST).read_bytes() == (whole / BEST).read_bytes()


@pytest.mark.slow
def test_a_strip_that_a_kill_prevented_is_drawn_on_resuming(whole, tmp_path, monkeypatch):
    drawn = []

    def strip(problem, point, path, note):
        drawn.append(path.name)
        path.write_bytes(b"strip")

    monkeypatch.setattr("andante.search.studies.optimise._strip", strip)
    monkeypatch.setattr("andante.search.studies.page.write_page", lambda *args: None)
    (tmp_path / JOURNAL).write_bytes((whole / JOURNAL).read_bytes())
    (tmp_path / "strip-start.png").write_bytes(b"drawn before the kill")
    optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True)
    assert drawn == ["strip-1-sketch.png"]
    assert (tmp_path / RESULT).read_bytes() == (whole / RESULT).read_bytes()


def test_a_best_of_somebody_else_is_not_written_over(tmp_path):
    (tmp_path / BEST).write_text("mine\n", encoding="utf-8")
    with pytest.raises(AndanteError, match=r"best.yaml: would be written over.*--out"):
        optimise(Study.model_validate(STUDY), tmp_path, InProcess(), pictures=False)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(BEST, "mine\n")]


def test_a_study_that_other_code_began_is_not_gone_on_with(whole, tmp_path):
    lines = (whole / JOURNAL).read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])
    ours = first["on"]["andante source"]
    first["on"]["andante source"] = "0123456789abcdef"
    text = b"".join([json.dumps(first).encode() + b"\n", *lines[1:]])
    (tmp_path / JOURNAL).write_bytes(text)
    (tmp_path / BEST).write_bytes((whole / BEST).read_bytes())
    with pytest.raises(AndanteError) as caught:
        optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False)
    assert "was made by other code of Andante" in str(caught.value)
    assert f"got '0123456789abcdef'; limit: {ours}; go back to that code" in str(caught.value)
    assert (tmp_path / JOURNAL).read_bytes() == text
    del first["on"]["andante source"]
    (tmp_path / JOURNAL).write_bytes(b"".join([json.dumps(first).encode() + b"\n", *lines[1:]]))
    optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False)
    assert (tmp_path / RESULT).read_bytes() == (whole / RESULT).read_bytes()


def test_a_line_that_is_no_json_is_named_and_without_it_the_study_goes_on(whole, tmp_path):
    lines = (whole / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(b"".join([*lines[:2], b"\0" * 40 + b"\n", *lines[3:]]))
    with pytest.raises(AndanteError, match=r"journal.jsonl:3: is no line of a bench journal.*delete this line"):
        optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False)
    (tmp_path / JOURNAL).write_bytes(b"".join([*lines[:2], *lines[3:]]))
    optimise(Study.model_validate(STUDY), tmp_path, InProcess(), resume=True, pictures=False)
    assert (tmp_path / RESULT).read_bytes() == (whole / RESULT).read_bytes()
    kept = (tmp_path / JOURNAL).read_bytes()
    assert sorted(kept.splitlines()) == sorted((whole / JOURNAL).read_bytes().splitlines())


@pytest.mark.slow
def test_candidates_that_all_come_out_alike_are_told(tmp_path):
    asked = STUDY | {
        "parameters": [{"path": "settings.safe_fall.head_stiffness", "range": [0.0, 1.0]}],
        "objectives": [{"metric": "rise.mean", "weight": 1.0}],
    }
    result = optimise(Study.model_validate(asked), tmp_path, InProcess(), pictures=False)
    assert "what was searched changes nothing that counts" in " ".join(result.notes)
    assert json.loads((tmp_path / RESULT).read_text())["notes"] == result.notes


@pytest.mark.slow
def test_what_is_found_has_no_numbers_that_a_seed_drew(tmp_path):
    asked = STUDY | {
        "options": {"spread": "standard"},
        "parameters": [{"path": "controller.pause_error", "factor": [0.5, 2]}],
    }
    optimise(Study.model_validate(asked), tmp_path, InProcess(), pictures=False)
    from andante.runs.scenario_files import load_scenario

    assert load_scenario(tmp_path / "best-scenario.yaml").world.servo_strength == 1.0


def test_the_duration_of_a_motion_counts_each_run_of_a_block():
    blocks = {
        "step": Block(keyframes=(Keyframe(duration=0.2), Keyframe(duration=0.3))),
        "end": Block(keyframes=(Keyframe(duration=0.1),)),
    }
    walk = {"walk": Motion(blocks=("step", "step", "step", "end"))}
    library = MotionLibrary(robot="nao", motions=walk, blocks=blocks)
    assert motion_figures(library, Robot.load("nao"))["duration"] == pytest.approx(3 * 0.5 + 0.1)


@pytest.mark.slow
def test_a_disk_that_is_too_full_for_the_best_tells_how_to_go_on(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from andante.cli.app import app
    from andante.documents.writer import save_document
    from andante.search.studies import optimise as module

    def full(path, text, *, follow=True):
        if path.name == BEST:
            try:
                raise OSError(errno.ENOSPC, "No space left on device")
            except OSError as error:
                raise DocumentError("cannot be written: No space left on device", place=str(path)) from error
        write(path, text, follow=follow)

    write = module.write_text
    save_document(Study.model_validate(STUDY), tmp_path / "study.yaml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "write_text", full)
    told = CliRunner().invoke(app, ["optimise", "study.yaml", "--no-pictures"])
    assert told.exit_code == 2
    assert "best.yaml: cannot be written: No space left on device; go on with --resume" in told.output + told.stderr
    monkeypatch.setattr(module, "write_text", write)
    assert CliRunner().invoke(app, ["optimise", "study.yaml", "--no-pictures", "--resume"]).exit_code == 0


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        ({"at_most": 0.1}, ["constraint max_tilt <= 0.1 is broken in 2 of 3 trials of the verdict, the worst 0.4"]),
        ({"at_least": 0.3}, ["constraint max_tilt >= 0.3 is broken in 2 of 3 trials of the verdict, the worst 0.05"]),
        ({"at_least": 0.0, "at_most": 0.5}, []),
    ],
)
def test_a_constraint_that_the_result_breaks_is_told(bounds, told):
    """A search that finds nothing that keeps it gave a table without a word."""
    study = Study.model_validate({**STUDY, "constraints": [{"metric": "max_tilt", **bounds}]})
    after = [Evaluation(1.0, True, {"max_tilt": tilt}) for tilt in (0.05, 0.2, 0.4)]
    assert StudyVerdict(after, after, {}).broken(study) == told
