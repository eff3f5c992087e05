"""Planning a walk: what is planned, how fast it would be, what it took, or why there is none; and walking it."""

from __future__ import annotations

import math
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.control.crawl.timeline import splice
from andante.kinematics.com_ik import stance_com
from andante.kinematics.leg_table import LeggedBody
from andante.planning.walk.request import PlanTimes, WalkAnswer, WalkRequest
from andante.planning.walk_plan import WalkPlan
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.execute import RunResult, run_scenario
from andante.runs.loop.runner import Progress
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.walk.goal import WalkCourse, WalkGoal
from andante.runs.tasks.walk.placing import standing_on
from andante.runs.tasks.walk.task import WalkTask, WalkTaskError
from andante.spatial.rotation_kernels import from_rpy, to_matrix
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.terrain import Terrain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from andante.planning.walk.planner import WalkPlanner


@dataclass(frozen=True, eq=False)
class PlannedWalk:
    """A plan, or why there is none."""

    robot: Robot
    """The robot."""
    terrain: Terrain
    """The true ground."""
    known: ElevationMap
    """What the planner knew of it where it began."""
    answer: WalkAnswer
    """What the planner answered."""
    line: WalkCourse
    """From the start to the goal."""
    spent: float
    """Time to the plan or to the refusal, by the wall clock [s]."""

    def __repr__(self) -> str:
        where = f"{self.robot.name} on {self.terrain.name}"
        if self.plan is None:
            return f"<PlannedWalk {where}: refused, {self.answer.reason}>"
        part = "" if self.answer.whole else ", a part of the way"
        steps, time = len(self.plan.swings), self.plan.duration
        return f"<PlannedWalk {where}: {steps} steps in {time:.2f} s, {100.0 * self.speed:.1f} cm/s{part}>"

    def _repr_png_(self) -> bytes | None:
        """A picture for notebooks; None without a plan."""
        from andante.pictures.figures import picture_bytes

        if self.plan is None:
            return None
        title = f"{self.robot.name} on {self.terrain.name}: planned, {100.0 * self.speed:.1f} cm/s"
        return picture_bytes(self.figure(title, self.plan))

    def figure(self, title: str, plan: WalkPlan) -> Figure:
        """A picture of the plan, or of a part of it, on the map by which it was made."""
        from andante.runs.tasks.walk.pictures import trace_of_plan, walk_figure

        return walk_figure(trace_of_plan(title, plan, self.robot, self.known, self.line, self.terrain.scale))

    @property
    def plan(self) -> WalkPlan | None:
        """The plan, of all the way or of its first part; None: there is none."""
        return self.answer.plan

    @property
    def speed(self) -> float:
        """Way of the centre of mass along the line to the goal over the time of the plan [m/s]; 0 without a plan."""
        if self.plan is None or self.plan.duration <= 0.0:
            return 0.0
        ahead, _ = self.line.along(self.plan.com)
        return float(ahead[-1] - ahead[0]) / self.plan.duration

    @property
    def slack(self) -> float:
        """Smallest angle between a leg's joint and its declared limit [rad]; infinite without a plan.

        The plan's own counts from limits that hold some of the knees' bend back for later.
        """
        if self.plan is None:
            return math.inf
        body = LeggedBody.of(self.robot)
        low, high = body.angles(self.robot.lower), body.angles(self.robot.upper)
        return float(np.minimum(self.plan.angles - low, high - self.plan.angles).min())

    def ground_lines(self) -> tuple[str, ...]:
        """What the map is like, and where the way begins and ends on it, for people."""
        return self.known.way_lines(self.line.corners)

    def data(self) -> dict[str, Any]:
        """Plan or refusal as plain data."""
        answer, times = self.answer, self.answer.times
        found: dict[str, Any] = {"verdict": "pass" if answer.whole else "fail", "reason": answer.reason}
        found |= {"robot": self.robot.name, "board": self.terrain.name, "seconds": self.spent}
        start, goal = self.line.ends
        known = self.known
        lowest, highest = (float(each(known.heights)) for each in (np.nanmin, np.nanmax))
        found |= {"notes": list(self.terrain.notes), "start": start, "goal": goal, "via": list(self.line.goal.via)}
        found["map"] = {
            "extent": known.extent, "lowest": lowest, "highest": highest, "spacing": known.spacing,
            "unknown": int((~known.known).sum()),
        }  # fmt: skip
        if self.plan is None:
            return found
        plan, names = self.plan, [foot.name for foot in self.robot.feet]
        steps = [
            {
                "foot": names[swing.leg],
                "place": [round(float(value), 6) for value in plan.footsteps.steps[swing.step].place],
                "apex": round(plan.footsteps.steps[swing.step].apex, 6),
                "lift_off": round(swing.lift_off * plan.period, 6),
                "touchdown": round(swing.touchdown * plan.period, 6),
            }
            for swing in plan.swings
        ]
        return found | {
            "whole": answer.whole,
            "attempt": answer.attempt,
            "duration": plan.duration,
            "speed": self.speed,
            "margin": float(np.nanmin(plan.margin)),
            "slack": self.slack,
            "times": {"footsteps": times.footsteps, "stances": times.stances, "trajectory": times.trajectory},
            "feet": dict(zip(names, np.round(plan.footsteps.feet, 6).tolist(), strict=True)),
            "footsteps": steps,
        }


