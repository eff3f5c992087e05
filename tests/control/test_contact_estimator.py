"""ContactKalman on walks whose truth is known by formulas: how exact, how sure of itself, alike in all directions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from estimator_walks import QUIET, Noise, circle, follow, long_legs, readings, trot, weave
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from andante.control.estimation.contact_kalman import ContactKalman, ContactKalmanSettings
from andante.control.estimation.floating_base import NOTHING
from andante.documents.settings import SettingsError
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial import rotations
from andante.terrain.height_map import HeightMap


@pytest.fixture(scope="module")
def dog() -> LeggedBody:
    return LeggedBody.of(Robot.load("littledog"))


def level(points: np.ndarray) -> np.ndarray:
    """Heights of the level floor."""
    return np.zeros(len(points))


@pytest.fixture(scope="module")
def short(dog):
    """Six seconds round a circle, 0.4 m/s."""
    return trot(dog, circle(0.4, 0.5), 6.0, stride=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(("long", "speed", "stride"), [(False, 0.4, 0.3), (True, 1.0, 0.36)])
def test_thirty_seconds_with_turns(long, speed, stride, dog, tmp_path):
    walk = trot(long_legs(tmp_path) if long else dog, weave(speed), 30.0, stride=stride)
    for seed in range(2):
        result = follow(ContactKalman(walk.body), walk, readings(walk, Noise(), seed))
        assert result.rms().max() < 0.01
        assert result.drift < 0.02
        assert all(state.health.trusted for state in result.states)


@pytest.mark.slow
def test_thirty_seconds_with_impacts_no_plan_and_encoders_that_are_off(dog):
    walk = trot(dog, weave(0.4), 30.0, stride=0.3)
    noise = Noise(impact=30.0, encoder_offset=0.003, gyro_offset=0.005)
    result = follow(ContactKalman(dog, ground=level), walk, readings(walk, noise, 5), planned=False)
    assert result.rms().max() < 0.03
    assert result.drift < 0.02
    assert np.abs(result.position_error[:, 2]).max() < 0.01


def test_perfect_readings_give_the_path(short):
    result = follow(ContactKalman(short.body), short, readings(short, QUIET))
    assert np.abs(result.velocity_error[100:]).max() < 0.005
    assert np.abs(result.position_error).max() < 0.005
    assert np.abs(result.rpy - short.rpy).max() < 0.002
    assert np.abs(result.feet - short.feet)[short.contact].max() < 0.005


@pytest.mark.slow
def test_feet_taken_as_points_lose_what_their_balls_roll(dog):
    """The body goes over a standing leg of height h, its foot's ball of radius r rolls on with the last link.

    Here LittleDog's is found from the walk itself: mean of r w over the speed while a foot stands.
    """
    walk = trot(dog, weave(0.4, turn=0.0), 10.0, stride=0.3, wobble=0.0)
    steady = (walk.time > 3.0)[1:, None] & walk.contact[1:] & walk.contact[:-1]
    rolled = float((np.diff(walk.feet[..., 0], axis=0)[steady] / walk.period).mean()) / 0.4
    assert 0.05 < rolled < 0.12
    records = readings(walk, Noise(), 1)
    late = walk.time > 3.0
    for share, wanted in ((1.0, 0.0), (0.0, -rolled)):
        result = follow(ContactKalman(dog, ContactKalmanSettings(rolling=share)), walk, records)
        assert result.velocity_error[late, 0].mean() / 0.4 == pytest.approx(wanted, abs=0.012)


@pytest.mark.slow
def test_errors_are_as_large_as_the_filter_says(dog):
    """With the sensors' own noises as settings: squared errors in standard deviations are one on average."""
    walk = trot(dog, weave(0.4), 8.0, stride=0.3)
    noise = Noise(gyro_offset=0.005, accelerometer_offset=0.05, accelerometer=0.15, orientation_offset=0.03, late=0)
    own = ContactKalmanSettings(leg=2e-5, leg_speed=2e-3, foot_drift=5e-4, landing=0.0, impact=0.0, tilt=10.0)
    squares = []
    for seed in range(8):
        result = follow(ContactKalman(dog, own), walk, readings(walk, noise, seed))
        turned = np.einsum("nij,nkj->nik", walk.rotation, result.rotation)
        turn = rotations.log(rotations.from_matrix(turned))
        errors = np.concatenate([result.position_error, turn, result.velocity_error], axis=1) / result.deviation
        squares.append(errors[1000::20] ** 2)
    mean = np.mean(squares, axis=(0, 1))
    # Eight runs whose errors change slowly: a factor of three either way is chance, a filter too sure is not.
    assert (mean < 3.0).all(), mean
    assert (mean > 0.1).all(), mean
    # With the settings that a robot gets, the filter claims less than it knows.
    result = follow(ContactKalman(dog), walk, readings(walk, noise, 0))
    assert (np.abs(result.velocity_error) < 4.0 * result.deviation[:, 6:]).all()


