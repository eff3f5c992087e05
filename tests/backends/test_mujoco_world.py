"""The world's physics against analytic values, determinism, pushes, time and divergence."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.backends.backend import Backend, BackendError, DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Press, Push, SensorNoise, Start, WorldConfig
from andante.robots.robot import Robot

STILL = (0.0, 0.0, 0.0)
NOISE = SensorNoise(
    position=1e-3, velocity=1e-2, effort=0.1, orientation=1e-2, gyro=1e-2, accelerometer=0.1, force=0.5,
    position_offset=1e-2, gyro_offset=1e-2, accelerometer_offset=0.1,
)  # fmt: skip


def run(world: MujocoWorld, ticks: int) -> list[bytes]:
    """Sway and keep every byte of the sensors."""
    robot = world.robot
    record = []
    for tick in range(ticks):
        record.append(world.read().vector.tobytes())
        command = robot.command()
        command.position[:] = world.read().position + 0.1 * math.sin(tick)
        command.kp[:] = robot.servo_kp
        command.kd[:] = robot.servo_kd
        world.write(command)
        world.advance(robot.tick)
    return record


def test_is_a_backend(pendulum: Robot) -> None:
    world = MujocoWorld(pendulum, WorldConfig(start=Start(height=1.0), fixed_base=True))
    assert isinstance(world, Backend)
    assert world.robot is pendulum
    world.close()


def test_free_fall(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig(start=Start(height=2.0)))
    first = world.truth()
    for _ in range(100):
        world.advance(0.002)
    truth, n, dt = world.truth(), 100, 0.002
    # Velocity first, then position: the fall of semi-implicit Euler is g dt^2 n (n + 1) / 2.
    assert first["com"][2] - truth["com"][2] == pytest.approx(9.81 * dt * dt * n * (n + 1) / 2, abs=1e-9)
    assert truth["com"][:2] == pytest.approx(first["com"][:2], abs=1e-9)
    assert truth["qvel"][2] == pytest.approx(-9.81 * 0.2, abs=1e-6)
    sensors = world.read()
    assert sensors.accelerometer == pytest.approx(STILL, abs=1e-6)
    assert not sensors.contact.any()
    assert sensors.time == world.time == pytest.approx(0.2)


@pytest.mark.parametrize("timestep", [0.002, 0.00025])
def test_pendulum_period(pendulum: Robot, timestep: float) -> None:
    start = Start(height=2.0, posture={"swing": 0.1}, stiffness=0.0)
    world = MujocoWorld(pendulum, WorldConfig(timestep=timestep, start=start, fixed_base=True))
    times, before = [], world.read()
    while len(times) < 5:
        world.advance(timestep)
        now = world.read()
        if before.position[0] < 0.0 <= now.position[0]:
            ratio = -before.position[0] / (now.position[0] - before.position[0])
            times.append(before.time + ratio * timestep)
        before = now
    # Series of the large-amplitude period to second order.
    period = 2.0 * math.pi * math.sqrt(0.4 / 9.81) * (1.0 + 0.1**2 / 16.0)
    assert np.diff(times) == pytest.approx(np.full(4, period), rel=2e-4)


def test_a_swinging_pendulum_keeps_its_energy(pendulum: Robot) -> None:
    start = Start(height=2.0, posture={"swing": 1.5}, stiffness=0.0)
    world = MujocoWorld(pendulum, WorldConfig(timestep=0.00025, start=start, fixed_base=True))
    heights = []
    for _ in range(4000):
        world.advance(0.001)
        sensors = world.read()
        heights.append(0.5 * (0.4 * sensors.velocity[0]) ** 2 - 9.81 * 0.4 * math.cos(sensors.position[0]))
    assert np.ptp(heights) < 0.01 * 9.81 * 0.4
    assert world.truth()["energy"][0] == 0.0


@pytest.mark.parametrize("name", ["quadruped", "biped"])
def test_at_rest_the_feet_carry_the_weight(name: str, request: pytest.FixtureRequest) -> None:
    robot = request.getfixturevalue(name)
    world = MujocoWorld(robot, WorldConfig())
    for _ in range(round(2.0 / robot.tick)):
        world.advance(robot.tick)
    weight = 9.81 * float(world.model.body_mass.sum())
    sensors, truth = world.read(), world.truth()
    feet = truth["foot_force"].reshape(-1, 3)
    assert feet.sum(axis=0) == pytest.approx((0.0, 0.0, weight), abs=1e-3 * weight)
    assert sensors.contact.all()
    if len(sensors.force):
        assert sensors.force.sum() == pytest.approx(weight, rel=1e-3)
    assert np.linalg.norm(sensors.accelerometer) == pytest.approx(9.81, abs=0.01)
    assert sensors.accelerometer[2] == pytest.approx(9.81, abs=0.01)
    assert truth["other_contacts"][0] == 0
    assert truth["power"][0] < 0.01


def test_contacts_of_other_parts_are_counted(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig(start=Start(roll=math.pi)))
    world.advance(0.5)
    truth = world.truth()
    assert truth["other_contacts"][0] >= 3
    assert not world.read().contact.any()
    assert world.read().accelerometer[2] == pytest.approx(-9.81, abs=0.1)


def test_energy_of_a_lift(pendulum: Robot) -> None:
    world = MujocoWorld(pendulum, WorldConfig(start=Start(height=2.0), fixed_base=True, gravity=STILL))
    command = pendulum.command()
    command.torque[:] = 0.1
    world.write(command)
    for _ in range(200):
        world.advance(0.002)
    # All work is kinetic energy; power is sampled at the end of each step, half a step late on average.
    assert world.truth()["energy"][0] == pytest.approx(0.5 * 0.08 * world.read().velocity[0] ** 2, rel=0.01)


@pytest.mark.parametrize("duration", [0.001, 0.05, 0.0333])
def test_a_push_changes_the_momentum_by_its_impulse(quadruped: Robot, duration: float) -> None:
    impulse = (1.5, -0.7, 0.4)
    push = Push(time=0.1, duration=duration, impulse=impulse)
    world = MujocoWorld(quadruped, WorldConfig(gravity=STILL, start=Start(height=2.0), pushes=(push,)))
    world.advance(0.1)
    assert momentum(world)[0] == pytest.approx(STILL, abs=1e-12)
    world.advance(0.1)
    linear, _ = momentum(world)
    assert linear == pytest.approx(impulse, rel=1e-3)
    world.advance(0.1)
    assert momentum(world)[0] == pytest.approx(linear, rel=1e-3)


def test_a_push_turns_by_its_yaw(quadruped: Robot) -> None:
    push = Push(time=0.0, duration=0.02, impulse=(2.0, 0.0, 0.3), yaw=math.radians(120.0))
    world = MujocoWorld(quadruped, WorldConfig(gravity=STILL, start=Start(height=2.0), pushes=(push,)))
    world.advance(0.05)
    assert momentum(world)[0] == pytest.approx((-1.0, math.sqrt(3.0), 0.3), rel=1e-3)


def test_a_force_gives_force_times_time_at_its_point(quadruped: Robot) -> None:
    push = Push(time=0.0, duration=0.01, force=(0.0, 50.0, 0.0), point=(0.2, 0.0, 0.05))
    world = MujocoWorld(quadruped, WorldConfig(gravity=STILL, start=Start(height=2.0), pushes=(push,)))
    arm = world.data.xpos[1] + np.array(push.point) - world.truth()["com"]
    world.advance(0.02)
    linear, angular = momentum(world)
    assert linear == pytest.approx((0.0, 0.5, 0.0), abs=1e-3)
    assert angular == pytest.approx(np.cross(arm, (0.0, 0.5, 0.0)), abs=2e-3)


def test_overlapping_pushes_add_up(quadruped: Robot) -> None:
    pushes = [Push(time=t, duration=0.1, force=(10.0, 0.0, 0.0)) for t in (0.0, 0.05)]
    world = MujocoWorld(quadruped, WorldConfig(gravity=STILL, start=Start(height=2.0), pushes=tuple(pushes)))
    slopes = []
    for _ in range(4):
        before = momentum(world)[0][0]
        world.advance(0.05)
        slopes.append((momentum(world)[0][0] - before) / 0.05)
    assert slopes == pytest.approx([10.0, 20.0, 10.0, 0.0], abs=0.01)


def momentum(world: MujocoWorld) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum about the centre of mass, by MuJoCo's own sums."""
    mujoco.mj_subtreeVel(world.model, world.data)
    return world.model.body_mass.sum() * world.data.subtree_linvel[1], world.data.subtree_angmom[1].copy()


