"""Which drives do not give the torque that they are asked for, by numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from andante.control.quadruped.drive_watch import DriveWatch
from andante.robots.robot import Robot
from andante.runs.quadruped.torque_driven import torque_driven

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

    def ticks(self, count: int, torque: float = 0.4, speed: float = 0.0) -> list[list[int]]:
        """Joints that are lost at each tick; the torque is a share of the limit."""
        found = []
        for _ in range(count):
            sensors, command = self.robot.sensors(), self.robot.command()
            sensors.velocity[:] = speed
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


def test_the_kernel_follows_the_sentences_of_its_class() -> None:
    """Against numpy on whole rows, with random commands and readings."""
    robot = Robot.load("spirit40")
    share, memory, least = 0.2, 0.03, 0.1
    watch = DriveWatch(robot, share, memory, least)
    random = np.random.default_rng(3)
    limits, gain = robot.max_effort, robot.tick / memory
    corner, no_load = np.array([servo.torque_speed or (np.inf, np.inf) for servo in robot.servos]).T
    asked, given, alive = np.zeros(12), np.zeros(12), np.zeros(12, dtype=bool)
    commands, found = [], 0
    for tick in range(400):
        command = robot.command(random.normal(size=60) * np.repeat([0.3, 2.0, 20.0, 1.0, 5.0], 12))
        sensors = robot.sensors(random.normal(size=robot.sensors_layout.size) * 3.0)
        if len(commands) > robot.delay_ticks:
            held = commands[tick - robot.delay_ticks - 1]
            wanted = held.kp * (held.position - sensors.position) + held.torque
            wanted += held.kd * (held.velocity - sensors.velocity)
            wanted = np.clip(wanted, -limits, limits)
            sign = np.sign(wanted)
            with np.errstate(invalid="ignore"):
                part = np.where(np.isfinite(no_load), (no_load - sign * sensors.velocity) / (no_load - corner), 1.0)
            size = np.minimum(np.abs(wanted), np.clip(part, 0.0, 1.0) * limits)
            # Half of the drives give what they are asked for until the middle of the run.
            sensors.effort[:] = np.where((np.arange(12) % 2 == 0) | (tick < 200), sign * size, 0.0)
            asked += gain * (size - asked)
            given += gain * (sign * sensors.effort - given)
            judged = asked > least * limits
            alive |= judged & (given > 0.5 * asked)
            expected = np.flatnonzero(judged & alive & (given < share * asked))
            assert watch.lost(sensors).tolist() == expected.tolist()
            found += len(expected)
        else:
            assert watch.lost(sensors).size == 0
        watch.commanded(command)
        commands.append(command)
    assert found > 500