def plan_scenario(scenario: Scenario, *, warm: bool = True) -> PlannedWalk:
    """Plan the walk of a scenario from its start, as seen without noise; the map is the one that its planner gets.

    Args:
        scenario: A scenario with a planned crawl over a terrain.
        warm: Plan a level course first, so that loading compiled code does not count as planning.

    Raises:
        WalkTaskError: It has no planned crawl or no terrain.
        AndanteError: Robot, terrain or course cannot be used: a start or goal off the map, for one.
    """
    control, choice = scenario.controller, scenario.world.terrain
    robot = load_declared(scenario)
    planner = None if choice is None else control.walk_planner(robot, scenario.world)
    if planner is None or choice is None:
        raise WalkTaskError("only a planned crawl over a terrain has a plan", value=control.type)
    terrain = choice.load()
    start = scenario.world.start
    line = WalkCourse.of(terrain, scenario.success.walk or WalkGoal())
    known = planner.maps.around(start.x, start.y)
    request = standing_request(robot, known, (start.x, start.y))
    planner.course(request)
    if warm:
        warm_up(robot)
    began = time.perf_counter()
    answer = _with_rest(planner, planner.plan(request))
    return PlannedWalk(robot, terrain, known, answer, line, time.perf_counter() - began)


def _with_rest(planner: WalkPlanner, first: WalkAnswer) -> WalkAnswer:
    """A walk to a place on the way, and what is planned from there on as far as it leads, in one; the robot is taken to
    stand at each place as planned."""
    whole, reached = first, -1
    while whole.plan is not None and not whole.whole and reached < planner.passed < len(planner.stops) - 1:
        reached, plan = planner.passed, whole.plan
        if not planner.there(plan.position[-1]):
            break
        rotation = to_matrix(from_rpy(plan.rpy[-1]))
        request = WalkRequest(
            whole.request.serial + 1, plan.duration, plan.position[-1], rotation, plan.com[-1], plan.feet[-1]
        )
        rest = planner.plan(request)
        if rest.plan is None:
            return replace(whole, reason=rest.reason)
        times = PlanTimes(*(a + b for a, b in zip(astuple(whole.times), astuple(rest.times), strict=True)))
        whole = replace(rest, plan=splice(plan, rest.plan, len(plan.com) - 1), times=times)
    return whole


def plan(task: WalkTask, *, warm: bool = True) -> PlannedWalk:
    """Plan a walk over a board, from its start to its goal, without walking it.

    Args:
        task: The walk.
        warm: Plan a level course first, so that loading compiled code does not count as planning.

    Raises:
        AndanteError: As `plan_scenario`.
    """
    return plan_scenario(task.scenario(), warm=warm)


def standing_request(robot: Robot, known: ElevationMap, start: tuple[float, float]) -> WalkRequest:
    """What a robot asks that stands at a place, by its map, and looks along x.

    Raises:
        AndanteError: It has other legs, its posture ``stand`` is none, or nothing of the map is known.
    """
    filled = known.filled("nearest")
    standing = standing_on(robot, filled, start)
    if standing is not None:
        pose = standing.pose
        return WalkRequest(1, 0.0, position=pose.position, rotation=pose.rotation, com=pose.com, feet=standing.feet)
    body = LeggedBody.of(robot)
    angles = body.angles(robot.posture("stand"))
    feet = np.stack([leg.place(angle) for leg, angle in zip(body.legs, angles, strict=True)])
    feet[:, :2] += start
    ground = filled.nearest(feet[:, :2]) + body.table.radius
    height = float((ground - feet[:, 2]).max())
    feet[:, 2] += height
    position = np.array([*start, height])
    com = stance_com(body, position, feet).com
    return WalkRequest(serial=1, time=0.0, position=position, rotation=np.eye(3), com=com, feet=feet)


def warm_up(robot: Robot) -> None:
    """Plan a level course, so that compiled code is loaded; what comes of it does not matter."""
    from andante.planning.walk.planner import WalkPlanner
    from andante.terrain.boards.make import make_board
    from andante.terrain.map_source import WholeMap

    body = LeggedBody.of(robot)
    terrain = make_board("flat", leg_length=body.leg_length)
    x, y = terrain.start
    planner = WalkPlanner(body, WholeMap(terrain.map), (x + 0.2 * terrain.scale, y))
    planner.plan(standing_request(robot, terrain.map, (x, y)))


def walk(
    task: WalkTask | QuadrupedTask,
    *,
    out: Path | str | None = None,
    report: bool = True,
    video: bool = False,
    progress: Progress | None = None,
) -> RunResult:
    """Walk over a board, or steered by a twist, in simulation, to a verdict.

    Args:
        task: The walk: a `WalkTask` for robots that place foot by foot, a `QuadrupedTask` for dynamic ones.
        out: Folder for log, numbers, pictures and report; None: a fresh one in ``runs``.
        report: Write the report and its pictures.
        video: Make a video.
        progress: Told the time reached and the time limit, both [s].

    Raises:
        AndanteError: Robot, board or a number is not legal, or the folder cannot be written.
    """
    scenario = task.scenario(report=report, video=video)
    if scenario.controller.type == "crawl":
        # The first plan in a process loads compiled code; that is no planning time.
        warm_up(load_declared(scenario))
    return run_scenario(scenario, None if out is None else Path(out), progress=progress)
