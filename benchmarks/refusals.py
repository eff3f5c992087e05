"""Checks what the footstep search refuses against an exhaustive search, on small courses made from seeds.

    python benchmarks/refusals.py --seed 0 --courses 50 --out refusals.json

A course is a lane of 1.25 m with two obstacles, each a gap, a step up, a step down or a wall, from easy to impossible.
The exhaustive search is written apart from the planner's: it knows no turns, no costs and no estimates, and tries every
step between all places of a lattice (and at all edges) until nothing is left, with more poses, thinner margins and less
room than the planner asks, on lines at two distances aside. Told are refusals of courses over which it finds a way, the
processor time of refusals, and whether the obstacle that a refusal names is the reason: with it alone there must be no
plan. Where there is none without it either, the other obstacle is a reason, too.
"""

from __future__ import annotations

import argparse
import heapq
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.kernels import entry
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse, NoPlanError
from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene, ball_ground
from andante.planning.feasibility.steps import look_at_step, swing_apex
from andante.planning.footsteps.footholds import Features, FootholdCosts
from andante.planning.footsteps.search import plan_footsteps
from andante.robots.robot import Robot
from andante.terrain.elevation_map import ElevationMap

Array = NDArray[np.float64]
_LENGTH, _HALF, _SPACING = 1.25, 0.2, 0.005
_START, _GOAL = 0.17, 1.05
_PIT = 0.10
_PLACES = (0.36, 0.70)
"""Where the obstacles begin [m]."""
_PITCH, _LONGEST, _BACK = 0.045, 0.225, 0.10
"""Distance of the lattice's places, longest step ahead and back [m]."""
_NEAREST, _FARTHEST = -0.01, 0.42
"""How far a front foot may be ahead of the hind foot of its side [m]."""
_ASIDE = (0.080, 0.094)
"""Distances of the feet's lines from the middle [m]."""
_MOST_TESTS = 300_000


@dataclass(frozen=True)
class Thing:
    """One obstacle."""

    kind: str
    """gap, step or wall."""
    at: float
    """Where it begins [m]."""
    size: float
    """Width of a gap, height of the others, below zero for a step down [m]."""
    thickness: float = 0.0
    """Of a wall [m]."""


def things_of(rng: np.random.Generator) -> tuple[Thing, ...]:
    """Two obstacles, from easy to impossible."""
    found = []
    for at in _PLACES:
        kind, hard = str(rng.choice(["gap", "step", "wall"])), float(rng.uniform())
        place = at + float(rng.uniform(-0.02, 0.02))
        if kind == "gap":
            found.append(Thing(kind, place, 0.08 + 0.16 * hard))
        elif kind == "step":
            found.append(Thing(kind, place, (0.05 + 0.11 * hard) * float(rng.choice([-1.0, 1.0]))))
        else:
            found.append(Thing(kind, place, 0.03 + 0.11 * hard, float(rng.uniform(0.02, 0.05))))
    return tuple(found)


def course_of(body: LeggedBody, things: tuple[Thing, ...]) -> KnownCourse:
    """The robot at the start of a lane with these obstacles."""
    x = np.arange(0.0, _LENGTH + 1e-9, _SPACING)
    y = np.arange(-_HALF, _HALF + 1e-9, _SPACING)
    line = np.zeros(len(x))
    for thing in things:
        if thing.kind == "step":
            line[x >= thing.at] += thing.size
    for thing in things:
        if thing.kind == "wall":
            line[(x >= thing.at) & (x < thing.at + thing.thickness)] += thing.size
        elif thing.kind == "gap":
            hole = (x > thing.at) & (x < thing.at + thing.size)
            line[hole] -= _PIT
    known = ElevationMap(np.repeat(line[:, None], len(y), axis=1), (0.0, -_HALF), _SPACING)
    feet = np.array([[_START + 0.0667 * i, 0.0735 * j, 0.0] for i in (1, -1) for j in (1, -1)])
    feet[:, 2] = float(body.table.radius[0])
    return KnownCourse(body, known, feet, np.array([_START, 0.0, 0.146]), np.eye(3), (_GOAL, 0.0))


def exhaustive(course: KnownCourse) -> tuple[bool | None, int]:
    """Whether any sequence of steps on a lattice leads to the goal (None: it had to stop), and the steps tested."""
    found = [_exhaustive(course, aside) for aside in _ASIDE]
    ways = [way for way, _ in found]
    return True if True in ways else None if None in ways else False, sum(tests for _, tests in found)


