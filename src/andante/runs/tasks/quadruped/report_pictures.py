"""What a run of a dynamic quadruped adds to its report: plans are kept while it goes on, pictures drawn afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.backends.config_parts import bounds
from andante.control.events import EventKind
from andante.runs.build import Parts
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.evaluation.metrics import Metrics
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.picture_files import FORCES, HORIZON, SOLVER, SPEEDS, STEPS

if TYPE_CHECKING:
    from andante.runs.tasks.quadruped.trace import PlanKeeper

_EVERY = 0.1
"""A plan is kept whole so often [s]."""


def keeper_of(scenario: Scenario, parts: Parts) -> PlanKeeper | None:
    """What keeps the plans of a run for its pictures; None where the scenario asks for none or walks otherwise."""
    control, controller = scenario.controller, parts.controller
    if not (scenario.recording.report and isinstance(control, QuadrupedControl)):
        return None
    from andante.control.quadruped.controller import QuadrupedController
    from andante.runs.tasks.quadruped.trace import PlanKeeper

    if not isinstance(controller, QuadrupedController):
        return None
    nmpc, weight = control.local.nmpc, _weight(scenario, controller.body.rigid.mass)
    limits = (nmpc.least_force * weight, nmpc.largest_force * weight)
    return PlanKeeper(controller, nmpc.friction, limits, _EVERY)


def draw_quadruped(run: FinishedRun, folder: Path, metrics: Metrics, keeper: PlanKeeper) -> dict[str, Path]:
    """Write the pictures of a run into its folder; gives them by caption. A run that ended before it began has none."""
    from andante.pictures.figures import save
    from andante.runs.tasks.quadruped import pictures
    from andante.runs.tasks.quadruped.trace import QuadrupedViews, trace_of_log

    scenario, robot, control = run.scenario, run.parts.robot, run.scenario.controller
    if not isinstance(control, QuadrupedControl) or run.truth is None or len(run.truth.rows) < 2:
        return {}
    falls = [metrics.fall_time] if metrics.fell and metrics.fall_time is not None else []
    falls += [event.time for event in run.log.events if event.kind is EventKind.HELP]
    choice, trace = scenario.world.terrain, trace_of_log(run.log)
    rows = np.searchsorted(run.truth.nanoseconds, np.round(trace.times * 1e9).astype(np.int64))
    views = QuadrupedViews(
        title=f"{scenario.name}, seed {scenario.seed}",
        trace=trace,
        feet=np.stack([track.position[rows] for track in run.tracks], axis=1),
        names=tuple(foot.name for foot in robot.feet),
        radius=max(foot.radius for foot in robot.feet),
        friction=bounds(scenario.world.friction)[1],
        believed=control.local.nmpc.friction,
        weight=_weight(scenario, float(np.sum(robot.model.body_mass))),
        figures=keeper.figures,
        plans=keeper.plans,
        ground=None if choice is None else choice.load().map,
        start=(scenario.world.start.x, scenario.world.start.y),
        goal=control.goal,
        end=min(falls, default=None),
        push=min((push.time for push in scenario.world.pushes), default=None),
    )
    drawn = [
        ("Forces on the feet", FORCES, pictures.forces_figure),
        ("Steps and gait", STEPS, pictures.steps_figure),
        ("Speeds and attitude", SPEEDS, pictures.speeds_figure),
    ]
    if keeper.plans:
        drawn.append(("A plan and what came", HORIZON, pictures.horizon_figure))
        drawn.append(("Solving for forces", SOLVER, pictures.solver_figure))
    for _, name, draw in drawn:
        save(draw(views), folder / name)
    return {caption: folder / name for caption, name, _ in drawn}


def _weight(scenario: Scenario, mass: float) -> float:
    return mass * float(np.linalg.norm(scenario.world.gravity))
