"""Poses for footsteps: balanced and reachable by independent tests, straight on level ground, mirrored."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.documents.settings import SettingsError
from andante.kinematics.com_ik import com_ik
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse, NoPlanError, PlanningError
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.choose import choose_stances
from andante.planning.stances.settings import StanceSettings
from andante.robots.robot import Robot
from andante.spatial.polygons import convex_hull, signed_distance
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.elevation_map import ElevationMap

BODY = LeggedBody.of(Robot.load("littledog"))
LEG, RADIUS = BODY.leg_length, float(BODY.table.radius[0])
HOME = np.array([[0.07 * x, 0.08 * y, RADIUS] for x in (1, -1) for y in (1, -1)])
FL, FR, HL, HR = range(4)
MIRROR = [FR, FL, HR, HL]
FLAT = ElevationMap(np.zeros((260, 121)), (-0.3, -0.3), 0.005)


def course_on(ground=FLAT, feet=HOME):
    pose = com_ik(BODY, [*feet[:, :2].mean(axis=0), feet[:, 2].mean() + 0.66 * LEG], feet)
    return KnownCourse(BODY, ground, feet, pose.position, pose.rotation, (0.9, 0.0))


def plan(steps, feet=HOME, lift=0.02):
    """Footsteps of (leg, dx, dy, dz)."""
    places, made = np.array(feet), []
    for leg, *way in steps:
        before = places[leg].copy()
        places[leg] += way
        made.append(Footstep(leg, places[leg].copy(), max(before[2], places[leg, 2]) + lift))
    return FootstepPlan(np.array(feet), tuple(made))


def crawl(strides, stride=0.1, order=(HR, FR, HL, FL)):
    first = [(leg, stride * share, 0.0, 0.0) for leg, share in zip(order, (0.25, 0.5, 0.75, 1.0), strict=True)]
    return plan(first + [(leg, stride, 0.0, 0.0) for _ in range(strides - 1) for leg in order])


def test_all_poses_are_balanced_and_within_reach():
    footsteps = crawl(4)
    chosen = choose_stances(course_on(), footsteps)
    stances = footsteps.stances()
    for number, step in enumerate(footsteps.steps):
        for end in (0, 1):
            feet, com = stances[number + end], chosen.com[number, end]
            rotation = to_matrix(from_rpy(chosen.rpy[number, end]))
            pose = com_ik(BODY, com, feet, rotation, tolerance=1e-9)
            assert pose.slack > 0.0
            # With the foot at its apex near this end of the swing, the body where it is.
            old, new = stances[number][step.leg], step.place
            share = 0.8 if end else 0.2
            apex = np.append(old[:2] + share * (new - old)[:2], step.apex)
            BODY.legs[step.leg].solve(rotation.T @ (apex - pose.position))
            triangle = convex_hull(np.delete(feet, step.leg, axis=0)[:, :2])
            assert chosen.margin[number, end] == pytest.approx(float(signed_distance(triangle, com[:2])))
            assert chosen.margin[number, end] > 0.0
    assert (chosen.slack > 0.004).all()
    # Once the walk is regular there is all the margin that is asked for.
    assert (chosen.margin[4:] > StanceSettings().margin * LEG - 1e-6).all()


def test_on_level_ground_the_body_goes_straight_and_sways():
    com = choose_stances(course_on(), crawl(5)).com.reshape(-1, 3)[8:-4]
    assert abs(com[:, 1]).max() < 0.03
    assert np.ptp(com[:, 2]) < 0.012
    way = np.hypot(*np.diff(com[:, :2], axis=0).T).sum()
    assert way < 1.35 * (com[-1, 0] - com[0, 0])


def test_a_mirrored_walk_has_mirrored_poses():
    one = choose_stances(course_on(), crawl(2))
    other = choose_stances(course_on(), crawl(2, order=(HL, FL, HR, FR)))
    # The order of trying is not mirrored, so ties fall differently; cost and size of the motion do not.
    np.testing.assert_allclose(other.com * [1, -1, 1], one.com, atol=0.012)
    np.testing.assert_allclose(other.rpy * [-1, 1, -1], one.rpy, atol=0.15)


def test_the_body_pitches_up_a_step_and_keeps_clear_of_it():
    heights = np.zeros((260, 121))
    heights[80:] = 0.05
    ground = ElevationMap(heights, (-0.3, -0.3), 0.005)
    # The edge is at x 0.1; the front feet go up.
    steps = [(HR, 0.03, 0, 0), (FR, 0.08, 0, 0.05), (HL, 0.03, 0, 0), (FL, 0.08, 0, 0.05)]
    chosen = choose_stances(course_on(ground), plan(steps))
    assert chosen.rpy[-1, 1, 1] < -0.1
    assert (chosen.slack > 0.0).all()


def test_the_same_course_gives_the_same_poses():
    one, other = (choose_stances(course_on(), crawl(2)) for _ in range(2))
    np.testing.assert_array_equal(one.com, other.com)
    np.testing.assert_array_equal(one.rpy, other.rpy)


@pytest.mark.parametrize(
    ("problem", "kind", "message"),
    [
        (
            lambda: choose_stances(course_on(), FootstepPlan(HOME, ())),
            PlanningError,
            "there are no footsteps to choose poses for",
        ),
        (
            lambda: choose_stances(course_on(), FootstepPlan(HOME, (Footstep(5, HOME[0], 0.1),))),
            PlanningError,
            "footstep 0: no such leg; got 5; limit: 0 to 3",
        ),
        (
            lambda: choose_stances(course_on(), FootstepPlan(HOME, (Footstep(0, HOME[0], math.nan),))),
            PlanningError,
            "footstep 0: a footstep's place and apex must be finite",
        ),
        (
            lambda: choose_stances(course_on(), plan([(HR, 0.05, 0, 0), (FR, 0.4, 0, 0)])),
            NoPlanError,
            "x 0.470, y -0.080, z 0.010 m: footstep 1 (FR) is not possible: no pose of the body has all feet in reach"
            " as it lands; limit: apex 0.030 m",
        ),
        (
            lambda: choose_stances(course_on(), plan([(HR, 0.0, 0.16, 0.0), (FR, 0.0, 0.16, 0.0), (HL, 0.05, 0, 0)])),
            NoPlanError,
            "x 0.070, y 0.080, z 0.010 m: footstep 1 (FR) is not possible: the other three feet make no triangle to"
            " stand on as it leaves; limit: apex 0.030 m",
        ),
        (
            lambda: StanceSettings(four_foot_time=0.0),
            SettingsError,
            "stances.four_foot_time: is not legal; got 0.0; limit: above 0",
        ),
        (
            lambda: StanceSettings(rolls=()),
            SettingsError,
            "stances.rolls: has too few entries; got (); limit: at least 1",
        ),
        (
            lambda: StanceSettings(least=0.1),
            SettingsError,
            "stances.least: more room is asked for than is worth anything; got 0.1; limit: at most enough = 0.08",
        ),
    ],
)
def test_what_is_not_possible_is_named(problem, kind, message):
    with pytest.raises(kind) as caught:
        problem()
    assert str(caught.value) == message
