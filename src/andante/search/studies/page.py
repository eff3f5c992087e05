"""The page of a study: how the search went, the table, the film strips, what changed; one HTML file with all inside."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from andante.documents.files import write_text
from andante.pictures.figures import new_figure, picture_bytes
from andante.pictures.style import SERIES, drawn
from andante.runs.reports.units import unit_of
from andante.search.experiment.page import image
from andante.search.rows import Row
from andante.search.studies.motion_figures import MOTION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from andante.search.studies.problem import Problem
    from andante.search.studies.result import StudyResult

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:2px 12px 2px 0;text-align:left}img{max-width:100%}"
)
_SI = (
    "Means and differences are in SI units (m, s, N, m/s), also where none is said, and angles in degrees where it"
    " says deg (rad where no unit is said); a share counts from 0 to 1,"
    f" and what is told over a limit, as {MOTION}.speed over that of its joint, has no unit."
)


@drawn
def course_figure(result: StudyResult) -> Figure:
    """How the objective grew, over trials: generations on training seeds, leaders on validation seeds."""
    course = result.course
    figure = new_figure(10.0, 4.0, f"Study {result.study.name}: objective over trials")
    axes = figure.subplots()
    if course.generations:
        trials, best, median, _ = zip(*course.generations, strict=True)
        axes.plot(trials, best, ".", color=SERIES[0], markersize=3, label="best of a generation, training seeds")
        axes.plot(trials, median, ".", color=SERIES[1], markersize=3, label="its median")
    if course.leaders:
        trials, value, _, _ = zip(*course.leaders, strict=True)
        axes.step(
            [*trials, result.trials], [*value, value[-1]], where="post", color=SERIES[2], label="leader, validation"
        )
        low = min([*value, *(each[2] for each in course.generations[-20:])])
        axes.set_ylim(bottom=low - 0.1 * abs(low))
    axes.set(xlabel="trials", ylabel="objective")
    axes.legend(loc="lower right")
    return figure


def write_page(path: Path, result: StudyResult, problem: Problem) -> None:
    """Write the page.

    Raises:
        DocumentError: The file cannot be written.
    """
    course = image(picture_bytes(course_figure(result)), "objective over trials")
    strips = "".join(
        f"<h3>{html.escape(file.stem.removeprefix('strip-'))}</h3>{image(file.read_bytes(), file.stem)}"
        for file in sorted(path.parent.glob("strip-*.png"), key=lambda file: (file.stem != "strip-start", file.stem))
    )
    changed = "".join(
        _changed(name, before, after, unit) for name, before, after, unit in changes(problem, result.leader.point)
    )
    rows = "".join(_row(row) for row in result.rows)
    seeds = "seeds that were judged by before" if result.earlier else "untouched seeds"
    text = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{html.escape(result.study.name)}</title>"
        f"<style>{_STYLE}</style><h1>Study {html.escape(result.study.name)}</h1>"
        f"<p>In simulation. {result.trials} trials. Found by stage {html.escape(result.leader.stage)}.</p>"
        f"{''.join(f'<p><b>{html.escape(note)}</b></p>' for note in result.notes)}"
        f"<h2>Before and after, {seeds}, half the physics step</h2>"
        f"<table><tr><th></th><th>value</th><th>unit</th><th>95 % interval</th><th>trials</th></tr>{rows}</table>"
        f"<p>{_SI}</p>"
        f"<h2>How the search went</h2>{course}<h2>Film strips</h2>{strips or '<p>None could be drawn.</p>'}"
        f"<h2>What changed</h2><table><tr><th></th><th>before</th><th>after</th><th>unit</th></tr>"
        f"{changed}</table></html>\n"
    )
    write_text(path, text, follow=False)


def changes(problem: Problem, point: tuple[float, ...]) -> Iterator[tuple[str, float, float, str]]:
    """Path, value before and after, and unit of each number that differs."""
    for parameter, coordinate in zip(problem.space.parameters, point, strict=True):
        for place, value in zip(parameter.places, parameter.values(coordinate), strict=True):
            if abs(value - place.start) > 1e-9:
                yield place.name, place.start, value, parameter.unit


def _changed(name: str, before: float, after: float, unit: str) -> str:
    unit, factor = _for_people(unit)
    cells = (html.escape(name), f"{factor * before:.6g}", f"{factor * after:.6g}", html.escape(unit))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _for_people(unit: str) -> tuple[str, float]:
    """The unit in which people read a number, and how many of it make one of SI: angles are in degrees on all pages."""
    turned = {"deg": "deg", "rad": "deg", "rad/s": "deg/s"}
    return (turned[unit], math.degrees(1.0)) if unit in turned else (unit, 1.0)


def _unit(row: Row) -> str:
    """The unit of a row; empty for what an observer tells, whose units nobody lists: it is in SI units."""
    metric = row.name
    for behind in (" before, mean", " after, mean", ", difference"):
        metric = metric.removesuffix(behind)
    return row.unit or ("s" if metric == f"{MOTION}.duration" else unit_of(metric))


def _row(row: Row) -> str:
    unit, factor = _for_people(_unit(row))
    if row.unit:
        # Its maker has brought the value into it.
        unit, factor = row.unit, 1.0
    interval = "" if row.interval is None else f"{factor * row.interval[0]:.4g} to {factor * row.interval[1]:.4g}"
    cells = (html.escape(row.name), f"{factor * row.value:.4g}", html.escape(unit), interval, str(row.n))
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
