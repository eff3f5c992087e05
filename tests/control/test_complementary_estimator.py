"""The complementary filter: its two branches against their formulas, and walks seen by motion capture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from estimator_walks import QUIET, Noise, circle, readings, trot, weave
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.control.controller import ControlError
from andante.control.estimation.complementary import (
    Complementary,
    ComplementarySettings,
    ForceToVelocity,
    PlaceToVelocity,
)
from andante.control.estimation.floating_base import NOTHING, Doubt
from andante.documents.settings import SettingsError
from andante.kinematics.leg_table import LeggedBody
from andante.robots.robot import Robot
from andante.spatial import rotations

X = np.array([1.0, 0.0, 0.0])
CORNER = (35.0, math.sqrt(0.5))
NUMBERS = st.floats() | st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308])
NAMES = st.sampled_from(["time", "gyro", "accelerometer", "position", "pose_position", "pose_orientation", "pose_time"])


@pytest.mark.parametrize("rate", [50.0, 360.0, 1000.0])
def test_a_ramp_of_one_metre_per_second_gives_one(rate):
    filter_ = PlaceToVelocity(*CORNER)
    filter_.begin(np.zeros(3), np.zeros(3))
    for tick in range(1, round(rate)):
        velocity = filter_.step(X * tick / rate, 1.0 / rate)
    np.testing.assert_allclose(velocity, X, atol=1e-6)
    # A place that stays gives nothing.
    for _ in range(round(rate)):
        velocity = filter_.step(X, 1.0 / rate)
    np.testing.assert_allclose(velocity, 0.0, atol=1e-6)


def test_a_filter_begun_on_a_ramp_has_no_transient():
    filter_ = PlaceToVelocity(*CORNER)
    filter_.begin(3.0 * X, 2.0 * X)
    for tick in range(1, 50):
        np.testing.assert_allclose(filter_.step((3.0 + 2.0 * tick * 0.003) * X, 0.003), 2.0 * X, atol=1e-9)


def test_the_fast_branch_is_the_source_s():
    """Source at 500 Hz: gain 0.04051 s for constant acceleration, largest 0.04323 at 0.094 s, poles of size 0.952.

    By formula, for z = sqrt(1/2) and b = z w: the response to a step is (2 z / w) (1 - e^(-b t) cos b t), which is
    0.0404 s at last, largest where tan b t = -1, t = 3 pi / (4 b) = 0.0952 s, by e^(-3 pi / 4) / sqrt(2) = 6.7 %.
    """
    filter_ = ForceToVelocity(*CORNER)
    filter_.begin()
    response = np.array([filter_.step(X, 0.002)[0] for _ in range(1000)])
    assert response[-1] == pytest.approx(0.04051, rel=0.005)
    assert response.max() == pytest.approx(0.04323, rel=0.005)
    assert 0.002 * (int(response.argmax()) + 1) == pytest.approx(0.0952, abs=0.002)
    assert math.exp(-35.0 * math.sqrt(0.5) * 0.002) == pytest.approx(0.952, abs=0.001)


def test_both_branches_are_tustin_s():
    """Against scipy's bilinear transform of the transfer functions, on noise."""
    from scipy import signal

    w, z = 20.0, 0.9
    step = 0.004
    inputs = np.random.default_rng(0).standard_normal(300)
    denominator = [1.0, 2.0 * z * w, w * w]
    for numerator, filter_ in (([w * w, 0.0], PlaceToVelocity(w, z)), ([1.0, 2.0 * z * w], ForceToVelocity(w, z))):
        wanted = signal.lfilter(*signal.bilinear(numerator, denominator, 1.0 / step), inputs)
        got = [filter_.step(value * X, step)[0] for value in inputs]
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_the_branches_add_up_to_the_velocity():
    """On a sine of any frequency, below and above the corner, to the error of the trapezoidal rule."""
    step = 0.0005
    time = step * np.arange(20_001)
    for rate in (1.0, 30.0, 200.0):
        slow, fast = PlaceToVelocity(*CORNER), ForceToVelocity(*CORNER)
        slow.begin(np.zeros(3), rate * X)
        fast.begin()
        place, push = np.sin(rate * time), -(rate**2) * np.sin(rate * time)
        got = [slow.step(p * X, step)[0] + fast.step(a * X, step)[0] for p, a in zip(place, push, strict=True)]
        late = time > 2.0
        assert np.abs(got - rate * np.cos(rate * time))[late].max() < 0.01 * rate


