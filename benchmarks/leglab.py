"""Speed of the leg lab: simulated against computing time of one kick, and a batch of kicks over processes.

    python benchmarks/leglab.py [--kicks 40] [--batch 1000] [--workers 2] [--json]

A kick's computing time is that of its process, so that a busy machine disturbs it little. The batch compares wall times
and means something on a quiet machine only: its efficiency is the time of one process over workers x the time of all.
Processes are started and warmed up before the clock starts. Its kicks are random, within the joint limits, seed 0.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from andante.motions.kicks.document import load_named
from andante.motions.kicks.postures import pose_keyframes
from andante.robots.robot import Robot
from andante.runs.kick.execute import Physics, kick_world, play
from andante.search.kicks.problem import KickProblem

TARGET = (2.5, 0.75)
_CHUNK = 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kicks", type=int, default=40, help="kicks per physics for the speed of one core")
    parser.add_argument("--batch", type=int, default=0, help="kicks of the batch; 0: no batch")
    parser.add_argument("--workers", type=int, default=2, help="processes of the batch")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = [speed(physics, options.kicks) for physics in ("original", "servos")]
    if options.batch:
        rows += batch(options.batch, options.workers)
    if options.json:
        print(json.dumps({"rows": rows}, indent=1))
        return
    for row in rows:
        print(f"{row['name']:56s} {row['value']:10.2f} {row['unit']}")


def speed(physics: Physics, kicks: int) -> dict[str, str | float]:
    """Simulated time over computing time of the plain sample, start to end, median over kicks."""
    world = kick_world(Robot.load("bootcamp-leg"), physics)
    keyframes = pose_keyframes(load_named("plain"), world.chain)
    factors = []
    for _ in range(kicks):
        begin = time.process_time()
        run = play(world, physics, keyframes, TARGET, record=False)
        factors.append(float(run.path[-1, 0]) / (time.process_time() - begin))
    return {
        "name": f"{physics}: real time factor of one core, median",
        "value": statistics.median(factors),
        "unit": "x",
    }


def batch(kicks: int, workers: int) -> list[dict[str, str | float]]:
    """Wall time of a batch in one and in several processes, and the efficiency."""
    problem = KickProblem(TARGET, "original", 4)
    points = np.random.default_rng(0).uniform(size=(kicks, problem.size))
    tasks = [points[i : i + _CHUNK] for i in range(0, kicks, _CHUNK)]
    times = {}
    for count in (1, workers):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, mp_context=context) as pool:
            list(pool.map(_warm, range(4 * count)))
            begin = time.perf_counter()
            list(pool.map(_distances, tasks))
            times[count] = time.perf_counter() - begin
    return [
        {"name": f"original: {kicks} kicks in one process", "value": times[1], "unit": "s"},
        {"name": f"original: {kicks} kicks in {workers} processes", "value": times[workers], "unit": "s"},
        {"name": "efficiency", "value": 100.0 * times[1] / (workers * times[workers]), "unit": "%"},
    ]


def _distances(points: np.ndarray) -> list[float]:
    problem = KickProblem(TARGET, "original", 4)
    return [problem.distance(point) for point in points]


def _warm(_: int) -> None:
    _distances(np.full((1, 16), 0.5))
    time.sleep(0.2)


if __name__ == "__main__":
    main()
