"""What arming makes of readings that contradict each other, repeat themselves, or are wrong once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_arming import DOG, SHORT, Ride, ride, sensors_of

from andante.control.arming.frozen_imu import FrozenImuWatch
from andante.control.arming.measured import Vitals, findings_of
from andante.control.arming.phase import Phase
from andante.control.arming.settings import SafetySettings

NOISE = np.random.default_rng(11)
STEP = 1e-3
"""Of what an IMU's converter counts [rad/s, m/s^2]."""


def lively() -> dict[str, Any]:
    """An IMU at rest, in steps of its converter."""
    noise = NOISE.normal(0.0, 3.0 * STEP, 6)
    return {
        "gyro": np.round(noise[:3] / STEP) * STEP,
        "accelerometer": np.round((noise[3:] + np.array([0.0, 0.0, 9.81])) / STEP) * STEP,
    }


def creeping(going: Ride, unit: float, tick: int) -> dict[str, Any]:
    """One joint sinks by 0.02 rad/s as gains rise; its speed comes in another unit."""
    velocity = np.zeros(len(DOG.joints))
    position = going.angles.copy()
    position[4] -= 0.02 * 0.01 * tick
    velocity[4] = -0.02 * unit
    return {"position": position, "velocity": velocity}


def test_speeds_in_degrees_are_told_while_gains_rise_though_the_joint_hardly_moved() -> None:
    for unit, last in ((1.0, Phase.HOLD), (np.degrees(1.0), Phase.OFF)):
        going = ride(SHORT.changed(rise=2.0, sit="stand"))
        going.until(Phase.HOLD)
        for tick in range(60):
            going.step(**lively(), **creeping(going, unit, tick))
        assert going.controller.phase is last
    assert going.phases.index(Phase.FADE) - going.phases.index(Phase.HOLD) <= 42
    text = going.controller.failure
    assert text.startswith(f"the measured speed of {DOG.joint_names[4]} is not that of its angle: it adds up to 0.")
    assert "(limit 0.25 more): degrees for radians, another unit, or another joint's?" in text
    # It is let go of where it was found: it never goes to another posture.
    held = [command.position for command in going.commands if command.kp.any()]
    np.testing.assert_allclose(held, np.broadcast_to(DOG.posture("stand"), np.shape(held)), atol=1e-9)


def test_speeds_in_degrees_are_found_as_limp_limbs_come_to_rest_and_nothing_moves() -> None:
    for unit, good in ((1.0, True), (np.degrees(1.0), False)):
        readings = []
        for tick in range(100):
            sensors = sensors_of(DOG, 0.01 * tick, DOG.posture("stand"), **lively())
            sinks = 0.1 * np.exp(-0.05 * tick)
            sensors.position[4] += sinks
            sensors.velocity[4] = -5.0 * sinks * unit
            readings.append(sensors)
        found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), Vitals(), frozenset())}
        assert ("speeds" not in found or found["speeds"].good) is good
    unmeasured = Vitals(absent=frozenset({"velocity"}))
    told = findings_of(DOG, readings, SafetySettings(), unmeasured, frozenset())
    assert "speeds" not in [each.what for each in told]


@pytest.mark.parametrize("wrong", range(20, 31))
def test_one_wrong_speed_is_no_other_unit(wrong: int) -> None:
    going = ride(SHORT.changed(rise=2.0))
    going.until(Phase.HOLD)
    for tick in range(60):
        velocity = np.zeros(len(DOG.joints))
        velocity[3] = 60.0 if tick == wrong else 0.0
        going.step(**lively(), velocity=velocity)
    assert going.controller.phase is Phase.HOLD


