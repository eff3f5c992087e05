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
