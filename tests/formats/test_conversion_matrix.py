"""Every format into every other: what a conversion does not call lost is there again when the target is read."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from aibo_files import mtn, oda
from robotis_files import ACTIONS, BIOLOID
from team_files import FILES

from andante.documents.problems import DocumentError
from andante.formats.registry import FORMATS, convert, identify, read
from andante.motions.library import MotionLibrary

AIBO = {
    "mtn": ("kick.mtn", mtn("kick")),
    "oda": ("motion.oda", oda([(b"OMTN", "kick", mtn("kick")), (b"OMTN", "b", mtn("kick_b"))])),
    "ekmoves": ("EKMoves.h", b"const double A_01[] = {5,0,-30,-5,1,2,3,4,5,6,7,8,9,1,2,3};\n"),
    "tekkotsu-pos": ("stand.pos", b"#POS\nLFr:rotor 0.5\nNECK:tilt -0.25\n#END\n"),
    "tekkotsu-mot": ("wag.mot", b"#MSq\ndegrees\nadvanceTime 499\nTAIL:pan 9\ndelay 200\nTAIL:pan -9\n#END\n"),
    "pose": ("ready.pose", b"andante pose 1\nrobot ers7\npose ready\n  LFJ1 10\n"),
    "moves": (
        "kick.moves",
        b"andante moves 1\nrobot ers7\npose a\n  LFJ1 10\n  LFJ2 5\npose b\n  LFJ1 -7\nmotion kick\n  320 a\n  160 b\n",
    ),
}
ROBOTIS = {"robotis": ("motion_4096.bin", ACTIONS), "roboplus": ("bioloid.mtn", BIOLOID)}
SOURCES = {key: (name, text.encode()) for key, (name, text) in FILES.items()} | AIBO | ROBOTIS
TARGETS = [name for name in FORMATS if not name.startswith("bhuman-")]
BESIDE_THE_COURSE = ("note: ", "extras: ", "stiffness", ".blocks: ")
"""Losses that leave every joint where it was at every keyframe."""
ROUNDING = 2e-6
"""Largest distance that is no loss: MTN's microradians and decimal text [rad]."""

Course = list[tuple[float, dict[str, float]]]


def course(library: MotionLibrary, motion: str) -> Course:
    """Time and angles held at the end of every keyframe."""
    rows: Course = []
    time, held = 0.0, {}
    for block in library.motions[motion].blocks:
        for keyframe in library.blocks[block].keyframes:
            time += keyframe.duration
            held = held | {joint: value for joint, value in keyframe.joints.items() if not isinstance(value, str)}
            rows.append((time, held))
    return rows


def angle_at(rows: Course, joint: str, time: float) -> float | None:
    """A joint's angle on straight lines between the keyframes."""
    points = [(when, held[joint]) for when, held in rows if joint in held]
    for (start, first), (end, second) in pairwise(points):
        if start - 1e-9 <= time <= end + 1e-9:
            return first + (time - start) / (end - start) * (second - first)
    return None if not points else points[0][1] if time < points[0][0] else points[-1][1]


def assert_same_course(one: Course, other: Course) -> None:
    """Files begin at their first pose or a moment before it: only the time between poses counts."""
    assert bool(one) == bool(other)
    if not one:
        return
    shift = other[0][0] - one[0][0]
    assert abs(other[-1][0] - one[-1][0] - shift) < 1e-6
    for time, held in one:
        for joint, angle in held.items():
            found = angle_at(other, joint, time + shift)
            assert found is not None, joint
            assert abs(found - angle) < ROUNDING, (joint, time)


@pytest.mark.slow
@pytest.mark.parametrize("key", SOURCES)
def test_what_is_not_called_lost_is_held(key, tmp_path: Path):
    name, raw = SOURCES[key]
    source = tmp_path / name
    source.write_bytes(raw)
    library = read(source)
    held = 0
    for target in TARGETS:
        folder = tmp_path / target
        folder.mkdir()
        written = folder / f"x{FORMATS[target].suffixes[0]}"
        try:
            report = convert(source, written, target_format=target)
        except DocumentError:
            assert list(folder.iterdir()) == []
            continue
        if any(all(word not in loss for word in BESIDE_THE_COURSE) for loss in report.losses):
            continue
        held += 1
        again = read(written, target, robot=library.robot)
        assert len(again.motions) == len(library.motions), target
        for one, other in zip(library.motions, again.motions, strict=True):
            assert_same_course(course(library, one), course(again, other))
    assert held >= 2


@pytest.mark.parametrize("name", ["x", "x.yaml", "x.cfg", "x.mtn", "x.ODA", "x.pos", "x.json"])
@pytest.mark.parametrize("key", SOURCES)
def test_the_content_decides_who_reads_under_any_name(key, name, tmp_path: Path):
    (tmp_path / name).write_bytes(SOURCES[key][1])
    assert identify(tmp_path / name).name == key.split()[0]
