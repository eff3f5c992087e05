"""Replay of a log: sensors in order, commands compared bit by bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.backend import Backend, BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.replay import Frame, LogReplay, Mismatch
from andante.backends.world import SensorNoise, WorldConfig
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot


def sway(robot: Robot, sensors: Sensors) -> Command:
    """A controller without state: sway about the measured position."""
    command = robot.command()
    command.position[:] = sensors.position + 0.05 * np.sin(3.0 * sensors.time)
    command.kp[:] = robot.servo_kp
    command.kd[:] = robot.servo_kd
    return command


@pytest.fixture(scope="module")
def frames(biped: Robot) -> list[Frame]:
    world = MujocoWorld(biped, WorldConfig(noise=SensorNoise(position=0.01, gyro=0.01)))
    world.reset(3)
    recorded = []
    for _ in range(30):
        sensors = world.read()
        command = sway(biped, sensors)
        recorded.append(Frame(sensors.vector, command.vector))
        world.write(command)
        world.advance(biped.tick)
    return recorded


def drive(replay: LogReplay) -> None:
    while not replay.finished:
        replay.write(sway(replay.robot, replay.read()))
        replay.advance(replay.robot.tick)


def test_the_same_controller_says_the_same(biped: Robot, frames: list[Frame]) -> None:
    replay = LogReplay(biped, frames)
    assert isinstance(replay, Backend)
    seen = []
    while not replay.finished:
        assert replay.time == frames[len(seen)].sensors[0]
        seen.append(replay.read().vector.tobytes())
        replay.write(sway(biped, replay.read()))
        replay.advance(biped.tick)
    assert seen == [frame.sensors.tobytes() for frame in frames]
    assert replay.mismatches == []
    assert replay.mismatch_count == 0
    assert replay.truth() is None


def test_the_first_differing_value_is_named(biped: Robot, frames: list[Frame]) -> None:
    wrong = [Frame(frame.sensors, frame.command.copy()) for frame in frames if frame.command is not None]
    column = biped.command_layout.columns.index("kp.left_ankle")
    wrong[4].command[column] = np.nextafter(60.0, 61.0)  # type: ignore[index]
    replay = LogReplay(biped, wrong)
    drive(replay)
    assert replay.mismatches == [
        Mismatch(4, float(wrong[4].sensors[0]), "kp.left_ankle", float(np.nextafter(60.0, 61.0)), 60.0)
    ]


def test_minus_zero_is_not_zero(biped: Robot, frames: list[Frame]) -> None:
    command = biped.command()
    command.torque[1] = -0.0
    replay = LogReplay(biped, [Frame(frames[0].sensors, command.vector)])
    replay.write(biped.command())
    assert replay.mismatches[0].column == "torque.left_ankle"
    assert math.copysign(1.0, replay.mismatches[0].recorded) == -1.0


def test_all_are_counted_and_some_are_kept(biped: Robot, frames: list[Frame]) -> None:
    zeros = biped.command().vector
    replay = LogReplay(biped, [Frame(frame.sensors, zeros) for frame in frames], keep=3)
    drive(replay)
    assert (len(replay.mismatches), replay.mismatch_count) == (3, 30)
    replay.reset(0)
    assert (replay.mismatches, replay.mismatch_count, replay.finished) == ([], 0, False)


def test_what_was_not_recorded_is_not_compared(biped: Robot, frames: list[Frame]) -> None:
    replay = LogReplay(biped, [Frame(frames[0].sensors)])
    replay.write(biped.command())
    assert replay.mismatch_count == 0


def test_the_log_is_not_changed_through_a_reading(biped: Robot, frames: list[Frame]) -> None:
    before = frames[0].sensors.tobytes()
    LogReplay(biped, frames).read().vector[:] = 0.0
    assert frames[0].sensors.tobytes() == before


def test_bad_logs(biped: Robot, pendulum: Robot, frames: list[Frame]) -> None:
    with pytest.raises(BackendError, match="a log without frames"):
        LogReplay(biped, [])
    with pytest.raises(BackendError, match=r"frame 0: the recorded sensors do not fit the robot; .* limit: float64"):
        LogReplay(pendulum, frames)
    with pytest.raises(BackendError, match="frame 1: the recorded command do not fit"):
        LogReplay(biped, [frames[0], Frame(frames[1].sensors, np.zeros(3))])
    replay = LogReplay(biped, frames[:1])
    with pytest.raises(BackendError, match="the command is for other joints"):
        replay.write(pendulum.command())
    replay.advance(0.012)
    with pytest.raises(BackendError, match=r"the log has ended; got 1; limit: 1 frames"):
        replay.read()
    assert replay.time == frames[0].sensors[0]