def _exhaustive(course: KnownCourse, aside: float) -> tuple[bool | None, int]:
    test, apex_of = entry(look_at_step.py_func), entry(swing_apex.py_func)
    scene, costs = Scene.of(course.body, course.ground, 1.0), FootholdCosts.of(Features.of(course))
    height = ball_ground(course.ground, float(course.body.table.radius.max()))
    rules = PoseRules.of(course.body.leg_length, margin=0.006 / 0.187, least=0.0025 / 0.187, enough=0.003 / 0.187)
    rules = rules._replace(
        lift=0.010,
        heights=np.array([0.66, 0.58, 0.73, 0.50, 0.79, 0.42, 0.62, 0.54, 0.46]) * course.body.leg_length,
        pitches=np.array([0.0, -0.15, 0.15, -0.32, 0.32, -0.5, 0.5, -0.41, 0.41]),
        rolls=np.array([0.0, 0.12, -0.12, 0.24, -0.24, 0.36, -0.36]),
    )
    sides = [aside if foot[1] > 0.0 else -aside for foot in course.feet]
    front = [bool(course.body.table.hip[leg, 0] > 0.0) for leg in range(4)]
    mate = [next(n for n in range(4) if n != leg and (sides[n] > 0.0) == (sides[leg] > 0.0)) for leg in range(4)]
    lattice: list[Array] = []
    for leg in range(4):
        j = round((sides[leg] + _HALF) / _SPACING)
        free = np.isfinite((costs.front if front[leg] else costs.hind)[:, j])
        rows = set(range(0, len(free), round(_PITCH / _SPACING)))
        rows |= set(np.flatnonzero(np.diff(free.astype(int)) != 0).tolist())
        rows |= {row + 1 for row in np.flatnonzero(np.diff(free.astype(int)) != 0).tolist()}
        places = [row for row in sorted(rows) if row < len(free) and free[row]]
        lattice.append(np.array([[row * _SPACING, sides[leg], height[row, j]] for row in places]))
    starts = [np.vstack([course.feet[leg][None], lattice[leg]]) for leg in range(4)]
    state, seen, tests, poses = (0, 0, 0, 0), {(0, 0, 0, 0)}, 0, np.zeros((2, 6))
    waiting = [(-float(course.feet[:, 0].sum()), state)]
    while waiting:
        total, state = heapq.heappop(waiting)
        if -total / 4.0 >= _GOAL - 0.02:
            return True, tests
        feet = np.stack([starts[leg][state[leg]] for leg in range(4)])
        for leg in range(4):
            for number in range(1, len(starts[leg])):
                place = starts[leg][number]
                way = place[0] - feet[leg, 0]
                if not -_BACK <= way <= _LONGEST or abs(way) < 0.01:
                    continue
                ahead = (place[0] - feet[mate[leg], 0]) * (1.0 if front[leg] else -1.0)
                following = (*state[:leg], number, *state[leg + 1 :])
                if not _NEAREST <= ahead <= _FARTHEST or abs(ahead) < 0.03 or following in seen:
                    continue
                if tests >= _MOST_TESTS:
                    return None, tests
                tests += 1
                room, _ = test(scene, rules, feet, leg, place.copy(), apex_of(scene, feet[leg], place, 0.010), poses)
                if room >= rules.least:
                    seen.add(following)
                    heapq.heappush(waiting, (total - way, following))
    return False, tests


def planned(course: KnownCourse) -> tuple[str, float]:
    """Why the planner refuses a course, empty where it has footsteps, and the processor time that it took [s]."""
    began = time.process_time()
    try:
        plan_footsteps(course)
    except NoPlanError as error:
        return str(error), time.process_time() - began
    return "", time.process_time() - began


def named(reason: str, things: tuple[Thing, ...]) -> Thing | None:
    """The obstacle that a refusal names, by kind and size; None: it names none of them."""
    for kind, pattern in (
        ("wall", r"a wall ([\d.]+) cm"),
        ("step", r"a step of ([\d.]+)"),
        ("gap", r"a gap of ([\d.]+)"),
    ):
        told = re.search(pattern, reason)
        where = re.search(r"x ([\d.]+) m", reason)
        if told is None or where is None:
            continue
        size, place = 0.01 * float(told[1]), float(where[1])
        # A gap is told from foothold to foothold, which keep 1 to 3 cm off each edge.
        spare = 0.065 if kind == "gap" else 0.012
        for thing in things:
            # A wall that bears a foot is a step to whoever comes to it.
            if (
                kind in (thing.kind, {"wall": "step"}.get(thing.kind))
                and -0.005 <= size - abs(thing.size) <= spare
                and abs(place - thing.at) < 0.08
            ):
                return thing
    return None


def main() -> None:
    """Check courses and print one line per course."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--courses", type=int, default=50)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    body, rows = LeggedBody.of(Robot.load("littledog")), list[dict[str, Any]]()
    planned(course_of(body, ()))
    for seed in range(options.seed, options.seed + options.courses):
        things = things_of(np.random.default_rng(seed))
        reason, spent = planned(course_of(body, things))
        way, tests = exhaustive(course_of(body, things)) if reason else (True, 0)
        told = named(reason, things) if reason else None
        without = not planned(course_of(body, tuple(each for each in things if each != told)))[0] if told else None
        alone = bool(planned(course_of(body, (told,)))[0]) if told else None
        rows.append(
            {"seed": seed, "things": [vars(each) for each in things], "reason": reason, "seconds": spent, "way": way}
            | {"tests": tests, "named": told is not None, "without": without, "alone": alone}
        )
        text = ", ".join(f"{each.kind} {100.0 * each.size:.1f}" for each in things)
        print(f"{seed} {text}: {'plan' if not reason else f'refused ({reason})'}; {spent:.2f} s", end="")
        print(f"; exhaustive: {way} ({tests} steps); without it a plan: {without}, alone none: {alone}", flush=True)
    refused = [row for row in rows if row["reason"]]
    print(
        f"{len(rows)} courses, {len(refused)} refused, longest {max((r['seconds'] for r in refused), default=0):.2f} s"
    )
    print(f"  refused although the exhaustive search finds a way: {sum(row['way'] is True for row in refused)}")
    print(f"  exhaustive search stopped: {sum(row['way'] is None for row in refused)}")
    print(f"  named an obstacle of the course: {sum(row['named'] for row in refused)}")
    print(f"  without it a plan: {sum(bool(row['without']) for row in refused)}; it alone refused: ", end="")
    print(sum(bool(row["alone"]) for row in refused))
    if options.out is not None:
        options.out.write_text(json.dumps(rows, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()
