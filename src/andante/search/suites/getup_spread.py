"""How harsh a get-up's world is: named spreads of floor, servos, sensors and body, and the worlds made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from andante.backends.world import Carpet, SensorNoise, Start, Stretch, WorldConfig
from andante.search.errors import SearchError

StartName = Literal["front", "back", "left", "right"]
"""How the robot lies at the beginning."""
LYING: dict[StartName, Literal["prone", "supine", "left", "right"]] = {
    "front": "prone",
    "back": "supine",
    "left": "left",
    "right": "right",
}
"""The world's word for each start."""
NOISE = SensorNoise(
    position=0.002,
    velocity=0.02,
    orientation=0.003,
    gyro=0.01,
    accelerometer=0.1,
    force=0.2,
    position_offset=math.radians(0.5),
    gyro_offset=0.01,
    orientation_offset=math.radians(1.0),
)
"""About a NAO's encoders, calibration and IMU with its bias; an assumption."""
BACKLASH = math.radians(0.5)
"""Largest half width of the play in a joint [rad]; an assumption (about 1 degree of play in worn legs)."""

TIMESTEP = 0.003
"""Physics step [s]: a quarter of the NAO's tick. The reference found steps of 1 to 4 ms alike (nao-physics.md, 2.4),
and 3 ms costs a third less than the usual 2 ms."""

_STREAM = 7201
"""Keeps these draws apart from the world's, which come from the same seed."""

_SOLES = tuple(f"{side}_sole_{part}" for side in ("left", "right") for part in ("wide", "middle", "long"))
"""The boxes of the NAO's soles."""


@dataclass(frozen=True)
class Spread:
    """Ranges from which the seed of a trial draws its world."""

    name: str
    """Name on the command line."""
    friction: tuple[float, float] = (0.7, 0.7)
    """Sliding friction of all shapes."""
    strength: tuple[float, float] = (1.0, 1.0)
    """Factor on gains and torque limits, one for all servos of a trial."""
    delay: tuple[int, int] = (3, 3)
    """Ticks from a command to its effect."""
    posture_noise: float = 0.0
    """Factor on the noise of the lying posture (1: arms 30 deg, legs 15 deg) and of the drop."""
    noise: SensorNoise = field(default_factory=SensorNoise)
    """Sensor noise and bias."""
    backlash: float = 0.0
    """Largest half width of play per joint [rad]."""
    stretch: float = 0.0
    """Hands, waist and soles are longer or shorter by up to this share."""
    slope: float = 0.0
    """Largest slope, in any direction [rad]."""
    carpet: bool = False
    """Half of the trials are on carpet."""


SPREADS = {
    spread.name: spread
    for spread in (
        Spread("none"),
        Spread("standard", (0.4, 1.0), (0.85, 1.15), (2, 4), 1.0),
        Spread("noisy", (0.4, 1.0), (0.85, 1.15), (2, 4), 1.0, noise=NOISE, backlash=BACKLASH),
        Spread("wide", (0.2, 1.4), (0.7, 1.3), (1, 5), 1.0, stretch=0.05, slope=math.radians(5.0), carpet=True),
    )
}
"""The spreads by name: ``noisy`` is ``standard`` with sensor noise, IMU bias and backlash."""


def spread_named(name: str) -> Spread:
    """The spread of this name.

    Raises:
        SearchError: There is none.
    """
    if name not in SPREADS:
        raise SearchError("there is no such spread", place="--spread", value=name, legal=SPREADS)
    return SPREADS[name]


def stretches(share: float) -> tuple[Stretch, ...]:
    """Changes of the shapes that get-ups feel most: hands, waist, soles (NAO's names)."""
    if share == 0.0:
        return ()
    factor = (1.0 - share, 1.0 + share)
    return (
        Stretch(geoms=("left_hand", "right_hand"), axis="x", factor=factor),
        Stretch(geoms=("waist",), axis="x", factor=factor),
        Stretch(geoms=_SOLES, axis="x", factor=factor),
        Stretch(geoms=_SOLES, axis="y", factor=factor),
    )


def world_config(spread: Spread, start: StartName, carpet: bool = False) -> WorldConfig:
    """The world of a spread; servo strength is left at 1 and set per trial, because one factor holds for all servos."""
    return spread_over(WorldConfig(timestep=TIMESTEP, start=Start(lying=LYING[start]), impacts=False), spread, carpet)


def spread_over(world: WorldConfig, spread: Spread, carpet: bool = False) -> WorldConfig:
    """A world with everything that a spread leaves open, but for the strength of the servos; the rest stays.

    Raises:
        ValidationError: The world has a terrain, and the spread tilts the floor or lays carpet.
    """
    start = world.start.model_copy(update={"noise_scale": spread.posture_noise})
    data = {name: getattr(world, name) for name in WorldConfig.model_fields}
    return WorldConfig(
        **{
            **data,
            "friction": spread.friction,
            "command_delay": spread.delay,
            "start": start,
            "noise": spread.noise,
            "backlash": (0.0, spread.backlash),
            "stretches": stretches(spread.stretch),
            "slope": (0.0, spread.slope),
            "slope_direction": (-math.pi, math.pi),
            "carpet": Carpet() if carpet else None,
        }
    )


def drawn(spread: Spread, seed: int) -> tuple[float, bool]:
    """What the world does not draw itself: the factor on all servos of a trial, and whether there is carpet."""
    rng = np.random.default_rng([seed, _STREAM])
    strength = rng.uniform(*spread.strength)
    return strength, bool(rng.random() < 0.5) and spread.carpet
