"""One run of the suite `quadruped`, and what is kept of it."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from andante.backends.backend import DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push
from andante.control.guard import Guard
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.nmpc.solver_packages import require_solver_packages
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.settings import GO2_LEG
from andante.robots.robot import Robot
from andante.runs.build import Parts, load_declared
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.controls.steering import SteeringChange
from andante.runs.execute import session_of
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.metrics import QuadrupedMetrics, Window
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.search.errors import SearchError
from andante.search.observers.quadruped import QuadrupedKind, recovered
from andante.search.suites.quadruped_costs import Growth, ProblemKeeper, SolverFigures, compare, growth_of

BEGIN = 0.5
"""When a task's twist is asked first [s]."""
_KEPT = 6
_STREAM = 1717
"""Keeps the suite's own draws apart from the world's, which come from the same seed."""
_PUSH = 0.1


@dataclass(frozen=True)
class QuadrupedSetup:
    """One run; picklable."""

    task: QuadrupedTask
    """What is run; its seed is replaced."""
    label: str = ""
    """What it is, in a few words."""
    steering: tuple[tuple[float, float, float, float], ...] = ()
    """Times [s] and twists in place of the task's twist."""
    latency: float | None = None
    """Time that a plan takes; None: as the local planner declares [s]."""
    late: tuple[tuple[str, float], ...] = ()
    """Fields of the world that say how late readings and commands come, with their values."""
    by_leg: bool = False
    """Speeds are for Go2 and grow with the square root of the leg's length."""
    jitter: float = 0.0
    """The push comes up to so much later, drawn by the seed [s]."""
    window: tuple[float, float] | None = None
    """When the gait is steady; None: the second half of the time in which the twist is asked [s]."""
    pushes: tuple[tuple[float, float, float, float], ...] = ()
    """Times [s] and impulses [N s] of pushes of 0.1 s in place of the task's."""
    watched: bool = True
    """Whether the run is measured; otherwise only its speed and the growth of the process are."""
    compared: bool = False
    """Whether its problems are solved again by all solvers."""
    clocked: bool = False
    """Whether times by the clock on the wall are kept, which are others in every run."""

    def scenario(self, seed: int) -> Scenario:
        """The run as a scenario.

        Raises:
            AndanteError: It cannot be made.
        """
        task = replace(self.task, seed=seed)
        if self.by_leg and task.twist is not None:
            factor = math.sqrt(_leg_length(task.robot) / GO2_LEG)
            forward, lateral, turn = task.twist
            task = replace(task, twist=(factor * forward, factor * lateral, turn))
        if self.jitter > 0.0 and task.push is not None:
            late = float(np.random.default_rng([seed, _STREAM]).uniform(0.0, self.jitter))
            task = replace(task, push=(task.push[0] + late, *task.push[1:]))
        scenario = task.scenario()
        control = scenario.controller
        if not isinstance(control, QuadrupedControl):
            raise SearchError("is no run of a dynamic quadruped", value=type(control).__name__)
        if self.steering:
            changes = [dict(zip(("time", "forward", "lateral", "turn"), each, strict=True)) for each in self.steering]
            steering = tuple(SteeringChange.model_validate(change) for change in changes)
            control = control.model_copy(update={"steering": steering})
        if self.latency is not None:
            control = control.model_copy(update={"local": control.local.changed(latency=self.latency)})
        world = scenario.world
        if self.pushes:
            pushes = tuple(Push(time=at, duration=_PUSH, impulse=(x, y, z)) for at, x, y, z in self.pushes)
            world = world.model_copy(update={"pushes": pushes})
        if self.late:
            world = world.model_copy(update=dict(self.late))
        settle = scenario.settle
        if not self.steering and task.twist is not None and not any(task.twist):
            # A robot of which nothing is asked is done at once; it is looked at for all the time.
            settle = BEGIN + task.seconds
        return scenario.model_copy(update={"controller": control, "world": world, "settle": settle})

    @property
    def steady(self) -> Window:
        """When the gait is steady."""
        seconds = self.task.seconds
        return Window(*(self.window or (BEGIN + 0.5 * seconds, BEGIN + seconds)))


@dataclass(frozen=True)
class Timings:
    """What the clocks say of one run."""

    solve: tuple[float, float]
    """Median and 95th percentile of the time of a solve, by the clock on the wall [s]."""
    plan: tuple[float, float]
    """The same of a local plan, by the processor's clock [s]."""
    speed: float
    """Simulated time over processor time of the whole session."""
    solves: int
    """Number of solves."""


