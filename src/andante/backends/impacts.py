"""ImpactMeter: how hard trunk and head hit the floor, in every physics step.

A blow lasts a few physics steps, so what stands in the sensors at the end of a tick would miss its peak. The meter only
watches ticks in which the trunk or head can reach the floor.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.model_builder import FLOOR
from andante.backends.terrain import TERRAIN
from andante.robots.records import Vector
from andante.robots.robot import Robot

_MARGIN = 0.01
_FASTEST = 10.0
"""Nothing of the robot comes down faster than this [m/s]."""


class ImpactMeter:
    """Peak and time integral of the normal force between the ground and each group of bodies.

    Group ``trunk`` is the base, ``head`` whatever the joints of the robot's group ``head`` move.

    Args:
        robot: The robot.
        model: The world's model.
        data: Its state.
        highest: Height of the highest ground above the level z = 0 [m].
    """

    def __init__(self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData, highest: float = 0.0) -> None:
        self._model, self._data = model, data
        groups = {"trunk": [int(model.body(robot.base_body).id)]}
        head = sorted({int(model.jnt_bodyid[model.joint(name).id]) for name in robot.groups.get("head", ())})
        if head:
            groups["head"] = head
        self.names = tuple(groups)
        """Names of the groups."""
        collides = (model.geom_contype | model.geom_conaffinity) != 0
        names = [model.geom(number).name for number in range(model.ngeom)]
        self._grounds = {number for number, name in enumerate(names) if name == FLOOR or name.startswith(TERRAIN)}
        self._highest = highest
        self._group: dict[int, int] = {
            int(geom): number
            for number, bodies in enumerate(groups.values())
            for geom in np.flatnonzero(collides & np.isin(model.geom_bodyid, bodies))
        }
        """Group of each shape that counts, by geom index."""
        self._geoms: NDArray[np.intp] = np.array(sorted(self._group), dtype=np.intp)
        self.peak: Vector = np.zeros(len(groups))
        """Largest force per group since the last `begin`, (ng,) [N]."""
        self.impulse: Vector = np.zeros(len(groups))
        """Time integral of that force, (ng,) [N s]."""
        self._force: Vector = np.zeros(6)

    def begin(self) -> None:
        """Start a new time of measuring."""
        self.peak[:] = 0.0
        self.impulse[:] = 0.0

    def near(self, normal: Vector, duration: float) -> bool:
        """Whether a group can touch the floor of this normal within ``duration`` seconds."""
        if not len(self._geoms):
            return False
        height = self._data.geom_xpos[self._geoms].dot(normal) - self._model.geom_rbound[self._geoms]
        return bool(height.min() < self._highest + _MARGIN + _FASTEST * duration)

    def group_of(self, geom: int) -> int | None:
        """Group of a shape by its geom index; None: it does not count."""
        return self._group.get(geom)

    def add(self, sums: Mapping[int, float], duration: float) -> None:
        """Count forces [N] on groups, by their place in ``names``, over ``duration`` seconds."""
        for group, force in sums.items():
            self.peak[group] = max(self.peak[group], force)
            self.impulse[group] += force * duration

    def take(self, duration: float) -> None:
        """Count the contact forces of the physics step that was just computed, before contacts are found anew."""
        data = self._data
        if not data.ncon:
            return
        grounds, group = self._grounds, self._group
        sums: dict[int, float] = {}
        for contact, (first, second) in enumerate(data.contact.geom.tolist()):
            hit = group.get(second) if first in grounds else group.get(first) if second in grounds else None
            if hit is not None:
                mujoco.mj_contactForce(self._model, data, contact, self._force)
                sums[hit] = sums.get(hit, 0.0) + float(self._force[0])
        self.add(sums, duration)
