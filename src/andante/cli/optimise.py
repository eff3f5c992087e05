"""`andante optimise STUDY`: a better motion, with evidence."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.bench_kept import executing
from andante.cli.interrupts import interrupted
from andante.cli.output import answer, refuse
from andante.errors import AndanteError

if TYPE_CHECKING:
    from andante.search.studies.document import Study
    from andante.search.studies.result import StudyResult
    from andante.search.suite import HowToRun


_SHOWN = {"rad": (math.degrees(1.0), "deg"), "rad/s": (math.degrees(1.0), "deg/s")}
"""What people read in place of a unit, and how many of it one is."""


def optimise(
    study: str,
    robot: str | None = None,
    side: str | None = None,
    library: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
    judge: bool = False,
    status: bool = False,
    show: bool = False,
    workers: Annotated[int, typer.Option(min=1)] = 1,
    cluster: str | None = None,
    trial_limit: Annotated[float | None, typer.Option(min=1.0)] = None,
    trial_memory: Annotated[float | None, typer.Option(min=0.5)] = None,
    evaluations: Annotated[int | None, typer.Option(min=1)] = None,
    seconds: Annotated[float | None, typer.Option(min=1.0)] = None,
    no_pictures: bool = False,
) -> None:
    """Improve a motion, or find one, by a study; prove it on seeds that the search never saw.

    Args:
        study: Study: a file or a shipped name; `getup` finds a get-up for a robot that you name.
        robot: Robot in place of the study's: a name, pack, MJCF, URDF or SDF.
        side: Side that the robot lies on, of a study whose goal is a get-up: front, back, left or right.
        library: Motion file to begin with in place of the study's, as best.yaml of an earlier study.
        out: Folder to write; default: studies/NAME, of a goal without a name studies/ROBOT-GOAL.
        resume: Go on with the folder of a study that was interrupted.
        judge: Search no farther: judge the best of a study that was interrupted, on the untouched seeds.
        status: Tell how far the study is, also while it runs in another terminal; STUDY may be its folder.
        show: Print parameters, ranges and budget, and run nothing.
        workers: Processes; the result does not depend on it.
        cluster: Run on a Dask cluster: tcp://host:port of its scheduler, or local:N for N processes here.
        trial_limit: End a trial after so long [s], without what a busy machine costs; default: never.
        trial_memory: End a trial whose process uses more memory [GB]; default: never.
        evaluations: Trials at most, in place of the study's.
        seconds: Processor time of all trials at most [s], in place of the study's.
        no_pictures: Draw no film strips and no page.
    """
    from andante.cli.untouched import with_untouched_seeds
    from andante.search.errors import SearchError
    from andante.search.studies.files import load_study
    from andante.search.studies.goals import completed
    from andante.search.suite import HowToRun, read_options

    if status and judge:
        raise SearchError("ask for one of the two", place="--status", value="--judge")
    if status and Path(study).is_dir():
        _look(Path(study))
        return
    asked = load_study(study, robot=robot)
    if side is not None:
        if asked.goal is None:
            raise SearchError("this study's goal has no side", place="--side", value=side)
        asked = asked.model_copy(update={"goal": f"{asked.goal.split()[0]} {side}"})
    if library is not None:
        asked = asked.model_copy(update={"library": str(library.resolve())})
    limits = {name: value for name, value in (("evaluations", evaluations), ("seconds", seconds)) if value is not None}
    if limits:
        asked = asked.model_copy(update={"budget": asked.budget.model_copy(update=limits)})
    if status:
        _look(out if out is not None else Path("studies") / _folder_name(asked))
        return
    if show:
        with tempfile.TemporaryDirectory(prefix="andante-") as folder:
            whole, note = with_untouched_seeds(completed(asked, Path(folder)), asked, moved=library is not None)
            data, lines = _shown(whole, note)
        answer(data, lines)
        return
    folder_ = out if out is not None else Path("studies") / _folder_name(asked)
    given = {"workers": workers, "cluster": cluster, "resume": resume or judge}
    how = read_options(HowToRun, {**given, "trial_limit": trial_limit, "trial_memory": trial_memory})
    result = _run(asked, folder_, how, moved=library is not None, judge=judge, pictures=not no_pictures)
    answer(result.data() | {"folder": str(folder_)}, _told(result))


def _folder_name(study: Study) -> str:
    """The study's name; one that has none but a goal, as the shipped ones for any robot, is named by robot and goal."""
    if study.goal is None or "name" in study.model_fields_set:
        return study.name
    return "-".join([Path(study.robot or "robot").stem, *study.goal.split()])


def _look(folder: Path) -> None:
    """Tell how far the study of a folder is."""
    from andante.search.studies.progress import look

    found = look(folder)
    answer({**found.model_dump(mode="json"), "left": found.left}, found.lines())


