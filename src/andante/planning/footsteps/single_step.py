"""One step as the search tests it, for callers outside kernels."""

from __future__ import annotations

import numpy as np

from andante.kinematics.support_triangle import inner_triangle
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import look_at_step, swing_apex
from andante.spatial.arrays import Array1, Array2
from andante.spatial.compiled import entry

UNSUPPORTED = -2.0
"""Room of a step during which the other feet do not carry the body [m]."""


@entry
def step_room(scene: Scene, rules: PoseRules, before: Array2, leg: int, place: Array1, apex: float) -> float:
    """Room of a step [m] (`look_at_step`), or `UNSUPPORTED`.

    Args:
        scene: Robot and ground.
        rules: Which poses are tried.
        before: Centres of the feet before the step, (4, 3) [m].
        leg: Row of the foot that moves.
        place: Where it goes, (3,) [m].
        apex: Height of its centre on the way [m].
    """
    if not inner_triangle(before, leg, rules.margin, np.empty((3, 2))):
        return UNSUPPORTED
    room, _ = look_at_step(scene, rules, before, leg, place, apex, np.empty((2, 6)))
    return room


@entry
def step_apex(scene: Scene, old: Array1, new: Array1, lift: float) -> float:
    """Height of a foot's centre that clears all between two places (3,) by ``lift`` [m] (`swing_apex`)."""
    apex: float = swing_apex(scene, old, new, lift)
    return apex
