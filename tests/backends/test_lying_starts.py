"""Lying starts: at rest, the right side down, whatever the floor; and how posture and drop are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.backend import BackendError, DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.placement import posture_noise, start_orientation
from andante.backends.world import Carpet, Lying, Settle, Start, WorldConfig
from andante.robots.robot import Robot
from andante.spatial.rotations import angle_between, from_rpy

DOWN = {"prone": (1, 0), "supine": (-1, 0), "left": (0, 1), "right": (0, -1)}


@pytest.mark.parametrize("lying", list(DOWN))
@pytest.mark.parametrize("world", [{"friction": 0.2}, {"friction": 1.4}, {"carpet": Carpet(), "slope": 0.09}])
def test_lies_at_rest_on_the_right_side(nao: Robot, lying: Lying, world: dict[str, object]) -> None:
    made = MujocoWorld(nao, WorldConfig.model_validate({"start": Start(lying=lying), **world}))
    for seed in range(4):
        made.reset(seed)
        truth, sensors = made.truth(), made.read()
        assert made.time == sensors.time == 0.0
        # Upwards as the IMU feels it, in the torso's x and y; 60 degrees are allowed, and a slope of 5.
        up = sensors.accelerometer[:2] / np.linalg.norm(sensors.accelerometer)
        assert -up @ DOWN[lying] > 0.45
        assert truth["base_height"][0] < 0.15
        assert truth["other_contacts"][0] >= 1
        assert np.abs(truth["qvel"][:3]).max() < 0.1
        assert truth["energy"][0] == 0.0
        assert not made.read().effort.any()


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_drop_whose_physics_diverges_is_made_anew(nao: Robot, monkeypatch: pytest.MonkeyPatch, failures: int) -> None:
    world = MujocoWorld(nao, WorldConfig(start=Start(lying="prone")))
    settle, drops = world._resting._settle, []

    def drop(*arguments: object, **named: object) -> None:
        drops.append(world.data.qpos.copy())
        if len(drops) <= failures:
            world.data.qvel[:] = 1e9
            world._diverged("planted")
        settle(*arguments, **named)

    monkeypatch.setattr(world._resting, "_settle", drop)
    if failures == 3:
        with pytest.raises(DivergenceError, match="planted"):
            world.reset(4)
        return
    world.reset(4)
    assert len(drops) >= failures + 1
    assert not np.array_equal(drops[0][3:7], drops[1][3:7])
    assert np.abs(world.truth()["qvel"]).max() < 0.1
    world.advance(nao.tick)


def test_the_first_command_ends_the_rest(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig(start=Start(lying="prone"), command_delay=2))
    command = nao.command()
    command.position[:] = world.read().position
    command.position[nao.index("LKneePitch")] += 0.5
    command.kp[:], command.kd[:] = nao.servo_kp, nao.servo_kd
    efforts = []
    for _ in range(4):
        world.write(command)
        world.advance(nao.tick)
        efforts.append(np.abs(world.read().effort).max())
    assert efforts[:2] == [0.0, 0.0]
    assert efforts[3] > 0.5


def test_posture_noise_by_joint_group_and_pattern(nao: Robot) -> None:
    def noise(**fields: object) -> np.ndarray:
        return posture_noise(nao, Start.model_validate(fields))

    assert not noise().any()
    assert (noise(posture_noise=0.1, noise_scale=2.0) == 0.2).all()
    named = noise(posture_noise={"left_leg": 0.2, "*Shoulder*": 0.5, "LKneePitch": 0.1})
    assert named[nao.index("LHipPitch")] == 0.2
    assert named[nao.index("LKneePitch")] == 0.1
    assert named[nao.index("RKneePitch")] == 0.0
    assert named[nao.index("RShoulderRoll")] == 0.5
    usual = noise(lying="prone", noise_scale=1.6)
    assert usual[nao.index("LShoulderPitch")] == pytest.approx(math.radians(48.0))
    assert usual[nao.index("RAnklePitch")] == pytest.approx(math.radians(24.0))
    assert usual[nao.index("HeadYaw")] == 0.0
    with pytest.raises(BackendError, match="posture noise for something that the robot does not have; got 'left_leg_'"):
        noise(posture_noise={"left_leg_": 0.1})


@pytest.mark.parametrize("lying", list(DOWN))
def test_the_drop_is_tilted_as_asked(lying: Lying) -> None:
    level = start_orientation(Start(lying=lying, noise_scale=0.0), np.eye(3), np.random.default_rng(0))
    settle = Settle(pitch_noise=math.radians(8.0), roll_noise=math.radians(12.0))
    angles = []
    for seed in range(200):
        turned = start_orientation(Start(lying=lying, settle=settle), np.eye(3), np.random.default_rng(seed))
        angles.append(float(angle_between(level, turned)))
    assert max(angles) < math.radians(14.6)
    assert max(angles) > math.radians(12.0)


def test_a_standing_robot_may_settle_too(biped: Robot) -> None:
    start = Start(settle=Settle(duration=0.6, held=0.6, stiffness=1.0, pitch_noise=0.0, roll_noise=0.0))
    world = MujocoWorld(biped, WorldConfig(start=start))
    assert world.time == 0.0
    assert world.read().contact.all()
    assert world.truth()["base_height"][0] == pytest.approx(0.25, abs=0.002)


def test_orientation_on_a_slope_is_relative_to_the_floor() -> None:
    floor = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    turned = start_orientation(Start(roll=0.3), floor, np.random.default_rng(0))
    assert float(angle_between(turned, from_rpy((0.3, 0.0, math.pi / 2)))) == pytest.approx(0.0, abs=1e-7)


def test_a_robot_that_cannot_lie_so_is_told(ball: Robot) -> None:
    # Turned upright from its left side it never lies on it.
    start = Start(lying="left", roll=math.pi / 2, settle=Settle(duration=0.05))
    message = r"start\.lying: the robot does not stay lying as asked in 120 drops; got 'left'"
    with pytest.raises(BackendError, match=message):
        MujocoWorld(ball, WorldConfig(start=start))


def test_same_seed_same_rest(nao: Robot) -> None:
    config = WorldConfig(start=Start(lying="left"), friction=(0.4, 1.0))
    records = []
    for seed in (5, 6, 5):
        world = MujocoWorld(nao, config)
        world.reset(seed)
        records.append(world.read().vector.tobytes() + world.truth().vector.tobytes())
    assert records[0] == records[2] != records[1]


def test_the_delay_is_drawn_in_whole_ticks(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig(command_delay=(1, 3), fixed_base=True, start=Start(height=1.0)))
    delays = set()
    for seed in range(30):
        world.reset(seed)
        command = biped.command()
        command.torque[:] = 1.0
        for tick in range(5):
            world.write(command)
            world.advance(biped.tick)
            if world.read().effort[1] == pytest.approx(1.0):
                delays.add(tick)
                break
    assert delays == {1, 2, 3}