@pytest.fixture(scope="module")
def dog() -> LeggedBody:
    return LeggedBody.of(Robot.load("littledog"))


@pytest.fixture(scope="module")
def walk(dog):
    return trot(dog, weave(0.4), 6.0, stride=0.3)


def captured(walk, noise, seed=0, *, every=1, position=0.0, orientation=0.0, latency=0, hidden=(), until=None):
    """Readings with motion capture at every so many ticks, late by ``latency`` ticks, none in the times ``hidden``."""
    rng = np.random.default_rng(seed + 100)
    records = readings(walk, noise, seed)
    quaternions = rotations.from_rpy(walk.rpy)
    last = None
    for tick, sensors in enumerate(records):
        unseen = any(begin <= walk.time[tick] < end for begin, end in hidden)
        taken = tick - latency
        if taken >= 0 and taken % every == 0 and not unseen:
            turn = rotations.exp(orientation * rng.standard_normal(3))
            last = (
                walk.position[taken] + position * rng.standard_normal(3),
                rotations.multiply(quaternions[taken], turn),
                walk.time[taken],
            )
        if last is not None:
            sensors["pose_position"][:], sensors["pose_orientation"][:] = last[:2]
            sensors["pose_time"][:] = last[2]
        else:
            sensors["pose_time"][:] = -1.0
        sensors["pose_valid"][:] = float(last is not None and not unseen)
    return records


def errors(walk, records, how=None):
    estimator = Complementary(walk.body, how)
    states = [estimator.update(sensors) for sensors in records]
    return states, np.array([state.velocity for state in states]) - walk.velocity[: len(states)]


def test_perfect_readings_give_the_velocity(walk):
    states, error = errors(walk, captured(walk, QUIET))
    assert np.abs(error[walk.time > 0.5]).max() < 0.003
    place = np.array([state.position for state in states]) - walk.position
    assert np.abs(place).max() < 1e-3
    assert np.abs(np.array([state.rpy for state in states]) - walk.rpy).max() < 1e-3
    assert {state.health.doubts for state in states} == {NOTHING}


@pytest.mark.parametrize(("every", "latency"), [(1, 0), (2, 0), (3, 2), (5, 0)])
def test_noise_and_rates_of_capture(walk, every, latency):
    """0.5 mm and 0.1 deg, as of a good system, at 500 down to 100 Hz and 4 ms late."""
    records = captured(walk, Noise(), 1, every=every, position=5e-4, orientation=0.002, latency=latency)
    _, error = errors(walk, records)
    assert np.sqrt(np.mean(error[walk.time > 1.0] ** 2, axis=0)).max() < 0.03


def test_a_drop_out_is_bridged_without_a_step(walk):
    records = captured(walk, Noise(), 2, every=2, position=2e-4, hidden=[(3.0, 3.25)])
    states, error = errors(walk, records)
    inside = (walk.time > 3.0) & (walk.time < 3.25)
    assert np.abs(error[inside]).max() < 0.06
    doubted = np.array([Doubt.CAPTURE in state.health.doubts for state in states])
    assert walk.time[np.argmax(doubted)] == pytest.approx(3.0 + 0.027, abs=0.004)
    assert not doubted[walk.time > 3.26].any()
    assert all(state.health.trusted for state in states)
    around = (walk.time > 3.2) & (walk.time < 3.35)
    jump = np.abs(np.diff(error[around], axis=0)).max()
    assert jump < 0.02


def test_a_long_drop_out_is_not_trusted(walk):
    states, error = errors(walk, captured(walk, Noise(), 2, hidden=[(2.0, 3.0)]))
    trusted = np.array([state.health.trusted for state in states])
    assert walk.time[np.argmin(trusted)] == pytest.approx(2.3, abs=0.01)
    assert trusted[walk.time > 3.01].all()
    assert np.abs(error[walk.time > 3.5]).max() < 0.1
    late = states[int(np.argmax(walk.time >= 2.9))]
    assert late.deviation[6] > states[500].deviation[6]
    assert late.health.text == "not trusted: no motion capture"


def test_nothing_is_trusted_before_the_first_capture(walk):
    states, _ = errors(walk, captured(walk, QUIET, hidden=[(0.0, 0.1)])[:100])
    assert not states[0].health.trusted
    assert not states[0].velocity.any()
    assert states[-1].health.trusted
    np.testing.assert_allclose(states[-1].position, walk.position[99], atol=1e-6)


