"""Measures the planning of walks over boards: planned speed, what limits it, times of the parts and of replanning.

    python benchmarks/walk_planning.py --robot littledog --difficulty 0.5 --seed 0 --seeds 3

Times are of one core, after a first walk that compiles. Speeds are of the plan from first to last sample, in which the
robot stands at both ends; whether a robot can walk it is measured by `andante bench boards`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse, PlanningError
from andante.planning.feasibility.scene import Scene
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk.rehearsal import rehearse
from andante.planning.walk.replan import replan
from andante.planning.walk.settings import PlanSettings
from andante.planning.walk.trials import plan_course
from andante.planning.walk_plan import WalkPlan
from andante.robots.robot import Robot
from andante.terrain.boards.make import SUITE, make_board

Array = NDArray[np.float64]
PACES = {
    "default": TrajectorySettings(),
    "careful": TrajectorySettings.careful(),
}
NOISE = 0.003
"""Error of a measured foot in replanning, for LittleDog [m]."""


def course_of(body: LeggedBody, name: str, difficulty: float, seed: int) -> KnownCourse:
    """A board with the robot standing at its start."""
    board = make_board(name, difficulty, seed, leg_length=body.leg_length)
    hips = np.array([leg.hip for leg in body.legs])
    spread = 0.7 * np.array([leg.lateral for leg in body.legs])
    places = np.array(board.start[:2]) + hips[:, :2] * [0.8, 1.0] + np.stack([0.0 * spread, spread], axis=-1)
    feet = np.column_stack([places, board.heights.at(places) + body.table.radius])
    position = np.array([*board.start[:2], feet[:, 2].mean() + 0.62 * body.leg_length])
    return KnownCourse(body, board.map, feet, position, np.eye(3), board.goal)


def replanning(course: KnownCourse, plan: WalkPlan, seed: int) -> tuple[list[float], int]:
    """Times of replanning at every touchdown of a walk with feet measured wrongly, and how often there was no plan."""
    rng = np.random.default_rng(seed)
    scene = Scene.of(course.body, course.ground, course.scale)
    times, refused = [], 0
    for swing in plan.swings[:-1]:
        noise = rng.normal(0.0, NOISE * course.scale, plan.feet.shape[1:]) * [1.0, 1.0, 0.3]
        began = time.perf_counter()
        try:
            replan(course, plan, swing.touchdown, plan.feet[swing.touchdown] + noise, scene=scene)
        except PlanningError:
            refused += 1
        times.append(time.perf_counter() - began)
    return times, refused


def main() -> None:
    """Measure and print one line per board."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", default="littledog")
    parser.add_argument("--boards", nargs="*", default=["flat", *SUITE])
    parser.add_argument("--difficulty", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pace", choices=PACES, default="default")
    options = parser.parse_args()
    body = LeggedBody.of(Robot.load(options.robot))
    settings = PlanSettings(trajectory=PACES[options.pace])
    warm = course_of(body, "flat", 0.0, 0)
    first = plan_course(warm, settings).plan
    if first is not None:
        replanning(warm, first, 0)
    print("board             seed  steps   cm/s  rate  slack margin   body  feet+pose+walk =  all s  replan ms (max)")
    speeds = []
    for name in options.boards:
        for seed in range(options.seed, options.seed + options.seeds):
            course = course_of(body, name, options.difficulty, seed)
            began = time.perf_counter()
            walk = plan_course(course, settings)
            plan, times = walk.plan, walk.times
            if plan is None or walk.error is not None:
                print(f"{name:16s} {seed:5d}  refused in {time.perf_counter() - began:.1f} s: {walk.error}")
                continue
            checks = rehearse(course, plan, settings.rehearsal).checks
            speed = 100.0 * float(np.linalg.norm(plan.com[-1, :2] - plan.com[0, :2])) / plan.duration
            speeds.append(speed)
            again, refused = replanning(course, plan, seed)
            print(
                f"{name:16s} {seed:5d} {len(checks):6d} {speed:6.1f} {max(c.rate for c in checks):5.2f} "
                f"{min(c.slack for c in checks):6.2f} {1e3 * min(c.margin for c in checks):6.1f} "
                f"{1e3 * min(c.body for c in checks):6.1f}  {times.footsteps:.2f} {times.stances:.2f} "
                f"{times.trajectory:.2f} = {times.whole:6.2f}  {1e3 * np.median(again):.0f} "
                f"({1e3 * max(again):.0f}){f', {refused} refused' if refused else ''}"
            )
    if speeds:
        print(f"{len(speeds)} walks, mean {np.mean(speeds):.1f} cm/s")


if __name__ == "__main__":
    main()
