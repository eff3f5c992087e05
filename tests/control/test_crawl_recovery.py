"""Recovery: feet look for the ground as deep as legs reach, and the robot comes to rest."""

from __future__ import annotations

import numpy as np
import pytest
from crawl_plan import littledog, still

from andante.control.crawl.recovery import Recovery
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.tracking import Tracking
from andante.kinematics.com_ik import com_ik
from andante.kinematics.leg_forward import leg_places
from andante.spatial.rotation_kernels import to_matrix

TICK = 0.01
FEET = np.array([[0.095, 0.08, 0.0103], [0.095, -0.08, 0.0103], [-0.095, 0.08, 0.0103], [-0.095, -0.08, 0.0103]])
LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


class Resting:
    """A LittleDog that recovers over ground that only some feet touch."""

    def __init__(self, contact, velocity=0.0):
        self.body = littledog()
        pose = com_ik(self.body, [0.0, 0.0, 0.12], FEET)
        self.tracking = Tracking(self.body, TICK, 1.0)
        self.tracking.begin(pose.angles, pose.position, LEVEL)
        self.recovery = Recovery(self.tracking, CrawlSettings())
        self.recovery.begin(FEET)
        self.state = still(pose.position, FEET, contact, [velocity, 0.0, 0.0])
        self.clamps = 0

    def run(self, seconds):
        """When it is at rest [s]; None: never."""
        for tick in range(round(seconds / TICK)):
            rests = self.recovery.step(self.state, tick * TICK)
            self.clamps += int(self.tracking.clamped.any())
            if rests:
                return tick * TICK
        return None

    def heights(self):
        pairs = zip(self.body.legs, self.tracking.angles, strict=True)
        return np.array([leg.place(each)[2] for leg, each in pairs]) + self.tracking.position[2]

    def com(self):
        held, com = np.empty((4, 3)), np.empty(3)
        leg_places(self.body.table, self.tracking.angles, held, com)
        return (self.tracking.position + to_matrix(self.tracking.orientation) @ com)[:2]


def test_feet_that_stand_stay_and_a_still_robot_rests_soon():
    resting = Resting([True] * 4)
    assert resting.run(3.0) == pytest.approx(CrawlSettings().settle)
    np.testing.assert_allclose(resting.heights(), FEET[:, 2], atol=1e-6)


def test_a_robot_that_does_not_come_to_rest_goes_on_after_two_seconds():
    assert Resting([True] * 4, velocity=0.5).run(3.0) == pytest.approx(2.01)


def test_a_foot_in_the_air_goes_down_as_deep_as_its_leg_reaches_and_the_others_stay():
    resting = Resting([False, True, True, True], velocity=0.5)
    resting.run(1.5)
    heights = resting.heights()
    assert heights[0] < FEET[0, 2] - 0.03
    np.testing.assert_allclose(heights[1:], FEET[1:, 2], atol=1e-3)
    # It finds out once that it cannot go farther, and asks no more.
    assert resting.clamps <= 1


def test_a_body_that_does_not_follow_is_not_asked_for_more_and_more():
    """What is asked for beyond the middle of the feet throws the robot over to the other side once it follows."""
    resting = Resting([True] * 4, velocity=0.5)
    resting.state.com[:2] += [0.04, -0.03]
    resting.run(1.5)
    np.testing.assert_allclose(resting.com(), FEET[:, :2].mean(axis=0), atol=0.011)


def test_the_body_goes_over_the_middle_of_its_feet():
    aside = FEET + np.array([0.03, -0.02, 0.0])
    resting = Resting([True] * 4, velocity=0.5)
    resting.recovery.begin(aside)
    resting.state.feet[:] = aside
    resting.run(0.3)
    moved = resting.com()
    assert np.linalg.norm(moved) == pytest.approx(0.3 * CrawlSettings().recentre_speed, rel=0.1)
    resting.run(1.5)
    np.testing.assert_allclose(resting.com(), [0.03, -0.02], atol=0.011)


def test_a_foot_that_swings_comes_down_fast_and_one_that_lost_the_ground_feels_for_it():
    """A robot that tips over has some tenths of a second."""
    resting = Resting([False, False, True, True], velocity=0.5)
    lifted = FEET + np.array([[0.0, 0.0, 0.03], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    resting.tracking.begin(com_ik(resting.body, [0.0, 0.0, 0.12], lifted).angles, resting.tracking.position, LEVEL)
    resting.recovery.begin(lifted, np.array([True, False, False, False]))
    before = resting.heights()
    resting.run(0.06)
    down = before - resting.heights()
    assert down[0] == pytest.approx(0.06 * CrawlSettings().catch_speed, abs=0.004)
    assert 0.0 < down[1] < 0.01


def test_a_still_robot_waits_for_a_foot_in_the_air_and_rests_once_it_stands():
    resting = Resting([True, True, True, False])
    # Its leg follows: the foot is where it is commanded, in the air.
    for tick in range(70):
        assert not resting.recovery.step(resting.state, tick * TICK), tick
        resting.state.feet[3, 2] = resting.heights()[3]
    resting.state.contact[3] = True
    assert resting.recovery.step(resting.state, 0.7)


def test_a_foot_that_is_never_felt_is_waited_for_no_longer_than_it_is_looked_for():
    resting = Resting([True, True, True, False])
    resting.state.feet[3, 2] -= 0.2
    assert resting.run(3.0) == pytest.approx(1.0)


def test_a_foot_that_presses_on_the_ground_stands_though_its_switch_is_dead():
    # It is commanded lower in every tick and stays where it is.
    assert Resting([True, True, True, False]).run(3.0) == pytest.approx(CrawlSettings().settle)
