"""Motors whose driving torque falls with speed, against the closed form of a spinning mass."""

from __future__ import annotations

import dataclasses
import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Start, WorldConfig
from andante.control.guard import Guard
from andante.robots.robot import Robot

INERTIA = 0.5 * 0.4**2
"""Point mass of the pendulum about its hinge [kg m^2]."""
TORQUE, CORNER, NO_LOAD = 3.0, 8.0, 20.0


def with_curve(robot: Robot, curve: tuple[float, float] | None = (CORNER, NO_LOAD), **changes: object) -> Robot:
    servos = [dataclasses.replace(servo, torque_speed=curve, **changes) for servo in robot.servos]
    return dataclasses.replace(robot, servos=tuple(servos))


def on_a_stand(robot: Robot, timestep: float = 0.001) -> MujocoWorld:
    still = WorldConfig(fixed_base=True, gravity=(0, 0, 0), command_delay=0, start=Start(height=2.0), timestep=timestep)
    return MujocoWorld(robot, still)


def push(world: MujocoWorld, torque: float, ticks: int = 1) -> None:
    command = world.robot.command()
    command.torque[:] = torque
    for _ in range(ticks):
        world.write(command)
        world.advance(world.robot.tick)


def speed_at(time: float) -> float:
    """Full torque up to the corner, then dv/dt = (T / I) (no_load - v) / (no_load - corner)."""
    at_corner = INERTIA * CORNER / TORQUE
    if time <= at_corner:
        return TORQUE / INERTIA * time
    rate = TORQUE / INERTIA / (NO_LOAD - CORNER)
    return NO_LOAD - (NO_LOAD - CORNER) * math.exp(-rate * (time - at_corner))


def test_a_motor_spins_up_to_its_no_load_speed_as_the_curve_says(pendulum: Robot) -> None:
    world = on_a_stand(with_curve(pendulum))
    for tick in range(1, 151):
        push(world, TORQUE)
        # Within 2 ms the speed counts as constant, which is 2 ms of delay at most.
        low, high = speed_at(0.01 * tick) - 0.01, speed_at(0.01 * tick + 0.002) + 0.01
        assert low <= world.read().velocity[0] <= high
    assert world.read().velocity[0] == pytest.approx(NO_LOAD, abs=0.3)


