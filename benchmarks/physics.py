"""Speed of the physics: bare MuJoCo steps against a world that is read and written at every tick.

    python benchmarks/physics.py [--robot nao] [--timestep 0.002] [--seconds 3] [--noise] [--json]

Bare stepping and the world run in turns on the same model and motion (small sines around the start posture), and the
median of the turns is shown, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import mujoco
import numpy as np

from andante.backends.model_builder import ModelIndex
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import SensorNoise, WorldConfig
from andante.robots.records import Command
from andante.robots.robot import Robot

TURNS = 9


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="nao", help="name or path of a robot")
    parser.add_argument("--timestep", type=float, default=0.002, help="physics step [s]")
    parser.add_argument("--seconds", type=float, default=3.0, help="simulated time per turn [s]")
    parser.add_argument("--noise", action="store_true", help="noise on every sensor")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = measure(Robot.load(options.robot), options.timestep, options.seconds, noise=options.noise)
    if options.json:
        print(json.dumps({"robot": options.robot, "rows": rows}, indent=1))
        return
    for row in rows:
        print(f"{row['name']:44s} {row['value']:12.1f} {row['unit']}")


def measure(robot: Robot, timestep: float, seconds: float, *, noise: bool = False) -> list[dict[str, str | float]]:
    """Rows of name, value and unit for one robot.

    Args:
        robot: The robot; it stands and sways.
        timestep: Physics step [s].
        seconds: Simulated time per turn [s].
        noise: Whether every sensor is noisy.
    """
    level = 1e-3 if noise else 0.0
    names = ("position", "velocity", "effort", "orientation", "gyro", "accelerometer", "force")
    world = MujocoWorld(robot, WorldConfig(timestep=timestep, noise=SensorNoise(**dict.fromkeys(names, level))))
    ticks = max(1, round(seconds / robot.tick))
    commands = sway(robot, world.read().position, ticks)
    substeps = round(robot.tick / timestep)

    def bare() -> None:
        world.reset(1)
        mujoco.mj_step(world.model, world.data, substeps * ticks)

    def bare_single() -> None:
        world.reset(1)
        model, data = world.model, world.data
        for _ in range(substeps * ticks):
            mujoco.mj_step(model, data)

    leaders = ModelIndex.of(robot, world.model).leader_of_motor
    targets = [command.position[leaders] for command in commands]

    def bare_sway() -> None:
        world.reset(1)
        model, data = world.model, world.data
        for target in targets:
            data.ctrl[:] = target
            mujoco.mj_step(model, data, substeps)

    def advance_only() -> None:
        world.reset(1)
        for _ in range(ticks):
            world.advance(robot.tick)

    def full() -> None:
        world.reset(1)
        for command in commands:
            world.read()
            world.write(command)
            world.advance(robot.tick)

    def full_with_truth() -> None:
        world.reset(1)
        for command in commands:
            world.read()
            world.write(command)
            world.advance(robot.tick)
            world.truth()

    kinds: dict[str, Callable[[], None]] = {
        "bare mj_step(nstep), holding": bare,
        "bare mj_step one by one, holding": bare_single,
        "world advance, holding": advance_only,
        "bare mj_step(nstep), swaying": bare_sway,
        "world read + write + advance, swaying": full,
        "the same and truth": full_with_truth,
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(TURNS):
        for name, run in kinds.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    median = {name: statistics.median(values) for name, values in times.items()}
    rows: list[dict[str, str | float]] = [
        {"name": name, "value": substeps * ticks / value, "unit": "steps/s"} for name, value in median.items()
    ]
    world.reset(1)
    world.advance(robot.tick)
    parts: dict[str, Callable[[], object]] = {
        "read": lambda: _fresh_read(world),
        "write": lambda: world.write(commands[0]),
        "truth": world.truth,
    }
    for name, part in parts.items():
        start = time.perf_counter()
        for _ in range(2000):
            part()
        rows.append({"name": f"{name}()", "value": (time.perf_counter() - start) / 2000 * 1e6, "unit": "us"})
    overhead = (median["world advance, holding"] - median["bare mj_step(nstep), holding"]) / ticks * 1e6
    rows.append({"name": "advance() beyond its physics", "value": overhead, "unit": "us"})
    return rows


def sway(robot: Robot, start: np.ndarray, ticks: int) -> list[Command]:
    """Commands that sway every joint by 0.02 rad around its start."""
    commands = []
    for k in range(ticks):
        command = robot.command()
        command.position[:] = start + 0.005 * np.sin(2.0 * np.pi * k * robot.tick)
        command.kp[:] = robot.servo_kp
        command.kd[:] = robot.servo_kd
        commands.append(command)
    return commands


def _fresh_read(world: MujocoWorld) -> object:
    # A second read within a tick is only a copy; measuring anew is what a tick pays.
    return world.sensing.measure(world.time)


if __name__ == "__main__":
    main()
