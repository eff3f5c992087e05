"""A crawl over level ground made by hand, and the walk that becomes of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hand_made import HandMade

from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.plans import Footstep, FootstepPlan, StancePlan
from andante.planning.trajectory.make import make_walk
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk_plan import WalkPlan
from andante.robots.robot import Robot
from andante.spatial.polygons import convex_hull, signed_distance
from andante.terrain.elevation_map import ElevationMap


def _course() -> KnownCourse:
    body = LeggedBody.of(Robot.load("littledog"))
    ground = ElevationMap(np.zeros((321, 121)), (0.0, -0.3), 0.005)
    radius = body.table.radius[0]
    feet = np.array([[0.395, 0.085, radius], [0.395, -0.085, radius], [0.205, 0.085, radius], [0.205, -0.085, radius]])
    # The poses made by hand stretch knees more than plans do.
    return KnownCourse(body, ground, feet, np.array([0.3, 0.0, 0.125]), np.eye(3), (1.2, 0.0), reserve=0.0)


def _shrunk(polygon: np.ndarray, inset: float) -> np.ndarray:
    """The points of a convex polygon at least ``inset`` from its edge (Sutherland and Hodgman's clipping)."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    normal = np.stack([-edge[:, 1], edge[:, 0]], axis=-1) / np.linalg.norm(edge, axis=-1, keepdims=True)
    left = list(polygon)
    for inward, corner in zip(normal, polygon, strict=True):
        kept, depths = [], [inward @ (point - corner) - inset for point in left]
        for number, (point, depth) in enumerate(zip(left, depths, strict=True)):
            before, other = left[number - 1], depths[number - 1]
            if (other < 0.0) != (depth < 0.0):
                kept.append(before + other / (other - depth) * (point - before))
            if depth >= 0.0:
                kept.append(point)
        left = kept
    return np.array(left)


def _nearest(triangle: np.ndarray, point: np.ndarray) -> np.ndarray:
    hull = _shrunk(convex_hull(triangle), 0.018)
    if signed_distance(hull, point) >= 0.0:
        return point
    shares = np.linspace(0.0, 1.0, 201)[:, None]
    edge = np.concatenate([a + shares * (b - a) for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True)])
    return edge[np.argmin(np.linalg.norm(edge - point, axis=1))]


def _crawl(course: KnownCourse, stride: float = 0.14, count: int = 16) -> StancePlan:
    feet = course.feet.copy()
    steps, com, margin = [], [], []
    for number in range(count):
        leg = (3, 1, 2, 0)[number % 4]
        place = feet[leg] + [stride * (0.5 if number < 4 else 1.0), 0.0, 0.0]
        after = feet.copy()
        after[leg] = place
        others = np.delete(feet, leg, axis=0)[:, :2]
        pair = [[*_nearest(others, stance[:, :2].mean(axis=0)), 0.12] for stance in (feet, after)]
        steps.append(Footstep(leg, place, place[2] + 0.02))
        com.append(pair)
        margin.append([float(signed_distance(convex_hull(others), point[:2])) for point in pair])
        feet = after
    return StancePlan(
        FootstepPlan(course.feet, tuple(steps)),
        np.array(com),
        np.zeros((count, 2, 3)),
        np.full((count, 2), 0.02),
        np.array(margin),
    )


@pytest.fixture(scope="session")
def flat() -> HandMade:
    """A crawl of 16 steps over level ground at the default settings."""
    course = _course()
    stances = _crawl(course)
    return HandMade(course, stances, make_walk(course, stances, TrajectorySettings()))


@pytest.fixture(scope="session")
def speeds(flat: HandMade) -> np.ndarray:
    """Declared speeds of the legs' joints, (4, 3) [rad/s]."""
    body = flat.course.body
    return np.array([[body.robot.joints[k].max_velocity for k in leg.indices] for leg in body.legs])


@pytest.fixture
def rate(speeds: np.ndarray) -> Callable[[WalkPlan], np.ndarray]:
    """Largest share of a joint's declared speed between samples of a walk, by differencing its angles."""

    def of(plan: WalkPlan) -> np.ndarray:
        return (np.abs(np.diff(plan.angles, axis=0)) / (speeds * plan.period)).max(axis=(1, 2))

    return of
