"""NUbots' scripts (YAML): a list of frames, each with a duration [ms] and targets of servos [rad].

A servo moves in a straight line to its target until the frame ends; servos that a frame does not name are left alone. A
target of torque 0, or without a gain, switches its servo off. Gains belong to the robot's servos; they and torques
between 0 and 100 are kept in the keyframe's extras. The file does not name its robot: it is the one asked for, or the
team's NUgus.

Source: shared/utility/skill/Script.hpp and shared/utility/skill/scripts of NUbots/NUbots.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from andante.documents.yaml_tree import Node, parse_tree, plain_scalar
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import LARGEST, LONGEST, number_text, plain, seconds
from andante.formats.shared.single import StepsCodec, library_of_one, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, keyframe_of
from andante.formats.shared.text_file import TextFile
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, JointTarget, Keyframe
from andante.motions.library import MotionLibrary

DEFAULT_ROBOT = "nugus"
_KIND: Kind = "nubots"
_FULL_TORQUE = 100.0
_USUAL_GAIN = 30.0
"""Gain of most of the team's scripts, for motions that have none."""
_FRAME = ("duration", "targets")
_TARGET = ("id", "position", "gain", "torque")


class NubotsCodec(StepsCodec):
    """Reads and writes NUbots' scripts."""

    name = "nubots"
    title = "NUbots script (YAML)"
    suffixes = (".yaml",)
    by_ending = False
    signature = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:(?:---)?[ \t\r\f\v]*(?:#[^\n]*)?\n)*+- +(?:duration|targets) *:")
    sure = 0.9
    holds = Holds((), ("extras",), _KIND, off=True)

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Script(path, report).library(parse_tree(text, str(path)))

    def text(self, library: MotionLibrary, name: str, steps: Sequence[OutgoingKeyframe], losses: Losses) -> str:
        """The file of a motion with these steps."""
        gains: dict[str, float] = {}
        return "".join(_frame_text(step, gains, losses) for step in steps)


class _Script(TextFile):
    """One file being read."""

    def library(self, root: Node) -> MotionLibrary:
        if not isinstance(root.data, list):
            raise self.fault("a list of frames is expected here", root)
        keyframes = tuple(self._keyframe(frame, f"[{index}]") for index, frame in enumerate(root.items))
        robot = self.report.robot
        if not robot:
            self.warn(f"the file does not name its robot; {DEFAULT_ROBOT!r} is taken")
        return library_of_one(robot or DEFAULT_ROBOT, name_of(self.path), Block(keyframes=keyframes))

    def _keyframe(self, frame: Node, inside: str) -> Keyframe:
        fields = self._fields(frame, inside, _FRAME, _FRAME)
        duration = self._number(fields["duration"], f"{inside}.duration", 0.0, LONGEST * 1000.0)
        if duration != math.floor(duration):
            what = "the duration is in whole milliseconds"
            raise self.fault(what, fields["duration"], f"{inside}.duration", value=fields["duration"].data)
        targets = fields["targets"]
        if not isinstance(targets.data, list):
            raise self.fault("a list of targets is expected here", targets, inside)
        joints: dict[str, JointTarget] = {}
        kept: dict[str, Any] = {}
        for index, item in enumerate(targets.items):
            self._target(item, f"{inside}.targets[{index}]", joints, kept)
        return keyframe_of(seconds(duration), joints, extras={_KIND: kept} if kept else {})

    def _target(self, item: Node, inside: str, joints: dict[str, JointTarget], kept: dict[str, Any]) -> None:
        fields = self._fields(item, inside, _TARGET[:3], _TARGET)
        joint = fields["id"].data
        if not isinstance(joint, str) or not joint or joint in joints:
            raise self.fault("each target needs a servo of its own", fields["id"], inside, value=joint)
        position = self._number(fields["position"], f"{inside}.position", -LARGEST, LARGEST)
        gain = self._number(fields["gain"], f"{inside}.gain", 0.0, LARGEST, none=True)
        torque = _FULL_TORQUE
        if "torque" in fields:
            torque = self._number(fields["torque"], f"{inside}.torque", 0.0, LARGEST)
        off = torque == 0.0 or not gain > 0.0
        joints[joint] = "off" if off else position
        told = {"gain": None if math.isnan(gain) else plain(gain)}
        if off:
            told["position"] = plain(position)
        if torque != _FULL_TORQUE:
            told["torque"] = plain(torque)
        kept[joint] = told

    def _fields(self, node: Node, inside: str, needed: Sequence[str], legal: Sequence[str]) -> Mapping[str, Node]:
        if not isinstance(node.data, dict):
            raise self.fault(f"{', '.join(legal)} are expected here", node, inside)
        for name in node.entries:
            if name not in legal:
                raise self.fault("the name is unknown", node.keys[name], inside, value=name, legal=legal)
        for name in needed:
            if name not in node.entries:
                raise self.fault(f"{name!r} is missing", node, inside, legal=tuple(needed))
        return node.entries

    def _number(self, node: Node, inside: str, low: float, high: float, *, none: bool = False) -> float:
        value = node.data
        if none and isinstance(value, float) and math.isnan(value):
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            what = f"a number from {low:g} to {high:g} is expected here"
            raise self.fault(what, node, inside, value=value)
        return float(value)


def _frame_text(step: OutgoingKeyframe, gains: dict[str, float], losses: Losses) -> str:
    milliseconds = round(step.duration * 1000.0)
    if abs(milliseconds - step.duration * 1000.0) > 1e-6:
        losses.count(f"{step.place}.duration", "milliseconds", "durations are rounded to whole milliseconds")
    kept = step.keyframe.extras.get(_KIND, {})
    lines = [f"- duration: {milliseconds}\n", "  targets:\n"]
    for joint, value in step.keyframe.joints.items():
        if isinstance(value, str) and value != "off":
            losses.count(step.place, "ignored", "joints that are ignored are left out, which means the same")
            continue
        told = kept.get(joint)
        before = told if isinstance(told, dict) else {}
        gain, torque = _known(before.get("gain")), _known(before.get("torque"))
        if not before and joint not in gains and value != "off":
            losses.count(step.place, "gain", f"joints without a gain get {_USUAL_GAIN:g}")
        if value == "off":
            position = _known(before.get("position")) or 0.0
            gain_word = ".NaN" if gain is None else number_text(gain)
            # Off is what has no gain or no torque; a file's own way of saying so is kept.
            torque = (torque if torque is not None else _FULL_TORQUE) if before and not gain else 0.0
        else:
            position = float(value)
            gain = gain if gain is not None and gain > 0.0 else gains.get(joint, _USUAL_GAIN)
            gains[joint], gain_word = gain, number_text(gain)
            torque = torque if torque is not None and torque > 0.0 else _FULL_TORQUE
        lines += [
            f"    - id: {_word(joint)}\n",
            f"      position: {number_text(position)}\n",
            f"      gain: {gain_word}\n",
            f"      torque: {number_text(torque)}\n",
        ]
    if len(lines) == 2:
        lines[1] = "  targets: []\n"
    return "".join(lines)


def _known(value: object) -> float | None:
    """A number of the extras, which people may have edited; None: it is none."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _word(joint: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", joint) or not isinstance(plain_scalar(joint), str):
        raise FormatError("a joint's name cannot stand in the file", value=joint)
    return joint