def test_same_seed_and_commands_give_the_same_bytes(biped: Robot) -> None:
    config = WorldConfig(noise=NOISE, friction=(0.3, 0.9), servo_strength=(0.8, 1.2), start=Start(posture_noise=0.05))
    world, other = MujocoWorld(biped, config), MujocoWorld(biped, config)
    world.reset(7)
    first = run(world, 40)
    other.reset(7)
    assert run(other, 40) == first
    world.reset(8)
    assert run(world, 40) != first
    world.reset(7)
    assert run(world, 40) == first


def test_one_source_of_randomness_leaves_the_others_alone(biped: Robot) -> None:
    plain = MujocoWorld(biped, WorldConfig(servo_strength=(0.8, 1.2)))
    noisy = MujocoWorld(biped, WorldConfig(servo_strength=(0.8, 1.2), noise=NOISE, friction=(0.2, 0.9)))
    for world in (plain, noisy):
        world.reset(5)
    assert (plain.servos.strength == noisy.servos.strength).all()


def test_friction_is_drawn_from_its_range(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig(friction=(0.5, 0.9)))
    drawn = []
    for seed in range(20):
        world.reset(seed)
        drawn.append(float(world.model.geom("andante_floor").friction[0]))
    assert 0.5 <= min(drawn) < 0.6
    assert 0.8 < max(drawn) <= 0.9


