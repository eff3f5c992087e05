"""The stance generator: where the body is in each phase of a footstep sequence, by dynamic programming on a grid.

Roll and yaw are held at zero, pitch is that of the line from hind to front feet, height is constant over the mean of
the feet; x and y are chosen. The idea is that of IHMC's quarterly report of 2006, whose table took three minutes. Each
footstep has three phases: all feet carry, the foot leaves, the foot lands. While it is in the air the body must reach
both its old and its new place, and the centre of mass must be over the other three feet. The body may go backward
where that is what lets a foot cross.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from andante.documents.quantities import NonNegative, Positive
from andante.documents.settings import Settings
from andante.documents.validation import contradicting
from andante.kernels import entry, kernel
from andante.kinematics.com_ik import evaluate, rpy_matrix
from andante.kinematics.leg_kernels import obstacle
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.planning.course import NoPlanError, PlanningError
from andante.planning.dynamic_programming.stages import DynamicProgrammingError, StageGrids, cheapest_walk
from andante.planning.plans import FootstepPlan
from andante.spatial.arrays import Array, Array1, Array3, Index, Index1, Index2
from andante.spatial.polygons import convex_hull
from andante.spatial.rotation_kernels import seen_from

PHASES = ("all feet carry", "the foot leaves", "the foot lands")
"""Phases of a footstep; after the last one all feet carry once more."""
_COARSE = 0.107
"""The centre of mass is computed at places so far apart, as a share of the leg's length, and linear between: what it is
over a place does not depend on how fine the grid is."""


_ROUNDING = 1e-6
"""Share of a place by which numbers may be rounded."""
_DISTANCE_WEIGHT = 1.0
"""Cost of moving by a leg's length."""


class GeneratorSettings(Settings):
    """Settings of the stance generator; lengths are shares of the leg's length."""

    place: ClassVar[str] = "stance generator"

    spacing: Positive = 0.005 / 0.187
    """Distance of neighbouring places of the body."""
    reach: Positive = 0.015 / 0.187
    """Farthest that the body moves along either axis between two phases, at least the spacing."""
    height: Positive = 0.66
    """Height of the base over the mean of the feet."""
    margin: NonNegative = 0.065
    """Least distance of the centre of mass from the edge of the support polygon."""
    wanted: NonNegative = 0.13
    """Distance from it that costs nothing."""
    margin_weight: NonNegative = 0.5
    """Cost of a leg's length of missing margin, in every phase."""

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if self.reach < self.spacing * (1.0 - _ROUNDING):
            limit = f"at least spacing = {self.spacing:g}"
            raise contradicting(self, "reach", "the body cannot move to the next place", limit)
        return self

    @property
    def cells(self) -> int:
        """The reach in places of the grid."""
        return math.floor(self.reach / self.spacing + _ROUNDING)


@dataclass(frozen=True, eq=False)
class StanceTable:
    """All that the choice needs: which places are allowed in each phase and what they cost."""

    footsteps: FootstepPlan
    """The footsteps."""
    settings: GeneratorSettings
    """What it was made with."""
    spacing: float
    """Distance of neighbouring places [m]; cell (i, j) is at (i, j) times it."""
    grids: StageGrids
    """Cost of each place in each phase; infinite: pruned."""
    margin: Array
    """Margin there, like the costs [m]; below zero outside; NaN where it was not needed."""
    height: Array
    """z of the base in each phase, (phases,) [m]."""
    pitch: Array
    """Pitch of the base in each phase, (phases,) [rad]."""
    moves: Array
    """Cost of each move between phases."""

    def name(self, phase: int) -> str:
        """A phase in words."""
        step, part = divmod(phase, len(PHASES))
        return f"footstep {min(step, len(self.footsteps.steps) - 1)}, {PHASES[part]}"


@dataclass(frozen=True, eq=False)
class GeneratedStances:
    """The body in each phase."""

    position: Array
    """Origin of the base, (phases, 3) [m]."""
    rpy: Array
    """Roll, pitch and yaw, (phases, 3) [rad]."""
    margin: Array
    """Distance of the centre of mass from the edge of the support polygon, (phases,) [m]."""
    cost: float
    """Cost of the whole."""


