"""MuJoCo's keyframes (`<keyframe><key name time qpos qvel act ctrl/></keyframe>`), with the model or beside it.

Which joint a number of `qpos` belongs to is told by the model in the same file, by a text `andante_joints` in the
file's custom section (written here: joint names, `free` for a floating base), or by a shipped robot with as many.
Keys have times but no durations: keys of one motion are those with rising times; a key at a time of its own is a
posture, which gets a motion of a second. What a library does not hold of a key (base pose, velocities, activations,
controls) is kept in its keyframe's extras.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from andante.formats.bhuman.names import JOINTS
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.numbers import LONGEST, number_text
from andante.formats.shared.single import OneTextCodec, name_of
from andante.formats.shared.steps import Holds, OutgoingKeyframe, complete, keyframe_of, steps_of
from andante.formats.shared.text_file import TextFile
from andante.formats.shared.xml_text import Element, parse_xml
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot

POSTURE_TIME = 1.0
"""Duration of a key that stands by itself: an assumption [s]."""
MAX_JOINTS = 1000
_KIND: Kind = "mujoco"
_TEXT = "andante_joints"
_BASE = "free"
_SIZES = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}
_REST = {"free": "0 0 0 1 0 0 0", "ball": "1 0 0 0"}
_EXTRAS = ("qvel", "act", "ctrl", "mpos", "mquat")
_TIMED = re.compile(r"(.+)\.(\d{1,6})")


@dataclass(frozen=True)
class _Slot:
    """A joint and its place in qpos."""

    name: str
    kind: str
    first: int


class MujocoCodec(OneTextCodec):
    """Reads and writes keyframes in MJCF."""

    name = "mujoco"
    title = "MuJoCo keyframes (MJCF)"
    suffixes = (".xml",)
    many = True

    def sniff(self, head: bytes, path: Path) -> float:
        """How likely ``head``, the beginning of the file at ``path``, is of this format: 0 to 1."""
        if re.search(rb"<key\s[^>]*qpos", head) or re.search(rb"<keyframe[\s>/]", head):
            return 0.9
        return 0.4 if re.search(rb"<mujoco(?:include)?[\s>]", head) else 0.0

    def decode(self, text: str, path: Path, report: ReadReport) -> MotionLibrary:
        """The library of a file's text; `FormatError` where it breaks the format."""
        return _Decoder(path, report).library(parse_xml(text, str(path)))

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library."""
        return _encode(library, losses).encode()


class _Decoder(TextFile):
    """One file being read."""

    def library(self, root: Element) -> MotionLibrary:
        keys = [key for frame in root.all("keyframe") for key in frame.inside("key")]
        keys = keys or [key for key in root.all("key") if "qpos" in key.attributes]
        if not keys:
            raise self.fault(
                "the model has no keyframes (key), so it holds no motion",
                root,
                remedy="a robot is looked at by 'andante robots FILE' and moved by --robot FILE",
            )
        slots, robot = self._slots(root, keys)
        groups = self._groups(keys)
        motions, blocks = {}, {}
        shape = " ".join(slot.name if slot.kind in ("hinge", "slide") else slot.kind for slot in slots)
        for name, members in groups.items():
            before = 0.0
            keyframes = []
            for key in members:
                time = self._time(key)
                lone = len(members) == 1 and time == 0.0 and _TIMED.fullmatch(key.attributes.get("name", "")) is None
                kept = {"lone": True} if lone else {}
                duration = POSTURE_TIME if lone else time - before
                keyframes.append(self._keyframe(key, slots, duration, kept, name))
                before = time
            blocks[name] = Block(keyframes=tuple(keyframes))
            motions[name] = Motion(blocks=(name,), extras={_KIND: {"qpos": shape}})
        lone_count = sum(1 for block in blocks.values() if block.keyframes[0].extras.get(_KIND, {}).get("lone"))
        if lone_count:
            self.warn(f"{lone_count} keys have no duration; {POSTURE_TIME:g} s is taken")
        return MotionLibrary(robot=robot, motions=motions, blocks=blocks)

    def _groups(self, keys: Sequence[Element]) -> dict[str, list[Element]]:
        """Keys by motion: `name.number` belong together, and so do all where their times rise."""
        times = [self._time(key) for key in keys]
        rising = len(keys) > 1 and all(a < b for a, b in pairwise(times))
        groups: dict[str, list[Element]] = {}
        for index, key in enumerate(keys):
            own = key.attributes.get("name", "")
            timed = _TIMED.fullmatch(own)
            name = timed[1] if timed else name_of(self.path) if rising else own or f"key{index + 1}"
            members = groups.setdefault(name, [])
            if members and self._time(key) <= self._time(members[-1]):
                raise self.fault("the times of a motion's keys must rise", key, inside=name, value=self._time(key))
            members.append(key)
        return groups

    def _time(self, key: Element) -> float:
        time = self._numbers(key, "time")[:1] if "time" in key.attributes else [0.0]
        if not time or not 0.0 <= time[0] <= LONGEST:
            raise self.fault("the time is out of range", key, value=key.attributes["time"], limit=f"0 to {LONGEST:g} s")
        return time[0]

    def _numbers(self, key: Element, name: str) -> list[float]:
        words = key.attributes.get(name, "").split()
        return [self.number(word, key.line, key.column, inside=f"{name}[{index}]") for index, word in enumerate(words)]

    def _keyframe(
        self, key: Element, slots: Sequence[_Slot], duration: float, kept: dict[str, Any], motion: str
    ) -> Keyframe:
        size = sum(_SIZES[slot.kind] for slot in slots)
        own = key.attributes.get("name", "")
        joints: dict[str, Any] = {}
        if "qpos" in key.attributes:
            values = self._numbers(key, "qpos")
            if len(values) != size:
                raise self.fault(f"qpos has {len(values)} of {size} numbers", key, inside=own)
            for slot in slots:
                if slot.kind in ("hinge", "slide"):
                    joints[slot.name] = values[slot.first]
                else:
                    piece = values[slot.first : slot.first + _SIZES[slot.kind]]
                    kept.setdefault("rest", []).append(" ".join(number_text(value) for value in piece))
        else:
            kept["bare"] = True
        for name in _EXTRAS:
            if name in key.attributes:
                kept[name] = " ".join(number_text(value) for value in self._numbers(key, name))
        if not kept.get("lone") and own != motion and _TIMED.fullmatch(own) is None:
            kept["name"] = own
        return keyframe_of(duration, joints, extras={_KIND: kept} if kept else {})

    def _slots(self, root: Element, keys: Sequence[Element]) -> tuple[list[_Slot], str]:
        """What the numbers of qpos are, and the robot."""
        robot = self.report.robot
        for text in root.all("text"):
            if text.attributes.get("name") == _TEXT:
                named = [
                    word if word in _SIZES else f"hinge {word}" for word in text.attributes.get("data", "").split()
                ]
                slots = self._placed(named, text)
                return slots, self.robot(_named(slots))
        model = [_joint(element) for body in root.all("worldbody") for element in _joints(body)]
        if model:
            slots = self._placed(model, root)
            if "" in _named(slots):
                raise self.fault("the model has joints without a name", root)
            return slots, self.robot(_named(slots))
        count = len(keys[0].attributes.get("qpos", "").split())
        for each in (Robot.load(robot),) if robot else Robot.every():
            name = robot or each.name
            names = list(JOINTS) if name == "nao" else []
            if name != "nao" or count in (len(names), len(names) + 7):
                names = list(each.joint_names)
            if count in (len(names), len(names) + 7) and names:
                base = [_BASE] if count > len(names) else []
                self.warn(f"the joints are not named; those of {name!r} are taken in its order")
                return self._placed([*base, *(f"hinge {joint}" for joint in names)], root), name
        raise self.fault(
            "the file does not tell which joints qpos has",
            keys[0],
            value=f"{count} numbers",
            remedy="name a robot with as many joints, or put the keys into the model's file",
        )

    def _placed(self, words: Sequence[str], element: Element) -> list[_Slot]:
        if len(words) > MAX_JOINTS:
            raise self.fault("there are too many joints", element, value=len(words), limit=f"{MAX_JOINTS}")
        slots: list[_Slot] = []
        first = 0
        for word in words:
            kind, _, name = word.partition(" ")
            if name and any(slot.name == name for slot in slots):
                raise self.fault("the joint stands twice", element, value=name)
            slots.append(_Slot(name, kind, first))
            first += _SIZES[kind]
        return slots


def _named(slots: Sequence[_Slot]) -> list[str]:
    """Names of the joints that have one number."""
    return [slot.name for slot in slots if slot.kind in ("hinge", "slide")]


def _joints(body: Element) -> list[Element]:
    """The joints of a body and all inside it, in the order of qpos."""
    # A body's own joints come before those of the bodies inside.
    found = [child for child in body.children if child.tag in ("joint", "freejoint")]
    for inner in body.inside("body"):
        found += _joints(inner)
    return found


def _joint(element: Element) -> str:
    kind = "free" if element.tag == "freejoint" else element.attributes.get("type", "hinge")
    kind = kind if kind in _SIZES else "hinge"
    return kind if kind in _REST else f"{kind} {element.attributes.get('name', '')}"


def _encode(library: MotionLibrary, losses: Losses) -> str:
    """The file's text."""
    steps = {name: steps_of(library, name, losses, Holds(kind=_KIND)) for name in library.motions}
    shape = _shape(library, steps)
    for name in shape:
        if re.search(r"\s", name) or not name:
            raise FormatError("a joint's name cannot stand in the file", value=name)
    rows = ["<mujoco>", "  <custom>", f'    <text name="{_TEXT}" data={quoteattr(" ".join(shape))}/>', "  </custom>"]
    rows.append("  <keyframe>")
    for name, members in steps.items():
        for index, step in enumerate(members):
            kept = step.keyframe.extras.get(_KIND, {})
            rows.append(_key(f"{name}.{index + 1}", name, step, kept, shape, losses))
    return "\n".join([*rows, "  </keyframe>", "</mujoco>"]) + "\n"