def test_reading_twice_gives_equal_but_independent_records(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig(noise=NOISE))
    first, second = world.read(), world.read()
    assert first.vector.tobytes() == second.vector.tobytes()
    first.vector[:] = 0.0
    assert world.read().vector.tobytes() == second.vector.tobytes()


@pytest.mark.parametrize("timestep", [0.002, 0.001, 0.0005, 0.00025])
def test_time_passes_in_whole_steps(biped: Robot, timestep: float) -> None:
    world = MujocoWorld(biped, WorldConfig(timestep=timestep))
    for _ in range(50):
        world.advance(0.012)
    assert world.time == pytest.approx(0.6, abs=1e-12)
    assert world.data.time == pytest.approx(0.6, abs=timestep * 1.01)


@pytest.mark.parametrize("duration", [0.0, -0.012, 0.003, math.nan, math.inf])
def test_no_other_durations(biped: Robot, duration: float) -> None:
    with pytest.raises(
        BackendError, match=r"advance: time passes in whole physics steps; .*a positive multiple of 0.002"
    ):
        MujocoWorld(biped, WorldConfig()).advance(duration)


def test_steps_are_those_of_plain_mujoco(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig())
    model, data = world.model, mujoco.MjData(world.model)
    data.qpos[:], data.ctrl[:] = world.data.qpos, world.data.ctrl
    world.advance(0.012)
    world.advance(0.012)
    mujoco.mj_step(model, data, 12)
    assert world.data.qpos == pytest.approx(data.qpos, abs=1e-12)
    assert world.data.qvel == pytest.approx(data.qvel, abs=1e-12)


def test_what_is_read_belongs_to_the_present(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig(gravity=STILL, start=Start(height=2.0)))
    world.data.qvel[3:6] = (1.0, 2.0, 3.0)
    world.advance(0.01)
    sensors, truth = world.read(), world.truth()
    assert sensors.orientation == pytest.approx(truth["qpos"][3:7], abs=1e-12)
    assert sensors.gyro == pytest.approx(truth["qvel"][3:6], abs=1e-12)


def test_divergence_is_named_and_the_last_good_state_stays(
    pendulum: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    strong = dataclasses.replace(pendulum, servos=(dataclasses.replace(pendulum.servos[0], max_torque=1e9),))
    world = MujocoWorld(strong, WorldConfig(fixed_base=True, start=Start(height=2.0)))
    world.advance(0.1)
    good = world.read().vector
    command = strong.command()
    command.torque[:] = 1e8
    world.write(command)
    with pytest.raises(DivergenceError, match=r"the physics diverged after 0\.100 s at body 'rod'"):
        world.advance(0.01)
    kept = world.read()
    assert kept.position == pytest.approx(good[1:2])
    assert np.isfinite(kept.vector).all()
    with pytest.raises(DivergenceError, match="reset the world first"):
        world.advance(0.01)
    world.reset(0)
    world.advance(0.1)
    assert world.read().vector.tobytes() == good.tobytes()
    assert not list(tmp_path.iterdir())


def test_not_a_number_is_divergence(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig())
    world.advance(0.1)
    world.data.qvel[7] = math.nan
    with pytest.raises(DivergenceError, match=r"diverged after 0\.100 s at body"):
        world.advance(0.1)
    assert np.isfinite(world.truth().vector).all()


def test_buttons_follow_the_script(biped: Robot) -> None:
    presses = (Press(button="chest", time=0.024, duration=0.012), Press(button="head", time=0.036, duration=1.0))
    world = MujocoWorld(biped, WorldConfig(presses=presses))
    pressed = []
    for _ in range(5):
        pressed.append(world.read().buttons.tolist())
        world.advance(0.012)
    assert pressed == [[0, 0], [0, 0], [0, 1], [1, 0], [1, 0]]
    with pytest.raises(BackendError, match="no such button; got 'cheest'; did you mean 'chest'"):
        MujocoWorld(biped, WorldConfig(presses=(Press(button="cheest", time=0.0, duration=1.0),)))


def test_truth_names_every_value(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig())
    layout = world.truth().layout
    assert layout.name == "truth"
    assert layout.columns[1:9] == (
        "qpos.base.x", "qpos.base.y", "qpos.base.z", "qpos.base.qw", "qpos.base.qx", "qpos.base.qy", "qpos.base.qz",
        "qpos.left_twist",
    )  # fmt: skip
    assert "qvel.base.vx" in layout.columns
    assert "foot_force.left.z" in layout.columns
    assert len(set(layout.columns)) == layout.size
