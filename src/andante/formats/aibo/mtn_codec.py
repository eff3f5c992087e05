"""The codec of MTN: one file is one motion of one robot; a folder of them is a library.

The motion gets one block of its own name. The first key has no time in the file: it is where the motion starts, shown
for one frame, so its keyframe lasts one frame. What a library has no field for (author, design, version, body angles,
layout) is put into extras, so that writing gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from andante.documents.files import read_bytes, read_head
from andante.documents.part import Part
from andante.formats.aibo.binary import U32, Hexadecimal, Packing, packing_of, zip_bytes
from andante.formats.aibo.files import file_name
from andante.formats.aibo.keys import MotionKey, keys_of, used_joints
from andante.formats.aibo.mtn import FRAME_MS, MAGIC, MAX_BYTES, STUB, MtnFile, MtnKey, MtnLayout, read_mtn, write_mtn
from andante.formats.aibo.names import DESIGN_JOINTS, FULL_DESIGN, ROBOT, joint_of, locator_of, robot_of
from andante.formats.aibo.oda import OdaEntry, check_name
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import kept
from andante.formats.shared.single import OneMotionCodec, one_motion
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

KIND: Kind = "mtn"
"""Kind of the extras."""
_MICRO = 1e6
_FULL_VERSION, _PART_VERSION = (1, 2), (1, 1)
_ROUNDING = 1e-9
ODA_KIND: Kind = "oda"
"""Kind of the extras of a library that was read from an archive."""
MONET_NAME = 31
"""Longest name that MoNet's configuration can hold."""


class _MotionExtras(MtnLayout):
    """What a motion's extras may say, beside how its bytes are put."""

    author: str = Field(default="", max_length=255)
    design: str | None = Field(default=None, max_length=255)
    version: tuple[int, int] | None = None
    frame: int = Field(default=FRAME_MS, ge=0, le=0xFFFF)
    locators: tuple[str, ...] | None = None
    name: str | None = Field(default=None, max_length=255)
    """The name inside the file, where it is not the library's or not one that MoNet can call."""
    keyed: str = ""
    """The library's name that ``name`` goes with; a motion that has been renamed since has the new one inside."""
    entry: str | None = Field(default=None, max_length=128)
    kind: Hexadecimal = Field(default=b"", max_length=4)
    row: U32 = 0
    after: Hexadecimal = b""
    zipped: bool = False
    packing: Packing | None = None


class _KeyExtras(Part):
    """What a keyframe's extras may say: the body's roll, pitch and yaw in microradians."""

    body: tuple[int, int, int] = (0, 0, 0)


