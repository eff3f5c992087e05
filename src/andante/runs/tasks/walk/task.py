"""WalkTask: one walk in a few words, over a board or steered, its scenario, and its options as text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from andante.backends.terrain import TerrainChoice
from andante.documents.paths import by_path
from andante.documents.typed import NumbersError, changed_by, named_values, numbers
from andante.errors import AndanteError
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.robots.robot import Robot
from andante.runs.scenario import Scenario, name_of
from andante.runs.scenario_files import NOISE, validated, with_settings
from andante.runs.tasks.walk.asked_map import AskedMap
from andante.terrain.files.options import FileOptions, names_file

if TYPE_CHECKING:
    from andante.terrain.terrain import Terrain

CONTROLLERS = ("auto", "crawl", "reactive-crawl", "trot")
"""Ways of walking; auto: trot where the ground ahead is smooth, crawl without planning where it is not."""
LOADS = ("torque", "position", "none")
"""Ways to tell servos what they carry."""
STEERED = ("reactive-crawl", "trot")
"""Those that follow a twist."""
FLOOR = "floor"
"""The level floor without a board or a goal, for robots that are steered."""
REACTIVE_SPEED, TROT_SPEED = 0.05, 0.5
"""Speeds at which robots that do not plan are steered, at LittleDog's size [m/s]."""
LEAST_WAY = 0.1
"""Shortest way along x from start to goal, at LittleDog's size [m]."""
TIMEOUT = 120.0
"""A walk that takes longer has failed [s]."""
_FEET = 4
"""On so many feet a robot walks over boards."""
_STOPPING = 10.0
"""Time in which a steered robot has to stand still after the last of its twist [s]."""
_PLANNING = ("map_error", "map_correlation", "registration", "load", "effort", "map_window", "map_file", "via")
"""Options that mean something to robots that plan only."""
_SHOWN = ("map_error", "map_correlation", "registration", "map_file")
"""Those of the map, which also a robot has that chooses its gait by it."""
_MILLIMETRES = ("map_error", "map_correlation", "registration")
"""Options that the command line has in millimetres."""
_LISTS = {"pose_noise": 2, "start": 2, "goal": 2, "twist": 3, "push": 4}
"""How many numbers the texts of some options have."""


class WalkTaskError(AndanteError):
    """A walk is asked for that cannot be made."""


