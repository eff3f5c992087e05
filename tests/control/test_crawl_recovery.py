"""Recovery: feet look for the ground as deep as legs reach, and the robot comes to rest."""

from __future__ import annotations

import numpy as np
import pytest
from crawl_plan import littledog, still

from andante.control.crawl.recovery import Recovery
from andante.control.crawl.settings import CrawlSettings
from andante.control.crawl.tracking import Tracking
from andante.kinematics.com_ik import com_ik

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
