"""Servos: the PD law, limits, delay, rate limit, feed-forward, coupling."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.backends.backend import BackendError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, SensorNoise, Start, WorldConfig
from andante.robots.records import Command
from andante.robots.robot import Robot

STILL = (0.0, 0.0, 0.0)


def stand(robot: Robot, **fields: object) -> MujocoWorld:
    """A robot on a test stand without gravity."""
    values = {"fixed_base": True, "gravity": STILL, "command_delay": 0, "start": Start(height=2.0)}
    return MujocoWorld(robot, WorldConfig(**{**values, **fields}))  # type: ignore[arg-type]


def ask(robot: Robot, position: float = 0.0, stiffness: float = 1.0, **rows: float) -> Command:
    command = robot.command()
    command.position[:] = position
    command.kp[:] = robot.servo_kp * stiffness
    command.kd[:] = robot.servo_kd * stiffness
    for name, value in rows.items():
        command[name][:] = value
    return command


def test_torque_is_the_pd_law_of_the_state_at_the_step(pendulum: Robot) -> None:
    world = stand(pendulum, timestep=0.001)
    rng = np.random.default_rng(3)
    for _ in range(50):
        kp, kd, position, velocity, tau = rng.uniform([0.1, 0.0, -0.001, -1, -1], [40, 1, 0.001, 1, 1])
        before = world.read()
        position += before.position[0]
        target_before = world.data.ctrl[0]
        world.write(ask(pendulum, position, kp=kp, kd=kd, velocity=velocity, torque=tau))
        world.advance(0.001)
        target = np.clip(position, target_before - 0.006, target_before + 0.006)
        wanted = kp * (target - before.position[0]) + kd * (velocity - before.velocity[0]) + tau
        limit = min(3.0, 3.0 * max(kp / 60, kd / 1.5) + abs(tau))
        assert world.read().effort[0] == pytest.approx(np.clip(wanted, -limit, limit), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.5, 1.3))
def test_torque_never_exceeds_its_limit(biped: Robot, seed: int, strength: float) -> None:
    world = MujocoWorld(biped, WorldConfig(servo_strength=strength, command_delay=0))
    rng = np.random.default_rng(seed)
    limit = np.array([servo.max_torque for servo in biped.servos]) * strength
    for _ in range(20):
        command = biped.command()
        command.position[:] = rng.uniform(-3, 3, 4)
        command.velocity[:] = rng.uniform(-10, 10, 4)
        stiffness = rng.choice([0.0, 0.3, 1.0, 5.0], 4)
        command.kp[:] = biped.servo_kp * stiffness
        command.kd[:] = biped.servo_kd * stiffness
        world.write(command)
        world.advance(biped.tick)
        leader_stiffness = stiffness[[0, 1, 0, 3]]
        effort = np.abs(world.read().effort)
        assert (effort <= limit * np.minimum(leader_stiffness, 1.0) + 1e-9).all()
        assert (np.abs(world.truth()["motor_torque"]) <= limit[[0, 1, 3]] + 1e-9).all()


@pytest.mark.parametrize("delay", [0, 1, 2, 4])
def test_a_command_acts_exactly_its_delay_later(biped: Robot, delay: int) -> None:
    world = stand(biped, command_delay=delay)
    start = world.read().position
    moved = []
    for tick in range(8):
        world.write(ask(biped, 0.3 if tick >= 1 else 0.0))
        world.advance(biped.tick)
        moved.append(bool((world.read().position != start).any()))
    # Written at the begin of tick 1, it acts from the begin of tick 1 + delay and shows at that tick's end.
    assert moved == [False] * (1 + delay) + [True] * (7 - delay)


def test_the_robot_s_delay_is_the_default(biped: Robot) -> None:
    worlds = [stand(biped, command_delay=delay) for delay in (None, 2)]
    for world in worlds:
        world.write(ask(biped, 0.3))
        for _ in range(6):
            world.advance(biped.tick)
    assert worlds[0].read().vector.tobytes() == worlds[1].read().vector.tobytes()


def test_delay_does_not_depend_on_how_time_is_cut(biped: Robot) -> None:
    whole, pieces = stand(biped, command_delay=2), stand(biped, command_delay=2)
    for world in (whole, pieces):
        world.write(ask(biped, torque=0.5, stiffness=0.0))
    whole.advance(0.072)
    for _ in range(36):
        pieces.advance(0.002)
    assert whole.read().position == pytest.approx(pieces.read().position, abs=1e-12)
    assert whole.read().position[1] != 0.0


def test_target_follows_a_step_at_the_servo_s_speed(pendulum: Robot) -> None:
    world = stand(pendulum)
    world.write(ask(pendulum, 0.2))
    targets = []
    for _ in range(5):
        world.advance(0.01)
        targets.append(float(world.data.ctrl[0]))
    assert targets == pytest.approx([0.06, 0.12, 0.18, 0.2, 0.2])


def test_rate_is_the_same_for_short_advances(pendulum: Robot) -> None:
    world = stand(pendulum)
    world.write(ask(pendulum, 1.0))
    for _ in range(10):
        world.advance(0.002)
    assert world.data.ctrl[0] == pytest.approx(0.02 * 6.0)


def test_a_joint_switched_on_again_starts_where_it_is(pendulum: Robot) -> None:
    world = stand(pendulum, gravity=(0.0, 0.0, -9.81), start=Start(height=2.0, posture={"swing": 1.0}))
    world.write(ask(pendulum, 1.0, stiffness=0.0))
    for _ in range(30):
        world.advance(0.01)
    angle = world.read().position[0]
    assert angle < 0.5
    world.write(ask(pendulum, 1.0))
    world.advance(0.002)
    assert world.data.ctrl[0] == pytest.approx(angle + 0.002 * 6.0)


def test_low_stiffness_lowers_torque_but_not_speed(biped: Robot) -> None:
    arrival = {}
    for stiffness in (0.3, 1.0):
        world = stand(biped)
        world.write(ask(biped, 1.0, stiffness=stiffness))
        efforts = []
        while world.read().position[1] < 0.9:
            world.advance(0.002)
            efforts.append(abs(world.read().effort[1]))
        assert max(efforts) <= 8.0 * stiffness + 1e-12
        arrival[stiffness] = world.time
    assert arrival[1.0] >= 0.9 / 6.0
    assert arrival[0.3] < 1.5 * arrival[1.0]


def test_stiffness_does_not_limit_a_torque_drive(quadruped: Robot) -> None:
    world = stand(quadruped)
    wanted = 6.0 * (2.0 - world.read().position)
    world.write(ask(quadruped, 2.0, stiffness=0.1))
    world.advance(0.002)
    assert world.read().effort == pytest.approx(wanted)


def test_feed_forward_alone(quadruped: Robot) -> None:
    world = stand(quadruped)
    command = quadruped.command()
    command.torque[:] = np.linspace(-30.0, 30.0, 12)
    world.write(command)
    world.advance(0.002)
    assert world.read().effort == pytest.approx(np.clip(command.torque, -20.0, 20.0))


def test_damping_alone_brakes(pendulum: Robot) -> None:
    world = stand(pendulum)
    world.data.qvel[0] = 1.0
    mujoco.mj_forward(world.model, world.data)
    world.write(ask(pendulum, stiffness=0.0, kd=0.5))
    world.advance(0.3)
    # Exponential decay with m l^2 / kd = 0.5 * 0.16 / 0.5 = 0.16 s; the implicit integrator is within a per cent.
    assert world.read().velocity[0] == pytest.approx(math.exp(-0.3 / 0.16), rel=0.02)


def test_an_off_joint_has_no_torque(biped: Robot) -> None:
    world = stand(biped)
    world.write(biped.command())
    world.advance(0.012)
    assert not world.read().effort.any()


def test_strength_scales_everything(pendulum: Robot) -> None:
    world = stand(pendulum, servo_strength=0.5)
    world.write(ask(pendulum, stiffness=0.0, torque=2.0))
    world.advance(0.002)
    assert world.read().effort[0] == pytest.approx(1.0)


def test_strength_changed_in_a_run_acts_on_the_held_command(pendulum: Robot) -> None:
    world = stand(pendulum)
    world.write(ask(pendulum, stiffness=0.0, torque=2.0))
    world.advance(0.002)
    world.servos.set_strength(np.array([0.25]))
    world.advance(0.002)
    assert world.read().effort[0] == pytest.approx(0.5)
    world.reset(0)
    world.write(ask(pendulum, stiffness=0.0, torque=2.0))
    world.advance(0.002)
    assert world.read().effort[0] == pytest.approx(2.0)


def test_strengths_are_drawn_per_motor_and_seed(quadruped: Robot) -> None:
    world = stand(quadruped, servo_strength=(0.85, 1.15))
    drawn = []
    for seed in (1, 2, 1):
        world.reset(seed)
        drawn.append(world.servos.strength.copy())
    assert (drawn[0] == drawn[2]).all()
    assert (drawn[0] != drawn[1]).all()
    assert len(set(drawn[0])) == 12
    assert (np.abs(np.array(drawn) - 1.0) <= 0.15).all()


def test_coupled_joints_stay_together_under_load(biped: Robot) -> None:
    # 20 N at one foot, 0.2 m below the hip, twist the left leg alone against a motor that swings.
    push = Push(time=0.2, duration=1.0, force=(20.0, 0.0, 0.0), body="left_foot")
    world = stand(biped, gravity=(0.0, 0.0, -9.81), pushes=(push,))
    worst = 0.0
    for tick in range(100):
        world.write(ask(biped, 0.4 * math.sin(2 * math.pi * tick * 0.012)))
        world.advance(0.012)
        position = world.read().position
        worst = max(worst, abs(position[0] - position[2]))
    assert worst < math.radians(0.5)


def test_small_step_response_is_that_of_a_second_order_system(pendulum: Robot) -> None:
    world = stand(pendulum, timestep=0.00025)
    world.write(ask(pendulum, 0.01))
    positions = []
    for _ in range(2000):
        world.advance(0.00025)
        positions.append(world.read().position[0])
    inertia = 0.5 * 0.4**2
    frequency, ratio = math.sqrt(60.0 / inertia), 1.5 / (2.0 * math.sqrt(60.0 * inertia))
    root = math.sqrt(1.0 - ratio**2)
    # The target crosses 0.01 rad at 6 rad/s in one update of the servo, so it is a step.
    peak = int(np.argmax(positions))
    assert positions[peak] == pytest.approx(0.01 * (1.0 + math.exp(-math.pi * ratio / root)), rel=0.02)
    assert peak * 0.00025 == pytest.approx(math.pi / (frequency * root), rel=0.05)
    assert positions[-1] == pytest.approx(0.01, rel=0.01)


def test_a_command_for_other_joints(pendulum: Robot, biped: Robot) -> None:
    with pytest.raises(BackendError, match="the command is for other joints"):
        stand(pendulum).write(biped.command())


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_not_finite(biped: Robot, value: float) -> None:
    command = biped.command()
    command.kp[2] = value
    with pytest.raises(BackendError, match=r"kp\.right_twist at 0\.000 s: a command must be finite"):
        stand(biped).write(command)


def test_strong_enough_robots_only(pendulum: Robot) -> None:
    weak = dataclasses.replace(pendulum, servos=(dataclasses.replace(pendulum.servos[0], max_torque=0.5),))
    world = stand(weak, gravity=(0.0, 0.0, -9.81), start=Start(height=2.0, posture={"swing": 1.2}))
    # 0.5 kg at 0.4 m needs 1.83 N m at 1.2 rad.
    for _ in range(50):
        world.advance(0.01)
    assert world.read().position[0] < 0.6


def test_noise_of_the_encoders_reaches_the_drives_where_the_world_says_so(pendulum: Robot) -> None:
    """The torque of a held joint scatters by kp n + kd m, and its mean by the encoder's offset; else by nothing."""
    noise = SensorNoise(position=0.002, velocity=0.05, position_offset=0.01)
    efforts: dict[bool, np.ndarray] = {}
    kp, kd = 4.0, 0.3
    for drive_noise in (False, True):
        config = WorldConfig(
            fixed_base=True,
            gravity=(0, 0, 0),
            command_delay=0,
            timestep=0.001,
            noise=noise,
            drive_noise=drive_noise,
            start=Start(height=2.0),
        )
        world = MujocoWorld(pendulum, config)
        world.reset(5)
        rows = []
        for _ in range(3000):
            # The link stays where it is, so that what is left is what the drive reads.
            world.data.qvel[-1] = world.data.qpos[-1] = 0.0
            mujoco.mj_forward(world.model, world.data)
            command = pendulum.command()
            command.kp[:], command.kd[:] = kp, kd
            world.write(command)
            world.advance(0.001)
            rows.append(float(world.data.actuator_force[0]))
        efforts[drive_noise] = np.array(rows)
    assert np.abs(efforts[False]).max() < 1e-9
    offset = world.sensing.joint_offset[0]
    assert abs(offset) > 1e-4
    assert efforts[True].mean() == pytest.approx(-kp * offset, abs=0.002)
    assert efforts[True].std() == pytest.approx(np.hypot(kp * 0.002, kd * 0.05), rel=0.1)
