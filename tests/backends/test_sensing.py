"""Sensors: noise, offsets, latency, pressure cells."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.sensing import cell_table
from andante.backends.sensing_kernels import press_cells
from andante.backends.world import SensorNoise, Start, WorldConfig
from andante.kernels import lazy_entry
from andante.robots.parts import Foot
from andante.robots.robot import Robot

CELLS = (("fl", 0.07, 0.03), ("fr", 0.07, -0.03), ("bl", -0.03, 0.03), ("br", -0.03, -0.02))
NAMES = ("position", "velocity", "effort", "gyro", "accelerometer", "force")


press = lazy_entry(press_cells.py_func)


def pressed(foot: Foot, load: float, moment_x: float, moment_y: float) -> list[float]:
    """Forces of the cells of a foot."""
    table = cell_table(foot)
    forces = np.zeros(len(table))
    press(forces, 0, table, 0, len(table), load, moment_x, moment_y)
    return forces.tolist()


def readings(robot: Robot, noise: SensorNoise, count: int = 800, seed: int = 1) -> dict[str, np.ndarray]:
    """Many fresh measurements of one unchanged state."""
    world = MujocoWorld(robot, WorldConfig(noise=noise))
    world.reset(seed)
    return {
        name: np.array([robot.sensors(world.sensing.measure(0.0))[name] for _ in range(count)])
        for name in (*NAMES, "orientation", "contact", "health", "time")
    }


def test_noise_has_the_asked_deviation_and_no_mean(biped: Robot) -> None:
    levels = {name: 0.01 * (i + 1) for i, name in enumerate(NAMES)}
    clean = readings(biped, SensorNoise(), count=1)
    noisy = readings(biped, SensorNoise(**levels))
    for name in ("position", "velocity", "effort", "gyro", "accelerometer"):
        error = noisy[name] - clean[name]
        assert error.std() == pytest.approx(levels[name], rel=0.08)
        assert abs(error.mean()) < 0.2 * levels[name]
    assert (noisy["contact"] == clean["contact"]).all()
    assert (noisy["health"] == 1.0).all()
    assert (noisy["time"] == 0.0).all()


def test_orientation_noise_is_a_rotation_of_the_asked_size(biped: Robot) -> None:
    quaternions = readings(biped, SensorNoise(orientation=0.02))["orientation"]
    assert np.linalg.norm(quaternions, axis=1) == pytest.approx(np.ones(len(quaternions)))
    assert (2.0 * quaternions[:, 1:]).std(axis=0) == pytest.approx(np.full(3, 0.02), rel=0.1)


def test_noisy_cells_never_pull(biped: Robot) -> None:
    force = readings(biped, SensorNoise(force=50.0))["force"]
    assert force.min() == 0.0
    assert force.max() > 50.0


def test_offsets_are_constant_within_a_run_and_differ_between_runs(biped: Robot) -> None:
    noise = SensorNoise(position_offset=0.02, gyro_offset=0.01, accelerometer_offset=0.1)
    runs = [readings(biped, noise, count=3, seed=seed) for seed in range(60)]
    for name, deviation in (("position", 0.02), ("gyro", 0.01), ("accelerometer", 0.1)):
        values = np.array([run[name] for run in runs])
        assert (values == values[:, :1]).all()
        assert values[:, 0].std(axis=0).mean() == pytest.approx(deviation, rel=0.2)


@pytest.mark.parametrize("ticks", [1, 2, 5])
def test_latency_is_exactly_its_ticks(biped: Robot, ticks: int) -> None:
    noise = SensorNoise(position=0.01)
    late = MujocoWorld(biped, WorldConfig(sensor_latency=ticks * 0.012, noise=noise, start=Start(clearance=0.1)))
    prompt = MujocoWorld(biped, WorldConfig(noise=noise, start=Start(clearance=0.1)))
    for world in (late, prompt):
        world.reset(4)
    history = []
    for tick in range(15):
        history.append(prompt.read().vector.tobytes())
        assert late.read().vector.tobytes() == history[max(0, tick - ticks)]
        assert late.read().time == pytest.approx(max(0, tick - ticks) * 0.012)
        for world in (late, prompt):
            world.advance(0.012)


def test_latency_between_two_ticks_is_kept_to_the_physics_step(biped: Robot) -> None:
    world = MujocoWorld(biped, WorldConfig(sensor_latency=0.018))
    for _ in range(5):
        world.advance(0.012)
    assert world.read().time == pytest.approx(0.042)


positions = st.floats(-0.2, 0.2)


@given(st.floats(0.1, 200.0), positions, positions)
def test_cells_carry_the_whole_load_and_only_push(load: float, x: float, y: float) -> None:
    forces = pressed(Foot("left", "b", "s", cells=CELLS), load, y * load, -x * load)
    assert min(forces) >= 0.0
    assert sum(forces) == pytest.approx(load)


@given(st.floats(0.1, 200.0), st.floats(-0.02, 0.05), st.floats(-0.008, 0.008))
def test_cells_tell_the_centre_of_pressure(load: float, x: float, y: float) -> None:
    forces = pressed(Foot("left", "b", "s", cells=CELLS), load, y * load, -x * load)
    if min(forces) > 0.0:
        assert sum(f * cx for f, (_, cx, _) in zip(forces, CELLS, strict=True)) / load == pytest.approx(x, abs=1e-9)
        assert sum(f * cy for f, (_, _, cy) in zip(forces, CELLS, strict=True)) / load == pytest.approx(y, abs=1e-9)


def test_a_load_in_the_middle_of_a_rectangle_is_shared_equally() -> None:
    cells = (("a", 0.1, 0.1), ("b", 0.1, -0.1), ("c", -0.1, 0.1), ("d", -0.1, -0.1))
    assert pressed(Foot("f", "b", "s", cells=cells), 8.0, 0.0, 0.0) == pytest.approx([2.0] * 4)
    # At x = 0.05 the front carries three quarters.
    assert pressed(Foot("f", "b", "s", cells=cells), 8.0, 0.0, -0.4) == pytest.approx([3, 3, 1, 1])


@pytest.mark.parametrize("cells", [CELLS[:1], CELLS[:2], CELLS[:3]])
def test_few_cells_still_carry_the_load(cells: tuple[tuple[str, float, float], ...]) -> None:
    forces = pressed(Foot("f", "b", "s", cells=cells), 8.0, 0.1, -0.2)
    assert len(forces) == len(cells)
    assert sum(forces) == pytest.approx(8.0)
    assert min(forces) >= 0.0


def test_no_load_no_force() -> None:
    assert pressed(Foot("f", "b", "s", cells=CELLS), 0.0, 0.0, 0.0) == [0.0] * 4
    assert pressed(Foot("f", "b", "s", cells=CELLS), -3.0, 0.1, 0.0) == [0.0] * 4
    assert pressed(Foot("f", "b", "s"), 5.0, 0.0, 0.0) == []


@pytest.mark.parametrize(("yaw", "x", "y"), [(0.0, 0.3, -0.2), (2.0, 0.0, 0.0), (-1.0, 1.0, 1.0)])
def test_cells_do_not_care_where_the_robot_stands(biped: Robot, yaw: float, x: float, y: float) -> None:
    forces = []
    for start in (Start(), Start(yaw=yaw, x=x, y=y)):
        world = MujocoWorld(biped, WorldConfig(start=start))
        for _ in range(100):
            world.advance(0.012)
        forces.append(world.read().force)
    assert forces[1] == pytest.approx(forces[0], abs=0.05)


def test_cells_tell_which_way_the_robot_leans(biped: Robot) -> None:
    fronts = {}
    for lean in (-0.03, 0.03):
        config = WorldConfig(start=Start(posture={"left_ankle": lean, "right_ankle": lean}, pitch=-lean))
        world = MujocoWorld(biped, config)
        for _ in range(60):
            world.advance(0.012)
        left = world.read().force[:4]
        fronts[lean] = (left[0] + left[1]) / left.sum()
        # The whole load's centre of pressure lies under the centre of mass while it stands still.
        centre = left @ np.array([0.07, 0.07, -0.03, -0.03]) / left.sum()
        sole = world.data.site("left_sole").xpos
        assert centre == pytest.approx(world.truth()["com"][0] - sole[0], abs=2e-3)
    assert abs(fronts[0.03] - fronts[-0.03]) > 0.05


def test_contact_threshold(biped: Robot) -> None:
    for threshold, touching in ((1.0, 1.0), (1e4, 0.0)):
        world = MujocoWorld(biped, WorldConfig(contact_threshold=threshold))
        world.advance(0.6)
        assert (world.read().contact == touching).all()


def test_imu_reads_gravity_in_every_position(biped: Robot) -> None:
    for roll, pitch in ((0.4, 0.0), (0.0, 0.7), (-0.3, 2.0), (math.pi / 2, 0.0)):
        config = WorldConfig(start=Start(roll=roll, pitch=pitch, height=2.0), fixed_base=True)
        world = MujocoWorld(biped, config)
        world.advance(0.12)
        up = np.array([-math.sin(pitch), math.cos(pitch) * math.sin(roll), math.cos(pitch) * math.cos(roll)])
        assert world.read().accelerometer == pytest.approx(9.81 * up, abs=1e-6)


def test_the_imu_s_rotation_is_constant_within_a_run(biped: Robot) -> None:
    noise = SensorNoise(orientation_offset=0.02)
    runs = [readings(biped, noise, count=3, seed=seed)["orientation"] for seed in range(60)]
    assert all((run == run[0]).all() for run in runs)
    assert (2.0 * np.array(runs)[:, 0, 1:]).std(axis=0).mean() == pytest.approx(0.02, rel=0.2)


def test_lost_readings_of_the_imu_repeat_the_one_before(biped: Robot) -> None:
    gyro = readings(biped, SensorNoise(gyro=0.01, imu_loss=0.3), count=2000)["gyro"]
    position = readings(biped, SensorNoise(position=0.01, imu_loss=0.3), count=50)["position"]
    assert np.mean((np.diff(gyro, axis=0) == 0.0).all(axis=1)) == pytest.approx(0.3, abs=0.04)
    assert (np.diff(position, axis=0) != 0.0).all()


def test_losses_and_rotation_leave_the_other_noise_alone(biped: Robot) -> None:
    plain = readings(biped, SensorNoise(position=0.01), count=5)["position"]
    lossy = readings(biped, SensorNoise(position=0.01, imu_loss=0.5, orientation_offset=0.1), count=5)["position"]
    assert (plain == lossy).all()