@dataclass(frozen=True)
class QuadrupedResult:
    """What came of one run."""

    label: str
    """What was run."""
    seed: int
    """Seed."""
    metrics: QuadrupedMetrics | None
    """The numbers; None where only speed and growth were measured."""
    place: tuple[float, float, float]
    """Where the centre of mass was at the end [m]."""
    excess: float = 0.0
    """How far a planned force left friction pyramid or bounds, the largest [N]."""
    iterations: tuple[float, float] = (0.0, 0.0)
    """Mean and largest number of iterations of a solve."""
    push: float | None = None
    """When the first push came [s]."""
    slope: float = 0.0
    """Grade of the floor."""
    standing: float = math.nan
    """Height of the centre of mass over the ground in standing, as it is asked for [m]."""
    timings: Timings | None = None
    """Times, where they were asked for."""
    growth: Growth | None = None
    """Speed of the run and growth of the process, where they were asked for."""
    solvers: tuple[SolverFigures, ...] = ()
    """What each solver took, where it was asked for."""

    @property
    def upright(self) -> bool:
        """Neither fell nor gave up."""
        return self.metrics is None or self.metrics.upright

    @property
    def recovered(self) -> bool:
        """See `andante.search.observers.quadruped.recovered`."""
        return self.upright and (self.metrics is None or recovered(self.metrics))

    def data(self) -> dict[str, Any]:
        """The result as plain data; numbers that are none are None."""
        plain: dict[str, Any] = _rounded(asdict(self))
        return plain


def run_quadruped(setup: QuadrupedSetup, seed: int) -> QuadrupedResult:
    """Run one seed.

    Raises:
        AndanteError: The setup cannot be run.
    """
    if setup.compared:
        require_solver_packages()
    scenario = setup.scenario(seed)
    parts = parts_of(scenario)
    watch = QuadrupedKind(begin=setup.steady.begin, end=setup.steady.end).observer(scenario, parts)
    control, controller = scenario.controller, parts.controller
    if not isinstance(control, QuadrupedControl) or not isinstance(controller, QuadrupedController):
        raise SearchError("is no run of a dynamic quadruped", value=type(controller).__name__)
    if not setup.watched:
        with session_of(scenario, parts) as session:
            growth = growth_of(session)
        x, y, z = parts.backend.truth()["com"].tolist()  # type: ignore[index]
        return QuadrupedResult(setup.label, seed, None, (x, y, z), growth=growth)
    nmpc, keeper = control.local.fitted(controller.body).nmpc, ProblemKeeper(controller)
    session = session_of(scenario, parts, observers=(watch, keeper) if setup.compared else (watch,))
    broken = ""
    began = time.process_time()
    try:
        with session:
            while session.ending is None:
                session.step()
        outcome = session.outcome()
        if outcome.error is not None:
            raise outcome.error
        broken = outcome.reason
    except DivergenceError as error:
        broken = str(error)
    spent = time.process_time() - began
    watch.ended(session.ending, broken)
    plans, timings = watch.plans, None
    if setup.clocked and plans and not broken:
        own = [spent for _, spent in session.outcome().plans]
        timings = Timings(
            _percentiles([plan.wall for plan in plans]), _percentiles(own), session.time / spent, len(plans)
        )
    pushes = scenario.world.pushes
    return QuadrupedResult(
        setup.label,
        seed,
        watch.metrics(),
        watch.place,
        watch.excess,
        (
            sum(plan.iterations for plan in plans) / max(len(plans), 1),
            float(max((plan.iterations for plan in plans), default=0)),
        ),
        pushes[0].time if pushes else None,
        setup.task.slope,
        controller.body.height,
        timings,
        solvers=tuple(compare(keeper.problems, nmpc, controller.body.rigid)) if setup.compared else (),
    )


def parts_of(scenario: Scenario) -> Parts:
    """What a run without pictures is made of; the robot is read once per process.

    Raises:
        AndanteError: Something does not exist, cannot be read or does not fit.
    """
    control = scenario.controller
    drives = (control.local.standing, control.estimator) if isinstance(control, QuadrupedControl) else (0.0, "")
    robot = _robot(scenario, *drives)
    controller = control.controller(robot, scenario.world)
    world = MujocoWorld(robot, scenario.world)
    planner = control.planner(controller, scenario.world)
    guard = Guard(robot, controller.period, scenario.guard)
    return Parts(robot, world, controller, guard, world.model, scenario.world.contact_threshold, planner=planner)


_ROBOTS: dict[tuple[str, float, str], Robot] = {}


def _robot(scenario: Scenario, standing: float, estimator: str) -> Robot:
    key = scenario.robot, standing, estimator
    found = _ROBOTS.get(key)
    if found is None:
        found = _ROBOTS[key] = load_declared(scenario)
    return found


@lru_cache(maxsize=16)
def _leg_length(robot: str) -> float:
    return QuadrupedBody.of(Robot.load(robot)).legs.leg_length


def _percentiles(values: list[float]) -> tuple[float, float]:
    middle, high = np.percentile(values, (50.0, 95.0)).tolist()
    return middle, high


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _KEPT) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return value
