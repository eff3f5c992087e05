"""Course: what a board generator fills: a site, bodies, smooth ground, and the parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from andante.spatial.arrays import Array
from andante.terrain.height_map import HeightMap
from andante.terrain.solids import Box, Solid
from andante.terrain.terrain import Terrain, rasterise

LENGTH, WIDTH, END, SPACING = 2.0, 0.6, 0.3, 0.005
"""Length and width of the lane, length of its level ends, and spacing of its map, for LittleDog [m]."""
DEEP = 0.10
"""Depth of pits [m]."""


@dataclass(frozen=True)
class Site:
    """Where a board lies, how finely its map is drawn, from where to where it is walked."""

    x: tuple[float, float]
    """Least and largest x [m]."""
    y: tuple[float, float]
    """Least and largest y [m]."""
    spacing: float
    """Distance of the map's nodes [m]."""
    start: tuple[float, float]
    """Where the middle of the robot starts [m]."""
    goal: tuple[float, float]
    """Where it should go [m]."""
    scales: bool
    """Whether its lengths are LittleDog's and scale with the robot's legs; otherwise they are what they are.

    What scales is drawn as finely as a robot steps and is its heights only, the same ground as a file of them.
    """


LONGEST = 50.0
"""Longest lane, for LittleDog [m]."""


def lane(length: float) -> Site:
    """A lane with level ends.

    Raises:
        ValueError: It has no room between its ends, or is longer than `LONGEST`.
    """
    if not 3.0 * END <= length <= LONGEST:
        raise ValueError(f"a lane is {3.0 * END:g} to {LONGEST:g} m long")
    return Site((0.0, length), (-0.5 * WIDTH, 0.5 * WIDTH), SPACING, (0.5 * END, 0.0), (length - 0.5 * END, 0.0), True)


LANE = lane(LENGTH)
"""The lane of the usual length."""


@dataclass(frozen=True)
class BoardKind:
    """A kind of board."""

    name: str
    """Its name."""
    what: str
    """What it is, in a few words."""
    ranges: Mapping[str, tuple[float, float]]
    """Its parameters: value at difficulty 0 and at 1, linear between, in the site's size [m, rad, shares]."""
    build: Callable[[Course], None]
    """Fills a course; raises `TerrainError` for parameters that make no board."""
    site: Site = LANE
    """Where it lies."""

    @property
    def parameters(self) -> dict[str, tuple[float, float]]:
        """Its parameters as ``ranges``, with the length that every lane has where they say none."""
        own = dict(self.ranges)
        return {**own, "length": own.get("length", (LENGTH, LENGTH))} if self.site.scales else own


@dataclass(eq=False)
class Course:
    """A board under construction; on a site that scales, lengths are LittleDog's until `finish` scales them."""

    values: Mapping[str, float]
    """Parameters by name."""
    rng: np.random.Generator
    """Source of everything that the parameters leave open."""
    site: Site = LANE
    """Where it lies."""
    solids: list[Solid] = field(default_factory=list)
    """Bodies."""
    surface: Array | None = None
    """Smooth heights over the whole site, on the map's nodes; None: level."""
    floor: float = 0.0
    """Height of the floor beneath."""

    @property
    def length(self) -> float:
        """Length of the lane."""
        return self.values.get("length", LENGTH)

    @property
    def middle(self) -> tuple[float, float]:
        """Least and largest x between the level ends."""
        return END, self.length - END

    def nodes(self) -> tuple[Array, Array]:
        """x and y of the map's nodes, (nx, ny) each."""
        x, y = (
            np.linspace(low, high, round((high - low) / self.site.spacing) + 1)
            for low, high in (self.site.x, self.site.y)
        )
        across, along = np.meshgrid(x, y, indexing="ij")
        return across, along

    def ramp(self, x: Array, rise: float = 0.3) -> Array:
        """0 on the level ends, 1 in the middle, smooth over ``rise`` at both sides."""
        low, high = self.middle
        share = np.clip(np.minimum(x - low, high - x) / rise, 0.0, 1.0)
        return np.asarray(share * share * (3.0 - 2.0 * share))

    def block(self, start: float, end: float, top: float, yaw: float = 0.0, bottom: float | None = None) -> None:
        """A block across the whole lane from x ``start`` to ``end``, turned about the middle of the lane."""
        base = self.floor if bottom is None else bottom
        if end <= start or top <= base:
            return
        # Long enough that its ends stay outside the lane whatever the turn.
        half = 0.5 * WIDTH if yaw == 0.0 else 0.5 * self.length
        ahead = 0.5 * (start + end) - 0.5 * self.length
        centre = (0.5 * self.length + ahead * float(np.cos(yaw)), ahead * float(np.sin(yaw)), 0.5 * (top + base))
        self.solids.append(Box(centre, (0.5 * (end - start), half, 0.5 * (top - base)), yaw))

    def finish(self, kind: BoardKind, size: float) -> Terrain:
        """The terrain for a robot that is ``size`` times as large as LittleDog."""
        x, y = self.nodes()
        scale = size if self.site.scales else 1.0
        origin = (float(x[0, 0]) * scale, float(y[0, 0]) * scale)
        level = np.full(x.shape, self.floor) if self.surface is None else self.surface
        base = HeightMap(level * scale, origin, self.site.spacing * scale)
        solids = tuple(solid.scaled(scale) for solid in self.solids)
        heights = rasterise(solids, base)
        start = (self.site.start[0] * scale, self.site.start[1] * scale)
        goal = (self.site.goal[0] * scale, self.site.goal[1] * scale)
        made = Terrain.of_heights(kind.name, heights, start=start, goal=goal, scale=size, values=dict(self.values))
        if self.site.scales:
            return made
        floor = min(self.floor * scale, float(base.heights.min()))
        return replace(made, solids=solids, surface=None if self.surface is None else base, floor=floor)
