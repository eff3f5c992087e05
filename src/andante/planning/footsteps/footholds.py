"""What makes a foothold good or bad, where no foot may stand, and what each costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from andante.documents.quantities import NonNegativeFixedTime, NonNegativeLength, PositiveAngle, PositiveLength
from andante.documents.settings import Settings
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse, PlanningError
from andante.planning.feasibility.scene import ball_ground
from andante.planning.plans import Footstep
from andante.spatial.arrays import Array, Flags

OFF = 0.0125
"""Distance that feet keep from the place of a step that proved impossible, for LittleDog [m]."""
NAMES = ("slope", "roughness", "bump", "hollow", "edge", "spread", "drop", "wall", "doubt")
"""The features: slope of the ground, unevenness under the foot, curvature down and up, nearness of an edge, height
difference around, depth of what lies beneath nearby, height of a wall on the side to which the knee points, and
standard deviation of the map's height."""


class FootholdLimits(Settings):
    """Where no foot may stand, for a foot of LittleDog's size; lengths grow with the robot."""

    place: ClassVar[str] = "foothold limits"

    slope: PositiveAngle = math.radians(32.0)
    """Largest slope [rad]."""
    roughness: PositiveLength = 0.006
    """Largest standard deviation from a plane under the foot [m]."""
    edge: NonNegativeLength = 0.012
    """Least distance from an edge [m]."""
    propped: NonNegativeLength = 0.004
    """Largest height of the ball over where it would stand on the node's plane; more, and it leans on a wall [m]."""
    doubt: PositiveLength = 0.02
    """Largest standard deviation of the map's height [m]."""
    gap: NonNegativeLength = 0.01
    """Least distance of a foot's side from a wall; nearer, it touches the wall on its way down when it is a few
    millimetres off, stops on the edge and slides off it later [m]. Where no way leads on so, walls are not kept off."""
    wall: NonNegativeLength = 0.006
    """Height from which what a foot would stand on beside its place is a wall [m]."""


@dataclass(frozen=True, eq=False)
class Features:
    """Features of every node of a map, each near 0 where it does not matter and near 1 where it is bad."""

    front: Array
    """For a foot whose knee points backward, (nx, ny, n)."""
    hind: Array
    """For a foot whose knee points forward, (nx, ny, n)."""
    allowed: Flags
    """Where a foot may stand at all, (nx, ny)."""

    @staticmethod
    def of(course: KnownCourse, limits: FootholdLimits | None = None, heading: float = 0.0) -> Features:
        """Features of a course's map.

        Args:
            course: The course.
            limits: Where no foot may stand; None: the defaults.
            heading: Direction in which the robot walks, which is where walls matter to its knees [rad].
        """
        from scipy import ndimage

        scale, layers, ground = course.scale, course.layers, course.ground
        limits = (limits or FootholdLimits()).scaled(scale)
        z, spacing = ground.heights, ground.spacing
        near = 2 * max(1, round(0.025 * scale / spacing)) + 1
        high = ndimage.maximum_filter(z, near, mode="nearest")
        low = ndimage.minimum_filter(z, near, mode="nearest")
        allowed = (
            (layers.slope <= limits.slope)
            & (layers.roughness <= limits.roughness)
            & (layers.edge_distance >= limits.edge)
            & (propped(course) <= limits.propped)
            & ~walled(course, limits)
            & (layers.deviation <= limits.doubt)
            & ~layers.pits
            & ~layers.unknown
        )
        unit = 0.05 * scale
        common = [
            (layers.slope / limits.slope) ** 2,
            layers.roughness / limits.roughness,
            np.maximum(-layers.curvature, 0.0) * 0.02 * scale,
            np.maximum(layers.curvature, 0.0) * 0.02 * scale,
            np.maximum(1.0 - layers.edge_distance / (0.025 * scale), 0.0) ** 2,
            (high - low) / unit,
            (z - low) / unit,
        ]
        ahead = _wall(z, spacing, scale, heading) / unit
        behind = _wall(z, spacing, scale, heading + math.pi) / unit
        stack, doubt = [np.minimum(each, 2.0) for each in common], layers.deviation / limits.doubt
        return Features(
            front=np.stack([*stack, np.minimum(behind, 2.0), doubt], axis=-1),
            hind=np.stack([*stack, np.minimum(ahead, 2.0), doubt], axis=-1),
            allowed=allowed,
        )


