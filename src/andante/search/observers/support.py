"""Support: whether a standing robot will come to rest over its soles, judged by its true capture point."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.robots.records import Vector
from andante.search.observers.rise_kernels import point_supported

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
        self._sites = np.array([int(site) for site, outline in outlines for _ in outline], dtype=np.int64)
        self._corners = np.array([corner for _, outline in outlines for corner in outline], dtype=float).reshape(-1, 2)

    def holds(self, normal: Vector) -> bool:
        """Whether the capture point lies well within the support.

        Args:
            normal: Of the floor, (3,).
        """
        data = self._data
        if not len(self._sites):
            return False
        mujoco.mj_subtreeVel(self._model, data)
        supported = point_supported(
            data.subtree_com[self._base],
            data.subtree_linvel[self._base],
            data.site_xpos,
            data.site_xmat,
            self._sites,
            self._corners,
            self._matrix,
            normal,
            _LOWEST,
            _GRAVITY,
            _INSIDE,
        )
        return bool(supported)
