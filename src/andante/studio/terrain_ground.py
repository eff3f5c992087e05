"""A board with a robot on it, and the footsteps so far: what the terrain page's process plans and walks on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.policies.files import load_policy
from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody
from andante.planning.footsteps.chosen import StepCheck
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.walk_plan import WalkPlan
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.policies.files import policy_path, shipped_policies
from andante.runs.policies.task import policy_scenario
from andante.runs.scenario import Scenario
from andante.runs.tasks.quadruped.task import QuadrupedTask, torque_walker
from andante.runs.tasks.walk.plan import standing_request
from andante.runs.tasks.walk.task import FLOOR, WalkTask
from andante.studio.errors import StudioError
from andante.studio.saved_walks import level_floor
from andante.terrain.boards.make import BOARDS, make_board
from andante.terrain.files.load import load_terrain


@cache
def walkers() -> dict[str, list[str]]:
    """The robots by name on four legs and how each walks."""
    return {robot.name: ways for robot in Robot.every() if (ways := ways_of(robot))}


def ways_of(robot: Robot) -> list[str]:
    """How a robot walks on four legs; empty: it does not."""
    if len(robot.feet) != 4:
        return []
    if torque_walker(robot):
        return ["quadruped"]
    try:
        LeggedBody.of(robot)
    except AndanteError:
        return []
    good = "stand" in robot.postures and all(foot.radius for foot in robot.feet)
    return ["crawl", "reactive-crawl", "trot"] if good else []


@cache
def policies() -> dict[str, list[str]]:
    """The shipped policies by the robot that each is for."""
    found: dict[str, list[str]] = {}
    for name in shipped_policies():
        robot = load_policy(policy_path(name)).contract.robot
        if robot is not None:
            found.setdefault(robot, []).append(name)
    return found


def walks_of(robot: str) -> list[str]:
    """How a robot by name or path walks: on four legs, or by a shipped policy.

    Raises:
        AndanteError: There is no such robot.
    """
    if robot in walkers():
        return walkers()[robot]
    found = Robot.load(robot)
    return ways_of(found) or (["policy"] if found.name in policies() else [])


@cache
def offered(robot: str) -> dict[str, list[str]]:
    """The robots that can be chosen and how each walks, the one that the studio was started with first.

    Args:
        robot: Its name or file; one that does not walk on four legs is left out.
    """
    found = walkers()
    if not robot or robot in found:
        return {robot: found[robot], **found} if robot else found
    try:
        ways = ways_of(Robot.load(robot))
    except AndanteError:
        ways = []
    return {robot: ways, **found} if ways else found


@dataclass(frozen=True)
class ShownSite:
    """Which robot stands on what."""

    robot: str
    """Name of the robot."""
    board: str
    """Kind of board, or `FLOOR`; with a file, a name for it."""
    file: Path | None = None
    """A terrain file in place of a kind of board."""
    difficulty: float = 0.5
    """Difficulty of a kind of board."""
    seed: int = 0
    """Seed of a kind of board, and of the run."""
    values: dict[str, float] = field(default_factory=dict)
    """Parameters of a kind of board with values of their own."""


class ShownGround:
    """A board with the robot on it, and the footsteps so far.

    Args:
        site: Which robot and board.

    Raises:
        AndanteError: There is no such robot or board, or the robot cannot stand on its start.
    """

    def __init__(self, site: ShownSite) -> None:
        ways = walks_of(site.robot)
        if not ways:
            raise StudioError(
                "this robot walks neither on four legs of three joints nor by a shipped policy",
                value=site.robot,
                legal=(*walkers(), *policies()),
            )
        if site.file is None and site.board != FLOOR and site.board not in BOARDS:
            raise StudioError("there is no such board", value=site.board, legal=(FLOOR, *BOARDS))
        if ways == ["policy"] and not (site.file is None and site.board == FLOOR):
            raise StudioError("a policy walks on the level floor here", value=site.board, legal=(FLOOR,))
        self.site = site
        self.ways = [way for way in ways if way != "crawl" or not self.floor]
        self._planner: StepCheck | None = None
        self.plan: WalkPlan | None = None
        """The last plan, as long as it is one of these footsteps."""
        self.feet, self.steps, self.clicked = np.zeros((4, 3)), list[Footstep](), False
        self.names: list[str] = []
        self.radius = 0.0
        self.robot = Robot.load(site.robot)
        if self.planned:
            scenario = self.scenario("crawl")
            self.robot = load_declared(scenario)
            choice, start = scenario.world.terrain, scenario.world.start
            body = LeggedBody.of(self.robot)
            planner = scenario.controller.walk_planner(self.robot, scenario.world)
            if choice is None or planner is None:
                raise StudioError("only a planned crawl has footsteps", value=scenario.controller.type)
            self.terrain = choice.load()
            request = standing_request(self.robot, planner.maps.around(start.x, start.y), (start.x, start.y))
            self._planner = StepCheck(planner.course(request))
            self.feet = self._planner.course.feet
            self.names, self.radius = [leg.name for leg in body.legs], float(body.table.radius.max())
        elif self.floor:
            self.terrain = level_floor()
        elif site.file is not None:
            self.terrain = load_terrain(site.file)
        else:
            self.terrain = make_board(site.board, site.difficulty, site.seed, values=site.values)

    @property
    def planned(self) -> bool:
        """Whether footsteps are planned here."""
        return "crawl" in self.ways

    @property
    def planner(self) -> StepCheck:
        """What judges single footsteps.

        Raises:
            StudioError: No footsteps are planned here.
        """
        if self._planner is None:
            raise StudioError("nobody plans footsteps here")
        return self._planner

    @property
    def floor(self) -> bool:
        """Whether it is the level floor without a board."""
        return self.site.file is None and self.site.board == FLOOR

    def _task(self, file: Path | None) -> dict[str, Any]:
        site = self.site
        file = file or site.file
        return {
            "board": site.board if file is None else str(file),
            "difficulty": site.difficulty,
            "seed": site.seed,
            "robot": site.robot,
            "values": {} if self.floor or file is not None else dict(site.values),
        }

    def scenario(
        self,
        controller: str,
        *,
        seconds: float = 0.0,
        payload: float = 0.0,
        file: Path | None = None,
        goal: tuple[float, float] | None = None,
        policy: str = "",
    ) -> Scenario:
        """The walk as a scenario, with the footsteps that were clicked.

        Args:
            controller: How it walks.
            seconds: How long it may be steered [s].
            payload: Mass on the robot that nobody told it of [kg].
            file: A terrain file that holds the same board.
            goal: Where a quadruped goes by a global plan in place of being steered [m].
            policy: The policy by which it walks, a shipped name or the path of a contract.

        Raises:
            AndanteError: The robot does not walk like that here.
        """
        if controller not in self.ways:
            raise StudioError("this robot does not walk like that here", value=controller, legal=self.ways)
        if goal is not None and controller != "quadruped":
            raise StudioError("only a dynamic quadruped plans its way to a goal", value=controller)
        if controller == "policy":
            if payload:
                raise StudioError("a policy walks without a payload here", value=f"{payload:g} kg")
            return policy_scenario(policy or policies()[self.robot.name][0], self.site.robot, time=seconds, live=True)
        task = self._task(file) | {"payload": payload}
        if controller == "quadruped":
            task["board"] = None if self.floor else task["board"]
            way: dict[str, Any] = {"live": True, "seconds": seconds} if goal is None else {"goal": goal}
            return QuadrupedTask(**task, **way).scenario()
        if controller != "crawl":
            return WalkTask(**task, controller=controller, live=True, seconds=seconds).scenario()
        scenario = WalkTask(**task).scenario()
        if not self.clicked:
            return scenario
        steps = [
            {"foot": self.names[step.leg], "x": float(step.place[0]), "y": float(step.place[1])} for step in self.steps
        ]
        control = type(scenario.controller).model_validate(scenario.controller.model_dump() | {"footsteps": steps})
        return scenario.but(controller=control)

    def footstep_plan(self) -> FootstepPlan:
        """The footsteps."""
        return FootstepPlan(self.feet, tuple(self.steps))

    def footsteps(self) -> dict[str, Any]:
        """The footsteps for the page by their places on the ground [m]: feet where the robot stands, then the steps."""
        down = np.array([0.0, 0.0, self.radius])
        steps = [
            {"foot": self.names[step.leg], "place": [round(float(value), 5) for value in step.place - down]}
            for step in self.steps
        ]
        feet = [[round(float(value), 5) for value in foot - down] for foot in self.feet] if self.planned else []
        return {"feet": feet, "steps": steps, "clicked": self.clicked}
