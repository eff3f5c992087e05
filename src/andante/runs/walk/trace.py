"""From a run's log, or from a plan, to what the pictures show."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.planning.walk_plan import WalkPlan
from andante.robots.robot import Robot
from andante.runs.balance import foot_tracks
from andante.runs.log import Log
from andante.runs.walk.footfalls import Footfall
from andante.runs.walk.goal import WalkGoal
from andante.runs.walk.metrics import WalkMetrics, margins_of
from andante.runs.walk.pictures import WalkTrace
from andante.terrain.terrain import Terrain


def trace_of_run(
    title: str,
    log: Log,
    robot: Robot,
    model: mujoco.MjModel,
    terrain: Terrain,
    goal: WalkGoal,
    metrics: WalkMetrics,
    threshold: float = 1.0,
) -> WalkTrace:
    """What a recorded walk looks like."""
    truth = log.rows("truth")
    tracks = foot_tracks(truth, robot, model, np.arange(len(truth.rows)))
    margin, _ = margins_of(truth["com"], tracks, threshold)
    return WalkTrace(
        title=title,
        terrain=terrain,
        names=tuple(foot.name for foot in robot.feet),
        radius=_radius(robot, terrain),
        times=truth.times,
        com=truth["com"],
        feet=np.stack([track.position for track in tracks], axis=1),
        air=np.stack([track.load <= threshold for track in tracks], axis=1),
        margin=margin,
        margin_name="centre of mass",
        footfalls=metrics.footfalls,
        miss=goal.miss * terrain.scale,
        brushing=truth["other_contacts"][:, 0] > 0.0,
    )


def trace_of_plan(title: str, plan: WalkPlan, robot: Robot, terrain: Terrain) -> WalkTrace:
    """What a planned walk looks like."""
    count, legs = plan.feet.shape[:2]
    air = plan.swinging[:, None] == np.arange(legs)
    falls = []
    for swing in plan.swings:
        x, y, z = plan.footsteps.steps[swing.step].place.tolist()
        falls.append(Footfall(swing.leg, swing.lift_off * plan.period, swing.touchdown * plan.period, (x, y, z)))
    return WalkTrace(
        title=title,
        terrain=terrain,
        names=tuple(foot.name for foot in robot.feet),
        radius=_radius(robot, terrain),
        times=np.arange(count, dtype=np.float64) * plan.period,
        com=plan.com,
        feet=plan.feet,
        air=air,
        margin=plan.margin,
        margin_name="zero moment point",
        footfalls=tuple(falls),
    )


def _radius(robot: Robot, terrain: Terrain) -> float:
    """Radius in which feet are drawn [m]; a foot without one as large as LittleDog's."""
    return max((foot.radius for foot in robot.feet), default=0.0) or 0.0103 * terrain.scale