@pytest.mark.slow
def test_offsets_of_gyro_and_heading_are_found(dog):
    """A heading that the gyro's offset alone would turn by 0.15 rad stays, since the feet do not turn."""
    walk = trot(dog, weave(0.4), 30.0, stride=0.3)
    records = readings(walk, Noise(gyro_offset=0.0, accelerometer_offset=0.0), 3)
    for sensors in records:
        sensors["gyro"][2] += 0.005
    result = follow(ContactKalman(dog), walk, records)
    assert abs(result.rpy[-1, 2] - walk.rpy[-1, 2]) < 0.05
    assert abs(np.mean(result.states[-1].angular_velocity[2] - walk.angular_velocity[-1, 2])) < 0.02


@settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.floats(-50.0, 50.0), st.floats(-50.0, 50.0), st.floats(-3.1, 3.1))
def test_no_place_and_no_heading_differs_from_another(short, x, y, yaw):
    records = readings(short, Noise(), 2)[:1000]
    filter_ = ContactKalman(short.body)
    filter_.reset(short.position[0], float(short.rpy[0, 2]))
    own = [filter_.update(sensors, short.contact[tick]) for tick, sensors in enumerate(records)]
    filter_.reset(short.position[0] + [x, y, 0.0], float(short.rpy[0, 2]) + yaw)
    turn = rotations.rotation_z(yaw)
    for tick, sensors in enumerate(records):
        state = filter_.update(sensors, short.contact[tick])
        if tick % 111 == 0:
            before = own[tick]
            np.testing.assert_allclose(state.velocity, turn @ before.velocity, atol=1e-6)
            moved = turn @ (before.position - short.position[0]) + short.position[0] + [x, y, 0.0]
            np.testing.assert_allclose(state.position, moved, atol=1e-6)
            np.testing.assert_allclose(state.rotation, turn @ before.rotation, atol=1e-7)
            np.testing.assert_allclose(state.deviation[[2, 5, 8]], before.deviation[[2, 5, 8]], rtol=1e-3)
            np.testing.assert_allclose(state.way, before.way, atol=1e-6)


@pytest.mark.slow
def test_yaw_counts_turns_on(dog):
    """0.5 m/s round a circle of 0.25 m for 16 s: 31 rad."""
    walk = trot(dog, circle(0.5, 0.25), 16.0, stride=0.3)
    assert walk.rpy[-1, 2] > 9.0 * math.pi
    result = follow(ContactKalman(dog), walk, readings(walk, Noise(), 1))
    np.testing.assert_allclose(result.rpy[:, 2], walk.rpy[:, 2], atol=0.06)
    assert np.abs(np.diff(result.rpy[:, 2])).max() < 0.05
    assert result.drift < 0.02


def test_the_same_readings_give_the_same_bytes(short):
    records = readings(short, Noise(), 4)
    filter_ = ContactKalman(short.body)

    def run() -> bytes:
        states = follow(filter_, short, records).states
        return b"".join(s.position.tobytes() + s.velocity.tobytes() + s.deviation.tobytes() for s in states)

    assert run() == run()


def test_a_record_of_the_same_time_changes_nothing(short):
    records = readings(short, Noise(), 4)
    filter_ = ContactKalman(short.body)
    for sensors in records[:50]:
        state = filter_.update(sensors)
    assert filter_.update(records[49]) is state
    assert filter_.update(records[10]) is state


