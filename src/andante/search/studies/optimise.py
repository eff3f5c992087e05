"""Optimising by a study: from its document to a motion file, a table, pictures; after any interruption it goes on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from andante.documents.files import read_text, write_bytes, write_text
from andante.documents.writer import dump_document, updated_text
from andante.errors import AndanteError
from andante.motions.library import MotionLibrary
from andante.runs.controls.motions import MotionControl
from andante.runs.logs.folder import claimed, held
from andante.runs.motion_libraries import library_path
from andante.runs.scenario_files import load_scenario
from andante.search.errors import SearchError
from andante.search.executor import Executor
from andante.search.experiment.document import Experiment
from andante.search.experiment.inputs import files_named, inputs_of
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import changed_scenario
from andante.search.journal import RUNS_ON, StudyJournal, fingerprints
from andante.search.studies.asking import Leader, Point
from andante.search.studies.document import Study
from andante.search.studies.driving import Driver, SearchEnded, keep_problem, study_digest
from andante.search.studies.files import JOURNAL, MOTION_UNITS
from andante.search.studies.problem import Problem
from andante.search.studies.progress import ProgressFile, StudyProgress, read_progress
from andante.search.studies.result import StudyResult
from andante.search.studies.solving import StagedSearch
from andante.search.studies.stages import refuse_lacking
from andante.search.studies.verdict import StudyVerdict, earlier_verdicts, judging, verdict_trials
from andante.search.toolchain import toolchain
from andante.version import __version__

BEST, SCENARIO = "best.yaml", "best-scenario.yaml"
RESULT, PAGE = "study.json", "study.html"
"""Names of the files in a study's folder."""


def optimise(
    study: Study,
    folder: Path,
    executor: Executor,
    *,
    resume: bool = False,
    judge: bool = False,
    apart: bool = False,
    pictures: bool = True,
    tell: Callable[[StudyProgress], None] = lambda progress: None,
    note: Callable[[str], None] = lambda text: None,
) -> StudyResult:
    """Search, judge and write what came of it.

    The best so far stands in ``best.yaml`` at any moment, whatever ends the search; beside a motion file what belongs
    to the scenario stands in ``best-scenario.yaml``.

    Args:
        study: What is asked, in full.
        folder: Where everything is written.
        executor: What runs the trials; the result does not depend on it.
        resume: Go on with what is there.
        judge: Search no farther: judge the best that is there. Whoever lets the search go on later is told by the
            result that the verdict's seeds were used.
        apart: Make each trial a task of its own, for an executor that ends those that take too long.
        pictures: Draw film strips and the page; what cannot be drawn is told.
        tell: Told after every batch.
        note: Told what a person should know.

    Raises:
        AndanteError: The study cannot be run as asked, or another search is in the folder.
    """
    inputs = fingerprints(study_inputs(study))
    problem = Problem(study)
    name = study_digest(study, inputs)
    keep_problem(name, problem)
    start: Point = tuple(float(each) for each in problem.space.start)
    if judge:
        _refuse_no_judging(folder)
    else:
        refuse_lacking(study.stages)
    with claimed(folder), closing(_journal(study, folder, resume or judge, inputs)) as journal:
        leaders: list[Leader] = []
        motions = problem.library is not None
        before = read_progress(folder) if resume or judge else None
        course = ProgressFile(folder, study, verdict_trials(study, motions))

        def led(leader: Leader) -> None:
            leaders[:] = [leader]
            # While a journal is gone through, the best that it led to stands there already.
            if not driver.replaying:
                keep()

        def keep() -> None:
            if not leaders:
                return
            (leader,) = leaders
            write_text(folder / BEST, found_text(problem, leader), follow=False)
            beside = found_beside(problem, leader)
            if beside:
                write_text(folder / SCENARIO, beside, follow=False)

        def staged(name: str, leader: Leader) -> None:
            strip = folder / f"strip-{name.replace(' ', '-')}.png"
            if not math.isfinite(leader.value):
                # It may be one that never ends.
                note("no film strip: one of its trials could not be run")
            elif pictures and not (driver.replaying and strip.is_file()):
                _strip(problem, leader.point, strip, note)

        def told(key: str, known: bool) -> None:
            at = course.at(key, driver.trials, (driver.searching, driver.judging), search.leader, known=known)
            tell(at)
            if not known:
                at.write(folder)

        spent = (0.0, 0.0) if before is None else (before.seconds, before.seconds_judging)
        # Whoever was killed may not have come to write the best that its journal leads to.
        driver = Driver(study, name, journal, spent, told, keep, ends=judge, apart=apart)
        search = StagedSearch(study, start, problem.training, driver.over, led, staged, problem.space.parameters)

        def everything() -> Generator[Any, Any, tuple[Leader, StudyVerdict, int, bool]]:
            early = False
            try:
                yield from search.solve()
            except SearchEnded:
                early = True
            if not leaders:
                what, remedy = "nothing has been found yet that could be judged", "search on with --resume"
                raise SearchError(what, place=str(folder), remedy=remedy)
            (leader,), searched = leaders, driver.trials
            if early:
                staged(f"best after {searched} trials", leader)
            driver.judge()
            course.judging(searched)
            verdict = yield from judging(study, start, leader.point, motions, searched if early else None)
            return leader, verdict, searched, early

        leader, verdict, searched, early = driver.run(everything(), executor)
        result = StudyResult(
            study,
            folder,
            leader,
            verdict,
            search.course,
            driver.trials,
            driver.seconds,
            searched if early else None,
            tuple(earlier_verdicts(journal.results, searched)),
            problem.space.given,
        )
        write_text(folder / RESULT, json.dumps(result.data(), indent=2, allow_nan=False) + "\n", follow=False)
        if pictures:
            from andante.search.studies.page import write_page

            write_page(folder / PAGE, result, problem)
        course.done()
        return result