@pytest.mark.parametrize("joints", [True, False])
def test_an_old_state_that_is_counted_on_is_told_by_its_imu_while_gains_rise(joints: bool) -> None:
    going = ride(SHORT.changed(measure=1.0, rise=2.0))
    while going.controller.phase is not Phase.HOLD:
        going.step(**lively())
    for _ in range(20):
        going.step(**lively())
    assert going.controller.phase is Phase.HOLD
    old, still = lively(), 0
    while going.controller.phase is Phase.HOLD and still < 100:
        still += 1
        more = {} if joints else {"position": going.angles + 1e-4 * NOISE.standard_normal(len(DOG.joints))}
        going.step(**old, **more)
    assert still <= 32
    assert going.controller.phase is (Phase.DAMP if joints else Phase.FADE)
    told = "joints, gyro and accelerometer" if joints else "gyro and accelerometer"
    assert going.controller.failure.startswith(f"{told} read the same to the last bit for 0.3")
    assert going.controller.failure.endswith("an old state is sent again and again")


def test_an_old_state_that_comes_while_it_is_measured_forbids_arming() -> None:
    old = None
    going = ride(SHORT.changed(measure=1.0))
    for tick in range(110):
        old = lively() if tick < 60 else old
        going.step(**(old or {}))
    assert "not armed: imu: joints, gyro and accelerometer read the same to the last bit for 0.4" in (
        going.controller.failure
    )
    assert all(not command.vector[12:].any() for command in going.commands)


