"""Kernels that every run calls give the same numbers as Python and compiled, to the last bit."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control import plausibility
from andante.control.guard import Guard
from andante.kernels.lazy import ALL, PYTHON_CALLS, compile_all
from andante.robots.robot import Robot


def commands(robot: Robot, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Commands and sensors with much that must be changed, nonsense now and then."""
    rng, found = np.random.default_rng(seed), []
    for tick in range(count):
        command, sensors = robot.command(), robot.sensors()
        command.position[:] = rng.normal(0.0, 1.0, len(robot.joints))
        command.velocity[:] = rng.normal(0.0, 5.0, len(robot.joints))
        command.kp[:] = robot.servo_kp * rng.choice((1.0, 0.0, 50.0), len(robot.joints), p=(0.9, 0.05, 0.05))
        command.torque[:] = rng.normal(0.0, 2.0, len(robot.joints))
        sensors.position[:] = rng.normal(0.0, 0.5, len(robot.joints))
        sensors.orientation[:] = rng.normal(0.0, 1.0, 4)
        sensors.vector[0] = 0.012 * tick + (0.005 if tick % 7 == 0 else 0.0)
        if tick % 5 == 0:
            command.vector[rng.integers(command.vector.size)] = rng.choice((np.nan, np.inf, 1e308))
        found.append((command.vector, sensors.vector))
    return found


def passed(robot: Robot, seed: int) -> tuple[bytes, list[str]]:
    guard = Guard(robot, 0.012)
    out = [guard.apply(robot.command(a), robot.sensors(b)).vector.tobytes() for a, b in commands(robot, 150, seed)]
    return b"".join(out), [str(event) for event in guard.summary()]


def driven(robot: Robot) -> bytes:
    """States, sensors and truth of a world; Spirit 40's torque limits fall with speed."""
    world = MujocoWorld(robot, WorldConfig())
    world.reset(1)
    rng, out = np.random.default_rng(0), []
    for _ in range(20):
        command = robot.command()
        command.position[:] = robot.posture("stand") + rng.normal(0.0, 0.3, len(robot.joints))
        command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
        world.write(command)
        world.advance(robot.tick)
        out += [world.data.qpos.tobytes(), world.read().vector.tobytes(), world.truth().vector.tobytes()]
    return b"".join(out)


@pytest.fixture
def as_python(monkeypatch):
    """Let all such kernels run as Python, whatever else has been called in this process."""
    for each in ALL:
        for name in ("entry", "now"):
            monkeypatch.setattr(each, name, each.as_python)


def test_there_are_some_and_they_wait():
    assert plausibility.plausible in ALL
    names = {each.py_func.__name__ for each in ALL}
    assert {"guard_tick", "plausible", "read_sensors", "next_part", "count_part", "aim_servos"} <= names


def test_the_guard_does_the_same_as_python(request):
    robot = Robot.load("nao")
    compile_all()
    compiled = [passed(robot, seed) for seed in range(3)]
    request.getfixturevalue("as_python")
    assert [passed(robot, seed) for seed in range(3)] == compiled


@pytest.mark.parametrize("name", ["nao", "spirit40"])
def test_a_world_does_the_same_as_python(request, name):
    robot = Robot.load(name)
    compile_all()
    compiled = driven(robot)
    request.getfixturevalue("as_python")
    assert driven(robot) == compiled


@pytest.mark.slow
def test_a_short_run_neither_imports_numba_nor_wakes_it_up():
    text = f"""
import sys
from andante.control.guard import Guard
from andante.kernels import numba_is_loaded
from andante.robots.robot import Robot
robot = Robot.load("nao")
guard, sensors = Guard(robot, 0.012), robot.sensors()
sensors.orientation[0] = 1.0
for tick in range({PYTHON_CALLS} + 5):
    sensors.vector[0] = 0.012 * tick
    guard.apply(robot.command(), sensors)
    if tick in (10, {PYTHON_CALLS} + 4):
        print("numba" in sys.modules, numba_is_loaded())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "True"]


@pytest.mark.slow
def test_a_kernel_from_the_store_does_without_what_only_the_compiler_needs():
    text = """
import sys
from andante.control.guard import Guard
from andante.kernels.lazy import compile_all
from andante.robots.robot import Robot
robot = Robot.load("nao")
guard, sensors = Guard(robot, 0.012), robot.sensors()
sensors.orientation[0] = 1.0
compile_all()
guard.apply(robot.command(), sensors)
print("numba" in sys.modules, "numba.np.arraymath" in sys.modules)
import numba
print(numba.njit(lambda a: a.max() + 1.0)(robot.upper) == robot.upper.max() + 1.0)
"""
    # The first process compiles where the store is empty; the second one loads.
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "True"]


@pytest.mark.slow
def test_a_world_s_kernels_from_the_store_do_without_it_too():
    text = """
import sys
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.kernels.lazy import compile_all
from andante.robots.robot import Robot
compile_all()
for name in ("nao", "spirit40"):
    world = MujocoWorld(Robot.load(name), WorldConfig(backlash=0.01 if name == "nao" else 0.0))
    world.reset(0)
    world.advance(world.robot.tick)
    world.read()
print([name for name in ("numba.np.arrayobj", "andante.kernels.held_views") if name in sys.modules])
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]"]


@pytest.mark.slow
def test_so_do_those_of_a_whole_run_of_a_motion(tmp_path):
    text = """
import sys
from andante.kernels.lazy import ALL, compile_all
from andante import run
compile_all()
print(run("nao/wave").passed)
called = {kernel.py_func.__name__ for kernel in ALL if kernel._made.overloads}
print(*sorted({"guard_tick", "plausible", "add_block", "find_echo", "limit_output"} & called))
print([name for name in ("numba.np.arrayobj", "numba.cpython.listobj") if name in sys.modules])
"""
    for _ in range(2):
        run = [sys.executable, "-c", text]
        done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["True", "add_block", "find_echo", "guard_tick", "limit_output", "plausible", "[]"]


@pytest.mark.slow
def test_scipy_comes_only_with_the_first_product_of_matrices():
    text = """
import sys
import numpy as np
from andante.kernels.waiting import load_numba
load_numba()
import numba
print("scipy.linalg" in sys.modules)
square = numba.njit(lambda a: a @ a)
matrix = np.arange(9.0).reshape(3, 3)
print(bool((square(matrix) == matrix @ matrix).all()))
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