def _shape(library: MotionLibrary, steps: Mapping[str, Sequence[OutgoingKeyframe]]) -> list[str]:
    """Words of the text that names the numbers of qpos."""
    shape: list[str] = []
    for motion in library.motions.values():
        words = motion.extras.get(_KIND, {}).get("qpos")
        if isinstance(words, str) and not shape:
            shape = words.split()
    used = {joint: None for members in steps.values() for step in members for joint in step.keyframe.joints}
    if not shape:
        shape = [_BASE, *JOINTS] if library.robot == "nao" else []
    return [*shape, *(joint for joint in used if joint not in shape)]


def _key(
    title: str, motion: str, step: OutgoingKeyframe, kept: Mapping[str, Any], shape: Sequence[str], losses: Losses
) -> str:
    """One key."""
    bare = kept.get("bare") is True and not step.keyframe.joints
    lone = kept.get("lone") is True and step.start == 0.0 and step.duration == POSTURE_TIME
    own = kept.get("name")
    values = {"name": motion if lone else own if isinstance(own, str) else title}
    if not lone:
        values["time"] = number_text(round(step.end, 12))
    if not bare:
        values["qpos"] = _qpos(step, kept, shape, losses)
    values |= {field: str(kept[field]) for field in _EXTRAS if field in kept}
    if not values["name"]:
        del values["name"]
    return f"    <key{''.join(f' {name}={quoteattr(value)}' for name, value in values.items())}/>"


def _qpos(step: OutgoingKeyframe, kept: Mapping[str, Any], shape: Sequence[str], losses: Losses) -> str:
    """The numbers of a key."""
    angles = complete(step, [word for word in shape if word not in _REST], losses, "the format")
    rest = [str(word) for word in kept["rest"]] if isinstance(kept.get("rest"), list) else []
    words = []
    for word in shape:
        if word in _REST:
            if not rest:
                losses.count(step.place, "base", "a library has no base pose; that of the origin is written")
            words.append(rest.pop(0) if rest else _REST[word])
        else:
            words.append(number_text(angles[word]))
    return " ".join(words)
