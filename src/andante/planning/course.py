"""Course: what a planner knows of where it shall walk: the robot, a map of the ground, where it stands, the goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody, checked_stance
from andante.spatial.arrays import Array, Flags
from andante.terrain.boards.course import REFERENCE_LEG
from andante.terrain.height_map import HeightMap
from andante.terrain.layers import FootholdRules, Layers


class PlanningError(AndanteError):
    """A course that no plan can be made for as asked: something is off the map, or numbers make no sense."""


class NoPlanError(PlanningError):
    """There is no way to the goal within the robot's limits, or none was found; names reason and place."""


@dataclass(frozen=True, eq=False)
class Course:
    """What a planner knows. The map is a survey of the ground, not the ground.

    Raises:
        PlanningError: Start or goal is off the map.
        StanceError: Feet and rotation make no stance, or the reserve is more than knees have.
    """

    body: LeggedBody
    """The robot."""
    ground: HeightMap
    """The ground as the planner knows it."""
    feet: Array
    """Centres of the feet where the robot stands, (nl, 3) [m]."""
    position: Array
    """Origin of the base there, (3,) [m]."""
    rotation: Array
    """Rotation of the base there, (3, 3)."""
    goal: tuple[float, float]
    """Where the middle of the robot shall go [m]."""
    pits: Flags | None = None
    """Nodes of the map that are known to be the bottom of a pit, (nx, ny); None: no node is."""
    reserve: float = 0.45
    """Bend that plans leave to every knee [rad]: a stretched leg cannot mend where the body is."""

    def __post_init__(self) -> None:
        feet, rotation = checked_stance(self.body, self.feet, self.rotation)
        object.__setattr__(self, "body", self.body.reserved(self.reserve))
        object.__setattr__(self, "feet", feet)
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "position", np.array(self.position, dtype=np.float64))
        low_x, high_x, low_y, high_y = self.ground.extent
        limit = f"x {low_x:.3f} to {high_x:.3f}, y {low_y:.3f} to {high_y:.3f} m"
        for name, place in (("start", self.position[:2]), ("goal", self.goal)):
            if not self.ground.covers(place).all():
                raise PlanningError(
                    f"the {name} is off the map", value=[round(float(v), 3) for v in place], limit=limit
                )

    @property
    def scale(self) -> float:
        """The robot's size against LittleDog's; lengths that were found on LittleDog are multiplied by it."""
        return self.body.leg_length / REFERENCE_LEG

    @cached_property
    def layers(self) -> Layers:
        """What the ground is like around each node, for a foot of this robot's size."""
        return Layers.of(self.ground, FootholdRules().scaled(self.scale))
