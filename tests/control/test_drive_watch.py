"""Which drives do not give what they are asked for, however late that shows, by numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.quadruped.drive_watch import DriveWatch
from andante.robots.robot import Robot
from andante.runs.tasks.quadruped.torque_driven import torque_driven

KNEE = 2


@pytest.fixture(scope="module", name="robot")
def _robot() -> Robot:
    return torque_driven(Robot.load("spirit40"))


class Bench:
    """A robot on a bench: every drive is asked for one torque, and measures a share of it."""

    def __init__(self, robot: Robot, share: float = 0.2, least: float = 0.1) -> None:
        self.robot = robot
        # Ten ticks are the time constant.
        self.watch = DriveWatch(robot, share, 10.0 * robot.tick, least)
        self.share = np.ones(12)
        self.tick = 0

    def ticks(self, count: int, torque: float = 0.4, speed: float = 0.0) -> list[list[int]]:
        """Joints that are lost at each tick; the torque is a share of the limit."""
        found = []
        for _ in range(count):
            sensors, command = self.robot.sensors(), self.robot.command()
            self.tick += 1
            sensors.vector[0], sensors.velocity[:] = self.tick * self.robot.tick, speed
            command.torque[:] = torque * self.robot.max_effort
            sensors.effort[:] = self.share * command.torque
            found.append(self.watch.lost(sensors).tolist())
            self.watch.commanded(command)
        return found


def test_a_drive_that_stops_giving_torque_is_lost_after_the_mean_has_come_down(robot: Robot) -> None:
    bench = Bench(robot)
    assert not any(bench.ticks(100))
    bench.share[KNEE] = 0.0
    found = bench.ticks(40)
    # The mean falls as 0.9^n of the asked torque, below a fifth at n = 16: 0.9^15 = 0.206, 0.9^16 = 0.185.
    assert [not each for each in found[:15]] == [True] * 15
    assert found[15:] == [[KNEE]] * 25


def test_a_weak_drive_is_none_that_is_lost(robot: Robot) -> None:
    bench = Bench(robot)
    bench.ticks(100)
    bench.share[:] = 0.4
    assert not any(bench.ticks(200))


def test_drives_that_never_told_their_torque_are_not_judged(robot: Robot) -> None:
    bench = Bench(robot)
    bench.share[:] = 0.0
    assert not any(bench.ticks(200))


def test_little_torque_judges_nobody(robot: Robot) -> None:
    bench = Bench(robot)
    bench.ticks(100)
    bench.share[:] = 0.0
    bench.ticks(100, torque=0.0)
    assert not any(bench.ticks(100, torque=0.09))


def test_none_is_lost_where_no_share_is_asked(robot: Robot) -> None:
    bench = Bench(robot, share=0.0)
    bench.ticks(100)
    bench.share[:] = 0.0
    assert not any(bench.ticks(200))


def test_what_the_torque_speed_limit_takes_is_not_missed(robot: Robot) -> None:
    servos = tuple(replace(servo, torque_speed=(10.0, 20.0)) for servo in robot.servos)
    bench = Bench(replace(robot, servos=servos))
    bench.ticks(100)
    # At 19 of 20 rad/s a tenth of the limit can be driven: less than 0.8, and just what is judged.
    bench.share[:] = 0.125
    assert not any(bench.ticks(200, torque=0.8, speed=19.0))


def test_it_forgets_all_at_a_reset(robot: Robot) -> None:
    bench = Bench(robot)
    bench.ticks(100)
    bench.share[:] = 0.0
    assert any(bench.ticks(40))
    bench.watch.reset()
    assert not any(bench.ticks(40))


class Walk:
    """A robot whose legs are asked for changing torques, which show in the readings some ticks later.

    Args:
        lag: Ticks from a command to the reading that shows it, by the number of the reading.
        share: A drive is lost that gives less.
    """

    def __init__(self, robot: Robot, lag: Callable[[int], int], share: float = 0.2) -> None:
        self.robot, self.lag = robot, lag
        self.watch = DriveWatch(robot, share, 0.03, 0.1)
        self.share = np.ones(12)
        self.phases = np.linspace(0.0, 6.0, 12)
        self.asked: list[np.ndarray] = []
        self.shaking = False

    def ticks(self, count: int) -> list[list[int]]:
        """Joints that are lost at each tick."""
        found = []
        for _ in range(count):
            number = len(self.asked)
            sensors, command = self.robot.sensors(), self.robot.command()
            sensors.vector[0] = number * self.robot.tick
            shown = self.asked[max(number - self.lag(number), 0)] if number else np.zeros(12)
            sensors.effort[:] = self.share * shown
            found.append(self.watch.lost(sensors).tolist())
            # A trot: half a period of load, half a period of swing with torques that change their sign quickly.
            turn = 2.0 * np.pi * number * self.robot.tick / 0.36 + self.phases
            share = np.where(np.sin(turn) > 0.0, 0.5 * np.sin(turn) ** 0.5, 0.3 * np.sin(5.0 * turn))
            if self.shaking:
                share[KNEE] = 0.5 if number // 2 % 2 else -0.5
            command.torque[:] = np.nan_to_num(share) * self.robot.max_effort
            self.asked.append(command.torque.copy())
            self.watch.commanded(command)
        return found


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("lag", range(1, 13))
def test_drives_that_answer_late_are_not_lost_and_the_lag_is_measured(robot: Robot, lag: int) -> None:
    walk = Walk(robot, lambda _: lag)
    assert not any(walk.ticks(1000))
    assert walk.watch.lag == pytest.approx(lag * robot.tick)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:invalid value")
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 9), st.integers(0, 5), st.integers(0, 2**20))
def test_uneven_lags_make_no_drive_lost(robot: Robot, least: int, spread: int, seed: int) -> None:
    lags = least + np.random.default_rng(seed).integers(spread + 1, size=800)
    walk = Walk(robot, lambda number: int(lags[number]))
    assert not any(walk.ticks(800))


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(("before", "after"), [(2, 9), (9, 2), (3, 14), (14, 3)])
def test_a_lag_that_changes_makes_no_drive_lost(robot: Robot, before: int, after: int) -> None:
    walk = Walk(robot, lambda number: before if number < 400 else after)
    assert not any(walk.ticks(800))
    assert walk.watch.lag == pytest.approx(after * robot.tick)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("lag", [2, 6, 10])
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_dead_drive_is_found_whatever_the_lag(robot: Robot, lag: int, share: float) -> None:
    for begin in range(400, 580, 30):
        walk = Walk(robot, lambda _: lag)
        assert not any(walk.ticks(begin))
        walk.share[KNEE] = share
        found = walk.ticks(150)
        assert {joint for each in found for joint in each} == {KNEE}
        # Half of the time its leg swings, with little torque to be judged by.
        assert next(n for n, each in enumerate(found) if each) * robot.tick < 0.25


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_reading_that_comes_twice_counts_once(robot: Robot) -> None:
    once, twice = Walk(robot, lambda _: 4), Walk(robot, lambda _: 4)
    lost = twice.watch.lost
    twice.watch.lost = lambda sensors: (lost(sensors), lost(sensors))[1]  # type: ignore[method-assign]
    once.ticks(300), twice.ticks(300)
    once.share[KNEE] = twice.share[KNEE] = 0.0
    assert once.ticks(100) == twice.ticks(100)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("seed", range(6))
def test_a_torque_that_shakes_under_uneven_readings_makes_no_drive_lost(robot: Robot, seed: int) -> None:
    """A knee whose torque turns round every few ticks, read 3 to 5 ticks late: no one lag fits it."""
    lags = 3 + np.random.default_rng(seed).integers(3, size=900)
    walk = Walk(robot, lambda number: int(lags[number]))
    assert not any(walk.ticks(500))
    walk.shaking = True
    assert not any(walk.ticks(300))
    # A knee that then gives nothing is found all the same.
    walk.share[KNEE] = 0.0
    assert {joint for each in walk.ticks(100) for joint in each} == {KNEE}


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_drive_that_turns_the_wrong_way_is_lost(robot: Robot) -> None:
    walk = Walk(robot, lambda _: 4)
    assert not any(walk.ticks(500))
    walk.share[KNEE] = -1.0
    assert {joint for each in walk.ticks(150) for joint in each} == {KNEE}


def test_never_means_never_also_for_torques_against_what_is_asked(robot: Robot) -> None:
    bench = Bench(robot, share=0.0)
    bench.ticks(100)
    bench.share[:] = -1.0
    assert not any(bench.ticks(200))


def test_the_kernels_follow_the_sentences_of_their_class() -> None:
    """Against numpy on whole rows, with random commands and readings."""
    robot = Robot.load("spirit40")
    share, memory, least, longest = 0.2, 0.03, 0.1, 0.016
    watch = DriveWatch(robot, share, memory, least, longest)
    random = np.random.default_rng(3)
    limits, gain = robot.max_effort, robot.tick / memory
    corner, no_load = np.array([servo.torque_speed or (np.inf, np.inf) for servo in robot.servos]).T
    lags = max(round(longest / robot.tick), robot.delay_ticks + 2)
    asked, given, apart = np.zeros((lags, 12)), np.zeros((lags, 12)), np.zeros((lags, 12))
    alive, mean = np.zeros(12, dtype=bool), np.zeros(12)
    commands, found = [], 0
    for tick in range(500):
        command = robot.command(random.normal(size=60) * np.repeat([0.3, 2.0, 20.0, 1.0, 5.0], 12))
        sensors = robot.sensors(random.normal(size=robot.sensors_layout.size) * 3.0)
        sensors.vector[0] = tick * robot.tick
        if len(commands) >= lags:
            for lag in range(lags):
                held = commands[tick - 1 - lag]
                wanted = held.kp * (held.position - sensors.position) + held.torque
                wanted += held.kd * (held.velocity - sensors.velocity)
                wanted = np.clip(wanted, -limits, limits)
                sign = np.sign(wanted)
                with np.errstate(invalid="ignore"):
                    part = np.where(np.isfinite(no_load), (no_load - sign * sensors.velocity) / (no_load - corner), 1.0)
                size = np.minimum(np.abs(wanted), np.clip(part, 0.0, 1.0) * limits)
                if lag == 0:
                    # Half of the drives give what they are asked for until the middle of the run.
                    sensors.effort[:] = np.where((np.arange(12) % 2 == 0) | (tick < 250), sign * size, 0.0)
                asked[lag] += gain * (size - asked[lag])
                given[lag] += gain * (sign * sensors.effort - given[lag])
                apart[lag] += gain * (np.minimum(np.abs(size - sign * sensors.effort) / limits, 0.1) - apart[lag])
            mean += gain * (np.abs(sensors.effort) - mean)
            fits = apart.mean(axis=1)
            plausible = fits <= 1.5 * fits.min() + 0.005
            judged = asked > least * limits
            alive |= (judged & plausible[:, None] & (given > 0.5 * asked)).any(axis=0)
            explained = (judged & (given >= share * asked)) | (plausible[:, None] & ~judged)
            explained |= plausible[:, None] & (mean >= share * asked) & (given > -0.5 * mean)
            expected = np.flatnonzero(alive & ~explained.any(axis=0))
            assert watch.lost(sensors).tolist() == expected.tolist()
            found += len(expected)
        else:
            assert watch.lost(sensors).size == 0
        watch.commanded(command)
        commands.append(command)
    assert found > 100


def test_single_drives_are_named_only_where_some_lag_explains_the_others(robot: Robot) -> None:
    bench = Bench(robot)
    bench.ticks(100)
    bench.share[KNEE] = 0.0
    bench.ticks(60)
    # One of twelve differs by the cap of a tenth of its limit: a mean of 0.0083, and 0.0183 are allowed for one.
    assert bench.watch.explains(1)
    bench.share[:6] = 0.5
    bench.ticks(60)
    # Six differ by a tenth or more: 0.05 is more than one drive and the rest's noise can be.
    assert not bench.watch.explains(1)
    assert bench.watch.explains(6)