def _run(asked: Study, folder: Path, how: HowToRun, *, moved: bool, judge: bool, pictures: bool) -> StudyResult:
    from andante.cli.progress import waiting
    from andante.cli.untouched import with_untouched_seeds
    from andante.search.journal import fingerprints
    from andante.search.studies.files import JOURNAL
    from andante.search.studies.goals import completed
    from andante.search.studies.optimise import BEST, optimise, study_inputs
    from andante.search.studies.progress import StudyProgress

    whole, note = with_untouched_seeds(
        completed(asked, folder), asked, moved=moved, going_on=folder if how.resume else None
    )
    if note:
        print(note, file=sys.stderr)
    inputs = fingerprints(study_inputs(whole))
    try:
        with waiting(f"optimise {whole.name}") as tell, executing(how, inputs, tell) as executor:

            def told(at: StudyProgress) -> None:
                made = f"{at.trials} of {at.budget} trials"
                if at.state == "judging":
                    made = f"verdict: {at.judged} of {at.verdict} trials"
                best = "" if at.value is None else f"best {at.value:.3f}, "
                spent = f"{at.seconds + at.seconds_judging:.0f} s of processor time"
                tell(f"{made}  {at.batch}  {best}{at.share:.0%} of validation  {spent}")

            return optimise(
                whole,
                folder,
                executor,
                resume=how.resume,
                judge=judge,
                apart=bool(how.limits),
                pictures=pictures,
                tell=told,
                note=lambda text: tell(text),
            )
    except BaseException as error:
        best = folder / BEST
        kept = f"; the best so far is in {best}" if best.is_file() else ""
        # A file of the study's folder that cannot be written says so with a cause.
        full = isinstance(error.__cause__, OSError) and (folder / JOURNAL).is_file()
        if interrupted(error) or isinstance(error, OSError) or full:
            what = "interrupted" if interrupted(error) else error
            # A journal without a result goes, and nothing can be gone on with.
            more = "no result is kept"
            if (folder / JOURNAL).is_file():
                more = "go on with --resume"
                if judge:
                    more = "go on with --judge, or search on with --resume"
                elif kept and interrupted(error):
                    more += ", or judge it with --judge"
            refuse(f"{what}{kept}{', ' if kept else '; '}{more}")
        if isinstance(error, AndanteError) and kept:
            refuse(f"{error}{kept}")
        raise


def _shown(study: Study, note: str) -> tuple[dict[str, Any], Iterator[str]]:
    from andante.search.studies.problem import Problem
    from andante.search.studies.result import given_told

    problem = Problem(study)
    rows: list[dict[str, Any]] = [
        {
            "path": each.name,
            "start": each.places[0].start,
            "low": min(each.ends),
            "high": max(each.ends),
            "unit": each.unit,
            "places": [place.name for place in each.places],
        }
        for each in problem.space.parameters
    ]

    def lines() -> Iterator[str]:
        yield f"study {study.name}: {len(rows)} numbers may change, robot {problem.robot.name}"
        for row in rows:
            places = row["places"]
            more = f"  and {len(places) - 1} more" if isinstance(places, list) and len(places) > 1 else ""
            # People read angles in degrees; the object of --json is in SI.
            factor, unit = _SHOWN.get(row["unit"], (1.0, row["unit"]))
            start, low, high = (factor * float(row[key]) for key in ("start", "low", "high"))
            yield f"{row['path']:<64} {start:>9.4g}  {low:.4g} to {high:.4g} {unit}{more}"
        if problem.space.given:
            yield given_told(problem.space.given)
        for objective in study.objectives:
            yield f"objective {objective.metric} x {objective.weight:g}"
        for constraint in study.constraints:
            bounds = [
                f"{sign} {bound:g}"
                for sign, bound in ((">=", constraint.at_least), ("<=", constraint.at_most))
                if bound is not None
            ]
            yield f"constraint {constraint.metric} {' and '.join(bounds)}"
        for stage in study.stages:
            yield f"stage {stage.type}: " + ", ".join(
                f"{name} {value}" for name, value in stage.model_dump().items() if name != "type"
            )
        budget = study.budget
        limit = "" if budget.seconds is None else f", {budget.seconds:g} s of processor time"
        yield f"budget {budget.evaluations} trials{limit}"
        for name in ("training", "validation", "verdict"):
            seeds = getattr(study.seeds, name)
            yield f"seeds of {name}: {seeds.first} to {seeds.all[-1]}"
        if note:
            yield note

    data = {"study": study.model_dump(mode="json", by_alias=True), "parameters": rows}
    return data, lines()


def _told(result: StudyResult) -> Iterator[str]:
    from andante.search.rows import row_lines

    yield from row_lines(result.rows)
    yield f"{result.trials} trials, {result.seconds:.0f} s of processor time, in simulation"
    yield from result.notes
    from andante.search.studies.optimise import BEST, PAGE, RESULT, SCENARIO

    files = [name for name in (BEST, SCENARIO, RESULT, PAGE) if (result.folder / name).is_file()]
    yield f"written: {result.folder / files[0]}, {', '.join(files[1:])}"
