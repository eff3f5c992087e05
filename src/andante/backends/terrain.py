"""Terrain in a simulated world: which one, and its bodies as MuJoCo's.

Ground that is given by its heights becomes a height field, and its level parts boxes, whose edges a height field would
round over one spacing of its grid. Bodies of boards of real size are boxes, cylinders and convex meshes.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Self

import mujoco
import numpy as np
from pydantic import Field, model_validator

from andante.documents.quantities import Length, NonNegative, Number
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import HeightMap
from andante.terrain.solids import Box, LyingLog, Solid, Stone
from andante.terrain.terrain import Terrain

TERRAIN = "andante_terrain"
"""Prefix of the names of all geoms of a terrain."""
_COLOUR = [0.72, 0.66, 0.56, 1.0]
_LEAST_RELIEF = 1e-4
_BASE = 0.05


class TerrainChoice(FileOptions):
    """A board by name, or a terrain file with what the file does not say of itself."""

    board: str | None = None
    """Kind of board; give this or ``file``."""
    file: str | None = None
    """Mesh, image, grid, cloud or recorded map; see `andante.terrain.files.load`."""
    difficulty: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.5
    """Difficulty of the board."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the board; the run's seed does not change the ground."""
    leg_length: Annotated[Length, Field(gt=0.0)] = REFERENCE_LEG
    """Leg length of the robot [m]: all lengths of a board scale with it, and the room at the ends of a file."""
    parameters: dict[str, Number] = Field(default_factory=dict)
    """Parameters of the board with values of their own; see `andante.terrain.boards.make`."""
    friction: NonNegative = 1.0
    """Factor on the world's friction for the whole terrain."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.board is None) == (self.file is None):
            raise ValueError("a terrain needs either board or file")
        if self.board is not None:
            # Documents of before say the usual spacing with every board.
            self.refuse_others((), "a board", self.board)
        return self

    def load(self) -> Terrain:
        """The terrain.

        Raises:
            TerrainError: There is no such board, or the file cannot be used.
        """
        return _load(self.model_dump_json(), self.version)

    @property
    def version(self) -> tuple[int, ...]:
        """What tells a file that was written anew from the one before it; empty without one.

        It belongs into the key of whatever is kept of a terrain.
        """
        if self.file is None:
            return ()
        # Most worlds are level, and are spared formats of files.
        from andante.terrain.files.files_beside import files_beside

        try:
            file = Path(self.file)
            # Only a file that is there has others beside it; a folder stays as old as it is where one in it is new.
            states = [file.stat(), *(each.stat() for each in files_beside(file))]
        except (OSError, ValueError):
            # Whoever loads it says why.
            return ()
        return tuple(number for state in states for number in (state.st_mtime_ns, state.st_size, state.st_ino))


@functools.lru_cache(maxsize=16)
def _load(text: str, _: tuple[int, ...]) -> Terrain:
    choice = TerrainChoice.model_validate_json(text)
    # Most worlds are level, and are spared boards and formats of files.
    if choice.board is not None:
        from andante.terrain.boards.make import make_board

        return make_board(
            choice.board, choice.difficulty, choice.seed, leg_length=choice.leg_length, values=choice.parameters
        )
    from andante.terrain.files.load import load_terrain

    scale = choice.leg_length / REFERENCE_LEG
    return load_terrain(Path(choice.file or ""), FileOptions.of(choice), scale)


def add_terrain(spec: mujoco.MjSpec, terrain: Terrain, friction: float, contact_time: float, weight: float) -> None:
    """Add a terrain's bodies to a world.

    Args:
        spec: The world.
        terrain: The terrain.
        friction: Sliding friction of its geoms.
        contact_time: Time constant of its contacts [s].
        weight: Weight with which it decides how soft its contacts are (solmix).
    """
    solids, rest = terrain.solids, terrain.surface
    if rest is not None:
        # Its kernel needs numba, whose import most runs are spared.
        from andante.terrain.level_patches import LevelPatches

        patches = LevelPatches.of(rest, terrain.floor, _BASE)
        solids, rest = (*solids, *patches.boxes), patches.rest
    geoms = [_add_solid(spec, number, solid) for number, solid in enumerate(solids)]
    if rest is not None:
        geoms.append(_add_surface(spec, rest))
    for geom in geoms:
        geom.rgba = _COLOUR
        geom.condim = 3
        geom.friction = [friction, 0.0, 0.0]
        geom.solref = [contact_time, 1.0]
        geom.solmix = weight


def _add_solid(spec: mujoco.MjSpec, number: int, solid: Solid) -> mujoco.MjsGeom:
    name, world = f"{TERRAIN}_{number}", spec.worldbody
    if isinstance(solid, Box):
        turn = [np.cos(0.5 * solid.yaw), 0.0, 0.0, np.sin(0.5 * solid.yaw)]
        return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=solid.centre, size=solid.half, quat=turn)
    if isinstance(solid, Stone):
        size = [solid.radius, solid.half, 0.0]
        return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_CYLINDER, pos=solid.centre, size=size)
    if isinstance(solid, LyingLog):
        middle, way = np.array(solid.centre), np.array(solid.axis) * solid.half
        ends = [*(middle - way), *(middle + way)]
        return world.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_CYLINDER, fromto=ends, size=[solid.radius, 0.0, 0.0]
        )
    # MuJoCo collides with the convex hull of a mesh, which a rock is of its corners.
    spec.add_mesh(name=name, uservert=solid.corners.ravel().tolist())
    return world.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)


def _add_surface(spec: mujoco.MjSpec, surface: HeightMap) -> mujoco.MjsGeom:
    low_x, high_x, low_y, high_y = surface.extent
    z = surface.heights
    lowest, relief = float(z.min()), max(float(np.ptp(z)), _LEAST_RELIEF)
    spec.add_hfield(
        name=TERRAIN,
        nrow=z.shape[1],
        ncol=z.shape[0],
        size=[0.5 * (high_x - low_x), 0.5 * (high_y - low_y), relief, _BASE],
        userdata=np.ascontiguousarray((z.T - lowest) / relief).ravel(),
    )
    return spec.worldbody.add_geom(
        name=f"{TERRAIN}_surface",
        type=mujoco.mjtGeom.mjGEOM_HFIELD,
        hfieldname=TERRAIN,
        pos=[0.5 * (low_x + high_x), 0.5 * (low_y + high_y), lowest],
    )
