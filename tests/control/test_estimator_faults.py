"""What the contact-aided filter does when sensors fail: it says so within 100 ms, goes on, and gives no NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from estimator_walks import Noise, Walk, follow, readings, trot, weave
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.estimation.contact_kalman import ContactKalman, ContactKalmanSettings
from andante.control.estimation.floating_base import NOTHING, Doubt, EstimateHealth
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors
from andante.robots.robot import Robot
from andante.spatial import rotations

BEGIN, END = 2.0, 3.0
Spoil = Callable[[Sensors, Sensors], None]
"""Falsifies a record in place; the second is the last good one."""


@pytest.fixture(scope="module")
def walk() -> Walk:
    return trot(LeggedBody.of(Robot.load("littledog")), weave(0.4), 5.0, stride=0.3)


class Faulty:
    """States along a walk whose readings are falsified from BEGIN to END."""

    def __init__(self, walk: Walk, spoil: Spoil, *, planned: bool = True, seed: int = 1, **how: object) -> None:
        records = readings(walk, Noise(), seed)
        self.time = walk.time
        good = records[int(np.argmax(walk.time >= BEGIN)) - 1].copy()
        for time, sensors in zip(walk.time, records, strict=True):
            if BEGIN <= time < END:
                spoil(sensors, good)
        self.result = follow(ContactKalman(walk.body, **how), walk, records, planned=planned)
        assert all(np.isfinite(state.position).all() for state in self.result.states)
        assert np.isfinite(self.result.velocity).all()
        assert np.isfinite(self.result.deviation).all()

    def first(self, doubt: Doubt) -> float:
        """When something was doubted first after the fault began [s]; infinite: never."""
        return next(
            (
                time - BEGIN
                for time, state in zip(self.time, self.result.states, strict=True)
                if time >= BEGIN and doubt in state.health.doubts
            ),
            math.inf,
        )

    @property
    def before(self) -> set[Doubt]:
        """All doubts before the fault."""
        return {s.health.doubts for t, s in zip(self.time, self.result.states, strict=True) if t < BEGIN}

    def trusted(self, time: float) -> bool:
        """Whether the state at a time was trusted."""
        return self.result.states[int(np.argmax(self.time >= time))].health.trusted

    def fast(self, begin: float, end: float) -> float:
        """Largest error of the velocity in that time [m/s]."""
        rows = (self.time >= begin) & (self.time < end)
        return float(np.abs(self.result.velocity_error[rows]).max())


def no_number(name: str, rows: object = slice(None)) -> Spoil:
    def spoil(sensors: Sensors, good: Sensors) -> None:
        sensors[name][rows] = math.nan

    return spoil


def held(*names: str, rows: object = slice(None)) -> Spoil:
    def spoil(sensors: Sensors, good: Sensors) -> None:
        for name in names:
            sensors[name][rows] = good[name][rows]

    return spoil


def switch(foot: int, value: float) -> Spoil:
    def spoil(sensors: Sensors, good: Sensors) -> None:
        sensors["contact"][foot] = value

    return spoil


def test_nothing_is_doubted_on_a_walk_without_faults(walk):
    run = Faulty(walk, lambda sensors, good: None)
    assert {state.health.doubts for state in run.result.states} == {NOTHING}
    assert run.result.states[-1].health.text == ""


@pytest.mark.parametrize(
    "spoil",
    [
        no_number("position", 2),
        held("position", "velocity", rows=[0, 1, 2]),
        lambda sensors, good: sensors["health"].__setitem__(1, 0.0),
    ],
    ids=["nan", "frozen", "reported"],
)
def test_a_leg_without_encoders_carries_nothing_and_is_named(walk, spoil):
    run = Faulty(walk, spoil)
    assert run.before == {NOTHING}
    assert run.first(Doubt.ENCODER) < 0.1
    bad = run.result.states[int(np.argmax(walk.time >= 2.5))]
    assert bad.health.text == "encoders of FL"
    assert bad.health.legs[0] == Doubt.ENCODER
    assert bad.health.trusted
    assert bad.confidence[0] == 0.0
    assert run.fast(BEGIN, 5.0) < 0.02
    assert run.result.states[-1].health.doubts == NOTHING


def test_rates_that_are_no_numbers_are_made_from_angles(walk):
    run = Faulty(walk, no_number("velocity"))
    assert run.fast(BEGIN, 5.0) < 0.02


@pytest.mark.parametrize(
    "spoil",
    [
        lambda sensors, good: [no_number(name)(sensors, good) for name in ("orientation", "gyro", "accelerometer")],
        held("orientation", "gyro", "accelerometer"),
        lambda sensors, good: sensors["gyro"].__setitem__(slice(None), 1e4),
    ],
    ids=["nan", "frozen", "impossible"],
)
def test_without_a_gyro_the_state_is_not_trusted_within_100_ms(walk, spoil):
    run = Faulty(walk, spoil)
    assert run.before == {NOTHING}
    assert run.first(Doubt.GYRO) < 0.04
    assert not run.trusted(BEGIN + 0.1)
    assert run.result.states[int(np.argmax(walk.time >= 2.5))].health.text.startswith("not trusted: gyro")
    # It has gone on by its legs, and finds back.
    assert run.fast(BEGIN, END) < 0.3
    assert run.trusted(4.0)
    assert run.result.states[-1].health.doubts == NOTHING
    ahead = np.einsum("nji,nj->ni", run.result.rotation, run.result.velocity)
    truth = np.einsum("nji,nj->ni", walk.rotation, walk.velocity)
    assert np.abs(ahead - truth)[walk.time > 4.0].max() < 0.02


def test_without_an_accelerometer_the_legs_go_on(walk):
    run = Faulty(walk, no_number("accelerometer"))
    assert run.first(Doubt.ACCELEROMETER) < 0.01
    assert run.trusted(2.9)
    assert run.fast(BEGIN, 5.0) < 0.03


def test_single_lost_readings_of_the_imu_do_no_harm(walk):
    records = readings(walk, Noise(), 2)
    rng = np.random.default_rng(0)
    for before, sensors in pairwise(records):
        if rng.random() < 0.2:
            for name in ("orientation", "gyro", "accelerometer"):
                sensors[name][:] = before[name]
    result = follow(ContactKalman(walk.body), walk, records)
    assert {state.health.doubts for state in result.states} == {NOTHING}
    assert result.rms().max() < 0.01


@pytest.mark.parametrize(
    ("name", "offset"), [("accelerometer", [2.0, 0.0, 0.0]), ("gyro", [0.0, 0.3, 0.0])], ids=["force", "rate"]
)
def test_an_imu_that_is_suddenly_off_is_told_and_misleads_little(walk, name, offset):
    run = Faulty(walk, lambda sensors, good: sensors[name].__iadd__(offset))
    assert run.before == {NOTHING}
    assert min(run.first(Doubt.CONTRADICTION), run.first(Doubt.TILT)) < 0.5
    trusted = np.array([state.health.trusted for state in run.result.states])
    assert np.abs(run.result.velocity_error[trusted]).max() < 0.5
    assert np.abs((run.result.rpy - walk.rpy)[trusted, :2]).max() < 0.2
    assert run.fast(4.5, 5.0) < 0.15


def test_an_orientation_that_is_off_does_not_turn_the_estimate(walk):
    turn = rotations.exp([0.3, 0.0, 0.0])

    def spoil(sensors, good):
        sensors["orientation"][:] = rotations.multiply(sensors["orientation"], turn)

    run = Faulty(walk, spoil)
    assert run.first(Doubt.TILT) < 0.01
    # The IMU does give an orientation; whether that is wrong, or feet slide, nobody knows.
    assert not any(Doubt.ORIENTATION in state.health.doubts for state in run.result.states)
    assert (
        EstimateHealth(False, Doubt.TILT).text
        == "not trusted: tilt (IMU and feet differ: feet slide, or the IMU is wrong)"
    )
    assert not run.trusted(BEGIN + 0.1)
    assert run.fast(BEGIN, 5.0) < 0.03
    assert run.trusted(END + 0.1)


@pytest.mark.parametrize("value", [0.0, math.nan], ids=["open", "nan"])
def test_a_foot_that_is_not_felt_stands_by_plan_and_by_its_leg(walk, value):
    run = Faulty(walk, switch(0, value))
    assert run.before == {NOTHING}
    # Two ticks late by itself; then 60 ms of planned stance are waited for.
    down = float(walk.time[np.argmax((walk.time >= BEGIN) & walk.contact[:, 0])]) - BEGIN
    assert run.first(Doubt.SWITCH_OPEN) < down + 0.1
    rows = (walk.time > BEGIN + 0.5) & (walk.time < END)
    contact = np.array([state.contact[0] for state in run.result.states])
    assert (contact == walk.contact[:, 0])[rows].mean() > 0.98
    confidence = np.array([state.confidence[0] for state in run.result.states])
    assert confidence[rows & walk.contact[:, 0]].mean() > 0.8
    assert run.fast(BEGIN, 5.0) < 0.02
    assert run.trusted(2.9)


@pytest.mark.parametrize("planned", [True, False])
def test_a_switch_that_is_stuck_does_not_hold_the_robot(walk, planned):
    run = Faulty(walk, switch(0, 1.0), planned=planned)
    assert run.before == {NOTHING}
    up = float(walk.time[np.argmax((walk.time >= BEGIN) & ~walk.contact[:, 0])]) - BEGIN
    assert run.first(Doubt.SWITCH_CLOSED) < up + 0.12
    assert run.fast(BEGIN, 5.0) < 0.02
    rows = (walk.time > BEGIN + 0.5) & (walk.time < END) & ~walk.contact[:, 0]
    carried = np.array([state.confidence[0] for state in run.result.states])[rows]
    assert (carried > 0.0).mean() < (0.05 if planned else 0.4)


def test_all_switches_stuck_at_once(walk):
    run = Faulty(walk, switch(slice(None), 1.0), planned=False)
    assert run.fast(BEGIN, 5.0) < 0.05
    assert run.trusted(4.0)


def test_a_flight_is_carried_by_the_imu_and_told_when_it_is_long(walk):
    run = Faulty(walk, switch(slice(None), 0.0), planned=False)
    assert 0.49 < run.first(Doubt.NO_STANCE) < 0.6
    assert run.fast(BEGIN, END) < 0.1
    assert run.result.states[-1].health.doubts == NOTHING


@pytest.mark.parametrize("planned", [True, False])
def test_a_foot_that_slips_is_named_and_carries_nothing(walk, planned):
    """The pitch joint of FL goes on by 2 rad/s while the foot stands: its ball slides at 0.3 m/s."""
    pitch = walk.body.legs[0].indices[1]
    down = int(np.argmax((walk.time >= BEGIN) & walk.contact[:, 0]))
    slides = float(walk.time[down]) + 0.03
    assert walk.contact[down : down + 55, 0].all()

    def spoil(sensors, good):
        turned = sensors.time - slides
        if 0.0 <= turned < 0.08:
            sensors["position"][pitch] += 2.0 * turned
            sensors["velocity"][pitch] += 2.0

    run = Faulty(walk, spoil, planned=planned)
    assert run.first(Doubt.SLIP) < slides - BEGIN + 0.02
    assert run.fast(BEGIN, 5.0) < 0.03


def test_a_velocity_that_is_wrong_is_given_up(walk):
    """A blow that nobody measured: the readings jump to those of a walk that has been faster all the time."""
    fast = trot(walk.body, weave(0.6, period=12.0), 3.0, stride=0.3)
    slow = trot(walk.body, weave(0.1, period=12.0), 3.0, stride=0.3)
    filter_ = ContactKalman(walk.body, ContactKalmanSettings(accelerometer=0.02, leg_speed=0.005))
    for sensors in readings(slow, Noise(), 1)[:700]:
        filter_.update(sensors)
    jumped = [filter_.update(sensors) for sensors in readings(fast, Noise(), 1)[700:]]
    told = [state.health for state in jumped]
    assert any(Doubt.CONTRADICTION in health.doubts for health in told[:150])
    assert told[-1].trusted
    assert np.linalg.norm(jumped[-1].level_velocity[:2]) == pytest.approx(0.6, abs=0.06)


def test_a_sudden_stop_is_found_out(walk):
    """From one tick to the next the readings are those of a robot that stands: everything contradicts the filter."""
    records = readings(walk, Noise(), 1)
    filter_ = ContactKalman(walk.body)
    for sensors in records[:1500]:
        filter_.update(sensors)
    still = records[100]
    rng = np.random.default_rng(0)
    for tick in range(1500, 2500):
        sensors = still.copy()
        sensors.vector[0] = walk.time[tick]
        sensors["gyro"][:] += 0.01 * rng.standard_normal(3)
        sensors["position"][:] += 0.0005 * rng.standard_normal(12)
        state = filter_.update(sensors)
    assert np.abs(state.velocity).max() < 0.02
    assert state.health.trusted


def test_a_time_that_is_no_number_changes_nothing(walk):
    records = readings(walk, Noise(), 1)
    filter_ = ContactKalman(walk.body)
    lost = records[0].copy()
    lost.vector[0] = math.nan
    assert np.isfinite(filter_.update(lost).position).all()
    state = filter_.update(records[1])
    assert filter_.update(lost) is state
    assert filter_.update(records[2]).time == records[2].time


VALUES = st.sampled_from([math.nan, math.inf, -math.inf, 1e300, -1e300, 1e9, 0.0, -7.0, 3.0])


@pytest.fixture(scope="module")
def begun(walk):
    """The first readings of a walk."""
    return readings(walk, Noise(), 1)[:400]


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 300), st.integers(0, 10_000), VALUES), max_size=200))
def test_no_reading_makes_a_state_that_is_no_number(walk, begun, spoiled):
    records = [sensors.copy() for sensors in begun]
    size = records[0].vector.size
    for tick, column, value in spoiled:
        records[tick].vector[1 + column % (size - 1)] = value
    filter_ = ContactKalman(walk.body)
    for tick, sensors in enumerate(records):
        state = filter_.update(sensors, walk.contact[tick] if tick % 2 else None)
        numbers = (state.position, state.rotation, state.rpy, state.velocity, state.angular_velocity, state.feet)
        for values in (*numbers, state.deviation, state.way, state.confidence):
            assert np.isfinite(values).all()
        np.testing.assert_allclose(state.rotation @ state.rotation.T, np.eye(3), atol=1e-9)


def test_a_first_record_of_nothing_but_nan(walk):
    filter_ = ContactKalman(walk.body)
    empty = walk.body.robot.sensors()
    empty.vector[1:] = math.nan
    state = filter_.update(empty)
    assert np.isfinite(state.position).all()
    for sensors in readings(walk, Noise(), 1)[1:600]:
        state = filter_.update(sensors)
    assert np.isfinite(state.velocity).all()
    assert abs(state.rpy[:2]).max() < 0.2


def test_health_in_words():
    names = ("FL", "FR", "HL", "HR")
    assert EstimateHealth().text == ""
    legs = (Doubt.ENCODER, NOTHING, Doubt.ENCODER | Doubt.SLIP, NOTHING)
    health = EstimateHealth(False, Doubt.GYRO | Doubt.ENCODER | Doubt.SLIP, legs, names)
    assert health.text == "not trusted: gyro; encoders of FL, HL; slip of HL"
    assert EstimateHealth(False).text == "not trusted: the estimate has become too uncertain"