@dataclass(frozen=True)
class WalkTask:
    """A walk from a board's start to its goal, or, with a twist, for a time wherever that leads."""

    board: str = "rocks"
    """Kind of board, a terrain file, or, with a twist, `FLOOR`."""
    difficulty: float = 0.5
    """Difficulty of the board, 0 to 1."""
    seed: int = 0
    """Seed of the board, of the map's errors and of everything random in the run."""
    robot: str = "littledog"
    """Robot by name or path."""
    controller: str = "crawl"
    """How it walks, one of `CONTROLLERS`."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Parameters of the board with values of their own, at LittleDog's size [m, rad, shares]."""
    file: FileOptions = field(default_factory=FileOptions)
    """How a terrain file becomes a map."""
    settings: tuple[str, ...] = ()
    """Values of the scenario changed by path, each as PATH=VALUE; see `andante.documents.paths`."""
    friction: float = 0.8
    """Friction coefficient of everything."""
    pose_noise: tuple[float, float] = (0.003, math.radians(0.5))
    """Standard deviations of what motion capture tells of place [m] and orientation [rad]."""
    sensor_noise: float = 1.0
    """Factor on the usual noise of joints, IMU and foot forces (`andante.runs.scenario_files.NOISE`)."""
    map_error: float = 0.0
    """Standard deviation of each height of the map that the planner sees, at LittleDog's size [m]."""
    map_correlation: float = 0.0
    """Length over which neighbouring errors of the map are alike, at LittleDog's size [m]."""
    registration: float = 0.0
    """Standard deviation of the shift of the whole map along x and y, at LittleDog's size [m]."""
    map_window: float | None = None
    """Side of the square around the robot that is known of the ground at a time; None: all is known [m]."""
    map_file: str | None = None
    """A terrain file that is all the planner knows of the ground; None: a survey of the terrain."""
    effort: float = 1.0
    """How many times the usual work the planner may take, 0.1 to 100."""
    load: str = "torque"
    """How the servos of a planned crawl are told what they carry, one of `LOADS`; see `CrawlSettings.load`."""
    gains: str | None = None
    """Name of one of the robot's sets of servo gains; None: those of its servos."""
    payload: float = 0.0
    """Mass that lies on the robot and that nobody told it of [kg]."""
    torque: float | None = None
    """Torque limit of all joints; None: as declared [N m]."""
    speed_limit: float | None = None
    """Speed limit of all joints; None: as declared [rad/s]."""
    speed: float | None = None
    """Speed that is asked of controllers that do not plan; None: `REACTIVE_SPEED` or `TROT_SPEED` [m/s]."""
    timeout: float = TIMEOUT
    """A walk that takes longer has failed [s]."""
    start: tuple[float, float] | None = None
    """Where the middle of the robot starts; None: the board's start [m]."""
    goal: tuple[float, float] | None = None
    """Where it shall go; None: the board's goal [m]."""
    via: tuple[tuple[float, float], ...] = ()
    """Places by whose way it shall go there, one after the other [m]."""
    miss: float = 0.02
    """A foot that comes down farther from its planned place has missed, at LittleDog's size [m]."""
    twist: tuple[float, float, float] | None = None
    """What is asked of a steered robot, in its own axes: forward and left [m/s], turn to the left [rad/s]."""
    seconds: float = 10.0
    """How long the twist is asked; then it stands [s]."""
    live: bool = False
    """Whether it is steered by hand while it walks, in place of a twist."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, float) and not (math.isfinite(value) and value >= 0.0):
                raise WalkTaskError("must be a number of at least zero", place=each.name, value=value)
        if self.controller not in CONTROLLERS:
            raise WalkTaskError(
                "there is no such controller for a walk", value=self.controller, legal=(*CONTROLLERS, "quadruped")
            )
        if self.live and self.twist is not None:
            raise WalkTaskError("a robot that is steered by hand has none", place="twist", value=self.twist)
        if self.load not in LOADS:
            raise WalkTaskError("there is no such way to tell servos of their load", value=self.load, legal=LOADS)
        if self.controller != "crawl":
            for name in _PLANNING:
                if self.controller == "auto" and name in _SHOWN:
                    continue
                wanted = getattr(self, name)
                if wanted and wanted != getattr(WalkTask, name):
                    raise WalkTaskError(
                        "means nothing to a robot that does not plan",
                        place=name,
                        value=wanted,
                        remedy="--controller crawl",
                    )
        _ = self.map  # says what is wrong with it
        if not self.steered:
            return
        if self.controller not in STEERED:
            raise WalkTaskError("this controller follows no twist", value=self.controller, legal=STEERED)
        idle = {"goal": self.goal} | ({"start": self.start, "values": self.values} if self.board == FLOOR else {})
        for name, given in idle.items():
            if given:
                raise WalkTaskError("means nothing to a robot that is steered", place=name, value=given)

    @property
    def steered(self) -> bool:
        """Whether a twist is asked, now or by hand, and no goal."""
        return self.live or self.twist is not None

    def choice(self, leg_length: float) -> TerrainChoice:
        """The terrain for a robot of this leg length [m]."""
        # Every experiment knows this class; few ask for a walk, whose boards and legs take 10 ms to import.
        from andante.terrain.boards.make import BOARDS

        if self.board in BOARDS:
            self.file.refuse_others((), "a board", self.board)
            return TerrainChoice(
                board=self.board,
                difficulty=self.difficulty,
                seed=self.seed,
                leg_length=leg_length,
                parameters=dict(self.values),
            )
        if not names_file(self.board):
            raise WalkTaskError("there is no such board", value=self.board, legal=BOARDS, remedy="or name a file")
        if self.values:
            raise WalkTaskError(
                "a terrain file has no parameters of a board",
                place=self.board,
                value=dict(self.values),
                remedy="how a file becomes a map is said in file, not in values",
            )
        return TerrainChoice(file=self.board, leg_length=leg_length, **dict(self.file))

    def scenario(self, *, report: bool = False, video: bool = False) -> Scenario:
        """The walk as a scenario.

        Raises:
            AndanteError: Robot, board or a number is not legal.
        """
        from andante.kinematics.leg_table import LeggedBody

        model = Robot.load(self.robot)
        from andante.runs.tasks.walk.walker import as_walker, is_bare

        bare = is_bare(model)
        # What is wrong with the first leg says nothing to who has a robot on six.
        if model.feet and len(model.feet) != _FEET:
            names = tuple(foot.name for foot in model.feet)
            raise WalkTaskError("walks are for robots on four feet", place=model.name, value=names, limit="four feet")
        walker = as_walker(model) if bare else model
        leg = LeggedBody.of(walker).leg_length
        if not 0.0 <= self.difficulty <= 1.0:
            raise WalkTaskError("difficulty is out of range", place=self.board, value=self.difficulty, limit="0 to 1")
        world: dict[str, Any] = {
            "friction": self.friction,
            "impacts": False,
            "noise": {name: self.sensor_noise * value for name, value in NOISE.items()}
            | {"pose": {"position": self.pose_noise[0], "orientation": self.pose_noise[1]}},
        }
        scale, name, way = leg / REFERENCE_LEG, self.board, 0.0
        if not self.steered or self.board != FLOOR:
            # It imports numba, and every experiment knows this class.
            from andante.runs.tasks.walk.placing import standing_on

            terrain = self.choice(leg).load()
            start, goal = self._ends(terrain)
            standing = standing_on(walker, terrain.heights, start)
            placed = {"x": start[0], "y": start[1]} if standing is None else standing.start(terrain.heights)
            world |= {"terrain": self.choice(leg).model_dump(), "start": placed}
            scale, name, way = terrain.scale, terrain.name, goal[0] - start[0]
        if self.payload > 0.0:
            world["payload"] = {"mass": self.payload, "place": (0.0, 0.0, 0.05 * scale)}
        walk = {"miss": self.miss, "via": self.via, "start": self.start and start, "goal": self.goal and goal}
        data = {
            "name": name_of("walk", name[:60], usual="walk"),
            "robot": self.robot,
            "limits": {"walker": bare, "torque": self.torque, "speed": self.speed_limit, "gains": self.gains},
            "controller": self._control(scale, way),
            "world": world,
            "seed": self.seed,
            "timeout": self.timeout if not self.steered else self.seconds + _STOPPING,
            "settle": 1.0,
            "success": {
                # A walk to a goal judges both by itself.
                "finishes": self.steered,
                "no_fall": self.steered,
                "walk": None if self.steered else walk,
                "fall": {"tilt": math.radians(65.0), "contact": False, "stop_after": 0.2},
            },
            "recording": {"report": report, "video": video},
        }
        return with_settings(validated(data), self.settings)

    def _ends(self, terrain: Terrain) -> tuple[tuple[float, float], tuple[float, float]]:
        """Start and goal on the terrain, where the way leads first ahead."""
        ends = (self.start or terrain.start, self.goal or terrain.goal)
        low_x, high_x, low_y, high_y = terrain.extent
        for name, (x, y) in (
            *zip(("start", "goal"), ends, strict=True),
            *(("place on the way", each) for each in self.via),
        ):
            if not (low_x <= x <= high_x and low_y <= y <= high_y):
                raise WalkTaskError(
                    f"the {name} is off the board",
                    value=[x, y],
                    limit=f"x {low_x:.3f} to {high_x:.3f}, y {low_y:.3f} to {high_y:.3f} m",
                )
        start, goal = ends
        least, (name, first) = LEAST_WAY * terrain.scale, ("first place", self.via[0]) if self.via else ("goal", goal)
        if first[0] - start[0] < least:
            raise WalkTaskError(
                f"the {name} is not ahead of the start; a robot sets out along x",
                value=list(first),
                limit=f"x at least {start[0] + least:.3f} m",
            )
        return start, goal

    @property
    def map(self) -> AskedMap:
        """The map that it is shown, its errors for LittleDog's size."""
        return AskedMap(self.map_error, self.map_correlation, self.registration, self.map_file, self.seed)

    def _control(self, scale: float, way: float) -> dict[str, Any]:
        """The part of the scenario that moves the robot ``way`` along x [m]."""
        kind = self.controller
        if self.live:
            return {"type": kind, "live": {}}
        if self.twist is not None:
            twist = dict(zip(("forward", "lateral", "turn"), self.twist, strict=True))
            return {"type": kind, "steering": [{"time": 0.0, **twist}, {"time": self.seconds}]}
        usual = REACTIVE_SPEED if kind == "reactive-crawl" else TROT_SPEED
        speed = self.speed if self.speed is not None else usual * math.sqrt(scale)
        shown = self.map.settings(scale)
        if kind == "auto":
            return {"type": "crawl-or-trot", "speed": speed, "distance": way} | ({"map": shown} if shown else {})
        if kind == "crawl":
            errors = {"seed": self.seed, **shown, "window": self.map_window}
            control = {"type": "crawl", "map": errors, "goal": self.goal, "via": self.via, "effort": self.effort}
            return control if self.load == LOADS[0] else control | {"execution": {"load": self.load}}
        return {"type": kind, "steering": [{"time": 0.0, "forward": speed}]}


