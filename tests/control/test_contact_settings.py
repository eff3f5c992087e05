"""What the contact-aided filter believes where nobody says otherwise, how it begins, surveys the ground and tells."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.control.estimation.contact_kalman import ContactKalman, ContactKalmanSettings
from andante.control.estimation.contact_memory import (
    FOOT,
    FORCE,
    GYRO,
    LEG_OUTPUTS,
    OUTPUTS,
    PLACE,
    SPEED,
    TURN,
    empty_memory,
)
from andante.control.estimation.floating_base import NOTHING, Doubt, EstimateHealth, health_of
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial.gravity import GRAVITY
from andante.spatial.rotations import from_rpy, to_matrix
from andante.terrain.height_map import TerrainError

ANGLES = np.array([[0.1, -0.6, 1.2], [-0.1, -0.6, 1.2], [0.1, 0.6, -1.2], [-0.1, 0.6, -1.2]])
DEFAULTS = {
    "gyro": 0.01, "accelerometer": 0.15, "impact": 0.3, "gyro_offset": 0.005, "accelerometer_offset": 0.05,
    "gyro_walk": 1e-4, "accelerometer_walk": 1e-3, "encoder": 5e-4, "encoder_rate": 0.03, "leg": 1e-3,
    "leg_speed": 0.02, "foot_drift": 0.01, "landing": 0.02, "landing_drift": 0.1, "landing_speed": 0.3,
    "ground": 0.01, "ground_interval": 0.25, "tilt": 0.02, "tilt_time": 1.0, "gate": 12.0, "early": 0.02,
    "still": 0.2, "moving": 0.4, "switch_timeout": 0.06, "repeat": 0.03, "contradiction": 0.06, "askew": 0.05,
    "doubted": 0.5, "strain": 3.0, "strain_time": 0.2, "flight": 0.5, "blind": 0.05, "blind_rate": 1.0,
    "blind_force": 5.0, "blind_time": 0.1, "worst_speed": 0.25, "worst_tilt": 0.1, "start_tilt": 0.03,
    "start_speed": 0.1, "rolling": 1.0,
}  # fmt: skip
"""Noises and limits by which the rows of RESULTS were measured."""


@pytest.fixture(scope="module")
def dog():
    return LeggedBody.of(Robot.load("littledog"))


def first(dog, rpy=(0.0, 0.0, 0.0)):
    """What a robot at rest reads."""
    sensors = dog.robot.sensors()
    quaternion = from_rpy(np.array(rpy))
    sensors["time"][:] = 1.0
    sensors["position"][:] = dog.joints(ANGLES)
    sensors["orientation"][:] = quaternion
    sensors["accelerometer"][:] = to_matrix(quaternion).T @ [0.0, 0.0, GRAVITY]
    sensors["contact"][:] = sensors["health"][:] = 1.0
    return sensors


def later(dog, record, seconds, **changes):
    """The same a little later, with encoders that live."""
    sensors = record.copy()
    sensors["time"][:] += seconds
    sensors["position"][:] += 1e-7
    for name, value in changes.items():
        sensors[name][:] = value
    return sensors


def test_defaults_are_those_that_figures_were_measured_with():
    assert ContactKalmanSettings().model_dump() == DEFAULTS


def test_rows_of_the_error_state_and_of_what_is_told_follow_each_other():
    assert (TURN, SPEED, PLACE, GYRO, FORCE, FOOT) == (0, 3, 6, 9, 12, 15)
    memory = empty_memory(4)
    assert memory.covariance.shape == (27, 27)
    assert memory.lever.shape == (27, 3)
    assert memory.shift.shape == (27,)
    assert memory.output.shape == (OUTPUTS + 4 * LEG_OUTPUTS,)
    assert np.isnan(memory.raw).all()
    assert np.isnan(memory.readings).all()
    assert (memory.stood == -1.0).all()
    assert np.isinf(memory.measured).all()
    assert memory.ground[:, :3].tolist() == [[0.0, 0.0, 1.0]] * 4
    assert np.isnan(memory.ground[:, 3]).all()
    for name in ("motion", "feet", "offsets", "covariance", "shift", "imu", "joints", "closed", "reopened", "stuck",
                 "lost", "repeated", "clocks", "output"):  # fmt: skip
        assert not getattr(memory, name).any(), name
    assert (memory.repeated.shape, memory.clocks.shape, memory.joints.shape) == ((6,), (9,), (8, 3))


def test_the_first_uncertainty_is_that_of_a_tilt_about_a_known_place(dog):
    # Errors: turn t with deviations tilt, tilt, 1e-4 [rad]; the place is known to 0.1 mm. x_true = exp(t) x + xi makes
    # xi = x - exp(t) x + e = -t x x + e of a place x: covariance and cross-covariance follow by sampling t.
    settings = ContactKalmanSettings(start_tilt=0.07, start_speed=0.3, gyro_offset=0.02, accelerometer_offset=0.11)
    filter_ = ContactKalman(dog, settings)
    filter_.reset(np.array([1.0, -2.0, 0.5]), 0.4)
    kept = {}

    def keep(table, model, memory, *others):
        kept["covariance"], kept["place"] = memory.covariance.copy(), memory.motion[1].copy()
        memory.output[34] = 1.0

    import andante.control.estimation.contact_kalman as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "advance", keep)
        filter_.update(first(dog))
    x, y, z = kept["place"]
    # d xi / d t of xi = x - t x x, column by column: e1 x x = (0, -z, y), e2 x x = (z, 0, -x), e3 x x = (-y, x, 0).
    by_turn = -np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    turn = np.diag([0.07**2, 0.07**2, 1e-8])
    size = len(kept["covariance"])
    wanted = np.zeros((size, size))
    places = [slice(first_, first_ + 3) for first_ in (PLACE, *range(FOOT, size, 3))]
    wanted[TURN : TURN + 3, TURN : TURN + 3] = turn
    for one in places:
        wanted[one, TURN : TURN + 3], wanted[TURN : TURN + 3, one] = by_turn @ turn, turn @ by_turn.T
        for other in places:
            wanted[one, other] = by_turn @ turn @ by_turn.T + 1e-8 * np.eye(3)
    for row, spread in ((SPEED, 0.3), (GYRO, 0.02), (FORCE, 0.11)):
        wanted[row : row + 3, row : row + 3] = spread**2 * np.eye(3)
    np.testing.assert_allclose(kept["covariance"], wanted, atol=1e-12)


def touchdown(dog, ground):
    """Normals of the ground and heights of standing centres (nl, 4) after all feet have come down."""
    filter_ = ContactKalman(dog, ground=ground)
    start = first(dog)
    start["contact"][:] = 0.0
    filter_.update(start)
    before = filter_._memory.feet.copy()
    filter_.update(later(dog, start, 0.002, contact=1.0))
    return before, filter_._memory.ground.copy()


def test_the_ground_below_a_foot_that_comes_down_is_a_plane_by_the_map(dog):
    # 0.3 x - 0.2 y + 0.1: its normal is (-0.3, 0.2, 1) over the square root of 1.13.
    feet, ground = touchdown(dog, lambda p: 0.3 * p[:, 0] - 0.2 * p[:, 1] + 0.1)
    np.testing.assert_allclose(ground[:, :3], np.tile(np.array([-0.3, 0.2, 1.0]) / math.sqrt(1.13), (4, 1)), atol=1e-9)
    # A ball of radius r stands with its centre r / cos over the plane below it.
    height = 0.3 * feet[:, 0] - 0.2 * feet[:, 1] + 0.1 + dog.table.radius * math.sqrt(1.13)
    np.testing.assert_allclose(ground[:, 3], height, atol=1e-9)


@pytest.mark.parametrize(("slope", "known"), [(0.98, True), (1.02, False), (math.nan, False)])
def test_a_foot_at_an_edge_has_level_ground_of_no_height(dog, slope, known):
    _, ground = touchdown(dog, lambda p: slope * p[:, 1])
    assert np.isfinite(ground[:, 3]).all() == known
    if not known:
        assert ground[:, :3].tolist() == [[0.0, 0.0, 1.0]] * 4


def test_ground_is_looked_up_once_for_each_touchdown_and_where_the_map_ends_nothing_is_known(dog):
    asked = []

    def ground(points):
        asked.append(points[0].copy())
        if len(asked) > 9:
            raise TerrainError("the map ends", value=0.0)
        return np.zeros(len(points))

    filter_ = ContactKalman(dog, ground=ground)
    record = first(dog)
    # Its own height below the first place, then each foot.
    filter_.update(record)
    assert len(asked) == 5
    # No time has passed before the second reading: feet still come down.
    for _ in range(3):
        record = later(dog, record, 0.002)
        filter_.update(record)
        assert len(asked) == 9
    record = later(dog, record, 0.002, contact=[0.0, 1.0, 1.0, 0.4])
    filter_.update(record)
    filter_.update(later(dog, record, 0.002, contact=[1.0, 1.0, 1.0, 0.4]))
    assert len(asked) == 10
    assert math.isnan(filter_._memory.ground[0, 3])
    assert np.isfinite(filter_._memory.ground[1:, 3]).all()


def test_time_goes_on_by_a_tenth_of_a_second_at_most_and_not_by_what_is_no_time(dog):
    fast = first(dog)
    filter_ = ContactKalman(dog)
    fast["contact"][:] = 0.0
    filter_.update(fast)
    filter_._memory.motion[0] = 1.0, 0.0, 0.0
    state = filter_.update(later(dog, fast, 5.0))
    assert state.time == 6.0
    assert state.position[0] == pytest.approx(0.1, abs=0.01)
    assert filter_.update(later(dog, fast, math.nan)) is state
    assert filter_.update(later(dog, fast, 4.0)) is state
    begun = ContactKalman(dog).update(later(dog, fast, math.inf))
    assert begun.time == 0.0


def test_an_estimate_that_is_no_number_begins_anew_where_it_last_was_one(dog):
    filter_, record = ContactKalman(dog), first(dog, (0.0, 0.0, 0.3))
    filter_.reset(np.array([2.0, -1.0, 0.2]), 0.7)
    filter_.update(record)
    before = filter_.update(later(dog, record, 0.002))
    filter_._memory.clocks[1:3] = 4.0, -3.0
    before = filter_.update(later(dog, record, 0.004))
    assert before.way == pytest.approx([4.0, -3.0], abs=1e-3)
    filter_._memory.motion[0, 0] = math.nan
    state = filter_.update(later(dog, record, 0.006))
    assert Doubt.RESTARTED in state.health.doubts
    assert state.position == pytest.approx(before.position, abs=1e-6)
    assert state.yaw == pytest.approx(before.yaw, abs=1e-6)
    assert state.way == pytest.approx(before.way, abs=1e-6)
    assert filter_.update(later(dog, record, 0.008)).health.doubts == NOTHING


def test_a_start_whose_readings_are_no_numbers_is_level_and_blind(dog):
    record = first(dog)
    for name in ("orientation", "gyro", "accelerometer", "position"):
        record[name][:] = math.nan
    state = ContactKalman(dog).update(record)
    assert np.isfinite([*state.position, *state.velocity, *state.rpy, *state.deviation]).all()
    np.testing.assert_allclose(state.rotation, np.eye(3), atol=1e-12)
    assert state.position == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert {Doubt.GYRO, Doubt.ACCELEROMETER, Doubt.ORIENTATION, Doubt.ENCODER} <= set(state.health.doubts)


def test_a_robot_on_its_nose_has_no_heading_by_its_weight(dog):
    record = first(dog)
    record["orientation"][:] = 0.0
    record["accelerometer"][:] = [GRAVITY, 0.0, 0.0]
    np.testing.assert_allclose(ContactKalman(dog).update(record).rotation, np.eye(3), atol=1e-9)


def test_health_is_told_in_words():
    names = ("FL", "FR", "HL", "HR")
    legs = (Doubt.SLIP, NOTHING, Doubt.SLIP | Doubt.ENCODER, Doubt.SWITCH_OPEN)
    doubts = Doubt.GYRO | Doubt.CONTRADICTION | Doubt.SLIP
    told = EstimateHealth(False, doubts, legs, names).text
    assert told == (
        "not trusted: gyro; feet and IMU contradict each other; encoders of HL; foot switch of HR (open); "
        "slip of FL, HL"
    )
    assert EstimateHealth(True, NOTHING, (NOTHING,) * 4, names).text == ""
    assert EstimateHealth(False).text == "not trusted: the estimate has become too uncertain"
    own = health_of(True, int(doubts), (64.0, 0.0, 72.0, 32.0), names)
    assert own == EstimateHealth(True, doubts, legs, names)
    assert own is health_of(True, int(doubts), (64.0, 0.0, 72.0, 32.0), names)
    assert replace(own, trusted=False).text == told
    assert [int(each) for each in Doubt] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]
