"""Motion by the legs that stand, tick by tick, against the same in vectors; level frames and where an IMU sits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from estimator_walks import long_legs
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from andante.control.estimation.leg_estimator import LegEstimator, LevelEstimator, level_rotation, stance_velocity
from andante.control.estimation.state import imu_mount, to_level
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix

ANGLE = st.floats(-1.4, 1.4)


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


def leg_velocity(dog, leg, angles, rates, gyro, up):
    """Velocity of the base by a foot whose point of contact stays, by differences of the model's own places."""
    kind, near, table = dog.legs[leg], 1e-6, dog.table
    moved = (kind.place(angles + near * rates) - kind.place(angles - near * rates)) / (2.0 * near)
    turned = Rotation.from_rotvec([angles[0] * table.signs[leg, 0], 0.0, 0.0])
    bend = float(table.signs[leg, 1:] @ rates[1:])
    # The last link turns with the base, about the roll joint's x, and about y carried along by the roll.
    link = gyro + turned.apply([table.signs[leg, 0] * rates[0], bend, 0.0])
    contact = -table.radius[leg] * up
    # Velocity of the point of contact on the link in the base's frame, seen from a base that turns: it is at rest.
    return -(moved + np.cross(gyro, kind.place(angles)) + np.cross(link, contact))


def some(dog, rng):
    """Readings of no path."""
    sensors = dog.robot.sensors()
    sensors["position"][:] = dog.joints(np.array([0.1, -0.6, 1.2]) * rng.uniform(-1.0, 1.0, (4, 3)))
    sensors["velocity"][:] = rng.normal(0.0, 2.0, 12)
    sensors["gyro"][:] = rng.normal(0.0, 1.0, 3)
    sensors["accelerometer"][:] = rng.normal([0.0, 0.0, GRAVITY], 2.0)
    sensors["orientation"][:] = rng.uniform(0.8, 1.2) * from_rpy(rng.normal(0.0, 0.4, 3))
    sensors["contact"][:] = rng.choice([0.0, 0.5, 1.0], 4)
    return sensors


def test_a_standing_foot_tells_the_velocity_of_the_base(dog):
    rng = np.random.default_rng(0)
    for _ in range(20):
        angles, rates = rng.uniform(-1.0, 1.0, (4, 3)), rng.normal(0.0, 3.0, (4, 3))
        gyro, up = rng.normal(0.0, 2.0, 3), rng.normal(0.0, 1.0, 3)
        for leg in range(4):
            got = stance_velocity(dog.table, leg, angles, rates, gyro, up)
            np.testing.assert_allclose(got, leg_velocity(dog, leg, angles[leg], rates[leg], gyro, up), atol=1e-7)


@pytest.mark.parametrize(("period", "time_constant"), [(0.01, 0.03), (0.02, 0.08), (0.05, 0.04)])
def test_the_velocity_is_the_accelerometers_drawn_to_the_median_of_the_legs(dog, period, time_constant):
    rng = np.random.default_rng(1)
    estimator = LegEstimator(dog, period, time_constant)
    rows = np.array([leg.indices for leg in dog.legs])
    velocity, way = np.zeros(3), np.zeros(2)
    for tick in range(40):
        sensors = some(dog, rng)
        standing = None if tick % 3 else rng.random(4) < 0.5
        if tick % 5 == 0:
            sensors["accelerometer"][:] *= (0.05, 0.2)[tick % 2]
        level, yaw = level_rotation(sensors)
        force = np.array(sensors.accelerometer)
        if np.linalg.norm(force) > 1.0:
            velocity = velocity + period * (level @ force - [0.0, 0.0, GRAVITY])
        contact = np.array(sensors.contact) > 0.5
        carry = contact if standing is None else contact & standing
        legs = velocity
        if carry.any():
            seen = [
                leg_velocity(dog, leg, sensors.position[rows[leg]], sensors.velocity[rows[leg]], sensors.gyro, level[2])
                for leg in np.flatnonzero(carry)
            ]
            legs = level @ np.median(seen, axis=0)
            velocity = velocity + min(1.0, period / time_constant) * (legs - velocity)
        way = way + period * legs[:2]
        state = estimator.update(sensors, standing)
        np.testing.assert_allclose(state.level_velocity, velocity, atol=1e-6)
        np.testing.assert_allclose(state.way, way, atol=1e-6)
        assert state.contact.tolist() == contact.tolist()
        assert state.yaw == pytest.approx(yaw)
        np.testing.assert_allclose(state.level, level)
    estimator.reset()
    assert not estimator.update(dog.robot.sensors()).way.any()


