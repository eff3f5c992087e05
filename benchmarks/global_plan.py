"""Measures the global plan of a dynamic quadruped: how many seeds find a way, processor time, length, leaps.

    python benchmarks/global_plan.py --robot path/to/go2.xml --seeds 20
    python benchmarks/global_plan.py --worlds gap-40,gap-80 --first-seed 100 --csv plans.csv

Times are of one core, without the layers of the map, after a first plan that compiles. Without --robot the body has the
size of Go2.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.global_plan.body import GlobalBody
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.planner import GlobalPlan, GlobalPlanner, GlobalRequest, GlobalStatus
from andante.planning.quadruped.global_plan.settings import GlobalSettings
from andante.robots.robot import Robot
from andante.terrain.boards.make import make_board
from andante.terrain.boards.worlds import WORLDS
from andante.terrain.terrain import Terrain

FLAT = "flat"
GO2_SIZE = GlobalBody(
    mass=15.2,
    leg_length=0.448,
    standing=0.278,
    highest=0.412,
    lowest=0.081,
    half_length=0.193,
    half_width=0.142,
    half_height=0.027,
)


def world(name: str, seed: int) -> Terrain:
    """A world by name; ``flat`` is one without anything."""
    if name == FLAT:
        return make_board("step-10", values={"height": 0.0})
    return make_board(name, seed=seed)


def in_pit(board: Terrain, plan: GlobalPlan) -> int:
    """States outside a flight whose body is over the bottom of a pit."""
    if plan.body is None:
        return 0
    ground, states = board.heights, plan.body.states
    standing = plan.body.primitives != Primitive.FLIGHT
    at = np.rint((states[:, :2] - ground.origin) / ground.spacing).astype(np.int64)
    return int((board.pits[at[:, 0], at[:, 1]] & standing).sum())


def flight_share(plan: GlobalPlan) -> tuple[float, float]:
    """Longest flight [s] and hardest push as a multiple of the weight."""
    if plan.body is None:
        return 0.0, 0.0
    flying = (plan.body.primitives == Primitive.FLIGHT).astype(np.int64)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flying, [0]])))
    longest = float(np.diff(edges)[::2].max()) * plan.body.step if len(edges) else 0.0
    return longest, float(plan.body.forces[:, 2].max())


def main() -> None:
    """Plan over every world and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", help="model file or shipped robot; default: a body of Go2's size")
    parser.add_argument("--worlds", default=",".join((FLAT, *(kind.name for kind in WORLDS))))
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--budget", type=int, help="states that may be tested")
    parser.add_argument("--csv", type=Path, help="write every plan here")
    options = parser.parse_args()
    body = GlobalBody.of(LeggedBody.of(Robot.load(options.robot))) if options.robot else GO2_SIZE
    settings = GlobalSettings() if options.budget is None else GlobalSettings(budget=options.budget)
    planner = GlobalPlanner(body, settings)
    start = np.zeros(12)
    start[2] = body.standing
    flat = world(FLAT, 0)
    planner.plan(GlobalRequest(start, flat.goal, body_layers(flat.map, body.leg_length)))
    print(
        f"{'world':<18}{'solved':>8}{'median s':>10}{'max s':>8}{'states':>10}"
        f"{'length m':>10}{'time s':>8}{'leaps':>7}{'flight s':>10}{'push':>6}{'in pit':>8}  statuses"
    )
    rows: list[dict[str, object]] = []
    for name in options.worlds.split(","):
        rows += measured(planner, name, range(options.first_seed, options.first_seed + options.seeds), start)
        show(name, [row for row in rows if row["world"] == name])
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def measured(planner: GlobalPlanner, name: str, seeds: range, start: NDArray[np.float64]) -> list[dict[str, object]]:
    """A row of figures for every seed; a world that is drawn is drawn by it too."""
    rows: list[dict[str, object]] = []
    board, layers = world(name, seeds.start), None
    for seed in seeds:
        if layers is None or name.startswith("rough-25"):
            board = world(name, seed)
            layers = body_layers(board.map, planner.body.leg_length)
        began = time.process_time()
        plan = planner.plan(GlobalRequest(start, board.goal, layers, seed))
        spent = time.process_time() - began
        facts, (flight, push) = plan.statistics, flight_share(plan)
        rows.append(
            {
                "world": name,
                "seed": seed,
                "status": plan.status.value,
                "seconds": spent,
                "checks": facts.checks,
                "length": facts.length,
                "duration": facts.duration,
                "leaps": facts.leaps,
                "flight": flight,
                "push": push / (planner.body.mass * 9.81),
                "remaining": facts.remaining,
                "in_pit": in_pit(board, plan),
            }
        )
    return rows


def show(name: str, rows: list[dict[str, object]]) -> None:
    """One line of the table."""

    def column(key: str) -> NDArray[np.float64]:
        return np.array([row[key] for row in rows], dtype=np.float64)

    statuses = [str(row["status"]) for row in rows]
    solved = statuses.count(GlobalStatus.VALID.value)
    counts = ", ".join(f"{status} {statuses.count(status)}" for status in sorted(set(statuses)))
    print(
        f"{name:<18}{f'{solved}/{len(rows)}':>8}{np.median(column('seconds')):>10.2f}{column('seconds').max():>8.2f}"
        f"{np.median(column('checks')):>10.0f}{np.median(column('length')):>10.2f}{np.median(column('duration')):>8.2f}"
        f"{column('leaps').mean():>7.2f}{column('flight').max():>10.2f}{column('push').max():>6.2f}"
        f"{column('in_pit').sum():>8.0f}  {counts}",
        flush=True,
    )


if __name__ == "__main__":
    main()