def changed(task: WalkTask, given: Mapping[str, Any]) -> WalkTask:
    """A walk with what was asked for by name, in the command line's units; what is None stays.

    Raises:
        AndanteError: A number is not legal.
    """
    asked = walk_fields({**given, "board": given.get("board") or task.board})
    asked["values"] = {**task.values, **asked.get("values", {})}
    asked["settings"] = (*task.settings, *asked.get("settings", ()))
    return replace(task, **asked)


def walk_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a walk that were asked for by name, in the command line's units, in SI.

    Raises:
        AndanteError: A number is not legal.
    """
    asked = read_fields(WalkTask, given)
    if "pose_noise" in asked:
        place, turn = asked["pose_noise"]
        if min(place, turn) < 0.0:
            raise NumbersError("noise is not below zero", place="--pose-noise", value=given["pose_noise"])
        asked["pose_noise"] = (1e-3 * place, math.radians(turn))
    return asked


def read_fields(kind: type[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a kind of task that were given: numbers in place of texts; without what is None or no field.

    Raises:
        AndanteError: A number is not legal.
    """
    given = {**given, "registration": given.get("map_shift")}
    asked = {each.name: given[each.name] for each in fields(kind) if given.get(each.name) is not None}
    for name in _MILLIMETRES:
        if name in asked:
            asked[name] *= 1e-3
    for name, count in _LISTS.items():
        if name in asked:
            asked[name] = numbers(asked[name], count, "--" + name.replace("_", "-"))
    if "via" in asked:
        asked["via"] = tuple(numbers(each, 2, "--via") for each in asked["via"])
    if "values" in asked:
        # What is named by a path belongs to the scenario, a plain name to the board or its file.
        asked["settings"] = tuple(each for each in asked["values"] if by_path(each))
        asked["values"] = [each for each in asked["values"] if not by_path(each)]
    if asked.get("values") and names_file(str(asked.get("board", ""))):
        asked["file"] = changed_by(FileOptions(), asked.pop("values"), "--set")
    if "values" in asked:
        asked["values"] = named_values(asked["values"], "--set")
    return asked
