"""The terrain page's process: boards, plans, single footholds, and one walk at a time.

A plan is that of `andante plan`, a walk that of `andante walk`; footsteps that were clicked are the `footsteps` of the
scenario's crawl. The run's folder holds scenario and log, which `andante run` and `andante replay` repeat.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.events import EventKind
from andante.control.steering import STILL
from andante.errors import AndanteError
from andante.planning.plans import Footstep, FootstepPlan
from andante.runs.build import load_declared
from andante.runs.live.pilot import rehearse
from andante.runs.live.source import SteeringWish
from andante.runs.loop.tick import Tick
from andante.runs.policies.files import shipped_policies
from andante.runs.tasks.walk.plan import PlannedWalk, plan_scenario, warm_up
from andante.runs.tasks.walk.task import FLOOR
from andante.spatial.gravity import GRAVITY
from andante.studio import terrain_messages as asked
from andante.studio.errors import StudioError
from andante.studio.live_process import LiveProcess
from andante.studio.robot_files import robot_files, robot_path
from andante.studio.saved_walks import open_walk, save_walk, saved_walks
from andante.studio.scene import robot_scene
from andante.studio.terrain_ahead import ahead_view
from andante.studio.terrain_drawing import Drawing
from andante.studio.terrain_ground import ShownGround, ShownSite, offered, policies
from andante.studio.terrain_layers import board_view, layer_view, layers_of, patch_view, way_view
from andante.studio.terrain_poses import reach_view, stances_view
from andante.studio.terrain_walk import TerrainWalk
from andante.studio.workspace import Workspace
from andante.terrain.boards.make import BOARDS
from andante.terrain.elevation_map import ElevationMap
from andante.terrain.files.load import load_heights
from andante.terrain.files.readers import SUFFIXES
from andante.terrain.files.save import SAVED, heights_bytes
from andante.terrain.height_map import HeightMap
from andante.terrain.shaping import Patch, Stroke, level_map

_UNASKED = ("verdict", "broken", "ahead", "asked", "arrived")
"""What is told while a walk goes on, and answers nothing."""
_DRAWN = "drawn"
"""Name of a board that was drawn and not saved."""


class TerrainProcess(LiveProcess[TerrainWalk]):
    """What runs in the process.

    Args:
        pipe: Messages come and answers go here.
        workspace: The folder out of which no file is read.
        runs: Where walks and boards that are not saved are kept.
        robot: Name or file of the robot that the studio was started with, which is offered first; empty: none.
    """

    nothing = "nothing walks"
    untold = (EventKind.KEYFRAME,)

    def __init__(self, pipe: Connection, workspace: Workspace, runs: Path, robot: str = "") -> None:
        super().__init__(pipe)
        self._workspace, self._runs, self._robot = workspace, runs, robot
        self._ground: ShownGround | None = None
        self._drawing: Drawing | None = None
        self._last: dict[str, Any] | None = None
        """How the last walk was judged; None: none has ended."""
        self._untaken = False
        """Whether something was drawn on which the robot does not stand yet."""

    # Commands ----------------------------------------------------------------------------------------------------

    def _do_choices(self, _: asked.Plain) -> None:
        boards = [{"name": FLOOR, "what": "level floor, to steer on", "ranges": {}}]
        boards += [
            {"name": kind.name, "what": kind.what, "ranges": {key: list(span) for key, span in kind.parameters.items()}}
            for kind in BOARDS.values()
        ]
        files = [name for name in self._workspace.files(SUFFIXES) if not name.startswith("runs/")]
        robots = offered(self._robot)
        first = self._robot if self._robot in robots else ""
        self._tell(
            "choices", robots=robots, first=first, boards=boards, files=files, saved=list(SAVED), policies=policies()
        )

    def _do_robots(self, _: asked.Plain) -> None:
        found = robot_files(self._workspace, self._robot)
        self._tell("robots", robots=[asdict(each) for each in found.robots], note=found.note)

    def _do_again(self, _: asked.Plain) -> None:
        self._tell("again")

    def _do_board(self, message: asked.MakeBoard) -> None:
        robot = self._known(message.robot)
        site = ShownSite(robot, message.board, None, message.difficulty, message.seed, dict(message.values))
        self._stand(ShownGround(site))

    def _do_open_board(self, message: asked.OpenBoard) -> None:
        path = self._workspace.path(message.file)
        self._stand(ShownGround(ShownSite(self._known(message.robot), path.stem, path)))

    def _do_level_board(self, message: asked.LevelBoard) -> None:
        robot = self._known(message.robot)
        level = level_map(message.length, message.width, message.spacing)
        self._stand(ShownGround(ShownSite(robot, _DRAWN, self._kept(level))))

    def _known(self, robot: str) -> str:
        """The name or path of a robot that a page chooses: a name, or a file of the workspace or of a known package.

        Raises:
            StudioError: It is none that can be chosen.
        """
        return robot_path(self._workspace, robot, self._robot)

    def _stand(self, ground: ShownGround, drawing: Drawing | None = None) -> None:
        """Show a board with the robot on it."""
        self._drop()
        self._ground, self._drawing, self._untaken = ground, drawing, False
        x, y = ground.terrain.start
        self._tell(
            "board",
            board=board_view(ground.terrain, layers_of(ground)),
            robot=robot_scene(ground.robot),
            ways=ground.ways,
            stand=[float(value) for value in ground.robot.posture("stand")],
            start=[x, y, float(ground.terrain.heights.nearest((x, y)))],
            base=[float(value) for value in ground.planner.course.position] if ground.planned else None,
            footsteps=ground.footsteps(),
            **self._steps_back(),
        )

    # Drawing -----------------------------------------------------------------------------------------------------

    def _do_draw(self, message: asked.Draw) -> None:
        drawing = self._drawn_on()
        stroke = Stroke(message.tool, message.points, message.height, message.radius)
        self._changed(drawing.stroke(stroke, more=message.more))

    def _do_undo(self, _: asked.Plain) -> None:
        self._changed(self._drawn_on().undo())

    def _do_redo(self, _: asked.Plain) -> None:
        self._changed(self._drawn_on().redo())

    def _do_take(self, _: asked.Plain) -> None:
        self._stand(self._taken(), self._drawing)

    def _do_save_board(self, message: asked.SaveBoard) -> None:
        ground, path = self._grounded(), self._workspace.path(message.file)
        if ground.floor:
            raise StudioError("the level floor is no board to save")
        if path.exists() and not message.overwrite:
            self._tell("exists", file=message.file)
            return
        heights = ground.terrain.map if self._drawing is None else self._drawing.map
        self._write(path, heights)
        # The robot stands on what a command will read.
        self._stand(ShownGround(replace(ground.site, board=path.stem, file=path)), self._drawing)

    def _drawn_on(self) -> Drawing:
        ground = self._grounded()
        if self._run is not None:
            raise StudioError("nothing is drawn while the robot walks")
        if ground.floor:
            raise StudioError("the level floor has no end and is not drawn on", remedy="choose or make a board")
        if self._drawing is None:
            self._drawing = Drawing(ground.terrain.heights)
        return self._drawing

    def _changed(self, patch: Patch) -> None:
        self._untaken = True
        self._tell("drawn", **patch_view(self._drawn_on().map, patch), **self._steps_back())

    def _steps_back(self) -> dict[str, bool]:
        return {"canUndo": False, "canRedo": False} if self._drawing is None else self._drawing.view()

    def _taken(self) -> ShownGround:
        """The board, with the robot on what was drawn; footsteps belong to the ground before."""
        ground = self._grounded()
        if self._drawing is not None and self._untaken:
            file = self._kept(self._drawing.map)
            ground = self._ground = ShownGround(replace(ground.site, board=_DRAWN, file=file))
            self._untaken = False
        return ground

    def _kept(self, heights: HeightMap) -> Path:
        """Keep a board that has no file yet."""
        file = self._runs / f"{_DRAWN}.npz"
        self._write(file, heights)
        return file

    def _write(self, file: Path, heights: HeightMap | ElevationMap) -> None:
        disk = self._workspace.disk
        raw = heights_bytes(file.name, heights)
        disk.folders(file.parent)
        disk.write(file, raw)

    # Layers and volumes ------------------------------------------------------------------------------------------

    def _do_layer(self, message: asked.ShowLayer) -> None:
        self._tell("layer", **layer_view(self._taken(), message.layer))

    def _do_stances(self, _: asked.Plain) -> None:
        self._tell("stances", **stances_view(self._taken()))

    def _do_reach(self, message: asked.ShowReach) -> None:
        self._tell("reach", **reach_view(self._taken(), message.what, message.step))

    # Footsteps ---------------------------------------------------------------------------------------------------

    def _do_plan(self, message: asked.Plan) -> None:
        ground = self._taken()
        if message.search:
            ground.clicked = False
        made: PlannedWalk = plan_scenario(ground.scenario("crawl"))
        ground.plan = made.plan
        found: dict[str, Any] = {"reason": made.answer.reason, "whole": made.answer.whole, "seconds": made.spent}
        if made.plan is not None:
            if not ground.clicked:
                ground.steps = list(made.plan.footsteps.steps)
            found |= {"speed": made.speed, "way": way_view(made.plan)}
        elif not ground.clicked:
            ground.steps = []
        self._tell("plan", footsteps=ground.footsteps(), **found)

    def _do_foothold(self, message: asked.Foothold) -> None:
        ground = self._taken()
        check, number, steps = ground.planner, message.number, list(ground.steps)
        if number > len(steps):
            raise StudioError("there is no such footstep", value=number + 1, limit=f"{len(steps) + 1}")
        if number == len(steps) and message.foot not in ground.names:
            raise StudioError("the robot has no such foot", value=message.foot, legal=ground.names)
        leg = ground.names.index(message.foot) if number == len(steps) else steps[number].leg
        before = FootstepPlan(ground.feet, tuple(steps)).stances()[number]
        # Heights of other steps' ways are those of the ground between their places.
        steps[number : number + 1] = [check.step(before, leg, message.x, message.y)]
        reason = check.trouble(ground.feet, steps, number)
        if not check.course.ground.covers((message.x, message.y)).all():
            reason = "the place is off the map"
        if reason:
            near = check.nearest(ground.feet, steps, number, message.x, message.y)
            place = None if near is None else [float(value) for value in near.place - (0.0, 0.0, ground.radius)]
            self._tell("unreachable", number=number, foot=ground.names[leg], reason=reason, nearest=place)
            return
        ground.steps, ground.clicked, ground.plan = self._climbing(ground, steps), True, None
        self._tell("footsteps", footsteps=ground.footsteps(), moved=number)

    @staticmethod
    def _climbing(ground: ShownGround, steps: list[Footstep]) -> list[Footstep]:
        """The steps with swings that clear what lies between their places."""
        before = FootstepPlan(ground.feet, tuple(steps)).stances()
        made = [ground.planner.step(before[n], step.leg, *step.place[:2].tolist()) for n, step in enumerate(steps)]
        return [replace(new, apex=max(new.apex, old.apex)) for new, old in zip(made, steps, strict=True)]

    def _do_keep(self, message: asked.KeepSteps) -> None:
        ground = self._grounded()
        ground.steps = ground.steps[: message.count]
        ground.clicked, ground.plan = bool(ground.steps), None
        self._tell("footsteps", footsteps=ground.footsteps(), moved=None)

    # Walking -----------------------------------------------------------------------------------------------------

    def _do_walk(self, message: asked.Walk) -> None:
        self._drop()
        ground, file = self._taken(), None
        if ground.site.file is not None and ground.site.board == _DRAWN:
            # The walk keeps its board whatever is drawn afterwards.
            file = self._runs / "board.npz"
            self._write(file, load_heights(ground.site.file))
        scenario = ground.scenario(
            message.controller,
            seconds=message.seconds,
            payload=message.payload,
            file=file,
            goal=message.goal,
            policy=self._policy(message.policy),
        )
        by_hand = message.controller != "crawl" and message.goal is None
        if message.controller == "crawl":
            warm_up(load_declared(scenario))
        else:
            rehearse(scenario)
        walk = self._run = TerrainWalk(scenario, self._runs, self._workspace.disk, message.seconds if by_hand else None)
        gaits, fastest, steering = [], None, walk.session.steering
        if steering is not None:
            gaits, most = list(steering.gaits), steering.fastest
            fastest = None if most is None else [most.forward, most.lateral, most.turn]
        weight = float(walk.parts.model.body_mass.sum()) * GRAVITY
        told = {"controller": message.controller, "steered": by_hand, "goal": message.goal, "weight": weight}
        self._started(walk, **told, gaits=gaits, fastest=fastest)
        self._going = True

    def _policy(self, name: str) -> str:
        """A shipped policy by name, any other by the path of its contract in the workspace."""
        return name if not name or name in shipped_policies() else str(self._workspace.path(name))

    def _do_wish(self, message: asked.Wish) -> None:
        walk = self._running()
        steering = walk.session.steering
        if steering is None:
            raise StudioError("this walk is not steered")
        if message.gait is not None and message.gait not in steering.gaits:
            raise StudioError("there is no such gait", value=message.gait, legal=steering.gaits)
        if message.goal is None or message.over:
            walk.source.steer(SteeringWish(message.forward, message.lateral, message.turn, message.gait, message.over))
        elif walk.source.go(message.goal, walk.pose(), steering.fastest or STILL, message.share):
            x, y = walk.pose()[:2] - message.goal
            self._tell("arrived", time=walk.session.time, off=float(np.hypot(x, y)), goal=message.goal)

    # Walks that are kept -----------------------------------------------------------------------------------------

    def _do_walks(self, _: asked.Plain) -> None:
        self._tell("walks", names=saved_walks(self._workspace))

    def _do_save_walk(self, message: asked.SaveWalk) -> None:
        if self._last is None or self._run is not None:
            raise StudioError("no walk has ended that could be saved")
        if save_walk(self._workspace, self._runs, message.name, self._last, overwrite=message.overwrite):
            self._tell("walks", names=saved_walks(self._workspace), saved=message.name)
        else:
            self._tell("exists", file=message.name)

    def _do_open_walk(self, message: asked.OpenWalk) -> None:
        self._drop()
        walk = open_walk(self._workspace, message.name)
        self._number += 1
        board, robot = board_view(walk.terrain, []), robot_scene(walk.robot)
        self._tell("walk", run=self._number, board=board, robot=robot, verdict=walk.verdict, name=message.name)
        self._pipe.send(("lanes", (self._number, walk.rows)))

    # Running -----------------------------------------------------------------------------------------------------

    def _grounded(self) -> ShownGround:
        if self._ground is None:
            raise StudioError("there is no board yet")
        return self._ground

    def _note(self, run: TerrainWalk, tick: Tick) -> None:
        super()._note(run, tick)
        if run.asked != run.told:
            run.told = run.asked
            self._tell("asked", time=run.session.time, text=run.asked)

    def _show(self, run: TerrainWalk) -> None:
        self._tell("ahead", **ahead_view(run))
        super()._show(run)

    def _finish(self, run: TerrainWalk) -> None:
        try:
            self._last = run.verdict()
            self._going = False
            self._tell("verdict", **self._last)
        except AndanteError as error:
            self._tell("broken", text=str(error))
        self._drop()

    def _about(self, what: str) -> dict[str, Any]:
        return {"request": 0 if self._asked is None or what in _UNASKED else self._asked.request}
