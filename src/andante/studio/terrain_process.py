"""The terrain page's process: boards, plans, single footholds, and one walk at a time.

A plan is that of `andante plan`, a walk that of `andante walk`; footsteps that were clicked are the `footsteps` of the
scenario's crawl. The run's folder holds scenario and log, which `andante run` and `andante replay` repeat.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.kinematics.leg_table import LeggedBody
from andante.planning.footstep import Footstep, FootstepPlan
from andante.planning.footsteps.chosen import StepCheck
from andante.robots.loader import shipped_robots
from andante.robots.robot import Robot
from andante.runs.build import load_declared
from andante.runs.controls.crawl import CrawlControl
from andante.runs.live.pilot import rehearse
from andante.runs.live.source import Wish
from andante.runs.quadruped.task import QuadrupedTask, torque_walker
from andante.runs.scenario import Scenario
from andante.runs.walk.plan import PlannedWalk, plan_scenario, standing_request, warm_up
from andante.runs.walk.task import FLOOR, WalkTask
from andante.studio import terrain_messages as asked
from andante.studio.errors import StudioError
from andante.studio.scene import robot_scene
from andante.studio.terrain_board import board_view, footsteps_view, way_view
from andante.studio.terrain_walk import TerrainWalk
from andante.terrain.boards.make import KINDS, make_board
from andante.terrain.height_map import HeightMap
from andante.terrain.terrain import Terrain

RATE = 36.0
"""Poses per second of real time."""
_SIDE = 15.0
"""Half the side of the floor that is drawn where there is no board [m]."""


@cache
def walkers() -> dict[str, list[str]]:
    """The shipped robots on four legs and how each walks."""
    found: dict[str, list[str]] = {}
    for name in shipped_robots():
        robot = Robot.load(name)
        if len(robot.feet) != 4:
            continue
        if torque_walker(robot):
            found[name] = ["quadruped"]
            continue
        try:
            LeggedBody.of(robot)
        except AndanteError:
            continue
        if "stand" in robot.postures and all(foot.radius for foot in robot.feet):
            found[name] = ["crawl", "reactive-crawl", "trot"]
    return found


class _Ground:
    """A board with the robot on it, and the footsteps so far."""

    def __init__(self, message: asked.MakeBoard) -> None:
        ways = walkers().get(message.robot)
        if ways is None:
            raise StudioError("no robot of this name walks over boards here", value=message.robot, legal=walkers())
        if message.board != FLOOR and message.board not in KINDS:
            raise StudioError("there is no such board", value=message.board, legal=(FLOOR, *KINDS))
        self.asked, self.ways = message, [way for way in ways if way != "crawl" or message.board != FLOOR]
        self.check: StepCheck | None = None
        self.feet, self.steps, self.clicked = np.zeros((4, 3)), list[Footstep](), False
        self.names: list[str] = []
        self.radius = 0.0
        self.robot = Robot.load(message.robot)
        if self.planned:
            scenario = self.scenario("crawl")
            self.robot = load_declared(scenario)
            choice, control = scenario.world.terrain, scenario.controller
            if choice is None or not isinstance(control, CrawlControl):
                raise StudioError("only a planned crawl over a terrain has footsteps", value=control.type)
            self.terrain = choice.load()
            body = LeggedBody.of(self.robot)
            start = scenario.world.start
            request = standing_request(self.robot, self.terrain, (start.x, start.y))
            self.check = StepCheck(control.walk_planner(body, scenario.world).course(request))
            self.feet = self.check.course.feet
            self.names, self.radius = [leg.name for leg in body.legs], float(body.table.radius.max())
        elif message.board == FLOOR:
            ends = np.zeros((2, 2))
            self.terrain = Terrain(FLOOR, HeightMap(ends, (-_SIDE, -_SIDE), 2.0 * _SIDE))
        elif "quadruped" in ways:
            self.terrain = make_board(message.board, message.difficulty, message.seed, values=message.values)
        else:
            self.terrain = WalkTask(**self._task).choice(LeggedBody.of(self.robot).leg_length).load()

    @property
    def planned(self) -> bool:
        """Whether footsteps are planned here."""
        return "crawl" in self.ways

    @property
    def _task(self) -> dict[str, Any]:
        message = self.asked
        values = {} if message.board == FLOOR else dict(message.values)
        return {
            "board": message.board, "difficulty": message.difficulty, "seed": message.seed, "robot": message.robot,
            "values": values,
        }  # fmt: skip

    def scenario(self, controller: str, seconds: float = 0.0) -> Scenario:
        """The walk as a scenario, with the footsteps that were clicked."""
        if controller not in self.ways:
            raise StudioError("this robot does not walk like that here", value=controller, legal=self.ways)
        task = self._task
        if controller == "quadruped":
            board = None if self.asked.board == FLOOR else self.asked.board
            return QuadrupedTask(**(task | {"board": board}), live=True, seconds=seconds).scenario()
        if controller != "crawl":
            return WalkTask(**task, controller=controller, live=True, seconds=seconds).scenario()
        scenario = WalkTask(**task).scenario()
        if not self.clicked:
            return scenario
        steps = [
            {"foot": self.names[step.leg], "x": float(step.place[0]), "y": float(step.place[1])} for step in self.steps
        ]
        control = type(scenario.controller).model_validate(scenario.controller.model_dump() | {"footsteps": steps})
        return scenario.model_copy(update={"controller": control})

    def footsteps(self) -> dict[str, Any]:
        """The footsteps for the page."""
        plan = FootstepPlan(self.feet, tuple(self.steps))
        return footsteps_view(plan, self.names, self.radius) | {"clicked": self.clicked}


class TerrainProcess:
    """What runs in the process.

    Args:
        pipe: Commands come and answers go here.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._ground: _Ground | None = None
        self._walk: TerrainWalk | None = None
        self._due = 0.0
        self._asked = ""

    def serve(self) -> None:
        """Do what comes until the pipe closes."""
        while True:
            try:
                while self._pipe.poll(None if self._walk is None else 0.0):
                    self._obey(self._pipe.recv())
                self._advance()
            except (EOFError, OSError):
                return

    def _obey(self, command: tuple[str, tuple[Any, Path]]) -> None:
        name, (message, folder) = command
        try:
            getattr(self, f"_do_{name}")(message, folder)
        except AndanteError as error:
            self._tell("refused", message.request, text=str(error))

    # Commands ----------------------------------------------------------------------------------------------------

    def _do_choices(self, message: asked.Choices, _: Path) -> None:
        boards = [{"name": FLOOR, "what": "level floor, to steer on", "ranges": {}}]
        boards += [
            {"name": kind.name, "what": kind.what, "ranges": {key: list(span) for key, span in kind.ranges.items()}}
            for kind in KINDS.values()
        ]
        self._tell("choices", message.request, robots=walkers(), boards=boards)

    def _do_board(self, message: asked.MakeBoard, _: Path) -> None:
        self._drop()
        ground = self._ground = _Ground(message)
        x, y = ground.terrain.start
        self._tell(
            "board",
            message.request,
            board=board_view(ground.terrain, ground.check),
            robot=robot_scene(ground.robot),
            ways=ground.ways,
            stand=[float(value) for value in ground.robot.posture("stand")],
            start=[x, y, float(ground.terrain.heights.nearest((x, y)))],
            base=None if ground.check is None else [float(value) for value in ground.check.course.position],
            footsteps=ground.footsteps(),
        )

    def _do_plan(self, message: asked.Plan, _: Path) -> None:
        ground = self._grounded()
        if message.search:
            ground.clicked = False
        made: PlannedWalk = plan_scenario(ground.scenario("crawl"))
        found: dict[str, Any] = {"reason": made.answer.reason, "whole": made.answer.whole, "seconds": made.spent}
        if made.plan is not None:
            if not ground.clicked:
                ground.steps = list(made.plan.footsteps.steps)
            found |= {"speed": made.speed, "way": way_view(made.plan)}
        elif not ground.clicked:
            ground.steps = []
        self._tell("plan", message.request, footsteps=ground.footsteps(), **found)

    def _do_foothold(self, message: asked.Foothold, _: Path) -> None:
        ground = self._grounded()
        check = ground.check
        if check is None:
            raise StudioError("nothing plans footsteps here")
        number, steps = message.number, list(ground.steps)
        if number > len(steps):
            raise StudioError("there is no such footstep", value=number + 1, limit=f"{len(steps) + 1}")
        if number == len(steps) and message.foot not in ground.names:
            raise StudioError("the robot has no such foot", value=message.foot, legal=ground.names)
        leg = ground.names.index(message.foot) if number == len(steps) else steps[number].leg
        before = FootstepPlan(ground.feet, tuple(steps)).stances()[number]
        # Heights of other steps' ways are those of the ground between their places.
        step = check.step(before, leg, message.x, message.y)
        steps[number : number + 1] = [step]
        reason = check.trouble(ground.feet, steps, number)
        if not check.course.ground.covers((message.x, message.y)).all():
            reason = "the place is off the map"
        if reason:
            near = check.nearest(ground.feet, steps, number, message.x, message.y)
            place = None if near is None else [float(value) for value in near.place - (0.0, 0.0, ground.radius)]
            foot = ground.names[leg]
            self._tell("unreachable", message.request, number=number, foot=foot, reason=reason, nearest=place)
            return
        ground.steps, ground.clicked = self._climbing(ground, steps), True
        self._tell("footsteps", message.request, footsteps=ground.footsteps(), moved=number)

    @staticmethod
    def _climbing(ground: _Ground, steps: list[Footstep]) -> list[Footstep]:
        """The steps with swings that clear what lies between their places."""
        check = ground.check
        if check is None:
            return steps
        before = FootstepPlan(ground.feet, tuple(steps)).stances()
        made = [check.step(before[n], step.leg, *step.place[:2].tolist()) for n, step in enumerate(steps)]
        return [replace(new, apex=max(new.apex, old.apex)) for new, old in zip(made, steps, strict=True)]

    def _do_keep(self, message: asked.KeepSteps, _: Path) -> None:
        ground = self._grounded()
        ground.steps = ground.steps[: message.count]
        ground.clicked = bool(ground.steps)
        self._tell("footsteps", message.request, footsteps=ground.footsteps(), moved=None)

    def _do_walk(self, message: asked.Walk, folder: Path) -> None:
        self._drop()
        ground = self._grounded()
        scenario = ground.scenario(message.controller, message.seconds)
        by_hand = message.controller != "crawl"
        if by_hand:
            rehearse(scenario)
        else:
            warm_up(load_declared(scenario))
        walk = self._walk = TerrainWalk(scenario, folder, message.seconds if by_hand else None)
        self._asked = ""
        fastest = None if walk.session.steering is None else walk.session.steering.fastest
        self._tell(
            "started",
            message.request,
            controller=message.controller,
            gaits=list(walk.gaits),
            fastest=None if fastest is None else [fastest.forward, fastest.lateral, fastest.turn],
            folder=str(folder),
        )

    def _do_wish(self, message: asked.Wish, _: Path) -> None:
        walk = self._walk
        if walk is None:
            raise StudioError("nothing walks")
        steering = walk.session.steering
        if steering is None:
            raise StudioError("this walk is not steered")
        if message.gait is not None and message.gait not in steering.gaits:
            raise StudioError("there is no such gait", value=message.gait, legal=steering.gaits)
        walk.source.wish = Wish(message.forward, message.lateral, message.turn, message.gait, message.over)

    def _do_stop(self, message: asked.Stop, _: Path) -> None:
        if self._walk is None:
            raise StudioError("nothing walks")
        self._walk.session.end()
        self._finish(self._walk)

    # Running -----------------------------------------------------------------------------------------------------

    def _grounded(self) -> _Ground:
        if self._ground is None:
            raise StudioError("there is no board yet")
        return self._ground

    def _advance(self) -> None:
        walk = self._walk
        if walk is None:
            return
        try:
            tick = walk.step()
        except AndanteError as error:
            self._tell("broken", 0, text=str(error))
            self._drop()
            return
        for event in tick.events:
            if event.kind is not EventKind.KEYFRAME:
                self._tell("event", 0, time=event.time, kind=str(event.kind), text=event.text)
        if walk.asked != self._asked:
            self._asked = walk.asked
            self._tell("asked", 0, time=walk.session.time, text=walk.asked)
        now = time.perf_counter()
        over = walk.session.ending is not None
        if over or now >= self._due:
            self._due = max(self._due + 1.0 / RATE, now)
            self._pipe.send(("pose", (walk.session.time, walk.drawn.now())))
        if over:
            self._finish(walk)

    def _finish(self, walk: TerrainWalk) -> None:
        try:
            self._tell("verdict", 0, **walk.finish())
        except AndanteError as error:
            self._tell("broken", 0, text=str(error))
        self._drop()

    def _drop(self) -> None:
        walk, self._walk = self._walk, None
        if walk is not None:
            walk.drop()

    def _tell(self, what: str, request: int, **data: Any) -> None:
        self._pipe.send(("tell", {"type": what, "request": request, **data}))


def serve(pipe: Connection) -> None:
    """Entry of the process."""
    # Ctrl-C in the terminal ends the server, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    TerrainProcess(pipe).serve()
