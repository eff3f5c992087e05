"""Makes boards: by name, difficulty and seed."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.plugins.register import Register
from andante.terrain.boards.course import BoardKind, Course, lane
from andante.terrain.boards.lanes import LANE_BOARDS
from andante.terrain.boards.worlds import WORLDS
from andante.terrain.height_map import TerrainError
from andante.terrain.terrain import Terrain


def board_kind(thing: object) -> BoardKind:
    """A kind of board.

    Raises:
        TerrainError: It is none.
    """
    if not isinstance(thing, BoardKind):
        raise TerrainError("a board is a BoardKind", value=type(thing).__name__)
    return thing


LANES: Mapping[str, BoardKind] = {kind.name: kind for kind in LANE_BOARDS}
"""The shipped kinds of boards that scale with the robot, by name."""
BOARDS: Register[BoardKind] = Register(
    "boards",
    "board",
    board_kind,
    {**LANES, **{kind.name: kind for kind in WORLDS}},
    TerrainError,
    lambda kind: kind.name,
)
"""All kinds of boards by name; a package brings one by an entry point in ``andante.boards``."""
_NUMBERS = {name: number for number, name in enumerate(sorted(LANES))}
"""What parts the draws of two boards with the same seed."""
SUITE = (
    *("rolling", "gaps", "steps", "mesa", "barrier"),
    *("rocks", "blocks", "stepping-stones", "side-slope", "logs"),
)
"""The ten mixed boards that are counted."""


def make_board(
    name: str,
    difficulty: float = 0.5,
    seed: int = 0,
    *,
    leg_length: float = REFERENCE_LEG,
    values: Mapping[str, float] | None = None,
) -> Terrain:
    """A board; the same arguments always give the same board.

    Args:
        name: Kind of board.
        difficulty: 0 to 1; every parameter runs linearly over its range.
        seed: Decides all that the parameters leave open.
        leg_length: Leg length of the robot [m]; all lengths scale with it, but for the worlds, whose lengths are real.
        values: Parameters with a value of their own [m, rad, shares], for LittleDog's size where the board scales.

    Raises:
        TerrainError: Unknown board or parameter, or a number that makes no board.
        PluginError: The board is another package's and cannot be made.
    """
    kind = BOARDS[name]
    parameters = kind.parameters
    if not 0.0 <= difficulty <= 1.0:
        raise TerrainError("difficulty is out of range", place=name, value=difficulty, limit="0 to 1")
    if not (math.isfinite(leg_length) and leg_length > 0.0):
        raise TerrainError("the leg length must be above zero", place=name, value=leg_length)
    if seed < 0:
        raise TerrainError("a seed is not below zero", place=name, value=seed)
    chosen = {key: low + difficulty * (high - low) for key, (low, high) in parameters.items()}
    for key, value in (values or {}).items():
        if key not in parameters:
            raise TerrainError(f"board {name!r} has no such parameter", value=key, legal=parameters)
        if not math.isfinite(value) or (value < 0.0 and key != "yaw"):
            raise TerrainError("a board's parameter must be finite and not below zero", place=key, value=value)
        chosen[key] = float(value)
    number = _NUMBERS.get(name, zlib.crc32(name.encode()))
    random = np.random.default_rng(np.random.SeedSequence((seed, number)))
    try:
        site = lane(chosen["length"]) if kind.site.scales else kind.site
    except ValueError as error:
        raise TerrainError(
            f"board {name!r} has no such length", place="length", value=chosen["length"], limit=str(error)
        ) from error
    try:
        course = Course(MappingProxyType(chosen), random, site)
        with BOARDS.blame(name):
            kind.build(course)
        with BOARDS.blame(name, refusals=True):
            return course.finish(kind, leg_length / REFERENCE_LEG)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise TerrainError(
            "these parameters make no board", place=name, value=chosen, remedy="they contradict each other"
        ) from error
