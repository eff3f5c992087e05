"""Motions that a study sketches, as what judges are asked about: drawn as its search draws them, each with a seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.documents.reader import load_document
from andante.motions.library import MotionLibrary
from andante.search.errors import SearchError
from andante.search.experiment.trial import TrialResult
from andante.search.judging.drawn import DrawnMotions, drawn_set
from andante.search.judging.judges import judges_named
from andante.search.studies.asking import Leader
from andante.search.studies.driving import study_digest
from andante.search.studies.files import load_study
from andante.search.studies.problem import Problem
from andante.search.studies.solving import StagedSearch, stage_random

STUDY = """
format: andante.study
version: 1
name: unpolished-wave
experiment: getup
robot: nao
library: nao
options: {start: front, spread: none, tries: 1}
parameters:
  - {path: "blocks.*.keyframes[0].duration", factor: [0.5, 2.0]}
objectives: [{metric: get-up.first_try, weight: 1}]
success: {metric: get-up.first_try}
stages: [{type: sketch, samples: 9, width: 0.5}]
seeds: {training: {first: 500, count: 9}}
seed: 5
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return path


def told(cases, passes):
    """Results as a rule of the seed makes them."""
    found: dict[str, list[TrialResult]] = {}
    for case in cases:
        metrics = {"get-up": {"first_try": passes(case.seed)}}
        found.setdefault(case.group, []).append(TrialResult(case.seed, None, (), metrics))
    return found


def test_they_are_the_candidates_of_the_studys_own_sketch_without_its_start(study, tmp_path):
    loaded = load_study(study)
    problem = Problem(loaded)
    start = tuple(float(each) for each in problem.space.start)
    search = StagedSearch(loaded, start, problem.training)
    search.leader = Leader(start, 0.0, 0.0)
    stage = search._sketch(loaded.stages[0], "1 sketch", stage_random(loaded, 0))
    points = next(stage).points
    assert points[0] == pytest.approx(start)
    drawn = DrawnMotions(loaded, tmp_path / "drawn").draw(3)
    assert list(drawn) == ["0001", "0002", "0003"]
    for point, variant in zip(points[1:4], drawn.values(), strict=True):
        kept = load_document(Path(variant.set["controller.library"]), MotionLibrary)
        wanted = problem.candidate(point).library
        for name, block in wanted.blocks.items():
            here = kept.blocks[name].keyframes[0].duration
            assert here == pytest.approx(block.keyframes[0].duration, abs=1e-6)


def test_half_pass_and_half_fail_in_the_order_in_which_they_were_drawn(study, tmp_path):
    motions = DrawnMotions(load_study(study), tmp_path / "drawn")
    asked = []

    def make(cases):
        asked.extend(case.seed for case in cases)
        return told(cases, lambda seed: seed % 3 == 0)

    found = drawn_set(motions, motions.experiment, judges_named("soft"), 4, 500, make, marginal=True)
    # 501 and 504 pass, 500 and 502 are the first that fail.
    assert asked[:5] == [500, 501, 502, 503, 504]
    assert (found.passed, found.failed, found.drawn, found.drawn_passed, found.last_seed) == (2, 2, 5, 2, 504)
    assert sorted({case.seed for case in found.cases}) == [500, 501, 502, 504]
    assert len(found.cases) == 8, "each motion as asked and by the judge"
    libraries = {case.seed: case.setup.base.controller.library for case in found.cases}
    assert [Path(libraries[seed]).stem for seed in (500, 501, 502, 504)] == ["0001", "0002", "0003", "0005"]
    assert "of 5 drawn (2 passed)" in str(found)
    assert "experiment" not in found.data()


def test_without_marginal_the_first_motions_are_taken(study, tmp_path):
    motions = DrawnMotions(load_study(study), tmp_path / "drawn")
    make = lambda cases: told(cases, lambda seed: True)  # noqa: E731
    found = drawn_set(motions, motions.experiment, judges_named("soft"), 3, 500, make, marginal=False)
    assert (found.passed, found.failed, found.drawn) == (3, 0, 3)


@pytest.mark.slow
def test_worlds_of_one_verdict_are_refused_with_what_was_found(study, tmp_path):
    motions = DrawnMotions(load_study(study), tmp_path / "drawn")
    make = lambda cases: told(cases, lambda seed: True)  # noqa: E731
    with pytest.raises(SearchError, match="80 of 80 passed"):
        drawn_set(motions, motions.experiment, judges_named("soft"), 2, 500, make, marginal=True)


def test_a_journal_of_another_study_is_told_by_the_studys_digest(study, tmp_path):
    one = load_study(study)
    study.write_text(STUDY.replace("width: 0.5", "width: 0.4"))
    other = load_study(study)
    digests = {DrawnMotions(each, tmp_path / "drawn").digest for each in (one, other)}
    assert digests == {study_digest(one), study_digest(other)}
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("text", "asked", "message"),
    [
        (STUDY, ["--start", "front"], "--start: is not for the motions of a study's sketch"),
        (STUDY, ["--only", "front"], "--only: is not for the motions of a study's sketch"),
        (STUDY, ["--record"], "--record: is not for the motions of a study's sketch"),
        (STUDY, ["--marginal", "--seeds", "1"], "--seeds: a marginal set has both verdicts; got 1"),
        (STUDY.replace("sketch, samples: 9, width: 0.5", "polish"), [], "motions are drawn by a study's sketch"),
        (STUDY.replace("first_try}\n", "tries, is: {below: 2}}\n"), [], "judges are asked whether something is so"),
        (STUDY.replace("blocks.*", "blocks.nothing"), [], "parameters[0]"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_message(text, asked, message, study, tmp_path):
    study.write_text(text)
    done = CliRunner().invoke(app, ["judge", str(study), "--in", "soft", "--motions", str(tmp_path / "m"), *asked])
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert done.output.count("\n") == 1


def test_motions_are_kept_of_a_study_alone():
    done = CliRunner().invoke(app, ["judge", "nao/wave", "--in", "soft", "--motions", "kept"])
    assert done.exit_code == 2
    assert "--motions: only the motions of a study's sketch are kept; got 'nao/wave'" in done.output
