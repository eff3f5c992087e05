"""Time of one control tick: sensors record, sensor check, keyframe engine and guard, on one core.

    python benchmarks/tick.py [--robot nao] [--ticks 20000] [--memory] [--json]

The engine runs a motion that moves every joint, with stuck-joint compensation; in the rows "balance" also the
centre-of-mass balancer; in the rows "everything" all that a keyframe may have, by the rules of 2025: adaptive filters,
balancing in both directions, shaking ankles, break-up window, waits, branches, energy saving and the watch for falls.
Servos are taken as perfect: what was commanded is measured at the next tick.

With --memory the same ticks run once more under tracemalloc: what is allocated after a tenth of them is compared with
what is allocated at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from andante.control.guard import Guard
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.plausibility import SensorCheck
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role

CASES = ("plain", "balance", "everything")
WARM_SHARE = 10


def library(robot: Robot, case: str) -> MotionLibrary:
    """Two postures, back and forth, for about as long as anyone measures."""
    names = robot.joint_names
    rules = [
        {"joint": names[-1], "range": {"min": 0.01, "max": 0.2}, "targets": [{"joint": names[0], "scale": 0.1}]},
        {"joint": names[-2], "range": {"min": 0.01, "max": 0.2}, "targets": [{"joint": names[1], "scale": 0.1}]},
    ]
    ankles = [joint_with_role(robot, f"{side}_ankle_pitch") for side in ("left", "right")]
    pitch = [{"joint": names[index], "scale": 0.3} for index in ankles if index is not None]
    middle = 0.5 * (robot.lower + robot.upper)
    reach = 0.1 * (robot.upper - robot.lower)
    extra: dict[str, Any] = {"compensation": rules, "balance_pitch": pitch if case != "plain" else []}
    more: dict[str, Any] = {}
    end: dict[str, Any] = {}
    if case == "everything":
        extra |= everything(pitch)
        more = {"dialect": "bhuman-2025", "settings": SETTINGS, "balance": {"all": PHASE}}
        end = {"end_request": {"energy_saving_legs": "always", "energy_saving_arms": "always"}}
    keyframes = [
        {
            "duration": 1.0,
            "interpolation": "sine_min_to_max",
            "joints": dict(zip(names, (middle + side * reach).tolist(), strict=True)),
        }
        | extra
        for side in (1.0, -1.0)
    ]
    blocks = {"swing": {"base_stiffness": dict.fromkeys(robot.groups, 0.75), "keyframes": keyframes}}
    motion = {"blocks": ["swing"] * 2, "follow_ups": [{"motion": "swing"}]} | end
    return MotionLibrary.model_validate({"robot": robot.name, "blocks": blocks, "motions": {"swing": motion}} | more)


def both(low: float, high: float) -> dict[str, Any]:
    """The same range for both directions."""
    return {"pitch": {"min": low, "max": high}, "roll": {"min": low, "max": high}}


PHASE = {
    "max_scaling": both(1.0, 3.0),
    "exponent": both(2.0, 2.0),
    "com_range": both(-0.05, 0.02),
} | {f"{part}_{way}": {"base": 1.0, "max_additional": 1.0} for part in "pd" for way in ("pitch", "roll")}
SETTINGS = {
    "difference_filter": {"min": 0.4, "max": 0.9},
    "oscillation": {"period": 0.2, "amplitude": 0.017, "error_range": {"min": 0.0, "max": 0.1}},
}


def everything(pitch: list[dict[str, Any]]) -> dict[str, Any]:
    """All that a keyframe may have; nothing of it ends the motion."""
    never = {"conditions": [{"variable": "com_outside_support_x", "min": 8.0, "max": 9.0}]}
    return {
        "phase": "all",
        "balance_roll": pitch,
        "window": both(-9.0, 9.0),
        "window_start": both(-8.0, 8.0),
        "waits": [{"variable": "torso_pitch_fluctuation", "min": -1.0, "max": 9.0}],
        "branches": [{"block": "swing", "early": never}, {"block": "swing", "pre": never}],
    }


class Loop:
    """Engine and guard with perfect servos."""

    def __init__(self, robot: Robot, case: str) -> None:
        self._robot = robot
        config = KeyframeEngineSettings(catch_falls=case == "everything")
        self._engine = KeyframeEngine(robot, library(robot, case), "swing", config)
        self._check = SensorCheck(robot, self._engine.period)
        self._guard = Guard(robot, self._engine.period)
        self._command: Command | None = None
        self._noise = np.random.default_rng(0).normal(0.0, 1e-3, (1000, len(robot.joints)))
        self._position = 0.5 * (robot.lower + robot.upper)
        self._tick = 0

    def parts(self) -> Iterator[Command | Sensors]:
        """One tick; hands over after the sensors, the check, the engine and the guard."""
        robot, tick = self._robot, self._tick
        noise = self._noise[tick % 1000]
        measured = self._position + noise
        sensors = robot.sensors()
        sensors.vector[0] = tick * self._engine.period
        sensors.position[:] = measured
        sensors.health[:] = 1.0
        sensors.orientation[0] = 1.0
        sensors.accelerometer[2] = 9.81 + noise[0]
        yield sensors
        sensors = self._check.apply(sensors, self._command)
        yield sensors
        command = self._engine.step(sensors)
        yield command
        out = self._guard.apply(command, sensors)
        yield out
        self._position, self._command = out.position, out
        self._engine.take_events()
        self._tick += 1


PARTS = ("sensors", "check", "engine", "guard")


def measure(robot: Robot, ticks: int, case: str) -> dict[str, np.ndarray]:
    """Nanoseconds per tick for each part and all together, (ticks,)."""
    loop = Loop(robot, case)
    marks = np.empty((ticks, len(PARTS) + 1), dtype=np.int64)
    clock = time.perf_counter_ns
    for tick in range(ticks):
        row = marks[tick]
        row[0] = clock()
        for number, _ in enumerate(loop.parts()):
            row[number + 1] = clock()
    spent = np.diff(marks, axis=1).astype(np.float64)
    return {name: spent[:, number] for number, name in enumerate(PARTS)} | {"tick": spent.sum(axis=1)}


def memory(robot: Robot, ticks: int, case: str) -> tuple[int, int]:
    """Bytes allocated after a tenth of the ticks and at the end."""
    loop = Loop(robot, case)
    taken = []
    tracemalloc.start()
    for share in (1, WARM_SHARE - 1):
        for _ in range(ticks * share // WARM_SHARE):
            for _ in loop.parts():
                pass
        gc.collect()
        taken.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    return taken[0], taken[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of one control tick")
    parser.add_argument("--robot", default="nao")
    parser.add_argument("--ticks", type=int, default=20_000)
    parser.add_argument("--memory", action="store_true", help="also compare the memory early and late")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    robot = Robot.load(options.robot)
    rows: list[dict[str, Any]] = []
    for case in CASES:
        for part, spent in measure(robot, options.ticks, case).items():
            warm = spent[min(200, len(spent) // 10) :] * 1e-3
            name = part if case == "plain" else f"{part} ({case})"
            row = {"name": name, "median": float(np.median(warm)), "p99": float(np.percentile(warm, 99)), "unit": "us"}
            rows.append(row | {"n": len(warm)})
    grown = memory(robot, options.ticks, CASES[-1]) if options.memory else None
    if options.json:
        extra = {} if grown is None else {"memory": {"early": grown[0], "late": grown[1], "unit": "B"}}
        print(json.dumps({"robot": robot.name, "rows": rows} | extra))
        return
    print(f"{robot.title}: {len(robot.joints)} joints, {options.ticks} ticks")
    print(f"{'part':<22}{'median us':>12}{'p99 us':>12}")
    for row in rows:
        print(f"{row['name']:<22}{row['median']:>12.1f}{row['p99']:>12.1f}")
    if grown is not None:
        early, late = (value / 1024.0 for value in grown)
        print(f"allocated after {options.ticks // WARM_SHARE} ticks {early:.1f} kB, at the end {late:.1f} kB")


if __name__ == "__main__":
    main()
