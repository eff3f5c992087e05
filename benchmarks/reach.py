"""Measures CoM inverse kinematics and reachability on random stances: accuracy, passes, speed, and the live plot.

    python benchmarks/reach.py --robot littledog --seed 40000

Speeds are of one core; wall time is what counts, processor time stands beside it because other programs may run.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from andante.errors import AndanteError
from andante.kernels import entry
from andante.kinematics.com_ik import com_ik
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_kernels import slack, turns
from andante.kinematics.leg_table import LeggedBody, LegTable
from andante.kinematics.reach import REACHABLE, Stance, reach_codes, reach_mesh, reach_volume
from andante.kinematics.reach_plot import silhouette
from andante.robots.robot import Robot
from andante.spatial.rotations import from_rpy, to_matrix

Array = NDArray[np.float64]
STANCES, PLOTS = 20, 50
SPACING = 0.005
"""Distance of a plot's positions for legs of LittleDog's length [m]."""


def random_stance(body: LeggedBody, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Feet (nl, 3), a wanted centre of mass (3,) and a rotation (3, 3), of the robot's size."""
    size = body.leg_length / 0.187
    feet = np.array([leg.hip for leg in body.legs]) * [1.0, 1.0, 0.0]
    feet[:, 1] += [0.7 * leg.lateral for leg in body.legs]
    feet += rng.uniform(-1.0, 1.0, feet.shape) * np.array([0.05, 0.02, 0.025]) * size
    com = np.array([0.0, 0.0, 0.12]) * size + rng.uniform(-1.0, 1.0, 3) * np.array([0.03, 0.03, 0.02]) * size
    return feet, com, to_matrix(from_rpy(rng.uniform(-0.15, 0.15, 3)))


@entry
def full_ik(table: LegTable, feet: Array, rotation: Array, positions: Array, found: NDArray[np.bool_]) -> None:
    """Whether all feet have joint angles within the limits, by computing the angles."""
    for row in range(len(positions)):
        found[row] = True
        for leg in range(len(feet)):
            way = rotation.T @ (feet[leg] - positions[row])
            roll, pitch, bend, missing = turns(table, leg, way[0], way[1], way[2])
            left, _ = slack(table, leg, roll, pitch, bend)
            if missing > 0.0 or left < 0.0:
                found[row] = False


def measure_com(body: LeggedBody, seed: int, count: int) -> None:
    """Passes and error of the CoM inverse kinematics."""
    rng, kinematics = np.random.default_rng(seed), Kinematics(body.robot)
    passes: dict[float, list[int]] = {5e-4: [], 1e-6: []}
    worst, unreachable, spent = 0.0, 0, 0.0
    for _ in range(count):
        feet, com, rotation = random_stance(body, rng)
        try:
            started = time.perf_counter()
            pose = com_ik(body, com, feet, rotation)
            spent += time.perf_counter() - started
        except AndanteError:
            unreachable += 1
            continue
        passes[1e-6].append(pose.evaluations)
        passes[5e-4].append(com_ik(body, com, feet, rotation, tolerance=5e-4).evaluations)
        kinematics.update(body.joints(pose.angles))
        worst = max(worst, float(np.linalg.norm(pose.position + rotation @ kinematics.com() - com)))
    print(f"CoM IK: {count} stances, {unreachable} out of reach; largest error {worst * 1e6:.2f} um against MuJoCo")
    for tolerance, most in ((5e-4, 2), (1e-6, 3)):
        counts = np.array(passes[tolerance])
        share = 100.0 * float(np.mean(counts <= most))
        print(f"  {tolerance * 1e3:g} mm in <= {most} evaluations: {share:.2f} %, mean {counts.mean():.2f}")
    print(f"  {1e6 * spent / max(len(passes[1e-6]), 1):.0f} us per call from Python")


def measure_reach(body: LeggedBody, seed: int, count: int) -> None:
    """Speed of the closed form and its agreement with full inverse kinematics."""
    rng = np.random.default_rng(seed)
    wall = processor = 0.0
    inside = different = total = 0
    for _ in range(STANCES):
        feet, _, rotation = random_stance(body, rng)
        stance = Stance.of(body, feet, rotation)
        # The least box around what is reachable: the hardest positions to tell.
        held = reach_volume(body, stance, SPACING * body.leg_length / 0.187).positions()
        low, high = held.min(axis=0), held.max(axis=0)
        positions = rng.uniform(low, high, (count // STANCES, 3))
        wall_start, processor_start = time.perf_counter(), time.process_time()
        codes = reach_codes(body, stance, positions)
        wall += time.perf_counter() - wall_start
        processor += time.process_time() - processor_start
        found = np.empty(len(positions), dtype=np.bool_)
        full_ik(body.table, feet, rotation, positions, found)
        different += int(np.count_nonzero(found != (codes == REACHABLE)))
        inside += int(found.sum())
        total += len(positions)
    print(f"reachability: {total} random positions, {100.0 * inside / total:.0f} % reachable")
    print(f"  {total / wall / 1e6:.1f} million positions/s ({total / processor / 1e6:.1f} by processor time)")
    print(f"  {different} differ from full inverse kinematics")


def measure_plot(body: LeggedBody, seed: int) -> None:
    """Time from a stance to the pixels of the three views of its plot."""
    rng = np.random.default_rng(seed)
    plots, grids, meshes, nodes = [], [], [], 0
    for _ in range(PLOTS):
        feet, _, rotation = random_stance(body, rng)
        stance = Stance.of(body, feet, rotation)
        started = time.perf_counter()
        volume = reach_volume(body, stance, SPACING * body.leg_length / 0.187)
        gridded = time.perf_counter()
        for axis in range(3):
            silhouette(volume, axis)
        drawn = time.perf_counter()
        reach_mesh(body, stance, volume)
        meshes.append(time.perf_counter() - drawn)
        plots.append(drawn - started)
        grids.append(gridded - started)
        nodes += volume.codes.size
    middle, most = 1e3 * float(np.median(plots)), 1e3 * max(plots)
    print(f"live plot of a stance, 5 mm at LittleDog's size: median {middle:.0f} ms, largest {most:.0f} ms")
    print(f"  its grid: {nodes / PLOTS:.0f} positions, {nodes / sum(grids) / 1e6:.0f} million positions/s")
    print(f"  surface for a 3-D view: median {1e3 * np.median(meshes):.0f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="littledog")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stances", type=int, default=20_000)
    parser.add_argument("--positions", type=int, default=1_000_000)
    options = parser.parse_args()
    body = LeggedBody.of(Robot.load(options.robot))
    # Compile first, and measure on seeds of their own.
    measure = np.random.default_rng(options.seed + 1)
    feet, com, rotation = random_stance(body, measure)
    warm = Stance.of(body, feet, rotation)
    reach_codes(body, warm, np.zeros((1, 3)))
    silhouette(reach_volume(body, warm), 2)
    try:
        com_ik(body, com, feet, rotation)
    except AndanteError:
        print("the first stance is out of reach")
    measure_com(body, options.seed + 2, options.stances)
    measure_reach(body, options.seed + 3, options.positions)
    measure_plot(body, options.seed + 4)


if __name__ == "__main__":
    main()
