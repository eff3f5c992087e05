"""The way of a dynamic quadruped's body over a board, planned without walking it: what `andante plan` shows of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from andante.errors import AndanteError
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.global_plan.body import GlobalBody
from andante.planning.quadruped.global_plan.planner import GlobalPlan, GlobalStatus
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.controls.quadruped import QuadrupedControl
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.terrain import Terrain


class BodyPlanError(AndanteError):
    """A task that has no way of a body to be planned."""


@dataclass(frozen=True, eq=False)
class BodyPlanned:
    """A task and the plan of its body."""

    robot: Robot
    """The robot, as it is driven."""
    terrain: Terrain
    """The board."""
    known: ElevationMap
    """The map by which the way was planned."""
    body: GlobalBody
    """What the plan knows of the robot."""
    start: tuple[float, float]
    """Where the robot starts [m]."""
    goal: tuple[float, float]
    """Where it goes [m]."""
    answer: GlobalPlan
    """The plan, or why there is none."""
    spent: float
    """Processor time that it took [s]."""

    @property
    def whole(self) -> bool:
        """Whether the plan ends at the goal."""
        return self.answer.status in (GlobalStatus.VALID, GlobalStatus.AT_GOAL)

    def data(self) -> dict[str, Any]:
        """As plain data, each state with its time and primitive."""
        found, plan = self.answer, self.answer.body
        data: dict[str, Any] = {
            "robot": self.robot.name,
            "terrain": self.terrain.name,
            "start": list(self.start),
            "goal": list(self.goal),
            "status": str(found.status),
            "reason": found.reason,
            "spent": self.spent,
            "statistics": asdict(found.statistics),
            "notes": list(self.terrain.notes),
        }
        if plan is not None:
            data["step"] = plan.step
            data["primitives"] = [Primitive(int(each)).name for each in plan.primitives]
            data["states"], data["forces"] = plan.states.tolist(), plan.forces.tolist()
        return data

    def lines(self) -> Iterator[str]:
        """What came out, for people."""
        found, plan, took = self.answer, self.answer.body, self.answer.statistics
        title = f"{self.robot.name} on {self.terrain.name}"
        if plan is None:
            yield f"{title}: {found.status}"
            yield f"  {found.reason or 'start and goal are the same place'}"
        else:
            leaps = "1 leap" if took.leaps == 1 else f"{took.leaps} leaps"
            part = "" if self.whole else ", a part of the way"
            yield f"{title}: {plan.length:.2f} m in {plan.duration:.2f} s, {leaps}{part}"
            if found.reason:
                yield f"  {found.reason}"
            for number, (first, last) in enumerate(flights(plan.primitives), 1):
                x, y = plan.states[first, :2].tolist()
                far = float(np.hypot(*(plan.states[last - 1, :2] - plan.states[first, :2])))
                flown = f"flies {far:.2f} m in {plan.step * (last - first):.2f} s"
                yield f"  leap {number}: takes off at {x:.2f}, {y:.2f} m, {flown}"
        yield f"  {took.checks} states tested, {took.horizons} pairs of trees, {took.solutions} ways found"
        yield f"  planned in {self.spent:.2f} s of processor time"
        yield from (f"  {line}" for line in self.known.way_lines([self.start, self.goal]))
        yield from (f"  {note}" for note in self.terrain.notes)


def flights(primitives: Any) -> list[tuple[int, int]]:
    """First row of each flight of a plan, and the row after it."""
    flying = np.concatenate([[False], np.asarray(primitives) == Primitive.FLIGHT, [False]]).astype(np.int64)
    return [(int(first), int(last)) for first, last in np.flatnonzero(np.diff(flying)).reshape(-1, 2)]


def plan_body(task: QuadrupedTask) -> BodyPlanned:
    """Plan the way of a task's body over its board, as its walk would.

    Raises:
        AndanteError: The task has no board or no goal, or something of it is not legal.
    """
    if task.board is None or task.steered:
        raise BodyPlanError(
            "a way of a body is planned over a board to a goal", place="--board", remedy="give a board, without a twist"
        )
    scenario = task.scenario()
    control, world = scenario.controller, scenario.world
    if not isinstance(control, QuadrupedControl) or control.goal is None or world.terrain is None:
        raise BodyPlanError("this walk has no way of a body to be planned", value=scenario.controller.type)
    known = control.map.known(world)
    if known is None:
        raise BodyPlanError("a way of a body needs a map", value=scenario.controller.type)
    robot = load_declared(scenario)
    began = time.process_time()
    body, answer = control.body_plan(robot, world)
    spent = time.process_time() - began
    start = (world.start.x, world.start.y)
    return BodyPlanned(robot, world.terrain.load(), known, body, start, control.goal, answer, spent)
