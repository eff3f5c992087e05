"""Spreads of worlds by name, as the experiment `getup` states them, for worlds of anybody else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from andante.backends.world import Carpet, WorldConfig
from andante.documents.paths import parse_path, value_at, with_value
from andante.search.errors import SearchError
from andante.search.experiment.document import Draw
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.trial import drawn_values

StartName = Literal["front", "back", "left", "right"]
"""How the robot lies at the beginning."""
_WORLD = "world."
_OPEN = (
    *("friction", "command_delay", "start.noise_scale", "noise", "backlash", "stretches", "slope", "slope_direction"),
    *("masses", "com_shift", "torque_speed"),
)
"""What every spread leaves open."""


@dataclass(frozen=True)
class Spread:
    """Ranges from which the seed of a trial draws its world."""

    name: str
    """Name on the command line."""
    values: Mapping[str, Any]
    """New values of the world by path."""
    draws: tuple[Draw, ...]
    """What each seed draws beside: the strength of all servos, and whether there is carpet."""
    stream: int
    """Keeps these draws apart from the world's, which come from the same seed."""


def spreads() -> tuple[str, ...]:
    """Names of all spreads."""
    return tuple(EXPERIMENTS["getup"].axes["spread"].variants)


@cache
def spread_named(name: str) -> Spread:
    """The spread of this name.

    Raises:
        SearchError: There is none.
    """
    if name not in spreads():
        raise SearchError("there is no such spread", place="--spread", value=name, legal=spreads())
    experiment = EXPERIMENTS["getup"]
    variant = experiment.axes["spread"].variants[name]
    values = {each: value_at(experiment.model_dump(), ("scenario", "world", *parse_path(each))) for each in _OPEN}
    values |= {path.removeprefix(_WORLD): value for path, value in variant.set.items()}
    return Spread(name, values, variant.spread, experiment.stream)


def spread_over(world: WorldConfig, spread: Spread, carpet: bool = False) -> WorldConfig:
    """A world with everything that a spread leaves open, but for the strength of the servos; the rest stays.

    Raises:
        PathError: A value is not one of a world.
        ValidationError: The world has a terrain, and the spread tilts the floor or lays carpet.
    """
    data = world.model_dump()
    for path, value in spread.values.items():
        data = with_value(WorldConfig, data, parse_path(path), value)
    return WorldConfig.model_validate({**data, "carpet": Carpet() if carpet else None})


def drawn(spread: Spread, seed: int) -> tuple[float, bool]:
    """What the world does not draw itself: the factor on all servos of a trial, and whether there is carpet."""
    found = drawn_values(spread.draws, seed, spread.stream)
    return float(found[f"{_WORLD}servo_strength"]), found.get(f"{_WORLD}carpet") is not None