class MtnCodec(OneMotionCodec):
    """Reads and writes Sony's motions."""

    name = "mtn"
    title = "Sony MTN motion (OPEN-R)"
    suffixes = (".mtn",)
    signature = re.compile(rb"\A(?:%b|%b)" % (MAGIC, STUB))
    sure = 1.0
    by_suffix = 0.4
    time_grid = FRAME_MS / 1000.0
    one_file = "one MTN file"
    library_kind = ODA_KIND

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is of this format: 0 to 1."""
        heads = (read_head(file, len(MAGIC) + len(STUB)) for file in self.files_in(path))
        return 0.6 if any(map(self.signature.match, heads)) else 0.0

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one motion; `DocumentError` where that fails."""
        mtn = read_mtn(read_bytes(path, max_bytes=MAX_BYTES), str(path))
        report.files.append(path)
        remarks(mtn, str(path), report)
        name, motion, block = motion_from_mtn(mtn)
        return MotionLibrary(robot=robot_of(mtn.design), motions={name: motion}, blocks={name: block})

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion."""
        return mtn_bytes(library, one_motion(library)[0], losses)

    def file_name(self, name: str, path: Path) -> str:
        """File name of a motion, made of its name."""
        return file_name(name, "")

    def renamed(self, motion: Motion, name: str, key: str) -> Motion:
        """A motion that goes by another name in the library than in its file."""
        said = {**motion.extras.get(KIND, {}), "name": name, "keyed": key}
        return motion.but(extras={**motion.extras, KIND: said})


def mtn_bytes(library: MotionLibrary, name: str, losses: Losses) -> bytes:
    """The file of a motion of a library.

    Raises:
        FormatError: It does not fit the format.
    """
    mtn = mtn_from_motion(library, name, losses)
    if len(mtn.motion) > MONET_NAME:
        text = f"MoNet cannot call a motion whose name has more than {MONET_NAME} characters"
        losses.add(f"motions.{name}", text)
    return write_mtn(mtn)


def remarks(mtn: MtnFile, file: str, report: ReadReport, inside: str = "") -> None:
    """Put down what is peculiar about a motion."""
    said: Mapping[str, bool] = {
        "the file gives no frame time; 16 ms are taken": mtn.frame_ms == 0,
        f"the file has {len(mtn.layout.tail)} bytes after the last key": bool(mtn.layout.tail),
        f"the name has more than {MONET_NAME} characters, MoNet cannot call it": len(mtn.motion) > MONET_NAME,
    }
    for text, holds in said.items():
        if holds:
            report.warn(text, file, inside=inside or mtn.motion)


def motion_from_mtn(
    mtn: MtnFile, *, key: str | None = None, entry: OdaEntry | None = None, payload: bytes = b""
) -> tuple[str, Motion, Block]:
    """Return name, motion and block of an MTN motion.

    Args:
        mtn: The motion.
        key: The library's name for it; None: its own.
        entry: The entry of an archive that it comes from.
        payload: The entry's payload, unpacked.
    """
    name = mtn.motion if key is None else key
    robot = robot_of(mtn.design)
    joints = [joint_of(locator, robot) for locator in mtn.locators]
    if len(set(joints)) < len(joints):
        twice = next(joint for joint in joints if joints.count(joint) > 1)
        raise FormatError("a joint stands twice in the motion", inside=name, value=locator_of(twice))
    keyframes = []
    for index, each in enumerate(mtn.keys):
        keyframes.append(
            Keyframe(
                duration=(each.interpolated + 1) * mtn.frame if index else mtn.frame,
                joints={joint: angle / _MICRO for joint, angle in zip(joints, each.angles, strict=True)},
                extras={KIND: {"body": list(each.body)}} if any(each.body) else {},
            )
        )
    return name, motion_entry(mtn, name, entry, payload), Block(keyframes=tuple(keyframes))


def motion_entry(mtn: MtnFile, name: str, entry: OdaEntry | None, payload: bytes) -> Motion:
    """The library's motion of that name, one block of keyframes, with what only its file says."""
    joints = [joint_of(locator, robot_of(mtn.design)) for locator in mtn.locators]
    usual_design = _design_of(joints)
    usual = DESIGN_JOINTS.get(mtn.design)
    # MoNet could not call it, but there it is: what was read is written again.
    callable_ = name == mtn.motion and _callable(name)
    said = _MotionExtras(
        **dict(mtn.layout),
        author=mtn.author,
        design=None if mtn.design == usual_design else mtn.design,
        version=None if mtn.version == _version_of(mtn.design) else mtn.version,
        frame=mtn.frame_ms,
        locators=None if usual is not None and usual == tuple(joints) else mtn.locators,
        name=None if callable_ else mtn.motion,
        keyed="" if callable_ else name,
    )
    more: dict[str, Any] = {} if entry is None else _entry_extras(entry, mtn, payload)
    data = said.model_dump(mode="json", exclude_defaults=True) | more
    return Motion(blocks=(name,), extras={KIND: data} if data else {})


def _callable(name: str) -> bool:
    try:
        check_name(name)
    except FormatError:
        return False
    return True


def _entry_extras(entry: OdaEntry, mtn: MtnFile, payload: bytes) -> dict[str, Any]:
    """What the archive's entry says beside its motion."""
    said = _MotionExtras(
        entry=None if entry.name == mtn.motion else entry.name,
        kind=b"" if entry.kind == MAGIC else entry.kind,
        row=entry.reserved,
        after=entry.after_name,
        zipped=entry.zipped,
        packing=packing_of(entry.stored, payload) if entry.zipped else None,
    )
    return said.model_dump(mode="json", exclude_defaults=True)