def test_legs_are_believed_within_three_hundredths_of_a_second(dog):
    sensors = some(dog, np.random.default_rng(2))
    sensors["contact"][:] = 1.0
    own, usual = LegEstimator(dog, 0.01, 0.03), LegEstimator(dog, 0.01)
    np.testing.assert_array_equal(own.update(sensors).level_velocity, usual.update(sensors).level_velocity)


@given(ANGLE, st.floats(-1.5, 1.5), st.floats(-3.1, 3.1), st.floats(0.01, 100.0))
def test_a_level_frame_has_its_x_axis_below_the_base_s(roll, pitch, yaw, size):
    sensors = LevelledRobot.sensors()
    sensors["orientation"][:] = size * from_rpy(np.array([roll, pitch, yaw]))
    level, heading = level_rotation(sensors)
    world = to_matrix(from_rpy(np.array([roll, pitch, yaw])))
    np.testing.assert_allclose(level @ level.T, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(level[2], world[2], atol=1e-9)
    # The base's x axis has no sideways part in it, and points ahead.
    assert level[1, 0] == pytest.approx(0.0, abs=1e-9)
    assert level[0, 0] > 0.0
    assert np.exp(1j * heading) == pytest.approx(np.exp(1j * yaw), abs=1e-6)
    # From world to level is a turn about z alone.
    np.testing.assert_allclose(to_level(world) @ world, level, atol=1e-6)


LevelledRobot = Robot.load("littledog")


def test_an_imu_without_orientation_counts_as_upright():
    sensors = LevelledRobot.sensors()
    for size, upright in ((0.0, True), (9e-4, True), (1.1e-3, False)):
        sensors["orientation"][:] = size * from_rpy(np.array([0.3, 0.2, 0.5]))
        level, yaw = level_rotation(sensors)
        assert np.array_equal(level, np.eye(3)) == upright
        assert (yaw == 0.0) == upright
    sensors["orientation"][:] = from_rpy(np.array([0.0, math.pi / 2.0, 0.0]))
    np.testing.assert_allclose(level_rotation(sensors)[0], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(to_level(to_matrix(sensors.orientation)), np.eye(3), atol=1e-6)


def test_the_attitude_alone_is_told_with_contacts_and_time(dog):
    sensors = some(dog, np.random.default_rng(3))
    sensors["time"][:] = 2.5
    sensors["contact"][:] = [0.0, 0.5, 0.6, 1.0]
    state = LevelEstimator().update(sensors)
    assert state.time == 2.5
    assert state.contact.tolist() == [False, False, True, True]


def test_an_imu_sits_where_the_model_has_it(tmp_path):
    body = long_legs(tmp_path)
    place, turn = imu_mount(body.robot)
    np.testing.assert_allclose(place, [-0.1, 0.02, 0.04], atol=1e-9)
    np.testing.assert_allclose(to_matrix(turn), to_matrix(from_rpy(np.array([0.0, 0.0, math.pi / 2.0]))), atol=1e-6)


def test_an_imu_of_a_base_that_is_turned_in_its_model_is_seen_from_the_base(tmp_path):
    file = tmp_path / "leaning.xml"
    own = long_legs(tmp_path)
    text = (tmp_path / "long-legs.xml").read_text()
    file.write_text(text.replace('pos="0 0 0.3"', 'pos="0.4 -0.1 0.3" euler="0.2 0.5 0.7"'))
    place, turn = imu_mount(Robot.load(file))
    wanted = imu_mount(own.robot)
    np.testing.assert_allclose(place, wanted[0], atol=1e-9)
    np.testing.assert_allclose(to_matrix(turn), to_matrix(wanted[1]), atol=1e-9)
