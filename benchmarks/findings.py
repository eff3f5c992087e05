"""Are the findings that `andante check` shows first true? Each member of each cause is proved from the file's own text.

    python benchmarks/findings.py LIBRARY [LIBRARY ...] [--json]

Nothing of the checks is used for the proof: keyframes are read out of the file by regular expressions (B-Human) or as
plain YAML, curves are written out here, bodies are asked of MuJoCo alone. A finding counts as proved where its numbers
follow from these, and the sentence's numbers from the finding's. The exit code is 1 where one is not.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from andante.formats.report import ReadReport
from andante.motions.assessment import assess
from andante.motions.checks.choice import check
from andante.motions.findings import Finding
from andante.robots.robot import Robot
from andante.runs.motion_libraries import bind_library, library_path, read_for

_ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "Hand")
_LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
_LIMBS = {
    "head": ("HeadYaw", "HeadPitch"),
    "leftArm": tuple(f"L{each}" for each in _ARM),
    "rightArm": tuple(f"R{each}" for each in _ARM),
    "leftLeg": tuple(f"L{each}" for each in _LEG),
    "rightLeg": tuple(f"R{each}" for each in _LEG),
}
_NO_ANGLE = 10_000.0
"""Numbers of B-Human's files that say off or ignore are beyond this [deg]."""
_CURVES: Mapping[str, Callable[[float], float]] = {
    "linear": lambda share: share,
    "sine_min_to_max": lambda share: 0.5 - 0.5 * math.cos(math.pi * share),
    "sine_zero_to_max": lambda share: math.sin(0.5 * math.pi * share),
}
_STARTED = (
    "stand", "recoverGeneric", "sitDown", "sitDownKeeper", "keeperJumpLeft", "genuflectStand",
    "genuflectStandDefender", "demoBannerWave", "demoBannerWaveInitial",
)  # fmt: skip
"""Motions that B-Human's engine starts on request or by itself."""
_PICTURES = 30.0
"""Pictures of the ERS-7's camera in a second; it blurs above 2 px in 10 ms at 208 px over 56.9 deg."""
_SHARP = 2.0 * 56.9 / (208.0 * 0.01)


@dataclass
class Frame:
    """A keyframe as it stands in the file."""

    duration: float
    """Duration [ms]."""
    curve: str
    """Name of its curve."""
    angles: dict[str, float]
    """Joint angles [deg]."""


@dataclass
class Text:
    """A library as its text has it."""

    frames: dict[str, list[Frame]]
    """Keyframes by block."""
    motions: dict[str, list[str]]
    """Blocks by motion."""
    leads: dict[str, set[str]]
    """Names of blocks and motions that a block's or a motion's text holds after others may follow it."""
    raw: dict[str, str]
    """The text of each block."""
    bhuman: bool


def read_text(path: Path) -> Text:
    """The text of a library."""
    if path.suffix == ".yaml":
        return _read_yaml(yaml.safe_load(path.read_text(encoding="utf-8")))
    file = path / "keyframeMotionEngine.cfg" if path.is_dir() else path
    return _read_bhuman(file.read_text(encoding="utf-8"))


def _curve(name: str) -> str:
    words = {"linear": "linear", "sinusmintomax": "sine_min_to_max", "sinusminmax": "sine_min_to_max",
             "sinuszerotomax": "sine_zero_to_max"}  # fmt: skip
    return words.get(name.lower(), name.lower())


