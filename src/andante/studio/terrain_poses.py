"""Poses of the body that the terrain page draws: stances of the plan and of the generator, and the reachable volume."""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import Stance, edge_limits, reach_mesh, reach_volume
from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.plans import FootstepPlan
from andante.planning.stances.generator import GeneratedStances, GeneratorSettings, generate_stances, stance_table
from andante.spatial.arrays import Array
from andante.spatial.rotations import from_rpy, to_matrix
from andante.studio.errors import StudioError
from andante.studio.terrain_ground import ShownGround
from andante.studio.terrain_layers import base64_text

BODY = "body"
"""The volume of the body over all feet, in place of that of a foot."""
_SPACING = 0.01 / 0.187
"""Distance of the positions looked at over the length of a leg; the surface between them is exact."""
_USUAL, _FAR = GeneratorSettings(), 0.04 / 0.187
SCHEDULE = (
    _USUAL,
    _USUAL.changed(reach=_FAR),
    _USUAL.changed(reach=_FAR, height=0.6),
    _USUAL.changed(reach=_FAR, height=0.6, margin=0.03),
)
"""Settings of the stance generator that are tried: the planner's steps are longer than those it was made for, so that
the body must move on faster, hang lower, and at last make do with less margin."""


def stances_view(ground: ShownGround) -> dict[str, Any]:
    """The body at both ends of each swing of the plan, and as the stance generator has it for the same footsteps.

    Each body is the rectangle of its hips, (4, 3) [m].

    Raises:
        StudioError: There are no footsteps.
    """
    if not ground.steps:
        raise StudioError("there are no footsteps yet", remedy="plan, or click some")
    body = LeggedBody.of(ground.robot)
    found: dict[str, Any] = {"planned": [], "generated": [], "margin": None}
    plan = ground.plan
    if plan is not None:
        rows = [row for swing in plan.swings for row in (swing.lift_off, swing.touchdown)]
        found["planned"] = _hips(body, plan.position[rows], plan.rpy[rows])
    stances, settings, count, reason = generated(body, ground.footstep_plan())
    found |= {"steps": count, "reason": reason, "limit": settings.margin * body.leg_length}
    found["height"] = settings.height * body.leg_length
    if stances is not None:
        found["generated"] = _hips(body, stances.position, stances.rpy)
        found["margin"] = float(stances.margin.min())
    return found


def generated(body: LeggedBody, footsteps: FootstepPlan) -> tuple[GeneratedStances | None, GeneratorSettings, int, str]:
    """Stances of the generator for as many of the footsteps as it finds some, from the first on.

    Gives them (None: not even for the first), the settings of `SCHEDULE` by which they were found, the number of
    footsteps, and why there are none for all of them; empty where there are.
    """

    def made(count: int, settings: GeneratorSettings) -> GeneratedStances | NoPlanError:
        part = FootstepPlan(footsteps.feet, footsteps.steps[:count])
        try:
            return generate_stances(stance_table(body, part, settings))
        except NoPlanError as error:
            return error

    most = len(footsteps.steps)
    for settings in SCHEDULE:
        whole = made(most, settings)
        if isinstance(whole, GeneratedStances):
            return whole, settings, most, ""
    # What a sequence has no stances for, no longer one has.
    low, high, best, reason = 0, most, None, str(whole)
    while high - low > 1:
        middle = (low + high) // 2
        found = made(middle, settings)
        if isinstance(found, GeneratedStances):
            low, best = middle, found
        else:
            high = middle
    return best, settings, low, reason


def reach_view(ground: ShownGround, what: str, step: int) -> dict[str, Any]:
    """A reachable volume before a footstep: of the body over all feet, or of one foot from the body.

    The body's is that of `andante reach`. A foot's is the same question turned round: with the body where the plan has
    it (or, without a plan, where it stands now, moved along with the feet), its foot reaches a place where the body,
    with the foot where it is, reaches the place mirrored through the middle between both.

    Args:
        ground: Robot and footsteps.
        what: `BODY`, or a foot's name.
        step: Number of the footstep; one more than there are: after the last.

    Raises:
        AndanteError: There is no such foot or step.
    """
    planner = ground.planner
    if what != BODY and what not in ground.names:
        raise StudioError("the robot has no such foot", value=what, legal=(BODY, *ground.names))
    if step > len(ground.steps):
        raise StudioError("there is no such footstep", value=step + 1, limit=f"1 to {len(ground.steps) + 1}")
    body = LeggedBody.of(ground.robot)
    feet = ground.footstep_plan().stances()[step]
    position, rotation = _pose(ground, planner.course, feet, step)
    others = () if what == BODY else tuple(name for name in ground.names if name != what)
    stance = Stance.of(body, feet, rotation, without=others)
    volume = reach_volume(body, stance, _SPACING * body.leg_length)
    if not volume.mask.any():
        raise StudioError("nothing is in reach over these feet", value=what, place=f"footstep {step + 1}")
    mesh = reach_mesh(body, stance, volume)
    vertices, triangles = mesh.vertices, mesh.triangles
    if what != BODY:
        # A point reflection turns the triangles inside out.
        vertices, triangles = feet[ground.names.index(what)] + position - vertices, triangles[:, ::-1]
    limits = edge_limits(body, stance, volume)
    return {
        "what": what,
        "step": step,
        "vertices": base64_text(vertices.astype("<f4")),
        "triangles": base64_text(triangles.astype("<u4")),
        "volume": volume.volume,
        "limits": [[each.joint, each.too_far, share] for each, share in limits.items()][:4],
        "body": position.tolist(),
    }


def _pose(ground: ShownGround, course: KnownCourse, feet: Array, step: int) -> tuple[Array, Array]:
    """Place and rotation of the base before a footstep."""
    plan = ground.plan
    if plan is not None and plan.swings:
        row = next((swing.lift_off for swing in plan.swings if swing.step == step), -1)
        return plan.position[row], to_matrix(from_rpy(plan.rpy[row]))
    return course.position + feet.mean(axis=0) - ground.feet.mean(axis=0), course.rotation


def _hips(body: LeggedBody, positions: Array, rpys: Array) -> list[list[list[float]]]:
    """Rectangles of the hips, front left, front right, hind right, hind left."""
    order = [body.index(name) for name in ("FL", "FR", "HR", "HL")]
    hips = body.table.hip[order]
    made = [position + hips @ to_matrix(from_rpy(rpy)).T for position, rpy in zip(positions, rpys, strict=True)]
    return np.round(np.array(made), 4).tolist()  # type: ignore[no-any-return]
