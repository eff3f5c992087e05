"""How the contact-aided filter begins: attitude, heading, place and height from the first readings alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.estimation.contact_kalman import ContactKalman, ContactKalmanSettings
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.height_map import TerrainError

ANGLES = np.array([[0.1, -0.6, 1.2], [-0.1, -0.6, 1.2], [0.1, 0.6, -1.2], [-0.1, 0.6, -1.2]])


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


def first(dog, rpy=(0.0, 0.0, 0.0), size=1.0):
    """What a robot at rest reads."""
    sensors = dog.robot.sensors()
    quaternion = from_rpy(np.array(rpy))
    sensors["time"][:] = 1.0
    sensors["position"][:] = dog.joints(ANGLES)
    sensors["orientation"][:] = size * quaternion
    sensors["accelerometer"][:] = to_matrix(quaternion).T @ [0.0, 0.0, GRAVITY]
    sensors["contact"][:] = sensors["health"][:] = 1.0
    return sensors


def rotation_of(state):
    return np.asarray(state.rotation)


@pytest.mark.parametrize("size", [1.0, 0.6, 1.9])
def test_attitude_and_heading_are_the_imus(dog, size):
    state = ContactKalman(dog).update(first(dog, (0.1, -0.2, 0.7), size))
    np.testing.assert_allclose(rotation_of(state), to_matrix(from_rpy(np.array([0.1, -0.2, 0.7]))), atol=2e-3)


@pytest.mark.parametrize("size", [0.4, 2.5, math.nan])
def test_without_an_orientation_the_weight_tells_the_tilt_and_the_heading_is_zero(dog, size):
    state = ContactKalman(dog).update(first(dog, (0.1, -0.2, 0.7), size))
    level = rotation_of(state).T @ [0.0, 0.0, 1.0]
    np.testing.assert_allclose(level, to_matrix(from_rpy(np.array([0.1, -0.2, 0.7]))).T @ [0, 0, 1.0], atol=2e-3)
    assert math.atan2(rotation_of(state)[1, 0], rotation_of(state)[0, 0]) == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("share", [0.4, 2.1])
def test_a_weight_that_is_none_leaves_the_robot_level(dog, share):
    sensors = first(dog, (0.1, -0.2, 0.7), math.nan)
    sensors["accelerometer"][:] *= share
    state = ContactKalman(dog).update(sensors)
    # Nothing tells the tilt: it may be a radian off.
    assert np.asarray(state.deviation).max() > 0.3
    assert abs(math.atan2(rotation_of(state)[1, 0], rotation_of(state)[0, 0])) < 0.05


def test_it_begins_on_its_feet_on_the_ground_that_is_known(dog):
    places = np.array([leg.place(angles) for leg, angles in zip(dog.legs, ANGLES, strict=True)])
    stands = float(-(places[:, 2] - dog.table.radius).mean())

    def ends(points):
        raise TerrainError("the map ends", value=points[0, 0])

    for ground, height in ((None, 0.0), (lambda p: np.full(len(p), 0.3), 0.3),
                           (lambda p: np.full(len(p), math.nan), 0.0), (ends, 0.0)):  # fmt: skip
        state = ContactKalman(dog, ground=ground).update(first(dog))
        assert state.position == pytest.approx([0.0, 0.0, height + stands], abs=2e-3)
        np.testing.assert_allclose(np.asarray(state.feet), places + state.position, atol=5e-3)
    # Only feet that touch count, where any does.
    sensors = first(dog)
    sensors["contact"][:] = [1.0, 0.0, 0.0, 0.0]
    assert ContactKalman(dog).update(sensors).position[2] == pytest.approx(
        float(dog.table.radius[0] - places[0, 2]), abs=2e-3
    )


def test_it_begins_where_it_is_told_and_forgets_all_else(dog):
    filter_ = ContactKalman(dog)
    filter_.update(first(dog, (0.0, 0.0, 0.7)))
    filter_.reset(np.array([1.0, 2.0, 0.5]), -2.0)
    state = filter_.update(first(dog, (0.1, 0.0, 0.7)))
    assert state.position == pytest.approx([1.0, 2.0, 0.5], abs=5e-3)
    np.testing.assert_allclose(rotation_of(state), to_matrix(from_rpy(np.array([0.1, 0.0, -2.0]))), atol=2e-3)
    assert filter_.update(first(dog)) is state


def test_in_coordinates_of_a_survey_all_is_the_same_but_moved(dog):
    """Without a start of its own the filter's covariances lost all digits there, and a walking robot fell."""
    away, states = np.array([468_000.0, 5_428_000.0, 0.0]), []
    for offset in (np.zeros(3), away):
        looked = []
        filter_ = ContactKalman(dog, ground=lambda points, seen=looked: seen.append(points) or np.zeros(len(points)))
        filter_.reset(np.array([1.0, 2.0, 0.15]) + offset, 0.4)
        record, rng = first(dog), np.random.default_rng(1)
        for tick in range(60):
            sensors = record.copy()
            sensors["time"][:] += 0.002 * tick
            sensors["position"][:] += 1e-3 * rng.normal(size=sensors["position"].shape)
            sensors["gyro"][:] = 0.05 * rng.normal(size=3)
            if tick == 40:
                filter_._memory.motion[0, 0] = np.nan
            state = filter_.update(sensors)
        states.append((state, looked))
    (near, seen), (far, seen_far) = states
    np.testing.assert_allclose(far.position - away, near.position, atol=1e-8)
    np.testing.assert_allclose(far.feet - away, near.feet, atol=1e-8)
    np.testing.assert_allclose(far.velocity, near.velocity, atol=1e-10)
    np.testing.assert_allclose(far.deviation, near.deviation, rtol=1e-9)
    np.testing.assert_allclose(np.array(seen_far) - away[:2], seen, atol=1e-8)


def test_what_is_not_known_at_the_start_is_as_uncertain_as_the_settings_say(dog):
    settings = ContactKalmanSettings(start_tilt=0.05, start_speed=0.3)
    sensors = first(dog)
    sensors["contact"][:] = 0.0
    deviation = np.asarray(ContactKalman(dog, settings).update(sensors).deviation)
    # Position, attitude, velocity, in some order of threes: place known, tilt and speed as said, heading known.
    rest = sorted(np.round(deviation, 3).tolist())
    assert rest.count(0.3) == 3
    assert sum(abs(each - 0.05) < 2e-3 for each in rest) == 2
    assert sum(each < 0.02 for each in rest) == 4