def _read_bhuman(text: str) -> Text:
    motions_text, _, blocks_text = text.partition("\nkeyframeBlock = {")
    sections = re.compile(r"^  (\w+) = \{\n(.*?)^  \};", re.M | re.S)
    motions, leads = {}, {}
    for name, body in sections.findall(motions_text):
        found = re.search(r"keyframes = \[(.*?)\];", body, re.S)
        motions[name] = re.findall(r"\w+", found[1]) if found else []
        leads[name] = {*motions[name], *re.findall(r"startAsNextPhase = (\w+)", body)}
    frames, raw = {}, {}
    for name, body in sections.findall(blocks_text):
        raw[name] = body
        own = re.findall(r"^    interpolationType = (\w+);", body, re.M)
        branches = re.findall(r"(?:blockID|motionID) = \[?(\w*)\]?;", body)
        leads[name] = {each for each in branches if each}
        frames[name] = []
        for part in re.split(r"^        phase = ", body, flags=re.M)[1:]:
            angles = {}
            for limb, joints in _LIMBS.items():
                row = re.search(rf"\b{limb} = \[([^\]]*)\]", part)
                for joint, number in zip(
                    joints, re.findall(r"-?[\d.]+(?:e-?\d+)?", row[1]) if row else (), strict=False
                ):
                    if abs(float(number)) < _NO_ANGLE:
                        angles[joint] = float(number)
            curve = re.search(r"^        interpolationType = (\w+);", part, re.M)
            chosen = curve[1] if curve and curve[1] != "Default" else (own or ["Linear"])[-1]
            duration = re.search(r"duration = ([\d.]+)", part)
            frames[name].append(Frame(float(duration[1]) if duration else 0.0, _curve(chosen), angles))
    return Text(frames, motions, leads, raw, True)


def _read_yaml(data: dict[str, Any]) -> Text:
    frames, raw = {}, {}
    for name, block in data.get("blocks", {}).items():
        raw[name] = json.dumps(block)
        frames[name] = [
            Frame(
                float(each["duration"]),
                next(c for c in (each.get("interpolation"), block.get("interpolation"), "linear")
                     if c not in (None, "default")),
                {joint: float(value) for joint, value in (each.get("joints") or {}).items()
                 if not isinstance(value, str)},
            )
            for each in block.get("keyframes", [])
        ]  # fmt: skip
    motions = {name: list(motion.get("blocks", [])) for name, motion in data.get("motions", {}).items()}
    return Text(frames, motions, {}, raw, False)


