"""Measures the stance generator: the table of all places of the body over a footstep sequence, and its solution.

    python benchmarks/stances.py --robot littledog --steps 120

Times are of one core after compilation, the middle of some repetitions; processor time stands beside wall time
because other programs may run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.planning.dynamic_programming.stages import StageGrids
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.generator import GeneratorSettings, generate_stances, stance_table
from andante.robots.robot import Robot

Array = NDArray[np.float64]
REFERENCE_LEG = 0.187
ORDER = ("HR", "FR", "HL", "FL")


def crawl(body: LeggedBody, steps: int, stride: float, half_width: float = 0.0735) -> FootstepPlan:
    """A crawl on level ground, lengths for LittleDog's size [m]; the feet of a side are half a cycle apart."""
    size = body.leg_length / REFERENCE_LEG
    names = [leg.name for leg in body.legs]
    feet = np.zeros((len(names), 3))
    for row, name in enumerate(names):
        lag = stride * (0.375 - 0.25 * ORDER.index(name))
        feet[row, :2] = (0.0667 if name[0] == "F" else -0.0667) + lag, half_width if name[1] == "L" else -half_width
    feet *= size
    feet[:, 2] = body.table.radius
    places, made = feet.copy(), []
    for number in range(steps):
        leg = names.index(ORDER[number % len(ORDER)])
        places[leg, 0] += stride * size
        made.append(Footstep(leg, places[leg].copy(), float(places[leg, 2]) + 0.02 * size))
    return FootstepPlan(feet, tuple(made))


def timed(work: Callable[[], object], repetitions: int) -> tuple[float, float]:
    """Middle wall and processor time of a call [s]."""
    walls, processors = [], []
    for _ in range(repetitions):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return float(np.median(walls)), float(np.median(processors))


def count_transitions(grids: StageGrids, moves: Array) -> int:
    """Pairs of allowed cells of neighbouring stages that a move joins."""
    total, reach = 0, np.array(moves.shape) // 2
    allowed = [np.isfinite(grids.stage(stage)) for stage in range(len(grids.first))]
    for stage, (here, there) in enumerate(pairwise(allowed)):
        for move in np.argwhere(np.isfinite(moves)) - reach:
            # Cells of this stage as the next one numbers them.
            shift = grids.first[stage] + move - grids.first[stage + 1]
            low = np.maximum(shift, 0)
            high = np.minimum(shift + here.shape, there.shape)
            if (low < high).all():
                ours, theirs = (tuple(map(slice, low - off, high - off)) for off in (shift, 0))
                total += int((here[ours] & there[theirs]).sum())
    return total


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="littledog")
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--stride", type=float, default=0.06, help="step of a foot for LittleDog's size [m]")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    body = LeggedBody.of(Robot.load(options.robot))
    footsteps = crawl(body, options.steps, options.stride)
    for spacing in (0.010, 0.005, 0.0025):
        settings = GeneratorSettings(spacing=spacing / REFERENCE_LEG)
        table = stance_table(body, footsteps, settings)
        stances = generate_stances(table)
        table_time = timed(lambda chosen=settings: stance_table(body, footsteps, chosen), options.repetitions)
        solve_time = timed(lambda made=table: generate_stances(made), options.repetitions)
        states, allowed = len(table.grids.cost), int(np.isfinite(table.grids.cost).sum())
        print(
            f"{1e3 * spacing:4.1f} mm grid: table {table_time[0]:.3f} s + solve {solve_time[0]:.3f} s"
            f" (processor {table_time[1]:.3f} + {solve_time[1]:.3f})"
        )
        print(
            f"  {len(table.height)} phases, {states} places, {allowed} allowed,"
            f" {count_transitions(table.grids, table.moves)} transitions"
        )
        travel = stances.position[-1, 0] - stances.position[0, 0]
        print(
            f"  the body travels {travel:.2f} m; smallest margin {1e3 * stances.margin.min():.1f} mm,"
            f" cost {stances.cost:.3f}"
        )


if __name__ == "__main__":
    main()
