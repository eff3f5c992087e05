"""Terrain in a simulated world: which one. `andante.backends.terrain_bodies` makes MuJoCo's bodies of it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator

from andante.documents.quantities import Length, NonNegative, Number
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.terrain.files.options import FileOptions

if TYPE_CHECKING:
    from andante.terrain.terrain import Terrain

TERRAIN = "andante_terrain"
"""Prefix of the names of all geoms of a terrain."""


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
