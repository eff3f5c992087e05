"""The sensor check: what cannot be true is replaced, told, and in the end a reason to stop."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.events import EventKind
from andante.control.plausibility import SensorCheck
from andante.control.sensor_parts import SensorCheckSettings, SensorPart
from andante.robots.parts import Foot
from andante.robots.records import Sensors
from andante.robots.robot import Robot

PERIOD = 0.01


class Run:
    """Reads sensors that move a little, through a check."""

    def __init__(self, robot: Robot, **options: object) -> None:
        self.robot, self.check = robot, SensorCheck(robot, PERIOD, **options)  # type: ignore[arg-type]
        self.tick, self.events = 0, []
        self.command = robot.command()
        self.command.kp[:] = 40.0

    def reading(self) -> Sensors:
        sensors = self.robot.sensors()
        time = self.tick * PERIOD
        sensors.vector[0] = time
        sensors.position[:] = 0.3 * math.sin(5.0 * time) + 0.01 * np.arange(len(self.robot.joints))
        sensors.velocity[:] = 1.5 * math.cos(5.0 * time)
        sensors.effort[:], sensors.health[:] = 0.1, 1.0
        sensors.orientation[0] = 1.0
        sensors.accelerometer[2] = 9.81 + 0.001 * math.sin(time)
        return sensors

    def see(self, change=None) -> Sensors:
        sensors = self.reading()
        if change is not None:
            change(sensors)
        self.command.position[:] = self.reading().position
        out = self.check.apply(sensors, self.command)
        self.events += self.check.take_events()
        self.tick += 1
        return out

    def sees(self, count: int, change=None) -> Sensors:
        for _ in range(count):
            out = self.see(change)
        return out

    @property
    def told(self) -> list[str]:
        return [event.text for event in self.events]


def column(robot: Robot, field: str, index: int, value: float):
    return lambda sensors: sensors[field].__setitem__(index, value)


def test_where_nothing_is_wrong_the_reading_itself_is_passed_on(tiny: Robot) -> None:
    run = Run(tiny)
    for _ in range(200):
        sensors = run.reading()
        assert run.check.apply(sensors, run.command) is sensors
        run.tick += 1
    assert run.check.ready
    assert not run.check.lost
    assert run.check.take_events() == []


@pytest.mark.parametrize(
    ("field", "index", "value", "text"),
    [
        ("position", 1, math.nan, "encoder LShoulderPitch: not finite"),
        ("position", 1, 1e300, "encoder LShoulderPitch: out of range"),
        ("position", 1, 3.1, "encoder LShoulderPitch: out of range"),
        ("position", 1, 1.5, "encoder LShoulderPitch: jump"),
        ("velocity", 2, -math.inf, "speed LShoulderRoll: not finite"),
        ("velocity", 2, 1e5, "speed LShoulderRoll: out of range"),
        ("effort", 0, -1e9, "effort HeadYaw: out of range"),
        ("health", 0, 7.0, "health HeadYaw: out of range"),
        ("orientation", 0, math.nan, "imu: not finite"),
        ("orientation", 0, 0.0, "imu: dead"),
        ("orientation", 0, 0.5, "imu: dead"),
        ("gyro", 2, 300.0, "imu: out of range"),
        ("accelerometer", 2, -2e4, "imu: out of range"),
        ("contact", 1, 2.0, "foot switch right: out of range"),
        ("force", 3, math.nan, "pressure cell right.back: not finite"),
        ("buttons", 0, -3.0, "button head_front: out of range"),
    ],
)
def test_a_wrong_value_is_replaced_by_the_last_good_one_and_told_once(
    tiny: Robot, field: str, index: int, value: float, text: str
) -> None:
    run = Run(tiny)
    good = run.sees(5)
    out = run.see(column(tiny, field, index, value))
    assert out[field][index] == good[field][index]
    other = out.vector.copy()
    other[tiny.sensors_layout.slices[field]] = 0.0
    assert np.isfinite(other).all()
    assert run.told == [text]
    assert not run.check.lost
    # an angle that jumped must repeat itself before it is believed again
    after = run.sees(4 if "jump" in text else 1)
    assert run.told == [text, f"{text} no more"]
    assert [event.kind for event in run.events] == [EventKind.SENSOR, EventKind.SENSOR_OVER]
    assert after.vector == pytest.approx(run.check.apply(run.reading(), None).vector, abs=0.1)


def test_a_joint_that_is_lost_for_longer_is_a_reason_to_stop(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(10)
    lost = column(tiny, "position", 4, math.nan)
    run.sees(25, lost)
    assert not run.check.lost
    run.see(lost)
    assert run.check.lost == "encoder LKneePitch: not finite since 0.10 s"


def test_many_joints_are_counted_and_what_they_share_is_told_in_one(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(10)

    def blind(sensors: Sensors) -> None:
        for field in ("position", "velocity", "effort"):
            sensors[field][:] = math.nan

    run.sees(26, blind)
    assert run.told == ["encoder, speed, effort of 9 joints: not finite"]
    assert run.check.lost == "encoder of 9 joints: not finite since 0.10 s"


def test_the_reason_names_how_it_began_and_one_kind_of_part(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(10)

    def dark(sensors: Sensors) -> None:
        sensors["orientation"][:] = 0.0
        sensors["position"][1] = math.nan

    run.sees(40, dark)
    assert run.check.lost == "encoder LShoulderPitch: not finite since 0.10 s"
    again = Run(tiny, needs=(SensorPart.IMU,))
    again.sees(10)
    again.sees(26, dark)
    assert again.check.lost == "imu: dead since 0.10 s"


def test_parts_that_nobody_needs_read_as_empty_after_a_while(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(10, column(tiny, "contact", 0, 1.0))

    def broken(sensors: Sensors) -> None:
        sensors.contact[0] = sensors.velocity[3] = sensors.effort[3] = sensors.health[3] = math.nan

    short = run.sees(25, broken)
    assert (short.contact[0], short.velocity[3], short.effort[3], short.health[3]) == (
        1.0,
        1.5 * math.cos(0.45),
        0.1,
        1.0,
    )
    long = run.see(broken)
    assert (long.contact[0], long.velocity[3], long.effort[3], long.health[3]) == (0.0, 0.0, 0.0, 1.0)
    assert not run.check.lost


def test_an_angle_that_jumped_is_believed_when_it_goes_on_from_there(tiny: Robot) -> None:
    run = Run(tiny)
    before = run.sees(20)
    # 4 x 5 rad/s in 10 ms and 0.1 rad more: 0.3 rad can have been turned, 0.31 cannot
    assert run.see(lambda sensors: sensors.position.__isub__(0.27)).position[0] != before.position[0]
    assert run.told == []
    run.sees(3)
    off = lambda sensors: sensors.position.__setitem__(2, sensors.position[2] - 0.6)  # noqa: E731
    first = run.sees(3, off)
    assert first.position[2] == pytest.approx(run_angle(23, 2))
    second = run.see(off)
    assert second.position[2] == pytest.approx(run_angle(27, 2) - 0.6)
    assert run.told == ["encoder LShoulderRoll: jump", "encoder LShoulderRoll: jump no more"]


def run_angle(tick: int, joint: int) -> float:
    return 0.3 * math.sin(5.0 * tick * PERIOD) + 0.01 * joint


def test_an_angle_that_jumps_about_is_lost(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(20)
    rng = np.random.default_rng(0)
    run.sees(60, lambda sensors: sensors.position.__setitem__(2, rng.uniform(-2.9, 2.9)))
    assert run.check.lost == "encoder LShoulderRoll: jump since 0.20 s"


def test_encoders_that_stand_while_commands_move_are_frozen(tiny: Robot) -> None:
    run = Run(tiny)
    held = run.sees(20).position.copy()
    # two windows of 0.1 s decide: at most 0.3 s
    run.sees(32, lambda sensors: sensors.position.__setitem__(slice(None), held))
    assert run.told == ["encoder of 9 joints: frozen"]
    assert run.check.lost.startswith("encoder of 9 joints: frozen since 0.")
    still = Run(tiny)
    still.sees(20)
    still.command.kp[:] = 0.0
    still.sees(60, lambda sensors: sensors.position.__setitem__(slice(None), held))
    assert still.told == []


def test_a_thaw_is_told(tiny: Robot) -> None:
    run = Run(tiny, settings=SensorCheckSettings(ride_through=5.0))
    held = run.sees(20).position.copy()
    run.sees(60, lambda sensors: sensors.position.__setitem__(slice(None), held))
    run.sees(2)
    assert run.told == ["encoder of 9 joints: frozen", "encoder of 9 joints: frozen no more"]


def test_an_imu_that_stands_while_joints_move_is_frozen(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(20)
    run.sees(32, lambda sensors: sensors.accelerometer.__setitem__(2, 9.81))
    assert run.told == ["imu: frozen"]
    assert run.check.lost.startswith("imu: frozen since 0.")
    bolted = Run(tiny)
    bolted.sees(200, lambda sensors: sensors.accelerometer.__setitem__(2, 9.81))
    assert bolted.told == []


def test_an_imu_of_a_robot_that_is_held_by_its_base_may_stand_while_its_feet_touch(tiny: Robot) -> None:
    def standing(sensors: Sensors) -> None:
        sensors.accelerometer[2], sensors.contact[:] = 9.81, 1.0

    free = Run(tiny)
    free.sees(200, standing)
    assert free.told == ["imu: frozen"]
    bolted = Run(tiny, held=True)
    bolted.sees(200, standing)
    assert bolted.told == []
    # One that has changed before is looked at as any other.
    noisy = Run(tiny, held=True)
    noisy.sees(30)
    noisy.sees(50, standing)
    assert noisy.told == ["imu: frozen"]


def test_an_accelerometer_that_reads_nothing_any_more_is_told(tiny: Robot) -> None:
    def weightless(sensors: Sensors) -> None:
        sensors.accelerometer[:], sensors.gyro[0] = 0.0, 1e-3 * math.sin(sensors.time)

    run = Run(tiny)
    run.sees(100)
    assert not run.told
    run.sees(60, weightless)
    assert run.told == ["imu: accelerometer at exactly 0"]
    assert run.check.lost.startswith("imu: accelerometer at exactly 0 since 1.0")
    run.sees(2)
    assert run.told[1:] == ["imu: accelerometer at exactly 0 no more"]
    # A robot without one reads zeros from the start.
    without = Run(tiny)
    without.sees(200, weightless)
    assert without.told == []
    # One that falls freely for a moment, too.
    falling = Run(tiny)
    falling.sees(100)
    falling.sees(15, weightless)
    falling.sees(30)
    assert falling.told == []


def four_feet(robot: Robot) -> Robot:
    return dataclasses.replace(robot, feet=tuple(Foot(name, "torso", "imu") for name in ("FL", "FR", "HL", "HR")))


def test_a_switch_that_never_changes_while_all_others_do_is_stuck(tiny: Robot) -> None:
    run = Run(four_feet(tiny))

    def step(sensors: Sensors) -> None:
        # each foot down for 0.2 s and up for 0.2 s
        sensors.contact[:] = run.tick // 20 % 2
        if run.tick < 400:
            sensors.contact[1] = 1.0

    run.sees(120, step)
    assert run.told == []
    run.sees(380, step)
    assert run.told == ["foot switch FR: stuck", "foot switch FR: stuck no more"]


def test_a_foot_that_bounces_makes_no_step_and_two_feet_say_nothing(tiny: Robot) -> None:
    run = Run(four_feet(tiny))
    run.sees(9, lambda sensors: sensors.contact.__setitem__(slice(1, None), run.tick % 2))
    run.sees(200, lambda sensors: sensors.contact.__setitem__(slice(1, None), 1.0))
    assert run.told == []
    two = Run(tiny)
    two.sees(500, lambda sensors: sensors.contact.__setitem__(1, two.tick // 20 % 2))
    assert two.told == []


def test_time_that_stands_still_is_told_and_in_the_end_a_reason_to_stop(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(11)
    stale = lambda sensors: sensors.vector.__setitem__(0, 0.1)  # noqa: E731
    run.sees(3, stale)
    assert run.told == []
    run.see(stale)
    assert run.told == ["clock: stale"]
    run.sees(95, stale)
    assert not run.check.lost
    run.see(stale)
    assert run.check.lost == "clock: stale since 0.10 s"


def test_a_clock_that_is_set_goes_on_from_where_it_stood(tiny: Robot) -> None:
    for shift, text in ((-3.0, "clock: went back by 2.99 s"), (50.0, "clock: jumped ahead by 50 s")):
        run = Run(tiny)
        run.sees(500)
        off = lambda sensors, by=shift: sensors.vector.__setitem__(0, sensors.vector[0] + by)  # noqa: E731
        times = [run.see(off).time for _ in range(4)]
        assert times == pytest.approx([4.99, 5.0, 5.01, 5.02])
        assert run.told == [text, "clock: goes on"]
        assert not run.check.lost


def test_one_wrong_time_is_passed_over(tiny: Robot) -> None:
    for wrong in (-1e300, 1e300, math.nan, math.inf, 0.0):
        run = Run(tiny)
        run.sees(500)
        assert run.see(lambda sensors: sensors.vector.__setitem__(0, wrong)).time == pytest.approx(4.99)  # noqa: B023
        assert run.see().time == pytest.approx(5.01)
        assert run.sees(10).time == pytest.approx(5.11)
        assert not run.check.lost


def test_lost_ticks_are_told_and_an_angle_may_come_farther_meanwhile(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(20)
    run.tick += 30
    out = run.see()
    assert run.told == ["clock: ticks lost by 0.31 s"]
    assert out.position[0] == pytest.approx(run_angle(50, 0))


def test_before_everything_was_read_once_nothing_is_ready(tiny: Robot) -> None:
    run = Run(tiny)
    run.sees(5, column(tiny, "position", 3, math.nan))
    assert not run.check.ready
    run.see()
    assert run.check.ready
    never = Run(tiny)
    out = never.sees(26, column(tiny, "position", 3, math.nan))
    assert math.isnan(out.position[3])
    assert never.check.lost == "encoder LHipYawPitch: not finite since 0.00 s"
    blind = Run(tiny, needs=(SensorPart.ENCODER,))
    out = blind.see(lambda sensors: sensors.orientation.__setitem__(slice(None), math.nan))
    assert blind.check.ready
    assert out.orientation == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_a_loose_plug_does_not_fill_the_log(tiny: Robot) -> None:
    run = Run(tiny)
    for _ in range(40):
        run.sees(3)
        run.see(column(tiny, "effort", 0, math.nan))
    assert len(run.told) == 12


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 0.5))
def test_whatever_is_read_what_is_seen_is_finite_and_in_range(tiny: Robot, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    run = Run(tiny)
    run.sees(3)
    last = 0.02
    for _ in range(60):

        def spoil(sensors: Sensors) -> None:
            hit = rng.random(sensors.vector.size) < share * rng.random()
            sensors.vector[hit] = rng.choice((math.nan, math.inf, -math.inf, 1e308, -1e300, 0.0, 5.0), int(hit.sum()))

        out = run.see(spoil)
        assert np.isfinite(out.vector).all()
        assert (np.abs(out.position) <= 3.0).all()
        assert np.linalg.norm(out.orientation) == pytest.approx(1.0, abs=0.11)
        assert last <= out.time
        last = out.time
