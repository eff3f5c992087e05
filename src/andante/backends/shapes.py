"""ShapeVariation: stretched collision shapes in a model that is already built.

Compiling a changed specification takes some 3 ms and gets everything right that depends on a shape (frames of meshes,
bounding volumes, hulls); only what belongs to shapes is then copied into the running model. Masses and inertias of
the first model stay whatever the shapes.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.config_parts import draw
from andante.backends.model_builder import FLOOR, build_spec
from andante.backends.world import WorldConfig
from andante.robots.compiling import compiled
from andante.robots.robot import Robot

_ALIGNED = 1e-6
_GEOM_ARRAYS = ("geom_size", "geom_pos", "geom_quat", "geom_aabb", "geom_rbound", "geom_sameframe")


class ShapeVariation:
    """Applies the stretches of a world to its model.

    Args:
        robot: The robot.
        config: The world.
        model: Its model, as made from `build_spec`.
        drawn: Whether the model has the robot's visual meshes.

    Raises:
        BackendError: A stretch names an unknown shape, or one that cannot be stretched along its axis.
    """

    def __init__(self, robot: Robot, config: WorldConfig, model: mujoco.MjModel, *, drawn: bool = False) -> None:
        self._robot, self._config, self._drawn = robot, config, drawn
        self._model, self._stretches = model, config.stretches
        self._copied: tuple[str, ...] = ()
        if not self._stretches:
            return
        meshes = (name for name in dir(model) if name.startswith("mesh_") and _is_array(getattr(model, name)))
        self._copied = (*_GEOM_ARRAYS, *meshes)
        # The tree of bounding boxes within a body holds for the first shapes only; without it MuJoCo looks at each.
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
        self._fresh([1.0] * len(self._stretches))

    def draw(self, rng: np.random.Generator) -> None:
        """Draw a factor per stretch and change the model."""
        if self._stretches:
            self.apply([draw(rng, stretch.factor) for stretch in self._stretches])

    def apply(self, factors: Sequence[float]) -> None:
        """Change the model's shapes by one factor per stretch, seen from the original shapes."""
        fresh = self._fresh(factors)
        for name in self._copied:
            old, new = getattr(self._model, name), getattr(fresh, name)
            if old.shape != new.shape:
                raise BackendError("a stretched mesh has another hull", place=name, value=list(factors))
            old[:] = new

    def _fresh(self, factors: Sequence[float]) -> mujoco.MjModel:
        spec = build_spec(self._robot, self._config, drawn=self._drawn)
        meshes: dict[str, list[float]] = {}
        for stretch, factor in zip(self._stretches, factors, strict=True):
            for name in stretch.geoms:
                _stretch(spec, name, "xyz".index(stretch.axis), factor, stretch.about, meshes)
        for name, scale in meshes.items():
            spec.mesh(name).scale = [a * b for a, b in zip(spec.mesh(name).scale, scale, strict=True)]
        return compiled(spec)


def _stretch(
    spec: mujoco.MjSpec, name: str, axis: int, factor: float, about: float, meshes: dict[str, list[float]]
) -> None:
    geom = spec.geom(name) if name else None
    if geom is None:
        touching = [other.name for other in spec.geoms if other.name and other.contype | other.conaffinity]
        legal = [each for each in touching if each != FLOOR]
        remedy = "stretches, as of the spread 'wide', are for the robot whose shapes they name; take another spread"
        raise BackendError("a stretch names a shape that this robot lacks", value=name, legal=legal, remedy=remedy)
    ends = np.array(geom.fromto)
    if geom.type == mujoco.mjtGeom.mjGEOM_CAPSULE and np.isfinite(ends).all():
        others = [k for k in range(3) if k != axis]
        if np.abs(ends[others] - ends[[3 + k for k in others]]).max() > _ALIGNED:
            raise _cannot(name, axis, "the capsule lies along another axis")
        radius = geom.size[0] * (1.0 if ends[axis] < ends[3 + axis] else -1.0)
        ends[axis] = about + factor * (ends[axis] - radius - about) + radius
        ends[3 + axis] = about + factor * (ends[3 + axis] + radius - about) - radius
        geom.fromto = ends
        return
    if geom.type not in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_MESH):
        raise _cannot(name, axis, "only boxes, meshes and capsules given by their ends can be stretched")
    if geom.alt.type != mujoco.mjtOrientation.mjORIENTATION_QUAT or abs(abs(geom.quat[0]) - 1.0) > _ALIGNED:
        raise _cannot(name, axis, "it is turned against its body")
    position = np.array(geom.pos)
    position[axis] = about + factor * (position[axis] - about)
    geom.pos = position
    if geom.type == mujoco.mjtGeom.mjGEOM_BOX:
        size = np.array(geom.size)
        size[axis] *= factor
        geom.size = size
    elif geom.meshname in meshes and meshes[geom.meshname][axis] not in (1.0, factor):
        raise _cannot(name, axis, f"its mesh {geom.meshname!r} is stretched twice along this axis")
    else:
        meshes.setdefault(geom.meshname, [1.0, 1.0, 1.0])[axis] = factor


def _cannot(name: str, axis: int, why: str) -> BackendError:
    return BackendError(f"this shape cannot be stretched along {'xyz'[axis]}: {why}", place=f"geom {name!r}")


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray)
