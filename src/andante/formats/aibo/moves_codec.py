"""The codecs of pose files and moves files."""

from __future__ import annotations

import re
from pathlib import Path

from andante.documents.problems import DocumentError
from andante.formats.aibo.files import file_name, read_old_text
from andante.formats.aibo.keys import keys_of, used_joints
from andante.formats.aibo.moves import (
    MOVES_HEADER,
    POSE_HEADER,
    MovesFile,
    MovesStep,
    Pose,
    digest_of,
    moves_text,
    parse_moves,
    parse_pose,
    pose_text,
)
from andante.formats.codec import MotionFileCodec
from andante.formats.report import FormatError, Losses, ReadReport
from andante.formats.shared.losses import library_losses
from andante.formats.shared.numbers import AT_ONCE, degrees, radians
from andante.formats.shared.single import OneMotionCodec, one_motion
from andante.motions.extras import Kind
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

KIND: Kind = "pose"
"""Kind of the extras."""
POSE_TIME = 1000.0
"""Time given to a pose of a pose file, which has none [ms]."""
_MAX_FILES = 200


class MovesCodec(MotionFileCodec):
    """Reads and writes lists of moves."""

    name = "moves"
    title = "Andante poses and moves (text)"
    suffixes = (".moves",)
    signature = re.compile(rb"\A%b" % MOVES_HEADER.encode())
    sure = 1.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file; the pose files that it names are compared, not needed.

        Raises:
            DocumentError: It cannot be read or breaks the format.
        """
        moves = parse_moves(read_old_text(path, report), str(path))
        _compare_files(moves, path, report)
        return library_from_moves(moves)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """A file of all motions."""
        library_losses(library, losses)
        return {"": moves_text(moves_from_library(library, losses)).encode()}


class PoseCodec(OneMotionCodec):
    """Reads and writes single poses."""

    name = "pose"
    title = "Andante pose (text)"
    suffixes = (".pose",)
    signature = re.compile(rb"\A%b" % POSE_HEADER.encode())
    sure = 1.0
    one_file = "one pose file"

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a pose as a motion of one keyframe; `DocumentError` where that fails."""
        robot, name, pose = parse_pose(read_old_text(path, report), str(path))
        report.warn(f"the format has no times; the pose gets {POSE_TIME:g} ms", str(path))
        return library_from_moves(MovesFile(robot, {name: pose}, {name: (MovesStep(POSE_TIME, name),)}))

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The only pose of the only motion."""
        name, _ = one_motion(library)
        moves = moves_from_library(library, losses)
        steps = moves.motions.get(name, ())
        if len(steps) > 1 or len(moves.poses) != 1:
            raise FormatError("a pose file holds one pose", inside=f"motions.{name}", value=len(steps))
        ((pose, angles),) = moves.poses.items()
        if any(step.time != POSE_TIME for step in steps):
            losses.add(f"motions.{name}", "its times are not held")
        if pose != name:
            losses.add(f"motions.{name}", "becomes a motion of the pose's name")
        return pose_text(moves.robot, pose, angles).encode()

    def file_name(self, name: str, path: Path) -> str:
        """File name of a pose, made of its motion's name."""
        return file_name(name, "")


def library_from_moves(moves: MovesFile) -> MotionLibrary:
    """Return a moves file as a library."""
    library = MotionLibrary(robot=moves.robot)
    used = {step.pose for steps in moves.motions.values() for step in steps}
    unused = {name: pose for name, pose in moves.poses.items() if name not in used}
    motions = {**moves.motions, **{name: (MovesStep(POSE_TIME, name),) for name in unused if name not in moves.motions}}
    for motion, steps in motions.items():
        keyframes = []
        for step in steps:
            pose = moves.poses[step.pose]
            said = {"name": step.pose} | ({"file": pose.file} if pose.file else {})
            keyframes.append(
                Keyframe(
                    duration=step.time / 1000.0,
                    joints={joint: radians(angle) for joint, angle in pose.angles.items()},
                    extras={KIND: said | ({"sha256": pose.digest} if pose.digest else {})},
                )
            )
        extras = {} if motion in moves.motions else {KIND: {"only": True}}
        library.motions[motion] = Motion(blocks=(motion,), extras=extras)
        library.blocks[motion] = Block(keyframes=tuple(keyframes))
    return library


def moves_from_library(library: MotionLibrary, losses: Losses) -> MovesFile:
    """Return a library as a moves file; equal poses of one name are written once."""
    moves = MovesFile(library.robot)
    for name, motion in library.motions.items():
        joints = used_joints(library, name)
        steps: list[MovesStep] = []
        for index, key in enumerate(keys_of(library, name, joints, losses, KIND)):
            said = key.extras.get(KIND, {})
            angles = {
                joint: degrees(angle) for joint, angle in zip(joints, key.angles, strict=True) if joint in key.given
            }
            source, digest = (
                value if isinstance(value, str) else "" for value in (said.get("file"), said.get("sha256"))
            )
            pose = Pose(angles, source, digest)
            wanted = said.get("name")
            usual = wanted if isinstance(wanted, str) and wanted else f"{name}_{index + 1:02d}"
            if not key.duration:
                losses.count(key.place, "at once", f"a pose needs a time; 0 ms become {AT_ONCE * 1000:g} ms")
            steps.append(MovesStep(_milliseconds(key.duration or AT_ONCE), _put(moves.poses, usual[:200], pose)))
        if motion.extras.get(KIND, {}).get("only") is not True:
            moves.motions[name] = tuple(steps)
    return moves


def _put(poses: dict[str, Pose], name: str, pose: Pose) -> str:
    """Put a pose under a name, or a similar one where another pose has it; return the name."""
    free, number = name, 1
    while free in poses and poses[free] != pose:
        number += 1
        free = f"{name}~{number}"
    poses[free] = pose
    return free


def _milliseconds(seconds: float) -> float:
    exact = seconds * 1000.0
    short = (float(f"{exact:.{digits}g}") for digits in (6, 9, 12, 15, 16))
    return next((value for value in short if value / 1000.0 == seconds), exact)


def _compare_files(moves: MovesFile, path: Path, report: ReadReport) -> None:
    """Say which poses no longer equal the pose files that they came from."""
    named = [(name, pose) for name, pose in moves.poses.items() if pose.file][:_MAX_FILES]
    for name, pose in named:
        said = f"pose {name!r} came from {pose.file!r}"
        if pose.digest and pose.digest != digest_of(pose):
            report.warn(f"{said} and was changed here since", str(path))
        if "/" in pose.file or "\\" in pose.file or not (path.parent / pose.file).is_file():
            report.warn(f"{said}, which is not beside it; the pose kept here is used", str(path))
            continue
        try:
            _, _, there = parse_pose(read_old_text(path.parent / pose.file, ReadReport()), pose.file)
        except DocumentError as error:
            report.warn(f"{said}, which cannot be read now ({error.what}); the pose kept here is used", str(path))
            continue
        if there.angles != pose.angles:
            report.warn(f"{said}, which says something else now; the pose kept here is used", str(path))
