"""Estimators as arguments: what each tells, and gaits that walk by another one than their own."""

from __future__ import annotations

import numpy as np
import pytest
from gait_runs import DOG, STANDING, walk
from hypothesis import given
from hypothesis import strategies as st

from andante.backends.world import WorldConfig
from andante.control.estimation.estimator import BodyEstimator, BodyState
from andante.control.estimation.leg_estimator import LegEstimator, LevelEstimator, level_rotation
from andante.control.legs.four_legs import four_legged
from andante.control.reactive_crawl.crawl import ReactiveCrawl
from andante.control.steering import SteeringScript
from andante.control.trot.trot import Trot
from andante.spatial.rotations import from_rpy, to_matrix

BODY = four_legged(DOG)
NOISE = {"pose": {"position": 0.002, "orientation": 0.005}}
ANGLE = st.floats(-1.2, 1.2)


@given(ANGLE, ANGLE, st.floats(-3.1, 3.1))
def test_the_level_frame_is_the_same_from_the_imu_and_from_the_map(roll, pitch, yaw):
    sensors, turned = DOG.sensors(), from_rpy(np.array([roll, pitch, yaw]))
    sensors.orientation[:] = turned
    level, heading = level_rotation(sensors)
    zero = np.zeros(3)
    feet, contact = np.zeros((4, 3)), np.ones(4, dtype=bool)
    velocity = np.array([0.3, -0.2, 0.1])
    state = BodyState(0.0, zero, turned, to_matrix(turned), velocity, zero, feet, contact, np.zeros(4), 0.0, 0.0)
    np.testing.assert_allclose(state.level, level, atol=1e-9)
    assert np.exp(1j * state.yaw) == pytest.approx(np.exp(1j * heading), abs=1e-9)
    # Its z axis is up, and it moves as fast as on the map.
    assert (state.level @ to_matrix(turned).T @ [0.0, 0.0, 1.0]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert np.linalg.norm(state.level_velocity) == pytest.approx(np.linalg.norm(velocity))


@pytest.mark.slow
def test_a_trot_goes_by_motion_capture_as_by_its_legs():
    script, world = SteeringScript.straight(0.3, 0.6), WorldConfig(start=STANDING, noise=NOISE)
    for estimator in (None, BodyEstimator(BODY)):
        result = walk(Trot(DOG, script, estimator=estimator), 6.0, world)
        assert result.done
        assert result.way[0] == pytest.approx(0.6, abs=0.12)
        assert abs(result.yaw) < 0.1


@pytest.mark.slow
def test_a_reactive_crawl_goes_by_motion_capture_as_by_the_imu():
    script, world = SteeringScript.straight(0.05, 0.15), WorldConfig(start=STANDING, noise=NOISE)
    for estimator in (None, BodyEstimator(BODY), LegEstimator(BODY, DOG.tick)):
        result = walk(ReactiveCrawl(DOG, script, estimator=estimator), 8.0, world)
        assert result.done
        assert result.way[0] == pytest.approx(0.15, abs=0.06)


def test_feet_that_may_not_stand_do_not_carry_the_estimate_on():
    sensors = DOG.sensors()
    sensors.orientation[0] = 1.0
    sensors.contact[:] = 1.0
    sensors.velocity[:] = 1.0
    estimator = LegEstimator(BODY, DOG.tick)
    still = estimator.update(sensors, np.zeros(4, dtype=bool))
    assert not still.level_velocity.any()
    assert still.contact.all()
    assert estimator.update(sensors).level_velocity.any()
    estimator.reset()
    assert not estimator.update(sensors, np.zeros(4, dtype=bool)).way.any()


def test_without_legs_the_attitude_is_known():
    sensors = DOG.sensors()
    sensors.orientation[:] = from_rpy(np.array([0.1, 0.2, 0.7]))
    state = LevelEstimator().update(sensors)
    assert state.yaw == pytest.approx(0.7)
    np.testing.assert_allclose(state.level, level_rotation(sensors)[0])
