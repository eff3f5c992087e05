"""Motion capture: rate, latency, noise, drop-outs, and that it changes nothing for robots without it."""

import math

import numpy as np
import pytest

from andante.backends.motion_capture import Blackout, MotionCapture, PoseNoise
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import SensorNoise, WorldConfig
from andante.robots.robot import Robot
from andante.spatial.rotations import angle_between, from_rpy

_TICK = 0.01


class Moving:
    """A base that moves along x with 1 m/s; reads like MuJoCo's arrays."""

    def __init__(self, noise, seed=0):
        self.place, self.turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self.capture = MotionCapture(noise, self.place, self.turn)
        self.capture.reset(np.random.default_rng(seed))

    def read(self, count):
        rows = np.empty((count, 9))
        for tick in range(count):
            self.place[0] = tick * _TICK
            self.capture.measure(tick * _TICK, rows[tick])
        return rows


def test_without_errors_it_gives_the_pose_of_now():
    rows = Moving(PoseNoise()).read(5)
    np.testing.assert_array_equal(rows[:, 0], rows[:, 7])
    np.testing.assert_array_equal(rows[:, 8], 1.0)


def test_a_pose_arrives_after_its_latency_with_the_time_of_its_capture():
    rows = Moving(PoseNoise(latency=0.03)).read(8)
    assert rows[2, 8] == 0.0  # nothing has arrived yet
    np.testing.assert_allclose(rows[3:, 7], np.arange(5) * _TICK, atol=1e-12)
    np.testing.assert_allclose(rows[3:, 0], rows[3:, 7], atol=1e-12)


def test_a_slow_camera_repeats_its_pose():
    rows = Moving(PoseNoise(period=0.05)).read(20)
    np.testing.assert_allclose(rows[:, 7], np.repeat([0.0, 0.05, 0.10, 0.15], 5), atol=1e-12)
    np.testing.assert_array_equal(rows[:, 8], 1.0)


def test_a_blackout_holds_the_last_pose_and_says_so():
    rows = Moving(PoseNoise(blackouts=(Blackout(time=0.05, duration=0.1),))).read(20)
    np.testing.assert_array_equal(rows[:, 8], [1.0] * 5 + [0.0] * 10 + [1.0] * 5)
    np.testing.assert_allclose(rows[5:15, 0], 0.04)


@pytest.mark.slow
def test_random_blackouts_take_the_share_of_time_that_rate_and_duration_say():
    rows = Moving(PoseNoise(blackout_rate=1.0, blackout_duration=0.2)).read(40_000)
    # A renewal in sight lasts 1 s on average; each blackout 0.2 s, longer where another begins meanwhile.
    assert 1.0 - rows[:, 8].mean() == pytest.approx(1.0 - math.exp(-0.2), abs=0.02)


def test_lost_captures_repeat_the_pose_before():
    times = Moving(PoseNoise(loss=0.25)).read(10_000)[1:, 7]
    assert np.mean(np.diff(times) == 0.0) == pytest.approx(0.25, abs=0.02)


def test_noise_has_the_declared_size():
    noise = PoseNoise(position=0.003, orientation=math.radians(0.5))
    base = Moving(noise)
    base.turn[:] = from_rpy([0.3, -0.2, 1.0])
    rows = base.read(4000)
    error = rows[:, :3] - np.column_stack([rows[:, 7], np.zeros((4000, 2))])
    np.testing.assert_allclose(error.std(axis=0), 0.003, rtol=0.05)
    angles = angle_between(rows[:, 3:7], base.turn)
    assert np.sqrt(np.mean(angles**2)) == pytest.approx(math.sqrt(3.0) * math.radians(0.5), rel=0.05)


def test_the_world_measures_the_base_and_one_seed_decides_it():
    robot = Robot.load("littledog")
    config = WorldConfig(noise=SensorNoise(pose=PoseNoise(position=0.003)))
    world = MujocoWorld(robot, config)

    def read(seed):
        world.reset(seed)
        world.advance(_TICK)
        return world.read()

    one, again, other = read(1), read(1), read(2)
    assert one.tracked
    assert one.pose_valid
    assert one.pose_time == _TICK
    np.testing.assert_array_equal(one.vector, again.vector)
    assert not np.array_equal(one.pose_position, other.pose_position)
    np.testing.assert_allclose(one.pose_position, world.truth()["qpos"][:3], atol=0.02)


def test_motion_capture_leaves_all_other_readings_as_they_were():
    config = WorldConfig(noise=SensorNoise(gyro=0.01, imu_loss=0.2, pose=PoseNoise(position=0.003, loss=0.1)))
    robot = Robot.load("ers7")
    rows = []
    for each in (robot, robot.tracked()):
        world = MujocoWorld(each, config)
        world.reset(3)
        world.advance(0.008)
        rows.append(world.read())
    plain, tracked = rows
    assert not plain.tracked
    size = plain.layout.size
    assert tracked.layout.columns[:size] == plain.layout.columns
    gyro = plain.layout.slices["gyro"]
    np.testing.assert_array_equal(np.delete(tracked.vector[:size], np.r_[gyro]), np.delete(plain.vector, np.r_[gyro]))


def test_the_robot_keeps_everything_else():
    robot = Robot.load("littledog")
    assert robot.motion_capture
    assert robot.tracked() is robot
    spirit = Robot.load("ers7")
    assert spirit.tracked().joint_names == spirit.joint_names
