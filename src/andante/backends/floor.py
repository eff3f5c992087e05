"""FloorVariation: the floor of one run, its slope and the friction of every shape on it."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.ball import BALL
from andante.backends.config_parts import draw
from andante.backends.incline import Incline
from andante.backends.model_builder import FLOOR
from andante.backends.terrain import TERRAIN
from andante.backends.world import WorldConfig
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.spatial.rotations import exp, to_matrix

_RINGS, _SPOKES = 6, 12
"""Places below a ball at which the ground of a terrain is looked up."""
_ENDLESS = 1e9
"""Half size beyond which a bounding box is that of the endless floor [m]."""


class FloorVariation:
    """Draws friction and slope and writes them into the model."""

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel) -> None:
        self._config, self._model = config, model
        self._floor = int(model.geom(FLOOR).id)
        feet = {int(model.body(foot.body).id) for foot in robot.feet}
        # The ground and a ball keep their own friction.
        names = [model.geom(number).name for number in range(model.ngeom)]
        self._boards: NDArray[np.bool_] = np.array([name.startswith(TERRAIN) for name in names])
        shapes = np.array([name not in (FLOOR, BALL) for name in names]) & ~self._boards
        self._terrain = None if config.terrain is None else config.terrain.load()
        on_foot = np.isin(model.geom_bodyid, sorted(feet))
        self._soles: NDArray[np.bool_] = shapes & on_foot
        self._shells: NDArray[np.bool_] = shapes & ~on_foot
        # A plane of the world body has the body's frame only as long as it lies flat.
        model.geom_sameframe[self._floor] = 0
        self.rotation: Vector = np.eye(3)
        """Rotation of the floor against the horizontal, (3, 3)."""
        self.rise: tuple[float, float] = (0.0, 0.0)
        """How much the floor rises per metre along the world's x and y."""

    def draw(self, friction: np.random.Generator, ground: np.random.Generator) -> None:
        """Draw this run's floor; ``friction`` decides the coefficient, ``ground`` all else."""
        config, model = self._config, self._model
        coefficient = draw(friction, config.friction)
        sole, shell = draw(ground, config.materials.sole), draw(ground, config.materials.shell)
        model.geom_friction[self._soles, 0] = coefficient * sole
        model.geom_friction[self._shells, 0] = coefficient * shell
        # MuJoCo takes the larger friction of two shapes: the floor leaves it to the robot's.
        model.geom_friction[self._floor, 0] = coefficient * min(sole, shell)
        if config.terrain is not None:
            model.geom_friction[self._boards, 0] = coefficient * min(sole, shell)
            model.geom_friction[self._soles | self._shells, 0] *= config.terrain.friction
            model.geom_friction[self._boards, 0] *= config.terrain.friction
        self._tilt(draw(ground, config.slope), draw(ground, config.slope_direction))

    def height(self, x: float, y: float) -> float:
        """Height of the ground below a point [m]; beside a terrain that of the floor around it."""
        if self._terrain is None:
            return self.rise[0] * x + self.rise[1] * y
        if self._terrain.heights.covers((x, y)):
            return float(self._terrain.heights.nearest((x, y)))
        return self._terrain.floor

    def rest(self, x: float, y: float, radius: float) -> float:
        """Height of the centre of a ball that rests on the ground at a point, by its radius [m]."""
        if self._terrain is None:
            return self.height(x, y) + radius / float(self.rotation[2, 2])
        reaches = radius * np.linspace(0.0, 1.0, _RINGS)
        angles = np.linspace(0.0, math.tau, _SPOKES, endpoint=False)
        return max(
            self.height(x + reach * math.cos(angle), y + reach * math.sin(angle))
            + math.sqrt(max(radius * radius - reach * reach, 0.0))
            for reach in reaches.tolist()
            for angle in angles.tolist()
        )

    def clearance(self, x: float, y: float, reach: float) -> float:
        """How far the highest ground within ``reach`` [m] of a point along x and y stands above the floor plane [m]."""
        if self._terrain is None:
            return 0.0
        ground = self._terrain.heights
        near = ground.heights[np.ix_(np.abs(ground.x - x) <= reach, np.abs(ground.y - y) <= reach)]
        return float(near.max()) - self._terrain.floor if near.size else 0.0

    def incline(self, x: float, y: float, reach: float) -> Incline | None:
        """Inclined ground of a terrain within ``reach`` [m] of a point; None: there is none."""
        return None if self._terrain is None else Incline.under(self._terrain.heights, x, y, reach)

    @property
    def normal(self) -> Vector:
        """The floor's normal, (3,)."""
        return self.rotation[:, 2]

    def _tilt(self, slope: float, direction: float) -> None:
        quaternion = exp((slope * math.sin(direction), -slope * math.cos(direction), 0.0))
        self._model.geom_quat[self._floor] = quaternion
        self.rotation = to_matrix(quaternion)
        self.rise = (math.tan(slope) * math.cos(direction), math.tan(slope) * math.sin(direction))
        # The broad phase looks for contacts of the half space that the floor was when it was compiled: level.
        first, count = int(self._model.body_bvhadr[0]), int(self._model.body_bvhnum[0])
        for boxes in (self._model.bvh_aabb[first : first + count], self._model.geom_aabb[self._floor][None]):
            boxes[boxes[:, 3] >= _ENDLESS] = (0.0, 0.0, 0.0, *[2.0 * _ENDLESS] * 3)
