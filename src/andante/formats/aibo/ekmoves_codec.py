"""The codec of EKMoves.h: arrays named MOTION_01, MOTION_02, ... are the poses of one motion.

The header holds no times; the program that used it held every pose for 50 frames of 8 ms.
"""

from __future__ import annotations

import re
from pathlib import Path

from andante.formats.aibo.ekmoves import EkPose, ekmoves_text, parse_ekmoves
from andante.formats.aibo.files import read_old_text
from andante.formats.aibo.keys import keys_of
from andante.formats.aibo.names import EK_ORDER, ROBOT
from andante.formats.codec import MotionFileCodec
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import library_losses
from andante.formats.shared.numbers import degrees, radians
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

HOLD = 50 * 0.008
"""Time of every pose: 50 calls of 8 ms [s]."""
KIND: Kind = "ekmoves"
"""Kind of the extras."""

_NUMBERED = re.compile(r"(.+)_(\d{1,4})")
_NO_IDENTIFIER = re.compile(r"[^A-Za-z0-9_]")


class EkMovesCodec(MotionFileCodec):
    """Reads and writes headers of pose arrays."""

    name = "ekmoves"
    title = "EKMoves.h pose arrays"
    suffixes = (".h",)
    signature = re.compile(rb"\bconst\s+double\s+[A-Za-z_]\w*\s*\[\s*(?:16)?\s*\]\s*=\s*\{")
    sure = 0.9
    robots = (ROBOT,)

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a header.

        Raises:
            DocumentError: It cannot be read or an array breaks the format.
        """
        poses = parse_ekmoves(read_old_text(path, report), str(path), report)
        if not poses:
            raise FormatError(
                "the header has no array of angles", file=path, limit="const double NAME[] = {16 values};"
            )
        report.warn(f"the format has no times; every pose gets {HOLD:g} s", str(path))
        return library_from_poses(poses)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """A header of all poses.

        Raises:
            FormatError: The library is for another robot, or a name is no C identifier.
        """
        self.check_robot(library)
        library_losses(library, losses)
        return {"": ekmoves_text(poses_from_library(library, losses)).encode()}


def library_from_poses(poses: tuple[EkPose, ...]) -> MotionLibrary:
    """Return a library with a motion per group of arrays, in the order of the file."""
    groups: dict[str, list[EkPose]] = {}
    for pose in poses:
        match = _NUMBERED.fullmatch(pose.name)
        groups.setdefault(match.group(1) if match else pose.name, []).append(pose)
    library = MotionLibrary(robot=ROBOT)
    for name, members in groups.items():
        keyframes = []
        for index, pose in enumerate(members):
            usual = pose.name == _usual_name(name, index, len(members))
            keyframes.append(
                Keyframe(
                    duration=HOLD,
                    joints={joint.name: radians(value) for joint, value in zip(EK_ORDER, pose.degrees, strict=True)},
                    extras={} if usual else {KIND: {"array": pose.name}},
                )
            )
        library.motions[name] = Motion(blocks=(name,))
        library.blocks[name] = Block(keyframes=tuple(keyframes))
    return library


def poses_from_library(library: MotionLibrary, losses: Losses) -> tuple[EkPose, ...]:
    """Return all poses of a library as arrays."""
    poses = []
    for name in library.motions:
        keys = keys_of(library, name, [joint.name for joint in EK_ORDER], losses, KIND)
        for index, key in enumerate(keys):
            if abs(key.duration - HOLD) > 1e-9:
                losses.count(key.place, "time", "times are not held", f"{key.duration * 1000:g} ms")
            array = key.extras.get(KIND, {}).get("array")
            usual = _usual_name(name, index, len(keys))
            poses.append(
                EkPose(
                    name=array if isinstance(array, str) else _identifier(usual, losses),
                    degrees=tuple(degrees(angle) for angle in key.angles),
                )
            )
    return tuple(poses)


def _usual_name(motion: str, index: int, count: int) -> str:
    return motion if count == 1 else f"{motion}_{index + 1:02d}"


def _identifier(name: str, losses: Losses) -> str:
    held = _NO_IDENTIFIER.sub("_", name)
    if not held or held[0].isdigit():
        held = f"_{held}"
    if held != name:
        losses.add("", f"the array of {name!r} becomes {held!r}")
    return held