def test_a_state_is_not_changed_by_later_ticks(short):
    records = readings(short, Noise(), 4)
    filter_ = ContactKalman(short.body)
    first = [filter_.update(sensors) for sensors in records[:60]][50]
    kept = first.position.copy(), first.rotation.copy(), first.feet.copy(), first.confidence.copy()
    for sensors in records[60:200]:
        filter_.update(sensors)
    for before, after in zip(kept, (first.position, first.rotation, first.feet, first.confidence), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("period", [0.001, 0.004, 0.01])
def test_any_rate_of_ticks(dog, period):
    walk = trot(dog, weave(0.3), 8.0, stride=0.32, period=period)
    result = follow(ContactKalman(dog), walk, readings(walk, Noise(late=0), 1))
    assert result.rms().max() < 0.03
    assert result.drift < 0.02


@pytest.mark.slow
def test_the_height_stays_on_the_map(dog):
    """A floor that rises by 0.1: without the map the height drifts with the way, with it it does not."""
    rise = 0.1
    path = weave(0.3, turn=0.0)
    walk = trot(dog, type(path)(path.place, path.yaw, lambda x, y: rise * x), 12.0, stride=0.3)
    records = readings(walk, Noise(encoder_offset=0.005), 6)
    errors = [
        np.abs(follow(ContactKalman(dog, ground=ground), walk, records).position_error[:, 2]).max()
        for ground in (lambda points: rise * points[:, 0], None)
    ]
    assert errors[0] < 0.01
    assert errors[0] < errors[1]


@pytest.mark.slow
def test_standing_still_drifts_less_than_a_millimetre_a_second(dog):
    walk = trot(dog, circle(0.0, 1.0), 20.0, stride=0.3, duty=1.0, wobble=0.0)
    walk.contact[:] = True
    result = follow(ContactKalman(dog), walk, readings(walk, Noise(), 1))
    assert np.abs(result.position_error).max() < 0.01
    assert result.rms().max() < 0.005


def test_the_accelerometer_gives_the_tilt_where_the_imu_has_no_orientation(short):
    records = readings(short, Noise(), 4)
    lean = rotations.to_matrix(rotations.from_rpy([0.2, -0.3, 0.0]))
    first = records[0]
    first["orientation"][:] = 0.0
    first["accelerometer"][:] = lean.T @ [0.0, 0.0, 9.81]
    state = ContactKalman(short.body).update(first)
    np.testing.assert_allclose(state.rpy, [0.2, -0.3, 0.0], atol=1e-9)
    assert state.health.doubts != NOTHING


def test_the_first_place_is_above_the_origin_on_its_feet(dog):
    sensors = dog.robot.sensors()
    sensors["position"][:] = dog.robot.posture("stand")
    sensors["health"][:] = 1.0
    sensors["orientation"][0] = 1.0
    sensors["accelerometer"][2] = 9.81
    sensors["contact"][:] = 1.0
    state = ContactKalman(dog, ground=lambda points: np.full(len(points), 0.5)).update(sensors)
    np.testing.assert_allclose(state.feet[:, 2], 0.5 + dog.table.radius, atol=1e-3)
    np.testing.assert_allclose(state.position[:2], 0.0, atol=1e-12)
    assert state.health.trusted


def test_settings_are_checked():
    with pytest.raises(SettingsError, match=r"estimator\.gate.*-1"):
        ContactKalmanSettings(gate=-1.0)


def test_a_map_that_ends_or_has_an_edge_is_believed_only_where_it_is_known(dog):
    """The map ends at 0.5 m; the way goes on for 1.5 m. Off it, nothing but the way is known of the height."""
    walk = trot(dog, weave(0.4, turn=0.0), 5.0, stride=0.3)
    records = readings(walk, Noise(), 6)
    short_map = HeightMap(np.zeros((101, 101)), (-0.5, -0.5), 0.01)
    holes = lambda points: np.where(points[:, 0] < 0.5, 0.0, math.nan)  # noqa: E731
    ledge = lambda points: np.where(points[:, 0] < 0.5, 0.0, 0.2)  # noqa: E731
    for ground in (short_map.at, holes):
        result = follow(ContactKalman(dog, ground=ground), walk, records)
        assert np.abs(result.position_error[:, 2]).max() < 0.01
    # A foot within 2 cm of an edge does not say on which side it stands.
    result = follow(ContactKalman(dog, ground=ledge), walk, records)
    beyond = (walk.feet[..., 0] > 0.55) & walk.contact
    assert np.abs(result.position_error[~beyond.any(axis=1), 2]).max() < 0.01
