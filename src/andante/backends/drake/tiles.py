"""Uneven ground in Drake, which has no height fields: a tile under each point of the robot.

A tile is a flat box that touches the ground where it is nearest to its point, and is met by that point alone. It is
laid anew before each physics step. So a ball, or a corner, meets faces, edges and tips of the field as exactly as by
its own triangles, but one of them at a time: in a crease MuJoCo finds several.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.robots.records import Vector
from andante.spatial.arrays import Flags

_TILE = (0.2, 0.2, 0.04)
"""Lengths of a tile [m]."""
_AWAY = -100.0
"""Height of a tile that is not needed [m]."""
_REACH = 0.01
"""How far from its point, beyond the point's radius, the ground is looked for: at 5 m/s it comes no nearer within a
step [m]."""


class Tiles:
    """Tiles of the points that can touch one height field.

    Args:
        drake: The modules of Drake.
        plant: The plant, before it is finalised.
        model: MuJoCo's model.
        geom: Number of the height field's shape.

    Raises:
        BackendError: The field is turned.
    """

    def __init__(self, drake: Any, plant: Any, model: mujoco.MjModel, geom: int) -> None:
        if not np.allclose(np.abs(model.geom_quat[geom]), (1.0, 0.0, 0.0, 0.0)):
            name = model.geom(geom).name or geom
            raise BackendError("only a level height field is carried over to Drake", place=f"shape {name}")
        self._drake, self._plant, self.geom = drake, plant, geom
        field = int(model.geom_dataid[geom])
        rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
        half_x, half_y, relief, _ = (float(value) for value in model.hfield_size[field])
        first = int(model.hfield_adr[field])
        data = np.asarray(model.hfield_data[first : first + rows * columns], dtype=np.float64)
        self._heights = np.ascontiguousarray(relief * data.reshape(rows, columns).T)
        self._spacing = np.array([2.0 * half_x / (columns - 1), 2.0 * half_y / (rows - 1)])
        self._origin = np.asarray(model.geom_pos[geom]) - (half_x, half_y, 0.0)
        self._frames: list[Any] = []
        self._bodies: list[int] = []
        self._places: list[Vector] = []
        self._radii: list[float] = []
        self.tiles: list[tuple[Any, Any]] = []
        """Each tile's shape and the point that meets it."""

    def add(self, point: Any, body: int, place: Vector, radius: float, properties: Any) -> Any:
        """Add the tile of a point.

        Args:
            point: The point's shape in Drake.
            body: Number of its body in MuJoCo.
            place: Its place in the body's frame [m].
            radius: Its radius [m].
            properties: Contact properties of the ground.
        """
        tree, math, number = self._drake.multibody.tree, self._drake.math, len(self._frames)
        name = f"tile_{self.geom}_{number}"
        away = math.RigidTransform(np.array([0.0, 0.0, _AWAY]))
        # The pose of such a frame is a number of the context: what is welded to it moves without a joint.
        frame = self._plant.AddFrame(tree.FixedOffsetFrame(f"{name}_frame", self._plant.world_frame(), away))
        nothing = tree.SpatialInertia(0.0, np.zeros(3), tree.UnitInertia(0.0, 0.0, 0.0))
        made = self._plant.AddRigidBody(name, nothing)
        self._plant.AddJoint(tree.WeldJoint(f"{name}_weld", frame, made.body_frame(), math.RigidTransform()))
        down = math.RigidTransform(np.array([0.0, 0.0, -0.5 * _TILE[2]]))
        tile = self._plant.RegisterCollisionGeometry(
            made, down, self._drake.geometry.Box(*_TILE), f"{name}_shape", properties
        )
        self._frames.append(frame)
        self._bodies.append(body)
        self._places.append(np.array(place, dtype=np.float64))
        self._radii.append(radius)
        self.tiles.append((tile, point))
        return tile

    def begin(self) -> None:
        """All tiles are where nobody meets them, as in a new context."""
        self._laid: Flags = np.zeros(len(self._frames), dtype=np.bool_)
        self._all_bodies = np.array(self._bodies, dtype=np.intp)
        self._all_places, self._all_reach = np.array(self._places), np.array(self._radii) + _REACH
        self._found: Vector = np.zeros((len(self._frames), 6))

    def lay(self, context: Any, data: mujoco.MjData) -> None:
        """Lay the tiles for the next step.

        Args:
            context: The plant's context.
            data: MuJoCo's state, with the places of all bodies.
        """
        from andante.backends.drake.nearest_ground import nearest_ground

        turns = data.xmat[self._all_bodies].reshape(-1, 3, 3)
        points = data.xpos[self._all_bodies] + np.einsum("nij,nj->ni", turns, self._all_places) - self._origin
        nearest_ground(self._heights, self._spacing, np.ascontiguousarray(points), self._all_reach, self._found)
        near: Flags = np.any(self._found[:, 3:] != 0.0, axis=1)
        math = self._drake.math
        for number in np.flatnonzero(near | self._laid).tolist():
            pose = math.RigidTransform(np.array([0.0, 0.0, _AWAY]))
            if near[number]:
                place, normal = self._found[number, :3] + self._origin, self._found[number, 3:]
                pose = math.RigidTransform(math.RotationMatrix.MakeFromOneVector(normal, 2), place)
            self._frames[number].SetPoseInParentFrame(context, pose)
        self._laid = near