def _refuse_no_judging(folder: Path) -> None:
    """Refuse to judge where there is no study, or one whose search still goes on.

    Raises:
        SearchError: So it is.
    """
    if not (folder / JOURNAL).is_file():
        remedy = "name the folder of a study with --out"
        raise SearchError("holds no study, so nothing can be judged", place=str(folder), remedy=remedy)
    if held(folder):
        remedy = "end it with Ctrl-C, or wait for its end"
        raise SearchError("the search in this folder still goes on", place=str(folder), remedy=remedy)


def _journal(study: Study, folder: Path, resume: bool, inputs: Mapping[str, str]) -> StudyJournal:
    """The journal of a study; it stays, as it is what the result was made from."""
    path = folder / JOURNAL
    about = {
        "andante": __version__,
        "study": json.loads(study.model_dump_json(by_alias=True)),
        "input": inputs,
        RUNS_ON: toolchain(),
    }
    if path.exists() and not resume:
        remedy = "go on with --resume, or name another folder with --out"
        raise SearchError("holds a study already", place=str(path), remedy=remedy)
    there = next((each for each in (folder / BEST, folder / SCENARIO) if each.exists()), None)
    if not resume and there is not None:
        what, remedy = "would be written over, and is no file of this study", "name another folder with --out"
        raise SearchError(what, place=str(there), remedy=remedy)
    return StudyJournal(path, about, resume=resume)


def study_inputs(study: Study) -> list[str]:
    """Names of the files that the trials of a study read.

    Raises:
        AndanteError: The experiment or the scenario cannot be read.
    """
    named = [text for text in (study.library, study.robot) if text is not None]
    named += files_named(study.model_dump(mode="json", by_alias=True))
    if isinstance(study.experiment, Experiment):
        named += inputs_of(study.experiment)
    elif study.experiment is not None:
        named += inputs_of(experiment_named(study.experiment))
    if isinstance(study.scenario, str):
        named += files_named(load_scenario(study.scenario).model_dump(mode="json"))
    return named


def found_text(problem: Problem, leader: Leader) -> str:
    """The document of a candidate: the motion file with its values, or the scenario where there are no motions."""
    control, told = problem.scenario.controller, _note(problem.study, leader)
    if problem.library is None or not isinstance(control, MotionControl):
        changed = changed_scenario(problem.scenario, problem.space.changes(leader.point))
        return dump_document(changed.model_copy(update={"note": told}))
    file = library_path(control.library)
    whole: MotionLibrary = problem.space.motion(control.loaded(problem.robot), leader.point)
    before = "" if whole.note.startswith("Found by andante") else whole.note
    whole = whole.but(note=f"{told} {before}".strip())
    if file.is_file():
        # A file of another format, or of another robot's names, is written anew.
        with suppress(AndanteError):
            return updated_text(whole, read_text(file), str(file))
    return dump_document(whole, units=MOTION_UNITS)


def found_beside(problem: Problem, leader: Leader) -> str:
    """The scenario with the values that belong to it, which plays ``best.yaml`` beside it; empty where there are none.

    Args:
        problem: The problem.
        leader: The candidate.
    """
    control, changes = problem.scenario.controller, problem.space.changes(leader.point)
    if problem.library is None or not changes or not isinstance(control, MotionControl):
        return ""
    changed = changed_scenario(problem.scenario, changes)
    control = changed.controller.model_copy(update={"library": BEST})
    return dump_document(changed.model_copy(update={"note": _note(problem.study, leader), "controller": control}))


def _note(study: Study, leader: Leader) -> str:
    return (
        f"Found by andante optimise, study {study.name!r}, stage {leader.stage}: {leader.share:.0%} of"
        f" {study.seeds.validation.count} validation seeds."
    )


def _strip(problem: Problem, point: Point, path: Path, note: Callable[[str], None]) -> None:
    from andante.search.film_strip import film_strip

    try:
        strip = film_strip(problem.setup, problem.study.seeds.validation.first, problem.candidate(point))
        write_bytes(path, strip, follow=False)
    except AndanteError as error:
        note(f"no film strip: {error}")
