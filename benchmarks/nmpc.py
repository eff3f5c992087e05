"""Measures the predictive control of a rigid body: a trot with pushes, closed on the body's own model.

    OMP_NUM_THREADS=1 python benchmarks/nmpc.py --solves 2000 --every 20

A body like a Go2's trots at 0.5 m/s, stands in between, and is pushed for 0.1 s once a second in directions of a
seeded generator. It is solved at 100 Hz on a grid of 30 ms (the first interval ends at the next grid point); the plant
integrates the same rigid body in steps of 1 ms. Every k-th problem of that run is also solved by DAQP, IPOPT and
fatrop, from the same guess. Then the same loop runs with the converged solver (IPOPT), and the tracking errors are
compared. Times are processor times of the thread, since other programs may run; wall times stand beside them.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante.planning.nmpc.converged import ConvergedMethod, ConvergedNmpc
from andante.planning.nmpc.dynamics import next_state
from andante.planning.nmpc.online import OnlineNmpc, QpMethod
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, RigidBody
from andante.planning.nmpc.rollout import shifted
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver import NmpcSolver
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
GO2 = RigidBody(15.2, np.diag([0.15, 0.42, 0.48]))
HIPS = np.array([[0.1934, 0.142, 0.0], [0.1934, -0.142, 0.0], [-0.1934, 0.142, 0.0], [-0.1934, -0.142, 0.0]])
HEIGHT = 0.29
SPEED = 0.5
PERIOD = 12
"""Intervals of a stride; each foot stands for half of it, diagonal pairs in turn."""
OFFSETS = (0, 6, 6, 0)
STRIDES = 12
"""Strides after which the pattern repeats; it stands during the last two."""
PUSH_TIME, PUSH_EVERY = 0.1, 100
SOLVES_PER_STEP = 3
PLANT_STEP = 1e-3
LEASH = 0.05
"""How far the wanted place may be from the body's [m]."""


@dataclass
class Times:
    """What solves took."""

    processor: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    iterations: list[int] = field(default_factory=list)
    failed: int = 0

    def solve(self, solver: NmpcSolver, problem: NmpcProblem, guess: NmpcSolution | None) -> NmpcSolution:
        """Solve and note."""
        processor, wall = time.thread_time(), time.perf_counter()
        solution = solver.solve(problem, guess)
        self.processor.append(1e3 * (time.thread_time() - processor))
        self.wall.append(1e3 * (time.perf_counter() - wall))
        self.iterations.append(solution.iterations)
        self.failed += not solution.solved
        return solution

    def row(self, name: str) -> str:
        """A line of the table; a short run may have no solve of a kind."""
        if not self.processor:
            return f"{name:<22}{0:6d}"
        p50, p95, top = np.percentile(self.processor, [50, 95, 100])
        wall50, wall95 = np.percentile(self.wall, [50, 95])
        middle, most = np.percentile(self.iterations, [50, 100])
        return (
            f"{name:<22}{len(self.wall):6d}{p50:9.3f}{p95:9.3f}{top:9.3f}{wall50:9.3f}{wall95:9.3f}"
            f"{middle:7.0f}{most:6.0f}{self.failed:8d}"
        )


