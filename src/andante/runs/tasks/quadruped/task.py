"""QuadrupedTask: one run of a dynamic quadruped in a few words, its scenario, and its options as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from andante.backends.terrain import TerrainChoice
from andante.errors import AndanteError
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.robots.robot import Robot
from andante.runs.idle_options import refuse_idle
from andante.runs.scenario import Scenario, name_of
from andante.runs.scenario_files import validated, with_settings
from andante.runs.tasks.walk.asked_map import AskedMap
from andante.runs.tasks.walk.task import FLOOR, read_fields
from andante.terrain.files.options import FileOptions, names_file

TIMESTEP = 0.001
"""Physics step [s]."""
NOISE: Mapping[str, float] = {
    "position": 0.0005,
    "velocity": 0.03,
    "orientation": 0.003,
    "gyro": 0.01,
    "gyro_offset": 0.003,
    "accelerometer": 0.1,
    "accelerometer_offset": 0.03,
}
"""Standard deviations of sensor noise and offsets, SI: motor encoders and a small IMU, an assumption."""
_STOPPING = 10.0
"""Time in which the robot has to stand still after the last of its twist [s]."""
_GOAL_TIMEOUT = 60.0
_BEGIN = 0.5
"""When the twist is asked first [s]."""


class QuadrupedTaskError(AndanteError):
    """A run of a quadruped is asked for that cannot be made."""


@dataclass(frozen=True)
class QuadrupedTask:
    """A quadruped that is steered by a twist for a time, or goes to a goal over a board."""

    robot: str
    """Robot by name or path."""
    twist: tuple[float, float, float] | None = None
    """What is asked, in the robot's own axes: forward and left [m/s], turn to the left [rad/s]."""
    goal: tuple[float, float] | None = None
    """Where it goes in place of a twist [m]; None with a board: the board's goal."""
    live: bool = False
    """Whether it is steered by hand while it walks, in place of a twist or a goal."""
    gait: str = "trot"
    """Gait by name."""
    board: str | None = None
    """Kind of board or terrain file; None: the level floor."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Parameters of the board with values of their own."""
    file: FileOptions = field(default_factory=FileOptions)
    """How a terrain file becomes a map."""
    settings: tuple[str, ...] = ()
    """Values of the scenario changed by path, each as PATH=VALUE; see `andante.documents.paths`."""
    difficulty: float = 0.5
    """Difficulty of the board, 0 to 1."""
    seconds: float = 10.0
    """How long the twist is asked; then the robot stands [s]."""
    seed: int = 0
    """Seed of everything random."""
    friction: float = 0.7
    """Friction coefficient of everything."""
    believed_friction: float = 0.6
    """Friction coefficient that the predictive control believes."""
    payload: float = 0.0
    """Mass on the back that nobody told the robot of [kg]."""
    strength: float = 1.0
    """Factor on what the motors can do."""
    slope: float = 0.0
    """Rise of the floor along x (a grade: 0.2 is 11.3 deg); the robot feels it by its feet."""
    blind: bool = False
    """Whether the robot takes the plane through its feet for the ground in place of the board's heights."""
    map_error: float = 0.0
    """Standard deviation of the heights of the map that it walks by [m]."""
    map_correlation: float = 0.0
    """Length over which neighbouring errors of the map are alike; 0: each its own [m]."""
    registration: float = 0.0
    """Standard deviation of the whole map's place, along x and along y [m]."""
    map_file: str | None = None
    """A terrain file that is all it knows of the ground; None: a survey of the board."""
    push: tuple[float, float, float, float] | None = None
    """Time [s] and impulse along x, y and z [N s] of a push of 0.1 s on the base."""
    noise: float = 1.0
    """Factor on `NOISE`."""
    start: tuple[float, float] | None = None
    """Where the base starts; None: at the board's start, or on the level floor at the origin [m]."""
    sitting: bool = False
    """Whether the robot starts sitting and stands up first."""
    turns: tuple[tuple[float, float, float, float], ...] = ()
    """Shares of the time and twists that are asked from then on, in place of the one twist."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, float) and not math.isfinite(value):
                raise QuadrupedTaskError("must be a finite number", place=each.name, value=value)
        for name in ("seconds", "friction", "believed_friction", "strength"):
            if getattr(self, name) <= 0.0:
                raise QuadrupedTaskError("must be above zero", place=name, value=getattr(self, name))
        # What a task in a few words may say is read by every experiment, which need not import how it is planned.
        from andante.planning.quadruped.gait import GAITS

        if self.gait not in GAITS:
            raise QuadrupedTaskError("there is no such gait", value=self.gait, legal=GAITS)
        if self.turns and self.twist is None:
            raise QuadrupedTaskError("only a robot that is steered by a twist has turns", value=self.turns)
        if self.twist is not None and self.goal is not None:
            raise QuadrupedTaskError("a robot that is steered has no goal", place="goal", value=self.goal)
        if self.live and (self.twist is not None or self.goal is not None):
            name = "goal" if self.twist is None else "twist"
            raise QuadrupedTaskError("a robot that is steered by hand has none", place=name, value=getattr(self, name))
        self._check_map()
        if self.twist is None and self.goal is None and self.board is None and not self.live:
            raise QuadrupedTaskError("nothing is asked of the robot", remedy="give a twist, a goal or a board")

    def scenario(self, *, report: bool = False, video: bool = False) -> Scenario:
        """The run as a scenario.

        Raises:
            AndanteError: Robot, board or a number is not legal.
        """
        terrain = None if self.board is None else self._terrain()
        start, goal = self._ends(terrain)
        world: dict[str, Any] = {
            "timestep": TIMESTEP,
            "friction": self.friction,
            "impacts": False,
            "solver": {"impratio": 100.0},
            "noise": {name: self.noise * value for name, value in NOISE.items()},
            "start": self._placed(terrain, start),
            "servo_strength": self.strength,
        }
        name = "walk"
        if terrain is not None:
            board = self.board or ""
            world["terrain"], name = terrain, Path(board).stem if names_file(board) else board
        elif self.slope:
            world["slope"] = math.atan(self.slope)
        if self.payload > 0.0:
            world["payload"] = {"mass": self.payload, "place": (0.0, 0.0, 0.12)}
        if self.push is not None:
            world["pushes"] = [{"time": self.push[0], "duration": 0.1, "impulse": self.push[1:]}]
        control: dict[str, Any] = {
            "type": "quadruped",
            "gaits": [{"gait": self.gait}],
            "blind": self.blind,
            "local": {"nmpc": {"friction": self.believed_friction}},
        }
        if not self.map.plain:
            control["map"] = self.map.settings()
        walk = None
        if self.live:
            control["live"] = {}
        elif self.twist is not None:
            turns = [
                {"time": _BEGIN + share * self.seconds, "forward": forward, "lateral": lateral, "turn": turn}
                for share, forward, lateral, turn in self.turns or ((0.0, *self.twist),)
            ]
            control["steering"] = [*turns, {"time": _BEGIN + self.seconds}]
        else:
            control |= {"goal": goal, "seed": self.seed}
            if self.board is not None:
                walk = {"start": start, "goal": goal, "tolerance": 0.25, "aside": 2.5, "linger": 3.0}
        data = {
            "name": name_of("quadruped", name[:60], usual="quadruped"),
            "robot": self.robot,
            "controller": control,
            "world": world,
            "seed": self.seed,
            "timeout": self.seconds + _STOPPING if self.steered else _GOAL_TIMEOUT,
            # One that is asked to stand is done at once, and stands until the time is over.
            "settle": 0.5 if self.twist is None or any(self.twist) else _BEGIN + self.seconds,
            "success": {
                "finishes": walk is None,
                "no_fall": walk is None,
                "walk": walk,
                "fall": {"tilt": math.radians(60.0), "contact": False, "stop_after": 0.2},
            },
            "recording": {"report": report, "video": video},
        }
        return with_settings(validated(data), self.settings)

    def _placed(self, terrain: dict[str, Any] | None, start: tuple[float, float]) -> dict[str, Any]:
        """The start of its world: in its posture, along the ground where that is inclined."""
        from andante.runs.tasks.quadruped.torque_driven import READY, SIT, torque_driven

        posture = SIT if self.sitting else READY
        if terrain is not None:
            # It imports numba, and every experiment knows this class.
            from andante.runs.tasks.walk.placing import standing_on

            ground = TerrainChoice.model_validate(terrain).load().heights
            standing = standing_on(torque_driven(Robot.load(self.robot)), ground, start, posture)
            if standing is not None:
                return standing.start(ground)
        return {"posture": posture, "x": start[0], "y": start[1]}

    def _leg_length(self) -> float:
        """The robot's [m]."""
        from andante.kinematics.leg_table import LeggedBody

        return LeggedBody.of(Robot.load(self.robot)).leg_length

    def _ends(self, terrain: dict[str, Any] | None) -> tuple[tuple[float, float], tuple[float, float] | None]:
        """Where the robot starts, on the board, and where it goes; None: nowhere."""
        if terrain is None:
            return self.start or (0.0, 0.0), self.goal
        board = TerrainChoice.model_validate(terrain).load()
        ends = board.start, board.goal
        if names_file(self.board or "") and (self.start is None or self.goal is None):
            from andante.terrain.files.load import ends_of

            ends = ends_of(board.extent, self._leg_length() / REFERENCE_LEG)
        start, goal = self.start or ends[0], self.goal or ends[1]
        if not board.heights.covers(start):
            low_x, high_x, low_y, high_y = board.extent
            raise QuadrupedTaskError(
                "the start is off the board",
                place="start",
                value=list(start),
                limit=f"x {low_x:.3f} to {high_x:.3f}, y {low_y:.3f} to {high_y:.3f} m",
            )
        return start, goal

    @property
    def map(self) -> AskedMap:
        """The map that it walks by."""
        return AskedMap(self.map_error, self.map_correlation, self.registration, self.map_file, self.seed)

    def _check_map(self) -> None:
        if self.map.plain:
            return
        if self.blind:
            raise QuadrupedTaskError("a blind robot knows no map", place="map", remedy="leave --blind out")
        if self.board is None and self.map_file is None:
            what, remedy = "the level floor is not surveyed", "give a board, or --map-file"
            raise QuadrupedTaskError(what, place="map", remedy=remedy)

    @property
    def steered(self) -> bool:
        """Whether a twist is asked, now or by hand, and no goal."""
        return self.live or self.twist is not None

    def _terrain(self) -> dict[str, Any]:
        board = self.board or ""
        if names_file(board):
            if self.values:
                raise QuadrupedTaskError(
                    "a terrain file has no parameters of a board",
                    place=board,
                    value=dict(self.values),
                    remedy="how a file becomes a map is said in file, not in values",
                )
            return TerrainChoice(file=board, **dict(self.file)).model_dump()
        self.file.refuse_others((), "a board", board)
        from andante.terrain.boards.make import BOARDS

        # The worlds have lengths of their own; a lane of another size than the robot's has no room for its feet.
        size = {"leg_length": self._leg_length()} if BOARDS[board].site.scales else {}
        return size | {
            "board": board,
            "difficulty": self.difficulty,
            "seed": self.seed,
            "parameters": dict(self.values),
        }


def torque_walker(robot: Robot) -> bool:
    """Whether a robot is one of twelve joints whose drives take torques: a bare model, or a pack that says so."""
    if len(robot.joints) != 12 or len(robot.feet) != 4:
        return False
    from andante.runs.tasks.walk.walker import is_bare

    return is_bare(robot) or all(servo.torque_speed is not None for servo in robot.servos)


def quadruped_task(given: Mapping[str, Any]) -> QuadrupedTask:
    """The task with what was asked for by name; where nothing is asked, a trot ahead at half a metre per second.

    Raises:
        AndanteError: A number is not legal, or a wish contradicts another.
    """
    asked = read_fields(QuadrupedTask, given)
    if asked.get("board", FLOOR) == FLOOR:
        asked["board"] = None
        refuse_idle({"--start": given["start"], "--set": asked.get("values") or None}, "a robot on the level floor")
        if "twist" not in asked and "goal" not in asked and not asked.get("live"):
            asked["twist"] = (0.5, 0.0, 0.0)
    return QuadrupedTask(**asked)