def mtn_from_motion(library: MotionLibrary, name: str, losses: Losses) -> MtnFile:
    """Return a motion of a library as an MTN motion.

    Args:
        library: The library.
        name: Name of the motion.
        losses: Takes what is not held.

    Raises:
        FormatError: The motion has no keyframes or cannot be put into the format.
    """
    said = kept(_MotionExtras, library.motions[name].extras, KIND, f"motions.{name}", losses)
    joints, design, locators = _joints(library, name, said)
    keys = keys_of(library, name, joints, losses, KIND)
    if not keys:
        raise FormatError("an MTN motion needs at least one keyframe", inside=f"motions.{name}")
    frame = (said.frame or FRAME_MS) / 1000.0
    return MtnFile(
        motion=_inside(said, name),
        author=said.author,
        design=design,
        locators=locators,
        keys=tuple(_key(key, index, frame, losses) for index, key in enumerate(keys)),
        version=said.version or _version_of(design),
        frame_ms=said.frame,
        layout=_layout(said),
    )


def _inside(said: _MotionExtras, name: str) -> str:
    """The name in a motion's file."""
    return said.name if said.name is not None and said.keyed == name else name


def entry_of(motion: Motion, name: str, raw: bytes) -> OdaEntry:
    """A motion's entry in an archive.

    Args:
        motion: The motion.
        name: The library's name of it.
        raw: The motion's file.

    Raises:
        FormatError: Its name is new and MoNet could not call it.
    """
    said = kept(_MotionExtras, motion.extras, KIND, "", Losses())
    inside = _inside(said, name)
    if said.name is None or said.keyed != name:
        check_name(name)
    entry = inside if said.entry is None else said.entry
    kind = said.kind.ljust(4, b"\0") if said.kind else MAGIC
    stored = zip_bytes(raw, said.packing) if said.zipped else raw
    return OdaEntry(entry, kind, stored, len(stored), said.row, after_name=said.after)


def _layout(said: _MotionExtras) -> MtnLayout:
    own = {name: getattr(said, name) for name in MtnLayout.model_fields}
    return MtnLayout(**own | {"counted": min(said.counted, len(said.tail))})


def _joints(library: MotionLibrary, name: str, said: _MotionExtras) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Joints of a motion in the file's order, the design and the locators."""
    used = used_joints(library, name)
    design = said.design if said.design is not None else _design_of(used) or FULL_DESIGN
    if said.locators is not None:
        robot = robot_of(design)
        return tuple(joint_of(locator, robot) for locator in said.locators), design, said.locators
    if library.robot == ROBOT:
        joints = DESIGN_JOINTS.get(design, DESIGN_JOINTS[FULL_DESIGN])
        return joints, design, tuple(locator_of(joint) for joint in joints)
    strange = next((joint for joint in used if not joint.startswith("PRM:/")), None)
    if strange is not None or not used:
        raise FormatError(
            "this robot's joints have no OPEN-R locators",
            inside=f"motions.{name}",
            value=strange or library.robot,
            legal=(ROBOT,),
        )
    return tuple(used), library.robot if said.design is None else said.design, tuple(used)


def _design_of(joints: list[str]) -> str | None:
    """Design of the ERS-7 with exactly these joints."""
    return next((design for design, members in DESIGN_JOINTS.items() if set(members) == set(joints)), None)


def _version_of(design: str) -> tuple[int, int]:
    return _PART_VERSION if "_" in design else _FULL_VERSION


def _key(key: MotionKey, index: int, frame: float, losses: Losses) -> MtnKey:
    said = kept(_KeyExtras, key.extras, KIND, key.place, losses)
    frames = max(1, round(key.duration / frame))
    if index == 0:
        if key.duration and abs(key.duration - frame) > _ROUNDING:
            text = "the time to the first pose is not held, a file begins with it"
            losses.count(key.place, "first time", text, f"{key.duration * 1000:g} ms")
        interpolated = 0
    else:
        if abs(key.duration - frames * frame) > _ROUNDING * max(1.0, key.duration):
            text = f"times become whole frames of {frame * 1000:g} ms"
            losses.count(key.place, "time", text, f"{key.duration * 1000:g} ms become {frames * frame * 1000:g} ms")
        interpolated = frames - 1
    return MtnKey(interpolated, said.body, tuple(microradians(angle) for angle in key.angles))


def microradians(angle: float) -> int:
    """Return an angle in whole microradians: rounded (half to even), never truncated.

    Args:
        angle: Finite angle [rad].

    Raises:
        FormatError: It does not fit into OPEN-R's 32 bits.
    """
    value = round(angle * _MICRO) if abs(angle) < 1e6 else 2**31
    if not -(2**31) <= value < 2**31:
        raise FormatError("the angle does not fit into 32 bits of microradians", value=angle, limit="+-2147.48 rad")
    return value
