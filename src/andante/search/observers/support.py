"""Support: whether a standing robot will come to rest over its soles, judged by its true capture point."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.robots.records import Vector

_INSIDE = 0.5
"""Share of the support's half length and width within which a capture point is well inside."""
_GRAVITY = 9.81
_LOWEST = 0.02
"""Least height of the centre of mass [m]."""


class Support:
    """The ground between a robot's soles, as a box along the heading of its base.

    Args:
        world: The world; what is read of it is the truth, which no controller sees.
    """

    def __init__(self, world: MujocoWorld) -> None:
        self._model, self._data = world.model, world.data
        self._base = int(world.model.body(world.robot.base_body).id)
        self._matrix = world.data.xmat[self._base]
        outlines = [(world.model.site(foot.site).id, foot.outline or ((0.0, 0.0),)) for foot in world.robot.feet]
        self._soles = [(int(site), np.array([(x, y, 0.0) for x, y in outline])) for site, outline in outlines]

    def holds(self, normal: Vector) -> bool:
        """Whether the capture point lies well within the support.

        Args:
            normal: Of the floor, (3,).
        """
        data = self._data
        if not self._soles:
            return False
        mujoco.mj_subtreeVel(self._model, data)
        com, speed = data.subtree_com[self._base], data.subtree_linvel[self._base]
        places = np.concatenate(
            [data.site_xpos[site] + corners @ data.site_xmat[site].reshape(3, 3).T for site, corners in self._soles]
        )
        height = float((com - places.mean(axis=0)) @ normal)
        point = com + speed * math.sqrt(max(height, _LOWEST) / _GRAVITY)
        ahead = self._matrix[0::3] - normal * float(self._matrix[0::3] @ normal)
        ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
        aside = np.array(
            (
                normal[1] * ahead[2] - normal[2] * ahead[1],
                normal[2] * ahead[0] - normal[0] * ahead[2],
                normal[0] * ahead[1] - normal[1] * ahead[0],
            )
        )
        for axis in (ahead, aside):
            ends = places @ axis
            low, high = float(ends.min()), float(ends.max())
            if abs(float(point @ axis) - 0.5 * (low + high)) > _INSIDE * 0.5 * (high - low):
                return False
        return True
