"""What findings come to: nothing is lost, few causes come first, and a planted defect is the first of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.motions.assessment import MOST, assess
from andante.motions.checks.choice import check
from andante.motions.editing.mirror import mirror_keyframe
from andante.motions.findings import Finding
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions

BHUMAN = os.environ.get("ANDANTE_BHUMAN_CFG", "")
FOLDERS = [str(Path(BHUMAN) / name) for name in ("2023", "", "2025")] if BHUMAN else []
FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.sampled_from(["speed", "joint-limit", "empty", "unknown-reference", "self-collision"]),
        severity=st.sampled_from(["error", "warning", "info"]),
        place=st.sampled_from(["blocks.a.keyframes[0]", "blocks.b", "motions.m.blocks[0]", "robot"]),
        message=st.sampled_from(["is so", "goes 'x'", "goes 'y'"]),
        value=st.none() | st.just("name") | st.floats(-10.0, 10.0),
        limit=st.none() | st.just("other") | st.floats(-10.0, 10.0),
    ),
    max_size=80,
)


@given(FINDINGS, st.floats(0.0, 1.0))
def test_nothing_is_lost_and_few_come_first(found: list[Finding], tolerance: float) -> None:
    told = assess(found, tolerance=tolerance)
    assert len(told.first) <= MOST
    every = [finding for cause in (*told.first, *told.later) for finding in cause.findings]
    assert sorted(map(repr, every)) == sorted(map(repr, found))
    severities = [cause.worst.severity for cause in told.first]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert "info" not in severities
    errors = any(finding.severity == "error" for finding in found)
    assert errors != told.sentence.startswith("legal")
    for cause in told.first:
        assert cause.worst.severity == "error" or cause.worst.excess > tolerance


def test_the_sentence_says_what_cannot_be_played() -> None:
    frame = Keyframe(duration=0.5, joints={"HeadYaw": 0.1})
    library = MotionLibrary(
        robot="nao",
        motions={"good": Motion(blocks=("a",)), "bad": Motion(blocks=("b",)), "lost": Motion(blocks=("c",))},
        blocks={"a": Block(keyframes=(frame,)), "b": Block(keyframes=(frame.but(joints={"HeadYow": 0.1}),))},
    )
    told = assess(check(library), library)
    assert told.blocked == ("bad", "lost")
    assert told.sentence.startswith("2 of 3 motions cannot be played (bad, lost): ")
    assert "HeadYow" in told.sentence or "has no block 'c'" in told.sentence
    one = library.but(motions={"bad": library.motions["bad"]})
    assert assess(check(one), one).sentence.startswith("cannot be played: robot 'nao' has no joint 'HeadYow'")
    fine = library.but(motions={"good": library.motions["good"]}, blocks={"a": library.blocks["a"]})
    assert assess(check(fine), fine).sentence == "legal; nothing to look at"


def test_what_a_motion_does_in_physics_weighs_more_than_an_estimate() -> None:
    speed = [
        Finding("speed", "warning", f"blocks.{name}", "too fast", value=value, limit=1.0, motion=name)
        for name, value in (("stands", 4.0), ("falls", 2.0))
    ]
    assert assess(speed).first[0].worst.motion == "stands"
    assert assess(speed, physics={"stands": True, "falls": False}).first[0].worst.motion == "falls"


def plant(library: MotionLibrary, block: str, index: int, change: Callable[[Keyframe], Keyframe]) -> MotionLibrary:
    frames = list(library.blocks[block].keyframes)
    frames[index] = change(frames[index])
    return library.but(blocks={**library.blocks, block: library.blocks[block].but(keyframes=tuple(frames))})


@pytest.mark.parametrize("folder", FOLDERS or ["nao"])
def test_a_proven_library_is_legal_with_few_things_to_look_at(folder: str) -> None:
    library = load_motions(folder)
    found = check(library)
    told = assess(found, library, tolerance=0.01)
    assert told.sentence.startswith("legal; ")
    assert len(told.first) < 10
    assert len(told.lines) <= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FOLDERS[:1], "nao"])
def test_a_planted_defect_rises_to_the_top(name: str) -> None:
    library = load_motions(name)
    before = assess(check(library), library)
    block, index = next(
        (name, number)
        for name, block in library.blocks.items()
        if name in {each for motion in library.motions.values() for each in motion.blocks}
        for number, frame in enumerate(block.keyframes)
        if number
        # Nobody knows how fast a joint goes that comes from nobody knows where.
        and "LElbowYaw" in block.keyframes[number - 1].joints
        and {"LKneePitch", "RKneePitch", "LElbowYaw"} <= set(frame.joints)
        and not any(isinstance(value, str) for value in frame.joints.values())
    )
    place = f"blocks.{block}.keyframes[{index}]"

    far = plant(library, block, index, lambda frame: frame.but(joints={**frame.joints, "LElbowYaw": 4.0}))
    told = assess(check(far), far)
    assert told.first[0].worst.place == f"{place}.joints.LElbowYaw" != before.first[0].worst.place

    # All else stays where it was.
    held = library.blocks[block].keyframes[index - 1].joints
    far_off = -2.0 if float(held["LElbowYaw"]) > 0.0 else 2.0
    fast = plant(library, block, index, lambda frame: frame.but(duration=0.012, joints={**held, "LElbowYaw": far_off}))
    told = assess(check(fast), fast)
    assert (told.first[0].worst.rule, told.first[0].worst.joint) == ("speed", "LElbowYaw")

    gone = library.but(blocks={each: value for each, value in library.blocks.items() if each != block})
    told = assess(check(gone), gone)
    assert told.first[0].worst.severity == "error"
    assert repr(block) in told.first[0].worst.message
    users = {each for each, motion in library.motions.items() if block in motion.blocks}
    assert users <= set(told.blocked)


def test_a_wrong_sign_in_a_mirrored_motion_is_found_and_a_right_one_not() -> None:
    robot = Robot.load("nao")
    left = Keyframe(
        duration=0.8,
        joints={"LShoulderRoll": 0.5, "LElbowYaw": -0.8, "LHipRoll": 0.2, "LKneePitch": 0.6, "RKneePitch": 0.4}
        | {"RShoulderRoll": -0.2, "RHipRoll": -0.1, "RElbowYaw": 0.4, "HeadYaw": 0.3, "RShoulderPitch": 1.2},
    )
    right = mirror_keyframe(left, robot)

    def library(frame: Keyframe) -> MotionLibrary:
        blocks = {"l": Block(keyframes=(left,)), "r": Block(keyframes=(frame,))}
        motions = {"kickLeft": Motion(blocks=("l",)), "kickRight": Motion(blocks=("r",))}
        return MotionLibrary(robot="nao", motions=motions, blocks=blocks)

    assert not [found for found in check(library(right)) if found.rule == "mirror"]
    wrong = right.but(joints={**right.joints, "RElbowYaw": -right.joints["RElbowYaw"]})
    told = assess(check(library(wrong)), library(wrong))
    assert told.first[0].worst.rule == "mirror"
    assert told.first[0].worst.place == "blocks.r.keyframes[0].joints.RElbowYaw"


def test_one_pair_of_a_symmetric_posture_with_the_wrong_sign_is_found() -> None:
    robot = Robot.load("nao")
    half = {"LShoulderRoll": 0.4, "LElbowYaw": -0.9, "LHipRoll": 0.15, "LShoulderPitch": 1.0, "LKneePitch": 0.7}
    both = half | dict(mirror_keyframe(Keyframe(duration=1.0, joints=half), robot).joints)

    def found(joints: dict[str, float]) -> list[Finding]:
        library = MotionLibrary(
            robot="nao",
            motions={"m": Motion(blocks=("b",))},
            blocks={"b": Block(keyframes=(Keyframe(duration=1.0, joints=joints),))},
        )
        return [finding for finding in check(library) if finding.rule == "mirror"]

    assert found(both) == []
    (wrong,) = found({**both, "RHipRoll": -both["RHipRoll"]})
    assert wrong.joint == "RHipRoll"
    # A posture that is no mirror image at all has no wrong sign.
    assert found({**both, "RHipRoll": -both["RHipRoll"], "RKneePitch": 0.1}) == []
