"""Time of one control tick: sensors record, keyframe engine and guard, on one core.

    python benchmarks/tick.py [--robot nao] [--ticks 20000] [--json]

The engine runs a motion that moves every joint, with stuck-joint compensation, and, in the row "balance", the
centre-of-mass balancer. Servos are taken as perfect: what was commanded is measured at the next tick.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from andante.control.guard import Guard
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.roles import joint_with_role
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot


def library(robot: Robot, balance: bool) -> MotionLibrary:
    """Two postures, back and forth, for about as long as anyone measures."""
    names = robot.joint_names
    rules = [
        {"joint": names[-1], "range": {"min": 0.01, "max": 0.2}, "targets": [{"joint": names[0], "scale": 0.1}]},
        {"joint": names[-2], "range": {"min": 0.01, "max": 0.2}, "targets": [{"joint": names[1], "scale": 0.1}]},
    ]
    ankles = [joint_with_role(robot, f"{side}_ankle_pitch") for side in ("left", "right")]
    pitch = [{"joint": names[index], "scale": 0.3} for index in ankles if index is not None] if balance else []
    middle = 0.5 * (robot.lower + robot.upper)
    reach = 0.1 * (robot.upper - robot.lower)
    keyframes = [
        {
            "duration": 1.0,
            "interpolation": "sine_min_to_max",
            "joints": dict(zip(names, (middle + side * reach).tolist(), strict=True)),
            "compensation": rules,
            "balance_pitch": pitch,
        }
        for side in (1.0, -1.0)
    ]
    blocks = {"swing": {"base_stiffness": dict.fromkeys(robot.groups, 0.75), "keyframes": keyframes}}
    motion = {"blocks": ["swing"] * 2, "follow_ups": [{"motion": "swing"}]}
    return MotionLibrary.model_validate({"robot": robot.name, "blocks": blocks, "motions": {"swing": motion}})


def measure(robot: Robot, ticks: int, balance: bool) -> dict[str, np.ndarray]:
    """Nanoseconds per tick for each part, (ticks,)."""
    engine = KeyframeEngine(robot, library(robot, balance), "swing")
    guard = Guard(robot, engine.period)
    rng = np.random.default_rng(0)
    noise = rng.normal(0.0, 1e-3, (1000, len(robot.joints)))
    position = 0.5 * (robot.lower + robot.upper)
    taken: dict[str, np.ndarray] = {name: np.empty(ticks) for name in ("sensors", "engine", "guard", "tick")}
    clock = time.perf_counter_ns
    for tick in range(ticks):
        measured = position + noise[tick % 1000]
        start = clock()
        sensors = robot.sensors()
        sensors.vector[0] = tick * engine.period
        sensors.position[:] = measured
        sensors.health[:] = 1.0
        sensors.orientation[0] = 1.0
        read = clock()
        command = engine.step(sensors)
        stepped = clock()
        out = guard.apply(command, sensors)
        end = clock()
        position = out.position
        engine.take_events()
        taken["sensors"][tick] = read - start
        taken["engine"][tick] = stepped - read
        taken["guard"][tick] = end - stepped
        taken["tick"][tick] = end - start
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of one control tick")
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--ticks", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    robot = Robot.load(options.robot)
    rows: list[dict[str, Any]] = []
    for balance in (False, True):
        for part, spent in measure(robot, options.ticks, balance).items():
            warm = spent[min(200, len(spent) // 10) :] * 1e-3
            name = f"{part} (balance)" if balance else part
            row = {"name": name, "median": float(np.median(warm)), "p99": float(np.percentile(warm, 99)), "unit": "us"}
            rows.append(row | {"n": len(warm)})
    if options.json:
        print(json.dumps({"robot": robot.name, "rows": rows}))
        return
    print(f"{robot.title}: {len(robot.joints)} joints, {options.ticks} ticks")
    print(f"{'part':<20}{'median us':>12}{'p99 us':>12}")
    for row in rows:
        print(f"{row['name']:<20}{row['median']:>12.1f}{row['p99']:>12.1f}")


if __name__ == "__main__":
    main()