def stance_table(body: LeggedBody, footsteps: FootstepPlan, settings: GeneratorSettings | None = None) -> StanceTable:
    """Test every place of the body in every phase of a footstep sequence.

    Raises:
        PlanningError: No steps, or feet without a polygon.
    """
    settings = settings or GeneratorSettings()
    if not footsteps.steps:
        raise PlanningError("there are no footsteps to generate stances for")
    length = body.leg_length
    spacing = settings.spacing * length
    stances = footsteps.stances()
    steps, legs = len(footsteps.steps), stances.shape[1]
    swing = np.full(3 * steps + 1, -1, dtype=np.int64)
    for number, step in enumerate(footsteps.steps):
        swing[3 * number + 1 : 3 * number + 3] = step.leg
    # Feet on the ground in each phase, and where the one in the air comes from or goes to.
    feet = np.concatenate([np.repeat(stances[:-1], 3, axis=0), stances[-1:]])
    other = feet.copy()
    feet[2::3], other[1::3] = stances[1:], stances[1:]
    height = feet[:, :, 2].mean(axis=1) + settings.height * length
    pitch = _pitch(body, feet)
    edges, low, high = _edges(feet, swing, legs)
    first = np.ceil((low + settings.margin * length) / spacing).astype(np.int64)
    shape = np.maximum(np.floor((high - settings.margin * length) / spacing).astype(np.int64) - first + 1, 1)
    starts = np.concatenate([[0], np.cumsum(shape.prod(axis=1))])
    cost, margin = np.empty(starts[-1]), np.empty(starts[-1])
    price = settings.margin_weight / length
    _fill(
        body.table, feet, other, swing, height, pitch, edges, first, shape, starts, spacing,
        settings.margin * length, settings.wanted * length, price, _COARSE * length, cost, margin,
    )  # fmt: skip
    steps_away = np.arange(-settings.cells, settings.cells + 1) * spacing
    moves = _DISTANCE_WEIGHT / length * np.hypot(steps_away[:, None], steps_away[None, :])
    return StanceTable(footsteps, settings, spacing, StageGrids(first, shape, cost), margin, height, pitch, moves)


