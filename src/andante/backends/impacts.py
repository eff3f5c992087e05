"""ImpactMeter: how hard trunk and head hit the floor, in every physics step.

A blow lasts a few physics steps, so what stands in the sensors at the end of a tick would miss its peak. The meter only
watches ticks in which the trunk or head can reach the floor.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.model_builder import FLOOR
from andante.robots.records import Vector
from andante.robots.robot import Robot

_FLOOR_CODE, _OTHER_CODE = 100, -1000
_MARGIN = 0.01


def impact_groups(robot: Robot, model: mujoco.MjModel) -> dict[str, tuple[int, ...]]:
    """Bodies by group: ``trunk`` is the base, ``head`` whatever the joints of the robot's group ``head`` move."""
    groups: dict[str, tuple[int, ...]] = {"trunk": (int(model.body(robot.base_body).id),)}
    head = sorted({int(model.jnt_bodyid[model.joint(name).id]) for name in robot.groups.get("head", ())})
    return groups | {"head": tuple(head)} if head else groups


class ImpactMeter:
    """Peak and time integral of the normal force between the floor and each group of bodies."""

    def __init__(self, robot: Robot, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        groups = impact_groups(robot, model)
        self.names = tuple(groups)
        """Names of the groups."""
        code = np.full(model.ngeom, _OTHER_CODE, dtype=np.int64)
        collides = (model.geom_contype | model.geom_conaffinity) != 0
        for number, bodies in enumerate(groups.values()):
            code[collides & np.isin(model.geom_bodyid, bodies)] = number
        self._geoms: NDArray[np.intp] = np.flatnonzero(code >= 0)
        code[model.geom(FLOOR).id] = _FLOOR_CODE
        self._code = code
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
        speed = abs(self._data.qvel[:3]).max() + 5.0
        height = self._data.geom_xpos[self._geoms] @ normal - self._model.geom_rbound[self._geoms]
        return bool(height.min() < _MARGIN + speed * duration)

    def take(self, duration: float) -> None:
        """Count the contact forces of the physics step that was just computed, before contacts are found anew."""
        pairs = self._data.contact.geom
        if not len(pairs):
            return
        groups = self._code[pairs].sum(axis=1) - _FLOOR_CODE
        hits = np.flatnonzero((groups >= 0) & (groups < _FLOOR_CODE)).tolist()
        if not hits:
            return
        sums = [0.0] * len(self.names)
        for contact in hits:
            mujoco.mj_contactForce(self._model, self._data, contact, self._force)
            sums[int(groups[contact])] += float(self._force[0])
        np.maximum(self.peak, sums, out=self.peak)
        self.impulse += np.multiply(sums, duration)
