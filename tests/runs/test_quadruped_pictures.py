"""Pictures of a dynamic quadruped's run: what they show is what was recorded."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from quadruped_traces import TICK, gliding

from andante.pictures.figures import picture_bytes
from andante.pictures.style import FOOT_COLOURS
from andante.runs.execute import run_scenario
from andante.runs.tasks.quadruped.picture_files import FILES
from andante.runs.tasks.quadruped.pictures import forces_figure, solver_figure, speeds_figure, steps_figure
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.quadruped.trace import PlanFigures, QuadrupedViews

NAMES = ("FL", "FR", "HL", "HR")


def stepping(speed=0.5, **changes) -> QuadrupedViews:
    """A body that glides while FL swings from 0.6 s to 0.8 s over 10 cm; all feet else stand."""
    trace = gliding(speed=speed)
    n = len(trace.times)
    swings = (trace.times > 0.6 - 1e-9) & (trace.times < 0.8 - 1e-9)
    force, contact, foothold = trace.foot_force.copy(), np.ones((n, 4), dtype=bool), np.zeros((n, 4, 2))
    force[swings, 0] = 0.0
    contact[swings, 0] = False
    foothold[swings, 0] = (0.3, 0.1)
    feet = np.tile([[0.2, 0.1, 0.02], [0.2, -0.1, 0.02], [-0.2, 0.1, 0.02], [-0.2, -0.1, 0.02]], (n, 1, 1))
    feet[trace.times > 0.8 - 1e-9, 0] = (0.31, 0.1, 0.02)
    trace = gliding(speed=speed, foot_force=force, planned_contact=contact, foothold=foothold, **changes)
    return QuadrupedViews("a walk", trace, feet, NAMES, 0.02, 0.7, 0.6, 150.0)


def test_footfalls_have_their_plans():
    (fall,) = stepping().footfalls()
    assert (fall.leg, fall.time) == (0, pytest.approx(0.8))
    assert fall.place == pytest.approx((0.31, 0.1))
    assert fall.planned == pytest.approx((0.3, 0.1))


def test_margins_by_hand():
    views = stepping()
    # 50 N down and (30, 40) / 2 N along, on friction 0.7: 35 N are held, 25 are used.
    force = np.array([[[15.0, 20.0, 50.0], [0.0, 0.0, 50.0], [60.0, 0.0, 50.0], [1.0, 0.0, 0.5]]])
    assert views.margins(force, 0.7)[0, :3] == pytest.approx([10.0, 35.0, -25.0])
    assert np.isnan(views.margins(force, 0.7)[0, 3])


def test_excerpts():
    views = stepping()
    assert views.excerpt(0.5) == pytest.approx((0.75, 1.25), abs=0.01)
    parts = {name: getattr(views, name) for name in views.__dataclass_fields__}
    assert QuadrupedViews(**(parts | {"push": 0.8})).excerpt(0.4) == pytest.approx((0.7, 1.1))
    assert QuadrupedViews(**(parts | {"end": 1.0})).excerpt(0.4) == pytest.approx((0.66, 1.06))
    begin, end = views.excerpt(100.0)
    assert (begin, end) == (pytest.approx(0.0), pytest.approx(2.0 - TICK))


def test_forces_show_each_foot_in_its_colour():
    figure = forces_figure(stepping())
    axes = np.array(figure.axes).reshape(4, 2)
    for leg in range(4):
        true, planned = axes[leg, 1].lines[1:3]
        assert to_hex(true.get_color()) == FOOT_COLOURS[leg]
        # 50 N straight down: 35 N and 30 N to the edge.
        assert np.nanmedian(true.get_ydata()) == pytest.approx(35.0)
        assert np.nanmedian(planned.get_ydata()) == pytest.approx(30.0)
    assert axes[0, 0].get_ylabel() == "FL  [N]"


def test_gait_bars_are_stances():
    figure = steps_figure(stepping())
    gait = figure.axes[1]
    assert [text.get_text() for text in gait.get_yticklabels()][:4] == [
        "FL planned",
        "FL true",
        "FR planned",
        "FR true",
    ]
    true = gait.collections[1]
    spans = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in true.get_paths()]
    assert spans == [pytest.approx((0.0, 0.6)), pytest.approx((0.8, 2.0 - TICK))]


def test_speeds_are_those_of_the_heading():
    figure = speeds_figure(stepping(speed=0.5))
    forward = {line.get_label(): np.median(line.get_ydata()) for line in figure.axes[0].lines}
    assert forward == pytest.approx({"true": 0.5, "estimated": 0.5, "asked": 0.5})


def test_solver_tells_median_and_failures():
    figures = [PlanFigures(0.01 * k, k != 50, 1, 1e-3 * (1 + k % 2), 0.0) for k in range(100)]
    views = stepping()
    parts = {name: getattr(views, name) for name in views.__dataclass_fields__}
    figure = solver_figure(QuadrupedViews(**(parts | {"figures": figures})))
    above = figure.axes[0]
    assert above.get_title(loc="left") == "100 plans, 1 without forces"
    texts = [text.get_text() for text in above.get_legend().get_texts()]
    assert texts == ["50 %: 1.50 ms", "95 %: 2.00 ms", "no forces found"]


@pytest.mark.slow
def test_the_same_run_gives_the_same_picture():
    assert picture_bytes(forces_figure(stepping())) == picture_bytes(forces_figure(stepping()))


@pytest.mark.slow
def test_a_report_has_its_pictures(tmp_path):
    scenario = QuadrupedTask("spirit40", (0.4, 0.0, 0.3), seconds=1.2).scenario(report=True)
    result = run_scenario(scenario, tmp_path)
    assert result.passed, result.reasons
    for name in FILES:
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    for caption in ("Forces on the feet", "Steps and gait", "Speeds and attitude", "A plan and what came"):
        assert caption in report
    # Without a report nothing is drawn, and old pictures go.
    run_scenario(QuadrupedTask("spirit40", (0.0, 0.0, 0.0), seconds=0.2).scenario(), tmp_path)
    assert not any((tmp_path / name).exists() for name in FILES)


@pytest.mark.slow
def test_a_robot_that_falls_has_pictures_too(tmp_path):
    task = QuadrupedTask("spirit40", (0.3, 0.0, 0.0), seconds=2.0, push=(1.2, 0.0, 120.0, 0.0))
    result = run_scenario(task.scenario(report=True), tmp_path)
    assert not result.passed
    assert all((tmp_path / name).exists() for name in FILES)
