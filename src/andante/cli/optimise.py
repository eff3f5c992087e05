"""`andante optimise STUDY`: a better motion, with evidence."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from andante.cli.bench_kept import executing, row_lines
from andante.cli.output import answer, interrupted, refuse
from andante.errors import AndanteError

if TYPE_CHECKING:
    from andante.search.studies.document import Study
    from andante.search.studies.result import StudyResult


def optimise(
    study: str,
    robot: str | None = None,
    side: str | None = None,
    library: Path | None = None,
    out: Path | None = None,
    resume: bool = False,
    show: bool = False,
    workers: Annotated[int, typer.Option(min=1)] = 1,
    cluster: str | None = None,
    evaluations: Annotated[int | None, typer.Option(min=1)] = None,
    seconds: Annotated[float | None, typer.Option(min=1.0)] = None,
    no_pictures: bool = False,
) -> None:
    """Improve a motion, or find one, by a study; prove it on seeds that the search never saw.

    Args:
        study: Study: a file or a shipped name; `getup` finds a get-up for a robot that you name.
        robot: Robot in place of the study's: a name, pack, MJCF or URDF.
        side: Side that the robot lies on, of a study whose goal is a get-up: front, back, left or right.
        library: Motion file to begin with in place of the study's, as best.yaml of an earlier study.
        out: Folder to write; default: studies/NAME, of a goal without a name studies/ROBOT-GOAL.
        resume: Go on with the folder of a study that was interrupted.
        show: Print parameters, ranges and budget, and run nothing.
        workers: Processes; the result does not depend on it.
        cluster: Run on a Dask cluster: tcp://host:port of its scheduler, or local:N for N processes here.
        evaluations: Trials at most, in place of the study's.
        seconds: Processor time of all trials at most [s], in place of the study's.
        no_pictures: Draw no film strips and no page.
    """
    from andante.search.errors import SearchError
    from andante.search.studies.files import load_study
    from andante.search.studies.goals import completed

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
    if show:
        with tempfile.TemporaryDirectory(prefix="andante-") as folder:
            whole = completed(asked, Path(folder))
            data, lines = _shown(whole)
        answer(data, lines)
        return
    folder_ = out if out is not None else Path("studies") / _folder_name(asked)
    result = _run(asked, folder_, workers, cluster, resume, not no_pictures)
    answer(result.data() | {"folder": str(folder_)}, _told(result))


def _folder_name(study: Study) -> str:
    """The study's name; one that has none but a goal, as the shipped ones for any robot, is named by robot and goal."""
    if study.goal is None or "name" in study.model_fields_set:
        return study.name
    return "-".join([Path(study.robot or "robot").stem, *study.goal.split()])


def _run(asked: Study, folder: Path, workers: int, cluster: str | None, resume: bool, pictures: bool) -> StudyResult:
    from andante.cli.progress import waiting
    from andante.search.journal import fingerprints
    from andante.search.studies.files import JOURNAL
    from andante.search.studies.goals import completed
    from andante.search.studies.optimise import BEST, StudyProgress, optimise, study_inputs
    from andante.search.suite import HowToRun

    whole = completed(asked, folder)
    how = HowToRun(workers=workers, cluster=cluster)
    inputs = fingerprints(study_inputs(whole))
    try:
        with waiting(f"optimise {whole.name}") as tell, executing(how, inputs, tell) as executor:

            def told(at: StudyProgress) -> None:
                share, spent = f"{at.share:.0%} of validation", f"{at.seconds:.0f} s of processor time"
                tell(f"{at.trials} of {at.budget} trials  {at.key}  best {at.value:.3f}, {share}  {spent}")

            return optimise(
                whole, folder, executor, resume=resume, pictures=pictures, tell=told, note=lambda text: tell(text)
            )
    except BaseException as error:
        best = folder / BEST
        kept = f"; the best so far is in {best}" if best.is_file() else ""
        # A file of the study's folder that cannot be written says so with a cause.
        full = isinstance(error.__cause__, OSError) and (folder / JOURNAL).is_file()
        if interrupted(error) or isinstance(error, OSError) or full:
            what = "interrupted" if interrupted(error) else error
            # A journal without a result goes, and nothing can be gone on with.
            more = "go on with --resume" if (folder / JOURNAL).is_file() else "no result is kept"
            refuse(f"{what}{kept}{', ' if kept else '; '}{more}")
        if isinstance(error, AndanteError) and kept:
            refuse(f"{error}{kept}")
        raise


def _shown(study: Study) -> tuple[dict[str, Any], Iterator[str]]:
    from andante.search.studies.problem import Problem
    from andante.search.studies.result import given_told

    problem = Problem(study)
    rows = [
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
            yield f"{row['path']:<64} {row['start']:>9.4g}  {row['low']:.4g} to {row['high']:.4g} {row['unit']}{more}"
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

    data = {"study": study.model_dump(mode="json", by_alias=True), "parameters": rows}
    return data, lines()


def _told(result: StudyResult) -> Iterator[str]:
    yield from row_lines(result.rows)
    yield f"{result.trials} trials, {result.seconds:.0f} s of processor time, in simulation"
    yield from result.notes
    from andante.search.studies.optimise import BEST, PAGE, RESULT, SCENARIO

    files = [name for name in (BEST, SCENARIO, RESULT, PAGE) if (result.folder / name).is_file()]
    yield f"written: {result.folder / files[0]}, {', '.join(files[1:])}"