def propped(course: KnownCourse) -> Array:
    """How much higher than on the plane of the ground around it a ball foot stands at each node, (nx, ny) [m]."""
    radius = float(course.body.table.radius.max())
    return np.asarray(ball_ground(course.ground, radius) - course.ground.heights - radius / np.cos(course.layers.slope))


def rise_beside(course: KnownCourse, gap: float) -> Array:
    """How much higher a foot would stand within ``gap`` [m] of each node than at it, (nx, ny) [m]."""
    from scipy import ndimage

    spacing = course.ground.spacing
    count = int(gap / spacing + 1e-6)
    stands = ball_ground(course.ground, float(course.body.table.radius.max()))
    nodes = np.arange(-count, count + 1)
    around = np.hypot(*np.meshgrid(nodes, nodes)) * spacing <= gap + 1e-6 * spacing
    # A disc is rows of one width each, and the highest along a row takes as long however wide it is.
    wide, highest = np.pad(stands, count, mode="edge"), np.full(stands.shape, -np.inf)
    for row, width in enumerate(around.sum(axis=1).tolist()):
        along = ndimage.maximum_filter1d(wide[row : row + len(stands)], width, axis=1, mode="nearest")
        np.maximum(highest, along[:, count : count + stands.shape[1]], out=highest)
    return highest - stands


def walled(course: KnownCourse, limits: FootholdLimits) -> Flags:
    """Nodes at which a foot's side would be nearer to a wall than allowed, (nx, ny).

    Args:
        course: The course.
        limits: Where no foot may stand, for this robot's size.
    """
    return np.asarray(rise_beside(course, limits.gap) > limits.wall)


def _wall(z: Array, spacing: float, scale: float, direction: float) -> Array:
    """How much higher than 2 cm over each node the ground is within 5 cm in a direction [m]."""
    highest = z.copy()
    far = np.arange(spacing, 0.05 * scale + 1e-9, spacing)
    # Off the map the ground goes on as its outermost nodes.
    rim = len(far) + 1
    around = np.pad(z, rim, mode="edge")
    for away in far:
        i, j = rim + round(away * math.cos(direction) / spacing), rim + round(away * math.sin(direction) / spacing)
        np.maximum(highest, around[i : i + z.shape[0], j : j + z.shape[1]], out=highest)
    return np.maximum(highest - z - 0.02 * scale, 0.0)


class FootholdWeights(Settings):
    """Weight of each feature [s]; `learn_weights` finds them from ranked examples."""

    place: ClassVar[str] = "foothold weights"

    slope: NonNegativeFixedTime = 0.05
    """Slope of the ground [s]."""
    roughness: NonNegativeFixedTime = 0.03
    """Unevenness under the foot [s]."""
    bump: NonNegativeFixedTime = 0.1
    """Curvature of a bump [s]."""
    hollow: NonNegativeFixedTime = 0.01
    """Curvature of a hollow [s]."""
    edge: NonNegativeFixedTime = 0.12
    """Nearness of an edge [s]."""
    spread: NonNegativeFixedTime = 0.04
    """Height difference around [s]."""
    drop: NonNegativeFixedTime = 0.02
    """Depth of what lies beneath [s]."""
    wall: NonNegativeFixedTime = 0.15
    """Height of a wall to which the knee points [s]."""
    doubt: NonNegativeFixedTime = 0.15
    """Standard deviation of the map's height [s]."""

    @staticmethod
    def from_vector(values: Array) -> FootholdWeights:
        """Weights in the order of `NAMES`; below zero counts as zero."""
        if len(values) != len(NAMES):
            raise PlanningError("one weight per feature is needed", value=len(values), limit=str(len(NAMES)))
        return FootholdWeights(**{name: max(float(value), 0.0) for name, value in zip(NAMES, values, strict=True)})

    @property
    def vector(self) -> Array:
        """The weights in the order of `NAMES`."""
        return np.array([getattr(self, name) for name in NAMES])


