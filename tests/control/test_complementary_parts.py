"""The complementary filter tick by tick: what it tells and how sure it is, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.estimation.complementary import Complementary, ComplementarySettings
from andante.control.estimation.floating_base import Doubt
from andante.control.estimation.state import imu_mount
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix

ANGLES = np.array([[0.1, -0.6, 1.2], [-0.1, -0.6, 1.2], [0.1, 0.6, -1.2], [-0.1, 0.6, -1.2]])
TICK = 0.004
USUAL = {"cutoff": 35.0, "damping": 0.70710678, "repeat": 0.03, "accelerometer_offset": 0.05}


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


class Rest:
    """A robot that rests, or turns about z, seen by all its sensors; encoders shake by a hair so that they live."""

    def __init__(self, dog, rpy=(0.1, -0.2, 0.7), place=(1.0, 2.0, 0.3), spin=0.0, period=TICK):
        self.dog, self.rpy, self.place, self.spin, self.period = dog, np.array(rpy), np.array(place), spin, period
        self.lever, mount = imu_mount(dog.robot)
        self.mount, self.tick = to_matrix(mount), 0

    def record(self, capture=True, **changes):
        sensors, time = self.dog.robot.sensors(), 1.0 + self.period * self.tick
        self.tick += 1
        turned = from_rpy(self.rpy + np.array([0.0, 0.0, self.spin * (time - 1.0)]))
        rotation = to_matrix(turned)
        sensors["time"][:] = time
        sensors["position"][:] = self.dog.joints(ANGLES + 1e-9 * self.tick)
        sensors["gyro"][:] = self.mount.T @ rotation.T @ [0.0, 0.0, self.spin]
        arm = rotation @ self.lever
        inward = -(self.spin**2) * np.array([arm[0], arm[1], 0.0])
        sensors["accelerometer"][:] = self.mount.T @ rotation.T @ (inward + np.array([0.0, 0.0, GRAVITY]))
        sensors["pose_position"][:], sensors["pose_orientation"][:] = self.place, turned
        sensors["pose_time"][:], sensors["pose_valid"][:] = time, float(capture)
        sensors["contact"][:] = 1.0
        for name, value in changes.items():
            sensors[name][:] = value
        return sensors


def test_defaults_are_those_that_figures_were_measured_with():
    assert ComplementarySettings().model_dump() == USUAL


def test_a_robot_that_turns_on_the_spot_has_no_velocity_and_a_heading_that_goes_on(dog):
    robot, estimator = Rest(dog, spin=2.0, place=(0.0, 0.0, 0.3)), Complementary(dog)
    for _ in range(2000):
        state = estimator.update(robot.record())
    assert state.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    assert state.yaw == pytest.approx(0.7 + 2.0 * TICK * 1999, abs=1e-3)
    assert state.rpy[:2] == pytest.approx([0.1, -0.2], abs=1e-6)
    assert state.angular_velocity == pytest.approx(state.rotation.T @ [0.0, 0.0, 2.0], abs=1e-9)
    feet = np.array([leg.place(angles) for leg, angles in zip(dog.legs, ANGLES, strict=True)])
    np.testing.assert_allclose(state.feet, state.position + feet @ state.rotation.T, atol=1e-6)
    assert state.time == pytest.approx(1.0 + TICK * 1999)


def test_how_sure_it_is_follows_from_the_noise_of_captures_and_the_time_without(dog):
    own = ComplementarySettings(accelerometer_offset=0.5, cutoff=20.0, damping=0.9)
    robot, estimator = Rest(dog), Complementary(dog, own)
    for _ in range(3):
        state = estimator.update(robot.record())
    # Noise of a captured place through s G(s): its variance rises with the time between captures and the corner cubed.
    noise = 0.003 * math.sqrt(TICK * 20.0**3 / (4.0 * 0.9))
    assert state.deviation == pytest.approx([0.003] * 3 + [0.0087] * 3 + [noise] * 3)
    lost = [estimator.update(robot.record(capture=False)) for _ in range(100)]
    # 27 ms without a capture cost nothing: six ticks; then the offset adds up.
    assert [Doubt.CAPTURE in each.health.doubts for each in lost[:8]] == [False] * 6 + [True] * 2
    assert lost[5].deviation == pytest.approx(state.deviation)
    blind = 0.4 - 0.027
    assert lost[99].deviation[:3] == pytest.approx([0.003 + 0.25 * blind**2] * 3)
    assert lost[99].deviation[6:] == pytest.approx([math.hypot(noise, 0.5 * blind)] * 3)
    assert lost[73].health.trusted
    assert not lost[75].health.trusted


def test_before_any_capture_it_is_as_unsure_as_after_an_hour(dog):
    state = Complementary(dog).update(Rest(dog).record(capture=False))
    assert state.deviation[6] == pytest.approx(0.05 * 3600.0)
    assert state.deviation[0] == pytest.approx(0.003 + 0.025 * 3600.0**2)
    assert not state.health.trusted
    assert Doubt.CAPTURE in state.health.doubts


def test_it_begins_where_it_is_told_until_a_capture_comes(dog):
    robot, estimator = Rest(dog), Complementary(dog)
    estimator.reset(np.array([4.0, 5.0, 6.0]), 1.2)
    state = estimator.update(robot.record(capture=False))
    assert state.position.tolist() == [4.0, 5.0, 6.0]
    assert state.yaw == pytest.approx(1.2)
    np.testing.assert_allclose(state.rotation, to_matrix(from_rpy(np.array([0.0, 0.0, 1.2]))), atol=1e-9)
    state = estimator.update(robot.record())
    assert state.position == pytest.approx([1.0, 2.0, 0.3])
    assert state.yaw == pytest.approx(0.7, abs=1e-6)
    assert state.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_only_feet_that_may_stand_and_touch_are_in_contact(dog):
    robot, estimator = Rest(dog), Complementary(dog)
    touching = [1.0, 0.5, 0.6, 0.0]
    assert estimator.update(robot.record(contact=touching)).contact.tolist() == [True, False, True, False]
    state = estimator.update(robot.record(contact=touching), np.array([False, True, True, True]))
    assert state.contact.tolist() == [False, False, True, False]
    assert state.confidence.tolist() == [0.0, 0.0, 1.0, 0.0]


def test_a_way_is_counted_in_the_level_frames_of_its_moments(dog):
    robot, estimator = Rest(dog, rpy=(0.0, 0.0, math.pi / 2.0)), Complementary(dog)
    estimator.update(robot.record())
    robot.place = np.array([1.3, 2.4, 0.3])
    # Facing y: 0.4 m ahead and 0.3 m to the right.
    assert estimator.update(robot.record()).way == pytest.approx([0.4, -0.3], abs=0.02)


@pytest.mark.parametrize(("size", "taken"), [(0.49, False), (0.51, True), (1.99, True), (2.01, False)])
def test_a_capture_whose_orientation_is_none_is_left_out(dog, size, taken):
    robot, estimator = Rest(dog), Complementary(dog)
    sensors = robot.record()
    sensors["pose_orientation"][:] *= size
    assert (estimator.update(sensors).position[0] == pytest.approx(1.0)) == taken


def test_an_old_capture_is_carried_on_by_gyro_and_velocity(dog):
    robot, estimator = Rest(dog, spin=3.0, place=(0.0, 0.0, 0.3)), Complementary(dog)
    old = []
    for _ in range(900):
        record = robot.record()
        old.append(record)
        late = old[max(len(old) - 6, 0)]
        for name in ("pose_position", "pose_orientation", "pose_time"):
            record[name][:] = late[name] if len(old) > 6 else record[name]
        state = estimator.update(record)
    # Five ticks old, and it turns all the same.
    assert state.yaw == pytest.approx(0.7 + 3.0 * TICK * 899, abs=0.01)


def test_an_imu_beside_living_encoders_is_frozen_after_its_time(dog):
    robot, estimator = Rest(dog), Complementary(dog)
    told = [estimator.update(robot.record()).health.doubts for _ in range(12)]
    # The first reading is new; 30 ms later seven more ticks have repeated it.
    assert [bool(each & Doubt.GYRO) for each in told] == [False] * 8 + [True] * 4
    assert [bool(each & Doubt.ACCELEROMETER) for each in told] == [False] * 8 + [True] * 4
    still = Rest(dog)
    estimator = Complementary(dog)
    frozen = dog.joints(ANGLES)
    assert not any(estimator.update(still.record(position=frozen)).health.doubts for _ in range(30))


def test_time_goes_on_by_a_tenth_of_a_second_at_most(dog):
    robot, estimator = Rest(dog), Complementary(dog)
    state = estimator.update(robot.record())
    assert estimator.update(robot.record(time=0.5)) is state
    assert estimator.update(robot.record(time=math.nan)) is state
    assert Complementary(dog).update(robot.record(time=math.nan, pose_time=-1.0)).time == 0.0
    turning = Complementary(dog)
    turning.update(robot.record(time=1.0, gyro=robot.mount.T @ [0.0, 0.0, 2.0], pose_time=1.0))
    after = turning.update(robot.record(time=9.0, gyro=robot.mount.T @ [0.0, 0.0, 2.0 + 1e-9], pose_valid=0.0))
    assert after.time == 9.0
    turn = np.arccos(0.5 * (np.trace(after.rotation @ to_matrix(from_rpy(robot.rpy)).T) - 1.0))
    assert turn == pytest.approx(0.2, abs=1e-6)