def test_braking_torque_stays_full_at_any_speed(pendulum: Robot) -> None:
    world = on_a_stand(with_curve(pendulum))
    push(world, TORQUE, ticks=100)
    assert world.read().velocity[0] > 0.9 * NO_LOAD
    assert world.read().effort[0] < 0.1 * TORQUE
    push(world, -TORQUE)
    assert world.read().effort[0] == pytest.approx(-TORQUE)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_torque_is_within_the_curve_at_every_speed_in_both_directions(pendulum: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = on_a_stand(with_curve(pendulum, stiffness_limits_torque=False))
    speed, wanted = rng.uniform(-1.5, 1.5) * NO_LOAD, rng.uniform(-2, 2) * TORQUE
    world.data.qvel[-1] = speed
    mujoco.mj_forward(world.model, world.data)
    command = world.robot.command()
    # Gains with feed-forward: the limit is on their sum.
    command.position[:], command.kp[:], command.kd[:] = world.read().position + 0.001, 5.0, 0.1
    command.torque[:] = wanted
    world.write(command)
    world.advance(0.001)
    asked = 5.0 * 0.001 - 0.1 * speed + wanted
    share = np.clip((NO_LOAD - abs(speed)) / (NO_LOAD - CORNER), 0.0, 1.0)
    drives = asked * speed > 0.0
    limit = TORQUE * share if drives else TORQUE
    assert world.read().effort[0] == pytest.approx(np.clip(asked, -limit, limit), abs=1e-9)


def test_time_may_be_cut_in_any_way(pendulum: Robot) -> None:
    whole, pieces = (on_a_stand(with_curve(pendulum)) for _ in range(2))
    push(whole, TORQUE, ticks=20)
    for _ in range(20):
        command = pieces.robot.command()
        command.torque[:] = TORQUE
        pieces.write(command)
        for _ in range(5):
            pieces.advance(0.002)
    assert whole.read().vector.tobytes() == pieces.read().vector.tobytes()


def test_motors_with_and_without_a_curve_share_a_robot(quadruped: Robot) -> None:
    knees = [(10.0, 15.0) if joint.name.endswith("knee") else None for joint in quadruped.joints]
    servos = [
        dataclasses.replace(servo, torque_speed=curve) for servo, curve in zip(quadruped.servos, knees, strict=True)
    ]
    world = on_a_stand(dataclasses.replace(quadruped, servos=tuple(servos)), timestep=0.002)
    world.data.qvel[:] = 14.0
    mujoco.mj_forward(world.model, world.data)
    push(world, 20.0)
    assert world.read().effort[0:3] == pytest.approx([20.0, 20.0, 4.0])


def test_a_robot_without_a_curve_runs_as_ever(pendulum: Robot) -> None:
    world = on_a_stand(pendulum)
    push(world, TORQUE, ticks=30)
    assert world.servos.longest_aim == math.inf
    assert world.read().velocity[0] == pytest.approx(TORQUE / INERTIA * 0.3, rel=1e-6)


@pytest.mark.parametrize(("kp", "kd"), [(0.0, 0.4), (2.0, 0.4)])
def test_torque_commands_pass_the_guard_and_the_servo_unchanged(quadruped: Robot, kp: float, kd: float) -> None:
    """As leg controllers command: damping and feed-forward without a position gain, or a small gain and much torque."""
    robot = with_curve(quadruped, (15.0, 30.0), stiffness_limits_torque=False)
    robot = dataclasses.replace(
        robot, joints=tuple(dataclasses.replace(joint, max_effort=20.0) for joint in robot.joints)
    )
    world, guard = MujocoWorld(robot, WorldConfig(timestep=0.002, command_delay=0)), Guard(robot, robot.tick)
    for tick in range(50):
        sensors = world.read()
        command = robot.command()
        command.position[:] = robot.posture("stand")
        command.kp[:], command.kd[:] = kp, kd
        command.torque[:] = 6.0 * math.sin(0.3 * tick)
        passed = guard.apply(command, sensors)
        assert passed.vector.tobytes() == command.vector.tobytes()
        wanted = kp * (command.position - sensors.position) - kd * sensors.velocity + command.torque
        world.write(passed)
        world.advance(robot.tick)
        assert world.read().effort == pytest.approx(wanted, abs=1e-9)
    assert guard.summary() == []


class Logged:
    """Stands between a world and MuJoCo and looks at every physics step: speeds at its begin, torques in it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: list[tuple[np.ndarray, np.ndarray]] = []
        real, steps = mujoco.mj_step2, mujoco.mj_step

        def second(model: mujoco.MjModel, data: mujoco.MjData) -> None:
            speeds = data.actuator_velocity.copy()
            real(model, data)
            self.rows.append((speeds, data.actuator_force.copy()))

        def whole(model: mujoco.MjModel, data: mujoco.MjData, count: int = 1) -> None:
            for _ in range(count):
                mujoco.mj_step1(model, data)
                second(model, data)

        assert steps is not whole
        monkeypatch.setattr(mujoco, "mj_step2", second)
        monkeypatch.setattr(mujoco, "mj_step", whole)


@pytest.mark.parametrize("timestep", [0.0005, 0.001, 0.002])
@pytest.mark.parametrize("driven", ["torque", "servo"])
def test_limits_hold_in_every_physics_step_through_impacts(
    quadruped: Robot, driven: str, timestep: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A robot that is dropped, with wild commands and pushes; every drive, every physics step."""
    robot = with_curve(quadruped, (4.0, 12.0), stiffness_limits_torque=driven == "servo")
    if driven == "servo":
        # Every other motor has no limit that depends on speed.
        servos = [
            dataclasses.replace(servo, torque_speed=None if number % 2 else servo.torque_speed)
            for number, servo in enumerate(robot.servos)
        ]
        robot = dataclasses.replace(robot, servos=tuple(servos))
    pushes = tuple(Push(time=0.05 * n, duration=0.004, impulse=(3.0 * (-1) ** n, 2.0, 4.0)) for n in range(1, 8))
    world = MujocoWorld(robot, WorldConfig(timestep=timestep, start=Start(height=0.6), pushes=pushes))
    log, random = Logged(monkeypatch), np.random.default_rng(11)
    for _ in range(round(0.5 / robot.tick)):
        command = robot.command()
        command.position[:] = random.uniform(robot.lower, robot.upper)
        command.velocity[:] = random.uniform(-10, 10, 12)
        command.kp[:], command.kd[:] = robot.servo_kp * random.uniform(0, 2, 12), robot.servo_kd
        command.torque[:] = random.normal(size=12) * robot.max_effort
        world.write(command)
        world.advance(robot.tick)
    assert len(log.rows) == round(0.5 / timestep)
    speeds, torques = (np.array(each) for each in zip(*log.rows, strict=True))
    most = np.array([servo.max_torque for servo in robot.servos])
    corner, no_load = np.array([servo.torque_speed or (1e9, 2e9) for servo in robot.servos]).T
    share = np.clip((no_load - np.abs(speeds)) / (no_load - corner), 0.0, 1.0)
    limit = np.where(torques * speeds > 0.0, share * most, most)
    # Impacts must have come, and torques must have met their limits.
    assert np.abs(np.diff(speeds, axis=0)).max() > 0.5
    assert (np.abs(torques) > 0.99 * limit).mean() > 0.1
    assert (np.abs(torques) - limit).max() < 1e-9
