"""Which gait fits which part of a way: trot where the ground is smooth, crawl where it is not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.documents.quantities import NonNegativeAngle, NonNegativeLength, PositiveLength
from andante.documents.settings import Settings
from andante.terrain.height_map import HeightMap
from andante.terrain.layers import plane_fit

Array = NDArray[np.float64]
GaitName = Literal["crawl", "trot"]


class ChoiceRules(Settings):
    """What counts as smooth; lengths are for LittleDog."""

    place: ClassVar[str] = "gait choice"

    roughness: NonNegativeLength = 0.002
    """Largest standard deviation of the ground from a plane that a trot takes [m]."""
    window: PositiveLength = 0.04
    """Half width of the square in which it is measured [m]."""
    slope: NonNegativeAngle = math.radians(6.0)
    """Steepest slope that a trot takes [rad]."""
    half_width: NonNegativeLength = 0.12
    """Half of the width of the way that the feet need [m]."""
    ahead: NonNegativeLength = 0.18
    """How long before rough ground, and after it, it crawls: half its length, a step and what odometry errs [m]."""
    shortest: NonNegativeLength = 0.35
    """Shortest smooth part for which a change of gait pays [m]."""


@dataclass(frozen=True)
class Section:
    """A part of the way."""

    start: float
    """Where it begins along the way [m]."""
    end: float
    """Where it ends [m]."""
    gait: GaitName
    """The gait for it."""
    roughness: float
    """Largest standard deviation from a plane on it [m]."""


def choose_sections(
    ground: HeightMap, start: tuple[float, float], goal: tuple[float, float], rules: ChoiceRules | None = None
) -> tuple[Section, ...]:
    """The parts of the straight way from start to goal and their gaits, in order.

    Args:
        ground: The map.
        start: Where the robot stands [m].
        goal: Where it goes [m].
        rules: What counts as smooth, of the robot's size.

    Raises:
        ControlError: Start or goal is off the map, or they are one place.
    """
    rules = rules or ChoiceRules()
    for name, place in (("start", start), ("goal", goal)):
        if not ground.covers(place).all():
            raise ControlError(f"the {name} is off the map", place="gait choice", value=place, limit=str(ground.extent))
    way = np.array(goal) - np.array(start)
    length = float(np.hypot(way[0], way[1]))
    if length < ground.spacing:
        raise ControlError("start and goal are one place", place="gait choice", value=(start, goal))
    rough, smooth = _along(ground, np.array(start), way / length, length, rules)
    reach = max(1, round(rules.ahead / ground.spacing))
    crawls = np.convolve(~smooth, np.ones(2 * reach + 1), mode="same") > 0.5
    edges = [0, *(np.flatnonzero(np.diff(crawls)) + 1).tolist(), len(crawls)]
    sections: list[Section] = []
    for low, high in pairwise(edges):
        begin, end = low * ground.spacing, min(high * ground.spacing, length)
        gait: GaitName = "crawl" if crawls[low] or end - begin < min(rules.shortest, 0.99 * length) else "trot"
        roughness = float(rough[low:high].max())
        if sections and sections[-1].gait == gait:
            last = sections.pop()
            begin, roughness = last.start, max(last.roughness, roughness)
        sections.append(Section(begin, end, gait, roughness))
    return tuple(sections)


def _along(
    ground: HeightMap, start: Array, heading: Array, length: float, rules: ChoiceRules
) -> tuple[Array, NDArray[np.bool_]]:
    """Roughness at every step of the map's spacing along the way, and whether a trot takes it."""
    rise_x, rise_y, deviation = plane_fit(ground, rules.window)
    slope = np.arctan(np.hypot(rise_x, rise_y))
    along = np.arange(0.0, length + 0.5 * ground.spacing, ground.spacing)
    across = np.arange(-rules.half_width, rules.half_width + 1e-9, ground.spacing)
    left = np.array([-heading[1], heading[0]])
    places = start + along[:, None, None] * heading + across[None, :, None] * left
    rough = HeightMap(deviation, ground.origin, ground.spacing).nearest(places).max(axis=1)
    steep = HeightMap(slope, ground.origin, ground.spacing).nearest(places).max(axis=1)
    return rough, (rough <= rules.roughness) & (steep <= rules.slope)
