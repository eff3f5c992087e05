"""Speed of get-ups: world, engine and guard together, against real time.

    python benchmarks/get_up.py --library FOLDER [--seeds 5] [--world plain|harsh] [--json]

Every part's time in a tick is the smallest of several repeats of the same get-up, which a busy machine disturbs least.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control.guard import Guard
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.formats.registry import read
from andante.robots.robot import Robot

PARTS = ("read", "engine", "guard", "write", "advance", "truth")
REPEATS = 7
TIMESTEP = 0.003
"""Physics step of the get-up benches [s]."""
SECONDS = 5.5
HARSH: dict[str, Any] = {
    "friction": (0.2, 1.4),
    "servo_strength": (0.7, 1.3),
    "command_delay": (1, 5),
    "backlash": (0.002, 0.01),
    "slope": (0.0, 0.087),
    "slope_direction": (-3.1416, 3.1416),
    "carpet": {},
    "stretches": [{"geoms": ["left_hand", "right_hand"], "axis": "x", "factor": (0.95, 1.05)}],
    "noise": {"position": 0.002, "orientation": 0.003, "gyro": 0.01, "imu_loss": 0.01},
    "faults": [{"type": "stuck", "joints": ["LHipYawPitch"], "start": 2.0, "duration": 0.3}],
}
"""Everything that the world has, switched on."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="motion library, a file or folder in any known format")
    parser.add_argument("--seeds", type=int, default=5, help="number of get-ups")
    parser.add_argument("--world", choices=("plain", "harsh"), default="plain", help="the world's options")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    result = measure(Path(options.library), options.seeds, HARSH if options.world == "harsh" else {})
    if options.json:
        print(json.dumps(result, indent=1))
        return
    for name, value in result.items():
        print(f"{name:32s} {value:10.1f}")


def measure(library: Path, seeds: int, world: dict[str, Any]) -> dict[str, float]:
    """Time per part and tick [us], per reset [ms], and how much faster than real time all is."""
    robot = Robot.load("nao")
    totals, resets = dict.fromkeys(PARTS, 0.0), 0.0
    ticks = round(SECONDS / robot.tick)
    for lying in ("prone", "supine"):
        config = WorldConfig.model_validate({"timestep": TIMESTEP, **world, "start": {"lying": lying}})
        backend = MujocoWorld(robot, config)
        engine = KeyframeEngine(robot, read(library), MotionRequest(None))
        guard = Guard(robot, engine.period)
        for seed in range(seeds):
            best = np.full((len(PARTS), ticks), np.inf)
            reset = np.inf
            for _ in range(REPEATS):
                started = time.perf_counter()
                backend.reset(seed)
                reset = min(reset, time.perf_counter() - started)
                engine.reset()
                guard.reset()
                for tick in range(ticks):
                    best[:, tick] = np.minimum(best[:, tick], _tick(backend, engine, guard))
            resets += reset
            for part, value in zip(PARTS, best.sum(axis=1), strict=True):
                totals[part] += float(value)
    runs = 2 * seeds
    result = {f"{part} [us/tick]": 1e6 * total / (runs * ticks) for part, total in totals.items()}
    result["reset with 1.5 s of rest [ms]"] = 1e3 * resets / runs
    result["times real time, ticks only"] = runs * SECONDS / sum(totals.values())
    result["times real time, with reset"] = runs * (SECONDS + 1.5) / (sum(totals.values()) + resets)
    return result


def _tick(backend: MujocoWorld, engine: KeyframeEngine, guard: Guard) -> list[float]:
    """One tick; the time of each part [s]."""
    clock = time.perf_counter
    times = [clock()]
    sensors = backend.read()
    times.append(clock())
    request = engine.step(sensors)
    for event in engine.take_events():
        backend.notify(event)
    times.append(clock())
    command = guard.apply(request, sensors)
    times.append(clock())
    backend.write(command)
    times.append(clock())
    backend.advance(engine.period)
    times.append(clock())
    backend.truth()
    times.append(clock())
    return [after - before for before, after in pairwise(times)]


if __name__ == "__main__":
    main()
