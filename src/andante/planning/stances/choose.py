"""Poses of the body for footsteps: sampled at lift-off and landing, the best chain by dynamic programming, smoothed."""

from __future__ import annotations

import numpy as np

from andante.kinematics.com_ik import stance_com
from andante.kinematics.support_triangle import triangle_margin
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.dynamic_programming.stages import cheapest_chain
from andante.planning.feasibility.scene import Scene
from andante.planning.plans import FootstepPlan, StancePlan
from andante.planning.stances.chain import chain_of, com_path
from andante.planning.stances.polish import polish, rooms_of, settle
from andante.planning.stances.pose_cost import Costs, PoseProblem
from andante.planning.stances.sampling import sample_chain, trial_order
from andante.planning.stances.settings import StanceSettings
from andante.spatial.arrays import Array
from andante.spatial.rotations import from_matrix, to_rpy

_KEPT = 64
"""Most poses of a node among which the chain is chosen."""
_SWEEPS = 8
"""Most passes that smooth the chosen poses."""


def choose_stances(
    course: KnownCourse,
    footsteps: FootstepPlan,
    settings: StanceSettings | None = None,
    *,
    scene: Scene | None = None,
) -> StancePlan:
    """Choose where the body is as each foot leaves and as it lands.

    The motion is small and smooth, every pose has the margin and the room that the settings ask for wherever there is
    such a pose, and thinner ones (`andante.planning.stances.settings.LADDER`) only where there is none. Over a noisy
    map (`KnownCourse.noise`) poses settle (`andante.planning.stances.polish`), so that another draw of the noise hardly
    moves them; where one has no room in the end, those chosen among samples settle, or are smoothed as ever.

    Args:
        course: Robot and ground.
        footsteps: The footsteps.
        settings: What poses keep; None: the usual.
        scene: Robot and ground as prepared before; None: prepared here, which takes some 10 ms.

    Raises:
        PlanningError: No steps, or no robot on four legs.
        NoPlanError: A step for which there is no pose; names it.
    """
    settings = settings or StanceSettings()
    _check(course, footsteps)
    pose = stance_com(course.body, course.position, course.feet, course.rotation)
    begin = np.concatenate([pose.com, to_rpy(from_matrix(course.rotation))])
    scene = scene or Scene.of(course.body, course.ground, course.scale)
    chain = chain_of(course.body, footsteps, settings, begin)
    rules, costs = settings.rules(course.body.leg_length), Costs.of(settings, course.body)
    task, nodes = PoseProblem(scene, rules, costs, chain), len(chain.feet)
    path = chain.reference[:, :2].copy()
    wrong = com_path(chain, rules.margin, path)
    if wrong >= 0:
        raise _no_pose(course, footsteps, wrong, "the other three feet make no triangle to stand on")
    steady = course.noise > 0.0
    if steady:
        poses = chain.reference.copy()
        poses[1:-1, :2] = path[1:-1]
        if settle(task, poses):
            return _plan(task, footsteps, poses)
    found, cost = np.empty((nodes, _KEPT, 6)), np.full((nodes, _KEPT), np.inf)
    counts, rungs, chosen = np.zeros((3, nodes), dtype=np.int64)
    order, tries, good = trial_order(rules), settings.tries, settings.good
    wrong = sample_chain(task, path, order, tries, good, found, cost, counts, rungs)
    if wrong >= 0:
        raise _no_pose(course, footsteps, wrong, "no pose of the body has all feet in reach")
    axes = costs.motion * np.array([1.0, 1.0, costs.upward**2, *[costs.lever**2] * 3])
    cheapest_chain(found, cost, counts, chain.stiffness[:, None] * axes, chosen)
    poses = found[np.arange(nodes), chosen]
    if steady:
        settled = poses.copy()
        if settle(task, settled):
            return _plan(task, footsteps, settled)
    polish(task, rungs, _SWEEPS, poses)
    return _plan(task, footsteps, poses)


def _plan(task: PoseProblem, footsteps: FootstepPlan, poses: Array) -> StancePlan:
    """The plan of poses (n, 6) at all nodes."""
    chain, nodes = task.chain, len(poses)
    margins = [triangle_margin(chain.feet[k], chain.swing[k], *poses[k, :2]) for k in range(1, nodes - 1)]
    ends = poses[1:-1].reshape(-1, 2, 6)
    return StancePlan(
        footsteps,
        com=ends[..., :3].copy(),
        rpy=ends[..., 3:].copy(),
        slack=rooms_of(task, poses)[1:-1].reshape(-1, 2),
        margin=np.array(margins).reshape(-1, 2),
    )


def _check(course: KnownCourse, footsteps: FootstepPlan) -> None:
    legs = len(course.body.legs)
    if legs != 4:
        raise PlanningError("poses are chosen for robots on four legs", value=legs, limit="4")
    if not footsteps.steps:
        raise PlanningError("there are no footsteps to choose poses for")
    for number, step in enumerate(footsteps.steps):
        if not 0 <= step.leg < legs:
            raise PlanningError("no such leg", place=f"footstep {number}", value=step.leg, limit="0 to 3")
        if np.shape(step.place) != (3,) or not (np.isfinite(step.place).all() and np.isfinite(step.apex)):
            raise PlanningError("a footstep's place and apex must be finite", place=f"footstep {number}")


def _no_pose(course: KnownCourse, footsteps: FootstepPlan, node: int, reason: str) -> NoPlanError:
    number, landing = divmod(node - 1, 2)
    step = footsteps.steps[number]
    x, y, z = step.place.tolist()
    foot = course.body.legs[step.leg].name
    return NoPlanError(
        f"footstep {number} ({foot}) is not possible: {reason} as it {'lands' if landing else 'leaves'}",
        place=f"x {x:.3f}, y {y:.3f}, z {z:.3f} m",
        limit=f"apex {step.apex:.3f} m",
    )
