"""What a quadruped's control takes: speed of a session, growth of its process, and times of the solvers.

The problems of a closed loop are solved again by every solver of the predictive control, one after the other.
"""

from __future__ import annotations

import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from andante.backends.backend import Backend
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.nmpc.online import OnlineNmpc, QpMethod
from andante.planning.nmpc.problem import NmpcProblem, NmpcSolution, RigidBody
from andante.planning.nmpc.rollout import shifted
from andante.planning.nmpc.settings import NmpcSettings
from andante.planning.nmpc.solver import NmpcSolver
from andante.planning.quadruped.local_plan import LocalPlan
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session

EVERY = 20
"""One problem of so many is solved again."""
_EVERY = 2.0
"""Time of the run between two looks [s]."""
_SETTLED = 0.3
"""The first part of the run, in which caches fill, does not count."""
_STATUS = Path("/proc/self/statm")


@dataclass(frozen=True)
class SolverFigures:
    """What one solver took for the problems of a run."""

    name: str
    """Solver."""
    median: float
    """Median of the thread's processor time [s]."""
    high: float
    """95th percentile of it [s]."""
    unsolved: int
    """Problems without a solution."""
    problems: int
    """Number of problems."""
    cost: float
    """Median over the problems of its cost over the converged one's; nan where nobody converges."""


class ProblemKeeper(Observer):
    """Keeps problems of a run, each with the solution before it, moved on to its grid."""

    def __init__(self, controller: QuadrupedController) -> None:
        self._controller = controller
        self._forget()

    def _forget(self) -> None:
        self._plan: LocalPlan | None = None
        self._count = 0
        self.problems: list[tuple[NmpcProblem, NmpcSolution | None]] = []
        """Problems with their guesses."""

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._forget()

    def see(self, tick: Tick) -> None:
        """Look whether there is another plan."""
        plan, before = self._controller.plan, self._plan
        if plan is None or plan is before:
            return
        if self._count % EVERY == 0:
            guess = None
            if before is not None and not before.fallback:
                guess = shifted(before.solution, max(plan.index - before.index, 0))
            self.problems.append((plan.problem, guess))
        self._plan = plan
        self._count += 1


def compare(
    problems: list[tuple[NmpcProblem, NmpcSolution | None]], settings: NmpcSettings, body: RigidBody
) -> list[SolverFigures]:
    """Solve the same problems from the same guesses by each solver, each after two solves that do not count.

    Args:
        problems: Problems with guesses.
        settings: Costs and bounds.
        body: The body.
    """
    from andante.planning.nmpc.converged import ConvergedMethod, ConvergedNmpc

    solvers: dict[str, NmpcSolver] = {
        "online": OnlineNmpc(settings, body),
        "daqp": OnlineNmpc(settings, body, QpMethod.DAQP),
        "fatrop": ConvergedNmpc(settings, body, ConvergedMethod.FATROP),
        "ipopt": ConvergedNmpc(settings, body, ConvergedMethod.IPOPT),
    }
    times, costs, solved = {}, {}, {}
    for name, solver in solvers.items():
        for problem, guess in problems[:2]:
            solver.solve(problem, guess)
        took, cost, good = [], [], []
        for problem, guess in problems:
            begun = time.thread_time()
            solution = solver.solve(problem, guess)
            took.append(time.thread_time() - begun)
            cost.append(solution.cost)
            good.append(solution.solved)
        times[name], costs[name], solved[name] = np.array(took), np.array(cost), np.array(good)
    return [
        SolverFigures(
            name,
            float(np.median(times[name])),
            float(np.quantile(times[name], 0.95)),
            int((~solved[name]).sum()),
            len(problems),
            _ratio(costs[name], costs["ipopt"], solved[name] & solved["ipopt"]),
        )
        for name in solvers
    ]


def _ratio(above: np.ndarray, below: np.ndarray, known: np.ndarray) -> float:
    known = known & (below > 0.0)
    return float(np.median(above[known] / below[known])) if known.any() else float("nan")


@dataclass(frozen=True)
class Growth:
    """Speed of a run, and growth of its process by a straight line through what was seen after its first part."""

    speed: float
    """Time of the run over processor time of its steps, without the first, in which code is compiled."""

    memory: float
    """Resident memory [kB per minute of the run]."""
    objects: float
    """Objects that the collector knows, per minute of the run."""
    largest: float
    """Largest resident memory [kB]."""
    seconds: float
    """How long the run was [s]."""


def growth_of(session: Session) -> Growth:
    """Run a session to its end and watch the process; a session without a recorder has nothing that grows."""
    times, memory, objects = [], [], []
    due = _EVERY
    session.step()
    begun, first = time.process_time(), session.time
    while session.ending is None:
        session.step()
        if session.time >= due:
            paused = time.process_time()
            gc.collect()
            times.append(session.time)
            memory.append(resident())
            objects.append(float(len(gc.get_objects())))
            due += _EVERY
            begun += time.process_time() - paused
    spent = time.process_time() - begun
    speed = (session.time - first) / spent if spent > 0.0 else 0.0
    seen = np.array([times, memory, objects])
    seen = seen[:, seen[0] >= _SETTLED * session.time]
    if seen.shape[1] < 2:
        return Growth(speed, 0.0, 0.0, max(memory, default=resident()), session.time)
    minutes = seen[0] / 60.0
    slopes = [float(np.polyfit(minutes, row, 1)[0]) for row in seen[1:]]
    return Growth(speed, slopes[0], slopes[1], max(memory), session.time)


def resident() -> float:
    """Resident memory of this process [kB]; its largest so far where the system does not tell the present one."""
    if _STATUS.exists():
        import os

        return float(_STATUS.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024.0
    import resource

    most = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return most / 1024.0 if sys.platform == "darwin" else most