class Proof:
    """Proves the findings of one library.

    Args:
        text: Its text.
        robot: The robot.
        tick: Period at which it is looked at [s].
    """

    def __init__(self, text: Text, robot: Robot, tick: float) -> None:
        self.text, self.robot, self.tick = text, robot, tick
        self._ways: dict[tuple[str, ...], tuple[list[tuple[str, int, int, int]], np.ndarray]] = {}
        self._data = mujoco.MjData(robot.model)

    @cached_property
    def leaders(self) -> dict[str, str]:
        """The joint that each joint goes with."""
        return {"RHipYawPitch": "LHipYawPitch"} if self.robot.name == "nao" else {}

    def way(self, finding: Finding) -> tuple[list[tuple[str, int, int, int]], np.ndarray]:
        """Keyframes with their first and last sample, and postures (n, nj) [rad], of the finding's motion or block."""
        place = self.block_of(finding)
        blocks = tuple(self.text.motions[finding.motion]) if finding.motion else (place[0],)
        if blocks not in self._ways:
            names = self.robot.joint_names
            posture = dict(zip(names, self.robot.posture("stand") if "stand" in self.robot.postures
                               else np.zeros(len(names)), strict=True))  # fmt: skip
            rows, marks = [list(posture.values())], []
            for block in blocks:
                for index, frame in enumerate(self.text.frames.get(block, [])):
                    period = round(self.tick * 1e6)
                    length = round(frame.duration * 1000.0)
                    # The last quarter of a tick counts as done.
                    count = max(1, (length - period // 4) // period + 1)
                    target = posture | {n: math.radians(a) for n, a in frame.angles.items() if n in posture}
                    for follower, leader in self.leaders.items():
                        target[follower] = target[leader]
                    first = len(rows)
                    for step in range(1, count + 1):
                        share = 1.0 if step == count else step * period / max(length, 1)
                        way = 1.0 if step == count else _CURVES[frame.curve](share)
                        rows.append([posture[n] + way * (target[n] - posture[n]) for n in names])
                    marks.append((block, index, first, len(rows) - 1))
                    posture = target
            self._ways[blocks] = marks, np.array(rows)
        return self._ways[blocks]

    def block_of(self, finding: Finding) -> tuple[str, int]:
        """Block and keyframe of a finding's place."""
        found = re.match(r"blocks\.(.+?)\.keyframes\[(\d+)\]", finding.place)
        if found:
            return found[1], int(found[2])
        return finding.place.partition(".")[2], -1

    def prove(self, finding: Finding) -> str:
        """Empty where a finding is proved, else what is not so."""
        provers: dict[str, Callable[[Finding], str]] = {
            "joint-limit": self._joint_limit, "mirror": self._mirror, "self-collision": self._collision,
            "speed": self._speed, "velocity-jump": self._jump, "contradiction": self._contradiction,
            "empty": self._empty, "unreachable": self._unreachable, "camera": self._camera,
            "static-balance": self._balance,
        }  # fmt: skip
        prover = provers.get(finding.rule)
        return f"nobody proves the rule {finding.rule}" if prover is None else prover(finding)

    def _frame(self, finding: Finding) -> Frame:
        block, index = self.block_of(finding)
        return self.text.frames[block][index]

    def _joint_limit(self, finding: Finding) -> str:
        joint, frame = str(finding.joint), self._frame(finding)
        low, high = np.degrees(self.robot.model.joint(joint).range).tolist()
        angle = frame.angles[joint]
        limit = low if angle < low else high
        beyond = abs(angle - limit)
        told = re.search(
            r"target (-?[\d.]+) deg is ([\d.]+) deg beyond the joint's limit of (-?[\d.]+) deg", finding.message
        )
        numbers = [float(each) for each in told.groups()] if told else []
        if not (angle < low or angle > high):
            return f"{angle} deg is within {low:.2f} to {high:.2f}"
        wanted = [angle, beyond, limit]
        return "" if np.allclose(numbers, wanted, atol=0.006) else f"says {numbers}, the file and the model {wanted}"

    def _mirror(self, finding: Finding) -> str:
        joint, frame = str(finding.joint), self._frame(finding)
        others, wrong = 0, []
        for left, value in frame.angles.items():
            right = f"R{left[1:]}"
            if not left.startswith("L") or right not in frame.angles or left == "LHipYawPitch":
                continue
            sign = -1.0 if re.search(r"(Roll|ElbowYaw|WristYaw)$", left) else 1.0
            if abs(frame.angles[right] - sign * value) <= 0.5:
                others += abs(value) > 3.0
            else:
                wrong.append((right, frame.angles[right], sign * value))
        told = re.search(r"is (-?[\d.]+) deg .* has (-?[\d.]+) deg", finding.message)
        if [each[0] for each in wrong] != [joint]:
            return f"not mirror images are {wrong}"
        if not (told and np.allclose([float(told[1]), float(told[2])], wrong[0][1:], atol=0.006)):
            return f"says {finding.message}, the file has {wrong}"
        return "" if abs(wrong[0][1] + wrong[0][2]) < 0.5 and others >= 3 else "no wrong sign explains it"

    def _row(self, finding: Finding) -> int:
        return round(float(finding.time or 0.0) / self.tick)

    def _pose(self, angles: np.ndarray) -> None:
        model, data = self.robot.model, self._data
        mujoco.mj_resetData(model, data)
        limits = {name: model.joint(name).range for name in self.robot.joint_names}
        for name, angle in zip(self.robot.joint_names, angles.tolist(), strict=True):
            data.joint(name).qpos[0] = min(max(angle, limits[name][0]), limits[name][1])
        mujoco.mj_forward(model, data)

    def _collision(self, finding: Finding) -> str:
        told = re.match(r"(\S+) and (\S+) overlap by ([\d.]+) mm", finding.message)
        if told is None:
            return "the sentence has no bodies"
        self._pose(self.way(finding)[1][self._row(finding)])
        model, data, deepest = self.robot.model, self._data, 0.0
        for contact in data.contact[: data.ncon]:
            pair = {model.body(int(model.geom_bodyid[geom])).name for geom in (contact.geom1, contact.geom2)}
            if pair == {told[1], told[2]}:
                deepest = max(deepest, -float(contact.dist))
        off = abs(1e3 * deepest - float(told[3]))
        return "" if off < 0.1 else f"says {told[3]} mm, MuJoCo {1e3 * deepest:.1f} mm"

    def _speed(self, finding: Finding) -> str:
        column, row = self.robot.joint_names.index(str(finding.joint)), self._row(finding)
        way = self.way(finding)[1]
        speed = math.degrees(abs(way[row, column] - way[row - 1, column]) / self.tick)
        return self._against(finding, r"moves at (\d+) deg/s; limit: (\d+) deg/s", speed)

    def _jump(self, finding: Finding) -> str:
        column, row = self.robot.joint_names.index(str(finding.joint)), self._row(finding)
        marks, way = self.way(finding)
        after = next(k for k, (_, _, first, _) in enumerate(marks) if first == row + 1)
        slopes = []
        for number, share in ((after - 1, 1.0), (after, 0.0)):
            block, index, first, last = marks[number]
            frame = self.text.frames[block][index]
            near = 1e-6
            curve = _CURVES[frame.curve]
            slope = (curve(near) - curve(0.0) if share == 0.0 else curve(1.0) - curve(1.0 - near)) / near
            slopes.append(slope * (way[last, column] - way[first - 1, column]) / max(frame.duration / 1e3, self.tick))
        return self._against(
            finding, r"at once by (\d+) deg/s; limit: (\d+) deg/s", math.degrees(abs(slopes[1] - slopes[0]))
        )

    def _against(self, finding: Finding, pattern: str, value: float) -> str:
        told = re.search(pattern, finding.message)
        limit = math.degrees(self.robot.max_velocity[self.robot.joint_names.index(str(finding.joint))])
        if told is None or abs(float(told[1]) - value) > 1.0 or abs(float(told[2]) - limit) > 1.0:
            return f"says {finding.message}, the file's way {value:.1f} deg/s, the robot {limit:.1f} deg/s"
        return "" if value > limit else f"{value} is within {limit}"

    def _contradiction(self, finding: Finding) -> str:
        told = re.search(r"(\w+) is listed 2 times with factors (-?[\d.]+) and (-?[\d.]+)", finding.message)
        if told is None:
            return "the sentence is another"
        block, index = self.block_of(finding)
        part = re.split(r"^        phase = ", self.text.raw[block], flags=re.M)[1 + index]
        name = told[1][0].lower() + told[1][1:]
        factors = re.findall(rf"\w+ = {name};[^{{}}]*?(-?[\d.]+);", part)
        wanted = [float(told[2]), float(told[3])]
        pairs = pairwise(factors)
        found = any(sorted(map(float, pair)) == sorted(wanted) for pair in pairs)
        return "" if found and sum(wanted) == 0.0 else f"says {wanted}, the file has {factors}"

    def _empty(self, finding: Finding) -> str:
        kind, _, name = finding.place.partition(".")
        held = self.text.frames[name] if kind == "blocks" else self.text.motions[name]
        return "" if not held else f"it has {len(held)}"

    def _unreachable(self, finding: Finding) -> str:
        reached, waiting = set(), [name for name in _STARTED if name in self.text.motions]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += sorted(self.text.leads.get(name, ()))
        name = finding.place.partition(".")[2]
        # A name may be a motion's and a block's: by the text alone both count as reached.
        return "" if name not in reached else "the text names it where something leads on"

    def _camera(self, finding: Finding) -> str:
        told = re.match(r"blurs about (\d+) of (\d+) pictures: the camera turns at up to (\d+) deg/s", finding.message)
        motion, turns = finding.place.partition(".")[2], []
        own = Finding(finding.rule, finding.severity, finding.place, "", motion=finding.motion or motion)
        marks, way = self.way(own)
        # A first keyframe of two frames is where the motion begins.
        begin = marks[0][3] if self.text.frames[marks[0][0]][marks[0][1]].duration <= 16.0 else 0
        for posture in way[begin:]:
            self._pose(posture)
            turns.append(Rotation.from_matrix(self._data.site("camera").xmat.reshape(3, 3)))
        speeds = [math.degrees((b * a.inv()).magnitude()) / self.tick for a, b in pairwise(turns)]
        blurred = sum(speed > _SHARP for speed in speeds) * self.tick * _PICTURES
        wanted = [blurred, len(speeds) * self.tick * _PICTURES, max(speeds)]
        if told is None:
            return "the sentence is another"
        off = np.abs(np.array([float(each) for each in told.groups()]) - wanted)
        return "" if (off <= [1.0, 1.0, 2.0]).all() else f"says {told.groups()}, the way {wanted}"

    def _balance(self, finding: Finding) -> str:
        told = re.search(r"is (\d+) mm (inside|outside) the support of feet ([\w, ]+); limit", finding.message)
        if told is None:
            return "the sentence is another"
        self._pose(self.way(finding)[1][self._row(finding)])
        model, data = self.robot.model, self._data
        places = {}
        for foot in self.robot.feet:
            site = data.site(foot.site)
            places[foot.name] = np.array(site.xpos)
        names = told[3].split(", ")
        corners = np.array([places[name] for name in names])
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        com = np.array(data.subtree_com[model.body(self.robot.base_body).id])
        normal = normal / np.linalg.norm(normal) * np.sign(normal @ (com - corners[0]))
        others = [float(normal @ (place - corners[0])) for name, place in places.items() if name not in names]
        if min(others) < -1e-4:
            return f"another foot is {-1e3 * min(others):.1f} mm lower"
        middle = corners.mean(axis=0)
        margins = []
        for one, other in ((0, 1), (1, 2), (2, 0)):
            inward = np.cross(normal, corners[other] - corners[one])
            inward /= np.linalg.norm(inward)
            inward *= np.sign(inward @ (middle - corners[one]))
            margins.append(float(inward @ (com - corners[one])))
        wanted = float(told[1]) * (1.0 if told[2] == "inside" else -1.0)
        off = abs(1e3 * min(margins) - wanted)
        return "" if off <= 1.0 else f"says {wanted:.0f} mm, the model {1e3 * min(margins):.1f} mm"


def proved(source: str) -> dict[str, Any]:
    """What `andante check` shows first of a library, and what of it is not proved."""
    report, path = ReadReport(), library_path(source)
    document = read_for(path, None, report)
    robot = Robot.load("nao" if document.robot not in ("ers7",) else document.robot)
    if document.robot != robot.name:
        document = bind_library(document, path, robot, report).library
    rules = "aibo" if robot.name == "ers7" else "library"
    told = assess([*report.findings(), *check(document, robot, rules=rules)], document, tolerance=0.01)
    proof = Proof(read_text(path), robot, 0.008 if rules == "aibo" else robot.tick)
    members = [finding for cause in told.first for finding in cause.findings]
    open_ = [(str(finding), why) for finding in members if (why := proof.prove(finding))]
    return {
        "library": source,
        "causes": len(told.first),
        "members": len(members),
        "by_rule": dict(Counter(finding.rule for finding in members)),
        "not_proved": open_,
    }


def main() -> int:
    """Print and tell by the exit code."""
    parser = argparse.ArgumentParser(description="Are the findings that are shown first true?")
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [proved(source) for source in options.libraries]
    if options.json:
        print(json.dumps(results, indent=1))
    for each in [] if options.json else results:
        rules = ", ".join(f"{rule} {count}" for rule, count in each["by_rule"].items())
        print(f"{each['library']}: {each['causes']} causes, {each['members']} findings ({rules}); "
              f"{len(each['not_proved'])} not proved")  # fmt: skip
        for text, why in each["not_proved"]:
            print(f"  {text}\n    {why}")
    return 1 if any(each["not_proved"] for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