@pytest.mark.parametrize("frozen", [False, True])
def test_without_the_imu_the_captures_go_on(walk, frozen):
    records = captured(walk, Noise(), 3, position=2e-4)
    good = records[999].copy()
    for sensors in records[1000:1500]:
        for name in ("gyro", "accelerometer"):
            sensors[name][:] = good[name] if frozen else math.nan
    states, error = errors(walk, records)
    assert Doubt.GYRO | Doubt.ACCELEROMETER in states[1030].health.doubts
    assert np.abs(error[1050:]).max() < 0.25
    assert np.isfinite(error).all()
    assert states[-1].health.doubts == NOTHING


def test_encoders_and_captures_that_are_no_numbers_are_left_out(walk):
    records = captured(walk, Noise(), 3)
    for tick in range(500, 520):
        records[tick]["position"][4] = math.nan
        records[tick]["pose_position"][1] = math.nan
    states, error = errors(walk, records)
    assert states[510].health.text == "encoders of FR"
    assert np.isfinite(error).all()
    assert all(np.isfinite(state.feet).all() for state in states)


def test_a_capture_of_the_future_is_left_out(walk):
    records = captured(walk, QUIET)[:1000]
    for sensors in records[500:510]:
        sensors["pose_time"][:] = math.inf
    states, error = errors(walk, records)
    assert Doubt.CAPTURE not in states[504].health.doubts
    assert states[-1].health.doubts == NOTHING
    assert np.abs(error[300:]).max() < 0.02


@pytest.mark.parametrize("name", ["accelerometer", "pose_position"])
def test_readings_too_large_to_go_on_with_begin_the_estimate_anew(walk, name):
    records = captured(walk, Noise(), 3)[:1500]
    for sensors in records[500:503]:
        sensors[name][:] = 1e308
    with np.errstate(all="ignore"):
        states, error = errors(walk, records)
    assert any(Doubt.RESTARTED in state.health.doubts for state in states[500:504])
    for state in states:
        assert np.isfinite([*state.position, *state.rpy, *state.velocity, *state.way]).all()
    assert states[-1].health.trusted
    assert states[-1].health.doubts == NOTHING
    assert np.abs(error[1400:]).max() < 0.1
    assert abs(states[-1].yaw - walk.rpy[1499, 2]) < 0.02


@pytest.fixture(scope="module")
def begun(walk):
    """The first readings of a walk; all of it take longer to make than an estimator takes for these."""
    return captured(walk, Noise(), 3)[:60]


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 59), NAMES, NUMBERS), max_size=8))
@example(changes=[(0, "pose_position", 8e307), (2, "pose_position", -1e308)])
def test_no_reading_ends_it_or_leaves_a_state_that_is_no_number(walk, begun, changes):
    records = [sensors.copy() for sensors in begun]
    for tick, name, value in changes:
        records[tick][name][..., :1] = value
    with np.errstate(all="ignore"):
        states, _ = errors(walk, records)
    for state in states:
        assert np.isfinite([*state.position, *state.rpy, *state.velocity, *state.way, *state.rotation.flat]).all()


@pytest.mark.slow
def test_yaw_counts_turns_on(dog):
    walk = trot(dog, circle(0.5, 0.25), 8.0, stride=0.3)
    states, _ = errors(walk, captured(walk, Noise(), 1))
    assert walk.rpy[-1, 2] > 4.0 * math.pi
    np.testing.assert_allclose([state.yaw for state in states], walk.rpy[:, 2], atol=0.02)


def test_the_same_readings_give_the_same_bytes(walk):
    records = captured(walk, Noise(), 4, every=3)[:800]
    estimator = Complementary(walk.body)

    def run() -> bytes:
        estimator.reset()
        return b"".join(estimator.update(s).velocity.tobytes() for s in records)

    assert run() == run()


def test_a_robot_without_motion_capture_is_refused(dog):
    alone = LeggedBody.of(replace(dog.robot, motion_capture=False))
    with pytest.raises(ControlError, match=r"needs motion capture; got 'littledog'; .*contact-aided filter"):
        Complementary(alone)
    with pytest.raises(SettingsError, match=r"estimator\.cutoff.*0"):
        ComplementarySettings(cutoff=0.0)