@dataclass(frozen=True, eq=False)
class FootholdCosts:
    """Cost of every node of a map as foothold [s]; infinite where no foot may stand."""

    front: Array
    """For a foot whose knee points backward, (nx, ny)."""
    hind: Array
    """For a foot whose knee points forward, (nx, ny)."""

    def of_leg(self, body: LeggedBody, leg: int) -> Array:
        """Those for the foot of a leg."""
        return self.front if body.table.hip[leg, 0] > 0.0 else self.hind

    def avoiding(self, course: KnownCourse, steps: Sequence[Footstep], cost: float) -> FootholdCosts:
        """The same with a cost around the places of steps that proved impossible, for the feet that made them."""
        if not steps:
            return self
        found = FootholdCosts(self.front.copy(), self.hind.copy())
        x, y = np.meshgrid(course.ground.x, course.ground.y, indexing="ij")
        for step in steps:
            near = np.hypot(x - step.place[0], y - step.place[1]) < OFF * course.scale
            found.of_leg(course.body, step.leg)[near] = cost
        return found

    @staticmethod
    def of(features: Features, weights: FootholdWeights | None = None) -> FootholdCosts:
        """Costs of features."""
        vector = (weights or FootholdWeights()).vector
        front, hind = (np.where(features.allowed, each @ vector, np.inf) for each in (features.front, features.hind))
        return FootholdCosts(front, hind)


def learn_weights(
    better: ArrayLike, worse: ArrayLike, *, margin: float = 0.02, strictness: float = 100.0
) -> FootholdWeights:
    """Weights under which each better foothold costs less than the worse one it was compared with.

    A convex problem of largest margin, as in Ratliff, Bagnell and Zinkevich (ICML 2006): small weights, and a penalty
    on the square of what each pair falls short of the margin. None is below zero.

    Args:
        better: Features of the better foothold of each pair, (n, 9) in the order of `NAMES`.
        worse: Features of the worse one, (n, 9).
        margin: Difference of cost that a pair should have [s].
        strictness: Weight of what pairs fall short, against the size of the weights.

    Raises:
        PlanningError: Wrong shapes, values that are not finite, no pair, or a margin that is not above zero.
    """
    from scipy.optimize import minimize

    good, bad = np.asarray(better, dtype=np.float64), np.asarray(worse, dtype=np.float64)
    if good.ndim != 2 or good.shape != bad.shape or good.shape[1] != len(NAMES) or not len(good):
        raise PlanningError(
            "examples are pairs of rows of features", value=[good.shape, bad.shape], limit=f"twice (n, {len(NAMES)})"
        )
    if not (np.isfinite(good).all() and np.isfinite(bad).all()):
        raise PlanningError("features of an example must be finite")
    for name, value in (("margin", margin), ("strictness", strictness)):
        if not (math.isfinite(value) and value > 0.0):
            raise PlanningError(f"the {name} must be above zero", value=value)
    # In units of the margin the problem has the same shape whatever the margin is.
    difference = bad - good

    def loss(weights: Array) -> tuple[float, Array]:
        short = np.maximum(1.0 - difference @ weights, 0.0)
        value = 0.5 * float(weights @ weights) + strictness * float(np.mean(short**2))
        return value, weights - 2.0 * strictness * (short @ difference) / len(difference)

    start = np.full(len(NAMES), 0.1)
    found = minimize(loss, start, jac=True, bounds=[(0.0, None)] * len(NAMES), method="L-BFGS-B")
    return FootholdWeights.from_vector(margin * found.x)