class Loop:
    """A closed loop of one solver on the rigid body.

    Args:
        solver: The solver.
        impulse: Impulse of a push [N s].
        seed: Seed of the pushes' directions.
    """

    def __init__(self, solver: NmpcSolver, impulse: float, seed: int) -> None:
        self.solver = solver
        self.impulse = impulse
        self.random = np.random.default_rng(seed)
        self.state = np.array([0.0, 0.0, HEIGHT, *[0.0] * 9])
        self.feet = HIPS.copy()
        self.wanted = np.zeros(2)
        self.push, self.push_until = np.zeros(3), -1.0
        self.held: tuple[int, NmpcSolution] | None = None
        self.errors: list[Array] = []
        self.cost: list[float] = []
        self.violation = 0.0
        self.times = Times()
        self._landings = HIPS.copy()
        self._stood = np.ones(4, dtype=bool)

    def contacts(self, index: int) -> NDArray[np.bool_]:
        """Which feet stand in the intervals from a grid index on, (n, 4)."""
        rows = index + np.arange(self.solver.settings.states - 1)
        still = (rows // PERIOD) % STRIDES >= STRIDES - 2
        stands = [(rows - offset) % PERIOD < PERIOD // 2 for offset in OFFSETS]
        return np.stack([still | each for each in stands], axis=1)

    def problem(self, now: float, index: int) -> NmpcProblem:
        """What is asked at a time within a grid interval."""
        settings = self.solver.settings
        count, step = settings.states - 1, settings.step
        durations = np.full(count, step)
        durations[0] = (index + 1) * step - now
        contact = self.contacts(index)
        for foot in np.flatnonzero(contact[0] & ~self._stood):
            self.feet[foot] = self._landings[foot]
        ahead = np.concatenate([[0.0], np.cumsum(durations)])
        speed = 0.0 if contact[0].all() else SPEED
        reference = np.zeros((count + 1, 12))
        reference[:, 0] = self.wanted[0] + speed * ahead
        reference[:, 1], reference[:, 2], reference[:, 6] = self.wanted[1], HEIGHT, speed
        # Footholds: below the hip at mid stance, and further out the faster the body goes than it should.
        beside = math.sqrt(HEIGHT / GRAVITY) * (self.state[6:8] - (speed, 0.0))
        places = np.empty((count, 4, 3))
        self._stood = contact[0]
        for foot in range(4):
            place, stands = self.feet[foot].copy(), bool(contact[0, foot])
            landing = None
            for row in range(count):
                if contact[row, foot] and not stands:
                    middle = ahead[row] + 0.25 * PERIOD * step
                    place[:2] = self.state[:2] + HIPS[foot, :2] + (speed * middle, 0.0) + beside
                    landing = place.copy() if landing is None else landing
                stands = bool(contact[row, foot])
                places[row, foot] = place
            if landing is not None and not contact[0, foot]:
                self._landings[foot] = landing
        return NmpcProblem(self.state.copy(), reference, durations, contact, places, np.zeros(count + 1))

    def run(
        self, solves: int, seen: Callable[[int, NmpcProblem, NmpcSolution | None, NmpcSolution], None] | None = None
    ) -> None:
        """Go on for some solves.

        Raises:
            RuntimeError: The solver found no solution.
        """
        for number in range(solves):
            index, part = divmod(number, SOLVES_PER_STEP)
            problem = self.problem((index + part / SOLVES_PER_STEP) * self.solver.settings.step, index)
            guess = None if self.held is None else shifted(self.held[1], index - self.held[0])
            solution = self.times.solve(self.solver, problem, guess)
            if not solution.solved:
                raise RuntimeError(f"solve {number}: {solution.status}: {solution.reason}")
            if seen is not None:
                seen(number, problem, guess, solution)
            self.held = index, solution
            self._note(problem, solution)
            self._advance(problem, solution, number)

    def _note(self, problem: NmpcProblem, solution: NmpcSolution) -> None:
        settings, weight = self.solver.settings, GO2.mass * GRAVITY
        forces = solution.forces
        left = np.maximum(np.abs(forces[..., :2]).max(axis=-1) - settings.friction * forces[..., 2], 0.0)
        left = np.maximum(left, settings.least_force * weight - forces[..., 2])
        left = np.maximum(left, forces[..., 2] - settings.largest_force * weight)
        left = np.where(problem.contact, left, np.abs(forces).max(axis=-1))
        self.violation = max(self.violation, float(left.max()))
        error = self.state - problem.reference[0]
        self.errors.append(error)
        self.cost.append(float(0.5 * np.dot(np.array(settings.weights), error * error)))

    def _advance(self, problem: NmpcProblem, solution: NmpcSolution, number: int) -> None:
        """Move the plant until the next solve."""
        length = self.solver.settings.step / SOLVES_PER_STEP
        if number % PUSH_EVERY == PUSH_EVERY // 2:
            angle = self.random.uniform(0.0, 2.0 * math.pi)
            self.push = self.impulse / PUSH_TIME * np.array([math.cos(angle), math.sin(angle), 0.0])
            self.push_until = number * length + PUSH_TIME
        for tick in range(round(length / PLANT_STEP)):
            self.state = next_state(GO2, self.state, solution.forces[0], problem.feet[0], PLANT_STEP)
            if number * length + tick * PLANT_STEP < self.push_until - 1e-9:
                self.state[6:9] += self.push / GO2.mass * PLANT_STEP
        self.wanted[0] += problem.reference[0, 6] * length
        self.wanted = np.clip(self.wanted, self.state[:2] - LEASH, self.state[:2] + LEASH)

    def tracking(self) -> str:
        """Root mean squares of the errors, and of the weighted error."""
        rms = np.sqrt(np.mean(np.square(self.errors), axis=0))
        tilt, height, speed = math.hypot(rms[3], rms[4]), rms[2], math.hypot(rms[6], rms[7])
        return (
            f"height {1e3 * height:.2f} mm, tilt {tilt:.4f} rad, yaw {rms[5]:.4f} rad, "
            f"horizontal speed {speed:.4f} m/s, weighted {self.weighted():.4f}"
        )

    def weighted(self) -> float:
        """Root of the mean weighted square of the errors."""
        return math.sqrt(2.0 * float(np.mean(self.cost)))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solves", type=int, default=2000, help="solves of the online loop")
    parser.add_argument("--every", type=int, default=20, help="every which problem the others solve too; 0: none")
    parser.add_argument("--converged", type=int, default=None, help="solves of the converged loop; as many by default")
    parser.add_argument("--impulse", type=float, default=15.0, help="impulse of a push [N s]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the pushes' directions")
    options = parser.parse_args()
    if options.solves < 1 or options.every < 0 or (options.converged or 0) < 0:
        parser.error("--solves is 1 or more, --every and --converged are 0 or more")
    settings = NmpcSettings()
    online = OnlineNmpc(settings, GO2)
    began = time.perf_counter()
    Loop(online, 0.0, 0).run(2)
    print(f"first solves, with loading or compiling kernels: {time.perf_counter() - began:.1f} s")
    others: dict[str, tuple[NmpcSolver, Times]] = {}
    if options.every:
        others["online, DAQP"] = OnlineNmpc(settings, GO2, QpMethod.DAQP), Times()
        for method in ConvergedMethod:
            began = time.perf_counter()
            others[f"CasADi + {method}"] = ConvergedNmpc(settings, GO2, method), Times()
            print(f"CasADi + {method} made in {time.perf_counter() - began:.1f} s")
    gaps: list[float] = []
    feet: list[int] = []

    def compare(number: int, problem: NmpcProblem, guess: NmpcSolution | None, solution: NmpcSolution) -> None:
        feet.append(int(problem.contact.sum()))
        if options.every and number % options.every == 0:
            costs = [times.solve(solver, problem, guess).cost for solver, times in others.values()]
            gaps.append(solution.cost / min(costs) - 1.0)

    loop = Loop(online, options.impulse, options.seed)
    loop.run(options.solves, compare)
    print(f"\n{'solver':<22}{'solves':>6}{'p50':>9}{'p95':>9}{'max':>9}{'wall50':>9}{'wall95':>9}{'iter':>7}{'most':>6}"
          f"{'failed':>8}   [ms]")  # fmt: skip
    print(loop.times.row("online"))
    standing = np.array(feet) > 60
    for name, which in (("  mostly two feet", ~standing), ("  more than two feet", standing)):
        part = Times(
            *(list(np.array(each)[which]) for each in (loop.times.processor, loop.times.wall, loop.times.iterations))
        )
        print(part.row(name))
    for name, (_, times) in others.items():
        print(times.row(name))
    middle = float(np.median(loop.times.processor))
    for name, (_, times) in others.items():
        print(f"{name}: {np.median(times.processor) / middle:.1f} times the online solver's middle time")
    print(f"largest violation of friction and unilateral limits: {loop.violation:.1e} N")
    if gaps:
        middle, high = np.percentile(gaps, [50, 95])
        print(f"cost above the converged one's after one step: middle {middle:.1e}, 95 % {high:.1e}")
    print(f"online:    {loop.tracking()}")
    solves = options.solves if options.converged is None else options.converged
    if solves:
        again = Loop(online, options.impulse, options.seed)
        again.run(solves)
        converged = Loop(ConvergedNmpc(settings, GO2, ConvergedMethod.IPOPT), options.impulse, options.seed)
        converged.run(solves)
        print(f"converged: {converged.tracking()} ({solves} solves)")
        print(f"weighted tracking error, online to converged: {again.weighted() / converged.weighted():.4f}")


if __name__ == "__main__":
    main()
