"""What a run of a dynamic quadruped adds to its report: plans are kept while it goes on, pictures drawn afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.backends.config_parts import bounds
from andante.control.events import EventKind
from andante.runs.build import Parts
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.log import Log
from andante.runs.metrics import Metrics
from andante.runs.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from andante.runs.quadruped.trace import PlanKeeper

FORCES, STEPS, SPEEDS, HORIZON, SOLVER = "forces.png", "steps.png", "speeds.png", "horizon.png", "solver.png"
FILES = (FORCES, STEPS, SPEEDS, HORIZON, SOLVER)
"""Names of the pictures in a run's folder."""
_EVERY = 0.1
"""A plan is kept whole so often [s]."""


def keeper_of(scenario: Scenario, parts: Parts) -> PlanKeeper | None:
    """What keeps the plans of a run for its pictures; None where the scenario asks for none or walks otherwise."""
    control, controller = scenario.controller, parts.controller
    if not (scenario.recording.report and isinstance(control, QuadrupedControl)):
        return None
    from andante.control.quadruped.controller import QuadrupedController
    from andante.runs.quadruped.trace import PlanKeeper

    if not isinstance(controller, QuadrupedController):
        return None
    nmpc, weight = control.local.nmpc, _weight(scenario, controller.body.rigid.mass)
    limits = (nmpc.least_force * weight, nmpc.largest_force * weight)
    return PlanKeeper(controller, nmpc.friction, limits, _EVERY)


def draw_quadruped(
    scenario: Scenario, parts: Parts, folder: Path, log: Log, metrics: Metrics, keeper: PlanKeeper
) -> dict[str, Path]:
    """Write the pictures of a run into its folder; gives them by caption. A run that ended before it began has none."""
    from andante.pictures.figures import save
    from andante.runs.balance import foot_tracks
    from andante.runs.quadruped.pictures import (
        forces_figure,
        horizon_figure,
        solver_figure,
        speeds_figure,
        steps_figure,
    )
    from andante.runs.quadruped.trace import QuadrupedViews, trace_of_log

    control = scenario.controller
    if not isinstance(control, QuadrupedControl) or len(log.rows("truth").rows) < 2:
        return {}
    falls = [metrics.fall_time] if metrics.fell and metrics.fall_time is not None else []
    falls += [event.time for event in log.events if event.kind is EventKind.HELP]
    choice = scenario.world.terrain
    trace, truth = trace_of_log(log), log.rows("truth")
    rows = np.searchsorted(truth.nanoseconds, np.round(trace.times * 1e9).astype(np.int64))
    tracks = foot_tracks(truth, parts.robot, parts.model, rows)
    views = QuadrupedViews(
        title=f"{scenario.name}, seed {scenario.seed}",
        trace=trace,
        feet=np.stack([track.position for track in tracks], axis=1),
        names=tuple(foot.name for foot in parts.robot.feet),
        radius=max(foot.radius for foot in parts.robot.feet),
        friction=bounds(scenario.world.friction)[1],
        believed=control.local.nmpc.friction,
        weight=_weight(scenario, float(np.sum(parts.robot.model.body_mass))),
        figures=keeper.figures,
        plans=keeper.plans,
        terrain=None if choice is None else choice.load(),
        end=min(falls, default=None),
        push=min((push.time for push in scenario.world.pushes), default=None),
    )
    drawn: list[tuple[str, str, Callable[[QuadrupedViews], Figure]]] = [
        ("Forces on the feet", FORCES, forces_figure),
        ("Steps and gait", STEPS, steps_figure),
        ("Speeds and attitude", SPEEDS, speeds_figure),
    ]
    if keeper.plans:
        drawn += [("A plan and what came", HORIZON, horizon_figure), ("Solving for forces", SOLVER, solver_figure)]
    pictures = {}
    for caption, name, draw in drawn:
        pictures[caption] = folder / name
        save(draw(views), pictures[caption])
    return pictures


def _weight(scenario: Scenario, mass: float) -> float:
    return mass * float(np.linalg.norm(scenario.world.gravity))