def generate_stances(table: StanceTable) -> GeneratedStances:
    """The cheapest sequence of places for the body.

    Raises:
        NoPlanError: No sequence keeps reach and margin; names the first phase that none comes to.
    """
    try:
        cells, cost = cheapest_walk(table.grids, table.moves)
    except DynamicProgrammingError as error:
        phase = _first_bad(table)
        none = not np.isfinite(table.grids.stage(phase)).any()
        what = "no place of the body has reach and margin" if none else "no place with reach and margin is near enough"
        step = table.footsteps.steps[min(phase // len(PHASES), len(table.footsteps.steps) - 1)]
        x, y, z = np.asarray(step.place).tolist()
        length = table.spacing / table.settings.spacing
        raise NoPlanError(
            f"{what} ({table.name(phase)})",
            place=f"step to x {x:.3f}, y {y:.3f}, z {z:.3f} m",
            limit=f"margin {1e3 * table.settings.margin * length:.1f} mm, "
            f"{1e3 * table.settings.reach * length:.0f} mm between phases",
        ) from error
    inner = cells - table.grids.first
    numbers = table.grids.starts[:-1] + inner[:, 0] * table.grids.shape[:, 1] + inner[:, 1]
    flat = np.zeros(len(cells))
    return GeneratedStances(
        position=np.column_stack([cells * table.spacing, table.height]),
        rpy=np.column_stack([flat, table.pitch, flat]),
        margin=table.margin[numbers],
        cost=cost,
    )


def _first_bad(table: StanceTable) -> int:
    """The first phase to which no sequence of places leads, of a table without a way through."""
    grids, count = table.grids, len(table.height)
    costs = np.concatenate([grids.stage(phase).ravel() for phase in reversed(range(count))])
    backward = StageGrids(grids.first[::-1], grids.shape[::-1], costs)
    try:
        cheapest_walk(backward, table.moves[::-1, ::-1])
    except DynamicProgrammingError as error:
        return count - 1 - int(error.place.removeprefix("stage "))
    raise PlanningError("there is a way through these stances", value=count)


def _pitch(body: LeggedBody, feet: Array) -> Array:
    """Pitch of the line from the middle of the hind feet to that of the front feet, (phases,) [rad]."""
    front = body.table.hip[:, 0] > body.table.hip[:, 0].mean()
    ahead = feet[:, front].mean(axis=1) - feet[:, ~front].mean(axis=1)
    return np.asarray(-np.arctan2(ahead[:, 2], ahead[:, 0]))


def _edges(feet: Array, swing: Index, legs: int) -> tuple[Array, Array, Array]:
    """Edges of the support polygons as (inward x, inward y, distance), (phases, legs, 3), and their boxes."""
    edges = np.zeros((len(feet), legs, 3))
    low, high = np.empty((len(feet), 2)), np.empty((len(feet), 2))
    # An edge that a polygon does not have is infinitely far away.
    edges[:, :, 2] = np.inf
    for phase, places in enumerate(feet):
        hull = convex_hull(np.delete(places, swing[phase], axis=0)[:, :2] if swing[phase] >= 0 else places[:, :2])
        if len(hull) < 3:
            raise PlanningError("the standing feet are on one line", place=f"phase {phase}", value=hull.tolist())
        way = np.roll(hull, -1, axis=0) - hull
        inward = np.column_stack([-way[:, 1], way[:, 0]]) / np.hypot(way[:, 0], way[:, 1])[:, None]
        edges[phase, : len(hull), :2] = inward
        edges[phase, : len(hull), 2] = -(inward * hull).sum(axis=1)
        low[phase], high[phase] = hull.min(axis=0), hull.max(axis=0)
    return edges, low, high


@entry
def _fill(
    table: LegTable,
    feet: Array3,
    other: Array3,
    swing: Index1,
    height: Array1,
    pitch: Array1,
    edges: Array3,
    first: Index2,
    shape: Index2,
    starts: Index1,
    spacing: float,
    least: float,
    wanted: float,
    price: float,
    apart: float,
    cost: Array1,
    margin: Array1,
) -> None:
    """Cost and margin of every place of every phase; the margin is looked at before reach, which takes longer."""
    across = spacing / apart
    coarse = np.empty((int(shape[:, 0].max() * across) + 3, int(shape[:, 1].max() * across) + 3, 2))
    rpy = np.zeros(3)
    for t in range(len(feet)):
        rpy[1] = pitch[t]
        rotation = rpy_matrix(rpy)
        origin_a, origin_b = math.floor(first[t, 0] * across), math.floor(first[t, 1] * across)
        _coarse_com(table, feet[t], rotation, height[t], origin_a, origin_b, apart, coarse)
        for i in range(shape[t, 0]):
            x = (first[t, 0] + i) * spacing
            u = (first[t, 0] + i) * across - origin_a
            a = int(u)
            for j in range(shape[t, 1]):
                y = (first[t, 1] + j) * spacing
                v = (first[t, 1] + j) * across - origin_b
                b = int(v)
                com_x = x + _between(coarse, a, b, u - a, v - b, 0)
                com_y = y + _between(coarse, a, b, u - a, v - b, 1)
                inside = np.inf
                for n in range(edges.shape[1]):
                    inside = min(inside, edges[t, n, 0] * com_x + edges[t, n, 1] * com_y + edges[t, n, 2])
                cell = starts[t] + i * shape[t, 1] + j
                margin[cell], cost[cell] = inside, np.inf
                if inside >= least and _reached(table, feet[t], other[t], swing[t], rotation, x, y, height[t]):
                    cost[cell] = price * max(wanted - inside, 0.0)


@kernel
def _coarse_com(
    table: LegTable, feet: Array, rotation: Array, z: float, first: int, second: int, apart: float, coarse: Array
) -> None:
    """Centre of mass less the base's place at places ``apart`` from each other, from the given ones on."""
    position, angles, com = np.empty(3), np.empty((len(feet), 3)), np.empty(3)
    position[2] = z
    for a in range(coarse.shape[0]):
        position[0] = (first + a) * apart
        for b in range(coarse.shape[1]):
            position[1] = (second + b) * apart
            evaluate(table, position, feet, rotation, angles, com)
            coarse[a, b, 0], coarse[a, b, 1] = com[0] - position[0], com[1] - position[1]


@kernel
def _between(coarse: Array, a: int, b: int, u: float, v: float, axis: int) -> float:
    low = coarse[a, b, axis] * (1.0 - v) + coarse[a, b + 1, axis] * v
    high = coarse[a + 1, b, axis] * (1.0 - v) + coarse[a + 1, b + 1, axis] * v
    value: float = low * (1.0 - u) + high * u
    return value


@kernel
def _reached(
    table: LegTable, feet: Array, other: Array, swing: int, rotation: Array, x: float, y: float, z: float
) -> bool:
    """Whether all feet are in reach with the base there, and the one in the air at both its places."""
    for n in range(-1, len(feet)):
        leg = swing if n < 0 else n
        if leg < 0:
            continue
        in_x, in_y, in_z = seen_from((x, y, z), rotation, other[leg] if n < 0 else feet[leg])
        if obstacle(table, leg, in_x, in_y, in_z) >= 0:
            return False
    return True
