"""Measures the predictive control of a rigid body: a trot with pushes, closed on the body's own model.

    OMP_NUM_THREADS=1 python benchmarks/nmpc.py --solves 2000 --every 20

A body like a Go2's trots at 0.5 m/s, is solved at 100 Hz on a grid of 30 ms (the first interval ends at the next grid
point) and pushed for 0.1 s in directions of a seeded generator. It stands in between, so that phases with four feet
are among the solves. The plant integrates the same rigid body in steps of 1 ms. Every k-th problem of that run is also
solved by IPOPT and fatrop, each from its own last solution; the loops of the tracking comparison are whole runs.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.online import OnlineNmpc
from andante.planning.nmpc.problem import NmpcProblem, NmpcSettings, NmpcSolution, NmpcSolver, RigidBody
from andante.planning.nmpc.rollout import shifted
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
GO2 = RigidBody(15.2, np.diag([0.15, 0.42, 0.48]))
HIPS = np.array([[0.1934, 0.142, 0.0], [0.1934, -0.142, 0.0], [-0.1934, 0.142, 0.0], [-0.1934, -0.142, 0.0]])
HEIGHT = 0.29
PERIOD = 12
"""Intervals of a stride; each foot stands for half of it, diagonal pairs in turn."""
OFFSETS = (0, 6, 6, 0)
PUSH_TIME = 0.1
SOLVES_PER_STEP = 3
PLANT_STEP = 1e-3


@dataclass
class Loop:
    """A closed loop of one solver."""

    solver: NmpcSolver
    impulse: float
    """Impulse of a push [N s]."""
    speed: float = 0.5
    """Wanted speed ahead [m/s]."""
    seed: int = 1
    stand: bool = True
    """Whether it stands for a second in every four."""
    pushes: bool = True
    state: Array = field(default_factory=lambda: np.array([0.0, 0.0, HEIGHT, *[0.0] * 9]))
    feet: Array = field(default_factory=HIPS.copy)
    wanted: Array = field(default_factory=lambda: np.zeros(3))
    """x, y, yaw that is wanted now."""
    errors: list[Array] = field(default_factory=list)
    solutions: list[NmpcSolution] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)
        self.push, self.push_until, self.last_index = np.zeros(3), -1.0, 0
        self.held: NmpcSolution | None = None

    def contacts(self, index: int) -> NDArray[np.bool_]:
        """Which feet stand in the intervals from a grid index on, (n, 4)."""
        count = self.solver.settings.states - 1
        flags = np.empty((count, 4), dtype=bool)
        for row in range(count):
            still = self.stand and ((index + row) // (2 * PERIOD)) % 6 == 5
            for foot in range(4):
                flags[row, foot] = still or (index + row - OFFSETS[foot]) % PERIOD < PERIOD // 2
        return flags

    def problem(self, time: float, index: int) -> NmpcProblem:
        """What is asked at a time within a grid interval."""
        settings = self.solver.settings
        count, step = settings.states - 1, settings.step
        durations = np.full(count, step)
        durations[0] = (index + 1) * step - time
        contact = self.contacts(index)
        reference = np.zeros((count + 1, 12))
        ahead = np.concatenate([[0.0], np.cumsum(durations)])
        moving = 0.0 if contact.all(axis=1)[0] else self.speed
        reference[:, 0] = self.wanted[0] + moving * ahead
        reference[:, 1], reference[:, 2], reference[:, 6] = self.wanted[1], HEIGHT, moving
        velocity = self.state[6:8] - (moving, 0.0)
        places = np.empty((count, 4, 3))
        for foot in range(4):
            place = self.feet[foot].copy()
            stands = True
            for row in range(count):
                if contact[row, foot] and not stands:
                    middle = ahead[row] + 0.25 * PERIOD * step
                    place[0] = self.state[0] + HIPS[foot, 0] + moving * middle
                    place[1] = self.state[1] + HIPS[foot, 1]
                    place[:2] += math.sqrt(HEIGHT / GRAVITY) * velocity
                stands = contact[row, foot]
                places[row, foot] = place
        return NmpcProblem(self.state, reference, durations, contact, places, np.zeros(count + 1))

    def run(self, solves: int, seen: Callable[[NmpcProblem, NmpcSolution], None] | None = None) -> None:
        """Go on for some solves.

        Raises:
            RuntimeError: The solver found no solution.
        """
        step = self.solver.settings.step
        for number in range(solves):
            index, part = divmod(number, SOLVES_PER_STEP)
            time = (index + part / SOLVES_PER_STEP) * step
            problem = self.problem(time, index)
            if number:
                for foot in range(4):
                    if problem.contact[0, foot] and not self.standing[foot]:
                        self.feet[foot] = self.next_feet[foot]
                problem = self.problem(time, index)
            guess = None if self.held is None else shifted(self.held, index - self.last_index)
            solution = self.solver.solve(problem, guess)
            if seen is not None:
                seen(problem, solution)
            if not solution.solved:
                raise RuntimeError(f"solve {number}: {solution.status}: {solution.reason}")
            self.solutions.append(replace(solution, states=solution.states[:1]))
            self.held, self.last_index = solution, index
            self.standing = problem.contact[0]
            self.next_feet = self._next_feet(problem)
            self.advance(problem, solution, number)

    def _next_feet(self, problem: NmpcProblem) -> Array:
        feet = problem.feet[0].copy()
        for foot in range(4):
            landing = np.flatnonzero(problem.contact[:, foot])
            if not problem.contact[0, foot] and len(landing):
                feet[foot] = problem.feet[landing[0], foot]
        return feet

    def advance(self, problem: NmpcProblem, solution: NmpcSolution, number: int) -> None:
        """Move the plant until the next solve."""
        settings = self.solver.settings
        length = settings.step / SOLVES_PER_STEP
        if self.pushes and number % 100 == 50:
            angle = self.random.uniform(0.0, 2.0 * math.pi)
            self.push = self.impulse / PUSH_TIME * np.array([math.cos(angle), math.sin(angle), 0.0])
            self.push_until = number * length + PUSH_TIME
        body = self.solver.body  # type: ignore[attr-defined]
        ticks = round(length / PLANT_STEP)
        for tick in range(ticks):
            self.state = next_state(body, self.state, solution.forces[0], problem.feet[0], PLANT_STEP)
            if number * length + tick * PLANT_STEP < self.push_until:
                self.state[6:9] += self.push / body.mass * PLANT_STEP
        self.wanted[0] += problem.reference[0, 6] * length
        # The wanted place is never far from the body's, as with a leash.
        self.wanted[:2] += np.clip(self.state[:2] - self.wanted[:2] - 0.05, 0.0, None)
        self.wanted[:2] += np.clip(self.state[:2] - self.wanted[:2] + 0.05, None, 0.0)
        error = self.state - problem.reference[0]
        error[6] = self.state[6] - problem.reference[0, 6]
        self.errors.append(error)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=2000)
    parser.add_argument("--impulse", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    settings = NmpcSettings()
    loop = Loop(OnlineNmpc(settings, GO2), options.impulse, seed=options.seed)
    loop.solver.solve(loop.problem(0.0, 0))
    feet = []
    try:
        loop.run(options.solves, lambda p, s: feet.append(int(p.contact.sum())))
    except RuntimeError as e:
        print(e)
    times = np.array([each.time for each in loop.solutions]) * 1e3
    its = np.array([each.iterations for each in loop.solutions])
    e = np.array(loop.errors)
    print(
        "p50 p95 p99 max",
        np.percentile(times, [50, 95, 99, 100]).round(3),
        "its",
        np.percentile(its, [50, 95, 99, 100]),
    )
    print("rms", np.sqrt((e**2).mean(axis=0)).round(4), "max", abs(e).max(axis=0).round(3))
    feet = np.array(feet)[: len(times)]
    for lo, hi in ((50, 51), (51, 80), (80, 101)):
        m = (feet >= lo) & (feet < hi)
        if m.any():
            print(
                lo, hi, m.sum(), np.percentile(times[m], [50, 95, 100]).round(3), np.percentile(its[m], [50, 95, 100])
            )


if __name__ == "__main__":
    main()
