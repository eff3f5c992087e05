"""Speed of the whole control loop against bare physics stepping of the same model, in one run (asked: >= 0.45).

The loop is what `andante run` does: sensors with noise, engine, guard, MCAP recording, ground truth. Bare physics
repeats `mj_step` from the states and controls that the loop reaches, so that both see the same contacts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import mujoco

from andante.runs.build import build
from andante.runs.execute import log_metadata
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.scenario_files import load_scenario
from andante.runs.session import Session

ASKED = 0.45


def loop_seconds(folder: Path, seed: int) -> tuple[float, float]:
    """Wall time of the loop and the time it simulated [s]."""
    scenario = load_scenario("sit-and-stand")
    parts = build(scenario)
    recorder = LogRecorder(folder / f"{seed}.mcap", log_metadata(scenario, parts.robot))
    limits = RunLimits(scenario.timeout, scenario.settle)
    runner = Runner(Session(parts.backend, parts.controller, parts.guard, limits=limits, seed=seed, recorder=recorder))
    start = time.perf_counter()
    outcome = runner.run()
    return time.perf_counter() - start, outcome.time


def bare_seconds(simulated: float, seed: int) -> float:
    """Wall time of bare stepping for ``simulated`` seconds of the same world, standing and crouching [s]."""
    scenario = load_scenario("sit-and-stand")
    parts = build(scenario)
    world = parts.backend
    world.reset(seed)
    parts.controller.reset()
    parts.guard.reset()
    period, step = parts.controller.period, scenario.world.timestep
    substeps = round(period / step)
    total = 0.0
    for _ in range(round(simulated / period)):
        # Decide and write outside the stop watch; only the physics is timed.
        sensors = world.read()
        world.write(parts.guard.apply(parts.controller.step(sensors), sensors))
        state = mujoco.MjData(world.model)
        mujoco.mj_copyData(state, world.model, world.data)
        start = time.perf_counter()
        mujoco.mj_step(world.model, state, nstep=substeps)
        total += time.perf_counter() - start
        world.advance(period)
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop_seconds(folder, 0)
        pairs = []
        for seed in range(1, options.seeds + 1):
            loop, simulated = loop_seconds(folder, seed)
            pairs.append((loop / simulated, bare_seconds(simulated, seed) / simulated))
    shares = [bare / loop for loop, bare in pairs]
    share = statistics.median(shares)
    speed = 1.0 / statistics.median(loop for loop, _ in pairs)
    row = {
        "name": "control loop / bare physics",
        "value": share,
        "unit": "share",
        "asked": f">= {ASKED}",
        "ok": share >= ASKED,
        "n": len(shares),
    }
    if options.json:
        json.dump({"suite": "loop", "rows": [row]}, sys.stdout, indent=2)
        print()
    else:
        print(f"loop {speed:.1f} x real time; share of bare physics speed {share:.3f} (asked >= {ASKED})")
        print(f"from {min(shares):.3f} to {max(shares):.3f} over {len(shares)} seeds")


if __name__ == "__main__":
    main()