def test_sensors_that_may_repeat_themselves_are_not_called_old() -> None:
    """A robot without an IMU, one whose IMU is read seldom, and a simulated one that comes to rest bit by bit."""

    def told(fields: tuple[str, ...], give: Any) -> str:
        watch, said = FrozenImuWatch(fields), ""
        for tick in range(600):
            said = said or watch.see(sensors_of(DOG, 0.01 * tick, DOG.posture("stand"), **give(tick)))
        return said

    both = ("gyro", "accelerometer")
    assert told((), lambda tick: {}) == ""
    seldom = [lively() for _ in range(60)]
    assert told(both, lambda tick: seldom[tick // 10]) == ""
    assert told(both, lambda tick: seldom[min(tick // 5, 40)]) != ""

    def resting(tick: int) -> dict[str, Any]:
        swing = np.float32(0.3 * np.exp(-0.1 * tick) * np.cos(tick))
        return {"gyro": (0.0, swing, 0.0), "accelerometer": (np.float32(9.81 * swing), 0.0, np.float32(9.81))}

    assert told(both, resting) == ""
    assert told(both, lambda tick: resting(0 if tick > 300 else tick) | (lively() if tick < 300 else {})) != ""


def test_one_wrong_angle_while_gains_rise_is_passed_over_and_told() -> None:
    going = ride(SHORT.changed(rise=1.0))
    going.until(Phase.HOLD)
    for tick in range(110):
        position = going.angles.copy()
        position[4] += 0.5 if tick == 30 else 0.0
        going.step(**lively(), position=position)
    assert not going.controller.failure
    assert going.controller.phase is not Phase.HOLD
    texts = [event.text for event in going.controller.take_events()]
    assert [text for text in texts if "passed over" in text] == [
        f"{DOG.joint_names[4]} read 0.50 rad away from its place (limit 0.15) in the midst of others: passed over,"
        " as it came back"
    ]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda tick: 0.5 if tick >= 30 else 0.0, "its encoder has slipped, or its slot is another joint's now"),
        (
            lambda tick: 0.5 if tick % 8 == 7 else 0.0,
            "and so it did 5 times: look at its encoder, its plug and its wire",
        ),
        (lambda tick: 0.02 * max(tick - 30, 0), "it is loaded, or commands reach another joint or the other way"),
    ],
)
def test_an_angle_that_stays_away_is_told_by_how_it_came_there(wrong: Any, words: str) -> None:
    going = ride(SHORT.changed(rise=1.0))
    going.until(Phase.HOLD)
    for tick in range(60):
        position = going.angles.copy()
        position[4] += wrong(tick)
        going.step(**lively(), position=position)
        if going.controller.failure:
            break
    assert words in going.controller.failure
    assert going.controller.failure.startswith(DOG.joint_names[4])
    assert going.controller.phase is Phase.DAMP


def test_a_robot_that_is_only_let_go_of_is_held_where_several_readings_say_it_is() -> None:
    going = ride(only="release")
    position = going.angles.copy()
    position[4] += 0.5
    going.step(position=position)
    going.until(Phase.FADE)
    held = [command.position[4] for command in going.commands if command.kp.any()]
    np.testing.assert_allclose(held, DOG.posture("stand")[4], atol=1e-9)


def test_a_joint_that_is_measured_beyond_its_limits_is_not_turned_to_them_when_it_is_let_go_of() -> None:
    """Holding a robot where it is began with all strength at its limits, by up to 1 rad from where the joint was."""
    start = DOG.posture("stand")
    start[0], start[3] = DOG.upper[0] + 0.7, DOG.upper[3] + 0.02
    going = ride(start=start, only="release")
    going.until(Phase.OFF)
    stiff = np.array([command.kp for command in going.commands])
    assert not stiff[:, 0].any()
    assert stiff[:, 1:].any(axis=0).all()
    np.testing.assert_allclose(going.angles, np.where(np.arange(len(start)) == 3, DOG.upper[3], start), atol=1e-9)
    told = [event.text for event in going.controller.take_events()]
    assert "not held, as they are measured beyond their limits: FL_roll at 1.30 rad (-0.60 to 0.60)" in told


def test_an_end_while_gains_rise_lets_a_robot_go_where_it_was_found() -> None:
    start = DOG.posture("stand") + 0.2
    going = ride(SHORT.changed(sit="stand", rise=1.0), start)
    going.until(Phase.HOLD)
    for _ in range(30):
        going.step()
    going.controller.release("interrupted")
    share = going.commands[-1].kp.max()
    going.until(Phase.OFF)
    assert Phase.RELEASE not in going.phases
    assert max(command.kp.max() for command in going.commands) <= share + 1e-9
    np.testing.assert_allclose(going.angles, start, atol=1e-9)


def test_an_imu_of_which_nothing_is_believed_is_told_as_that_and_not_by_the_zeros_that_stand_for_it() -> None:
    """`arm` needs no IMU; one whose orientation is zeros was told as an accelerometer of 0 m/s^2 with a wrong unit."""
    going = ride()
    nothing = {"orientation": (1.0, 0.0, 0.0, 0.0), "accelerometer": 0.0}
    going.until(Phase.OFF, **nothing)
    assert going.controller.failure.startswith("not armed: imu: its readings are all zeros, or none of them can be")
    assert "|" not in going.controller.failure


def test_a_quaternion_of_zeros_is_no_wrong_sign() -> None:
    """As of a robot whose estimator has not begun."""
    readings = [
        sensors_of(DOG, tick * DOG.tick, DOG.posture("stand"), orientation=0.0, **steps(tick)) for tick in range(20)
    ]
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), Vitals(), frozenset())}
    assert found["vertical"].text == "orientation has a length of 0, and that of a turn is 1"
    assert found["gravity"].good


def steps(tick: int) -> dict[str, Any]:
    """An IMU at rest whose last digits go to and fro."""
    return {"gyro": 1e-3 * (-1.0) ** tick, "accelerometer": (0.0, 0.0, 9.81 + 1e-3 * (tick % 3))}


def test_an_imu_that_is_lost_while_gains_rise_is_no_old_state() -> None:
    going = ride(SHORT.changed(rise=5.0))
    going.until(Phase.HOLD, **lively())
    for _ in range(40):
        going.step(**lively())
    for _ in range(400):
        going.step(orientation=(1.0, 0.0, 0.0, 0.0), gyro=0.0, accelerometer=0.0)
        if going.controller.failure:
            break
    assert going.controller.failure.startswith("nothing of its IMU was believed for ")
    assert "old state" not in going.controller.failure
